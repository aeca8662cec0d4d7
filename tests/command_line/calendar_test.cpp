#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/simulate_inputs.hpp"

// Commands that replay, with --windows.
namespace batfill::tests::calendar_test {

using Catch::Matchers::Contains;

namespace {

struct Inputs : Folder {
    std::string table = file("table.csv");

    // A workload of jobs of two processors that run for 50 s, submitted at these times.
    std::string jobs_at(const std::vector<int>& submissions) const {
        std::string jobs;
        for (const int submit : submissions) {
            jobs += (jobs.empty() ? "" : ",") + std::string(R"({"id":"j)") + std::to_string(submit) +
                    R"(","subtime":)" + std::to_string(submit) + R"(,"res":2,"walltime":50,"profile":"p"})";
        }
        return write("jobs.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":50}},"jobs":[)" + jobs + "]}");
    }
    std::string calendar(const std::string& lines) const { return write("calendar.jsonl", lines); }
    // The values of a metric, by workload, of a comparison of one scheduler.
    std::vector<std::string> compared(const std::string& metric, const Arguments& more) const {
        require_done(run(*this, with({"compare", "easy", "--metric", metric, "-o", table}, more)));
        std::vector<std::string> values;
        std::istringstream lines(contents(table));
        for (std::string line; std::getline(lines, line);) {
            values.push_back(line.substr(line.rfind(',') + 1));
        }
        values.erase(values.begin());
        return values;
    }
};

}  // namespace

TEST_CASE("compare measures jobs that a window kills and submits again as simulate and metrics do", "[windows]") {
    const Inputs inputs;
    const std::string jobs = inputs.jobs_at({0, 10});
    const std::string windows = inputs.calendar(
        R"({"name": "w", "from": 30, "until": 100, "announced": 20, "processors": 1, "running": "requeue"})");
    const Arguments machine{"-w", jobs, "-p", "2", "--windows", windows};
    const std::string prefix = inputs.file("run");
    require_done(run(inputs, with({"simulate", "-q", "-a", "easy", "-e", prefix}, machine)));
    CHECK_THAT(contents(prefix + "_jobs.csv"), Contains("j0#1"));
    const Outcome metrics =
        run(inputs, {"metrics", prefix + "_jobs.csv", "-f", "csv", "--metrics", "mean_wait,mean_stretch"});
    const std::string values = metrics.output.substr(metrics.output.find('\n') + 1);
    const std::string both =
        inputs.compared("mean_wait", machine)[0] + ',' + inputs.compared("mean_stretch", machine)[0] + '\n';
    CHECK_THAT(values, Contains(both));
    CHECK(inputs.compared("mean_wait", {"-w", jobs, "-p", "2"})[0] == "20");
    CHECK_THAT(run(inputs, with({"compare", "easy", "fcfs", "-f", "csv"}, machine)).output, Contains("mean_wait"));
}

TEST_CASE("A reservation that is no name is an error where a window is for one, and noted elsewhere", "[windows]") {
    const Folder folder;
    const auto write = [&](const std::string& value) {
        return folder.write("w.json", R"({"nb_res":4,"profiles":{"d":{"type":"delay","delay":1}},"jobs":[)"
                                      R"({"id":"a","subtime":0,"res":1,"walltime":4,"profile":"d","reservation":)" +
                                          value + "}]}");
    };
    const std::string reserved =
        folder.write("for.jsonl", R"({"name":"w","from":10,"until":20,"hosts":"all","for":["c"]})");
    const std::string taken = folder.write("taken.jsonl", R"({"name":"w","from":10,"until":20,"hosts":"all"})");
    const auto simulate = [&](const std::string& workload, const std::string& windows) {
        return run(folder, {"simulate", "-q", "-p", "4", "-a", "easy", "-w", workload, "--windows", windows, "-e",
                            folder.file("out")});
    };
    for (const std::string value : {"3", "\"\"", "false", "[]"}) {
        INFO(value);
        const std::string workload = write(value);
        const Outcome noted = simulate(workload, taken);
        require_done(noted);
        CHECK(noted.errors == "batfill: note: jobs have a field reservation that is no name, and nobody looks at it\n");
        const std::string problem = "batfill: " + workload +
                                    ": job w0!a: field \"reservation\": expected a name such as those that windows "
                                    "are for, found " +
                                    value + "\n";
        check_refused(simulate(workload, reserved), 1);
        CHECK(simulate(workload, reserved).errors == problem);
        const Outcome checked =
            run(folder, {"check", folder.file("out"), "-p", "4", "-w", workload, "--windows", reserved});
        check_refused(checked, 1);
        CHECK(checked.errors == problem);
    }
    CHECK(simulate(write("null"), taken).errors.empty());
    CHECK(simulate(write("null"), reserved).errors.empty());
}

TEST_CASE("Windows that take 0 delay nobody, and a file of none is noted", "[windows]") {
    const Folder folder;
    const std::string workload =
        folder.write("w.json", R"({"nb_res":4,"profiles":{"d":{"type":"delay","delay":5}},"jobs":[)"
                               R"({"id":"a","subtime":0,"res":4,"walltime":20,"profile":"d"},)"
                               R"({"id":"b","subtime":1,"res":4,"walltime":20,"profile":"d","reservation":"c"}]})");
    const auto starts = [&](const std::string& algorithm, const std::string& windows, const std::string& errors = "") {
        const std::string file = folder.write("windows.jsonl", windows);
        const Outcome outcome = run(folder, {"simulate", "-q", "-p", "4", "--pool", "power=3", "-a", algorithm, "-w",
                                             workload, "--windows", file, "-e", folder.file("out")});
        require_done(outcome);
        CHECK_THAT(outcome.errors, Contains(errors));
        const Outcome checked = run(
            folder, {"check", folder.file("out"), "-p", "4", "--pool", "power=3", "-w", workload, "--windows", file});
        CHECK_THAT(checked.output, Contains("2 jobs, no violations"));
        const std::string jobs = contents(folder.file("out_jobs.csv"));
        return start_of(jobs, "a") + ' ' + start_of(jobs, "b");
    };
    for (const std::string algorithm : {"fcfs", "easy", "conservative", "dbf"}) {
        INFO(algorithm);
        // Its end is none of the walltime's instants. A reservation of nothing is the time alone.
        CHECK(starts(algorithm, R"({"name":"z","from":2,"until":9,"processors":0,"running":"kill"})"
                                "\n"
                                R"({"name":"y","from":2,"until":9,"pools":{"power":0},"running":"requeue"})") ==
              "0.000000 5.000000");
        CHECK(starts(algorithm, R"({"name":"y","from":30,"until":60,"processors":0,"for":["c"]})") ==
              "0.000000 30.000000");
        CHECK(starts(algorithm, "\n", "windows.jsonl: there is no window in it") == "0.000000 5.000000");
    }
}

TEST_CASE("The audit takes a job to be in the window of its hosts where several serve its reservation", "[windows]") {
    const Inputs inputs;
    const std::string jobs = inputs.write("jobs.json", R"({"nb_res":2,"profiles":{"d":{"type":"delay","delay":0.5}},
        "jobs":[{"id":"a","subtime":6,"res":1,"walltime":4,"profile":"d","reservation":"r"},
                {"id":"b","subtime":2,"res":1,"walltime":1,"profile":"d","reservation":"r"}]})");
    const Arguments machine{"-w",
                            jobs,
                            "-p",
                            "2",
                            "--pool",
                            "q=1",
                            "--windows",
                            inputs.calendar(R"({"name":"pool","from":8,"until":20,"pools":{"q":1},"for":["r"]}
{"name":"host","from":8,"until":13,"hosts":"0","for":["r"]})")};
    const std::string prefix = inputs.file("run");
    require_done(run(inputs, with({"simulate", "-q", "-a", "fcfs", "-e", prefix}, machine)));
    CHECK_THAT(contents(prefix + "_jobs.csv"),
               Contains(",8.000000,0.500000,8.500000,2.000000,2.500000,5.000000,0,") &&
                   Contains(",8.000000,0.500000,8.500000,6.000000,6.500000,13.000000,1,"));
    require_done(run(inputs, with({"check", prefix}, machine)));
}

TEST_CASE("A job waits past any number of windows", "[windows]") {
    const Inputs inputs;
    std::string calendar;
    for (int window = 0; window < 10'001; ++window) {
        const int from = window * 100;
        calendar.append(R"({"name":"w","from":)").append(std::to_string(from)).append(R"(,"until":)");
        calendar.append(std::to_string(from + 60)).append(R"(,"processors":2})").append("\n");
    }
    const std::string jobs = inputs.jobs_at({0});
    const Arguments arguments{
        "simulate", "-q", "-w", jobs, "-p", "2", "-e", inputs.file("run"), "--windows", inputs.calendar(calendar)};
    for (const std::string algorithm : {"fcfs", "easy", "conservative"}) {
        require_done(run(inputs, with(arguments, {"-a", algorithm})));
        CHECK_THAT(contents(inputs.file("run_jobs.csv")), Contains(",1000060.000000,"));
    }
}

TEST_CASE("Windows without a file, or where nobody looks at them, are refused", "[windows]") {
    const Inputs inputs;
    const std::string jobs = inputs.jobs_at({0});
    check_refused(run(inputs, {"simulate", "-a", "easy", "-w", jobs, "-p", "2", "--windows", ""}), 2);
    const Outcome behind_a_socket =
        run(inputs, {"simulate", "-s", "tcp://127.0.0.1:1", "-w", jobs, "-p", "2", "--windows", inputs.calendar("")});
    check_refused(behind_a_socket, 2);
    CHECK_THAT(behind_a_socket.errors, Contains("--windows is for the embedded scheduler"));
}

TEST_CASE("compare --weeks cuts the windows as it cuts the workload", "[windows]") {
    const Inputs inputs;
    constexpr int week = 7 * 86400;
    const std::string jobs = inputs.jobs_at({0, 1000, week + 10, 2 * week + 10});
    const auto window = [](int from, int until) {
        return R"({"name": "w", "from": )" + std::to_string(from) + R"(, "until": )" + std::to_string(until) +
               ", \"processors\": 2}\n";
    };
    // The first of the calendar is over in the second week; the second has begun when the third week does.
    const std::string windows = inputs.calendar(window(1000, 1100) + window(2 * week - 300, 2 * week + 40));
    const Arguments machine{"-w", jobs, "-p", "2", "--windows", windows};
    CHECK(inputs.compared("max_wait", with(machine, {"--weeks"})) == std::vector<std::string>{"100", "0", "30"});
    CHECK(inputs.compared("max_wait", machine) == std::vector<std::string>{"100"});
}

TEST_CASE("tune replays with windows, and goes on only with the same", "[windows]") {
    const Inputs inputs;
    const std::string jobs = inputs.jobs_at({0, 10, 20});
    const std::string windows = inputs.calendar(
        R"({"name": "w", "from": 30, "until": 100, "announced": 20, "processors": 1, "running": "requeue"})");
    const Arguments tune{"tune",          "-w", jobs, "-p", "2", "--evaluations", "3", "--metric", "max_wait", "-o",
                         inputs.file("t")};
    require_done(run(inputs, tune));
    const std::string without = contents(inputs.file("t_results.csv"));
    require_done(run(inputs, with(tune, {"--windows", windows})));
    CHECK_THAT(without, Contains(",max_wait,80,"));
    CHECK_THAT(contents(inputs.file("t_results.csv")), !Contains(",max_wait,80,"));
    inputs.calendar(R"({"name": "w", "from": 30, "until": 100, "processors": 3})");
    check_refused(run(inputs, with(tune, {"--windows", windows})), 1, "calendar.jsonl:1: field \"processors\"");
}

}  // namespace batfill::tests::calendar_test
