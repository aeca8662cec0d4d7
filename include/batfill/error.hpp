#pragma once

#include <stdexcept>
#include <string>

namespace batfill {

// Input from outside (a file, a message) that cannot be used. `what()` is one line that names the place (file, line or
// job) and what was expected there; the command ends with status 1.
class InputError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

// A wrong command line or parameter. `what()` is one line that lists what is known; the command ends with status 2.
class UsageError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

// An algorithm broke a rule: it asked for something that the machine cannot do (a processor used twice, an unknown
// job), or forgot something that its family owes its jobs. `what()` names the algorithm, the job and the rule. It is a
// bug of the algorithm, found before the decision leaves; the command ends with status 1.
class DecisionError : public std::logic_error {
 public:
    using std::logic_error::logic_error;
};

}  // namespace batfill
