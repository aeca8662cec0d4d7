#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/message.hpp"

namespace batfill::protocol {

// Larger frames are refused before they are looked at. Batsim's own largest is SIMULATION_BEGINS, which lists all hosts
// and profiles: some 20 MB for a log of 200,000 jobs on 10,000 hosts.
inline constexpr std::size_t max_frame_size = std::size_t{64} << 20;

// The type of the event that a refusal consists of: no Batsim knows it.
inline constexpr std::string_view refusal_event = "SCHEDULER_ERROR";

// One version of the protocol: how messages and replies are written in a frame. Each direction can be read and written,
// as this program can be on either side. An instance keeps buffers between calls, so it serves one thread at a time.
//
// Decoding throws InputError for frames that are not what the protocol says: one line with the event's place (from 0),
// its type, the field and what was expected there. Unknown event types become UnknownEvent and unknown fields are left
// out; each is logged once per name and instance. The events of a message must be in the order of time. Meaning is left
// to the caller: whether time goes backwards from one message to the next, whether a job is known, whether an id was
// used before.
//
// Encoding replaces the content of `frame` (keeping its capacity) and requires that the Json texts of the message are
// JSON values of the kind that message.hpp names. Decoding what was encoded gives an equal message, provided that its
// Json texts and JobDescriptions are as decoding leaves them, from numbers of at most six decimals. Events that only
// another protocol knows are left out.
class Codec {
 public:
    Codec() = default;
    Codec(const Codec&) = delete;
    Codec& operator=(const Codec&) = delete;
    virtual ~Codec() = default;

    // What Batsim says to the scheduler. O(size of the frame).
    virtual Message decode_message(std::string_view frame) = 0;
    virtual void encode_message(const Message& message, std::string& frame) = 0;

    // What the scheduler says to Batsim. O(size of the frame).
    virtual Reply decode_reply(std::string_view frame) = 0;
    virtual void encode_reply(const Reply& reply, std::string& frame) = 0;

    // A reply that makes Batsim stop with `problem`, any text, in its own output instead of waiting for ever: an event
    // of type `refusal_event` whose data has it as `message`. Decoding makes it an UnknownEvent.
    virtual void encode_refusal(const std::string& problem, std::string& frame) = 0;
};

// Registers a protocol under a name. One static object of this type in a file of protocol/ is all that a protocol needs
// beside its codec. `opens_simulation` tells whether a frame is the first that a Batsim of this protocol sends; no
// frame is that of two protocols.
class ProtocolRegistration {
 public:
    ProtocolRegistration(std::string name, std::function<std::unique_ptr<Codec>()> make,
                         std::function<bool(std::string_view frame)> opens_simulation);
};

// The protocol in which `frame` opens a simulation, if it does in one. O(size of the frame).
std::optional<std::string> protocol_opened_by(std::string_view frame);

// The protocol that is spoken if no other is asked for: the JSON of Batsim 4.
inline constexpr const char* default_protocol = "batsim4";

// A codec of the protocol of this name. Throws UsageError that lists the known names.
std::unique_ptr<Codec> make_codec(const std::string& protocol);

// The names of all registered protocols, for error messages.
std::string known_protocols();

}  // namespace batfill::protocol
