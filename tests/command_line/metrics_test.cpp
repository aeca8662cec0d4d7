#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::metrics_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

const std::string header =
    "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,allocated_resources\n";

// A line for a job of one processor that is submitted at 1 and runs for 4 s of its 8 s walltime.
std::string finished(const std::string& id, int start) {
    return id + ",w0,1,1,8,1,COMPLETED_SUCCESSFULLY," + std::to_string(start) + ",4," + std::to_string(start + 4) +
           "," + std::to_string(start - 1) + "," + std::to_string(start + 3) + ",0\n";
}

std::string rejected(const std::string& id) {
    return id + ",w0,1,1,8,0,REJECTED,,,,,,\n";
}

// Two runs of five jobs: n never waits; s waits in the second run; d has a deadline; u has no walltime; one is rejected
// in the second run.
struct Inputs {
    Folder folder;
    std::string workload =
        folder.write("w.json", R"({"nb_res":9,"profiles":{"p":{"type":"delay","delay":4}},"jobs":[)"
                               R"({"id":"n","subtime":1,"res":1,"walltime":8,"profile":"p"},)"
                               R"({"id":"d","subtime":1,"res":1,"walltime":8,"profile":"p","deadline":11},)"
                               R"({"id":"u","subtime":1,"res":1,"profile":"p"},)"
                               R"({"id":"r","subtime":1,"res":1,"walltime":8,"profile":"p"},)"
                               R"({"id":"s","subtime":1,"res":1,"walltime":8,"profile":"p"}]})");
    std::string without_walltime = [] {
        std::string line = finished("u", 2);
        return line.replace(line.find(",8,"), 3, ",-1,");
    }();
    std::string one = folder.write("one_jobs.csv", header + finished("n", 1) + finished("s", 1) + finished("d", 9) +
                                                       without_walltime + finished("r", 1));
    std::string two = folder.write("two_jobs.csv", header + rejected("r") + finished("d", 1) + finished("n", 1) +
                                                       finished("s", 7) + without_walltime);
    std::string per_job = folder.file("per-job.csv");

    Outcome metrics(const Arguments& more) const { return run(folder, with({"metrics", one, two}, more)); }
};

}  // namespace

TEST_CASE("metrics writes the jobs of all runs side by side") {
    const Inputs inputs;
    const std::string columns = "job_id,kind,counted,\"one_wait\",\"one_stretch\",\"two_wait\",\"two_stretch\"\n";
    CHECK(inputs.metrics({"-w", inputs.workload, "--per-job", inputs.per_job}).status == 0);
    CHECK(contents(inputs.per_job) == columns +
                                          "\"w0!n\",regular,1,0,1,0,1\n"
                                          "\"w0!d\",deadline,1,8,2,0,1\n"
                                          "\"w0!u\",regular,1,1,,1,\n"
                                          "\"w0!s\",regular,1,0,1,6,1.75\n");
    CHECK(inputs.metrics({"-w", inputs.workload, "--per-job", inputs.per_job, "--waited-in-any-run"}).status == 0);
    CHECK(contents(inputs.per_job) == columns +
                                          "\"w0!n\",regular,0,0,1,0,1\n"
                                          "\"w0!d\",deadline,1,8,2,0,1\n"
                                          "\"w0!u\",regular,1,1,,1,\n"
                                          "\"w0!s\",regular,1,0,1,6,1.75\n");
}

TEST_CASE("metrics leaves out regular jobs that never waited only if told to") {
    const Inputs inputs;
    const Outcome all = inputs.metrics({"-w", inputs.workload, "-f", "json"});
    CHECK_THAT(all.output, Contains("\"regular_jobs\":4,\"regular_jobs_left_out\":0,\"mean_wait_regular\":0.25,"));
    CHECK_THAT(all.output, Contains("\"regular_jobs\":3,\"regular_jobs_left_out\":0,") &&
                               Contains("\"mean_wait_regular\":2.3333333333333335,"));
    const Outcome waited = inputs.metrics({"-w", inputs.workload, "-f", "json", "--waited-in-any-run"});
    CHECK_THAT(waited.output,
               Contains("\"regular_jobs\":2,\"regular_jobs_left_out\":2,\"mean_wait_regular\":0.5,") &&
                   Contains("\"regular_jobs\":2,\"regular_jobs_left_out\":1,\"mean_wait_regular\":3.5,"));
}

TEST_CASE("metrics tells short deadlines by an option") {
    const Inputs inputs;
    const auto with = [&](const std::string& seconds) {
        return inputs.metrics({"-w", inputs.workload, "-f", "json", "--short-deadline", seconds}).output;
    };
    CHECK_THAT(with("10"), Contains("\"deadline_violations_short\":1,\"deadline_violations_long\":0,"));
    CHECK_THAT(with("9.999999"), Contains("\"deadline_violations_short\":0,\"deadline_violations_long\":1,"));
    CHECK_THAT(inputs.metrics({"-w", inputs.workload, "-f", "json"}).output, Contains("\"deadline_jobs_short\":1,"));
}

TEST_CASE("metrics compares waits with those of a baseline") {
    const Inputs inputs;
    // Jobs n, d, u and s wait 0, 8, 1 and 0 s in one run, and 0, 0, 1 and 6 s in the other.
    const std::string one = inputs.folder.write(
        "one_jobs.csv", header + finished("n", 1) + finished("s", 1) + finished("d", 9) + finished("u", 2));
    const Outcome csv = run(inputs.folder, {"metrics", inputs.two, one, "--baseline", one, "-f", "csv"});
    CHECK(csv.status == 0);
    CHECK_THAT(
        csv.output,
        Contains(
            ",mean_wait_improvement,mean_wait_worst_5_percent_improvement,mean_wait_worst_1_percent_improvement,mean_wait_widest_10_percent_improvement,"));
    CHECK_THAT(csv.output, Contains("\n\"two\",") && Contains(",0.2222222222222222,0.25,0.25,1,") &&
                               Contains("\n\"one\",") && Contains(",0,0,0,0,"));
    const Outcome table = run(inputs.folder, {"metrics", one, "--baseline", inputs.two});
    CHECK_THAT(table.output, Contains("mean wait, improvement             -28.57 %\n") &&
                                 Contains("mean wait, worst 5 %, improvement  -33.33 %\n"));
    CHECK_THAT(run(inputs.folder, {"metrics", one}).output, !Contains("improvement"));
}

TEST_CASE("metrics refuses a baseline in which other jobs finished") {
    const Inputs inputs;
    for (const bool more_in_baseline : {true, false}) {
        const std::string& baseline = more_in_baseline ? inputs.one : inputs.two;
        const std::string& shown = more_in_baseline ? inputs.two : inputs.one;
        const Outcome refused = run(inputs.folder, {"metrics", shown, "--baseline", baseline});
        check_refused(refused, 1);
        CHECK_THAT(refused.errors, EndsWith(inputs.two + ": job w0!r did not finish, but did in " + inputs.one +
                                            ": expected the same jobs, to compare their waits\n"));
    }
    check_refused(run(inputs.folder, {"metrics", inputs.one, "--baseline", inputs.folder.file("none.csv")}), 1);
}

TEST_CASE("metrics and report refuse schedules of different workloads, and a workload of another schedule") {
    const Folder folder;
    const auto jobs = [&](const std::string& name, const std::string& workload) {
        const std::string path = folder.write(name + ".json", workload);
        require_done(run(folder, {"simulate", "-p", "4", "-w", path, "-a", "fcfs", "-e", folder.file(name), "-q"}));
        return folder.file(name + "_jobs.csv");
    };
    const auto workload = [](const std::string& submitted, const std::string& processors) {
        return R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":5}},"jobs":[)"
               R"({"id":"1","subtime":0,"res":1,"walltime":9,"profile":"p"},{"id":"2","subtime":)" +
               submitted + R"(,"res":)" + processors + R"(,"walltime":9,"profile":"p"}]})";
    };
    const std::string one = jobs("one", workload("1.5", "2"));
    const std::string same = jobs("same", workload("1.500001", "2"));
    const std::string later = jobs("later", workload("1.500002", "2"));
    const std::string wider = jobs("wider", workload("1.5", "3"));
    const std::string page = folder.file("page.html");
    for (const Arguments& command :
         std::vector<Arguments>{{"metrics", "--baseline", one},
                                {"metrics", "--intervals", "--baseline", one},
                                {"metrics", one, "-w", folder.file("one.json"), "--waited-in-any-run"},
                                {"metrics", one, "-w", folder.file("one.json"), "--per-job", folder.file("jobs.csv")},
                                {"report", one, "-o", page}}) {
        INFO(command.front() << ' ' << command[1]);
        const auto with = [&](const std::string& schedule) {
            Arguments arguments = command;
            arguments.insert(arguments.begin() + 1 + (command[1] == one ? 1 : 0), schedule);
            return run(folder, arguments);
        };
        CHECK(with(same).status == 0);
        std::filesystem::remove(page);
        check_refused(with(later), 1);
        CHECK_THAT(with(later).errors, Contains(later + ": job w0!2 asks for 2 processors at 1.500002, in ") &&
                                           Contains(" it asks for 2 processors at 1.500000: expected "));
        check_refused(with(wider), 1);
        CHECK_THAT(with(wider).errors, Contains(wider + ": job w0!2 asks for 3 processors at 1.500000, in ") &&
                                           Contains(" it asks for 2 processors at 1.500000: expected "));
        CHECK_FALSE(std::filesystem::exists(page));
    }
    check_refused(run(folder, {"metrics", wider, "-w", folder.file("one.json")}), 1,
                  wider + ": job w0!2 asks for 3 processors at 1.500000, in " + folder.file("one.json") +
                      " it asks for 2 processors at 1.500000: expected the workload of the schedule");
    // Side by side without a comparison, they may differ.
    CHECK(run(folder, {"metrics", one, wider}).status == 0);
}

TEST_CASE("metrics refuses options that need the workload, and leaves no file") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& options, int status) {
        const Outcome outcome = inputs.metrics(options);
        check_refused(outcome, status);
        return outcome.errors;
    };
    CHECK_THAT(refused({"--waited-in-any-run"}, 2),
               EndsWith("--waited-in-any-run tells regular jobs by the workload, expected --workload\n"));
    CHECK_THAT(refused({"--per-job", inputs.per_job}, 2),
               EndsWith("--per-job tells regular jobs by the workload, expected --workload\n"));
    CHECK_THAT(refused({"--short-deadline", "day"}, 2), Contains("--short-deadline: expected a number of seconds"));
    CHECK_THAT(refused({"-w", inputs.workload, "--per-job", inputs.folder.file("none/per-job.csv")}, 1),
               Contains("none/per-job.csv: cannot be written"));
    inputs.folder.write("two_jobs.csv", header + finished("unknown", 1));
    CHECK_THAT(refused({"-w", inputs.workload, "--per-job", inputs.per_job}, 1),
               EndsWith("job w0!unknown is in none of the workloads\n"));
    CHECK_FALSE(std::filesystem::exists(inputs.per_job));
}

TEST_CASE("metrics --by shows groups of jobs") {
    const Inputs inputs;
    const Outcome csv = inputs.metrics({"--by", "width,length", "-f", "csv"});
    CHECK(csv.status == 0);
    CHECK_THAT(csv.output, Contains("\"one\",\"1\",\"< 1 min\",5,20,") && Contains("\"two\",\"1\",\"< 1 min\",4,16,"));
    CHECK_THAT(inputs.metrics({"--by", "queue", "-w", inputs.workload}).output, Contains("one      -     5"));
    const auto refused = [&](const Arguments& options, const std::string& words) {
        check_refused(inputs.metrics(options), 2, words);
    };
    refused({"--by", "user"}, "the workload tells users, queues and partitions, expected --workload");
    refused({"--by", "height"}, "--by: unknown grouping 'height', known: width, length, user, queue, partition");
    refused({"--by", "width,width"}, "--by: expected each grouping once, found 'width' twice");
    refused({"--by", ""}, "--by: expected one or more of width, length, user, queue, partition");
    refused({"--by", "width", "--baseline", inputs.one}, "expected no --baseline");
}

TEST_CASE("metrics --intervals shows how far the means may be by chance") {
    const Inputs inputs;
    const Outcome csv = inputs.metrics({"--intervals", "-f", "csv"});
    CHECK(csv.status == 0);
    CHECK_THAT(csv.output, StartsWith("run,metric,weeks,value,low,high,difference,difference_low,difference_high\n") &&
                               Contains("\"one\",\"mean_wait\",1,1.8,,,,,\n"));
    const Outcome compared =
        run(inputs.folder, {"metrics", inputs.one, "--intervals", "--baseline", inputs.one, "-f", "csv"});
    CHECK_THAT(compared.output, Contains("\"one\",\"mean_wait\",1,1.8,,,0,,\n"));
    const auto refused = [&](const Arguments& options, const std::string& words) {
        check_refused(inputs.metrics(options), 2, words);
    };
    refused({"--intervals", "--by", "width"}, "expected no --intervals");
    refused({"--intervals", "--waited-in-any-run", "-w", inputs.workload}, "expected no --waited-in-any-run");
    refused({"--intervals", "--metrics", "max_wait"}, "expected no --metrics");
    for (const char* const bootstrap : {"--resamples", "--block", "--seed"}) {
        refused({"--intervals", bootstrap, "1"}, "unrecognised option '" + std::string(bootstrap) + "'");
    }
}

TEST_CASE("metrics --intervals has an interval from 20 weeks on, and of the difference to another run") {
    const Folder folder;
    // The last job of a week waits 100 s more in every second run, and waits change from week to week.
    const auto written = [&](const std::string& name, int weeks, int more) {
        std::string text = header;
        for (int week = 0; week < weeks; ++week) {
            const int submit = 604'800 * week;
            const int wait = 1000 + 137 * (week * week % 11) + more;
            text += std::to_string(week) + ",w0," + std::to_string(submit) + ",1,8,1,COMPLETED_SUCCESSFULLY," +
                    std::to_string(submit + wait) + ",4," + std::to_string(submit + wait + 4) + ',' +
                    std::to_string(wait) + ',' + std::to_string(wait + 4) + ",0\n";
        }
        return folder.write(name, text);
    };
    const auto line_of = [&](const Arguments& arguments) {
        const Outcome outcome = run(folder, with({"metrics", "--intervals", "-f", "csv"}, arguments));
        require_done(outcome);
        CHECK(outcome.errors.empty());
        const std::size_t at = outcome.output.find("\"mean_wait\"");
        return outcome.output.substr(at, outcome.output.find('\n', at) - at);
    };
    const std::string less = written("less_jobs.csv", 20, 0);
    const std::string more = written("more_jobs.csv", 20, 100);
    // Nothing but the waits of all weeks differs, so the difference is sure.
    CHECK_THAT(line_of({more, "--baseline", less}),
               Catch::Matchers::Matches("\"mean_wait\",20,[0-9.]+,[0-9.]+,[0-9.]+,100,(100|99.99[0-9]*|100.00[0-9]*),"
                                        "(100|99.99[0-9]*|100.00[0-9]*)"));
    CHECK_THAT(line_of({more}), EndsWith(",,,"));
    CHECK_THAT(line_of({written("few_jobs.csv", 19, 0)}), EndsWith(",,,,,"));
    // The page and the table of metrics say nothing of chance.
    CHECK_THAT(run(folder, {"metrics", less, more, "--format", "markdown"}).output,
               Contains("mean wait") && !Contains("**"));
}

TEST_CASE("metrics of a log are those of the schedule that swf writes of it, in all commands") {
    const Folder folder;
    const std::string log = folder.write("machine.swf",
                                         "; MaxProcs: 8\n"
                                         "1 0 0 60 4 -1 -1 4 100 -1 1 7 1 -1 1 1 -1 -1\n"
                                         "2 5 55 30 8 -1 -1 8 100 -1 1 8 1 -1 1 1 -1 -1\n"
                                         "3 9 -1 30 8 -1 -1 8 100 -1 1 8 1 -1 1 1 -1 -1\n"
                                         "4 9 3 0 8 -1 -1 8 100 -1 1 8 1 -1 1 1 -1 -1\n");
    const std::string jobs = folder.file("machine_jobs.csv");
    const std::string workload = folder.file("w.json");
    require_done(run(folder, {"swf", log, "-o", workload, "--schedule", jobs}));
    const Arguments options{"-w", workload, "-p", "8", "-f", "csv"};
    const auto metrics_of = [&](const std::string& path) { return run(folder, with({"metrics", path}, options)); };
    const Outcome direct = metrics_of(log);
    CHECK(direct.status == 0);
    CHECK(direct.output == metrics_of(jobs).output);
    CHECK_THAT(direct.output, Contains("\n\"machine\",2,2,"));
    CHECK_THAT(direct.errors, Contains(log + ": 2 of 4 jobs left out") && Contains("their wait is unknown (1)"));
    CHECK(run(folder, {"metrics", jobs, "--baseline", log}).status == 0);
    CHECK(run(folder, {"check", log, "-w", workload, "-p", "8"}).output ==
          run(folder, {"check", jobs, "-w", workload, "-p", "8"}).output);
    CHECK(run(folder, {"report", log, "-o", folder.file("page.html")}).status == 0);
    CHECK(run(folder, {"plot", "waits", log, "-o", folder.file("waits.svg")}).status == 0);

    const std::string unknown = folder.write("unknown.swf", "3 9 -1 30 8 -1 -1 8 100 -1 1 8 1 -1 1 1 -1 -1\n");
    check_refused(run(folder, {"metrics", unknown}), 1,
                  "unknown.swf: expected jobs of known wait and run time, but none of its 1 jobs");
}

TEST_CASE("A log may have used more processors than its machine has, and has another name than its replay") {
    const Folder folder;
    const std::string log = folder.write("m.swf",
                                         "; MaxProcs: 4\n"
                                         "1 0 0 60 4 -1 -1 4 100 -1 1 7 1 -1 1 1 -1 -1\n"
                                         "2 5 25 30 2 -1 -1 2 100 -1 1 8 1 -1 1 1 -1 -1\n");
    const std::string replay = folder.file("m");
    require_done(run(folder, {"simulate", "-q", "-a", "easy", "-p", "4", "-w", log, "-e", replay}));
    const Outcome both = run(folder, {"metrics", log, replay, "-p", "4"});
    CHECK(both.status == 0);
    CHECK_THAT(both.errors, Contains("the schedule of the log has up to 6 processors in use, the machine has 4"));
    CHECK_THAT(both.output, Contains(log + "  "));
    CHECK(run(folder, {"report", log, replay, "-p", "4", "-o", folder.file("page.html")}).status == 0);
    CHECK_THAT(contents(folder.file("page.html")), Contains("\"processors\":4,\"processors_drawn\":6"));
    require_done(run(folder, {"plot", "gantt", log, replay, "-p", "4", "-o", folder.file("g.svg")}));
    CHECK_THAT(contents(folder.file("g.svg")), Contains("#c00"));
    require_done(run(folder, {"plot", "gantt", replay, "-p", "4", "-o", folder.file("one.svg")}));
    CHECK_THAT(contents(folder.file("one.svg")), !Contains("#c00"));
    // A run that is no log is refused on a smaller machine.
    check_refused(run(folder, {"metrics", replay + "_jobs.csv", "-p", "2"}), 1, "expected the platform of the run");
}

TEST_CASE("metrics takes the prefix of a run for its jobs.csv, as report does") {
    const Inputs inputs;
    const Outcome by_file = inputs.metrics({});
    const Outcome by_prefix = run(inputs.folder, {"metrics", inputs.folder.file("one"), inputs.folder.file("two")});
    require_done(by_prefix);
    CHECK(by_prefix.output == by_file.output);
    const Outcome none = run(inputs.folder, {"metrics", inputs.folder.file("three")});
    check_refused(none, 1);
    CHECK_THAT(none.errors, Contains("three: there is neither such a file nor ") && Contains("three_jobs.csv"));
}

TEST_CASE("metrics and check know a run by its folder, if its prefix is one") {
    const Inputs inputs;
    std::filesystem::create_directory(inputs.folder.file("runs"));
    const std::string prefix = inputs.folder.file("runs/");
    const Outcome simulated = run(inputs.folder, {"simulate", "-a", "fcfs", "-P", "default-walltime=9", "-p", "9", "-w",
                                                  inputs.workload, "-e", prefix});
    CHECK(simulated.status == 0);
    CHECK(std::filesystem::exists(prefix + "_jobs.csv"));
    const Outcome measured = run(inputs.folder, {"metrics", prefix, "-f", "csv"});
    CHECK(measured.status == 0);
    CHECK_THAT(measured.output, Contains("\n\"runs\","));
    CHECK(run(inputs.folder, {"check", prefix, "-w", inputs.workload, "-p", "9"}).status == 0);
}

TEST_CASE("metrics does not write the jobs of all runs over what it reads") {
    const Inputs inputs;
    const std::string before = contents(inputs.one);
    for (const std::string& input : {inputs.one, inputs.folder.file("./one_jobs.csv"), inputs.workload}) {
        const Outcome outcome =
            run(inputs.folder, {"metrics", inputs.folder.file("one"), "-w", inputs.workload, "--per-job", input});
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors, Contains("--per-job: would write over the input "));
    }
    const Outcome baseline = run(inputs.folder, {"metrics", inputs.two, "-w", inputs.workload, "--baseline", inputs.one,
                                                 "--per-job", inputs.one});
    check_refused(baseline, 2);
    CHECK(contents(inputs.one) == before);
}

TEST_CASE("metrics, check, plot and report tell logs by their content, and by their name where that says nothing") {
    const Folder folder;
    const std::string lines =
        "1 0 0 60 4 -1 -1 4 100 -1 1 7 1 -1 1 1 -1 -1\n"
        "2 5 55 30 8 -1 -1 8 100 -1 1 8 1 -1 1 1 -1 -1\n";
    const std::string log = folder.write("log.swf", "; MaxProcs: 8\n" + lines);
    const std::string other_name = folder.write("log.txt", "; MaxProcs: 8\n" + lines);
    const std::string workload = folder.file("w.json");
    REQUIRE(run(folder, {"swf", log, "-o", workload}).status == 0);
    const auto output_of = [&](const Arguments& arguments) {
        const Outcome outcome = run(folder, arguments);
        CHECK(outcome.status == 0);
        return outcome.output;
    };
    CHECK_THAT(output_of({"metrics", other_name, "-p", "8", "-f", "csv"}), Contains("\n\"log.txt\",2,2,"));
    CHECK(output_of({"check", other_name, "-w", other_name, "-p", "8"}) ==
          output_of({"check", log, "-w", workload, "-p", "8"}));
    output_of({"plot", "gantt", other_name, "-o", folder.file("gantt.svg")});
    output_of({"report", other_name, "-o", folder.file("page.html")});
    // A run of this prefix comes first.
    folder.write("log.txt_jobs.csv", header + finished("n", 1));
    CHECK_THAT(output_of({"metrics", other_name, "-f", "csv"}), Contains("\n\"log.txt\",1,1,"));

    const auto refused = [&](const std::string& path) {
        const Outcome outcome = run(folder, {"metrics", path});
        check_refused(outcome, 1);
        return outcome.errors;
    };
    CHECK_THAT(refused(folder.write("short.swf", "1 2 3\n")), Contains("short.swf:1: expected 18 columns"));
    CHECK_THAT(refused(folder.write("empty.swf", "\n")), Contains("expected a log in the Standard Workload Format"));
    CHECK_THAT(refused(folder.write("json.swf", "{\"nb_res\":1}")), Contains("expected a jobs.csv, found a workload"));
    CHECK_THAT(refused(folder.file("none.swf")), Contains("none.swf: there is neither such a file nor"));
    const std::string pipe = folder.file("pipe.swf");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(pipe) << lines; });
    CHECK_THAT(output_of({"metrics", pipe, "-f", "csv"}), Contains("\n\"pipe\",2,2,"));
    writer.join();
}

TEST_CASE("metrics --wait-from eligible counts waits from where jobs had no others to wait for") {
    const Folder folder;
    // b is eligible at 10, when a ends, and then waits for c until 15.
    const std::string workload = folder.write(
        "w.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":10},"q":{"type":"delay","delay":5}},"jobs":[)"
                  R"({"id":"a","subtime":0,"res":1,"walltime":20,"profile":"p"},)"
                  R"({"id":"b","subtime":1,"res":1,"walltime":20,"profile":"p","after":["ok:a"]},)"
                  R"({"id":"c","subtime":2,"res":1,"walltime":20,"profile":"q"}]})");
    const std::string easy = folder.file("easy");
    require_done(run(folder, {"simulate", "-q", "-p", "1", "-w", workload, "-a", "easy", "-e", easy}));
    const std::string names =
        "mean_wait,max_wait,mean_slowdown,mean_queue_length,max_queue_length,utilisation,makespan";
    const auto metrics = [&](const Arguments& more) {
        const Outcome outcome = run(folder, with({"metrics", easy, "-p", "1", "-f", "csv", "--metrics", names}, more));
        require_done(outcome);
        return outcome.output.substr(outcome.output.find('\n') + 1);
    };
    // Without the option a, b and c wait 0, 14 and 8 s in 25 s.
    CHECK(metrics({}) == "\"easy\",7.333333333333333,14,2,0.88,2,1,25\n");
    CHECK(metrics({"--wait-from", "submission"}) == metrics({}));
    CHECK(metrics({"--wait-from", "eligible"}) == "\"easy\",4.333333333333333,8,1.7,0.52,1,1,25\n");
    CHECK_THAT(run(folder, {"metrics", easy, "-w", workload, "--wait-from", "eligible", "--baseline", easy, "--per-job",
                            folder.file("jobs.csv")})
                   .output,
               Contains("mean wait (s)                         4.3\n"));
    CHECK_THAT(contents(folder.file("jobs.csv")), Contains("\"w0!b\",regular,1,5,1.25\n"));

    folder.write("easy_eligible.csv", "job_id,eligible_time,workload_name\nz,10,w0\n");
    check_refused(run(folder, {"metrics", easy, "--wait-from", "eligible"}), 1,
                  "easy_eligible.csv: job w0!z is not in " + easy + "_jobs.csv");
    folder.write("easy_eligible.csv", "job_id,eligible_time,workload_name\nb,0.5,w0\n");
    check_refused(run(folder, {"metrics", easy, "--wait-from", "eligible"}), 1,
                  "easy_eligible.csv: job w0!b is eligible at 0.5, expected an instant after its submission at 1");
    std::filesystem::remove(easy + "_eligible.csv");
    check_refused(run(folder, {"metrics", easy, "--wait-from", "eligible"}), 1,
                  easy + "_eligible.csv: there is no such file; simulate writes it beside " + easy + "_jobs.csv");
    const std::string other = folder.write("other.csv", contents(easy + "_jobs.csv"));
    check_refused(run(folder, {"metrics", other, "--wait-from", "eligible"}), 1,
                  "other.csv: expected the PREFIX_jobs.csv of a simulation");
    check_refused(run(folder, {"metrics", easy, "--wait-from", "start"}), 2, "--wait-from");
}

}  // namespace batfill::tests::metrics_test
