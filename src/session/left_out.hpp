#pragma once

#include <array>
#include <span>

#include <batfill/core/time.hpp>
#include <batfill/core/window.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/events.hpp>

#include "protocol/codec.hpp"

namespace batfill {

// Throws: InputError if what was chosen needs decisions that the peer of this protocol does not follow: kills for
// windows that kill, and so on. Only some decisions are known beforehand; LeftOut says of the others.
void require_followed(const protocol::Codec& codec, const Engine& engine, std::span<const Window> windows);

// Logs a warning for the first decision of each kind that the peer of a protocol does not follow.
class LeftOut {
 public:
    // `now` is the time of the reply with the decision.
    void look_at(const Decision& decision, Time now, const protocol::Codec& codec);

 private:
    std::array<bool, protocol::decision_kinds> is_said_{};
};

}  // namespace batfill
