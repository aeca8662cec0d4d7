#pragma once

#include <exception>
#include <new>
#include <string>

#include <batfill/core/error.hpp>

#include "src/support/interruption.hpp"

namespace batfill {

// What becomes of a UsageError that gets a place.
enum class UsageErrors { become_input_errors, stay };

// Returns what `work` returns. Its errors become InputErrors that begin with `place`, except for lack of memory and an
// interruption, which are no fault of the input.
auto with_place_in_errors(const std::string& place, auto work, UsageErrors usage = UsageErrors::become_input_errors) {
    try {
        return work();
    } catch (const UsageError& problem) {
        const std::string text = place + ": " + problem.what();
        refuse_if(usage == UsageErrors::stay, text);
        throw InputError(text);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const Interrupted&) {
        throw;
    } catch (const std::exception& problem) {
        throw InputError(place + ": " + problem.what());
    }
}

}  // namespace batfill
