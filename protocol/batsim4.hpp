#pragma once

#include <string_view>

#include "protocol/json_frames.hpp"

// The part of the protocol that a simulator in Batsim 4's place needs.
namespace batfill::protocol {

inline constexpr EventFieldNames batsim4_field_names{"type", "data"};

// Reads replies. It logs unknown event types and unknown fields once per name and instance. Events that the simulator
// cannot follow are Ignored.
class ReplyReader {
 public:
    // Returns the reply in `frame`, valid until the next call. The caller may move out of it. The jobs in its decisions
    // have the numbers of ids(), which hold for this reply alone.
    // Throws: as Codec::decode().
    Reply& read(std::string_view frame);
    const JobIds& ids() const { return ids_; }

 private:
    ReaderState state_;
    JobIds ids_;
    Reply reply_;
};

}  // namespace batfill::protocol
