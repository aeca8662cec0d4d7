#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "tests/support/batsim5_frames.hpp"
#include "tests/support/batsim5_recordings.hpp"
#include "tests/support/batsim5_replies.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/decisions_of.hpp"

namespace batfill::tests::batsim5_recordings_test {

using namespace batfill::protocol;
using tests::RecordedMessage;

namespace {

// The names of all events in a frame.
std::vector<std::string> event_types(const std::string& frame) {
    std::vector<std::string> types;
    const std::string key = R"("event_type":)";
    for (std::size_t at = frame.find(key); at != std::string::npos; at = frame.find(key, at + 1)) {
        const std::size_t begin = frame.find('"', at + key.size()) + 1;
        types.push_back(frame.substr(begin, frame.find('"', begin) - begin));
    }
    return types;
}

// What a reply starts and rejects, as a set.
std::set<std::string> starts_and_rejections(std::string_view reply) {
    tests::Batsim5ReplyReader reader;
    std::set<std::string> decisions;
    for (const Message::Event& event : reader.read(reply).events) {
        const auto* decision = std::get_if<Decision>(&event.data);
        if (decision != nullptr &&
            (std::holds_alternative<StartJob>(*decision) || std::holds_alternative<RejectJob>(*decision))) {
            decisions.insert(tests::short_form(*decision, reader.ids()));
        }
    }
    return decisions;
}

}  // namespace

TEST_CASE("Every recorded message of Batsim 5 is read without a warning, and every reply", "[batsim5][outside]") {
    if (!tests::have_batsim5_recordings()) {
        return;
    }
    std::map<std::string, int> seen;
    for (const auto& path : tests::batsim5_recordings()) {
        const tests::CaughtLog log;
        const auto codec = make_codec("batsim5");
        tests::Batsim5ReplyReader reader;
        std::size_t number = 0;
        for (const RecordedMessage& recorded : tests::read_batsim5_recording(path)) {
            INFO(path << ", message " << ++number << ": " << recorded.text.substr(0, 2000));
            for (const std::string& type : event_types(recorded.text)) {
                ++seen[type];
            }
            if (recorded.from_batsim) {
                CHECK(codec->decode(recorded.text).events.size() == event_types(recorded.text).size());
            } else {
                CHECK(reader.read(recorded.text).events.size() == event_types(recorded.text).size());
            }
        }
        CHECK(log.text().empty());
        CHECK(number > 4);
    }
    for (const char* type : {"SimulationBeginsEvent",
                             "JobSubmittedEvent",
                             "JobCompletedEvent",
                             "JobsKilledEvent",
                             "RequestedCallEvent",
                             "AllStaticJobsHaveBeenSubmittedEvent",
                             "AllStaticExternalEventsHaveBeenInjectedEvent",
                             "ExternalEventOccurredEvent",
                             "HostsTurnedOnOffEvent",
                             "SimulationEndsEvent",
                             "EDCHelloEvent",
                             "ExecuteJobEvent",
                             "RejectJobEvent",
                             "KillJobsEvent",
                             "CallMeLaterEvent",
                             "RegisterJobEvent",
                             "RegisterProfileEvent",
                             "FinishRegistrationEvent",
                             "ForceSimulationStopEvent",
                             "TurnOnOffHostsEvent"}) {
        INFO(type);
        CHECK(seen[type] > 0);
    }
}

TEST_CASE("A session decides in recorded conversations of Batsim 5 what the scheduler of the recording did",
          "[batsim5][outside]") {
    if (!tests::have_batsim5_recordings()) {
        return;
    }
    const auto [recording, configuration] = GENERATE(table<std::string, std::string>({
        {"delays_easy", R"({"algorithm":"easy"})"},
        {"delays_fcfs", R"({"algorithm":"fcfs","params":{"default-walltime":1000}})"},
        {"process_mode_json", R"({"algorithm":"fcfs","params":{"default-walltime":1000}})"},
        {"process_forward_profiles", R"({"algorithm":"fcfs"})"},
        {"rejected_all", R"({"algorithm":"rejecter"})"},
        {"rejected_fcfs", R"({"algorithm":"fcfs"})"},
        {"external_events", R"({"algorithm":"rejecter"})"},
        {"same_instant_fcfs", R"({"algorithm":"fcfs"})"},
        {"walltime_fcfs", R"({"algorithm":"fcfs","params":{"default-walltime":1000}})"},
        {"no_workload", R"({"algorithm":"conservative"})"},
        {"calls_oneshot", R"({"algorithm":"rejecter"})"},
        {"calls_ms", R"({"algorithm":"rejecter"})"},
        {"calls_periodic", R"({"algorithm":"rejecter"})"},
    }));
    Session session({}, make_codec("batsim5"));
    std::string reply(session.answer(tests::batsim5::init(configuration)));
    std::size_t number = 0;
    for (const RecordedMessage& recorded :
         tests::read_batsim5_recording(tests::test_data("batsim5/recordings/" + recording + ".jsonl"))) {
        INFO(recording << ", message " << ++number << ": " << recorded.text.substr(0, 2000));
        if (recorded.from_batsim) {
            reply = session.answer(recorded.text);
            continue;
        }
        CHECK(starts_and_rejections(reply) == starts_and_rejections(recorded.text));
    }
    CHECK(session.ended());
}

}  // namespace batfill::tests::batsim5_recordings_test
