#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/algorithm.hpp>

#include "drawn_algorithms.hpp"
#include "protocol/codec.hpp"
#include "quiet_log.hpp"
#include "src/session/session.hpp"

// What every algorithm does with messages that no Batsim sends.

using namespace batfill;
using namespace batfill::tests;

TEST_CASE("Every algorithm: messages that no Batsim sends end in an error that names the event", "[every-algorithm]") {
    const std::string begins = R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":)"
                               R"({"dynamic-jobs-enabled":true,"profile-reuse-enabled":true},"compute_resources":)"
                               R"([{"id":0,"name":"a"},{"id":1,"name":"b"}],"workloads":{},"profiles":{}}}]})";
    const auto frame = [](int now, const std::string& type, const std::string& data) {
        return R"({"now":)" + std::to_string(now) + R"(,"events":[{"timestamp":)" + std::to_string(now) +
               R"(,"type":")" + type + R"(","data":)" + data + "}]}";
    };
    const std::string job = R"({"job_id":"w0!1","job":{"id":"w0!1","subtime":1,"res":1,"walltime":5,"profile":"p"}})";
    const std::string ended = R"({"job_id":"w0!1","job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0"})";
    const auto ended_as = [](const std::string& state) {
        return R"({"job_id":"w0!1","job_state":")" + state + R"(","return_code":0,"alloc":"0"})";
    };
    const std::vector<std::pair<std::string, std::string>> rogue{
        {frame(2, "JOB_SUBMITTED", job), "submitted twice"},
        {frame(0, "JOB_SUBMITTED", job), "time goes back"},
        {frame(2, "JOB_COMPLETED", R"({"job_id":"w0!2","job_state":"COMPLETED_KILLED","return_code":0,"alloc":"0"})"),
         "unknown job"},
        {frame(2, "JOB_COMPLETED", ended_as("RUNNING")), "JOB_COMPLETED"},
        {frame(2, "NOTIFY", R"({"type":"event_machine_unavailable","resources":"7"})"), "resource 7"},
        {begins, "SIMULATION_BEGINS"},
    };
    const QuietLog quiet;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        if (needs_run_times(drawn)) {
            continue;  // the daemon refuses it
        }
        for (const auto& [message, problem] : rogue) {
            INFO(drawn.text() << ", " << message);
            Session session({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol));
            session.answer(begins);
            session.answer(frame(1, "JOB_SUBMITTED", job));
            try {
                session.answer(message);
                FAIL("no error");
            } catch (const InputError& error) {
                CHECK_THAT(error.what(), Catch::Matchers::Contains(problem) || Catch::Matchers::Contains("goes back"));
            }
        }
        Session session({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol));
        session.answer(begins);
        session.answer(frame(1, "JOB_SUBMITTED", job));
        const bool started = session.rejected() == 0;
        if (started) {
            session.answer(frame(2, "JOB_COMPLETED", ended));
        }
        CHECK_THROWS_AS(session.answer(frame(3, "JOB_COMPLETED", ended)), InputError);
    }
}
