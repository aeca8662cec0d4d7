#include <regex>
#include <string>

#include <nanobind/nanobind.h>

// nanobind says in several lines which arguments a function takes. The linker makes its calls of PyErr_SetString calls
// of __wrap_PyErr_SetString (CMakeLists.txt), which says the same in one line.

namespace {

// "take(): expected (self, processors: int), found (batfill.Profile)", of nanobind's lines.
std::string one_line(const std::string& lines, std::size_t end_of_name) {
    const std::string found_mark = "\nInvoked with types: ";
    const std::size_t found = lines.find(found_mark);
    const std::string signatures = lines.substr(0, found);
    std::string expected;
    static const std::regex signature(R"(\n    \d+\. (?:def )?[^(]*(\([^\n]*\))(?: -> [^\n]*)?)");
    for (std::sregex_iterator one(signatures.begin(), signatures.end(), signature); one != std::sregex_iterator();
         ++one) {
        expected += (expected.empty() ? "" : " or ") + (*one)[1].str();
    }
    std::string text = lines.substr(0, end_of_name) + ": expected " + expected;
    if (found != std::string::npos) {
        text += ", found (" + lines.substr(found + found_mark.size()) + ')';
    }
    return std::regex_replace(text, std::regex(R"(batfill\._core\.|\n)"), "");
}

}  // namespace

extern "C" {

void __real_PyErr_SetString(PyObject* type, const char* text);  // NOLINT: the linker's names

void __wrap_PyErr_SetString(PyObject* type, const char* text) {  // NOLINT
    const std::string lines = text;
    const std::size_t mark = lines.find(": incompatible function arguments. The following argument types");
    __real_PyErr_SetString(type, mark == std::string::npos ? text : one_line(lines, mark).c_str());
}
}
