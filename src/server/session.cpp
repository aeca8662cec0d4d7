#include "session.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "src/support/json.hpp"
#include "src/support/overloaded.hpp"

namespace batfill {

Session::Session(SchedulerChoice command_line, protocol::Codec& codec, const Platform* platform)
    : command_line_(std::move(command_line)), codec_(codec), platform_(platform) {}

void require_fit_for_daemon(const Engine& engine) {
    if (engine.needs_run_times()) {
        throw UsageError("algorithm " + engine.description().name +
                         ": with these parameters it needs the run times of jobs, which are known in batfill simulate "
                         "only");
    }
}

std::string_view Session::answer(std::string_view frame) {
    return answer(codec_.decode_message(frame));
}

std::string_view Session::answer(protocol::Message message) {
    if (message.now < now_) {
        throw InputError("time goes back: a message of " + message.now.to_string() + " follows one of " +
                         now_.to_string());
    }
    now_ = message.now;
    reply_.now = now_;
    reply_.events.clear();
    if (begun_) {
        engine_->arrive(now_);
    }
    for (protocol::Event& event : message.events) {
        take_in(event);
    }
    if (begun_ && !ended_) {
        decide();
    }
    codec_.encode_reply(reply_, frame_);
    return frame_;
}

void Session::take_in(protocol::Event& event) {
    if (const auto* begins = std::get_if<protocol::SimulationBegins>(&event.data)) {
        begin(*begins, now_);
        return;
    }
    if (const auto* init = std::get_if<protocol::Init>(&event.data)) {
        greet(*init, now_);
        return;
    }
    if (!begun_) {
        throw InputError("the first event is not SIMULATION_BEGINS");
    }
    if (ended_) {
        throw InputError("an event follows SIMULATION_ENDS");
    }
    if (std::holds_alternative<protocol::SimulationEnds>(event.data)) {
        ended_ = true;
    } else if (auto* submitted = std::get_if<protocol::JobSubmitted>(&event.data)) {
        this->submitted(*submitted, event.timestamp);
    } else if (const auto* completed = std::get_if<protocol::JobCompleted>(&event.data)) {
        engine_->take_in({event.timestamp, completion_of(*completed)});
    } else if (const auto* killed = std::get_if<protocol::JobKilled>(&event.data)) {
        JobsKilled jobs;
        for (const std::string& id : killed->job_ids) {
            jobs.jobs.push_back(known_job("JOB_KILLED", id));
        }
        engine_->take_in({event.timestamp, std::move(jobs)});
    } else if (auto* notify = std::get_if<protocol::Notify>(&event.data)) {
        notified(*notify, event.timestamp);
    } else if (auto* switched = std::get_if<protocol::ResourceStateChanged>(&event.data)) {
        engine_->take_in({event.timestamp, ResourceStateChanged{std::move(switched->resources), switched->pstate}});
    } else if (std::holds_alternative<protocol::RequestedCall>(event.data)) {
        engine_->take_in({event.timestamp, RequestedCall{}});
    }
    // All other events (queries, answers, messages of jobs, events of unknown type) are for
    // schedulers of other kinds.
}

std::vector<Statistic> Session::statistics() const {
    return engine_ ? engine_->statistics() : std::vector<Statistic>();
}

void Session::submitted(protocol::JobSubmitted& submission, Time timestamp) {
    const std::string& id = submission.job.id;
    if (to_be_acknowledged_.erase(id) > 0) {
        engine_->acknowledge(index_of_.at(id));  // which has known it since it registered it
        return;
    }
    const auto job = static_cast<JobIndex>(index_of_.size());
    if (!index_of_.emplace(id, job).second) {
        throw InputError("job " + in_quotes(id) + " is submitted twice");
    }
    engine_->take_in({timestamp, JobSubmitted{job, std::move(submission.job)}});
}

void Session::choose(const std::string& scheduler_configuration) {
    const SchedulerChoice choice = combine(command_line_, parse_scheduler_configuration(scheduler_configuration),
                                           R"(Batsim's scheduler configuration: {"algorithm": "NAME"})");
    engine_ = std::make_unique<Engine>(choice.algorithm, choice.parameters);
    require_fit_for_daemon(*engine_);
}

void Session::greet(const protocol::Init& init, Time now) {
    if (engine_ != nullptr) {
        throw InputError("the first message of a simulation comes twice");
    }
    choose(init.text);
    if (engine_->algorithm().registers_jobs()) {
        throw UsageError("algorithm " + engine_->description().name +
                         ": it registers profiles in the words of Batsim 4, expected a Batsim 4");
    }
    if (engine_->algorithm().switches_processors()) {
        throw UsageError("algorithm " + engine_->description().name +
                         ": it puts processors to sleep as Batsim 4 has it, expected a Batsim 4");
    }
    protocol::Hello hello;
    hello.name = "batfill";
    hello.version = version;
    hello.dynamic_registration = engine_->registers_jobs();
    hello.profile_reuse = engine_->registers_jobs();
    reply_.events.push_back({now, std::move(hello)});
    greeted_ = true;
}

// What Batsim was started with, where the scheduler cannot ask for what it needs.
void Session::check_options(const protocol::Configuration& options, Time now) {
    acknowledges_jobs_ = options.dynamic_jobs_acknowledged;
    if (!engine_->registers_jobs()) {
        if (options.dynamic_jobs_enabled) {
            // Batsim would wait for ever for jobs that never come.
            reply_.events.push_back({now, protocol::Notify{NotificationType::registration_finished, {}, {}, {}}});
        }
    } else if (engine_->reuses_profiles() && (!options.dynamic_jobs_enabled || !options.profile_reuse_enabled)) {
        throw InputError(
            "SIMULATION_BEGINS: jobs cannot be registered with the profiles of others, expected a Batsim with "
            "--enable-dynamic-jobs and --enable-profile-reuse, as " +
            (engine_->algorithm().reuses_profiles() ? "algorithm " + engine_->description().name
                                                    : std::string("on-failure=requeue")) +
            " needs it");
    } else if (!options.dynamic_jobs_enabled) {
        throw InputError(
            "SIMULATION_BEGINS: jobs cannot be registered, expected a Batsim with --enable-dynamic-jobs, as "
            "algorithm " +
            engine_->description().name + " needs it");
    }
}

void Session::begin(const protocol::SimulationBegins& begins, Time now) {
    if (begun_) {
        throw InputError("SIMULATION_BEGINS comes twice");
    }
    if (begins.config.redis_enabled) {
        throw InputError("SIMULATION_BEGINS: jobs are kept in Redis, expected a Batsim without --enable-redis");
    }
    const std::vector<Host> hosts = hosts_of(begins);
    const int processors = static_cast<int>(hosts.size());
    last_resource_ = processors - 1;
    for (const protocol::Resource& resource : begins.storage_resources) {
        last_resource_ = std::max(last_resource_, resource.id);
    }
    if (!greeted_) {
        choose(begins.config.sched_config);
        check_options(begins.config, now);
    }
    engine_->begin(now, Machine(hosts), acknowledges_jobs_);
    begun_ = true;
    const SchedulerState& state = engine_->state();
    if (state.placement == Placement::machine && state.machine.groups().size() > 1 &&
        state.machine.groups().front().speed <= 0) {
        spdlog::warn(
            "no speeds of the machines are known, they are tried in the order of their numbers; expected hosts "
            "with a property speed, or the option --platform");
    }
    if (engine_->algorithm().switches_processors() && state.machine.can_sleep().empty()) {
        spdlog::warn("no processor can be put to sleep, expected hosts with a property sleep_pstates");
    }
    spdlog::info("simulation begins: {} processors, algorithm {}", processors, engine_->description().name);
}

// In the order of their numbers.
std::vector<Host> Session::hosts_of(const protocol::SimulationBegins& begins) const {
    const int processors = static_cast<int>(begins.compute_resources.size());
    if (platform_ != nullptr && platform_->hosts.size() != begins.compute_resources.size()) {
        throw InputError("SIMULATION_BEGINS: " + std::to_string(processors) + " compute resources, the platform has " +
                         std::to_string(platform_->hosts.size()));
    }
    std::vector<Host> hosts(begins.compute_resources.size());
    for (const protocol::Resource& resource : begins.compute_resources) {
        if (resource.id >= processors) {
            throw InputError("SIMULATION_BEGINS: compute resource " + std::to_string(resource.id) + " of " +
                             std::to_string(processors) + ", expected numbers from 0");
        }
        Host& host = hosts[static_cast<std::size_t>(resource.id)];
        host = {resource.name,
                resource.speed,
                {resource.properties.begin(), resource.properties.end()},
                {resource.zone_properties.begin(), resource.zone_properties.end()}};
        if (platform_ != nullptr) {
            const Host& known = platform_->hosts[static_cast<std::size_t>(resource.id)];
            if (known.name != host.name) {
                throw InputError("SIMULATION_BEGINS: compute resource " + std::to_string(resource.id) + " is " +
                                 in_quotes(host.name) + ", the platform has " + in_quotes(known.name) + " there");
            }
            host.speed = known.speed;
        }
    }
    return hosts;
}

JobIndex Session::known_job(const char* event, const std::string& id) const {
    const auto found = index_of_.find(id);
    if (found == index_of_.end()) {
        throw InputError(std::string(event) + " of the unknown job " + in_quotes(id));
    }
    return found->second;
}

JobCompleted Session::completion_of(const protocol::JobCompleted& completed) const {
    const JobIndex job = known_job("JOB_COMPLETED", completed.job_id);
    const JobTable& jobs = engine_->state().jobs;
    if (!jobs.has(job) || jobs[job].state != JobState::running) {
        throw InputError("JOB_COMPLETED of job " + in_quotes(completed.job_id) + ", which is not running");
    }
    if (!completed.allocation.empty() && completed.allocation.last() > last_resource_) {
        throw InputError("JOB_COMPLETED of job " + in_quotes(completed.job_id) + ": alloc has resource " +
                         std::to_string(completed.allocation.last()) + ", expected at most " +
                         std::to_string(last_resource_));
    }
    if (!has_completed(completed.state)) {
        throw InputError("JOB_COMPLETED of job " + in_quotes(completed.job_id) + " with the state " +
                         to_string(completed.state) + ", expected one such as COMPLETED_SUCCESSFULLY");
    }
    return {job, completed.state};
}

void Session::notified(protocol::Notify& notify, Time timestamp) {
    if (!notify.resources) {
        engine_->take_in({timestamp, Notification{notify.type, std::move(notify.other_type), std::move(notify.other)}});
        return;
    }
    if (!notify.resources->empty() && notify.resources->last() > last_resource_) {
        throw InputError("NOTIFY " + std::string(to_string(notify.type)) + ": resource " +
                         std::to_string(notify.resources->last()) + ", expected at most " +
                         std::to_string(last_resource_));
    }
    const bool available = notify.type == NotificationType::event_machine_available;
    spdlog::debug("at {}: processors {} become {}", now_.to_string(), notify.resources->to_string(),
                  available ? "available" : "unavailable");
    engine_->take_in({timestamp, MachineChanged{std::move(*notify.resources), available}});
}

void Session::decide() {
    for (Decision& decision : engine_->decide()) {
        reply_.events.push_back({now_, reply_to(decision)});
    }
}

protocol::RegisterJob Session::registration(RegisterJob& decision) {
    const std::string& id = decision.description.id;
    if (!index_of_.emplace(id, decision.job).second) {
        throw InputError("job " + in_quotes(id) + " was to be registered, and is there already");
    }
    if (acknowledges_jobs_) {
        to_be_acknowledged_.insert(id);
    }
    spdlog::debug("at {}: job {} registered", now_.to_string(), shown(id));
    return {std::move(decision.description), {}};
}

protocol::ReplyEvent::Data Session::reply_to(Decision& decision) {
    using Data = protocol::ReplyEvent::Data;
    const auto id = [this](JobIndex job) { return engine_->state().job(job).description().id; };
    return std::visit(Overloaded{[&](StartJob& start) -> Data {
                                     return protocol::ExecuteJob{id(start.job), std::move(start.allocation), {}};
                                 },
                                 [&](const RejectJob& reject) -> Data {
                                     ++rejected_;
                                     spdlog::info("at {}: job {} rejected: it {}", now_.to_string(),
                                                  shown(id(reject.job)), one_line(reject.reason));
                                     return protocol::RejectJob{id(reject.job)};
                                 },
                                 [&](const KillJobs& kill) -> Data {
                                     protocol::KillJob jobs;
                                     for (const JobIndex job : kill.jobs) {
                                         jobs.job_ids.push_back(id(job));
                                     }
                                     return jobs;
                                 },
                                 [&](RegisterProfile& registers) -> Data {
                                     return protocol::RegisterProfile{std::move(registers.workload),
                                                                      std::move(registers.name),
                                                                      std::move(registers.source)};
                                 },
                                 [&](RegisterJob& registers) -> Data { return registration(registers); },
                                 [&](const CallMeLater& call) -> Data {
                                     return protocol::CallMeLater{call.time, std::to_string(++calls_)};
                                 },
                                 [&](SetJobMetadata& metadata) -> Data {
                                     return protocol::SetJobMetadata{id(metadata.job), std::move(metadata.metadata)};
                                 },
                                 [&](SetResourceState& sets) -> Data {
                                     return protocol::SetResourceState{std::move(sets.processors), sets.pstate};
                                 },
                                 [&](Notification& notification) -> Data {
                                     return protocol::Notify{notification.type,
                                                             std::move(notification.other_type),
                                                             {},
                                                             std::move(notification.other_fields)};
                                 }},
                      decision);
}

}  // namespace batfill
