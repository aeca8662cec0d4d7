#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/batsim4.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/decoding_errors.hpp"

namespace batfill::tests::protocol_errors_test {

using namespace batfill::protocol;

TEST_CASE("Frames that are not messages give one line that names the error and its place") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "JSON at byte 0: The document is empty."},
        {"nonsense", "JSON at byte 1: Invalid value."},
        {R"({"now":1,"events":[]} x)", "JSON at byte 22: expected the end"},
        {R"({"now":1,"events":[)", "JSON at byte 19: Invalid value."},
        {std::string(R"({"now":1,"events":[]})") + '\0' + "x", "JSON at byte 21: expected the end"},
        {"{\"now\":1,\"events\":[\"\xff\"]}", "JSON at byte 20: Invalid encoding in string."},
        {R"({"now":1,"events":["\ud834"]})", "JSON at byte 20: The surrogate pair in string is invalid."},
        {R"({"now":1,"events":["\udd1e"]})", "JSON at byte 27: a lone surrogate in a string"},
        {"{\"now\":1,\"events\":[\"\xe2", "JSON at byte 20: Invalid encoding in string."},
        {R"({"now":1e999,"events":[]})", "JSON at byte 7: Number too big to be stored in double."},
        {R"({"now":NaN,"events":[]})", "JSON at byte 7: Invalid value."},
        {"[]", "expected a JSON object with now and events"},
        {R"({"events":[]})", R"(field "now": expected a number of seconds, at most 1e18, found none)"},
        {R"({"now":"1","events":[]})",
         R"(field "now": expected a number of seconds, at most 1e18, found the text "1")"},
        {R"({"now":1e300,"events":[]})",
         R"(field "now": expected a number of seconds, at most 1e18, found the number 1e300)"},
        {R"({"now":1})", R"(field "events": expected an array, found none)"},
        {R"({"now":1,"events":{}})", R"(field "events": expected an array, found an object)"},
        {R"({"now":1,"events":[{"timestamp":1,"type":"SIMULATION_ENDS","data":{}},7]})", "event 1: expected an object"},
        {R"({"now":1,"events":[{"type":"SIMULATION_ENDS","data":{}}]})",
         R"(event 0 ("SIMULATION_ENDS"): field "timestamp": expected a number of seconds, at most 1e18, found none)"},
        {R"({"now":1,"events":[{"timestamp":1.5,"type":"SIMULATION_ENDS","data":{}}]})",
         R"(event 0 ("SIMULATION_ENDS"): field "timestamp": expected a time not after the message's now, 1.000000, )"
         R"(found the number 1.5)"},
        {R"({"now":1,"events":[{"timestamp":1,"data":{}}]})", R"(event 0: field "type": expected a text, found none)"},
        {R"({"now":1,"events":[{"timestamp":1,"type":3,"data":{}}]})",
         R"(event 0: field "type": expected a text, found the number 3)"},
        {R"({"now":1,"events":[{"timestamp":2,"type":"A\nB"}]})",
         R"(event 0 ("A\nB"): field "timestamp": expected a time not after the message's now, 1.000000, found the number 2)"},
    };
    const tests::CaughtLog log;
    for (const auto& [frame, expected] : cases) {
        INFO(frame);
        CHECK(message_error(frame) == expected);
        CHECK(reply_error(frame) == expected);
    }
}

TEST_CASE("The events of a message are in order of time, those of a reply need not be") {
    const std::string frame = R"({"now":9,"events":[{"timestamp":8,"type":"X"},{"timestamp":7.5,"type":"Y"}]})";
    const tests::CaughtLog log;
    CHECK(message_error(frame) ==
          R"(event 1 ("Y"): field "timestamp": expected a time not before that of the event before it, 8.000000, )"
          R"(found the number 7.5)");
    CHECK(ReplyReader().read(frame).events.size() == 2);
}

TEST_CASE("Missing and mistyped fields of Batsim's events are named with what was expected") {
    const std::string job = R"("id":"w0!1","subtime":0,"res":1,"profile":"p")";
    const std::string begins = R"("config":{},"workloads":{},"profiles":{})";
    const std::vector<std::vector<std::string>> cases{
        {"SIMULATION_ENDS", "[]", R"("data": expected an object, found an array)"},
        {"JOB_SUBMITTED", R"({})", R"("data.job": expected an object, found none)"},
        {"JOB_SUBMITTED", R"({"job_id":7,"job":{)" + job + "}}",
         R"("data.job_id": expected a text, found the number 7)"},
        {"JOB_SUBMITTED", R"({"job_id":"w0!1","job":[]})", R"("data.job": expected an object, found an array)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{}})", R"("data.job.id": expected a text or an integer, found none)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":"0"}})",
         R"("data.job.subtime": expected a number of seconds, at most 1e18, found the text "0")"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":0,"res":1.0}})",
         R"("data.job.res": expected an integer of 32 bits, found the number 1.0)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":0,"res":-1}})",
         R"("data.job.res": expected an integer from 0, found the number -1)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{"id":1,"subtime":0,"res":1}})",
         R"("data.job.profile": expected a text, found none)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"walltime":null}})",
         R"("data.job.walltime": expected a number of seconds, at most 1e18, found null)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"deadline":"soon"}})",
         R"("data.job.deadline": expected a number of seconds, at most 1e18, found the text "soon")"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"queue":[]}})",
         R"("data.job.queue": expected a text or a number, found an array)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"licenses":"x"}})",
         R"("data.job.licenses": expected an array, found the text "x")"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"licenses":[1]}})",
         R"("data.job.licenses": expected an array of texts, found an array)"},
        {"JOB_SUBMITTED", R"({"job_id":"a","job":{)" + job + R"(,"pools":{"bb":-1}}})",
         R"("data.job.pools.bb": expected a whole number from 0 on, found the number -1)"},
        {"JOB_COMPLETED", R"({"job_id":"a","job_state":"DONE","return_code":0,"alloc":"0"})",
         R"("data.job_state": expected a job state such as "COMPLETED_SUCCESSFULLY", found the text "DONE")"},
        {"JOB_KILLED", R"({"job_ids":"a","job_progress":{}})",
         R"("data.job_ids": expected an array, found the text "a")"},
        {"JOB_KILLED", R"({"job_ids":[1],"job_progress":{}})",
         R"("data.job_ids": expected an array of texts, found an array)"},
        {"NOTIFY", R"({})", R"("data.type": expected a text, found none)"},
        {"NOTIFY", R"({"type":"event_machine_available"})",
         R"("data.resources": expected resources such as "0-3 7", found none)"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0-"})",
         R"("data.resources": expected resources such as "0-3 7", found the text "0-")"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0","state":1})",
         R"("data.state": expected a text, found the number 1)"},
        {"RESOURCE_STATE_CHANGED", R"({"resources":"0","state":"asleep"})",
         R"("data.state": expected the number of a pstate, as text, found the text "asleep")"},
        {"SIMULATION_BEGINS", R"({})", R"("data.config": expected an object, found none)"},
        {"SIMULATION_BEGINS", R"({"config":{"sched-config":{}}})",
         R"("data.config.sched-config": expected a text, found an object)"},
        {"SIMULATION_BEGINS", R"({"config":{"redis-enabled":0}})",
         R"("data.config.redis-enabled": expected true or false, found the number 0)"},
        {"SIMULATION_BEGINS", "{" + begins + "}", R"("data.compute_resources": expected an array, found none)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[1]})",
         R"("data.compute_resources": expected an array of objects, found an array)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[{"id":0,"name":"a"},{"id":0,"name":"b"}]})",
         R"("data.compute_resources.id": expected a number that no other resource has, found the number 0)"},
        {"SIMULATION_BEGINS", "{" + begins + R"(,"compute_resources":[{"id":0,"name":"a","properties":{"b":1}}]})",
         R"("data.compute_resources.properties.b": expected a text, found the number 1)"},
    };
    for (const auto& row : cases) {
        INFO(row[0] << " " << row[1]);
        const std::string place = row[2].starts_with(R"("data.job.)") ? R"(job "a": )" : "";
        CHECK(message_error(frame_of(row[0], row[1])) == "event 0 (\"" + row[0] + "\"): " + place + "field " + row[2]);
    }
}

TEST_CASE("Missing and mistyped fields of the scheduler's events are named with what was expected") {
    const std::vector<std::vector<std::string>> cases{
        {"EXECUTE_JOB", R"({"alloc":"0"})", R"("data.job_id": expected a text, found none)"},
        {"EXECUTE_JOB", R"({"job_id":"a","alloc":""})",
         R"("data.alloc": expected at least one resource, found the text "")"},
        {"EXECUTE_JOB", R"({"job_id":"a","alloc":"0;1"})",
         R"("data.alloc": expected resources such as "0-3 7", found the text "0;1")"},
        {"REJECT_JOB", R"({"job_id":null})", R"("data.job_id": expected a text, found null)"},
        {"KILL_JOB", R"({"job_ids":[]})", R"("data.job_ids": expected at least one job, found an array)"},
        {"CALL_ME_LATER", R"({"timestamp":"5"})",
         R"("data.timestamp": expected a number of seconds, at most 1e18, found the text "5")"},
        {"SET_RESOURCE_STATE", R"({"resources":"0","state":"-1"})",
         R"("data.state": expected the number of a pstate, as text, found the text "-1")"},
        {"SET_RESOURCE_STATE", R"({"resources":"0"})", R"("data.state": expected a text, found none)"},
        {"SET_JOB_METADATA", R"({"job_id":"a"})", R"("data.metadata": expected a text, found none)"},
        {"REGISTER_JOB", R"({"job_id":"a"})", R"("data.job": expected an object, found none)"},
        {"REGISTER_PROFILE", R"({"workload_name":"a","profile_name":"b"})",
         R"("data.profile": expected an object, found none)"},
    };
    for (const auto& row : cases) {
        INFO(row[0] << " " << row[1]);
        CHECK(reply_error(frame_of(row[0], row[1])) == "event 0 (\"" + row[0] + "\"): field " + row[2]);
    }
}

}  // namespace batfill::tests::protocol_errors_test
