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

// Throws UsageError for an algorithm that needs to know what no daemon is told.
void require_fit_for_daemon(const Engine& engine);

// One simulation in the daemon: it reads Batsim's messages, tells the engine what happened, and turns the engine's
// decisions into the reply. It knows nothing of sockets.
class Session {
 public:
    // `command_line` may leave the algorithm open if Batsim's scheduler configuration is to name it, which is the text
    // that Batsim 5 begins with. `platform`, where given, is the file that Batsim was given too: Batsim 4 does not say
    // how fast hosts are.
    Session(SchedulerChoice command_line, protocol::Codec& codec, const Platform* platform = nullptr);

    // Returns the reply to one frame, valid until the next call. Throws InputError for a frame that is malformed or
    // impossible at this point (time goes back, an id comes twice, the end of a job that is not running, a resource
    // that is not there, another platform than the one given), and UsageError if there is no algorithm or parameter as
    // Batsim's configuration names it. The session cannot be used after either.
    std::string_view answer(std::string_view frame);
    // The same for a message that the codec has decoded.
    std::string_view answer(protocol::Message message);

    // Whether a simulation has begun, with Batsim 5 by its Init, and not ended.
    bool running() const { return engine_ != nullptr && !ended_; }
    // Whether SIMULATION_ENDS was answered.
    bool ended() const { return ended_; }

    std::size_t jobs() const { return index_of_.size(); }
    std::size_t rejected() const { return rejected_; }
    // What the algorithm has counted so far; empty before the simulation has begun.
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
    JobIndex known_job(const char* event, const std::string& id) const;  // of which the event speaks
    void decide();
    protocol::RegisterJob registration(RegisterJob& decision);
    protocol::ReplyEvent::Data reply_to(Decision& decision);

    SchedulerChoice command_line_;
    protocol::Codec& codec_;
    const Platform* platform_;
    std::unique_ptr<Engine> engine_;
    std::unordered_map<std::string, JobIndex> index_of_;  // only for looking up: its order must decide nothing
    bool greeted_ = false;                                // whether Batsim was told what it is to do
    bool begun_ = false;                                  // whether the engine knows the machine
    std::size_t calls_ = 0;                               // asked for
    std::unordered_set<std::string> to_be_acknowledged_;  // jobs that were registered; likewise
    protocol::Reply reply_;
    std::string frame_;
    Time now_;
    bool acknowledges_jobs_ = false;  // whether JOB_SUBMITTED answers REGISTER_JOB
    int last_resource_ = -1;          // the highest number of a resource, storage included
    bool ended_ = false;
    std::size_t rejected_ = 0;
};

}  // namespace batfill
