#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine.hpp>

#include "plain_dbf.hpp"
#include "simulator_fixture.hpp"
#include "src/core/files.hpp"
#include "test_data.hpp"

// Deadline-Based Backfilling: what it promises, on random streams of events; the same decisions as a second, plain form
// of it; and small schedules worked by hand.

using namespace batfill;
using namespace batfill::tests;
using Repair = PlainDbf::Repair;

namespace {

constexpr std::array both_repairs{Repair::paper, Repair::strict};

std::string name_of(Repair repair) {
    return repair == Repair::paper ? "paper" : "strict";
}

class Random {
 public:
    explicit Random(unsigned seed) : generator_(seed) {}
    int below(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool one_in(int n) { return below(n) == 0; }

 private:
    std::mt19937 generator_;
};

// What is told to an engine before it decides once.
struct Message {
    Time now;
    std::vector<JobIndex> ended;
    std::vector<PlainDbf::Submission> submitted;
    std::vector<std::pair<ResourceSet, bool>> machine_changes;  // processors, and whether they are available
};

const std::vector<Decision>& send(Engine& engine, const Message& message) {
    engine.arrive(message.now);
    for (const JobIndex job : message.ended) {
        engine.completed(job);
    }
    for (const auto& [index, description] : message.submitted) {
        REQUIRE(engine.submitted(description) == index);
    }
    for (const auto& [processors, available] : message.machine_changes) {
        engine.machine_changed(processors, available);
    }
    return engine.decide();
}

std::vector<JobIndex> starts_of(const std::vector<Decision>& decisions) {
    std::vector<JobIndex> started;
    for (const Decision& decision : decisions) {
        if (decision.kind == Decision::Kind::start) {
            started.push_back(decision.job);
        }
    }
    std::sort(started.begin(), started.end());
    return started;
}

bool is_tentative(const Engine& engine, JobIndex job) {
    const std::vector<JobIndex>& tentative = engine.state().tentative;
    return std::find(tentative.begin(), tentative.end(), job) != tentative.end();
}

// The planned starts of the waiting jobs.
std::map<JobIndex, Time> plan_of(const Engine& engine) {
    std::map<JobIndex, Time> plan;
    for (const JobIndex job : engine.state().waiting.jobs()) {
        plan[job] = engine.state().plan.planned_start(job);
    }
    return plan;
}

// "3@12.500000 7@20.000000"
std::string text_of(const std::map<JobIndex, Time>& plan) {
    std::string text;
    for (const auto& [job, start] : plan) {
        text += (text.empty() ? "" : " ") + std::to_string(job) + "@" + start.to_string();
    }
    return text;
}

void require_same_plans(const std::map<JobIndex, Time>& plan, const std::map<JobIndex, Time>& other) {
    if (plan != other) {
        FAIL("the plans differ: " << text_of(plan) << " and " << text_of(other));
    }
}

// What a random stream is made of.
struct Features {
    int most_jobs = 60;
    int most_processors = 16;
    bool deadlines = true;
    bool one_submission_per_message = false;
    bool machine_changes = false;
};

// A random stream of events, played to an engine.
class Stream {
 public:
    // Called after each round, with the jobs that it started.
    using Observer = std::function<void(const Message&, const std::vector<JobIndex>&)>;

    Stream(unsigned seed, const Features& features)
        : random_(seed),
          features_(features),
          processors_(random_.between(std::min(4, features.most_processors), features.most_processors)),
          unit_(random_.one_in(2) ? Duration::seconds(10) : Duration::microseconds(random_.between(1, 2'000'000))),
          told_late_(random_.one_in(4)),
          regular_share_(random_.between(1, 9)) {
        Time now;
        for (int i = random_.between(std::min(20, features.most_jobs), features.most_jobs); i > 0; --i) {
            now = now + times(random_.one_in(2) ? 0 : random_.below(12));
            calendar_[now].push_back({Event::Kind::submission, 0, {}});
        }
        if (features.machine_changes) {
            for (int i = random_.between(1, 6); i > 0; --i) {
                const int first = random_.below(processors_);
                calendar_[Time::at(times(random_.below(300)))].push_back(
                    {random_.one_in(3) ? Event::Kind::available : Event::Kind::unavailable, 0,
                     ResourceSet::range(first, first + random_.below(4))});
            }
            calendar_[Time::at(times(300))].push_back({Event::Kind::available, 0, ResourceSet::range(0, processors_)});
        }
    }

    int processors() const { return processors_; }

    void play(Engine& engine, const Observer& after_round) {
        engine.begin(Time(), processors_);
        while (!calendar_.empty()) {
            const Message message = next_message();
            const std::vector<Decision>& decisions = send(engine, message);
            for (const Decision& decision : decisions) {
                follow(decision, engine, message.now);
            }
            after_round(message, starts_of(decisions));
        }
        REQUIRE(ended_ == engine.state().jobs.size());
        REQUIRE(engine.state().plan.by_start().empty());
        REQUIRE(engine.state().tentative.empty());
    }

 private:
    struct Event {
        enum class Kind { submission, end, call, available, unavailable };
        Kind kind;
        JobIndex job;
        ResourceSet processors;
    };

    Duration times(int n) const { return unit_ * n; }

    JobDescription random_job(Time now) {
        JobDescription job;
        job.id = "j" + std::to_string(runs_.size());
        job.submit = now - times(told_late_ ? random_.below(5) : 0);
        job.processors = random_.between(1, random_.one_in(4) ? processors_ : (processors_ + 1) / 2);
        const int walltime = random_.between(1, random_.one_in(4) ? 60 : 15);
        job.walltime = times(walltime);
        if (features_.deadlines && random_.below(10) >= regular_share_) {
            switch (random_.below(8)) {
                case 0:  // hopeless
                    job.deadline = now + times(random_.below(walltime));
                    break;
                case 1:  // hopeless if it has to wait
                    job.deadline = now + *job.walltime;
                    break;
                case 2:  // generous
                    job.deadline = now + times(10 * walltime + 100);
                    break;
                default:  // tight, more or less
                    job.deadline = now + times(walltime + random_.below(random_.one_in(2) ? 30 : 100));
            }
        }
        switch (random_.below(4)) {
            case 0:
                runs_.push_back(*job.walltime);
                break;
            case 1:
                runs_.push_back(times(random_.between(1, walltime)));
                break;
            case 2:
                runs_.push_back(times(walltime / random_.between(2, 100)));  // often 0
                break;
            default:  // at no instant where anything else happens
                runs_.push_back(times(random_.below(walltime)) + Duration::microseconds(1));
        }
        return job;
    }

    // The next events, in any order; one instant may take several messages.
    Message next_message() {
        std::vector<Event> events = std::move(calendar_.begin()->second);
        Message message;
        message.now = calendar_.begin()->first;
        calendar_.erase(calendar_.begin());
        for (std::size_t i = events.size(); i > 1; --i) {
            std::swap(events[i - 1], events[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
        }
        std::size_t taken = 0;
        while (taken < events.size() && (taken == 0 || !random_.one_in(8))) {
            take_in(events[taken++], message);
            if (features_.one_submission_per_message && !message.submitted.empty()) {
                break;
            }
        }
        if (taken < events.size()) {
            calendar_[message.now] = {events.begin() + static_cast<std::ptrdiff_t>(taken), events.end()};
        }
        return message;
    }

    void take_in(const Event& event, Message& message) {
        switch (event.kind) {
            case Event::Kind::submission: {
                const auto index = static_cast<JobIndex>(runs_.size());
                message.submitted.emplace_back(index, random_job(message.now));
                break;
            }
            case Event::Kind::end:
                message.ended.push_back(event.job);
                in_use_.remove(event.processors);
                ++ended_;
                break;
            case Event::Kind::call:
                break;
            case Event::Kind::available:
                message.machine_changes.emplace_back(event.processors, true);
                unavailable_.remove(event.processors);
                break;
            case Event::Kind::unavailable:
                message.machine_changes.emplace_back(event.processors, false);
                unavailable_.insert(event.processors);
                break;
        }
    }

    void follow(const Decision& decision, const Engine& engine, Time now) {
        if (decision.kind == Decision::Kind::call) {
            calendar_[decision.call].push_back({Event::Kind::call, 0, {}});
            return;
        }
        REQUIRE(decision.kind == Decision::Kind::start);
        const Job& job = engine.state().job(decision.job);
        REQUIRE(job.allocation.size() == job.processors());
        REQUIRE(ResourceSet::range(0, processors_ - 1).contains_all(job.allocation));
        REQUIRE_FALSE(job.allocation.intersects(in_use_));
        REQUIRE_FALSE(job.allocation.intersects(unavailable_));
        in_use_.insert(job.allocation);
        calendar_[now + runs_[decision.job]].push_back({Event::Kind::end, decision.job, job.allocation});
    }

    Random random_;
    Features features_;
    int processors_;
    Duration unit_;
    bool told_late_;     // jobs may arrive after their submission time, and in another order
    int regular_share_;  // in tenths
    std::vector<Duration> runs_;
    std::map<Time, std::vector<Event>> calendar_;
    ResourceSet in_use_;
    ResourceSet unavailable_;
    std::size_t ended_ = 0;
};

// Plays random streams to dbf, and compares all that can be seen of it with the plain form.
void compare_with_plain_form(unsigned streams, const Features& features, Repair repair, PlainDbf::Counts& counts) {
    for (unsigned seed = 0; seed < streams; ++seed) {
        INFO("repair=" << name_of(repair) << ", stream " << seed);
        Stream stream(seed, features);
        Engine engine("dbf", {{"repair", name_of(repair)}});
        PlainDbf plain(stream.processors(), repair, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            REQUIRE(plain.round(message.now, message.ended, message.submitted) == started);
            require_same_plans(plan_of(engine), plain.planned_starts());
            REQUIRE(engine.state().tentative == plain.tentative());
            for (const JobIndex index : started) {
                if (repair == Repair::strict && plain.met_at_submission().count(index) != 0) {
                    const Job& job = engine.state().job(index);
                    REQUIRE(message.now + job.walltime <= *job.description.deadline);
                }
            }
        });
    }
}

// The jobs of one stream whose deadline a plan has kept, and of those the ones for which a later plan, or the start,
// did not keep it.
struct Deadlines {
    std::map<JobIndex, Time> kept;
    std::map<JobIndex, Time> lost;
};

Deadlines follow_deadlines(unsigned seed, const Features& features, Repair repair) {
    Deadlines deadlines;
    Stream stream(seed, features);
    Engine engine("dbf", {{"repair", name_of(repair)}});
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        std::map<JobIndex, Time> starts = plan_of(engine);
        for (const JobIndex job : started) {
            starts[job] = message.now;
        }
        for (const auto& [index, start] : starts) {
            const Job& job = engine.state().job(index);
            if (job.description.deadline) {
                const bool kept = start + job.walltime <= *job.description.deadline;
                if (kept) {
                    deadlines.kept.emplace(index, message.now);
                } else if (deadlines.kept.count(index) != 0) {
                    deadlines.lost.emplace(index, message.now);
                }
            }
        }
    });
    return deadlines;
}

// The plain form as the scheduler of a simulation.
class PlainScheduler : public SimulatedScheduler {
 public:
    explicit PlainScheduler(Repair repair) : repair_(repair) {}

    void begin(const Simulator& simulator, SchedulerReply&) override {
        simulator_ = &simulator;
        processors_ = static_cast<int>(simulator.scenario().platform.hosts.size());
        idle_ = ResourceSet::range(0, processors_ - 1);
        plain_ = std::make_unique<PlainDbf>(processors_, repair_, counts_);
    }
    void message(Time now, std::span<const SimulatedEvent> events, SchedulerReply& reply) override {
        reply.now = now;
        std::vector<JobIndex> ended;
        std::vector<PlainDbf::Submission> submitted;
        for (const SimulatedEvent& event : events) {
            if (event.kind == SimulatedEvent::Kind::completed) {
                ended.push_back(index_of_.at(event.job));
                idle_.insert(allocations_.at(event.job));
            } else if (event.kind == SimulatedEvent::Kind::submitted) {
                const JobDescription& description = simulator_->jobs()[event.job].job->description;
                if (!description.walltime || description.processors > processors_) {
                    reply.actions.push_back(later(now.to_string(), reject(event.job)));
                    continue;
                }
                index_of_[event.job] = static_cast<JobIndex>(numbers_.size());
                submitted.emplace_back(index_of_[event.job], description);
                numbers_.push_back(event.job);
            }
        }
        for (const JobIndex job : plain_->round(now, ended, submitted)) {
            const JobNumber number = numbers_[job];
            allocations_[number] = idle_.take_lowest(simulator_->jobs()[number].job->description.processors);
            reply.actions.push_back(later(now.to_string(), start(number, allocations_[number].to_string())));
        }
        for (const auto& [job, planned] : plain_->planned_starts()) {
            if (planned > now && calls_.insert(planned).second) {
                reply.actions.push_back(later(now.to_string(), call(planned.to_string())));
            }
        }
    }
    void end(Time) override {}

 private:
    Repair repair_;
    const Simulator* simulator_ = nullptr;
    int processors_ = 0;
    ResourceSet idle_;
    PlainDbf::Counts counts_;
    std::unique_ptr<PlainDbf> plain_;
    std::vector<JobNumber> numbers_;          // by JobIndex
    std::map<JobNumber, JobIndex> index_of_;  // and back
    std::map<JobNumber, ResourceSet> allocations_;
    std::set<Time> calls_;
};

// A small machine on which each step is worked by hand. Times are whole seconds.
class Table {
 public:
    explicit Table(int processors, Repair repair = Repair::paper) : engine_("dbf", {{"repair", name_of(repair)}}) {
        engine_.begin(Time(), processors);
    }

    void at(int now) { message_ = {Time::seconds(now), {}, {}, {}}; }
    void ends(const std::string& name) { message_.ended.push_back(index_of(name)); }
    void submit(const std::string& name, int processors, int walltime, std::optional<int> deadline = std::nullopt) {
        JobDescription job;
        job.id = name;
        job.submit = message_.now;
        job.processors = processors;
        job.walltime = Duration::seconds(walltime);
        if (deadline) {
            job.deadline = Time::seconds(*deadline);
        }
        names_.push_back(name);
        message_.submitted.emplace_back(static_cast<JobIndex>(names_.size() - 1), job);
    }
    // What the round makes of it: "start a b; c 10; d 20 tentative", waiting jobs in submission order.
    std::string round() {
        std::string text = "start";
        for (const JobIndex job : starts_of(send(engine_, message_))) {
            text += " " + names_[job];
        }
        for (const auto& [job, start] : plan_of(engine_)) {
            text += "; " + names_[job] + " " + brief(start) + (is_tentative(engine_, job) ? " tentative" : "");
        }
        return text;
    }

 private:
    JobIndex index_of(const std::string& name) const {
        return static_cast<JobIndex>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    }

    Engine engine_;
    std::vector<std::string> names_;  // by JobIndex
    Message message_;
};

}  // namespace

TEST_CASE("dbf: the start of a job with a definitive allocation never moves later", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        int moved_earlier = 0;
        int tentative_moved_later = 0;
        int made_definitive = 0;
        for (unsigned seed = 0; seed < 400; ++seed) {
            INFO("repair=" << name_of(repair) << ", stream " << seed);
            Stream stream(seed, {});
            Engine engine("dbf", {{"repair", name_of(repair)}});
            std::map<JobIndex, Time> definitive;
            std::map<JobIndex, Time> tentative;
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                for (const JobIndex job : started) {
                    if (definitive.count(job) != 0) {
                        REQUIRE(message.now <= definitive[job]);
                    }
                }
                for (const auto& [job, start] : plan_of(engine)) {
                    if (is_tentative(engine, job)) {
                        REQUIRE(definitive.count(job) == 0);
                        tentative_moved_later += start > tentative.emplace(job, start).first->second ? 1 : 0;
                        tentative[job] = start;
                    } else {
                        const auto [before, is_new] = definitive.emplace(job, start);
                        REQUIRE(start <= before->second);
                        moved_earlier += start < before->second ? 1 : 0;
                        made_definitive += is_new && tentative.count(job) != 0 ? 1 : 0;
                        before->second = start;
                    }
                }
            });
        }
        CHECK(moved_earlier > 1000);
        CHECK(tentative_moved_later > 1000);
        CHECK(made_definitive > 200);
    }
}

TEST_CASE("dbf: with repair=strict a deadline that the allocation at submission met is never missed",
          "[dbf][property]") {
    // With one submission in a message, the first plan that holds a job is its allocation at submission.
    std::size_t kept = 0;
    std::size_t lost_with_paper = 0;
    for (const bool one_submission_per_message : {true, false}) {
        for (unsigned seed = 0; seed < 400; ++seed) {
            INFO("stream " << seed);
            const Features features{.one_submission_per_message = one_submission_per_message};
            const Deadlines strict = follow_deadlines(seed, features, Repair::strict);
            REQUIRE(strict.lost.empty());
            kept += strict.kept.size();
            lost_with_paper += follow_deadlines(seed, features, Repair::paper).lost.size();
        }
    }
    CHECK(kept > 10'000);
    CHECK(lost_with_paper > 100);  // or else these streams could not show it
}

TEST_CASE("dbf: without deadlines it is conservative, job by job", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        for (unsigned seed = 0; seed < 300; ++seed) {
            INFO("repair=" << name_of(repair) << ", stream " << seed);
            Stream stream(seed, {.deadlines = false});
            Engine dbf("dbf", {{"repair", name_of(repair)}});
            Engine conservative("conservative", {});
            conservative.begin(Time(), stream.processors());
            stream.play(dbf, [&](const Message& message, const std::vector<JobIndex>& started) {
                INFO("at " << message.now);
                REQUIRE(starts_of(send(conservative, message)) == started);
                for (const JobIndex job : started) {
                    REQUIRE(dbf.state().job(job).allocation == conservative.state().job(job).allocation);
                }
                require_same_plans(plan_of(dbf), plan_of(conservative));
                REQUIRE(dbf.state().tentative.empty());
            });
        }
    }
}

TEST_CASE("dbf decides as its plain form does, in every round", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        PlainDbf::Counts counts;
        const auto compare = [&](unsigned streams, int most_jobs, int most_processors) {
            const Features features{.most_jobs = most_jobs, .most_processors = most_processors};
            compare_with_plain_form(streams, features, repair, counts);
        };
        compare(500, 60, 16);
        compare(300, 40, 5);
        compare(4, 400, 64);
        // What is rare has happened.
        CHECK(counts.line_10 > 500);
        CHECK(counts.lines_23_to_34 > 100);
        CHECK(counts.line_24 > 50);
        CHECK(counts.hopeless > 1000);
        CHECK(counts.early_ends_with_tentative_jobs > 1000);
        CHECK(counts.overtaken > 100);
        CHECK(counts.tentative_starts > 1000);
        CHECK(counts.lost_deadlines > 100);
        if (repair == Repair::strict) {
            CHECK(counts.undone_submissions > 10);
            CHECK(counts.undone_completions > 100);
        }
    }
}

TEST_CASE("dbf: no processor is used twice and no job is lost when processors come and go", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        std::size_t changes = 0;
        for (unsigned seed = 0; seed < 300; ++seed) {
            INFO("repair=" << name_of(repair) << ", stream " << seed);
            Stream stream(seed, {.machine_changes = true});
            Engine engine("dbf", {{"repair", name_of(repair)}});
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>&) {
                changes += message.machine_changes.size();
                const SchedulerState& state = engine.state();
                for (const JobIndex job : state.tentative) {
                    REQUIRE(state.job(job).state == Job::State::waiting);
                    REQUIRE(state.job(job).description.deadline.has_value());
                }
                REQUIRE(std::is_sorted(state.tentative.begin(), state.tentative.end(),
                                       [&](JobIndex a, JobIndex b) { return state.submitted_before(a, b); }));
            });
        }
        CHECK(changes > 500);
    }
}

TEST_CASE("The plain form of dbf gives the reference schedules", "[dbf][reference]") {
    if (!have_test_data("reference/expected")) {
        return;
    }
    const std::map<std::string, int> workloads{{"same-instants-300", 16}, {"mixed-400", 64}, {"fractional-300", 128}};
    for (const auto& [name, processors] : workloads) {
        const Scenario scenario =
            scenario_of(machine(processors), {read_workload(test_data("reference/" + name + ".json"), "w0")});
        for (const Repair repair : both_repairs) {
            const std::string file = "reference/expected/" + name + ".dbf.repair=" + name_of(repair) + ".csv";
            INFO(file);
            Simulator simulator(scenario);
            PlainScheduler scheduler(repair);
            simulator.run(scheduler);
            std::istringstream expected(InputFile(test_data(file)).read_all(std::size_t{1} << 24));
            std::string line;
            std::getline(expected, line);
            std::size_t jobs = 0;
            for (; std::getline(expected, line); ++jobs) {
                const auto number = simulator.find_job("w0!" + line.substr(0, line.find(',')));
                REQUIRE(number.has_value());
                const SimulatedJob& job = simulator.jobs()[*number];
                const std::string start =
                    job.state == SimulatedState::rejected ? "" : job.start.to_string() + "," + job.end.to_string();
                INFO(line << " but starts and ends at " << start);
                REQUIRE(line.find("," + start + ",") != std::string::npos);
            }
            CHECK(jobs == simulator.jobs().size());
        }
    }
}

TEST_CASE("dbf: a tentative job gives way to a regular one", "[dbf]") {
    Table table(2);
    table.at(0);
    table.submit("a", 2, 10);
    table.submit("b", 2, 10, 100);  // would end at 20: in time, therefore tentative
    CHECK(table.round() == "start a; b 10 tentative");
    table.at(1);
    table.submit("c", 2, 10);  // takes b's place; b would end at 30, still in time
    CHECK(table.round() == "start; b 20 tentative; c 10");
    table.at(10);
    table.ends("a");  // as expected, so nothing is compressed
    CHECK(table.round() == "start c; b 20 tentative");
    table.at(15);
    table.ends("c");
    CHECK(table.round() == "start b");
}

TEST_CASE("dbf: a tentative job that would become late gets its place back and keeps it", "[dbf]") {
    Table table(2);
    table.at(0);
    table.submit("a", 2, 10);
    table.submit("b", 2, 10, 25);
    table.submit("c", 1, 5, 40);
    CHECK(table.round() == "start a; b 10 tentative; c 20 tentative");
    table.at(1);
    table.submit("r", 2, 10);
    // Lines 1 to 8: r at 10, b at 20, to end at 30 > 25: late. c at 30.
    // Lines 9 to 21: b is placed before r: b at 10, r at 20. c at 30, to end at 35: in time.
    CHECK(table.round() == "start; b 10; c 30 tentative; r 20");
    table.at(2);
    table.submit("s", 2, 4);
    // b and r are definitive now. s at 30, c at 34, to end at 39: in time.
    CHECK(table.round() == "start; b 10; c 34 tentative; r 20; s 30");
    table.at(3);
    table.submit("t", 1, 7);
    // Nothing is free before 34, when t takes one processor and c the other.
    CHECK(table.round() == "start; b 10; c 34 tentative; r 20; s 30; t 34");
}

TEST_CASE("dbf: of two jobs that would become late, the one submitted first is moved first", "[dbf]") {
    Table table(1);
    table.at(0);
    table.submit("a", 1, 10);
    table.submit("b", 1, 10, 25);
    table.submit("c", 1, 10, 35);
    CHECK(table.round() == "start a; b 10 tentative; c 20 tentative");
    table.at(1);
    table.submit("r", 1, 10);
    // r at 10, b at 20 and c at 30 are both late. With b definitive: b at 10, r at 20, and c at 30 is late still. With
    // both: b at 10, c at 20, r at 30.
    CHECK(table.round() == "start; b 10; c 20; r 30");
}

TEST_CASE("dbf: when moving late jobs makes others late, all that were submitted before those move, too", "[dbf]") {
    for (const Repair repair : both_repairs) {
        Table table(2, repair);
        table.at(0);
        table.submit("a", 2, 10);
        CHECK(table.round() == "start a");
        table.at(1);
        table.submit("b", 1, 12, 64);
        CHECK(table.round() == "start; b 10 tentative");
        table.at(2);
        table.submit("c", 2, 10, 46);
        CHECK(table.round() == "start; b 10 tentative; c 22 tentative");
        table.at(3);
        table.submit("d", 1, 10, 23);
        table.submit("e", 1, 8, 41);  // only 2 seconds are left beside b when d has ended
        CHECK(table.round() == "start; b 10 tentative; c 22 tentative; d 10 tentative; e 32 tentative");
        table.at(4);
        table.submit("r", 2, 10);
        // Lines 1 to 8: r 10-20, b 20-32, c 32-42, d 20-30 late, e 42-50 late.
        // Lines 9 to 21, d moved: d 10-20, r 20-30, b 30-42, c 42-52 late, e 10-18.
        // Once more, c moved: c 10-20, d 20-30 late, r 30-40, b 40-52, e 20-28. None in L1 is late.
        // Lines 22 to 34: d is late, b was submitted before it: b 10-22, c 22-32, d 10-20, r 32-42; e 42-50 late. It
        // was not submitted before d, and stays late and tentative. strict: all keep their places, r comes last.
        CHECK(table.round() == (repair == Repair::paper
                                    ? "start; b 10; c 22; d 10; e 42 tentative; r 32"
                                    : "start; b 10 tentative; c 22 tentative; d 10 tentative; e 32 tentative; r 40"));
    }
}

TEST_CASE("dbf: jobs submitted at the same time as the last late one are not moved with it", "[dbf]") {
    // As before, but b, c, d and e are all submitted at 1: no job in L1 is older than d.
    for (const Repair repair : both_repairs) {
        Table table(2, repair);
        table.at(0);
        table.submit("a", 2, 10);
        CHECK(table.round() == "start a");
        table.at(1);
        table.submit("b", 1, 12, 64);
        table.submit("c", 2, 10, 46);
        table.submit("d", 1, 10, 23);
        table.submit("e", 1, 8, 41);
        CHECK(table.round() == "start; b 10 tentative; c 22 tentative; d 10 tentative; e 32 tentative");
        table.at(2);
        table.submit("r", 2, 10);
        CHECK(table.round() == (repair == Repair::paper
                                    ? "start; b 40 tentative; c 10; d 20; e 20 tentative; r 30"
                                    : "start; b 10 tentative; c 22 tentative; d 10 tentative; e 32 tentative; r 40"));
    }
}

TEST_CASE("dbf: a job whose deadline cannot be met from the start is a regular one", "[dbf]") {
    Table table(1);
    table.at(0);
    table.submit("a", 1, 10);
    table.submit("late", 1, 10, 19);
    table.submit("just", 1, 10, 30);  // would end at 30: in time
    CHECK(table.round() == "start a; late 10; just 20 tentative");
    table.at(1);
    table.submit("r", 1, 5);
    // r behind `late`, at 20; `just` at 25 would end at 35. So it is placed before r.
    CHECK(table.round() == "start; late 10; just 20; r 30");
    table.at(4);
    table.ends("a");
    CHECK(table.round() == "start late; just 14; r 24");
}

TEST_CASE("dbf: an early end lets definitive jobs move into the places of tentative ones, and those start anew",
          "[dbf]") {
    Table table(2);
    table.at(0);
    table.submit("a", 1, 20);
    table.submit("x", 1, 10);
    CHECK(table.round() == "start a x");
    table.at(1);
    table.submit("e", 1, 10, 60);
    table.submit("b", 2, 10);
    CHECK(table.round() == "start; e 10 tentative; b 20");
    table.at(5);
    table.ends("a");
    // With e cancelled, b can have both processors at 10; e finds nothing before 20.
    CHECK(table.round() == "start; e 20 tentative; b 10");
    table.at(10);
    table.ends("x");
    CHECK(table.round() == "start b; e 20 tentative");
}

TEST_CASE("dbf: with repair=strict an early end may not cost a job its deadline", "[dbf]") {
    // As before, but e has to end by 29. b at 10 lets e end at 30 at best: e becomes definitive (lines 9 to 21), is
    // placed again before no other (lines 23 to 34), and stays late.
    for (const Repair repair : both_repairs) {
        Table table(2, repair);
        table.at(0);
        table.submit("a", 1, 20);
        table.submit("x", 1, 10);
        table.submit("e", 1, 10, 29);
        table.submit("b", 2, 10);
        CHECK(table.round() == "start a x; e 10 tentative; b 20");
        table.at(5);
        table.ends("a");
        // strict: all together by planned start: e at once, then b when e has ended.
        CHECK(table.round() == (repair == Repair::paper ? "start; e 20; b 10" : "start e; b 15"));
    }
}

TEST_CASE("dbf: a tentative job that is due is overtaken by a regular one of the same message", "[dbf]") {
    SECTION("it has just been submitted") {
        Table table(2);
        table.at(0);
        table.submit("b", 2, 10, 100);
        table.submit("r", 2, 10);
        CHECK(table.round() == "start r; b 10 tentative");
    }
    SECTION("it starts at once if it comes alone") {
        Table table(2);
        table.at(0);
        table.submit("b", 2, 10, 100);
        CHECK(table.round() == "start b");
        table.at(0);
        table.submit("r", 2, 10);
        CHECK(table.round() == "start; r 10");
    }
    SECTION("its planned start has come") {
        Table table(2);
        table.at(0);
        table.submit("a", 2, 10);
        table.submit("b", 2, 10, 100);
        CHECK(table.round() == "start a; b 10 tentative");
        table.at(10);
        table.ends("a");
        table.submit("r", 2, 10);
        CHECK(table.round() == "start r; b 20 tentative");
    }
    SECTION("a first regular job beside which it fits lets it start before a second one can push it away") {
        Table table(2);
        table.at(0);
        table.submit("b", 1, 10, 100);
        table.submit("r", 1, 5);
        table.submit("s", 2, 5);
        CHECK(table.round() == "start b r; s 10");
    }
    SECTION("without the first, the second does") {
        Table table(2);
        table.at(0);
        table.submit("b", 1, 10, 100);
        table.submit("s", 2, 5);
        table.submit("r", 1, 5);
        CHECK(table.round() == "start s; b 5 tentative; r 5");
    }
}

TEST_CASE("dbf: while the end of a job is overdue, all starts are in the order of the plan", "[dbf]") {
    // All 3 processors are taken: x ends at 10, and y, of 2, at 11.
    Table table(3, Repair::strict);
    table.at(0);
    table.submit("x", 1, 10);
    table.submit("y", 2, 11);
    CHECK(table.round() == "start x y");
    table.at(1);
    table.submit("b", 2, 4);
    table.submit("e", 1, 20, 30);
    table.submit("c", 1, 10, 12);
    CHECK(table.round() == "start; b 11; e 10 tentative; c 15");
    table.at(10);
    table.ends("y");  // that x ends now, too, is told of later
    // By Algorithm 1, b and c could start at 10, and e would be late at 14. Together: b 10, e 10, c 14. On the 2
    // processors that are idle so far, b comes first.
    CHECK(table.round() == "start b; e 10 tentative; c 14");
    table.at(10);
    table.ends("x");
    CHECK(table.round() == "start e; c 14");
}
