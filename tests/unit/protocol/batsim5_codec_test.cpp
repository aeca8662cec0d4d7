#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "tests/support/batsim5_frames.hpp"
#include "tests/support/batsim5_replies.hpp"
#include "tests/support/data_of.hpp"

namespace batfill::tests::batsim5_codec_test {

using namespace batfill::protocol;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using tests::batsim5::event;
using tests::batsim5::frame;

namespace {

std::unique_ptr<Codec> batsim5() {
    return make_codec("batsim5");
}

template <class Data>
Data only_event(const std::string& type, const std::string& data) {
    const auto codec = batsim5();
    Message& message = codec->decode(frame("10", {event("10", type, data)}));
    REQUIRE(message.events.size() == 1);
    return tests::data_of<Data>(message.events[0]);
}

// The frame of a reply that decides on the jobs w0!0, w0!1, ..., without the zero byte at its end.
std::string encoded(Time now, const std::vector<Decision>& decisions) {
    const auto codec = batsim5();
    for (int i = 0; i < 10; ++i) {
        codec->ids().number_of("w0!" + std::to_string(i));
    }
    std::string text;
    codec->encode(now, decisions, text);
    REQUIRE(text.ends_with('\0'));
    text.pop_back();
    return text;
}

// A decision as it is written, without its timestamp.
std::string written(Decision decision) {
    const std::string text = encoded(Time::seconds(1), {std::move(decision)});
    const std::string before = R"({"now":1.000000,"events":[{"timestamp":1.000000,)";
    REQUIRE_THAT(text, StartsWith(before));
    return text.substr(before.size(), text.size() - before.size() - 3);
}

std::string problem_of(const std::string& text) {
    try {
        batsim5()->decode(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "decoded";
}

const std::string job_w0_a =
    R"({"job_id":"w0!a","job":{"resource_request":2,"walltime":100.5,"extra_data":"","rigid":true,"profile_id":"w0!p"},)"
    R"("submission_time":9.5})";

}  // namespace

TEST_CASE("Batsim 5 opens a simulation with the size of the user's text and that text", "[batsim5]") {
    const std::string first("\x0a\0\0\0hello init", 14);
    const auto codec = batsim5();
    CHECK(std::get<Init>(codec->decode(first).events.at(0).data).text == "hello init");
    CHECK(std::get<Init>(codec->decode(std::string(4, '\0')).events.at(0).data).text.empty());

    CHECK(protocol_opened_by(first) == "batsim5");
    CHECK(protocol_opened_by(std::string(4, '\0')) == "batsim5");
    CHECK(protocol_opened_by(R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{}}]})") ==
          "batsim4");
    CHECK(protocol_opened_by(frame("0", {event("0", "SimulationBeginsEvent", "{}")})) == std::nullopt);
    CHECK(protocol_opened_by("") == std::nullopt);
    CHECK(protocol_opened_by(std::string("\x0b\0\0\0hello init", 14)) == std::nullopt);
}

TEST_CASE("The hello to Batsim 5 leaves out nothing that it would die of", "[batsim5]") {
    Hello hello;
    hello.name = "batfill";
    hello.version = "1.2";
    hello.profile_reuse = true;
    std::string text;
    batsim5()->encode(hello, text);
    REQUIRE(text.ends_with('\0'));
    text.pop_back();
    CHECK(text.substr(0, 4) == std::string("\x02\0\0\0", 4));
    CHECK(text.substr(4) ==
          R"({"now":0,"events":[{"timestamp":0,"event_type":"EDCHelloEvent","event":{"batprotocol_version":"1.0.0",)"
          R"("decision_component_name":"batfill","decision_component_version":"1.2","decision_component_commit":"",)"
          R"("requested_simulation_features":{"dynamic_registration":false,"profile_reuse":true,)"
          R"("acknowledge_dynamic_jobs":false,"forward_profiles_on_job_submission":false,)"
          R"("forward_profiles_on_jobs_killed":false,"forward_profiles_on_simulation_begins":false}}}]})");
}

TEST_CASE("A beginning of Batsim 5 says how fast hosts are in their present state", "[batsim5]") {
    const auto begins = only_event<SimulationBegins>(
        "SimulationBeginsEvent",
        R"({"batsim_version":"5","host_number":3,"computation_host_number":2,"storage_host_number":1,"computation_hosts":[)"
        R"({"id":0,"name":"n1","pstate":1,"state":"IDLE","properties":[{"key":"machine","value":"m"}],)"
        R"("zone_properties":[{"key":"z","value":"1"}],"core_count":4,"computation_speed":[2e9,1.5e9]},)"
        R"({"id":1,"name":"n2"}],"storage_hosts":[{"id":2,"name":"disk","state":"IDLE","computation_speed":[1.0]}],)"
        R"("workloads":[{"name":"w0","filename":"a.json"}],"profiles":[],"something_new":7})");
    REQUIRE(begins.hosts.size() == 2);
    const auto& [number, first] = begins.hosts[0];
    CHECK(number == 0);
    CHECK(first.name == "n1");
    CHECK(first.speed == 1.5e9);
    CHECK(first.properties == std::map<std::string, std::string>{{"machine", "m"}});
    CHECK(first.zone_properties == std::map<std::string, std::string>{{"z", "1"}});
    CHECK(begins.hosts[1].second.speed == 0);
    CHECK(begins.last_resource == 2);

    const auto problem_with = [](const std::string& host) {
        return problem_of(frame("0", {event("0", "SimulationBeginsEvent", R"({"computation_hosts":[)" + host + "]}")}));
    };
    const std::string place = "event 0 (\"SimulationBeginsEvent\"): field \"event.computation_hosts.";
    CHECK(problem_with(R"({"id":0,"name":"n","pstate":1,"computation_speed":[1.0]})") ==
          place + "computation_speed\": expected an array of numbers, one for each pstate, found an array");
    CHECK(problem_with(R"({"id":0,"name":"n"},{"id":0,"name":"m"})") ==
          place + "id\": expected a number that no other host has, found the number 0");
    CHECK(problem_with(R"({"id":0})") == place + "name\": expected a text, found none");
    CHECK(problem_with(R"({"id":0,"name":"n","properties":[{"key":"capacity","value":4}]})") ==
          place + "properties.capacity.value\": expected a text, found the number 4");
}

TEST_CASE("A job of Batsim 5 has our fields in its extra_data", "[batsim5]") {
    const auto submitted = only_event<JobSubmitted>("JobSubmittedEvent", job_w0_a);
    CHECK(submitted.job == JobNumber{0});
    const JobDescription& plain = *submitted.description;
    CHECK(plain.id == "w0!a");
    CHECK(plain.submit == Time::at(Duration::microseconds(9'500'000)));
    CHECK(plain.processors == 2);
    CHECK(plain.walltime == Duration::microseconds(100'500'000));
    CHECK(plain.profile == "w0!p");
    CHECK_FALSE(plain.deadline.has_value());

    const auto job_with = [](const std::string& fields) {
        return *only_event<JobSubmitted>("JobSubmittedEvent",
                                         R"({"job_id":"w0!a","job":{"resource_request":2,"profile_id":"w0!p",)" +
                                             fields + R"(},"submission_time":1})")
                    .description;
    };
    CHECK_FALSE(job_with(R"("walltime":null,"extra_data":"")").walltime.has_value());
    CHECK_FALSE(job_with(R"("extra_data":"")").walltime.has_value());
    const JobDescription rich = job_with(
        R"("extra_data":"{\"deadline\": 120.5, \"queue\":3,\"user\":\"u1\",\"licenses\":[\"l\"],\"own\":{}}")");
    CHECK(rich.deadline == Time::at(Duration::microseconds(120'500'000)));
    CHECK(rich.queue == "3");
    CHECK(rich.user == "u1");
    CHECK(rich.licenses == std::vector<std::string>{"l"});
    // Texts that are the user's own.
    for (const std::string text : {"deadline 5", "{deadline", "[1,2]", R"({\"licences\":{\"matlab\":2}})"}) {
        INFO(text);
        CHECK_FALSE(job_with(R"("extra_data":")" + text + "\"").deadline.has_value());
    }
    CHECK(
        problem_of(frame("1", {event("1", "JobSubmittedEvent",
                                     R"({"job_id":"w0!a","job":{"resource_request":2,"profile_id":"w0!p",)"
                                     R"("extra_data":"{\"deadline\":\"soon\"}"},"submission_time":1})")})) ==
        "event 0 (\"JobSubmittedEvent\"): job \"w0!a\": field \"event.job.extra_data.deadline\": expected a number of seconds, at most 1e18, found the text \"soon\"");
}

TEST_CASE("Batsim 5 reports the end of a job with a state", "[batsim5]") {
    const auto completed = only_event<JobCompleted>(
        "JobCompletedEvent", R"({"job_id":"w0!a","state":"COMPLETED_WALLTIME_REACHED","return_code":4294967295})");
    CHECK(completed.job == JobNumber{0});
    CHECK(completed.state == JobState::completed_walltime_reached);
    CHECK(only_event<JobsKilled>("JobsKilledEvent", R"({"job_ids":["w0!a","w0!b"],"progresses":[],"profiles":[]})")
              .jobs == std::vector<JobNumber>{JobNumber{0}, JobNumber{1}});
    only_event<RequestedCall>("RequestedCallEvent", R"({"call_me_later_id":"7","last_periodic_call":true})");
    CHECK(problem_of(frame("1", {event("1", "JobCompletedEvent", R"({"job_id":"w0!a","return_code":0})")})) ==
          "event 0 (\"JobCompletedEvent\"): field \"event.state\": expected a text, found none");
}

TEST_CASE("The other events of Batsim 5 mean what those of Batsim 4 do", "[batsim5]") {
    CHECK(only_event<Notification>("AllStaticJobsHaveBeenSubmittedEvent", "{}").type ==
          NotificationType::no_more_static_job_to_submit);
    CHECK(only_event<Notification>("AllStaticExternalEventsHaveBeenInjectedEvent", "{}").type ==
          NotificationType::no_more_external_event_to_occur);
    const auto changed =
        only_event<ResourceStateChanged>("HostsPStateChangedEvent", R"({"host_ids":"0-3","pstate":2})");
    CHECK(changed.processors == ResourceSet::range(0, 3));
    CHECK(changed.pstate == 2);
    only_event<Ignored>("HostsTurnedOnOffEvent", R"({"host_ids":"1","state":0})");
    only_event<Ignored>("ProbeDataEmittedEvent", R"({"probe_id":"p","data":[1]})");
    only_event<Ignored>("SomethingNewEvent", "[1]");
    only_event<SimulationEnds>("SimulationEndsEvent", "{}");
}

TEST_CASE("An external event of Batsim 5 may say that machines come and go", "[batsim5]") {
    const auto external = [](const std::string& data) {
        return R"({"id":"ee0!3","external_event_type":"GenericExternalEvent","external_event":{"data":")" + data +
               "\"}}";
    };
    const auto change = [&](const std::string& data) {
        return only_event<MachineChanged>("ExternalEventOccurredEvent", external(data));
    };
    const MachineChanged lost = change(R"({\"type\":\"machine_unavailable\",\"timestamp\":5,\"resources\":\"0-1 3\"})");
    CHECK_FALSE(lost.available);
    CHECK(lost.processors == ResourceSet::parse("0-1 3"));
    CHECK(change(R"({\"type\":\"machine_available\",\"resources\":\"2\"})").available);
    for (const std::string text : {"hosts 0-1 down", "{\\\"up\\\": \\\"0-1\\\"}", "{", ""}) {
        INFO(text);
        only_event<Ignored>("ExternalEventOccurredEvent", external(text));
    }
    CHECK_THROWS_WITH(change(R"({\"type\":\"machine_available\",\"resources\":\"all\"})"),
                      Contains(R"("event.external_event.data.resources": expected resources such as "0-3 7")"));
}

TEST_CASE("Timestamps of Batsim 5 that are not true become the last ones that are possible", "[batsim5]") {
    const std::string external =
        R"({"id":"ee0!0","external_event_type":"GenericExternalEvent","external_event":{"data":"x"}})";
    const auto codec = batsim5();
    const Message& message = codec->decode(
        frame("12", {event("5", "JobCompletedEvent", R"({"job_id":"w0!b","state":"COMPLETED_FAILED","return_code":1})"),
                     event("3", "ExternalEventOccurredEvent", external),
                     event("4", "HostsPStateChangedEvent", R"({"host_ids":"0","pstate":0})"),
                     event("10", "JobSubmittedEvent", job_w0_a),
                     event("4", "HostsTurnedOnOffEvent", R"({"host_ids":"0","state":1})")}));
    std::vector<Time> times;
    for (const Message::Event& one : message.events) {
        times.push_back(one.timestamp);
    }
    CHECK(times == std::vector<Time>{Time::seconds(5), Time::seconds(10), Time::seconds(10), Time::seconds(10),
                                     Time::seconds(12)});
    CHECK(
        problem_of(frame("12", {event("10", "JobSubmittedEvent", job_w0_a),
                                event("9", "RequestedCallEvent", R"({"call_me_later_id":"1"})")})) ==
        "event 1 (\"RequestedCallEvent\"): field \"timestamp\": expected a time not before that of the event before it, 10.000000, found the number 9");
}

TEST_CASE("A job of Batsim 5 is never submitted after its message, whatever the rounding", "[batsim5]") {
    // The clock is a sum, and half a microsecond decides how a number is rounded.
    const std::string job =
        R"({"job_id":"w0!a","job":{"resource_request":2,"profile_id":"w0!p"},"submission_time":0.3000005000001})";
    const auto codec = batsim5();
    const Message& message =
        codec->decode(frame("0.3000004999999", {event("0.3000004999999", "JobSubmittedEvent", job)}));
    CHECK(message.now == Time::at(Duration::microseconds(300'000)));
    CHECK(tests::data_of<JobSubmitted>(message.events.at(0)).description->submit == message.now);
}

TEST_CASE("A reply to Batsim 5 has the very time of the message, and a zero byte at its end", "[batsim5]") {
    for (const std::string now : {"2.123456789", "100000.299999999988", "33.3", "0.00007501004", "9876543210"}) {
        const auto codec = batsim5();
        const Message& message = codec->decode(frame(now, {}) + std::string(1, '\0'));
        std::string reply;
        codec->encode(message.now, {RejectJob{codec->ids().number_of("w0!a"), {}, {}}}, reply);
        INFO(reply);
        CHECK(reply.back() == '\0');
        const std::size_t begin = std::string_view(R"({"now":)").size();
        CHECK(std::stod(reply.substr(begin)) == std::stod(now));
        const std::string timestamp = R"({"timestamp":)";
        CHECK(std::stod(reply.substr(reply.find(timestamp) + timestamp.size())) == std::stod(now));
    }
}

TEST_CASE("Decisions are written as Batsim 5 reads them", "[batsim5]") {
    CHECK(written(StartJob{JobNumber{1}, *ResourceSet::parse("0-1 3")}) ==
          R"("event_type":"ExecuteJobEvent","event":{"job_id":"w0!1","allocation":{"host_allocation":"0-1 3",)"
          R"("executor_placement_type":"PredefinedExecutorPlacementStrategyWrapper","executor_placement":{}}})");
    CHECK(written(RejectJob{JobNumber{2}, {}, {}}) == R"("event_type":"RejectJobEvent","event":{"job_id":"w0!2"})");
    CHECK(written(KillJobs{{JobNumber{3}, JobNumber{4}}}) ==
          R"("event_type":"KillJobsEvent","event":{"job_ids":["w0!3","w0!4"]})");
    CHECK(written(Notification{NotificationType::registration_finished, {}, {}}) ==
          R"("event_type":"FinishRegistrationEvent","event":{})");
    JobDescription job;
    job.id = "w0!7";
    job.processors = 3;
    job.profile = "w0!p";
    CHECK(written(RegisterJob{JobNumber{7}, job, {}}) ==
          R"("event_type":"RegisterJobEvent","event":{"job_id":"w0!7","job":{"resource_request":3,"walltime":null,)"
          R"("extra_data":"","profile_id":"w0!p"}})");
    job.walltime = Duration::seconds(60);
    job.deadline = Time::seconds(900);
    job.licenses = {"l"};
    CHECK(written(RegisterJob{JobNumber{7}, job, {}}) ==
          R"("event_type":"RegisterJobEvent","event":{"job_id":"w0!7","job":{"resource_request":3,)"
          R"("walltime":60.000000,"extra_data":"{\"deadline\":900,\"licenses\":[\"l\"]}","profile_id":"w0!p"}})");
}

TEST_CASE("The codec requests calls of Batsim 5 at whole milliseconds, never too early", "[batsim5]") {
    const auto when = [](long long microseconds) {
        const std::string text = written(CallMeLater{Time::at(Duration::microseconds(microseconds))});
        const std::string before =
            R"("event_type":"CallMeLaterEvent","event":{"call_me_later_id":"1","when_type":"OneShot","when":{"time":)";
        REQUIRE_THAT(text, StartsWith(before));
        return text.substr(before.size());
    };
    CHECK(when(1'500'000) == R"(1500,"time_unit":"Millisecond"}})");
    CHECK(when(1'500'001) == R"(1501,"time_unit":"Millisecond"}})");
    CHECK(when(1'500'999) == R"(1501,"time_unit":"Millisecond"}})");
    CHECK(when(1) == R"(1,"time_unit":"Millisecond"}})");
    const Time far = Time::seconds(100'000'000'000'000'000) + Duration::microseconds(1);
    CHECK_THAT(written(CallMeLater{far}), Contains(R"("when":{"time":100000000000000001,"time_unit":"Second"})"));

    const std::string two = encoded(Time::seconds(1), {CallMeLater{Time::seconds(2)}, CallMeLater{Time::seconds(3)}});
    CHECK_THAT(two, Contains(R"("call_me_later_id":"1")") && Contains(R"("call_me_later_id":"2")"));
}

TEST_CASE("Decisions that Batsim 5 does not have are left out, and leave no comma", "[batsim5]") {
    const Time now = Time::seconds(1);
    const std::string rejection = R"({"timestamp":1.000000,"event_type":"RejectJobEvent","event":{"job_id":"w0!1"}})";
    CHECK(encoded(now, {SetJobMetadata{JobNumber{1}, "m"}, RejectJob{JobNumber{1}, {}, {}}}) ==
          R"({"now":1.000000,"events":[)" + rejection + "]}");
    CHECK(encoded(now, {RejectJob{JobNumber{1}, {}, {}}, SetJobMetadata{JobNumber{1}, "m"},
                        Notification{NotificationType::continue_registration, {}, {}}}) ==
          R"({"now":1.000000,"events":[)" + rejection + "]}");
    CHECK(encoded(now, {SetJobMetadata{JobNumber{1}, "m"}}) == R"({"now":1.000000,"events":[]})");
}

TEST_CASE("A refusal of Batsim 5 is of the form that it waits for", "[batsim5]") {
    const auto codec = batsim5();
    std::string refusal;
    tests::Batsim5ReplyReader reader;
    const auto message_of_refusal = [&] { return std::get<Refusal>(reader.read(refusal).events.at(0).data).problem; };
    codec->decode(std::string(4, '\0'));
    codec->encode_refusal("no \"algorithm\"", refusal);
    CHECK_THAT(refusal, StartsWith(std::string("\x02\0\0\0{", 5)));
    CHECK(message_of_refusal() == R"(no "algorithm")");
    codec->decode(frame("1", {}));
    codec->encode_refusal("too late", refusal);
    CHECK_THAT(refusal, StartsWith("{"));
    CHECK(refusal.back() == '\0');
    CHECK(message_of_refusal() == "too late");
}

}  // namespace batfill::tests::batsim5_codec_test
