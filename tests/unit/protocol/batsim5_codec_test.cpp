#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "batsim5_frames.hpp"
#include "protocol/codec.hpp"

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
    const Message message = batsim5()->decode_message(frame("10", {event("10", type, data)}));
    REQUIRE(message.events.size() == 1);
    return std::get<Data>(message.events[0].data);
}

template <class Data>
Data only_decision(const std::string& type, const std::string& data) {
    const Reply reply = batsim5()->decode_reply(frame("10", {event("10", type, data)}));
    REQUIRE(reply.events.size() == 1);
    return std::get<Data>(reply.events[0].data);
}

// The frame of a reply without its final zero byte.
std::string encoded(const Reply& reply) {
    std::string text;
    batsim5()->encode_reply(reply, text);
    REQUIRE(text.ends_with('\0'));
    text.pop_back();
    return text;
}

// An encoded decision without its timestamp.
std::string written(ReplyEvent::Data decision) {
    const std::string text = encoded({Time::seconds(1), {{Time::seconds(1), std::move(decision)}}});
    const std::string before = R"({"now":1.000000,"events":[{"timestamp":1.000000,)";
    REQUIRE_THAT(text, StartsWith(before));
    return text.substr(before.size(), text.size() - before.size() - 3);
}

std::string problem_of(const std::string& text) {
    try {
        batsim5()->decode_message(text);
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
    std::string first;
    batsim5()->encode_message({Time(), {{Time(), Init{"hello init"}}}}, first);
    CHECK(first == std::string("\x0a\0\0\0hello init", 14));
    const Message message = batsim5()->decode_message(first);
    REQUIRE(message.events.size() == 1);
    CHECK(std::get<Init>(message.events[0].data).text == "hello init");
    CHECK(std::get<Init>(batsim5()->decode_message(std::string(4, '\0')).events.at(0).data).text.empty());

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
    const std::string text = encoded({Time(), {{Time(), hello}}});
    CHECK(text.substr(0, 4) == std::string("\x02\0\0\0", 4));
    CHECK(text.substr(4) ==
          R"({"now":0,"events":[{"timestamp":0,"event_type":"EDCHelloEvent","event":{"batprotocol_version":"1.0.0",)"
          R"("decision_component_name":"batfill","decision_component_version":"1.2","decision_component_commit":"",)"
          R"("requested_simulation_features":{"dynamic_registration":false,"profile_reuse":true,)"
          R"("acknowledge_dynamic_jobs":false,"forward_profiles_on_job_submission":false,)"
          R"("forward_profiles_on_jobs_killed":false,"forward_profiles_on_simulation_begins":false}}}]})");
    CHECK(std::get<Hello>(batsim5()->decode_reply(text).events.at(0).data) == hello);
    CHECK_THROWS_WITH(batsim5()->decode_reply(std::string("\x01\0\0\0", 4) + text.substr(4)),
                      Contains("speaks format 1, expected JSON"));
}

TEST_CASE("A beginning of Batsim 5 says how fast hosts are in their present state", "[batsim5]") {
    const auto begins = only_event<SimulationBegins>(
        "SimulationBeginsEvent",
        R"({"batsim_version":"5","host_number":3,"computation_host_number":2,"storage_host_number":1,"computation_hosts":[)"
        R"({"id":0,"name":"n1","pstate":1,"state":"IDLE","properties":[{"key":"machine","value":"m"}],)"
        R"("zone_properties":[{"key":"z","value":"1"}],"core_count":4,"computation_speed":[2e9,1.5e9]},)"
        R"({"id":1,"name":"n2"}],"storage_hosts":[{"id":2,"name":"disk","state":"IDLE","computation_speed":[1.0]}],)"
        R"("workloads":[{"name":"w0","filename":"a.json"}],"profiles":[],"something_new":7})");
    REQUIRE(begins.compute_resources.size() == 2);
    CHECK(begins.compute_resources[0].speed == 1.5e9);
    CHECK(begins.compute_resources[0].properties == Properties{{"machine", "m"}});
    CHECK(begins.compute_resources[0].zone_properties == Properties{{"z", "1"}});
    CHECK(begins.compute_resources[1].speed == 0);
    REQUIRE(begins.storage_resources.size() == 1);
    CHECK(begins.storage_resources[0].id == 2);
    CHECK(begins.workloads == Properties{{"w0", "a.json"}});
    CHECK(
        begins.other ==
        R"({"batsim_version":"5","host_number":3,"computation_host_number":2,"storage_host_number":1,"something_new":7})");

    const auto problem_with = [](const std::string& host) {
        return problem_of(frame("0", {event("0", "SimulationBeginsEvent", R"({"computation_hosts":[)" + host + "]}")}));
    };
    const std::string place = "event 0 (\"SimulationBeginsEvent\"): field \"event.computation_hosts.";
    CHECK(problem_with(R"({"id":0,"name":"n","pstate":1,"computation_speed":[1.0]})") ==
          place + "computation_speed\": expected an array of numbers, one for each pstate, found an array");
    CHECK(problem_with(R"({"id":0,"name":"n"},{"id":0,"name":"m"})") ==
          place + "id\": expected a number that no other host has, found the number 0");
    CHECK(problem_with(R"({"id":0})") == place + "name\": expected a text, found none");
}

TEST_CASE("A job of Batsim 5 has what is ours in its extra_data", "[batsim5]") {
    const auto plain = only_event<JobSubmitted>("JobSubmittedEvent", job_w0_a).job;
    CHECK(plain.id == "w0!a");
    CHECK(plain.submit == Time::at(Duration::microseconds(9'500'000)));
    CHECK(plain.processors == 2);
    CHECK(plain.walltime == Duration::microseconds(100'500'000));
    CHECK(plain.profile == "w0!p");
    CHECK_FALSE(plain.deadline.has_value());

    const auto job_with = [](const std::string& fields) {
        return only_event<JobSubmitted>("JobSubmittedEvent",
                                        R"({"job_id":"w0!a","job":{"resource_request":2,"profile_id":"w0!p",)" +
                                            fields + R"(},"submission_time":1})")
            .job;
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
    CHECK(problem_of(frame("1", {event("1", "JobSubmittedEvent",
                                       R"({"job_id":"w0!a","job":{"resource_request":2,"profile_id":"w0!p",)"
                                       R"("extra_data":"{\"deadline\":\"soon\"}"},"submission_time":1})")})) ==
          "event 0 (\"JobSubmittedEvent\"): field \"event.job.extra_data.deadline\": expected a number of seconds, at "
          "most "
          "1e18, found the text \"soon\"");
}

TEST_CASE("What ends in Batsim 5 is told with a state and a code of 32 bits", "[batsim5]") {
    const auto completed = only_event<protocol::JobCompleted>(
        "JobCompletedEvent", R"({"job_id":"w0!a","state":"COMPLETED_WALLTIME_REACHED","return_code":4294967295})");
    CHECK(completed.state == JobState::completed_walltime_reached);
    CHECK(completed.return_code == -1);
    CHECK(only_event<protocol::JobCompleted>("JobCompletedEvent",
                                             R"({"job_id":"w0!a","state":"COMPLETED_FAILED","return_code":7})")
              .return_code == 7);
    CHECK(only_event<JobKilled>("JobsKilledEvent", R"({"job_ids":["w0!a","w0!b"],"progresses":[],"profiles":[]})") ==
          JobKilled{{"w0!a", "w0!b"}, R"({"progresses":[],"profiles":[]})"});
    const auto call = only_event<protocol::RequestedCall>("RequestedCallEvent",
                                                          R"({"call_me_later_id":"7","last_periodic_call":true})");
    CHECK(call.id == "7");
    CHECK(call.last_periodic);
    CHECK(problem_of(frame("1", {event("1", "JobCompletedEvent", R"({"job_id":"w0!a","return_code":0})")})) ==
          "event 0 (\"JobCompletedEvent\"): field \"event.state\": expected a text, found none");
}

TEST_CASE("The other events of Batsim 5 mean what those of Batsim 4 do", "[batsim5]") {
    CHECK(only_event<Notify>("AllStaticJobsHaveBeenSubmittedEvent", "{}").type ==
          NotificationType::no_more_static_job_to_submit);
    CHECK(only_event<Notify>("AllStaticExternalEventsHaveBeenInjectedEvent", "{}").type ==
          NotificationType::no_more_external_event_to_occur);
    CHECK(only_event<ResourceStateChanged>("HostsPStateChangedEvent", R"({"host_ids":"0-3","pstate":2})") ==
          ResourceStateChanged{ResourceSet::range(0, 3), 2});
    CHECK(only_event<HostsTurnedOnOff>("HostsTurnedOnOffEvent", R"({"host_ids":"1","state":0})") ==
          HostsTurnedOnOff{ResourceSet::range(1, 1), 0});
    CHECK(only_event<UnknownEvent>("ProbeDataEmittedEvent", R"({"probe_id":"p","data":[1]})") ==
          UnknownEvent{"ProbeDataEmittedEvent", R"({"probe_id":"p","data":[1]})"});
    CHECK(only_event<UnknownEvent>("SomethingNewEvent", "[1]") == UnknownEvent{"SomethingNewEvent", "[1]"});
    only_event<SimulationEnds>("SimulationEndsEvent", "{}");
}

TEST_CASE("An external event of Batsim 5 may say that machines come and go", "[batsim5]") {
    const auto event_with = [](const std::string& data) {
        return only_event<Notify>(
            "ExternalEventOccurredEvent",
            R"({"id":"ee0!3","external_event_type":"GenericExternalEvent","external_event":{"data":")" + data + "\"}}");
    };
    const Notify lost = event_with(R"({\"type\":\"machine_unavailable\",\"timestamp\":5,\"resources\":\"0-1 3\"})");
    CHECK(lost.type == NotificationType::event_machine_unavailable);
    CHECK(lost.resources == ResourceSet::parse("0-1 3"));
    CHECK(event_with(R"({\"type\":\"machine_available\",\"resources\":\"2\"})").type ==
          NotificationType::event_machine_available);
    for (const std::string text : {"hosts 0-1 down", "{\\\"up\\\": \\\"0-1\\\"}", "{", ""}) {
        INFO(text);
        const Notify other = event_with(text);
        CHECK(other.type == NotificationType::other);
        CHECK(other.other_type == "GenericExternalEvent");
        CHECK_FALSE(other.resources.has_value());
        CHECK_THAT(other.other, Contains("\"id\":\"ee0!3\""));
    }
    CHECK_THROWS_WITH(event_with(R"({\"type\":\"machine_available\",\"resources\":\"all\"})"),
                      Contains(R"("event.external_event.data.resources": expected resources such as "0-3 7")"));
}

TEST_CASE("Timestamps of Batsim 5 that are not true become the last ones that are possible", "[batsim5]") {
    const std::string external =
        R"({"id":"ee0!0","external_event_type":"GenericExternalEvent","external_event":{"data":"x"}})";
    const Message message = batsim5()->decode_message(
        frame("12", {event("5", "JobCompletedEvent", R"({"job_id":"w0!b","state":"COMPLETED_FAILED","return_code":1})"),
                     event("3", "ExternalEventOccurredEvent", external),
                     event("4", "HostsPStateChangedEvent", R"({"host_ids":"0","pstate":0})"),
                     event("10", "JobSubmittedEvent", job_w0_a),
                     event("4", "HostsTurnedOnOffEvent", R"({"host_ids":"0","state":1})")}));
    std::vector<Time> times;
    for (const protocol::Event& one : message.events) {
        times.push_back(one.timestamp);
    }
    CHECK(times == std::vector<Time>{Time::seconds(5), Time::seconds(10), Time::seconds(10), Time::seconds(10),
                                     Time::seconds(12)});
    CHECK(problem_of(frame("12", {event("10", "JobSubmittedEvent", job_w0_a),
                                  event("9", "RequestedCallEvent", R"({"call_me_later_id":"1"})")})) ==
          "event 1 (\"RequestedCallEvent\"): field \"timestamp\": expected a time not before that of the event before "
          "it, "
          "10.000000, found the number 9");
}

TEST_CASE("A job of Batsim 5 is never submitted after it is told, whatever the rounding", "[batsim5]") {
    // The clock is a sum, and half a microsecond decides how a number is rounded.
    const std::string job =
        R"({"job_id":"w0!a","job":{"resource_request":2,"profile_id":"w0!p"},"submission_time":0.3000005000001})";
    const Message message =
        batsim5()->decode_message(frame("0.3000004999999", {event("0.3000004999999", "JobSubmittedEvent", job)}));
    CHECK(message.now == Time::at(Duration::microseconds(300'000)));
    CHECK(std::get<JobSubmitted>(message.events.at(0).data).job.submit == message.now);
}

TEST_CASE("A reply to Batsim 5 has the very time of the message, and a zero byte at its end", "[batsim5]") {
    for (const std::string now : {"2.123456789", "100000.299999999988", "33.3", "0.00007501004", "9876543210"}) {
        const auto codec = batsim5();
        const Message message = codec->decode_message(frame(now, {}) + std::string(1, '\0'));
        std::string reply;
        codec->encode_reply({message.now, {{message.now, protocol::RejectJob{"w0!a"}}}}, reply);
        INFO(reply);
        CHECK(reply.back() == '\0');
        const std::size_t begin = std::string_view(R"({"now":)").size();
        CHECK(std::stod(reply.substr(begin)) == std::stod(now));
        const std::string timestamp = R"({"timestamp":)";
        CHECK(std::stod(reply.substr(reply.find(timestamp) + timestamp.size())) == std::stod(now));
    }
}

TEST_CASE("Decisions are written as Batsim 5 reads them", "[batsim5]") {
    CHECK(written(ExecuteJob{"w0!1", *ResourceSet::parse("0-1 3"), {}}) ==
          R"("event_type":"ExecuteJobEvent","event":{"job_id":"w0!1","allocation":{"host_allocation":"0-1 3",)"
          R"("executor_placement_type":"PredefinedExecutorPlacementStrategyWrapper","executor_placement":{}}})");
    CHECK(written(protocol::RejectJob{"w0!2"}) == R"("event_type":"RejectJobEvent","event":{"job_id":"w0!2"})");
    CHECK(written(KillJob{{"w0!3", "w0!4"}}) == R"("event_type":"KillJobsEvent","event":{"job_ids":["w0!3","w0!4"]})");
    CHECK(written(Notify{NotificationType::registration_finished, {}, {}, {}}) ==
          R"("event_type":"FinishRegistrationEvent","event":{})");
    CHECK(written(ForceSimulationStop{}) == R"("event_type":"ForceSimulationStopEvent","event":{})");
    CHECK(written(StopCallMeLater{"3"}) == R"("event_type":"StopCallMeLaterEvent","event":{"call_me_later_id":"3"})");
    CHECK(written(SetResourceState{ResourceSet::range(0, 1), 2}) ==
          R"("event_type":"ChangeHostsPStateEvent","event":{"host_ids":"0-1","pstate":2})");
    CHECK(written(TurnOnOffHosts{ResourceSet::range(0, 1), 1}) ==
          R"("event_type":"TurnOnOffHostsEvent","event":{"host_ids":"0-1","state":1})");
    CHECK(
        written(RegisterProfile{"w0", "p", R"({"id":"w0!p","profile_type":"DelayProfile","profile":{"delay":5.0}})"}) ==
        R"("event_type":"RegisterProfileEvent","event":{"profile":{"id":"w0!p","profile_type":"DelayProfile",)"
        R"("profile":{"delay":5.0}}})");
    JobDescription job;
    job.id = "w0!7#1";
    job.processors = 3;
    job.profile = "w0!p";
    CHECK(written(protocol::RegisterJob{job, {}}) ==
          R"("event_type":"RegisterJobEvent","event":{"job_id":"w0!7#1","job":{"resource_request":3,"walltime":null,)"
          R"("extra_data":"","profile_id":"w0!p"}})");
    job.walltime = Duration::seconds(60);
    job.deadline = Time::seconds(900);
    job.licenses = {"l"};
    CHECK(written(protocol::RegisterJob{job, {}}) ==
          R"("event_type":"RegisterJobEvent","event":{"job_id":"w0!7#1","job":{"resource_request":3,)"
          R"("walltime":60.000000,"extra_data":"{\"deadline\":900,\"licenses\":[\"l\"]}","profile_id":"w0!p"}})");
}

TEST_CASE("Batsim 5 is asked for calls at whole milliseconds, never too early", "[batsim5]") {
    const auto when = [](long long microseconds) {
        const std::string text = written(protocol::CallMeLater{Time::at(Duration::microseconds(microseconds)), "1"});
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
    CHECK_THAT(written(protocol::CallMeLater{far, "1"}),
               Contains(R"("when":{"time":100000000000000001,"time_unit":"Second"})"));

    const std::string oneshot = R"({"call_me_later_id":"x","when_type":"OneShot","when":{"time":1501,"time_unit":)";
    CHECK(only_decision<protocol::CallMeLater>("CallMeLaterEvent", oneshot + R"("Millisecond"}})").when ==
          Time::at(Duration::microseconds(1'501'000)));
    CHECK(only_decision<protocol::CallMeLater>("CallMeLaterEvent", oneshot + R"("Second"}})").when ==
          Time::seconds(1501));
    const auto periodic = only_decision<protocol::CallMeLater>(
        "CallMeLaterEvent",
        R"({"call_me_later_id":"x","when_type":"Periodic","when":{"period":3,"offset":0,"time_unit":"Second",)"
        R"("mode_type":"Infinite","mode":{}}})");
    CHECK(periodic.id == "x");
    CHECK_THAT(written(periodic), Contains(R"("when_type":"Periodic","when":{"period":3,"offset":0,)"));
    CHECK_THROWS_WITH(only_decision<protocol::CallMeLater>("CallMeLaterEvent", oneshot + R"("Hour"}})"),
                      Contains(R"(expected "Second" or "Millisecond")"));
}

TEST_CASE("Events that Batsim 5 does not have are left out, and leave no comma", "[batsim5]") {
    const Time now = Time::seconds(1);
    const std::string rejection = R"({"timestamp":1.000000,"event_type":"RejectJobEvent","event":{"job_id":"w0!1"}})";
    CHECK(encoded({now, {{now, protocol::SetJobMetadata{"w0!1", "m"}}, {now, protocol::RejectJob{"w0!1"}}}}) ==
          R"({"now":1.000000,"events":[)" + rejection + "]}");
    CHECK(encoded({now,
                   {{now, protocol::RejectJob{"w0!1"}},
                    {now, ChangeJobState{"w0!1", JobState::running}},
                    {now, Query{"{}"}},
                    {now, Notify{NotificationType::continue_registration, {}, {}, {}}}}}) ==
          R"({"now":1.000000,"events":[)" + rejection + "]}");
    std::string batsim4;
    make_codec("batsim4")->encode_reply({now, {{now, ForceSimulationStop{}}, {now, protocol::RejectJob{"w0!1"}}}},
                                        batsim4);
    CHECK(batsim4 ==
          R"({"now":1.000000,"events":[{"timestamp":1.000000,"type":"REJECT_JOB","data":{"job_id":"w0!1"}}]})");
}

TEST_CASE("A refusal of Batsim 5 is of the form that it waits for", "[batsim5]") {
    const auto codec = batsim5();
    std::string refusal;
    const auto message_of_refusal = [&] {
        return std::get<UnknownEvent>(batsim5()->decode_reply(refusal).events.at(0).data).data;
    };
    codec->decode_message(std::string(4, '\0'));
    codec->encode_refusal("no \"algorithm\"", refusal);
    CHECK_THAT(refusal, StartsWith(std::string("\x02\0\0\0{", 5)));
    CHECK(message_of_refusal() == R"({"message":"no \"algorithm\""})");
    codec->decode_message(frame("1", {}));
    codec->encode_refusal("too late", refusal);
    CHECK_THAT(refusal, StartsWith("{"));
    CHECK(refusal.back() == '\0');
    CHECK(message_of_refusal() == R"({"message":"too late"})");
}

}  // namespace batfill::tests::batsim5_codec_test
