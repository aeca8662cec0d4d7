#include <string>

#include <catch2/catch.hpp>

#include "tests/support/batsim4_frames.hpp"
#include "tests/unit/session/dialogue.hpp"

namespace batfill::tests::session_registration_test {

using namespace batsim4;

namespace {

// SIMULATION_BEGINS of a Batsim that accepts registered jobs, except as `options` says.
std::string begins_with(int processors, const std::string& options) {
    std::string data = begins_data(processors);
    const std::string config = R"({"config":{)";
    return frame("0", {event("0", "SIMULATION_BEGINS", config + options + "," + data.substr(config.size()))});
}

const std::string dynamic = R"("dynamic-jobs-enabled":true,"profile-reuse-enabled":true)";
const std::string no_more_jobs = R"({"type":"no_more_static_job_to_submit"})";

std::string submitted_with_all(const std::string& time, const std::string& id) {
    return event(time, "JOB_SUBMITTED",
                 R"({"job_id":"w0!)" + id + R"(","job":{"id":"w0!)" + id + R"(","subtime":)" + time +
                     R"(,"res":2,"walltime":100.5,"profile":"p","deadline":900,"queue":"q","user":"u",)"
                     R"("licenses":["l"]}})");
}

}  // namespace

TEST_CASE("A job whose processor is lost is killed and registered again", "[session][failures]") {
    const std::string acknowledged = GENERATE("false", "true");
    Dialogue batsim("fcfs", {{"on-failure", "requeue"}});
    CHECK(batsim.answer(begins_with(3, dynamic + R"(,"dynamic-jobs-acknowledged":)" + acknowledged)) == "");
    CHECK(batsim.answer(frame("0", {submitted_with_all("0", "a"), event("0", "NOTIFY", no_more_jobs)})) ==
          "start w0!a 0-1");
    CHECK(batsim.answer(frame("30.5", {machine("30.5", "unavailable", "1")})) == "kill w0!a");
    const std::string again =
        R"({"id":"w0!a#1","subtime":30.500000,"res":2,"walltime":100.500000,"profile":"p","deadline":900,"queue":"q","user":"u",)"
        R"("licenses":["l"]})";
    CHECK(batsim.answer(frame("30.5", {completed("30.5", "w0!a", "COMPLETED_KILLED"), killed("30.5", "w0!a")})) ==
          "register w0!a#1 " + again + "; start w0!a#1 0 2");
    if (acknowledged == "true") {
        CHECK(batsim.answer(frame("30.5", {submitted("30.5", "w0!a#1", 2, "100.5")})) == "");
    }
    CHECK(problem_of([&] { batsim.answer(frame("31", {submitted("31", "w0!a#1", 2, "100.5")})); }) ==
          "job \"w0!a#1\" is submitted twice");
}
TEST_CASE("The frame that registers a job is Batsim's", "[session][failures]") {
    const CaughtLog log;
    Session session({"easy", {{"on-failure", "requeue"}}}, protocol::make_codec("batsim4"));
    session.answer(begins_with(2, dynamic));
    session.answer(frame("0", {submitted("0", "w0!a", 2, "50")}));
    CHECK(session.answer(frame("5", {machine("5", "unavailable", "0")})) ==
          R"({"now":5.000000,"events":[{"timestamp":5.000000,"type":"KILL_JOB","data":{"job_ids":["w0!a"]}}]})");
    CHECK(session.answer(frame("5", {completed("5", "w0!a", "COMPLETED_KILLED"), killed("5", "w0!a")})) ==
          R"({"now":5.000000,"events":[{"timestamp":5.000000,"type":"REGISTER_JOB","data":{"job_id":"w0!a#1","job":)"
          R"({"id":"a#1","subtime":5,"res":2,"walltime":50,"profile":"p"}}}]})");
    session.answer(frame("6", {event("6", "NOTIFY", no_more_jobs), machine("6", "available", "0")}));
    CHECK(
        session.answer(frame("9", {completed("9", "w0!a#1")})) ==
        R"({"now":9.000000,"events":[{"timestamp":9.000000,"type":"NOTIFY","data":{"type":"registration_finished"}}]})");
    CHECK(session.jobs() == 2);
}
TEST_CASE("A Batsim whose jobs share hosts must let them share", "[session]") {
    std::string data = begins_data(1);
    const std::string properties = R"("properties":{)";
    data.insert(data.find(properties) + properties.size(), R"("capacity":"cores:4")");
    const auto begins_with_sharing = [&](const std::string& allowed) {
        return frame(
            "0", {event("0", "SIMULATION_BEGINS", R"({"allow_compute_sharing":)" + allowed + "," + data.substr(1))});
    };
    Dialogue exclusive("easy");
    CHECK(problem_of([&] { exclusive.answer(begins_with_sharing("false")); }) ==
          "SIMULATION_BEGINS: jobs share hosts with a capacity, expected a Batsim with --enable-compute-sharing");
    Dialogue sharing("easy");
    CHECK(sharing.answer(begins_with_sharing("true")) == "");
    const auto submitted_core = [](const std::string& id) {
        return event("0", "JOB_SUBMITTED",
                     R"({"job_id":"w0!)" + id + R"(","job":{"id":"w0!)" + id +
                         R"(","subtime":0,"res":1,"walltime":100,"profile":"p","per_host":{"cores":2}}})");
    };
    CHECK(sharing.answer(frame("0", {submitted_core("a"), submitted_core("b"), submitted_core("c")})) ==
          "start w0!a 0; start w0!b 0");
}
TEST_CASE("A Batsim that is to register jobs must let them be registered", "[session][failures]") {
    const auto problem_with = [](const std::string& options, const Parameters::Given& parameters) {
        Dialogue batsim("easy", parameters);
        return problem_of([&] { batsim.answer(begins_with(2, options)); });
    };
    const Parameters::Given requeue{{"on-failure", "requeue"}};
    const std::string problem =
        "SIMULATION_BEGINS: jobs cannot be registered with the profiles of others, expected a Batsim with --enable-dynamic-jobs and --enable-profile-reuse, as on-failure=requeue needs it";
    CHECK(problem_with(R"("dynamic-jobs-enabled":false)", requeue) == problem);
    CHECK(problem_with(R"("dynamic-jobs-enabled":true)", requeue) == problem);
    CHECK(problem_with(R"("profile-reuse-enabled":true)", requeue) == problem);
    Dialogue ready("easy", requeue);
    CHECK(ready.answer(begins_with(2, dynamic)) == "");
    Dialogue killing("easy", {{"on-failure", "kill"}});
    CHECK(killing.answer(begins_with(2, R"("dynamic-jobs-enabled":false)")) == "");
}
TEST_CASE("A session tells a Batsim that waits for registered jobs at once that none will come",
          "[session][failures]") {
    Dialogue batsim("fcfs");
    CHECK(batsim.answer(begins_with(2, dynamic)) == "registration_finished");
    CHECK(batsim.answer(frame("0", {submitted("0", "w0!a", 1, "9")})) == "start w0!a 0");
}
TEST_CASE("The id of a job that is registered again must be free", "[session][failures]") {
    Dialogue batsim("fcfs", {{"on-failure", "requeue"}});
    batsim.answer(begins_with(2, dynamic));
    batsim.answer(frame("0", {submitted("0", "w0!a", 1, "9"), submitted("0", "w0!a#1", 1, "9")}));
    batsim.answer(frame("1", {machine("1", "unavailable", "0")}));
    CHECK(problem_of([&] { batsim.answer(frame("1", {completed("1", "w0!a", "COMPLETED_KILLED")})); }) ==
          "job \"w0!a#1\" was to be registered, and is there already");
}
TEST_CASE("Jobs of the algorithm's own start when they are registered, or when Batsim has acknowledged them",
          "[session]") {
    const std::string first = R"(profile dynamic delay_1.000000 {"type":"delay","delay":1}; register dynamic!0 )"
                              R"({"id":"dynamic!0","subtime":0,"res":1,"walltime":6,"profile":"delay_1.000000"})";
    const std::string second = R"(profile dynamic delay_11.000000 {"type":"delay","delay":11}; register dynamic!1 )"
                               R"({"id":"dynamic!1","subtime":1,"res":1,"walltime":16,"profile":"delay_11.000000"})";
    const std::string options = R"("dynamic-jobs-enabled":true,"dynamic-jobs-acknowledged":)";
    Dialogue untold("submitter", {{"jobs", "2"}});
    CHECK(untold.answer(begins_with(1, options + "false")) == first + "; start dynamic!0 0");
    CHECK(untold.answer(frame("1", {completed("1", "dynamic!0")})) ==
          second + "; start dynamic!1 0; registration_finished");
    CHECK(untold.answer(frame("12", {completed("12", "dynamic!1")})) == "");
    Dialogue told("submitter", {{"jobs", "2"}});
    CHECK(told.answer(begins_with(1, options + "true")) == first);
    CHECK(told.answer(frame("0.5", {submitted("0.5", "dynamic!0", 1, "6")})) == "start dynamic!0 0");
    CHECK(problem_of([&] { told.answer(frame("0.6", {submitted("0.6", "dynamic!0", 1, "6")})); }) ==
          "job \"dynamic!0\" is submitted twice");
    CHECK(told.answer(frame("1", {completed("1", "dynamic!0")})) == second + "; registration_finished");
    // A job of the workload that arrives first keeps its number.
    CHECK(told.answer(frame("1", {submitted("1", "w0!a", 1, "9"), submitted("1", "dynamic!1", 1, "16")})) ==
          "start dynamic!1 0");
    CHECK(told.answer(frame("12", {completed("12", "dynamic!1")})) == "start w0!a 0");
}
TEST_CASE("Jobs of the algorithm's own are never registered by a Batsim that cannot do so", "[session]") {
    const auto problem_with = [](const std::string& options, const Parameters::Given& parameters) {
        Dialogue batsim("submitter", parameters);
        return problem_of([&] { batsim.answer(begins_with(2, options)); });
    };
    CHECK(
        problem_with(R"("dynamic-jobs-enabled":false)", {}) ==
        "SIMULATION_BEGINS: jobs cannot be registered, expected a Batsim with --enable-dynamic-jobs, as algorithm submitter needs it");
    CHECK(
        problem_with(R"("dynamic-jobs-enabled":true)", {{"same-length", "yes"}}) ==
        "SIMULATION_BEGINS: jobs cannot be registered with the profiles of others, expected a Batsim with --enable-dynamic-jobs and --enable-profile-reuse, as algorithm submitter needs it");
    Dialogue none("submitter", {{"jobs", "0"}});
    CHECK(none.answer(begins_with(2, dynamic)) == "registration_finished");
    Dialogue taken("submitter", {{"jobs", "2"}});
    taken.answer(begins_with(1, R"("dynamic-jobs-enabled":true)"));
    taken.answer(frame("0", {submitted("0", "dynamic!1", 1, "9")}));
    CHECK(problem_of([&] {
              taken.answer(frame("1", {completed("1", "dynamic!0")}));
              taken.answer(frame("2", {completed("2", "dynamic!1")}));
          }) == "job \"dynamic!1\" was to be registered, and is there already");
}

}  // namespace batfill::tests::session_registration_test
