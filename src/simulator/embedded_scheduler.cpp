#include "src/simulator/embedded_scheduler.hpp"

#include <utility>
#include <variant>

namespace batfill {

void EmbeddedScheduler::begin(const Simulator& simulator, SchedulerReply& reply) {
    const Scenario& scenario = simulator.scenario();
    if (scenario.believes_walltimes()) {
        engine_.record_outlived_estimates();
    }
    if (simulator.has_dependencies()) {
        engine_.follow_dependencies([&simulator](const std::string& id) { return simulator.find_job(id); });
    }
    engine_.begin(Time(), machine_ != nullptr ? *machine_ : scenario.platform.machine(),
                  scenario.acknowledge_dynamic_jobs, static_cast<JobNumber>(simulator.jobs().size()));
    reply.now = Time();
    if (scenario.enable_dynamic_jobs && !engine_.registers_jobs()) {
        reply.decisions.push_back({Time(), Notification{NotificationType::registration_finished, {}, {}}});
    }
    decide(Time(), reply);
}

void EmbeddedScheduler::message(Time now, std::span<Event> events, SchedulerReply& reply) {
    engine_.arrive(now);
    for (Event& event : events) {
        engine_.take_in(std::move(event));
    }
    decide(now, reply);
}

void EmbeddedScheduler::decide(Time now, SchedulerReply& reply) {
    for (Decision& decision : engine_.decide()) {
        if (auto* const reject = std::get_if<RejectJob>(&decision)) {
            Rejections& rejections = rejections_[reject->cause];
            if (rejections.jobs++ == 0) {
                rejections.first = reject->job;
                rejections.reason = reject->reason;
            }
        }
        reply.decisions.push_back({now, std::move(decision)});
    }
}

}  // namespace batfill
