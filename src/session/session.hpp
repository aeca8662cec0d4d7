#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/formats/platform.hpp>

#include "protocol/codec.hpp"
#include "src/choice/batsched_choice.hpp"
#include "src/formats/named_platform.hpp"
#include "src/session/left_out.hpp"

namespace batfill {

// Throws: UsageError for a scheduler that needs information which no daemon gets, and for a written one that makes no
// choice. One that leaves the algorithm open is for Batsim's configuration to complete.
void require_fit_for_daemon(const SchedulerChoice& scheduler);
void require_fit_for_daemon(const WrittenScheduler& scheduler);

// One simulation in the daemon. It reads Batsim's messages, reports the events to the engine, and turns the engine's
// decisions into the reply. It does not use sockets.
class Session {
 public:
    // `command_line` may omit the algorithm if Batsim's scheduler configuration, the text that Batsim 5 begins with,
    // names it. `platform`, if given, is the file that Batsim reads too: Batsim 4 does not send the speed of hosts. The
    // pools and the capacity of `machine` win over what Batsim sends.
    Session(WrittenScheduler command_line, std::unique_ptr<protocol::Codec> codec, const Platform* platform = nullptr,
            MachineDetails machine = {});

    // Follows these rules if the protocol submits jobs in any order (Codec::has_ids_in_any_order()).
    // Requires: the simulation has not begun.
    void decide_as_batsched(const BatschedRules& rules) { as_batsched_ = rules; }

    // Returns the reply to one frame, valid until the next call. The session cannot be used after an error.
    // Throws:
    // - InputError for a malformed frame
    // - InputError for an impossible frame, for example if time goes back, an id comes twice, or the platform is not
    //   the given one
    // - InputError if the scheduler needs what the peer does not follow, or cannot schedule the machine
    // - UsageError if Batsim's configuration names an algorithm or parameter that does not exist
    std::string_view answer(std::string_view frame) { return answer(codec_->decode(frame)); }
    // As above, for a message that codec() has decoded. Moves out of it.
    std::string_view answer(protocol::Message& message);
    protocol::Codec& codec() { return *codec_; }

    // Whether a simulation has begun and not ended. With Batsim 5 it begins with Init.
    bool running() const { return engine_ != nullptr && !ended_; }
    // Whether SIMULATION_ENDS was answered.
    bool ended() const { return ended_; }

    // Jobs that were submitted or registered.
    std::size_t jobs() const { return engine_ ? engine_->state().jobs.size() : 0; }
    std::size_t rejected() const { return rejected_; }
    // Logs the algorithm's counts so far, if it has any.
    void log_statistics() const;

 private:
    std::string_view reply(protocol::Message& message);
    void choose(const std::string& scheduler_configuration);
    void greet(const protocol::Init& init);
    void begin(protocol::SimulationBegins& begins);
    std::vector<Host> hosts_of(protocol::SimulationBegins& begins) const;
    void take_in(protocol::Message::Event& event);
    bool is_late_end(const Event::Data& happened) const;
    std::string_view answer_questions(const protocol::Message& message);
    void require_known(const char* event, JobNumber job) const;
    void check(const protocol::Options& options);
    // Why jobs may be registered, for messages.
    std::string who_registers() const;
    void check(const JobSubmitted& submitted);
    void check(const JobCompleted& completed) const;
    void check(const JobsKilled& killed) const;
    void check(const MachineChanged& change) const;
    void check(const auto&) const {}
    void decide();

    WrittenScheduler command_line_;
    std::unique_ptr<protocol::Codec> codec_;
    const Platform* platform_;
    MachineDetails machine_;
    std::vector<Window> windows_;
    std::vector<Limit> limits_;
    std::unique_ptr<Engine> engine_;
    bool greeted_ = false;  // whether Hello was sent to Batsim
    std::optional<BatschedRules> as_batsched_;
    bool begun_ = false;                  // whether the engine knows the machine
    bool finishes_registration_ = false;  // whether the reply begins with registration_finished
    std::string frame_;
    Time now_;
    LeftOut left_out_;
    bool acknowledges_jobs_ = false;  // whether JOB_SUBMITTED answers REGISTER_JOB
    int last_resource_ = -1;          // the highest number of a resource, storage included
    bool ended_ = false;
    bool noted_booking_ = false;  // whether a job had a booking that is no name
    std::size_t rejected_ = 0;
};

}  // namespace batfill
