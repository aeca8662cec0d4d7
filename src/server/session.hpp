#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/engine.hpp>
#include <batfill/scheduler_choice.hpp>

#include "protocol/codec.hpp"

namespace batfill {

// One simulation as the daemon lives through it: takes in Batsim's messages, hands what happened to the engine, and
// turns its decisions into the reply. Knows nothing of sockets.
class Session {
 public:
    // `command_line` may leave the algorithm open if Batsim's scheduler configuration is to name it.
    Session(SchedulerChoice command_line, protocol::Codec& codec);

    // The reply to one frame, valid until the next call. Throws InputError for a frame that is malformed or impossible
    // at this point (time goes back, an id comes twice, the end of a job that is not running, a resource that is not
    // there), and UsageError if the algorithm that Batsim's configuration names cannot be had; the session is of no use
    // after either.
    std::string_view answer(std::string_view frame);

    // The last frame was the first of a simulation, or came between that and its end.
    bool running() const { return engine_ != nullptr && !ended_; }
    // SIMULATION_ENDS was answered.
    bool ended() const { return ended_; }

    std::size_t jobs() const { return index_of_.size(); }
    std::size_t rejected() const { return rejected_; }
    // What the algorithm has counted so far; empty before the simulation has begun.
    std::vector<Statistic> statistics() const;

 private:
    void begin(const protocol::SimulationBegins& begins, Time now);
    void take_in(protocol::Event& event);
    void completed(const std::string& id);
    void killed(const protocol::JobKilled& killed);
    void notified(const protocol::Notify& notify);
    void decide();

    SchedulerChoice command_line_;
    protocol::Codec& codec_;
    std::unique_ptr<Engine> engine_;
    std::unordered_map<std::string, JobIndex> index_of_;  // looked up only, never walked
    protocol::Reply reply_;
    std::string frame_;
    Time now_;
    int last_resource_ = -1;  // storage included, of which nothing else is kept
    bool ended_ = false;
    std::size_t rejected_ = 0;
};

// The frame that makes Batsim stop with `problem` in its own output, instead of waiting for ever: an event of a type
// that no Batsim knows.
std::string refusal(const std::string& problem);

}  // namespace batfill
