#include "src/remote/messages.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"

namespace batfill {

namespace {

class MessageDetails : public protocol::SimulatorEnd {
 public:
    explicit MessageDetails(const Simulator& simulator) : simulator_(simulator) {}

    const std::vector<Workload>& workloads() const override { return simulator_.scenario().workloads; }
    const WorkloadJob& job(JobNumber number) const override { return *simulator_.job(number).job; }
    int return_code(JobNumber number) const override {
        const SimulatedJob& job = simulator_.job(number);
        if (job.state == JobState::completed_killed) {
            return job.profile->type == JobProfile::Type::delay ? -1 : -2;
        }
        return job.state == JobState::completed_walltime_reached ? -1 : job.profile->return_code;
    }
    const ResourceSet& allocation(JobNumber number) const override { return simulator_.job(number).allocation; }
    // It would have reached 1 if nothing had ended the job before.
    std::optional<double> progress(JobNumber number) const override {
        const SimulatedJob& job = simulator_.job(number);
        if (job.state != JobState::completed_killed) {
            return std::nullopt;
        }
        const double whole = job.profile->type == JobProfile::Type::delay
                                 ? job.profile->delay.to_seconds()
                                 : computing_seconds(simulator_.scenario().platform, *job.profile, job.allocation);
        return whole == 0 ? 1 : (job.end - job.start).to_seconds() / whole;
    }

 private:
    const Simulator& simulator_;
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

void write_beginning(const Simulator& simulator, std::string& frame) {
    const Scenario& scenario = simulator.scenario();
    protocol::SimulationBegins begins;
    begins.options.dynamic_jobs_enabled = scenario.enable_dynamic_jobs;
    begins.options.dynamic_jobs_acknowledged = scenario.acknowledge_dynamic_jobs;
    begins.options.profile_reuse_enabled = scenario.enable_profile_reuse;
    begins.options.compute_sharing_enabled = Resources(scenario.platform.hosts).has_shared_hosts();
    begins.options.unknown_events_forwarded = scenario.forward_unknown_events;
    begins.options.scheduler_configuration = scenario.scheduler_configuration;
    for (const Host& host : scenario.platform.hosts) {
        begins.hosts.emplace_back(static_cast<int>(begins.hosts.size()), host);
    }
    protocol::write_beginning(begins, MessageDetails(simulator), frame);
}

void write_message(const Simulator& simulator, Time now, std::span<const Event> events, std::string& frame) {
    protocol::write_message(now, events, MessageDetails(simulator), frame);
}

void number_jobs(const Simulator& simulator, protocol::JobIds& ids) {
    for (const SimulatedJob& job : simulator.jobs()) {
        ids.number_of(job.job->description.id);
    }
}

std::optional<std::string> take_reply(const Simulator& simulator, protocol::Message& received,
                                      const protocol::JobIds& ids, SchedulerReply& reply) {
    for (const protocol::Message::Event& event : received.events) {
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
            refuse_if<InputError>(decision.job != known, [&] {
                return "the scheduler registers job " + in_quotes(decision.description.id) + ", which is there already";
            });
            known = static_cast<JobNumber>(static_cast<std::size_t>(known) + 1);
        } else if constexpr (requires { decision.job; }) {
            require_known(decision.job);
        } else if constexpr (requires { decision.jobs; }) {
            std::ranges::for_each(decision.jobs, require_known);
        }
    };
    for (protocol::Message::Event& event : received.events) {
        auto* const decision = std::get_if<Decision>(&event.data);
        if (decision == nullptr) {
            throw InputError("the scheduler sends an event that the embedded simulator cannot follow, expected " +
                             protocol::known_decisions());
        }
        std::visit(check, *decision);
        reply.decisions.push_back({event.timestamp, std::move(*decision)});
    }
    return std::nullopt;
}

}  // namespace batfill
