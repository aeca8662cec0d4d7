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
#include <batfill/simulator/embedded_scheduler.hpp>
#include <batfill/simulator/simulator.hpp>

#include "protocol/codec.hpp"
#include "quiet_log.hpp"
#include "recorded_run.hpp"
#include "src/engine/batsched_choice.hpp"
#include "src/server/session.hpp"
#include "test_data.hpp"

namespace batfill::tests::batsched_recordings_test {

// Our answers to the messages that the real Batsim sent to the real batsched.

using batfill::BatschedOptions;

namespace {

// What a reply starts, rejects, kills, registers and writes of jobs, in its order: "start w0!1 0-3; reject w0!2; ...".
// Not the submission times of registered jobs, of which batsched prints six digits.
std::string decisions_of(const protocol::Reply& reply) {
    std::string text;
    for (const protocol::ReplyEvent& event : reply.events) {
        if (const auto* start = std::get_if<protocol::ExecuteJob>(&event.data)) {
            text += "start " + start->job_id + " " + start->allocation.to_string() + "; ";
        } else if (const auto* reject = std::get_if<protocol::RejectJob>(&event.data)) {
            text += "reject " + reject->job_id + "; ";
        } else if (std::holds_alternative<protocol::KillJob>(event.data)) {
            text += "kill; ";
        } else if (const auto* metadata = std::get_if<protocol::SetJobMetadata>(&event.data)) {
            text += "of " + metadata->job_id + ": " + metadata->metadata + "; ";
        } else if (const auto* profile = std::get_if<protocol::RegisterProfile>(&event.data)) {
            text +=
                "profile " + profile->profile_name + " of " + profile->workload_name + ": " + profile->profile + "; ";
        } else if (const auto* job = std::get_if<protocol::RegisterJob>(&event.data)) {
            text += "register " + job->job.id + " " + std::to_string(job->job.processors) + " " +
                    (*job->job.walltime).to_shortest_string() + " " + job->job.profile.text() + "; ";
        } else if (const auto* notify = std::get_if<protocol::Notify>(&event.data)) {
            text += to_string(notify->type) + std::string("; ");
        }
    }
    return text;
}

// Answers each message of Batsim, as long as our decisions are those that batsched took. Returns how many messages that
// is; the last answer of batsched that was not ours is left in `difference`.
std::size_t same_answers(const std::vector<RecordedFrame>& frames, const BatschedOptions& options,
                         std::string& difference) {
    const auto codec = protocol::make_codec("batsim4");
    Session session(batfill::batsched_choice(options), *codec);
    std::size_t same = 0;
    std::string ours;
    for (const RecordedFrame& frame : frames) {
        if (frame.from_batsim) {
            ours = decisions_of(codec->decode_reply(session.answer(frame.text)));
        } else if (const std::string theirs = decisions_of(codec->decode_reply(frame.text)); ours == theirs) {
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
    const auto codec = protocol::make_codec("batsim4");
    for (const RecordedFrame& frame : read_recording(test_data("batsim/captures/w2k-easy_bf.jsonl.gz"))) {
        if (!frame.from_batsim) {
            for (const protocol::ReplyEvent& event : codec->decode_reply(frame.text).events) {
                if (const auto* start = std::get_if<protocol::ExecuteJob>(&event.data)) {
                    starts[start->job_id] = event.timestamp;
                }
            }
        }
    }
    Scenario scenario;
    scenario.platform = read_platform(test_data("batsim/inputs/platforms/p240.xml"));
    scenario.workloads.push_back(read_workload(test_data("batsim/inputs/workloads/w2k-0.90.json.gz"), "w0"));
    const SchedulerChoice choice = batfill::batsched_choice(with_variant("easy_bf"));
    Engine engine(choice.algorithm, choice.parameters);
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
    // These numbers are in docs/batsched.md.
    CHECK(other_starts == 1147);
    CHECK(std::llround(our_waits.to_seconds() / 2000) == 522);
    CHECK(std::llround(their_waits.to_seconds() / 2000) == 552);
}

TEST_CASE("The jobs that submitter registers start in the simulator when they started in Batsim",
          "[batsched][recorded][outside]") {
    if (!have_test_data("batsim/captures")) {
        return;
    }
    const auto codec = protocol::make_codec("batsim4");
    for (const bool reuse : {false, true}) {
        INFO("profiles are used again: " << reuse);
        std::map<std::string, std::pair<Time, std::string>> recorded;
        const std::string name = reuse ? "submitter-reuse" : "submitter-ack";
        for (const RecordedFrame& frame : read_recording(test_data("batsim/captures/" + name + ".jsonl"))) {
            if (!frame.from_batsim) {
                for (const protocol::ReplyEvent& event : codec->decode_reply(frame.text).events) {
                    if (const auto* start = std::get_if<protocol::ExecuteJob>(&event.data)) {
                        recorded[start->job_id] = {event.timestamp, start->allocation.to_string()};
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
        const SchedulerChoice choice = batfill::batsched_choice(options);
        Engine engine(choice.algorithm, choice.parameters);
        EmbeddedScheduler scheduler(engine);
        Simulator simulator(scenario);
        simulator.run(scheduler);
        REQUIRE(recorded.size() == 11);
        REQUIRE(simulator.jobs().size() == 11);
        for (const SimulatedJob& job : simulator.jobs()) {
            const auto& [start, allocation] = recorded.at(job.job->description.id);
            INFO(job.job->description.id);
            // The network of the recorded platform delays every message and start a little.
            CHECK(std::abs((start - job.start).to_seconds()) < 0.02);
            CHECK(job.allocation.to_string() == allocation);
        }
    }
}

}  // namespace batfill::tests::batsched_recordings_test
