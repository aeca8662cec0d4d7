#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/core/shared_text.hpp>
#include <batfill/engine/events.hpp>

// What Batsim and a scheduler tell each other, independent of its form on the wire (see codec.hpp). Events and
// decisions are the engine's; the rest is here: how a simulation begins and ends. docs/protocol.md explains each event.
namespace batfill::protocol {

// The text of one JSON value without white space between tokens. This program passes it on without interpreting it.
using Json = std::string;

// The numbers of jobs whose ids frames have named, in the order in which they did so first.
class JobIds {
 public:
    // Returns the number of the job. A new id gets the next number.
    // Cost: O(length of the id).
    JobNumber number_of(std::string_view id);
    // None: no frame has named this id.
    std::optional<JobNumber> find(std::string_view id) const;
    const std::string& id(JobNumber job) const { return *ids_[static_cast<std::size_t>(job)]; }
    std::size_t size() const { return ids_.size(); }
    // Forgets all ids but the first `size`.
    void shrink(std::size_t size);

 private:
    std::unordered_map<std::string, JobNumber, TextHash, std::equal_to<>> numbers_;  // its order decides nothing
    std::vector<const std::string*> ids_;
};

// The first message of Batsim 5, before the simulation begins: the user's text for the scheduler. The scheduler answers
// with Hello.
struct Init {
    std::string text;
};

// The answer to Init. It names the scheduler and the features that it requests from Batsim, which are command-line
// options of Batsim 4.
struct Hello {
    std::string name;
    std::string version;
    bool dynamic_registration = false;
    bool profile_reuse = false;
};

// The options of the simulation that concern a scheduler. The initial values are Batsim's own defaults.
struct Options {
    bool redis_enabled = false;
    bool dynamic_jobs_enabled = false;
    bool dynamic_jobs_acknowledged = false;
    bool profile_reuse_enabled = false;
    bool compute_sharing_enabled = false;   // jobs may share hosts
    bool unknown_events_forwarded = false;  // only a simulator knows
    std::string scheduler_configuration;    // the user's text for the scheduler (--sched-cfg)
};

struct SimulationBegins {
    Options options;
    // By number; numbers are distinct and not negative. A speed that Batsim does not send is 0. Batsim 4 sends none.
    std::vector<std::pair<int, Host>> hosts;
    int last_resource = -1;  // the highest number of a resource, storage included
};

struct SimulationEnds {};

// When would such a job start, if it were submitted now? It is not, and nothing changes.
struct Question {
    JobDescription job;
};

struct Answer {
    std::string job;            // its id
    std::optional<Time> start;  // none: never
};

// What a scheduler says before it stops (see Codec::encode_refusal()): its message or, if there is none, all of its
// data.
struct Refusal {
    std::string problem;
};

// An event that is for others, or of an unknown type.
struct Ignored {};

// What Batsim sends, or the scheduler's reply to it: exactly one for each message, even if it decides nothing.
struct Message {
    // One event. `timestamp` is never after `now`, and Batsim's events are in the order of time.
    struct Event {
        using Data = std::variant<batfill::Event::Data, SimulationBegins, SimulationEnds, Init, Question, Decision,
                                  Refusal, Ignored>;
        Time timestamp;
        Data data;
    };
    Time now;
    std::vector<Event> events;
};

}  // namespace batfill::protocol
