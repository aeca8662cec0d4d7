#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/formats/platform.hpp>

#include "protocol/codec.hpp"

namespace batfill {

// Throws: UsageError for an algorithm that needs information which no daemon gets.
void require_fit_for_daemon(const Engine& engine);

// One simulation in the daemon. It reads Batsim's messages, reports the events to the engine, and turns the engine's
// decisions into the reply. It does not use sockets.
class Session {
 public:
    // `command_line` may omit the algorithm if Batsim's scheduler configuration, the text that Batsim 5 begins with,
    // names it. `platform`, if given, is the file that Batsim reads too: Batsim 4 does not send the speed of hosts.
    Session(SchedulerChoice command_line, protocol::Codec& codec, const Platform* platform = nullptr);

    // Returns the reply to one frame, valid until the next call. The session cannot be used after an error.
    // Throws: InputError for a frame that is malformed or impossible at this point: time goes back, an id comes twice,
    // a job ends that is not running, a resource does not exist, or the platform is not the given one.
    // Throws: UsageError if Batsim's configuration names an algorithm or parameter that does not exist.
    std::string_view answer(std::string_view frame);
    // As above, for a message that the codec has decoded.
    std::string_view answer(protocol::Message message);

    // Whether a simulation has begun and not ended. With Batsim 5 it begins with Init.
    bool running() const { return engine_ != nullptr && !ended_; }
    // Whether SIMULATION_ENDS was answered.
    bool ended() const { return ended_; }

    std::size_t jobs() const { return index_of_.size(); }
    std::size_t rejected() const { return rejected_; }
    // The algorithm's counts so far; empty before the simulation has begun.
    std::vector<Statistic> statistics() const;

 private:
    void choose(const std::string& scheduler_configuration);
    void greet(const protocol::Init& init, Time now);
    void check_options(const protocol::Configuration& options, Time now);
    std::vector<Host> hosts_of(const protocol::SimulationBegins& begins) const;
    void begin(const protocol::SimulationBegins& begins, Time now);
    void take_in(protocol::Event& event);
    JobCompleted completion_of(const protocol::JobCompleted& completed) const;
    void notified(protocol::Notify& notify, Time timestamp);
    void submitted(protocol::JobSubmitted& submission, Time timestamp);
    JobIndex known_job(const char* event, const std::string& id) const;  // the job that the event names
    void decide();
    protocol::RegisterJob registration(RegisterJob& decision);
    protocol::ReplyEvent::Data reply_to(Decision& decision);

    SchedulerChoice command_line_;
    protocol::Codec& codec_;
    const Platform* platform_;
    std::unique_ptr<Engine> engine_;
    std::unordered_map<std::string, JobIndex> index_of_;  // for lookups only: its order must decide nothing
    bool greeted_ = false;                                // whether Hello was sent to Batsim
    bool begun_ = false;                                  // whether the engine knows the machine
    std::size_t calls_ = 0;                               // calls requested from Batsim
    std::unordered_set<std::string> to_be_acknowledged_;  // registered jobs; for lookups only
    protocol::Reply reply_;
    std::string frame_;
    Time now_;
    bool acknowledges_jobs_ = false;  // whether JOB_SUBMITTED answers REGISTER_JOB
    int last_resource_ = -1;          // the highest number of a resource, storage included
    bool ended_ = false;
    std::size_t rejected_ = 0;
};

}  // namespace batfill
