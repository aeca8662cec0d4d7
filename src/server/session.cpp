#include "session.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include <batfill/error.hpp>

#include "src/core/json.hpp"

namespace batfill {

Session::Session(SchedulerChoice command_line, protocol::Codec& codec)
    : command_line_(std::move(command_line)), codec_(codec) {}

std::string_view Session::answer(std::string_view frame) {
    protocol::Message message = codec_.decode_message(frame);
    if (message.now < now_) {
        throw InputError("time goes back: a message of " + message.now.to_string() + " follows one of " +
                         now_.to_string());
    }
    now_ = message.now;
    reply_.now = now_;
    reply_.events.clear();
    if (engine_ != nullptr) {
        engine_->arrive(now_);
    }
    for (protocol::Event& event : message.events) {
        take_in(event);
    }
    if (engine_ != nullptr && !ended_) {
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
    if (engine_ == nullptr) {
        throw InputError("the first event is not SIMULATION_BEGINS");
    }
    if (ended_) {
        throw InputError("an event follows SIMULATION_ENDS");
    }
    if (auto* submitted = std::get_if<protocol::JobSubmitted>(&event.data)) {
        std::string id = submitted->job.id;
        const auto next = static_cast<JobIndex>(index_of_.size());
        if (!index_of_.emplace(std::move(id), next).second) {
            throw InputError("job " + quoted(submitted->job.id) + " is submitted twice");
        }
        engine_->submitted(std::move(submitted->job));
    } else if (const auto* completed_job = std::get_if<protocol::JobCompleted>(&event.data)) {
        completed(completed_job->job_id);
    } else if (const auto* killed_jobs = std::get_if<protocol::JobKilled>(&event.data)) {
        killed(*killed_jobs);
    } else if (const auto* notify = std::get_if<protocol::Notify>(&event.data)) {
        notified(*notify);
    } else if (std::holds_alternative<protocol::SimulationEnds>(event.data)) {
        ended_ = true;
    }
    // A requested call needs nothing but the round that follows it. All other events (changes of power state, queries,
    // answers, messages of jobs, events of unknown type) are for schedulers of other kinds.
}

std::vector<Statistic> Session::statistics() const {
    return engine_ ? engine_->statistics() : std::vector<Statistic>();
}

void Session::begin(const protocol::SimulationBegins& begins, Time now) {
    if (engine_ != nullptr) {
        throw InputError("SIMULATION_BEGINS comes twice");
    }
    if (begins.config.redis_enabled) {
        throw InputError("SIMULATION_BEGINS: jobs are kept in Redis, expected a Batsim without --enable-redis");
    }
    const int processors = static_cast<int>(begins.compute_resources.size());
    std::vector<Host> hosts(begins.compute_resources.size());
    for (const protocol::Resource& resource : begins.compute_resources) {
        if (resource.id >= processors) {
            throw InputError("SIMULATION_BEGINS: compute resource " + std::to_string(resource.id) + " of " +
                             std::to_string(processors) + ", expected numbers from 0");
        }
        // Batsim 4 does not say how fast a host is.
        hosts[static_cast<std::size_t>(resource.id)] = {
            resource.name,
            0,
            {resource.properties.begin(), resource.properties.end()},
            {resource.zone_properties.begin(), resource.zone_properties.end()}};
    }
    last_resource_ = processors - 1;
    for (const protocol::Resource& resource : begins.storage_resources) {
        last_resource_ = std::max(last_resource_, resource.id);
    }
    const SchedulerChoice choice = combine(command_line_, parse_scheduler_configuration(begins.config.sched_config));
    engine_ = std::make_unique<Engine>(choice.algorithm, choice.parameters);
    engine_->begin(now, Machine(hosts));
    spdlog::info("simulation begins: {} processors, algorithm {}", processors, choice.algorithm);
}

void Session::completed(const std::string& id) {
    const auto found = index_of_.find(id);
    if (found == index_of_.end()) {
        throw InputError("JOB_COMPLETED of the unknown job " + quoted(id));
    }
    if (engine_->state().job(found->second).state != Job::State::running) {
        throw InputError("JOB_COMPLETED of job " + quoted(id) + ", which is not running");
    }
    engine_->completed(found->second);
}

void Session::killed(const protocol::JobKilled& killed) {
    for (const std::string& id : killed.job_ids) {
        const auto found = index_of_.find(id);
        if (found == index_of_.end()) {
            throw InputError("JOB_KILLED of the unknown job " + quoted(id));
        }
        // Batsim 4 tells of the end of a killed job before, with JOB_COMPLETED; its documentation says otherwise.
        if (engine_->state().job(found->second).state == Job::State::running) {
            engine_->completed(found->second);
        }
    }
}

void Session::notified(const protocol::Notify& notify) {
    if (!notify.resources) {
        return;
    }
    if (!notify.resources->empty() && notify.resources->last() > last_resource_) {
        throw InputError("NOTIFY " + notify.type + ": resource " + std::to_string(notify.resources->last()) +
                         ", expected at most " + std::to_string(last_resource_));
    }
    const bool available = notify.type == "event_machine_available";
    spdlog::debug("at {}: processors {} become {}", now_.to_string(), notify.resources->to_string(),
                  available ? "available" : "unavailable");
    engine_->machine_changed(*notify.resources, available);
}

void Session::decide() {
    for (const Decision& decision : engine_->decide()) {
        const auto id = [&] { return engine_->state().job(decision.job).description.id; };
        protocol::ReplyEvent& event = reply_.events.emplace_back();
        event.timestamp = now_;
        switch (decision.kind) {
            case Decision::Kind::start:
                event.data = protocol::ExecuteJob{id(), engine_->state().job(decision.job).allocation, {}};
                break;
            case Decision::Kind::reject:
                ++rejected_;
                spdlog::info("at {}: job {} rejected: it {}", now_.to_string(), id(), decision.reason);
                event.data = protocol::RejectJob{id()};
                break;
            case Decision::Kind::kill:
                event.data = protocol::KillJob{{id()}};
                break;
            case Decision::Kind::call:
                event.data = protocol::CallMeLater{decision.call};
                break;
        }
    }
}

std::string refusal(const std::string& problem) {
    std::string frame = R"({"now":0.0,"events":[{"timestamp":0.0,"type":"SCHEDULER_ERROR","data":{"message":)";
    append_json_string(problem, frame);
    return frame + "}}]}";
}

}  // namespace batfill
