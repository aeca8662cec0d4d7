#include "messages.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>

#include "src/support/csv_text.hpp"
#include "src/support/json.hpp"

namespace batfill {

namespace {

int return_code_of(const SimulatedJob& job) {
    if (job.state == JobState::completed_killed) {
        return job.profile->type == JobProfile::Type::delay ? -1 : -2;
    }
    return job.state == JobState::completed_walltime_reached ? -1 : job.profile->return_code;
}

// The share of its work that a killed job had done. It would have reached 1 if nothing had ended the job before.
double progress_of(const Simulator& simulator, const SimulatedJob& job) {
    const double whole = job.profile->type == JobProfile::Type::delay
                             ? job.profile->delay.to_seconds()
                             : computing_seconds(simulator.scenario().platform, *job.profile, job.allocation);
    return whole == 0 ? 1 : (job.end - job.start).to_seconds() / whole;
}

// Writes messages as Batsim prints them.
class MessageWriter : public protocol::FrameWriter {
 public:
    // Replaces the content of `frame`.
    MessageWriter(Time now, std::string& frame)
        : FrameWriter((frame.clear(), frame), protocol::batsim4_field_names, now.to_string()) {}

    void begin(Time timestamp, std::string_view type) { begin_event(timestamp.to_string(), type); }

    void simulation_begins(const Scenario& scenario) {
        const std::vector<Host>& hosts = scenario.platform.hosts;
        begin(Time(), "SIMULATION_BEGINS");
        integer("nb_resources", hosts.size());
        integer("nb_compute_resources", hosts.size());
        integer("nb_storage_resources", 0);
        boolean("allow_compute_sharing", false);
        boolean("allow_storage_sharing", true);
        open("config", '{');
        boolean("redis-enabled", false);
        text("redis-hostname", "127.0.0.1");
        integer("redis-port", 6379);
        text("redis-prefix", "default");
        boolean("profiles-forwarded-on-submission", false);
        boolean("dynamic-jobs-enabled", scenario.enable_dynamic_jobs);
        boolean("dynamic-jobs-acknowledged", scenario.acknowledge_dynamic_jobs);
        boolean("profile-reuse-enabled", scenario.enable_profile_reuse);
        text("sched-config", scenario.scheduler_configuration);
        boolean("forward-unknown-events", scenario.forward_unknown_events);
        close('}');
        open("compute_resources", '[');
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            separate();
            out() += '{';
            integer("id", i);
            text("name", hosts[i].name);
            text("state", "idle");
            open_pairs("properties", hosts[i].properties);
            if (!hosts[i].properties.contains("role")) {
                text("role", "");
            }
            close('}');
            open_pairs("zone_properties", hosts[i].zone_properties);
            close('}');
            close('}');
        }
        close(']');
        json("storage_resources", "[]");
        open("workloads", '{');
        for (const Workload& workload : scenario.workloads) {
            text(workload.name, workload.path);
        }
        close('}');
        profiles(scenario);
    }

 private:
    template <class Pairs>
    void open_pairs(std::string_view field, const Pairs& pairs) {
        open(field, '{');
        for (const auto& [key, value] : pairs) {
            text(key, value);
        }
    }
    // Writes the profiles of all jobs as Batsim announces them: an object of workloads, each an object of profiles by
    // name.
    void profiles(const Scenario& scenario) {
        open("profiles", '{');
        for (const Workload& workload : scenario.workloads) {
            std::set<std::string> used;
            for (const WorkloadJob& job : workload.jobs) {
                used.insert(job.description.profile);
            }
            open(workload.name, '{');
            for (const std::string& name : used) {
                json(name, workload.profiles.at(name).source);
            }
            close('}');
        }
        close('}');
    }
};

// Writes the events of a simulation, with one function per event.
class EventWriter : public MessageWriter {
 public:
    EventWriter(const Simulator& simulator, Time now, std::string& frame)
        : MessageWriter(now, frame), simulator_(simulator) {}

    void write(const Event& event) {
        timestamp_ = event.timestamp;
        std::visit(*this, event.data);
    }
    void operator()(const JobSubmitted& submitted) {
        begin("JOB_SUBMITTED");
        text("job_id", submitted.description->id);
        json("job", simulator_.job(submitted.job).job->source);
    }
    void operator()(const JobCompleted& completed) {
        const SimulatedJob& job = simulator_.job(completed.job);
        begin("JOB_COMPLETED");
        text("job_id", job.job->description.id);
        text("job_state", to_string(completed.state));
        integer("return_code", return_code_of(job));
        resources("alloc", job.allocation);
    }
    void operator()(const JobsKilled& killed) {
        begin("JOB_KILLED");
        job_ids(killed.jobs,
                [&](JobNumber job) -> const std::string& { return simulator_.job(job).job->description.id; });
        open("job_progress", '{');
        for (const JobNumber number : killed.jobs) {
            const SimulatedJob& job = simulator_.job(number);
            if (job.state != JobState::completed_killed) {
                continue;  // the job had ended before
            }
            open(job.job->description.id, '{');
            text("profile_name", job.job->description.profile);
            json("progress", rounded(progress_of(simulator_, job), 6));
            close('}');
        }
        close('}');
    }
    void operator()(const MachineChanged& change) {
        begin("NOTIFY");
        text("type", to_string(change.available ? NotificationType::event_machine_available
                                                : NotificationType::event_machine_unavailable));
        resources("resources", change.processors);
    }
    void operator()(const ResourceStateChanged& change) {
        begin("RESOURCE_STATE_CHANGED");
        resources("resources", change.processors);
        text("state", std::to_string(change.pstate));
    }
    void operator()(const RequestedCall&) { begin("REQUESTED_CALL"); }
    void operator()(const Notification& notification) {
        begin("NOTIFY");
        text("type",
             notification.type == NotificationType::other ? notification.other_type : to_string(notification.type));
        fields_of(notification.other_fields);
    }

 private:
    void begin(std::string_view type) { MessageWriter::begin(timestamp_, type); }

    const Simulator& simulator_;
    Time timestamp_;
};

// What to add to the error about an unknown job if only the name of the workload is missing.
std::string whole_id_instead(const Simulator& simulator, const std::string& id) {
    for (const Workload& workload : simulator.scenario().workloads) {
        const std::string whole = workload.name + '!' + id;
        if (simulator.find_job(whole)) {
            return ", expected " + in_quotes(whole) + ": the workload, '!' and the job";
        }
    }
    return "";
}

}  // namespace

void write_beginning(const Scenario& scenario, std::string& frame) {
    MessageWriter writer(Time(), frame);
    writer.simulation_begins(scenario);
    writer.end();
}

void write_message(const Simulator& simulator, Time now, std::span<const Event> events, std::string& frame) {
    EventWriter writer(simulator, now, frame);
    for (const Event& event : events) {
        writer.write(event);
    }
    writer.end();
}

void write_end(Time now, std::string& frame) {
    MessageWriter writer(now, frame);
    writer.begin(now, "SIMULATION_ENDS");
    writer.end();
}

void number_jobs(const Simulator& simulator, protocol::JobIds& ids) {
    for (const SimulatedJob& job : simulator.jobs()) {
        ids.number_of(job.job->description.id);
    }
}

std::optional<std::string> take_reply(const Simulator& simulator, protocol::Reply& received,
                                      const protocol::JobIds& ids, SchedulerReply& reply) {
    for (const protocol::ReplyEvent& event : received.events) {
        if (const auto* refusal = std::get_if<protocol::Refusal>(&event.data)) {
            return refusal->problem;
        }
    }
    reply.now = received.now;
    auto known = static_cast<JobNumber>(simulator.jobs().size());  // numbers below this are jobs
    const auto require_known = [&](JobNumber job) {
        if (job >= known) {
            const std::string& id = ids.id(job);
            throw InputError("the scheduler names an unknown job " + in_quotes(id) + whole_id_instead(simulator, id));
        }
    };
    const auto check = [&](const auto& decision) {
        if constexpr (std::is_same_v<decltype(decision), const RegisterJob&>) {
            if (decision.job != known) {
                throw InputError("the scheduler registers job " + in_quotes(decision.description.id) +
                                 ", which is there already");
            }
            known = static_cast<JobNumber>(static_cast<std::size_t>(known) + 1);
        } else if constexpr (requires { decision.job; }) {
            require_known(decision.job);
        } else if constexpr (requires { decision.jobs; }) {
            std::ranges::for_each(decision.jobs, require_known);
        }
    };
    for (protocol::ReplyEvent& event : received.events) {
        auto* const decision = std::get_if<Decision>(&event.data);
        if (decision == nullptr) {
            throw InputError(
                "the scheduler sends an event that the embedded simulator cannot follow, expected EXECUTE_JOB, REJECT_JOB, KILL_JOB, CALL_ME_LATER, REGISTER_PROFILE, REGISTER_JOB, SET_JOB_METADATA or SET_RESOURCE_STATE");
        }
        std::visit(check, *decision);
        reply.decisions.push_back({event.timestamp, std::move(*decision)});
    }
    return std::nullopt;
}

}  // namespace batfill
