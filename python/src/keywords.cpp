#include "python/src/keywords.hpp"

#include <string_view>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "src/analysis/measure_options.hpp"

namespace batfill::python {

namespace {

using options::Given;

// "numpy.ndarray" of an array of NumPy.
std::string_view type_name_of(nb::handle value) {
    return Py_TYPE(value.ptr())->tp_name;
}

// A single value. Paths are texts.
Given given_of(const std::string& name, nb::handle value) {
    if (nb::isinstance<nb::bool_>(value) || type_name_of(value).starts_with("numpy.bool")) {
        return PyObject_IsTrue(value.ptr()) == 1;
    }
    const nb::object os = nb::module_::import_("os");
    if (nb::isinstance<nb::str>(value) || nb::isinstance<nb::bytes>(value) ||
        nb::isinstance(value, os.attr("PathLike"))) {
        return nb::cast<FileName>(os.attr("fsdecode")(value)).text;
    }
    if (PyIndex_Check(value.ptr()) != 0) {
        const std::optional<std::int64_t> whole = whole_number_in(value);
        return whole ? Given(*whole) : Given(utf8_of(nb::str(value)));
    }
    const std::optional<double> number = number_in(value);
    refuse_if(!number, [&] { return name + ": expected a value, found " + shown_value(value); });
    return *number;
}

bool is_list(nb::handle value) {
    return nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::set>(value) ||
           type_name_of(value) == "numpy.ndarray";
}

}  // namespace

void set_keywords(options::Options& options, const nb::dict& keywords) {
    for (const auto& [key, value] : entries_of(keywords)) {
        const std::string name = utf8_of(key);
        if (value.is_none()) {
            continue;
        }
        if (nb::isinstance(value, nb::module_::import_("collections.abc").attr("Mapping"))) {
            const nb::list items(value.attr("items")());
            if (nb::len(items) == 0) {
                throw UsageError(name + ": expected a dict with an entry, found " + shown_value(value));
            }
            for (const nb::handle item : items) {
                options.set_entry(name, given_of(name, item[0]), given_of(name, item[1]));
            }
        } else if (is_list(value)) {
            if (!options.takes_several(name)) {
                throw UsageError(name + ": expected one value, found " + shown_value(value));
            }
            for (const nb::handle item : nb::list(value)) {
                options.set(name, given_of(name, item));
            }
        } else {
            options.set(name, given_of(name, value));
        }
    }
    options.finish();
}

void set_measures(MetricsOptions& metrics, nb::handle tau, nb::handle short_deadline) {
    options::Options options(options::Writing::keywords);
    add_measure_options(options, metrics.tau, metrics.short_deadline);
    nb::dict keywords;
    keywords["tau"] = tau;
    keywords["short_deadline"] = short_deadline;
    set_keywords(options, keywords);
}

}  // namespace batfill::python
