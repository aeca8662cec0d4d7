#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests {

// What a round of a SmallMachine shows.
enum class Shown {
    schedule,   // the starts and, under a plan algorithm, the plan: "start a b; c 10; d 20 tentative"
    decisions,  // all decisions, with the processors: "kill a; register a#1; start b 0-1; reject c; finished"
    guarantees  // each job with the start that it was guaranteed at its submission: "a 0; b none"
};

// An engine with a small machine, for schedules worked by hand in a little language. A script has one line for each
// round: the time, the events and, behind a bar, what the round must show.
//
//     0: a 2x100, b 4x50 due 170  | start a; b 100 tentative   // a comment
//     10: lost 0-1, ends a        |
//
// Times are seconds. The events are
//
//     a 2x100      job a is submitted, for 2 processors and 100 s; `a 2` has no walltime. Behind it may stand its
//                  deadline (`due 170`), its user (`of ann`), its licences (`with l with m`), when it was
//                  submitted if not now (`since 5`), what it takes of pools (`takes power:3`) and of each host
//                  (`each cores:4 each gpus:1`), its partition (`in debug`), its reservation (`for course`), what it
//                  waits for (`after ok:b`), its begin (`begin 60`), and its array with its limit (`array x limit 2`)
//     ends a       a ends by itself
//     dies a       a ends because it was killed
//     killed a     Batsim confirms that it has killed a
//     lost 0-1     the processors become unavailable
//     back 0-1     the processors become available again
//     no more jobs
class SmallMachine {
 public:
    SmallMachine(int processors, const std::string& algorithm, const Parameters::Given& given = {},
                 Shown shown = Shown::schedule)
        : SmallMachine(Machine(processors), algorithm, given, shown) {}
    SmallMachine(Machine machine, const std::string& algorithm, const Parameters::Given& given = {},
                 Shown shown = Shown::schedule)
        : engine_(algorithm, given), shown_(shown) {
        engine_.follow_dependencies([this](const std::string& id) {
            const auto found = std::find(names_.begin(), names_.end(), id);
            return found == names_.end() ? std::nullopt
                                         : std::optional(JobNumber{static_cast<JobIndex>(found - names_.begin())});
        });
        engine_.begin(Time(), std::move(machine));
    }
    virtual ~SmallMachine() = default;

    // Plays the lines of a script. Checks what each round shows, in lines with a bar. Returns what the last round
    // shows.
    std::string play(const std::string& script) {
        std::istringstream lines(script);
        std::optional<std::string> last;
        for (std::string line; std::getline(lines, line);) {
            line = trimmed(line.substr(0, line.find("//")));
            if (!line.empty()) {
                INFO(line);
                const std::size_t bar = line.find('|');
                last = round(line.substr(0, bar));
                if (bar != std::string::npos) {
                    CHECK(*last == trimmed(line.substr(bar + 1)));
                }
            }
        }
        REQUIRE(last.has_value());
        return *last;
    }

    // Records from now on why these jobs wait.
    void explain(const std::vector<std::string>& jobs) { engine_.explain(jobs); }
    const Engine& engine() const { return engine_; }
    const Job& job(const std::string& name) const { return engine_.state().job(index_of(name)); }
    // Of a job that is not over.
    const std::string& name(JobIndex job) const { return engine_.state().job(job).description().id; }
    JobNumber number_of(const std::string& name) const { return JobNumber{index_of(name)}; }
    std::string statistics() const { return batfill::text_of(engine_.statistics()); }
    // In seconds.
    std::string estimate(const std::string& name) const {
        return engine_.state().estimate(index_of(name)).to_shortest_string();
    }
    // The planned starts of the waiting jobs: "c 10; d 20 tentative".
    std::string plan() const {
        std::string text;
        for (const auto& [job, start] : plan_in(engine_) == nullptr ? std::map<JobIndex, Time>() : plan_of(engine_)) {
            append(text, name(job) + " " + brief_or_none(start) + (is_tentative(engine_, job) ? " tentative" : ""));
        }
        return text;
    }
    // The broken guarantees and when they broke: "a 10: 20 -> 30; b 10: 25 -> none".
    std::string broken() const {
        std::string text;
        for (const GuaranteeBreak& one : engine_.broken_guarantees()) {
            append(text, name(one.job) + " " + brief(one.at) + ": " + brief(one.guaranteed_start) + " -> " +
                             brief_or_none(one.new_start));
        }
        return text;
    }

 protected:
    // Called after each round with its submissions and with the jobs that ended by themselves.
    virtual void after_round(const Message&) {}

 private:
    static std::string trimmed(const std::string& text) {
        const std::size_t begin = text.find_first_not_of(' ');
        return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
    }
    static void append(std::string& text, const std::string& part) {
        text += (text.empty() || part.empty() ? "" : "; ") + part;
    }
    static Time time_in(const std::string& seconds) {
        INFO(seconds);
        return Time::at(Duration::parse(seconds).value());
    }
    static std::string brief_or_none(Time time) { return time.is_infinite() ? "none" : brief(time); }

    JobIndex index_of(const std::string& name) const {
        const auto found = std::find(names_.begin(), names_.end(), name);
        INFO("job " << name);
        REQUIRE(found != names_.end());
        return static_cast<JobIndex>(found - names_.begin());
    }

    // "10: ends a, b 2x100"
    std::string round(const std::string& line) {
        const std::size_t colon = line.find(':');
        message_ = {time_in(line.substr(0, colon)), {}, {}, {}};
        engine_.arrive(message_.now);
        std::istringstream events(line.substr(colon + 1));
        for (std::string event; std::getline(events, event, ',');) {
            take_in(trimmed(event));
        }
        const std::vector<Decision> decisions = engine_.decide();
        const std::string all = text_of(decisions);
        after_round(message_);
        switch (shown_) {
            case Shown::schedule:
                return schedule(decisions);
            case Shown::decisions:
                return all;
            default:
                return guarantees();
        }
    }
    void take_in(const std::string& event) {
        const std::size_t space = event.find(' ');
        const std::string verb = event.substr(0, space);
        const std::string object = space == std::string::npos ? "" : trimmed(event.substr(space));
        if (event.empty()) {
            return;
        } else if (verb == "ends") {
            message_.ended.push_back(index_of(object));
            take_in_data(JobCompleted{number_of(object), JobState::completed_successfully});
        } else if (verb == "dies") {
            take_in_data(JobCompleted{number_of(object), JobState::completed_killed});
        } else if (verb == "killed") {
            take_in_data(JobsKilled{{number_of(object)}});
        } else if (verb == "lost" || verb == "back") {
            take_in_data(MachineChanged{ResourceSet::parse(object).value(), verb == "back"});
        } else if (event == "no more jobs") {
            take_in_data(Notification{NotificationType::no_more_static_job_to_submit, {}, {}});
        } else {
            submit(verb, object);
        }
    }
    // "2x100 due 150 of ann with l"
    void submit(const std::string& name, const std::string& request) {
        JobDescription job;
        job.id = name;
        job.submit = message_.now;
        job.queue = "q";
        job.profile = "p";
        StatedNeeds needs;
        std::istringstream words(request);
        std::string word;
        words >> word;
        job.processors = std::stoi(word);
        if (const std::size_t x = word.find('x'); x != std::string::npos) {
            job.walltime = time_in(word.substr(x + 1)).since_zero();
        }
        for (std::string value; words >> word >> value;) {
            INFO(word << " " << value);
            if (word == "due") {
                job.deadline = time_in(value);
            } else if (word == "since") {
                job.submit = time_in(value);
            } else if (word == "of") {
                job.user = value;
            } else if (word == "with") {
                job.licenses.push_back(value);
            } else if (word == "for") {
                needs.booking = value;
            } else if (word == "after") {
                needs.after.push_back(Dependency::parse(value).value());
            } else if (word == "begin") {
                needs.begin = time_in(value);
            } else if (word == "array") {
                needs.array = value;
            } else if (word == "limit") {
                needs.array_limit = std::stoi(value);
            } else {
                add_needs(word, value, needs);
            }
        }
        job.needs = needs == StatedNeeds() ? Shared<StatedNeeds>() : Shared<StatedNeeds>(needs);
        REQUIRE(std::count(names_.begin(), names_.end(), name) == 0);
        message_.submitted.emplace_back(static_cast<JobIndex>(names_.size()), job);
        names_.push_back(name);
        take_in_data(JobSubmitted{number_of(name), job});
    }
    static void add_needs(const std::string& word, const std::string& value, StatedNeeds& needs) {
        REQUIRE((word == "takes" || word == "each" || word == "in"));
        if (word == "in") {
            needs.partition = value;
            return;
        }
        if (word == "each" && !needs.per_host) {
            needs.per_host.emplace();
        }
        StatedNeeds::Amounts& amounts = word == "each" ? *needs.per_host : needs.pools;
        amounts.push_back(parse_amounts(value, word).front());
    }
    template <class Data>
    void take_in_data(Data data) {
        engine_.take_in({message_.now, std::move(data)});
    }

    std::string schedule(const std::vector<Decision>& decisions) const {
        std::string text;
        for (const JobIndex job : starts_of(decisions)) {
            text += (text.empty() ? "start " : " ") + names_.at(job);
        }
        append(text, plan());
        return text;
    }
    std::string guarantees() const {
        std::string text;
        for (JobIndex job = 0; job < names_.size(); ++job) {
            const JobTable& jobs = engine_.state().jobs;
            append(text, names_.at(job) + " " +
                             brief_or_none(jobs.has(job) ? jobs[job].guaranteed_start
                                                         : engine_.guaranteed_at_submission(JobNumber{job})));
        }
        return text;
    }
    std::string text_of(const std::vector<Decision>& decisions) {
        std::string text;
        for (const Decision& decision : decisions) {
            append(text, std::visit([this](const auto& data) { return text_of(data); }, decision));
        }
        return text;
    }
    const std::string& name(JobNumber job) const { return names_.at(tests::index_of(job)); }
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
    std::string text_of(const RegisterJob& registers) {
        const std::string& id = registers.description.id;
        names_.push_back(id);
        CHECK(registers.job == number_of(id));
        CHECK(engine_.knows(registers.job));
        return "register " + id;
    }
    std::string text_of(const Notification& notification) const {
        return notification.type == NotificationType::registration_finished ? "finished" : "?";
    }
    std::string text_of(const CallMeLater&) const { return ""; }
    std::string text_of(const SetJobMetadata&) const { return "?"; }
    std::string text_of(const RegisterProfile&) const { return "?"; }
    std::string text_of(const SetResourceState&) const { return "?"; }

    Engine engine_;
    Shown shown_;
    std::vector<std::string> names_;  // by JobIndex
    Message message_;                 // the completions and submissions of this round
};

// A machine that shows decisions, which include what happens to the jobs of lost processors.
inline SmallMachine failing_machine(int processors, const std::string& algorithm, const Parameters::Given& given = {}) {
    return {processors, algorithm, given, Shown::decisions};
}

// The same, of a machine with pools or windows.
inline SmallMachine failing_machine_of(Machine machine, const std::string& algorithm) {
    return {std::move(machine), algorithm, {}, Shown::decisions};
}

inline const Parameters::Given requeue{{"on-failure", "requeue"}};
inline const Parameters::Given kill_them{{"on-failure", "kill"}};
inline const Parameters::Given reject_them{{"when-too-small", "reject"}};

}  // namespace batfill::tests
