#include "src/simulator/embedded_scheduler.hpp"

#include <utility>
#include <variant>

#include "src/support/overloaded.hpp"

namespace batfill {

void EmbeddedScheduler::begin(const Simulator& simulator, SchedulerReply& reply) {
    index_of_.resize(simulator.jobs().size());
    number_of_.reserve(simulator.jobs().size());
    engine_.begin(Time(), machine_ != nullptr ? *machine_ : Machine(simulator.scenario().platform.hosts),
                  simulator.scenario().acknowledge_dynamic_jobs);
    reply.now = Time();
    if (simulator.scenario().enable_dynamic_jobs && !engine_.registers_jobs()) {
        reply.decisions.push_back({Time(), Notification{NotificationType::registration_finished, {}, {}}});
    }
    decide(Time(), reply);
}

void EmbeddedScheduler::message(Time now, std::span<Event> events, SchedulerReply& reply) {
    engine_.arrive(now);
    for (Event& event : events) {
        if (acknowledges(event)) {
            engine_.acknowledge(index_of_[std::get<JobSubmitted>(event.data).job]);
            continue;
        }
        number_for_engine(event);
        engine_.take_in(std::move(event));
    }
    decide(now, reply);
}

void EmbeddedScheduler::decide(Time now, SchedulerReply& reply) {
    for (Decision& decision : engine_.decide()) {
        number_for_simulator(decision);
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

// Whether the event reports the submission of a job that the engine itself registered.
bool EmbeddedScheduler::acknowledges(const Event& event) const {
    const auto* submitted = std::get_if<JobSubmitted>(&event.data);
    if (submitted == nullptr) {
        return false;
    }
    const JobIndex index = index_of_[submitted->job];
    return index < number_of_.size() && number_of_[index] == submitted->job;
}

// The engine numbers jobs in the order of their submission.
void EmbeddedScheduler::number_for_engine(Event& event) {
    std::visit(Overloaded{[this](JobSubmitted& submitted) {
                              index_of_[submitted.job] = static_cast<JobIndex>(number_of_.size());
                              number_of_.push_back(submitted.job);
                              submitted.job = index_of_[submitted.job];
                          },
                          [this](JobCompleted& completed) { completed.job = index_of_[completed.job]; },
                          [this](JobsKilled& killed) {
                              for (JobIndex& job : killed.jobs) {
                                  job = index_of_[job];
                              }
                          },
                          [](const auto&) {}},
               event.data);
}

void EmbeddedScheduler::number_for_simulator(Decision& decision) {
    std::visit(
        Overloaded{[this](StartJob& start) { start.job = number_of_[start.job]; },
                   [this](RejectJob& reject) { reject.job = number_of_[reject.job]; },
                   [this](KillJobs& kill) {
                       for (JobIndex& job : kill.jobs) {
                           job = number_of_[job];
                       }
                   },
                   [this](RegisterJob& registers) {
                       assert(registers.job == number_of_.size());
                       const auto number = static_cast<JobNumber>(index_of_.size());
                       index_of_.push_back(std::exchange(registers.job, number));
                       number_of_.push_back(number);
                   },
                   [this](SetJobMetadata& metadata) { metadata.job = number_of_[metadata.job]; }, [](const auto&) {}},
        decision);
}

}  // namespace batfill
