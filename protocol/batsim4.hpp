#pragma once

#include <string_view>

#include "protocol/json_frames.hpp"

// The part of the protocol that a simulator in Batsim 4's place needs.
namespace batfill::protocol {

inline constexpr EventFieldNames batsim4_field_names{"type", "data"};

// Reads replies. Events that the simulator cannot follow are Ignored.
class ReplyReader {
 public:
    ReplyReader();
    // As FrameReader::read(). The jobs of the decisions have the numbers of ids().
    Reply& read(std::string_view frame) { return reader_.read(frame, ids_); }
    // The jobs that replies have named so far, behind those that the caller has entered.
    JobIds& ids() { return ids_; }

 private:
    FrameReader<Reply> reader_;
    JobIds ids_;
};

}  // namespace batfill::protocol
