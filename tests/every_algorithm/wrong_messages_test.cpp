#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/algorithm.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/support/batsim4_frames.hpp"
#include "tests/support/quiet_log.hpp"

// What every algorithm does with messages that no Batsim sends.

using namespace batfill;
using namespace batfill::tests;

TEST_CASE("Every algorithm: messages that no Batsim sends end in an error that names the event", "[every-algorithm]") {
    const std::string begins = R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":)"
                               R"({"dynamic-jobs-enabled":true,"profile-reuse-enabled":true},"compute_resources":)"
                               R"([{"id":0,"name":"a"},{"id":1,"name":"b"}],"workloads":{},"profiles":{}}}]})";
    const auto submission = [](const std::string& now) {
        return batsim4::frame(now, {batsim4::submitted(now, "w0!1", 1, "5")});
    };
    const std::vector<std::pair<std::string, std::string>> rogue{
        {submission("2"), "submitted twice"},
        {submission("0"), "time goes back"},
        {batsim4::frame("2", {batsim4::completed("2", "w0!2", "COMPLETED_KILLED")}), "unknown job"},
        {batsim4::frame("2", {batsim4::completed("2", "w0!1", "RUNNING")}), "JOB_COMPLETED"},
        {batsim4::frame("2", {batsim4::machine("2", "unavailable", "7")}), "resource 7"},
        {begins, "SIMULATION_BEGINS"},
    };
    const QuietLog quiet;
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        if (is_for_simulate_only(drawn)) {
            continue;  // the daemon refuses it
        }
        for (const auto& [message, problem] : rogue) {
            INFO(drawn.text() << ", " << message);
            Session session({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol));
            session.answer(begins);
            session.answer(submission("1"));
            try {
                session.answer(message);
                FAIL("no error");
            } catch (const InputError& error) {
                CHECK_THAT(error.what(), Catch::Matchers::Contains(problem) || Catch::Matchers::Contains("goes back"));
            }
        }
        Session session({drawn.name, drawn.parameters}, protocol::make_codec(protocol::default_protocol));
        session.answer(begins);
        const bool started = session.answer(submission("1")).find("EXECUTE_JOB") != std::string_view::npos;
        if (started) {
            session.answer(batsim4::frame("2", {batsim4::completed("2", "w0!1")}));
        }
        CHECK_THROWS_AS(session.answer(batsim4::frame("3", {batsim4::completed("3", "w0!1")})), InputError);
    }
}
