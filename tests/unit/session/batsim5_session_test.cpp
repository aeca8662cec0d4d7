#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>
#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "tests/support/batsim5_frames.hpp"
#include "tests/support/batsim5_replies.hpp"
#include "tests/support/decisions_of.hpp"

namespace batfill::tests::batsim5_session_test {

using Catch::Matchers::Contains;
using tests::batsim5::event;
using tests::batsim5::frame;
using tests::batsim5::init;

namespace {

std::string begins(int hosts, const std::string& more_of_each = "") {
    std::string list;
    for (int i = 0; i < hosts; ++i) {
        list += std::string(i == 0 ? "" : ",") + R"({"id":)" + std::to_string(i) + R"(,"name":"n)" + std::to_string(i) +
                "\"" + more_of_each + "}";
    }
    return frame("0", {event("0", "SimulationBeginsEvent", R"({"computation_hosts":[)" + list + "]}")});
}

// `walltime` is a number or null.
std::string submitted(const std::string& time, const std::string& id, int processors, const std::string& walltime,
                      const std::string& extra_data = "") {
    return event(time, "JobSubmittedEvent",
                 R"({"job_id":")" + id + R"(","job":{"resource_request":)" + std::to_string(processors) +
                     R"(,"walltime":)" + walltime + R"(,"extra_data":")" + extra_data +
                     R"(","rigid":true,"profile_id":"w0!p"},"submission_time":)" + time + "}");
}

std::string completed(const std::string& time, const std::string& id,
                      const std::string& state = "COMPLETED_SUCCESSFULLY") {
    return event(time, "JobCompletedEvent", R"({"job_id":")" + id + R"(","state":")" + state + R"(","return_code":0})");
}

std::string killed(const std::string& time, const std::string& id) {
    return event(time, "JobsKilledEvent", R"({"job_ids":[")" + id + R"("],"progresses":[],"profiles":[]})");
}

std::string call(const std::string& time) {
    return event(time, "RequestedCallEvent", R"({"call_me_later_id":"1","last_periodic_call":false})");
}

std::string machine(const std::string& time, const std::string& change, const std::string& hosts) {
    return event(time, "ExternalEventOccurredEvent",
                 R"({"id":"ee0!0","external_event_type":"GenericExternalEvent","external_event":{"data":)"
                 R"("{\"type\":\"machine_)" +
                     change + R"(\",\"resources\":\")" + hosts + R"(\"}"}})");
}

// A session of Batsim 5, and the decisions of its replies in a short form.
class Dialogue {
 public:
    explicit Dialogue(const std::string& configuration) : Dialogue(configuration, {}) {}
    Dialogue(const std::string& configuration, const WrittenScheduler& command_line)
        : session(command_line, protocol::make_codec("batsim5")), hello(session.answer(init(configuration))) {}

    std::string answer(const std::string& text) {
        raw = session.answer(text);
        return tests::decisions_of(raw, reader_);
    }

 private:
    tests::Batsim5ReplyReader reader_;

 public:
    Session session;
    std::string hello;
    std::string raw;  // the last reply
};

}  // namespace

TEST_CASE("Batsim 5 chooses the algorithm with the first message, and the command line wins", "[batsim5]") {
    Dialogue batsim(R"({"algorithm":"easy","params":{}})");
    CHECK(batsim.session.running());
    CHECK_THAT(batsim.hello, Contains(R"("decision_component_name":"batfill")"));
    CHECK_THAT(batsim.hello, Contains(R"("decision_component_commit":"")"));
    CHECK_THAT(batsim.hello, Contains(R"("dynamic_registration":false,"profile_reuse":false)"));
    CHECK(batsim.answer(begins(4)) == "");
    CHECK(batsim.answer(frame("1.5", {submitted("1.5", "w0!a", 3, "10"), submitted("1.5", "w0!b", 5, "10"),
                                      submitted("1.5", "w0!c", 1, "null")})) ==
          "reject w0!b; reject w0!c; start w0!a 0-2");
    CHECK(batsim.answer(frame("4", {completed("4", "w0!a")})) == "");
    CHECK(batsim.answer(frame("4", {event("4", "SimulationEndsEvent", "{}")})) == "");
    CHECK(batsim.session.ended());
    CHECK(batsim.session.jobs() == 3);
    CHECK(batsim.session.rejected() == 2);

    Dialogue other(R"({"algorithm":"easy"})", {"rejecter", {}});
    other.answer(begins(4));
    CHECK(other.answer(frame("1", {submitted("1", "w0!a", 3, "10")})) == "reject w0!a");
    CHECK_THROWS_WITH(Dialogue(""), Contains("no algorithm named"));
    CHECK_THROWS_WITH(Dialogue("hello"), Contains("the scheduler configuration names none: JSON at byte 0"));
    CHECK_THROWS_WITH(Dialogue(R"({"algorithm":"eazy"})"), Contains("eazy"));
    CHECK_THROWS_WITH(Dialogue(R"({"algorithm":"relaxed","params":{"estimates":"actual"}})"), Contains("run times"));
}

TEST_CASE("Messages of Batsim 5 come in their order", "[batsim5]") {
    Dialogue batsim(R"({"algorithm":"easy"})");
    CHECK_THROWS_WITH(batsim.answer(init("{}")), Contains("comes twice"));
    Dialogue hasty(R"({"algorithm":"easy"})");
    CHECK_THROWS_WITH(hasty.answer(frame("1", {submitted("1", "w0!a", 1, "1")})),
                      Contains("the first event is not SIMULATION_BEGINS"));
}

TEST_CASE("Completions of Batsim 5 count before the submissions of their message, wherever they stand", "[batsim5]") {
    for (const bool completion_first : {true, false}) {
        Dialogue batsim(R"({"algorithm":"fcfs"})");
        batsim.answer(begins(2));
        batsim.answer(frame("0", {submitted("0", "w0!a", 2, "10")}));
        std::vector<std::string> events{completed("10", "w0!a"), submitted("10", "w0!b", 2, "5")};
        if (!completion_first) {
            std::swap(events[0], events[1]);
        }
        CHECK(batsim.answer(frame("10", events)) == "start w0!b 0-1");
    }
}

TEST_CASE("The session never mentions a job to Batsim 5 after Batsim has reported its end", "[batsim5]") {
    const std::string assumed = R"({"algorithm":"fcfs","params":{"default-walltime":10}})";
    Dialogue together(assumed);
    together.answer(begins(1));
    CHECK(together.answer(frame("0", {submitted("0", "w0!a", 1, "null")})) == "start w0!a 0; call 10.000000");
    CHECK(together.answer(frame("10", {call("10"), completed("10", "w0!a")})) == "");

    // The call comes in a separate message, because the job may still be killed, and its end may cross that.
    Dialogue apart(assumed);
    apart.answer(begins(1));
    apart.answer(frame("0", {submitted("0", "w0!a", 1, "null")}));
    CHECK(apart.answer(frame("10", {call("10")})) == "kill w0!a");
    CHECK(apart.answer(frame("10", {completed("10", "w0!a"), killed("10", "w0!a")})) == "");
}

TEST_CASE("A call that Batsim 5 rounds up starts what was planned a little late", "[batsim5]") {
    Dialogue batsim(R"({"algorithm":"conservative","params":{"compression":"none"}})");
    batsim.answer(begins(1));
    CHECK(batsim.answer(frame("0.0004", {submitted("0.0004", "w0!a", 1, "10"),
                                         submitted("0.0004", "w0!b", 1, "10")})) == "start w0!a 0");
    CHECK(batsim.answer(frame("4", {completed("4", "w0!a")})) == "call 10.001000");
    CHECK_THAT(batsim.raw, Contains(R"("call_me_later_id":"1")"));
    CHECK(batsim.answer(frame("10.001", {call("10.001")})) == "start w0!b 0");
}

TEST_CASE("Machines that fail in Batsim 5 kill jobs, which are registered again", "[batsim5]") {
    Dialogue batsim(R"({"algorithm":"fcfs","params":{"on-failure":"requeue"}})");
    CHECK_THAT(batsim.hello,
               Contains(R"("dynamic_registration":true,"profile_reuse":true,"acknowledge_dynamic_jobs":false)"));
    CHECK(batsim.answer(begins(2)) == "");
    CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 1, "10.5", R"({\"user\":\"u\"})"),
                                    event("1", "AllStaticJobsHaveBeenSubmittedEvent", "{}")})) == "start w0!a 0");
    // The timestamp is that of the previous message.
    CHECK(batsim.answer(frame("5", {machine("1", "unavailable", "0")})) == "kill w0!a");
    CHECK(
        batsim.answer(frame("5", {completed("5", "w0!a", "COMPLETED_KILLED"), killed("5", "w0!a")})) ==
        R"(register w0!a#1 {"resource_request":1,"walltime":10.500000,"extra_data":"{\"user\":\"u\"}","profile_id":"w0!p"}; )"
        "start w0!a#1 1");
    CHECK(batsim.answer(frame("9", {completed("9", "w0!a#1")})) == "registration_finished");
}

TEST_CASE("The hosts of Batsim 5 say which machine is fast", "[batsim5]") {
    Dialogue batsim(R"({"algorithm":"fcfs","params":{"placement":"machine"}})");
    const auto host = [](const std::string& number, const std::string& speed) {
        return R"({"id":)" + number + R"(,"name":"n)" + number + R"(","pstate":0,"computation_speed":[)" + speed +
               R"(],"properties":[{"key":"machine","value":"m)" + number + R"("}]})";
    };
    batsim.answer(frame("0", {event("0", "SimulationBeginsEvent",
                                    R"({"computation_hosts":[)" + host("0", "1e9") + "," + host("1", "2e9") + "]}")}));
    CHECK(batsim.answer(frame("1", {submitted("1", "w0!a", 1, "10")})) == "start w0!a 1");
}

namespace {

struct TestJob {
    int submit;
    int processors;
    int walltime;
    int run;  // at most the walltime
};

// The messages in which Batsim reports the events of an instant.
enum class Instant { whole, completions_first, submissions_first };

// A machine that runs the jobs in whole seconds like Batsim 5, and reports them to a session. Returns their starts.
std::vector<int> starts_of(const std::string& configuration, int processors, const std::vector<TestJob>& jobs,
                           Instant instant) {
    Dialogue batsim(configuration);
    batsim.answer(begins(processors));
    tests::Batsim5ReplyReader reader;
    std::vector<int> starts(jobs.size(), -1);
    std::set<int> instants;
    std::multimap<int, int> ends;
    std::set<int> calls;
    for (const TestJob& job : jobs) {
        instants.insert(job.submit);
    }
    const auto tell = [&](int now, const std::vector<std::string>& events) {
        if (events.empty()) {
            return;
        }
        batsim.answer(frame(std::to_string(now), events));
        for (const protocol::Message::Event& event : reader.read(batsim.raw).events) {
            const auto& decision = std::get<Decision>(event.data);
            if (const auto* start = std::get_if<StartJob>(&decision)) {
                const int job = std::stoi(reader.ids().id(start->job).substr(3));
                starts[static_cast<std::size_t>(job)] = now;
                ends.emplace(now + jobs[static_cast<std::size_t>(job)].run, job);
                instants.insert(now + jobs[static_cast<std::size_t>(job)].run);
            } else if (const auto* later = std::get_if<CallMeLater>(&decision)) {
                calls.insert(static_cast<int>(later->time.to_seconds()));
                instants.insert(static_cast<int>(later->time.to_seconds()));
            }
        }
    };
    while (!instants.empty()) {
        const int now = *instants.begin();
        instants.erase(instants.begin());
        const std::string time = std::to_string(now);
        std::vector<std::string> submissions;
        for (std::size_t job = 0; job < jobs.size(); ++job) {
            if (jobs[job].submit == now) {
                submissions.push_back(submitted(time, "w0!" + std::to_string(job), jobs[job].processors,
                                                std::to_string(jobs[job].walltime)));
            }
        }
        std::vector<std::string> completions;
        for (auto end = ends.begin(); end != ends.end() && end->first == now; end = ends.erase(end)) {
            completions.push_back(completed(time, "w0!" + std::to_string(end->second)));
        }
        if (calls.erase(now) > 0) {
            completions.push_back(call(time));
        }
        if (instant == Instant::submissions_first) {
            std::swap(submissions, completions);
        }
        if (instant == Instant::whole) {
            completions.insert(completions.end(), submissions.begin(), submissions.end());
            submissions.clear();
        }
        tell(now, completions);
        tell(now, submissions);
    }
    return starts;
}

// Times are small, so many events coincide.
std::vector<TestJob> random_jobs(unsigned seed, int processors) {
    std::mt19937 random(seed);
    const auto between = [&](unsigned low, unsigned high) {
        return static_cast<int>(low + random() % (high - low + 1));
    };
    std::vector<TestJob> jobs;
    for (int i = 0; i < 40; ++i) {
        const int walltime = between(1, 6);
        jobs.push_back({between(0, 30), between(1, static_cast<unsigned>(processors)), walltime,
                        between(1, static_cast<unsigned>(walltime))});
    }
    return jobs;
}

}  // namespace

TEST_CASE("An instant in two messages, completions first, gives the schedule of one message", "[batsim5]") {
    spdlog::set_level(spdlog::level::off);
    const std::string algorithm = GENERATE("fcfs", "easy", "conservative", "relaxed", "pc", "dc");
    const std::string configuration = R"({"algorithm":")" + algorithm + "\"}";
    for (unsigned seed = 0; seed < 60; ++seed) {
        INFO(algorithm << ", seed " << seed);
        const int processors = 2 + static_cast<int>(seed % 7);
        const std::vector<TestJob> jobs = random_jobs(seed, processors);
        CHECK(starts_of(configuration, processors, jobs, Instant::completions_first) ==
              starts_of(configuration, processors, jobs, Instant::whole));
    }
    spdlog::set_level(spdlog::level::info);
}

TEST_CASE("An instant in two messages, submissions first, lets fcfs start the same jobs", "[batsim5]") {
    spdlog::set_level(spdlog::level::off);
    for (unsigned seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        const int processors = 2 + static_cast<int>(seed % 7);
        const std::vector<TestJob> jobs = random_jobs(seed, processors);
        CHECK(starts_of(R"({"algorithm":"fcfs"})", processors, jobs, Instant::submissions_first) ==
              starts_of(R"({"algorithm":"fcfs"})", processors, jobs, Instant::whole));
    }
    spdlog::set_level(spdlog::level::info);
}

TEST_CASE("An algorithm that registers profiles is for Batsim 4 only", "[batsim5]") {
    CHECK_THROWS_WITH(
        Dialogue(R"({"algorithm":"submitter"})"),
        "algorithm submitter needs registered profiles, which Batsim 5 does not follow, expected a peer that does, as Batsim 4");
}

}  // namespace batfill::tests::batsim5_session_test
