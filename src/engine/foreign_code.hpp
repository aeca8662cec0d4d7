#pragma once

#include <exception>
#include <new>
#include <string>
#include <system_error>

#include <batfill/core/error.hpp>

#include "src/support/interruption.hpp"

namespace batfill {

template <class... Kinds>
bool is_one_of(const std::exception& problem) {
    return (... || (dynamic_cast<const Kinds*>(&problem) != nullptr));
}

// Calls an algorithm, possibly a plugin's. Turns a foreign exception into a DecisionError that names the algorithm.
template <class Call>
decltype(auto) call_foreign_code(const std::string& algorithm, Call call) {
    try {
        return call();
    } catch (const std::exception& problem) {
        // The system's errors say, for example, that no more threads can be created.
        if (is_one_of<InputError, UsageError, DecisionError, Interrupted, std::bad_alloc, std::system_error>(problem)) {
            throw;
        }
        throw DecisionError("algorithm " + algorithm + " fails: " + problem.what());
    } catch (...) {
        throw DecisionError("algorithm " + algorithm + " fails: it throws something other than a std::exception");
    }
}

}  // namespace batfill
