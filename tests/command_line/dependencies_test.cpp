#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/simulate_inputs.hpp"

// Jobs that wait for others.
namespace batfill::tests::dependencies_test {

using Catch::Matchers::Contains;

namespace {

// A workload of jobs 1, 2, ... of one processor and 10 s, with these values of the field after.
std::string write_workload(const Inputs& inputs, const std::vector<std::string>& after) {
    std::string jobs;
    for (const std::string& value : after) {
        const std::string id = std::to_string(std::ranges::count(jobs, '{') + 1);
        jobs += (jobs.empty() ? R"({"id":")" : R"(,{"id":")") + id +
                R"(","subtime":0,"res":1,"walltime":20,"profile":"p","after":)" + value + "}";
    }
    return inputs.folder.write("after.json",
                               R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)" + jobs + "]}");
}

}  // namespace

TEST_CASE("a wrong field after is refused with the job, the field and what was expected") {
    const Inputs inputs;
    const auto refused = [&](const std::vector<std::string>& after) {
        const std::string workload = write_workload(inputs, after);
        const Outcome outcome = run(inputs.folder, {"simulate", "-q", "-p", "2", "-w", workload, "-a", "easy", "-e",
                                                    inputs.folder.file("refused")});
        check_refused(outcome, 1);
        CHECK_FALSE(inputs.wrote("refused"));
        const std::string start = "batfill: " + workload + ": ";
        REQUIRE(outcome.errors.starts_with(start));
        return outcome.errors.substr(start.size());
    };
    const std::string expected = R"(: expected texts such as "ok:12", "any:12", "start:12" or "any:12+600", found )";
    CHECK(refused({R"("x")"}) == "jobs[0] (id \"1\"): field \"after\": expected an array, found the text \"x\"\n");
    CHECK(refused({"[]", "[1]"}) == "jobs[1] (id \"2\"): field \"after\"" + expected + "the number 1\n");
    for (const std::string text : {"ok", "ok:", "12", "afterok:1", "ok:1+x", "ok:1+-5"}) {
        CHECK(refused({"[]", R"(["ok:1",")" + text + R"("])"}) ==
              "jobs[1] (id \"2\"): field \"after\"" + expected + "the text \"" + text + "\"\n");
    }
    CHECK(refused({"[]", R"(["ok:1+0.0000001"])"}) ==
          "jobs[1] (id \"2\"): field \"after\": expected a delay of at most six decimals, found the text "
          "\"ok:1+0.0000001\"\n");
    CHECK(refused({"[]", R"(["any:1","ok:9"])"}) ==
          "job w0!2: field \"after\": it names job \"9\", expected the id of a job of this workload\n");
    CHECK(refused({R"(["any:1"])"}) == "job w0!1: field \"after\": it waits for itself, expected no circle\n");
    CHECK(refused({R"(["any:2"])", R"(["ok:1"])"}) ==
          "job w0!1: field \"after\": it waits for itself through job 2, expected no circle\n");
    // The first job waits for a circle, and is not in it.
    CHECK(refused({R"(["any:2"])", R"(["any:5","any:3"])", R"(["ok:4"])", R"(["start:2"])", "[]"}) ==
          "job w0!3: field \"after\": it waits for itself through jobs 4 and 2, expected no circle\n");
}

TEST_CASE("a chain of jobs ends where one fails, and eligible.csv and check agree") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "chain.json",
        R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10},"bad":{"type":"delay","delay":5,"ret":1}},"jobs":[)"
        R"({"id":"make","subtime":0,"res":2,"walltime":20,"profile":"p"},)"
        R"({"id":"run","subtime":0,"res":2,"walltime":20,"profile":"bad","after":["ok:make"]},)"
        R"({"id":"plot","subtime":0,"res":1,"walltime":20,"profile":"p","after":["ok:run"]},)"
        R"({"id":"tidy","subtime":0,"res":1,"walltime":20,"profile":"p","after":["any:run+2","any:plot"]}]})");
    const std::string prefix = inputs.folder.file("chain");
    const auto simulate = [&](const std::string& scheduler) {
        return run(inputs.folder, {"simulate", "-p", "2", "-w", workload, "-a", scheduler, "-e", prefix});
    };
    const auto check = [&](const std::string& jobs) {
        return run(inputs.folder, {"check", prefix, "-p", "2", "-w", jobs});
    };
    CHECK(simulate("conservative").status == 0);
    const std::string eligible = contents(prefix + "_eligible.csv");
    CHECK(eligible == "job_id,eligible_time,workload_name\nrun,10.000000,w0\nplot,,w0\ntidy,17.000000,w0\n");
    CHECK(start_of(inputs.jobs("chain"), "tidy") == "17.000000");
    CHECK(check(workload).output == "4 jobs, no violations (1 rejected)\n");
    CHECK(check(workload).errors.empty());

    // A workload that was cut has not all that jobs wait for.
    std::string cut = contents(workload);
    cut.erase(cut.find(R"({"id":"make")"), cut.find(R"({"id":"run")") - cut.find(R"({"id":"make")"));
    const Outcome of_cut = check(inputs.folder.write("cut.json", cut));
    CHECK(of_cut.errors ==
          "batfill: note: jobs wait for others that their workload does not have ('after'): 1 condition not checked\n");
    CHECK_THAT(of_cut.output, Contains("job w0!make: in none of the workloads"));
}

TEST_CASE("jobs are named in after as in id, with and without the workload's name") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "named.json",
        R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
        R"({"id":"w0!1","subtime":0,"res":1,"walltime":20,"profile":"p"},)"
        R"({"id":"w0!2","subtime":0,"res":1,"walltime":20,"profile":"p","after":["ok:w0!1"]},)"
        R"({"id":"3","subtime":0,"res":1,"walltime":20,"profile":"p","after":["any:w0!2+5","start:1"]}]})");
    require_done(run(inputs.folder,
                     {"simulate", "-q", "-p", "2", "-w", workload, "-a", "easy", "-e", inputs.folder.file("named")}));
    CHECK(start_of(inputs.jobs("named"), "2") == "10.000000");
    CHECK(start_of(inputs.jobs("named"), "3") == "25.000000");
    const Outcome checked = run(inputs.folder, {"check", inputs.folder.file("named"), "-p", "2", "-w", workload});
    CHECK(checked.output == "3 jobs, no violations (0 rejected)\n");
    CHECK(checked.errors.empty());
}

TEST_CASE("--explain names three of the jobs that a job waits for") {
    const Inputs inputs;
    std::vector<std::string> after(41, "[]");
    std::string all;
    for (int job = 1; job <= 40; ++job) {
        all += (all.empty() ? "\"any:" : ",\"any:") + std::to_string(job) + '"';
    }
    after.back() = '[' + all + ']';
    const Outcome outcome = run(inputs.folder, {"simulate", "-q", "-p", "2", "-w", write_workload(inputs, after), "-a",
                                                "fcfs", "--explain", "41", "-e", inputs.folder.file("explained")});
    require_done(outcome);
    CHECK_THAT(outcome.output,
               Contains("it waits for any:1 (it runs), any:2, any:3 and 37 more.") && !Contains("any:39"));
    // Before the last round, all that do not hold are named.
    CHECK_THAT(outcome.output, Contains("it waits for any:8 (it runs), any:9 (it runs)."));
}

TEST_CASE("easy names the parameter that does not go with jobs that wait for others") {
    const Inputs inputs;
    const std::string workload = write_workload(inputs, {"[]", R"(["ok:1"])"});
    const auto simulate = [&](const std::string& scheduler) {
        return run(inputs.folder,
                   {"simulate", "-q", "-p", "2", "-w", workload, "-a", scheduler, "-e", inputs.folder.file("out")});
    };
    CHECK(
        simulate("easy,extra=none").errors ==
        "batfill: parameter extra=none: not for jobs that wait for others (the fields after, begin and array_limit)\n");
    CHECK(simulate("easy,extra=none").status == 2);
    CHECK(simulate("easy,extra=all").status == 0);
}

}  // namespace batfill::tests::dependencies_test
