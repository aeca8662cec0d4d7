#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <batfill/core/resource_set.hpp>

#include "python/src/interpreter.hpp"

// Arguments from Python whose errors say what was found, and texts for Python. An exception of code that a value brings
// along, such as its own __index__(), reaches the caller. Such code may change anything, also the container of the
// value: nothing here uses a handle that it does not own after such a call.
namespace batfill::python {

namespace nb = nanobind;

// A whole number, also one of NumPy; none for another value, or one that has no place in 64 bits.
std::optional<std::int64_t> whole_number_in(nb::handle value);
// The same. `name` is the argument, for the error.
// Throws: UsageError for another value, or for one outside of the range.
std::int64_t whole_number_of(nb::handle value, const char* name,
                             std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                             std::int64_t most = std::numeric_limits<std::int64_t>::max());
// A number, also one of NumPy; none for another value and for a text.
std::optional<double> number_in(nb::handle value);
// A number of seconds.
double number_of(nb::handle value, const char* name);
// A str in UTF-8.
std::string word_of(nb::handle value, const char* name);
// A list, tuple or set of words, but not a single one.
std::vector<std::string> words_of(nb::handle values, const char* name);
// Processors: a text such as "0-3,8", or numbers, each once.
ResourceSet processors_of(nb::handle value, const char* name);
// The place of the name among these.
// Throws: UsageError, which lists them behind `expected`.
std::size_t place_among(const std::vector<std::string>& names, const std::string& name, const std::string& expected);
// The items of an iterable that is no str.
std::vector<nb::object> items_of(nb::handle values, const char* name, const char* expected);
// The entries of a dict as they are now.
std::vector<std::pair<nb::object, nb::object>> entries_of(const nb::dict& dict);
// The members of a dict as those of a JSON object, without the braces. Numbers of NumPy are numbers.
std::string json_members_of(nb::handle fields, const char* name);

// A str of a text in UTF-8. Other bytes become surrogates, as in the names of files.
nb::object text_object(std::string_view text);
nb::tuple tuple_of(const std::vector<std::string>& texts);
// Of pairs of a text and a value.
nb::dict dict_of(const auto& pairs) {
    nb::dict dict;
    for (const auto& [text, value] : pairs) {
        dict[text_object(text)] = value;
    }
    return dict;
}
// The numbers as an array.
nb::object array_of(const ResourceSet& processors);
// An array of the texts that `of` makes of the values.
template <class Values, class Of>
nb::object texts_of(const Values& values, Of of) {
    nb::list texts;
    for (const auto& value : values) {
        require_no_signal(texts.size());
        const auto& text = of(value);
        texts.append(text_object(text));
    }
    return nb::module_::import_("numpy").attr("array")(texts, nb::arg("dtype") = "object");
}

}  // namespace batfill::python
