#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/message.hpp"

namespace batfill::protocol {

// The codec refuses larger frames before it looks at them. Batsim's own largest frame is SIMULATION_BEGINS, which lists
// all hosts and profiles: about 20 MB for a log of 200,000 jobs on 10,000 hosts.
inline constexpr std::size_t max_frame_size = std::size_t{64} << 20;

// The type of the single event of a refusal. No Batsim knows it.
inline constexpr std::string_view refusal_event = "SCHEDULER_ERROR";

// One version of the protocol: how it writes messages and replies in a frame. A codec reads and writes both directions,
// because this program can be on either side. An instance keeps buffers between calls, so it serves one thread at a
// time.
// Decoding:
// - It logs unknown event types and unknown fields once per name and instance. Unknown event types become UnknownEvent;
//   it omits unknown fields.
// - The events of a message must be in the order of time.
// - The caller checks meaning: whether time goes backwards from one message to the next, whether a job is known,
//   whether an id was used before.
// - Throws: InputError for frames that violate the protocol. The error is one line with the event's index (from 0), its
//   type, the field and what was expected there.
// Encoding:
// - It replaces the content of `frame` and keeps its capacity.
// - It omits events that only another protocol knows.
// - Requires: the Json texts of the message are JSON values of the kind that message.hpp names.
// Decoding an encoded message gives an equal message if its Json texts and JobDescriptions are as decoding leaves them,
// from numbers of at most six decimals.
class Codec {
 public:
    Codec() = default;
    Codec(const Codec&) = delete;
    Codec& operator=(const Codec&) = delete;
    virtual ~Codec() = default;

    // Messages from Batsim to the scheduler.
    // Cost: O(size of the frame).
    virtual Message decode_message(std::string_view frame) = 0;
    virtual void encode_message(const Message& message, std::string& frame) = 0;

    // Replies from the scheduler to Batsim.
    // Cost: O(size of the frame).
    virtual Reply decode_reply(std::string_view frame) = 0;
    virtual void encode_reply(const Reply& reply, std::string& frame) = 0;

    // Encodes a reply that makes Batsim stop with `problem`, any text, in its own output instead of waiting for ever.
    // The reply is an event of type `refusal_event` whose data has the text as `message`. Decoding makes it an
    // UnknownEvent.
    virtual void encode_refusal(const std::string& problem, std::string& frame) = 0;
};

// Registers a protocol under a name. Beside its codec, a protocol needs only one static object of this type in a file
// of protocol/. `opens_simulation` returns whether a frame is the first that a Batsim of this protocol sends.
// Requires: no frame opens a simulation in two protocols.
class ProtocolRegistration {
 public:
    ProtocolRegistration(std::string name, std::function<std::unique_ptr<Codec>()> make,
                         std::function<bool(std::string_view frame)> opens_simulation);
};

// Returns the protocol in which `frame` opens a simulation, if any.
// Cost: O(size of the frame).
std::optional<std::string> protocol_opened_by(std::string_view frame);

// The protocol if the user names none: the JSON of Batsim 4.
inline constexpr const char* default_protocol = "batsim4";

// Returns a codec of the protocol with this name.
// Throws: UsageError, which lists the known names.
std::unique_ptr<Codec> make_codec(const std::string& protocol);

// Returns the names of all registered protocols, for error messages.
std::string known_protocols();

}  // namespace batfill::protocol
