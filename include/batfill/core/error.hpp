#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace batfill {

// Makes text from outside fit for one line of a terminal or a log. Writes line ends and other control characters,
// characters that change the direction of writing, and bytes that are not UTF-8 as escapes (\n, \u001B, \xFF). Keeps
// everything else.
// Cost: O(size of the text).
std::string one_line(std::string_view text);

// Input from outside (a file, a message) that cannot be used. `what()` is one_line() of the given text. It names the
// place (file, line or job) and what was expected there. The command ends with status 1.
class InputError : public std::runtime_error {
 public:
    explicit InputError(std::string_view problem) : std::runtime_error(one_line(problem)) {}
};

// A wrong command line or parameter. `what()`, also one line, lists what is known. The command ends with status 2.
class UsageError : public std::runtime_error {
 public:
    explicit UsageError(std::string_view problem) : std::runtime_error(one_line(problem)) {}
};

// An algorithm broke a rule: it requested something that the machine cannot do (a processor used twice, an unknown
// job), or broke a promise of its family to a job. `what()`, also one line, names the algorithm, the job and the rule.
// This is a bug of the algorithm, found before the decision leaves. The command ends with status 1.
class DecisionError : public std::logic_error {
 public:
    explicit DecisionError(std::string_view problem) : std::logic_error(one_line(problem)) {}
};

// One text of these parts. A part is a text, a number, a function that makes a text, or has to_string(), or also
// to_short_string(), which is then used.
template <class... Parts>
std::string one_text(const Parts&... parts) {
    std::string text;
    const auto append = [&](const auto& part) {
        if constexpr (requires { part(); }) {
            text += part();
        } else if constexpr (requires { text.append(std::string_view(part)); }) {
            text.append(std::string_view(part));
        } else if constexpr (requires { part.to_short_string(); }) {
            text += part.to_short_string();
        } else if constexpr (requires { part.to_string(); }) {
            text += part.to_string();
        } else {
            text += std::to_string(part);
        }
    };
    (append(parts), ...);
    return text;
}

// Throws: an Error whose text is these parts together, if `is_wrong`. Calls functions among them only then.
template <class Error = UsageError, class... Parts>
void refuse_if(bool is_wrong, const Parts&... parts) {
    if (is_wrong) [[unlikely]] {
        throw Error(one_text(parts...));
    }
}

}  // namespace batfill
