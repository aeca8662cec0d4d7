#pragma once

#include <algorithm>
#include <array>

#include <batfill/core/time.hpp>

namespace batfill {

// The estimates, in minutes, that users choose again and again (D. Tsafrir, Y. Etsion and D. G. Feitelson, "Modeling
// user runtime estimates", JSSPP 2005).
inline constexpr std::array modal_minutes = {5,   10,  15,  20,  30,  60,   90,   120,  180,  240, 300,
                                             360, 480, 600, 720, 900, 1080, 1200, 1440, 2160, 2880};

// Returns the smallest modal estimate that is at least `length`. If `length` exceeds all of them, returns the next
// whole number of days.
inline Duration modal_estimate(Duration length) {
    const auto* const at_least =
        std::ranges::find_if(modal_minutes, [=](int minutes) { return Duration::seconds(60LL * minutes) >= length; });
    if (at_least != modal_minutes.end()) {
        return Duration::seconds(60LL * *at_least);
    }
    const Microseconds day = Duration::days(1).count();
    return Duration::microseconds((length.count() + day - 1) / day * day);
}

}  // namespace batfill
