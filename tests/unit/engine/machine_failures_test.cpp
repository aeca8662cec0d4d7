#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/replay.hpp>

#include "engine_rounds.hpp"
#include "random_stream.hpp"
#include "simulator_fixture.hpp"
#include "src/simulator/simulated_jobs.hpp"

namespace batfill::tests::machine_failures_test {

// What happens when processors are lost: to jobs that run there (on-failure), to jobs that no longer fit
// (when-too-small), and to the guarantees of waiting jobs.

namespace {

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
        take_in(JobSubmitted{static_cast<JobIndex>(engine_.state().jobs.size()), job});
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
    const Job& job(const std::string& name) const { return engine_.state().job(number_of(name)); }
    const Engine& engine() const { return engine_; }

    JobIndex number_of(const std::string& name) const {
        for (JobIndex i = static_cast<JobIndex>(engine_.state().jobs.size()); i-- > 0;) {
            if (this->name(i) == name) {
                return i;
            }
        }
        FAIL("there is no job " << name);
        return 0;
    }

 private:
    template <class Data>
    void take_in(Data data) {
        engine_.take_in({engine_.state().now, std::move(data)});
    }
    const std::string& name(JobIndex job) const { return engine_.state().job(job).description().id; }
    std::string text_of(const StartJob& start) const {
        return "start " + name(start.job) + " " + start.allocation.to_string();
    }
    std::string text_of(const RejectJob& reject) const { return "reject " + name(reject.job); }
    std::string text_of(const KillJobs& kill) const {
        std::string text = "kill";
        for (const JobIndex job : kill.jobs) {
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

const Parameters::Given requeue{{"on-failure", "requeue"}};
const Parameters::Given kill_them{{"on-failure", "kill"}};
const Parameters::Given reject_them{{"when-too-small", "reject"}};

}  // namespace

TEST_CASE("By default the jobs of lost processors go on, and nothing is counted", "[failures]") {
    FailingMachine machine(4, "fcfs", {});
    machine.at(0);
    machine.submit("a", 4, 100);
    CHECK(machine.round() == "start a 0-3");
    machine.at(10);
    machine.lost("1");
    CHECK(machine.round() == "");
    CHECK(machine.statistics() == "");
    CHECK_FALSE(machine.engine().registers_jobs());
}

TEST_CASE("A job on a lost processor is killed, and holds what it has until its end is told", "[failures]") {
    FailingMachine machine(4, "fcfs", kill_them);
    machine.at(0);
    machine.submit("a", 2, 100);
    machine.submit("b", 1, 100);
    machine.submit("c", 2, 100);
    CHECK(machine.round() == "start a 0-1; start b 2");
    machine.at(10);
    machine.lost("1");
    CHECK(machine.round() == "kill a");
    machine.at(10);
    machine.submit("d", 1, 100);
    CHECK(machine.round() == "");
    machine.at(11);
    machine.ends("a", JobState::completed_killed);
    machine.killed("a");
    CHECK(machine.round() == "start c 0 3");
    CHECK(machine.statistics() == "jobs_killed 1, jobs_requeued 0, lost_processor_seconds 22");
    machine.no_more_jobs();
    CHECK(machine.round() == "");
}

TEST_CASE("A killed job is submitted again under the next number, with all that it asks for", "[failures]") {
    FailingMachine machine(4, "fcfs", requeue);
    machine.at(0);
    machine.submit("w0!a", 2, 100);
    machine.submit("w0!b", 3, 100);
    CHECK(machine.round() == "start w0!a 0-1");
    machine.at(10);
    machine.lost("0");
    CHECK(machine.round() == "kill w0!a");
    machine.at(10);
    machine.ends("w0!a", JobState::completed_killed);
    machine.submit("w0!c", 1, 100);  // precedes the job that is submitted again
    CHECK(machine.round() == "register w0!a#1; start w0!b 1-3");
    JobDescription expected = machine.job("w0!a").description();
    expected.id = "w0!a#1";
    expected.submit = Time::seconds(10);
    CHECK(machine.job("w0!a#1").description() == expected);
    machine.at(20);
    machine.back("0");
    CHECK(machine.round() == "start w0!c 0");
    machine.at(30);
    machine.ends("w0!b");
    machine.no_more_jobs();
    CHECK(machine.round() == "start w0!a#1 1-2");
    machine.at(40);
    machine.lost("0-2");
    CHECK(machine.round() == "kill w0!c w0!a#1");
    machine.at(40);
    machine.ends("w0!c", JobState::completed_killed);
    machine.ends("w0!a#1", JobState::completed_killed);
    CHECK(machine.round() == "register w0!c#1; register w0!a#2; start w0!c#1 3");
    machine.at(50);
    machine.back("0-1");
    machine.ends("w0!c#1");
    CHECK(machine.round() == "start w0!a#2 0-1");
    machine.at(60);
    machine.ends("w0!a#2");
    CHECK(machine.round() == "finished");
    CHECK(machine.statistics() == "jobs_killed 3, jobs_requeued 3, lost_processor_seconds 60");
    machine.at(61);
    CHECK(machine.round() == "");
}

TEST_CASE("A job that ends by itself while it is being killed is not submitted again", "[failures]") {
    FailingMachine machine(2, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 1, 100);
    CHECK(machine.round() == "start a 0");
    machine.at(10);
    machine.lost("0");
    CHECK(machine.round() == "kill a");
    machine.at(10);
    machine.ends("a");
    machine.killed("a");
    machine.no_more_jobs();
    CHECK(machine.round() == "finished");
    CHECK(machine.statistics() == "jobs_killed 0, jobs_requeued 0, lost_processor_seconds 0");
}

TEST_CASE("A job that ends in the message of the loss is not killed", "[failures]") {
    FailingMachine machine(2, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 1, 100);
    machine.submit("b", 1, 100);
    CHECK(machine.round() == "start a 0; start b 1");
    machine.at(10);
    machine.lost("0");
    machine.ends("a");
    CHECK(machine.round() == "");
    machine.at(20);
    machine.ends("b");
    machine.lost("1");
    CHECK(machine.round() == "");
}

TEST_CASE("A job is killed once, however often it loses processors", "[failures]") {
    FailingMachine machine(4, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 4, 100);
    CHECK(machine.round() == "start a 0-3");
    machine.at(10);
    machine.lost("0");
    machine.lost("2");
    CHECK(machine.round() == "kill a");
    machine.at(11);
    machine.lost("3");
    CHECK(machine.round() == "");
    machine.at(12);
    machine.killed("a");  // not every Batsim also reports the completion
    CHECK(machine.round() == "register a#1");
    machine.at(13);
    machine.back("0 2-3");
    CHECK(machine.round() == "start a#1 0-3");
    machine.at(14);
    machine.back("1");  // it was available
    machine.lost("1");  // it is lost
    machine.lost("1");  // reported twice
    machine.submit("b", 1, 10);
    CHECK(machine.round() == "kill a#1");
}

TEST_CASE("Processors that are lost and back in one message have been lost to who held them, not to who starts",
          "[failures]") {
    FailingMachine machine(4, "fcfs", requeue);
    machine.at(0);
    machine.submit("a", 2, 100);
    CHECK(machine.round() == "start a 0-1");
    machine.at(10);
    machine.lost("1-3");
    machine.back("1-3");
    machine.submit("b", 2, 100);
    CHECK(machine.round() == "start b 2-3; kill a");
    machine.at(10);
    machine.ends("a", JobState::completed_killed);
    CHECK(machine.round() == "register a#1; start a#1 0-1");
}

TEST_CASE("A job whose processors go at the instant of its start runs for no time", "[failures]") {
    FailingMachine machine(2, "easy", requeue);
    machine.at(5);
    machine.submit("a", 2, 100);
    CHECK(machine.round() == "start a 0-1");
    machine.at(5);
    machine.lost("1");
    CHECK(machine.round() == "kill a");
    machine.at(5);
    machine.ends("a", JobState::completed_killed);
    CHECK(machine.round() == "register a#1");
    CHECK(machine.statistics() == "jobs_killed 1, jobs_requeued 1, lost_processor_seconds 0");
}

TEST_CASE("A job that is stopped at its assumed walltime is not submitted again", "[failures]") {
    FailingMachine machine(2, "fcfs", {{"on-failure", "requeue"}, {"default-walltime", "50"}});
    machine.at(0);
    machine.submit("a", 1, std::nullopt);
    machine.submit("b", 1, std::nullopt);
    CHECK(machine.round() == "start a 0; start b 1");
    machine.at(40);
    machine.lost("1");
    CHECK(machine.round() == "kill b");
    machine.at(40);
    machine.ends("b", JobState::completed_killed);
    CHECK(machine.round() == "register b#1");
    machine.at(50);
    machine.lost("0");
    CHECK(machine.round() == "kill a");
    machine.at(50);
    machine.ends("a", JobState::completed_killed);
    machine.back("1");
    CHECK(machine.round() == "start b#1 1");
    CHECK(machine.job("b#1").walltime_assumed);
}

TEST_CASE("The plan counts the processors of a job that is being killed once", "[failures]") {
    FailingMachine machine(4, "conservative", requeue);
    machine.at(0);
    machine.submit("a", 3, 100);
    machine.submit("b", 2, 50);
    machine.submit("c", 1, 60);
    CHECK(machine.round() == "start a 0-2; start c 3");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(100)}});
    machine.at(10);
    machine.lost("0");
    CHECK(machine.round() == "kill a");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(100)}});
    machine.at(10);
    machine.submit("d", 2, 10);
    CHECK(machine.round() == "");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(100)}, {3, Time::seconds(150)}});
    machine.at(11);
    machine.ends("a", JobState::completed_killed);
    CHECK(machine.round() == "register a#1; start b 1-2");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{3, Time::seconds(61)}, {4, Time::seconds(71)}});
    CHECK(machine.engine().guaranteed_at_submission(4) == Time::seconds(71));
    CHECK(machine.broken() == "");
}

TEST_CASE("Jobs that do not fit what is left are rejected when it is lost, or when they come", "[failures]") {
    const std::string algorithm = GENERATE("fcfs", "easy", "conservative", "pc", "dc", "dbf");
    CAPTURE(algorithm);
    FailingMachine machine(4, algorithm, reject_them);
    machine.at(0);
    machine.submit("a", 4, 100);
    machine.submit("b", 4, 100);
    machine.submit("c", 3, 100);
    CHECK(machine.round() == "start a 0-3");
    machine.at(10);
    machine.lost("1");
    machine.submit("d", 4, 100);
    machine.submit("e", 2, 100);
    CHECK(machine.round() == "reject b; reject d");
    CHECK(machine.job("b").state == JobState::rejected);
    machine.at(20);
    machine.back("1");
    machine.submit("f", 4, 100);
    CHECK(machine.round() == "");
    machine.at(30);
    machine.lost("0");
    machine.back("0");
    CHECK(machine.round() == "");
    machine.at(100);
    machine.ends("a");
    const std::string started = machine.round();
    CHECK_THAT(started, Catch::StartsWith("start "));
    CHECK(machine.engine().state().waiting.size() == 2);
}

TEST_CASE("Jobs that do not fit what is left wait by default", "[failures]") {
    FailingMachine machine(2, "conservative", {});
    machine.at(0);
    machine.lost("0");
    machine.submit("a", 2, 10);
    CHECK(machine.round() == "");
    machine.at(5);
    machine.back("0");
    CHECK(machine.round() == "start a 0-1");
}

TEST_CASE("A loss that delays a guaranteed start breaks the guarantee, and the new one counts from then on",
          "[failures][guarantees]") {
    FailingMachine machine(4, "conservative", {});
    machine.at(0);
    machine.submit("a", 2, 10);
    machine.submit("b", 4, 10);
    machine.submit("c", 2, 10);
    machine.submit("d", 2, 30);
    CHECK(machine.round() == "start a 0-1; start c 2-3");
    CHECK(machine.broken() == "");
    machine.at(5);
    machine.lost("3");  // held by c until its end
    CHECK(machine.round() == "");
    CHECK(machine.broken() == "b 5: 10 -> none");  // d moves from 20 to 10
    machine.at(6);
    machine.lost("0-1");
    CHECK(machine.round() == "");
    CHECK(machine.broken() == "b 5: 10 -> none; d 6: 20 -> none");
    machine.at(7);
    machine.back("0-1 3");
    CHECK(machine.round() == "");
    CHECK(plan_of(machine.engine()) == std::map<JobIndex, Time>{{1, Time::seconds(10)}, {3, Time::seconds(20)}});
    machine.at(8);
    machine.lost("0");
    CHECK(machine.round() == "");
    // They no longer have a guarantee that could break.
    CHECK(machine.broken() == "b 5: 10 -> none; d 6: 20 -> none");
    CHECK(machine.engine().guaranteed_at_submission(1) == Time::seconds(10));
    CHECK(machine.job("b").guaranteed_start.is_infinite());
}

TEST_CASE("A guarantee may be broken several times, each time from the last one", "[failures][guarantees]") {
    FailingMachine machine(4, "conservative", {});
    machine.at(0);
    machine.submit("a", 4, 10);
    machine.submit("b", 2, 10);
    machine.submit("c", 2, 10);
    CHECK(machine.round() == "start a 0-3");
    machine.at(1);
    machine.lost("0");
    CHECK(machine.round() == "");
    CHECK(machine.broken() == "c 1: 10 -> 20");
    machine.at(2);
    machine.back("0");
    CHECK(machine.round() == "");
    machine.at(3);
    machine.lost("0");  // by now c is promised 20
    CHECK(machine.round() == "");
    CHECK(machine.broken() == "c 1: 10 -> 20");
    machine.at(4);
    machine.lost("1-2");
    CHECK(machine.round() == "");
    CHECK(machine.broken() == "c 1: 10 -> 20; b 4: 10 -> none; c 4: 20 -> none");
    CHECK(machine.engine().guaranteed_at_submission(2) == Time::seconds(10));
}

TEST_CASE("A job that is rejected because of a loss has had its guarantee broken", "[failures][guarantees]") {
    FailingMachine machine(2, "conservative", reject_them);
    machine.at(0);
    machine.submit("a", 2, 10);
    machine.submit("b", 2, 10);
    CHECK(machine.round() == "start a 0-1");
    machine.at(10);  // when it is due to end
    machine.lost("0");
    machine.ends("a");
    CHECK(machine.round() == "reject b");
    CHECK(machine.broken() == "b 10: 10 -> none");
}

TEST_CASE("A guarantee that an outlived estimate has broken is not said to be broken by a loss",
          "[failures][guarantees]") {
    FailingMachine machine(2, "conservative", {});
    machine.at(0);
    machine.submit("a", 2, 10);
    machine.submit("b", 2, 10);
    CHECK(machine.round() == "start a 0-1");
    machine.at(12);
    machine.lost("0");
    CHECK(machine.round() == "");
    CHECK(machine.broken() == "");
}

namespace {

// ---- The same in a minimal form: whole seconds, and every round computes everything from scratch.

struct PlainJob {
    std::string id;
    int submit, processors, walltime, delay;
    int start = -1, end = -1, arrival = -1;
    bool killed = false, rejected = false;
    std::set<int> on = {};
};
struct PlainEvent {
    int time;
    bool available;
    int processor;
};

class PlainMachine {
 public:
    PlainMachine(int processors, std::vector<PlainJob> jobs, std::vector<PlainEvent> events)
        : jobs_(std::move(jobs)), events_(std::move(events)) {
        for (int i = 0; i < processors; ++i) {
            available_.insert(i);
        }
    }
    std::vector<PlainJob> run(bool easy, const std::string& on_failure, bool rejects) {
        std::set<int> instants;
        for (const PlainJob& job : jobs_) {
            instants.insert(job.submit);
        }
        for (const PlainEvent& event : events_) {
            instants.insert(event.time);
        }
        const std::size_t submitted_by_users = jobs_.size();
        for (; !instants.empty(); instants.erase(instants.begin())) {
            now_ = *instants.begin();
            std::erase_if(running_, [&](std::size_t i) { return jobs_[i].end == now_; });
            std::set<int> lost;
            for (const bool available : {true, false}) {
                for (const PlainEvent& event : events_) {
                    if (event.time == now_ && event.available == available) {
                        available ? (void)available_.insert(event.processor) : (void)available_.erase(event.processor);
                        available ? (void)0 : (void)lost.insert(event.processor);
                    }
                }
            }
            for (std::size_t i = 0; i < submitted_by_users; ++i) {
                if (jobs_[i].submit == now_) {
                    arrive(i);
                }
            }
            std::map<int, std::size_t> dying;  // by arrival
            for (const std::size_t i : running_) {
                if (on_failure != "continue" && common(jobs_[i].on, lost) > 0) {
                    dying[jobs_[i].arrival] = i;
                }
            }
            round(easy, rejects);
            for (const auto& [arrival, i] : dying) {
                jobs_[i].end = now_;
                jobs_[i].killed = true;
                std::erase(running_, i);
                if (on_failure == "requeue") {
                    PlainJob again = jobs_[i];
                    const std::size_t mark = again.id.find('#');
                    const int number = mark == std::string::npos ? 1 : std::stoi(again.id.substr(mark + 1)) + 1;
                    again = {again.id.substr(0, mark) + "#" + std::to_string(number), now_, again.processors,
                             again.walltime, again.delay};
                    jobs_.push_back(again);
                    arrive(jobs_.size() - 1);
                }
            }
            round(easy, rejects);
            for (const std::size_t i : running_) {
                instants.insert(jobs_[i].end);
            }
        }
        return jobs_;
    }

 private:
    void arrive(std::size_t i) {
        jobs_[i].arrival = arrivals_++;
        waiting_.push_back(i);
    }
    static int common(const std::set<int>& a, const std::set<int>& b) {
        return static_cast<int>(std::count_if(a.begin(), a.end(), [&](int i) { return b.contains(i); }));
    }
    std::set<int> idle() const {
        std::set<int> idle = available_;
        for (const std::size_t i : running_) {
            for (const int processor : jobs_[i].on) {
                idle.erase(processor);
            }
        }
        return idle;
    }
    // The number of processors idle at `time`, by the estimates.
    int idle_at(int time) const {
        int count = static_cast<int>(idle().size());
        for (const std::size_t i : running_) {
            count += jobs_[i].start + jobs_[i].walltime <= time ? common(jobs_[i].on, available_) : 0;
        }
        return count;
    }
    bool start(std::size_t i) {
        PlainJob& job = jobs_[i];
        for (const int processor : idle()) {
            if (static_cast<int>(job.on.size()) < job.processors) {
                job.on.insert(processor);
            }
        }
        if (static_cast<int>(job.on.size()) < job.processors) {
            job.on.clear();
            return false;
        }
        job.start = now_;
        job.end = now_ + std::min(job.delay, job.walltime);
        running_.push_back(i);
        std::erase(waiting_, i);
        return true;
    }
    void round(bool easy, bool rejects) {
        std::erase_if(waiting_, [&](std::size_t i) {
            jobs_[i].rejected = rejects && jobs_[i].processors > static_cast<int>(available_.size());
            return jobs_[i].rejected;
        });
        while (!waiting_.empty() && start(waiting_.front())) {
        }
        if (!easy || waiting_.empty()) {
            return;
        }
        const int head = jobs_[waiting_.front()].processors;
        int shadow = INT32_MAX;
        for (const std::size_t i : running_) {
            const int end = jobs_[i].start + jobs_[i].walltime;
            shadow = idle_at(end) >= head ? std::min(shadow, end) : shadow;
        }
        int extra = idle_at(shadow) - head;
        for (const std::size_t i : std::vector<std::size_t>(waiting_.begin() + 1, waiting_.end())) {
            const bool in_time = now_ + jobs_[i].walltime <= shadow;
            if ((in_time || jobs_[i].processors <= extra) && start(i) && !in_time) {
                extra -= jobs_[i].processors;
            }
        }
    }

    std::vector<PlainJob> jobs_;
    std::vector<PlainEvent> events_;
    std::set<int> available_;
    std::vector<std::size_t> waiting_;
    std::vector<std::size_t> running_;
    int now_ = 0;
    int arrivals_ = 0;
};

std::string text_of(const PlainJob& job) {
    if (job.rejected) {
        return job.id + " submitted " + std::to_string(job.submit) + " rejected";
    }
    std::string processors;
    for (const int processor : job.on) {
        processors += " " + std::to_string(processor);
    }
    return job.id + " submitted " + std::to_string(job.submit) + " runs " + std::to_string(job.start) + " to " +
           std::to_string(job.end) + (job.killed ? " killed" : "") + " on" + processors;
}

std::string text_of(const SimulatedJob& simulated) {
    const JobDescription& description = simulated.job->description;
    PlainJob job{description.id.substr(3), 0, 0, 0, 0};
    const auto seconds = [](Time time) { return static_cast<int>(time.since_zero().count() / 1'000'000); };
    job.submit = seconds(description.submit);
    job.start = seconds(simulated.start);
    job.end = seconds(simulated.end);
    job.killed = simulated.state == JobState::completed_killed;
    job.rejected = simulated.state == JobState::rejected;
    for (const ResourceSet::Interval& interval : simulated.allocation.intervals()) {
        for (int i = interval.first; i <= interval.last; ++i) {
            job.on.insert(i);
        }
    }
    return text_of(job);
}

}  // namespace

TEST_CASE("fcfs and easy under failures are, job by job, what their definitions say", "[failures][property]") {
    for (unsigned seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const int processors = random.between(2, 8);
        std::vector<PlainJob> jobs;
        int submit = 0;
        for (int i = random.between(5, 25); i > 0; --i) {
            submit += random.one_in(2) ? 0 : random.below(8);
            const int walltime = random.between(1, 15);
            jobs.push_back({std::to_string(200 - i), submit, random.between(1, processors), walltime,
                            random.one_in(2) ? walltime : random.between(1, 20)});
        }
        std::vector<PlainEvent> events;
        for (int processor = 0; processor < processors; ++processor) {
            int time = 0;
            for (int i = random.below(5); i > 0; --i) {
                for (const bool available : {false, true}) {
                    time += random.between(1, 12);
                    events.push_back({time, available, processor});
                }
            }
        }
        std::string job_text;
        for (const PlainJob& one : jobs) {
            job_text += (job_text.empty() ? "" : ",") + job(one.id, std::to_string(one.submit), one.processors,
                                                            std::to_string(one.walltime), std::to_string(one.delay));
        }
        std::string event_text;
        for (const PlainEvent& event : events) {
            event_text += std::string(R"({"type":"machine_)") + (event.available ? "" : "un") +
                          R"(available","timestamp":)" + std::to_string(event.time) + R"(,"resources":")" +
                          std::to_string(event.processor) + "\"}\n";
        }
        const Replay replay(scenario_of(machine(processors), {workload_of(job_text)}, event_text));
        for (const std::string algorithm : {"fcfs", "easy"}) {
            for (const std::string on_failure : {"continue", "requeue", "kill"}) {
                for (const bool rejects : {false, true}) {
                    CAPTURE(seed, algorithm, on_failure, rejects);
                    const Outcome outcome = replay.run(
                        {algorithm, {{"on-failure", on_failure}, {"when-too-small", rejects ? "reject" : "wait"}}});
                    const std::vector<SimulatedJob>& simulated = outcome.simulation().jobs();
                    const std::vector<PlainJob> plain =
                        PlainMachine(processors, jobs, events).run(algorithm == "easy", on_failure, rejects);
                    REQUIRE(simulated.size() == plain.size());
                    for (std::size_t i = 0; i < plain.size(); ++i) {
                        REQUIRE(text_of(simulated[i]) == text_of(plain[i]));
                    }
                }
            }
        }
    }
}

}  // namespace batfill::tests::machine_failures_test
