#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/simulator/simulator.hpp>

#include "protocol/batsim4.hpp"
#include "src/choice/batsched_choice.hpp"
#include "src/session/session.hpp"
#include "src/simulator/embedded_scheduler.hpp"
#include "src/support/overloaded.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/recorded_run.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::batsched_recordings_test {

// Our answers to the messages that the real Batsim sent to the real batsched.

using batfill::BatschedOptions;

namespace {

// What a reply starts, rejects, kills, registers and writes of jobs, in its order: "start w0!1 0-3; reject w0!2; ...".
// Ignores the submission times of registered jobs: batsched prints only six digits of them.
std::string decisions_of(std::string_view frame) {
    protocol::ReplyReader reader;
    std::string text;
    const auto id = [&](JobNumber job) { return reader.ids().id(job); };
    for (const protocol::Message::Event& event : reader.read(frame).events) {
        text += std::visit(
            Overloaded{
                [&](const StartJob& start) { return "start " + id(start.job) + " " + start.allocation.to_string(); },
                [&](const RejectJob& reject) { return "reject " + id(reject.job); },
                [](const KillJobs&) { return std::string("kill"); },
                [&](const SetJobMetadata& metadata) { return "of " + id(metadata.job) + ": " + metadata.metadata; },
                [](const RegisterProfile& profile) {
                    return "profile " + profile.name + " of " + profile.workload + ": " + profile.source;
                },
                [](const RegisterJob& registers) {
                    const JobDescription& job = registers.description;
                    return "register " + job.id + " " + std::to_string(job.processors) + " " +
                           (*job.walltime).to_shortest_string() + " " + job.profile.text();
                },
                [](const Notification& notification) { return std::string(to_string(notification.type)); },
                [](const auto&) { return std::string(); }},
            std::get<Decision>(event.data));
        text += text.empty() || text.ends_with("; ") ? "" : "; ";
    }
    return text;
}

// Answers Batsim's messages while our decisions equal batsched's. Returns the number of equal answers. `difference`
// gets batsched's first answer that differs.
std::size_t same_answers(const std::vector<RecordedFrame>& frames, const BatschedOptions& options,
                         std::string& difference) {
    Session session(batfill::batsched_choice(options), protocol::make_codec("batsim4"));
    std::size_t same = 0;
    std::string ours;
    for (const RecordedFrame& frame : frames) {
        if (frame.from_batsim) {
            ours = decisions_of(session.answer(frame.text));
        } else if (const std::string theirs = decisions_of(frame.text); ours == theirs) {
            ++same;
        } else {
            difference = "batsched: " + theirs + "ours: " + ours;
            return same;
        }
    }
    return same;
}

BatschedOptions with_variant(const std::string& variant) {
    BatschedOptions options;
    options.variant = variant;
    return options;
}

}  // namespace

TEST_CASE("Variants of batsched decide as batsched did, message by message", "[batsched][recorded][outside]") {
    if (!have_test_data("batsim/captures")) {
        return;
    }
    const QuietLog quiet;
    const std::vector<std::pair<std::string, std::string>> runs{
        {"delays-fcfs", "fcfs"},        {"delays-fcfs", "fcfs_fast"},     {"fwd-profiles-schedcfg", "fcfs"},
        {"far-future", "fcfs"},         {"rejecter", "rejecter"},         {"filler-metadata", "filler"},
        {"events-filler", "filler"},    {"mixed-easy", "easy_bf"},        {"same-submit-cons", "conservative_bf"},
        {"submitter-ack", "submitter"}, {"submitter-noack", "submitter"}, {"submitter-reuse", "submitter"}};
    for (const auto& [recording, variant] : runs) {
        INFO(recording << " with " << variant);
        const std::vector<RecordedFrame> frames = read_recording(test_data("batsim/captures/" + recording + ".jsonl"));
        std::string difference;
        BatschedOptions options = with_variant(variant);
        if (recording == "filler-metadata" || recording == "submitter-ack") {
            options.variant_options = R"({"set_job_metadata":true})";
        } else if (recording == "submitter-reuse") {
            options.variant_options = R"({"increase_jobs_duration":false})";
        }
        const std::size_t same = same_answers(frames, options, difference);
        INFO(difference);
        CHECK(same == frames.size() / 2);
    }
}

TEST_CASE("On 2,000 recorded jobs easy_bf, which reserves particular processors, makes jobs wait longer than easy",
          "[batsched][recorded][outside]") {
    if (!have_test_data("batsim/captures")) {
        return;
    }
    std::map<std::string, Time> starts;
    protocol::ReplyReader reader;
    for (const RecordedFrame& frame : read_recording(test_data("batsim/captures/w2k-easy_bf.jsonl.gz"))) {
        if (!frame.from_batsim) {
            for (const protocol::Message::Event& event : reader.read(frame.text).events) {
                if (const auto* start = std::get_if<StartJob>(&std::get<Decision>(event.data))) {
                    starts[reader.ids().id(start->job)] = event.timestamp;
                }
            }
        }
    }
    Scenario scenario;
    scenario.platform = read_platform(test_data("batsim/inputs/platforms/p240.xml"));
    scenario.workloads.push_back(read_workload(test_data("batsim/inputs/workloads/w2k-0.90.json.gz"), "w0"));
    const SchedulerChoice choice = choice_of(batfill::batsched_choice(with_variant("easy_bf")));
    Engine engine(choice);
    EmbeddedScheduler scheduler(engine);
    Simulator simulator(scenario);
    simulator.run(scheduler);
    std::size_t other_starts = 0;
    Duration our_waits;
    Duration their_waits;
    REQUIRE(starts.size() == 2000);
    for (const SimulatedJob& job : simulator.jobs()) {
        const Time theirs = starts.at(job.job->description.id);
        other_starts += theirs == job.start ? 0U : 1U;
        our_waits = our_waits + (job.start - job.job->description.submit);
        their_waits = their_waits + (theirs - job.job->description.submit);
    }
    // These numbers are in docs/serve.md.
    CHECK(other_starts == 1147);
    CHECK(std::llround(our_waits.to_seconds() / 2000) == 522);
    CHECK(std::llround(their_waits.to_seconds() / 2000) == 552);
}

TEST_CASE("The jobs that submitter registers start in the simulator when they started in Batsim",
          "[batsched][recorded][outside]") {
    if (!have_test_data("batsim/captures")) {
        return;
    }
    protocol::ReplyReader reader;
    for (const bool reuse : {false, true}) {
        INFO("profiles are used again: " << reuse);
        std::map<std::string, std::pair<Time, std::string>> recorded;
        const std::string name = reuse ? "submitter-reuse" : "submitter-ack";
        for (const RecordedFrame& frame : read_recording(test_data("batsim/captures/" + name + ".jsonl"))) {
            if (!frame.from_batsim) {
                for (const protocol::Message::Event& event : reader.read(frame.text).events) {
                    if (const auto* start = std::get_if<StartJob>(&std::get<Decision>(event.data))) {
                        recorded[reader.ids().id(start->job)] = {event.timestamp, start->allocation.to_string()};
                    }
                }
            }
        }
        Scenario scenario;
        scenario.platform = read_platform(test_data("batsim/inputs/platforms/small_platform.xml"));
        scenario.workloads.push_back(read_workload(test_data("batsim/inputs/workloads/test_one_delay_job.json"), "w0"));
        scenario.enable_dynamic_jobs = true;
        scenario.acknowledge_dynamic_jobs = true;
        scenario.enable_profile_reuse = reuse;
        BatschedOptions options = with_variant("submitter");
        options.variant_options = reuse ? R"({"increase_jobs_duration":false})" : "{}";
        const SchedulerChoice choice = choice_of(batfill::batsched_choice(options));
        Engine engine(choice);
        EmbeddedScheduler scheduler(engine);
        Simulator simulator(scenario);
        simulator.run(scheduler);
        REQUIRE(recorded.size() == 11);
        REQUIRE(simulator.jobs().size() == 11);
        for (const SimulatedJob& job : simulator.jobs()) {
            const auto& [start, allocation] = recorded.at(job.job->description.id);
            INFO(job.job->description.id);
            // The network of the recorded platform slightly delays every message and start.
            CHECK(std::abs((start - job.start).to_seconds()) < 0.02);
            CHECK(job.allocation.to_string() == allocation);
        }
    }
}

}  // namespace batfill::tests::batsched_recordings_test
