#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/batsim4.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/data_of.hpp"
#include "tests/support/decoding_errors.hpp"

namespace batfill::tests::protocol_codec_test {

using namespace batfill::protocol;

namespace {

template <class Data>
Data only_event(const std::string& frame) {
    const auto codec = make_codec("batsim4");
    Message& message = codec->decode(frame);
    REQUIRE(message.events.size() == 1);
    return tests::data_of<Data>(message.events[0]);
}

template <class Data>
Data only_decision(const std::string& frame) {
    ReplyReader reader;
    Message& reply = reader.read(frame);
    REQUIRE(reply.events.size() == 1);
    return std::get<Data>(std::get<Decision>(std::move(reply.events[0].data)));
}

}  // namespace

TEST_CASE("Jobs have numbers in the order in which frames first name them", "[codec]") {
    const tests::CaughtLog log;
    const auto codec = make_codec("batsim4");
    const auto completed = [](const std::string& id, const std::string& state) {
        return R"({"timestamp":1,"type":"JOB_COMPLETED","data":{"job_id":")" + id + R"(","job_state":")" + state +
               "\"}}";
    };
    const std::string good = completed("b", "COMPLETED_FAILED") + ',' + completed("a", "COMPLETED_FAILED");
    const auto message = [&](const std::string& events) { return R"({"now":1,"events":[)" + events + "]}"; };
    const auto job = [](const Message::Event& event) { return tests::data_of<JobCompleted>(event).job; };
    {
        const Message& first = codec->decode(message(good));
        CHECK(job(first.events[0]) == JobNumber{0});
        CHECK(job(first.events[1]) == JobNumber{1});
    }
    // What is refused leaves no trace.
    CHECK_THROWS_AS(codec->decode(message(completed("c", "COMPLETED_FAILED") + ',' + completed("d", "LOST"))),
                    InputError);
    CHECK(codec->ids().size() == 2);
    const Message& second = codec->decode(message(completed("d", "COMPLETED_FAILED") + ',' + good));
    CHECK(job(second.events[0]) == JobNumber{2});
    CHECK(job(second.events[1]) == JobNumber{0});
    CHECK(codec->ids().id(JobNumber{2}) == "d");
    // What other schedulers hear gives no numbers.
    codec->decode(message(R"({"timestamp":1,"type":"FROM_JOB_MSG","data":{"job_id":"e","msg":1}})"));
    CHECK(codec->ids().size() == 3);
}

TEST_CASE("Times far in the future keep their value") {
    const std::string frame = R"({"now":100000000000000000.000000,"events":[{"timestamp":99999999999999984.000000,)"
                              R"("type":"REQUESTED_CALL","data":{}}]})";
    const auto codec = make_codec("batsim4");
    const Message& message = codec->decode(frame);
    CHECK(message.now == Time::seconds(100'000'000'000'000'000));
    CHECK(message.events[0].timestamp < message.now);
    CHECK(codec->decode(R"({"now":1e18,"events":[]})").now == Time::seconds(1'000'000'000'000'000'000));
    CHECK_THROWS_AS(codec->decode(R"({"now":1.1e18,"events":[]})"), InputError);
}

TEST_CASE("Times may be integers, decimals or have exponents") {
    ReplyReader reader;
    CHECK(reader.read(R"({"now":20.000030000000004,"events":[]})").now.to_string() == "20.000030");
    CHECK(reader.read(R"({"now":3,"events":[]})").now == Time::seconds(3));
    CHECK(reader.read(R"({"now":4.5e-05,"events":[]})").now.to_string() == "0.000045");
}

TEST_CASE("Numbers at the edges of what JSON can say keep their value") {
    const auto passed_on = [](const std::string& number) {
        return only_decision<RegisterProfile>(
                   frame_of("REGISTER_PROFILE",
                            R"({"workload_name":"w","profile_name":"p","profile":{"n":)" + number + "}}"))
            .source;
    };
    CHECK(passed_on("0e300") == R"({"n":0.000000})");
    CHECK(passed_on("0.1e-400") == R"({"n":0.000000})");
    CHECK(passed_on("-0") == R"({"n":0})");
    CHECK(passed_on("-9223372036854775808") == R"({"n":-9223372036854775808})");
    CHECK(passed_on("18446744073709551615") == R"({"n":18446744073709551615})");
    CHECK(passed_on("18446744073709551616") == R"({"n":18446744073709551616.000000})");
    CHECK(passed_on("1e22") == R"({"n":10000000000000000000000.000000})");
    CHECK(passed_on("1.7976931348623157e308").size() == 309 + 7 + 6);
    CHECK(message_error(frame_of("NEW", "9e308")).ends_with(": a number too large for a double"));
    CHECK(message_error(frame_of("NEW", "-9e308")).ends_with(": a number too large for a double"));
}

TEST_CASE("A submitted job is read with the fields that are ours, and all others mean nothing") {
    const tests::CaughtLog log;
    const auto event = only_event<JobSubmitted>(
        frame_of("JOB_SUBMITTED",
                 R"({"job_id":"w0!1","job":{ "id":"w0!1", "subtime":3.25, "res":4, "walltime":7, "profile":"p",)"
                 R"("deadline":99.5,"queue":2,"user":"ada","licenses":["x","y"],"colour":[1.5,null]},)"
                 R"("profile":{"type":"delay","delay":7}})"));
    CHECK(event.job == JobNumber{0});
    const JobDescription& job = *event.description;
    CHECK(job.id == "w0!1");
    CHECK(job.submit.to_string() == "3.250000");
    CHECK(job.processors == 4);
    CHECK(job.walltime == Duration::seconds(7));
    CHECK(job.deadline->to_string() == "99.500000");
    CHECK(job.queue == "2");
    CHECK(job.user == "ada");
    CHECK(job.licenses == std::vector<std::string>{"x", "y"});
    CHECK(job.profile == "p");
    CHECK(log.text().empty());
}

TEST_CASE("A job without walltime, or with a negative one, has none") {
    const auto job = [](const std::string& walltime) {
        return *only_event<JobSubmitted>(
                    frame_of("JOB_SUBMITTED", R"({"job_id":"w0!1","job":{"id":1,"subtime":0,"res":1)" + walltime +
                                                  R"(,"profile":"p"}})"))
                    .description;
    };
    CHECK_FALSE(job("").walltime);
    CHECK_FALSE(job(R"(,"walltime":-1)").walltime);
    CHECK(job(R"(,"walltime":0.5)").walltime == Duration::microseconds(500'000));
    CHECK_FALSE(job("").deadline);
}

TEST_CASE("A registered job has the id of its event, whatever its object says") {
    const auto registers = only_decision<RegisterJob>(
        frame_of("REGISTER_JOB", R"({"job_id":"dyn!0","job":{"id":"0","subtime":1,"res":1,"profile":"p"}})"));
    CHECK(registers.job == JobNumber{0});
    CHECK(registers.description.id == "dyn!0");
    CHECK(registers.source == R"({"id":"dyn!0","subtime":1,"res":1,"profile":"p"})");
}

TEST_CASE("Fields that no scheduler needs must be JSON, and no more", "[codec]") {
    const tests::CaughtLog log;
    const auto killed = only_event<JobsKilled>(frame_of("JOB_KILLED", R"({"job_ids":["w0!1"],"job_progress":[7]})"));
    CHECK(killed.jobs == std::vector<JobNumber>{JobNumber{0}});
    const std::string completed = R"({"job_id":"a","job_state":"COMPLETED_FAILED","return_code":"x","alloc":[3]})";
    CHECK(only_event<JobCompleted>(frame_of("JOB_COMPLETED", completed)).state == JobState::completed_failed);
    CHECK(only_event<SimulationBegins>(
              frame_of("SIMULATION_BEGINS", R"({"config":{"redis-port":"x","redis-prefix":1},"compute_resources":[],)"
                                            R"("profiles":7,"workloads":[],"nb_resources":5})"))
              .hosts.empty());
    for (const char* type : {"QUERY", "ANSWER", "FROM_JOB_MSG"}) {
        INFO(type);
        only_event<Ignored>(frame_of(type, R"({"consumed_energy":12.5,"msg":{"a":[1]}})"));
    }
    CHECK(log.text().empty());
}

TEST_CASE("Notifications name machines where they are about machines") {
    const tests::CaughtLog log;
    const auto machines = only_event<MachineChanged>(
        frame_of("NOTIFY", R"({"type":"event_machine_unavailable","resources":"3 1-2","why":"fire"})"));
    CHECK(machines.processors == ResourceSet::range(1, 3));
    CHECK_FALSE(machines.available);
    CHECK(only_event<MachineChanged>(frame_of("NOTIFY", R"({"type":"event_machine_available","resources":""})"))
              .available);
    CHECK(only_event<Notification>(frame_of("NOTIFY", R"({"type":"no_more_static_job_to_submit"})")).type ==
          NotificationType::no_more_static_job_to_submit);
    CHECK(only_event<Notification>(frame_of("NOTIFY", R"({"timestamp":5,"type":"flood","resources":"all"})")).type ==
          NotificationType::other);
    CHECK(log.text().empty());
}

TEST_CASE("A codec is found by the name of its protocol", "[codec]") {
    CHECK(make_codec(default_protocol) != nullptr);
    CHECK_THROWS_AS(make_codec("batsim"), UsageError);
    CHECK_THROWS_WITH(make_codec("batsim"), "unknown protocol 'batsim', known: " + known_protocols());
    CHECK_THROWS_AS(ProtocolRegistration(
                        "batsim4", [] { return std::unique_ptr<Codec>(); }, [](std::string_view) { return false; }),
                    std::logic_error);
}

TEST_CASE("Unknown events and fields are tolerated, and logged once per name") {
    const tests::CaughtLog log;
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 3; ++i) {
        const Message& message =
            codec->decode(R"({"now":1,"extra":1,"events":[{"timestamp":1,"type":"NEW","data":[1.5]},)"
                          R"({"timestamp":1,"type":"OLD"},)"
                          R"({"timestamp":1,"type":"SIMULATION_ENDS","data":{"mood":"good"},"id":4}]})");
        CHECK(std::holds_alternative<Ignored>(message.events[0].data));
        CHECK(std::holds_alternative<Ignored>(message.events[1].data));
        CHECK(std::holds_alternative<SimulationEnds>(message.events[2].data));
    }
    CHECK(log.text() ==
          "warning: unknown event \"NEW\" (said once)\n"
          "warning: unknown event \"OLD\" (said once)\n"
          "warning: unknown field \"data.mood\" (said once)\n"
          "warning: unknown field \"id\" (said once)\n"
          "warning: unknown field \"extra\" (said once)\n");
}

TEST_CASE("However many unknown names there are, the log stays short") {
    const tests::CaughtLog log;
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 1000; ++i) {
        codec->decode(frame_of("NEW_" + std::to_string(i) + "\\n", "{}"));
    }
    const std::string text = log.text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 100);
}

TEST_CASE("The start of a simulation may lack options, which then have Batsim's defaults") {
    const auto begins = only_event<SimulationBegins>(frame_of(
        "SIMULATION_BEGINS", R"({"config":{"sched-config":"{\"a\":1}"},"compute_resources":[{"id":0,"name":"h"}],)"
                             R"("workloads":{"w0":"file.json"},"profiles":{"w0":{}}})"));
    CHECK(begins.options.scheduler_configuration == R"({"a":1})");
    CHECK_FALSE(begins.options.redis_enabled);
    CHECK_FALSE(begins.options.dynamic_jobs_enabled);
    CHECK_FALSE(begins.options.dynamic_jobs_acknowledged);
    CHECK_FALSE(begins.options.profile_reuse_enabled);
    REQUIRE(begins.hosts.size() == 1);
    CHECK(begins.hosts[0].first == 0);
    CHECK(begins.hosts[0].second.name == "h");
    CHECK(begins.last_resource == 0);
}

TEST_CASE("Frames nested too deeply are refused, however deep") {
    for (const std::size_t depth : {std::size_t{200}, std::size_t{10'000}, std::size_t{1'000'000}}) {
        const std::string arrays = std::string(depth, '[') + std::string(depth, ']');
        CHECK(message_error(arrays) == "JSON at byte 129: nested deeper than 128");
        CHECK(message_error(frame_of("NEW", arrays)).ends_with(": nested deeper than 128"));
    }
    const std::string bearable = std::string(100, '[') + std::string(100, ']');
    const tests::CaughtLog log;
    only_event<Ignored>(frame_of("NEW", bearable));
}

TEST_CASE("Frames larger than the limit are refused before they are parsed") {
    const std::string frame(max_frame_size + 1, '[');
    CHECK(message_error(frame) == "a frame of 67108865 bytes, expected at most 67108864");
    CHECK(reply_error(frame) == "a frame of 67108865 bytes, expected at most 67108864");
}

TEST_CASE("A codec that has refused a frame reads the next") {
    const auto codec = make_codec("batsim4");
    CHECK_THROWS_AS(codec->decode("[[["), InputError);
    CHECK(codec->decode(R"({"now":1,"events":[]})").now == Time::seconds(1));
}

}  // namespace batfill::tests::protocol_codec_test
