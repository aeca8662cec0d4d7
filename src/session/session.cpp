#include "src/session/session.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "src/core/properties.hpp"
#include "src/session/estimated_start.hpp"
#include "src/support/json.hpp"

namespace batfill {

namespace {

bool is_question(const protocol::Message::Event& event) {
    return std::holds_alternative<protocol::Question>(event.data);
}

}  // namespace

Session::Session(WrittenScheduler command_line, std::unique_ptr<protocol::Codec> codec, const Platform* platform,
                 MachineDetails machine)
    : command_line_(std::move(command_line)),
      codec_(std::move(codec)),
      platform_(platform),
      machine_(std::move(machine)),
      windows_(windows_of(machine_)),
      limits_(limits_of(machine_)) {}

void require_fit_for_daemon(const SchedulerChoice& scheduler) {
    refuse_if(scheduler.needs_run_times(), "algorithm ", scheduler.algorithm(),
              ": with these parameters it needs the run times of jobs, which are known in batfill simulate only");
    refuse_if(
        !scheduler.run_limits().are_none(), "algorithm ", scheduler.algorithm(),
        ": with these parameters it stops jobs itself, which is possible in batfill simulate only: Batsim runs the "
        "jobs here");
}

void require_fit_for_daemon(const WrittenScheduler& scheduler) {
    if (!scheduler.algorithm.empty()) {
        require_fit_for_daemon(choice_of(scheduler));
    }
}

std::string_view Session::answer(protocol::Message& message) {
    try {
        return reply(message);
    } catch (const UsageError& problem) {
        refuse_if<InputError>(engine_ != nullptr, problem.what());  // what was chosen is right elsewhere
        throw;
    }
}

std::string_view Session::reply(protocol::Message& message) {
    refuse_if<InputError>(message.now < now_, [&] {
        return "time goes back: a message of " + message.now.to_string() + " follows one of " + now_.to_string();
    });
    now_ = message.now;
    frame_.clear();
    if (std::ranges::any_of(message.events, is_question)) {
        return answer_questions(message);
    }
    if (begun_) {
        engine_->arrive(now_);
    }
    for (protocol::Message::Event& event : message.events) {
        take_in(event);
    }
    decide();
    return frame_;
}

void Session::take_in(protocol::Message::Event& event) {
    if (auto* const init = std::get_if<protocol::Init>(&event.data)) {
        return greet(*init);
    }
    if (auto* const begins = std::get_if<protocol::SimulationBegins>(&event.data)) {
        return begin(*begins);
    }
    refuse_if<InputError>(!begun_, "the first event is not SIMULATION_BEGINS");
    refuse_if<InputError>(ended_, "an event follows SIMULATION_ENDS");
    ended_ = std::holds_alternative<protocol::SimulationEnds>(event.data);
    if (auto* const happened = std::get_if<Event::Data>(&event.data)) {
        if (is_late_end(*happened)) {
            return;
        }
        std::visit([this](const auto& data) { check(data); }, *happened);
        engine_->take_in({event.timestamp, std::move(*happened)});
    }
}

// Whether a job ends that has ended, or is rejected, where that may come.
bool Session::is_late_end(const Event::Data& happened) const {
    const auto* const completed = std::get_if<JobCompleted>(&happened);
    return completed != nullptr && codec_->has_ends_at_any_time() && engine_->knows(completed->job) &&
           !engine_->is_running(completed->job) && !engine_->is_waiting(completed->job);
}

// The engine does not hear of questions: what they make it do would be different without them.
std::string_view Session::answer_questions(const protocol::Message& message) {
    std::vector<protocol::Answer> answers;
    for (const protocol::Message::Event& event : message.events) {
        refuse_if<InputError>(!is_question(event),
                              "a message with questions has another event, expected only questions");
        refuse_if<InputError>(!begun_, "the first event is not SIMULATION_BEGINS");
        refuse_if<InputError>(ended_, "an event follows SIMULATION_ENDS");
        const JobDescription& job = std::get<protocol::Question>(event.data).job;
        answers.push_back({job.id, start_if_submitted(*engine_, now_, job, codec_->ids())});
    }
    codec_->encode_answers(now_, answers, frame_);
    return frame_;
}

void Session::log_statistics() const {
    const std::vector<Statistic> statistics = engine_ ? engine_->statistics() : std::vector<Statistic>();
    if (!statistics.empty()) {
        spdlog::info("statistics: {}", text_of(statistics));
    }
}

void Session::choose(const std::string& scheduler_configuration) {
    const SchedulerChoice choice = combine(command_line_, parse_scheduler_configuration(scheduler_configuration),
                                           R"(Batsim's scheduler configuration: {"algorithm": "NAME"})");
    require_fit_for_daemon(choice);
    refuse_if(codec_->has_ends_at_any_time() && !choice.description().serves_wrench, "algorithm ", choice.algorithm(),
              ": not for WRENCH");
    engine_ = std::make_unique<Engine>(choice);
    if (requeue_jobs(windows_)) {
        engine_->requeue_for_windows();
    }
    require_followed(*codec_, *engine_, windows_);
}

void Session::greet(const protocol::Init& init) {
    refuse_if<InputError>(engine_ != nullptr, "the first message of a simulation comes twice");
    choose(init.text);
    const bool registers = engine_->registers_jobs();
    codec_->encode(
        {.name = "batfill", .version = version, .dynamic_registration = registers, .profile_reuse = registers}, frame_);
    greeted_ = true;
}

// Checks Batsim's options. In Batsim 4 a scheduler cannot request those that it needs.
void Session::check(const protocol::Options& options) {
    if (!engine_->registers_jobs()) {
        // Batsim would wait for ever for jobs that never come.
        finishes_registration_ = options.dynamic_jobs_enabled;
    } else if (engine_->reuses_profiles() && (!options.dynamic_jobs_enabled || !options.profile_reuse_enabled)) {
        throw InputError(
            "SIMULATION_BEGINS: jobs cannot be registered with the profiles of others, expected a Batsim with --enable-dynamic-jobs and --enable-profile-reuse, as " +
            who_registers() + " needs it");
    } else if (!options.dynamic_jobs_enabled) {
        throw InputError(
            "SIMULATION_BEGINS: jobs cannot be registered, expected a Batsim with --enable-dynamic-jobs, as " +
            who_registers() + " needs it");
    }
}

std::string Session::who_registers() const {
    if (engine_->algorithm().registers_jobs() || engine_->algorithm().reuses_profiles()) {
        return "algorithm " + engine_->choice().algorithm();
    }
    return requeue_jobs(windows_) ? "a window with running=requeue" : "on-failure=requeue";
}

void Session::begin(protocol::SimulationBegins& begins) {
    refuse_if<InputError>(begun_, "SIMULATION_BEGINS comes twice");
    refuse_if<InputError>(begins.options.redis_enabled,
                          "SIMULATION_BEGINS: jobs are kept in Redis, expected a Batsim without --enable-redis");
    std::vector<Host> hosts = hosts_of(begins);
    const bool decides_as_batsched = as_batsched_ && codec_->has_ids_in_any_order();
    if (decides_as_batsched && as_batsched_->reserves_hosts) {
        for (Host& host : hosts) {
            host.properties.emplace("partitions", "all");  // hosts in partitions have names: plans hold particular ones
        }
    }
    last_resource_ = begins.last_resource;
    if (!greeted_) {
        choose(begins.options.scheduler_configuration);
        acknowledges_jobs_ = begins.options.dynamic_jobs_acknowledged;
    }
    engine_->follow_dependencies([&ids = codec_->ids()](const std::string& id) { return ids.find(id); });
    if (decides_as_batsched && as_batsched_->orders_ties_by_id) {
        engine_->order_ties_by_id();
    }
    // A machine that the algorithm refuses needs none of these options.
    engine_->begin(now_, Machine(hosts, windows_, limits_), acknowledges_jobs_);
    if (!greeted_) {
        check(begins.options);
    }
    refuse_if<InputError>(
        !greeted_ && !begins.options.compute_sharing_enabled && engine_->state().machine.resources().has_shared_hosts(),
        "SIMULATION_BEGINS: jobs share hosts with a capacity, expected a Batsim with --enable-compute-sharing");
    begun_ = true;
    const SchedulerState& state = engine_->state();
    if (state.placement == Placement::machine && state.machine.groups().size() > 1 &&
        state.machine.groups().front().speed <= 0) {
        spdlog::warn(
            "no speeds of the machines are known, they are tried in the order of their numbers; expected hosts with a property speed, or the option --platform");
    }
    if (engine_->algorithm().switches_processors() && state.machine.can_sleep().empty()) {
        spdlog::warn("no processor can be put to sleep, expected hosts with a property sleep_pstates");
    }
    spdlog::info("simulation begins: {} processors, algorithm {}", hosts.size(), engine_->choice().algorithm());
}

// Returns them in the order of their numbers.
std::vector<Host> Session::hosts_of(protocol::SimulationBegins& begins) const {
    const std::size_t processors = begins.hosts.size();
    if (platform_ != nullptr && platform_->hosts.size() != processors) {
        throw InputError("SIMULATION_BEGINS: " + std::to_string(processors) + " compute resources, the platform has " +
                         std::to_string(platform_->hosts.size()));
    }
    std::vector<Host> hosts(processors);
    for (auto& [number, said] : begins.hosts) {
        const auto index = static_cast<std::size_t>(number);
        refuse_if<InputError>(index >= processors, "SIMULATION_BEGINS: compute resource ", std::to_string(number),
                              " of ", std::to_string(processors), ", expected numbers from 0");
        Host& host = hosts[index];
        host = std::move(said);
        if (platform_ != nullptr) {
            const Host& known = platform_->hosts[index];
            if (known.name != host.name) {
                throw InputError("SIMULATION_BEGINS: compute resource " + std::to_string(number) + " is " +
                                 in_quotes(host.name) + ", the platform has " + in_quotes(known.name) + " there");
            }
            host.speed = known.speed;
        }
    }
    for (const std::string& text : remove_properties_of_others(hosts)) {
        spdlog::warn("{}", one_line(text));
    }
    add_resources(hosts, machine_);
    return hosts;
}

void Session::require_known(const char* event, JobNumber job) const {
    if (!engine_->knows(job)) {
        throw InputError(std::string(event) + " of the unknown job " + in_quotes(codec_->ids().id(job)));
    }
}

void Session::check(const JobSubmitted& submitted) {
    const Shared<StatedNeeds>& needs = submitted.description->needs;
    if (needs && needs->wrong_booking && !std::exchange(noted_booking_, true)) {
        spdlog::warn("job {} has a field reservation that is no name, and nobody looks at it (said once)",
                     shown(submitted.description->id));
    }
}

void Session::check(const JobCompleted& completed) const {
    require_known("JOB_COMPLETED", completed.job);
    const std::string& id = codec_->ids().id(completed.job);
    const bool may_end =
        engine_->is_running(completed.job) || (codec_->has_ends_at_any_time() && engine_->is_waiting(completed.job));
    refuse_if<InputError>(!may_end, [&] { return "JOB_COMPLETED of job " + in_quotes(id) + ", which is not running"; });
    if (!has_completed(completed.state)) {
        throw InputError("JOB_COMPLETED of job " + in_quotes(id) + " with the state " + to_string(completed.state) +
                         ", expected one such as COMPLETED_SUCCESSFULLY");
    }
}

void Session::check(const JobsKilled& killed) const {
    for (const JobNumber job : killed.jobs) {
        require_known("JOB_KILLED", job);
    }
}

void Session::check(const MachineChanged& change) const {
    if (!change.processors.empty() && change.processors.last() > last_resource_) {
        throw InputError("NOTIFY " +
                         std::string(to_string(change.available ? NotificationType::event_machine_available
                                                                : NotificationType::event_machine_unavailable)) +
                         ": resource " + std::to_string(change.processors.last()) + ", expected at most " +
                         std::to_string(last_resource_));
    }
    spdlog::debug("at {}: processors {} become {}", now_.to_string(), change.processors.to_string(),
                  change.available ? "available" : "unavailable");
}

// Writes the reply into `frame_`, unless it is there already.
void Session::decide() {
    if (!frame_.empty()) {
        return;
    }
    std::vector<Decision> none;
    std::vector<Decision>& decisions = begun_ && !ended_ ? engine_->decide() : none;
    for (const Decision& decision : decisions) {
        left_out_.look_at(decision, now_, *codec_);
        if (const auto* reject = std::get_if<RejectJob>(&decision)) {
            ++rejected_;
            spdlog::info("at {}: job {} rejected: it {}", now_.to_string(), shown(codec_->ids().id(reject->job)),
                         one_line(reject->reason));
        } else if (const auto* registers = std::get_if<RegisterJob>(&decision)) {
            const std::string& id = registers->description.id;
            refuse_if<InputError>(codec_->ids().number_of(id) != registers->job, "job ", in_quotes(id),
                                  " was to be registered, and is there already");
            spdlog::debug("at {}: job {} registered", now_.to_string(), shown(id));
        }
    }
    if (std::exchange(finishes_registration_, false)) {
        decisions.insert(decisions.begin(), Notification{NotificationType::registration_finished, {}, {}});
    }
    codec_->encode(now_, decisions, frame_);
}

}  // namespace batfill
