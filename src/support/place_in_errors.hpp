#pragma once

#include <exception>
#include <new>
#include <string>

#include <batfill/core/error.hpp>

#include "src/support/interruption.hpp"

namespace batfill {

// Returns what `work` returns. Its errors become InputErrors that begin with `place`, except for lack of memory and an
// interruption, which are no fault of the input.
auto with_place_in_errors(const std::string& place, auto work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const Interrupted&) {
        throw;
    } catch (const std::exception& problem) {
        throw InputError(place + ": " + problem.what());
    }
}

}  // namespace batfill
