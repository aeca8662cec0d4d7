#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/message.hpp"

namespace batfill::protocol {

// The codec refuses larger frames before it looks at them. Batsim's own largest frame is SIMULATION_BEGINS, which lists
// all hosts and profiles: about 20 MB for a log of 200,000 jobs on 10,000 hosts.
inline constexpr std::size_t max_frame_size = std::size_t{64} << 20;

// What the type of the single event of a refusal begins with. No Batsim knows it.
inline constexpr std::string_view refusal_event = "SCHEDULER_ERROR";

// What a peer may have no word for, or ignore. All follow starts; the log has each rejection, whoever follows it.
enum class DecisionKind { kill, call, registered_job, registered_profile, metadata, state };
inline constexpr std::size_t decision_kinds = 6;

// The scheduler's end of one conversation in one version of the protocol: how messages are read from frames, and how
// replies are written. An instance keeps buffers between calls, so it serves one thread at a time.
// Decoding:
// - It logs unknown event types and unknown fields once per name and instance, and ignores them. Fields that no
//   scheduler of this program needs must be JSON, and no more.
// - The events of a message must be in the order of time.
// - Jobs have numbers, in the order in which the conversation first names them (see ids()).
// - The caller checks meaning: whether time goes backwards from one message to the next, whether a job is known,
//   whether an id was used before.
class Codec {
 public:
    virtual ~Codec() = default;

    // Returns the message in `frame`, valid until the next call. The caller may move out of it.
    // Throws: InputError for frames that violate the protocol. The error is one line with the event's index (from 0),
    // its type, the field and what was expected there. No new job has a number then.
    // Cost: O(size of the frame).
    virtual Message& decode(std::string_view frame) = 0;

    // Each replaces the content of `frame` and keeps its capacity.
    // Encodes the reply to the message of time `now`. Omits decisions for which the protocol has no word (follows()).
    virtual void encode(Time now, const std::vector<Decision>& decisions, std::string& frame) = 0;
    // Encodes the reply to a message that only asks, in a protocol that has questions.
    virtual void encode_answers(Time, const std::vector<Answer>&, std::string&) {}
    // Encodes the reply to Init, in a protocol that has it.
    virtual void encode(const Hello&, std::string&) {}
    // Encodes a reply that makes Batsim stop with `problem`, any text, in its own output instead of waiting for ever.
    // The reply is an event of type `refusal_event: PROBLEM` whose data has the text as `message`.
    virtual void encode_refusal(const std::string& problem, std::string& frame) = 0;

    // What users call the other end.
    virtual const char* peer() const = 0;
    // Whether the other end does what a decision of this kind says. Who chooses a scheduler asks before the simulation
    // begins; of what is left out later, the log has a warning.
    virtual bool follows(DecisionKind) const { return true; }

    // Whether each message comes over a connection of its own, so that nobody is connected between two messages and
    // anybody may send the next one.
    virtual bool has_connection_for_each_message() const { return false; }
    // Whether a job that waits may end, and a job that has ended may end again, which changes nothing.
    virtual bool has_ends_at_any_time() const { return false; }

    // Whether jobs of one instant arrive in another order than that of their ids as text, by which batsched sorts them.
    virtual bool has_ids_in_any_order() const { return false; }

    // The jobs of this conversation. A job of a RegisterJob must be among them before it is encoded.
    JobIds& ids() { return ids_; }

 protected:
    JobIds ids_;
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

// That of WRENCH, which only `batfill batsched` serves.
inline constexpr const char* wrench_protocol = "wrench";

// Returns a codec of the protocol with this name.
// Throws: UsageError, which lists the known names.
std::unique_ptr<Codec> make_codec(const std::string& protocol);

// Returns the names of all registered protocols, for error messages.
std::string known_protocols();

}  // namespace batfill::protocol
