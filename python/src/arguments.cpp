#include "python/src/arguments.hpp"

#include <algorithm>
#include <cmath>

#include "python/src/bindings.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::python {

namespace {

[[noreturn]] void refuse(const char* name, const std::string& expected, nb::handle value) {
    throw UsageError(std::string(name) + ": expected " + expected + ", found " + shown_value(value));
}

std::string range_text(std::int64_t least, std::int64_t most) {
    const bool ends = most != std::numeric_limits<std::int64_t>::max();
    if (least == std::numeric_limits<std::int64_t>::min()) {
        return "";
    }
    return " from " + std::to_string(least) + (ends ? " to " + std::to_string(most) : "");
}

}  // namespace

std::optional<std::int64_t> whole_number_in(nb::handle value) {
    const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
    if (!number) {
        clear_refusal();
        return std::nullopt;
    }
    int overflow = 0;
    const long long found = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    return overflow == 0 ? std::optional<std::int64_t>(found) : std::nullopt;
}

std::int64_t whole_number_of(nb::handle value, const char* name, std::int64_t least, std::int64_t most) {
    const std::optional<std::int64_t> found = whole_number_in(value);
    if (!found || *found < least || *found > most) {
        refuse(name, "a whole number" + range_text(least, most), value);
    }
    return *found;
}

std::optional<double> number_in(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) {
        return std::nullopt;
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        clear_refusal();
        return std::nullopt;
    }
    return number;
}

double number_of(nb::handle value, const char* name) {
    const std::optional<double> number = number_in(value);
    if (!number || std::isnan(*number)) {
        refuse(name, "a number of seconds", value);
    }
    return *number;
}

std::string word_of(nb::handle value, const char* name) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_Check(value.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
    if (text == nullptr) {
        PyErr_Clear();
        refuse(name, "a text", value);
    }
    return {text, static_cast<std::size_t>(size)};
}

std::vector<nb::object> items_of(nb::handle values, const char* name, const char* expected) {
    const nb::object iterator =
        nb::isinstance<nb::str>(values) ? nb::object() : nb::steal(PyObject_GetIter(values.ptr()));
    if (!iterator) {
        clear_refusal();
        refuse(name, expected, values);
    }
    std::vector<nb::object> items;
    while (PyObject* const item = PyIter_Next(iterator.ptr())) {
        items.push_back(nb::steal(item));
    }
    if (PyErr_Occurred() != nullptr) {
        nb::raise_python_error();
    }
    return items;
}

std::vector<std::string> words_of(nb::handle values, const char* name) {
    std::vector<std::string> words;
    for (const nb::object& item : items_of(values, name, "a list of texts")) {
        words.push_back(word_of(item, name));
    }
    return words;
}

ResourceSet processors_of(nb::handle value, const char* name) {
    constexpr const char* expected = "numbers of processors, each once, or a text such as \"0-3,8\"";
    if (nb::isinstance<nb::str>(value)) {
        std::optional<ResourceSet> set = ResourceSet::parse(utf8_of(value));
        if (!set) {
            refuse(name, expected, value);
        }
        return *std::move(set);
    }
    constexpr std::int64_t most = std::numeric_limits<int>::max() - 1;
    ResourceSet set;
    for (const nb::object& item : items_of(value, name, expected)) {
        const auto number = static_cast<int>(whole_number_of(item, name, 0, most));
        if (set.contains(number)) {
            refuse(name, expected, value);
        }
        set.insert(ResourceSet::range(number, number));
    }
    return set;
}

std::size_t place_among(const std::vector<std::string>& names, const std::string& name, const std::string& expected) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        const std::string known = list_of(mapped(names, shown));
        throw UsageError(expected + (known.empty() ? ", which has none" : ": " + known) + ", found " + shown(name));
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::pair<nb::object, nb::object>> entries_of(const nb::dict& dict) {
    std::vector<std::pair<nb::object, nb::object>> entries;
    for (const auto& [key, value] : dict) {
        entries.emplace_back(nb::borrow(key), nb::borrow(value));
    }
    return entries;
}

std::string json_members_of(nb::handle fields, const char* name) {
    if (!nb::isinstance<nb::dict>(fields)) {
        refuse(name, "a dict", fields);
    }
    const nb::object text = call_python(attribute(nb::module_::import_("batfill._arguments"), "json_text"), fields);
    if (text.is_none()) {
        refuse(name, "values that JSON knows", fields);
    }
    const std::string object = utf8_of(text);
    return object.substr(1, object.size() - 2);
}

nb::object text_object(std::string_view text) {
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

nb::tuple tuple_of(const std::vector<std::string>& texts) {
    nb::list list;
    for (const std::string& text : texts) {
        list.append(text_object(text));
    }
    return nb::tuple(list);
}

nb::object array_of(const ResourceSet& processors) {
    std::vector<std::int64_t> numbers;
    for (const ResourceSet::Interval interval : processors.intervals()) {
        for (std::int64_t number = interval.first; number <= interval.last; ++number) {
            numbers.push_back(number);
        }
    }
    return array_of(std::move(numbers));
}

}  // namespace batfill::python
