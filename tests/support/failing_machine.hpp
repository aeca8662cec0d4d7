#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "simulator_fixture.hpp"

namespace batfill::tests {

// An engine that receives events by the names of jobs and returns its decisions: "kill a; register a#1; start b 0-1;
// reject c; finished".
class FailingMachine {
 public:
    FailingMachine(int processors, const std::string& algorithm, const Parameters::Given& given)
        : engine_(algorithm, given) {
        engine_.begin(Time(), Machine(processors));
    }

    void at(int now) { engine_.arrive(Time::seconds(now)); }
    void submit(const std::string& name, int processors, std::optional<int> walltime) {
        JobDescription job;
        job.id = name;
        job.submit = engine_.state().now;
        job.processors = processors;
        job.walltime = walltime ? std::optional(Duration::seconds(*walltime)) : std::nullopt;
        job.deadline = Time::seconds(1000);
        job.queue = "urgent";
        job.user = "u";
        job.profile = "p";
        take_in(JobSubmitted{static_cast<JobNumber>(engine_.state().jobs.size()), job});
    }
    void ends(const std::string& name, JobState state = JobState::completed_successfully) {
        take_in(JobCompleted{number_of(name), state});
    }
    void lost(const std::string& processors) { take_in(MachineChanged{ResourceSet::parse(processors).value(), false}); }
    void back(const std::string& processors) { take_in(MachineChanged{ResourceSet::parse(processors).value(), true}); }
    void killed(const std::string& name) { take_in(JobsKilled{{number_of(name)}}); }
    void no_more_jobs() { take_in(Notification{NotificationType::no_more_static_job_to_submit, {}, {}}); }

    std::string round() {
        std::string text;
        for (const Decision& decision : engine_.decide()) {
            const std::string one = std::visit([this](const auto& data) { return text_of(data); }, decision);
            text += (text.empty() || one.empty() ? "" : "; ") + one;
        }
        return text;
    }
    // The broken guarantees and when they broke: "a 10: 20 -> 30; b 10: 25 -> none".
    std::string broken() const {
        std::string text;
        for (const GuaranteeBreak& one : engine_.broken_guarantees()) {
            text += (text.empty() ? "" : "; ") + name(one.job) + " " + brief(one.at) + ": " +
                    brief(one.guaranteed_start) + " -> " +
                    (one.new_start.is_infinite() ? "none" : brief(one.new_start));
        }
        return text;
    }
    std::string statistics() const { return batfill::text_of(engine_.statistics()); }
    const Job& job(const std::string& name) const {
        return engine_.state().job(static_cast<JobIndex>(number_of(name)));
    }
    const Engine& engine() const { return engine_; }

    JobNumber number_of(const std::string& name) const {
        for (JobIndex i = static_cast<JobIndex>(engine_.state().jobs.size()); i-- > 0;) {
            if (this->name(JobNumber{i}) == name) {
                return JobNumber{i};
            }
        }
        FAIL("there is no job " << name);
        return {};
    }

 private:
    template <class Data>
    void take_in(Data data) {
        engine_.take_in({engine_.state().now, std::move(data)});
    }
    const std::string& name(JobNumber job) const {
        return engine_.state().job(static_cast<JobIndex>(job)).description().id;
    }
    std::string text_of(const StartJob& start) const {
        return "start " + name(start.job) + " " + start.allocation.to_string();
    }
    std::string text_of(const RejectJob& reject) const { return "reject " + name(reject.job); }
    std::string text_of(const KillJobs& kill) const {
        std::string text = "kill";
        for (const JobNumber job : kill.jobs) {
            text += " " + name(job);
        }
        return text;
    }
    std::string text_of(const RegisterJob& registers) const {
        CHECK(registers.job == number_of(registers.description.id));
        return "register " + registers.description.id;
    }
    std::string text_of(const Notification& notification) const {
        return notification.type == NotificationType::registration_finished ? "finished" : "?";
    }
    std::string text_of(const CallMeLater&) const { return ""; }
    std::string text_of(const SetJobMetadata&) const { return "?"; }
    std::string text_of(const RegisterProfile&) const { return "?"; }
    std::string text_of(const SetResourceState&) const { return "?"; }

    Engine engine_;
};

inline const Parameters::Given requeue{{"on-failure", "requeue"}};
inline const Parameters::Given kill_them{{"on-failure", "kill"}};
inline const Parameters::Given reject_them{{"when-too-small", "reject"}};

}  // namespace batfill::tests
