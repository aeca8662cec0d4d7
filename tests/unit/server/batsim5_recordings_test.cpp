#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "batsim5_recordings.hpp"
#include "protocol/codec.hpp"
#include "same_json.hpp"
#include "src/server/session.hpp"

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

// The starts and rejections of a reply, as a set.
std::set<std::string> starts_and_rejections(const Reply& reply) {
    std::set<std::string> decisions;
    for (const ReplyEvent& event : reply.events) {
        if (const auto* start = std::get_if<ExecuteJob>(&event.data)) {
            decisions.insert("start " + start->job_id + " on " + start->allocation.to_string());
        } else if (const auto* reject = std::get_if<protocol::RejectJob>(&event.data)) {
            decisions.insert("reject " + reject->job_id);
        }
    }
    return decisions;
}

std::string init_frame(const std::string& text) {
    std::string frame;
    make_codec("batsim5")->encode_message({Time(), {{Time(), Init{text}}}}, frame);
    return frame;
}

}  // namespace

TEST_CASE("Every recorded message of Batsim 5 encodes to what was recorded up to the format of numbers",
          "[batsim5][outside]") {
    if (!tests::have_batsim5_recordings()) {
        return;
    }
    std::map<std::string, int> seen;
    for (const auto& path : tests::batsim5_recordings()) {
        const auto codec = make_codec("batsim5");
        std::string encoded;
        std::size_t number = 0;
        for (const RecordedMessage& recorded : tests::read_batsim5_recording(path)) {
            INFO(path << ", message " << ++number << ": " << recorded.text.substr(0, 2000));
            for (const std::string& type : event_types(recorded.text)) {
                ++seen[type];
            }
            if (!recorded.from_batsim) {
                const Reply reply = codec->decode_reply(recorded.text);
                codec->encode_reply(reply, encoded);
                CHECK(codec->decode_reply(encoded) == reply);
                continue;
            }
            const Message message = codec->decode_message(recorded.text);
            codec->encode_message(message, encoded);
            INFO("encoded again: " << encoded.substr(0, 2000));
            CHECK(codec->decode_message(encoded) == message);
            // The encoding corrects wrong timestamps.
            if (path.stem() != "external_events" && path.stem() != "machines_onoff") {
                CHECK(tests::same_json(recorded.text, encoded.substr(0, encoded.size() - 1)));
            }
        }
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
    const auto codec = make_codec("batsim5");
    const auto reader = make_codec("batsim5");
    Session session({}, *codec);
    std::string reply(session.answer(init_frame(configuration)));
    std::size_t number = 0;
    for (const RecordedMessage& recorded :
         tests::read_batsim5_recording(tests::test_data("batsim5/recordings/" + recording + ".jsonl"))) {
        INFO(recording << ", message " << ++number << ": " << recorded.text.substr(0, 2000));
        if (recorded.from_batsim) {
            reply = session.answer(recorded.text);
            continue;
        }
        CHECK(starts_and_rejections(reader->decode_reply(reply)) ==
              starts_and_rejections(reader->decode_reply(recorded.text)));
    }
    CHECK(session.ended());
}

}  // namespace batfill::tests::batsim5_recordings_test
