#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/replay/replay.hpp>
#include <batfill/workloads/models.hpp>

#include "src/choice/named_scheduler.hpp"
#include "src/commands/command.hpp"
#include "src/support/csv_text.hpp"
#include "tests/command_line/outcome.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::compare_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Given = Parameters::Given;

namespace {

// A folder with a platform of 16 processors and three workloads.
struct Inputs : tests::Folder {
    Inputs() {
        write(
            "p.xml",
            "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" radical=\"0-15\" suffix=\"\" speed=\"1Gf\" bw=\"1GBps\" lat=\"0us\"/><host id=\"master_host\" speed=\"1Gf\"/></zone></platform>\n");
        for (int i = 1; i <= 3; ++i) {
            LublinModel model;
            model.jobs = 60;
            model.processors = 16;
            model.seed = static_cast<std::uint64_t>(i);
            model.load = 0.9;
            write_workload(generate_lublin(model), week(i));
        }
    }
    std::string week(int number) const { return file("week-" + std::to_string(number) + ".json.gz"); }
    // Compares `schedulers` on all workloads and returns the output file.
    std::string csv(const Arguments& schedulers, const Arguments& more = {}) const {
        const Arguments on_all{"-p", file("p.xml"), "-w", week(1), week(2), week(3), "-o", file("out.csv")};
        REQUIRE_NOTHROW(commands::compare(with(with(schedulers, on_all), more)));
        return contents(file("out.csv"));
    }
};

}  // namespace

TEST_CASE("a scheduler argument has parameters whose values may have commas", "[compare]") {
    const auto read = [](const std::string& text) { return read_scheduler(text).choice; };
    CHECK(read("fcfs").algorithm() == "fcfs");
    CHECK(read("fcfs").parameters().given().empty());
    const SchedulerChoice mixed = read("easy,order=mixed,weights=1,0,-0.5,0,0,0,threshold=72000");
    CHECK(mixed.algorithm() == "easy");
    CHECK(mixed.parameters().given() ==
          Given{{"order", "mixed"}, {"weights", "1,0,-0.5,0,0,0"}, {"threshold", "72000"}});
    CHECK(read_scheduler("easy,order=saf").name == "easy,order=saf");
    CHECK_THROWS_AS(read(""), UsageError);
    CHECK_THROWS_AS(read("neverheardof"), UsageError);
    CHECK_THROWS_AS(read("easy,saf"), UsageError);
    CHECK_THROWS_AS(read("easy,order=neverheardof"), UsageError);
}

TEST_CASE("a scheduler argument may be a file", "[compare]") {
    const Inputs inputs;
    const NamedScheduler scheduler = read_scheduler(
        inputs.write("tuned.json", R"({"algorithm": "easy", "params": {"order": "saf", "threshold": 72000}})"));
    CHECK(scheduler.name == "tuned");
    CHECK(scheduler.choice.algorithm() == "easy");
    CHECK(scheduler.choice.parameters().given() == Given{{"order", "saf"}, {"threshold", "72000"}});
    CHECK_THROWS_AS(read_scheduler(inputs.file("missing.json")), InputError);
    CHECK_THROWS_WITH(read_scheduler(inputs.write("other.json", "{}")), Contains("other.json: expected"));
    CHECK_THROWS_WITH(read_scheduler(inputs.write("number.json", R"({"algorithm": 1})")),
                      Contains("number.json: ") && Contains("not a string"));
}

TEST_CASE("batfill compare writes a row per workload and a column per scheduler", "[compare][command]") {
    const Inputs inputs;
    const Arguments schedulers{"fcfs", "easy,order=saf,backfill-order=spf", "conservative"};
    const std::string text = inputs.csv(schedulers, {"--metric", "mean_wait", "--threads", "1"});
    CHECK(inputs.csv(schedulers, {"--metric", "mean_wait", "--threads", "7"}) == text);
    CHECK(inputs.csv(schedulers, {"--metric", "mean_bounded_slowdown", "--tau", "60"}) != text);

    std::string expected = "workload,\"fcfs\",\"easy,order=saf,backfill-order=spf\",\"conservative\"\n";
    for (int i = 1; i <= 3; ++i) {
        const Replay replay(machine(16), read_workload(inputs.week(i), "w0"));
        expected += "\"week-" + std::to_string(i) + "\"";
        for (const std::string& scheduler : schedulers) {
            expected +=
                ',' + exact(replay.measure(read_scheduler(scheduler).choice, ReplayMetric("mean_wait")).value());
        }
        expected += '\n';
    }
    CHECK(text == expected);
}

TEST_CASE("batfill compare names a job, if none of a workload runs under all schedulers", "[compare][command]") {
    const Inputs inputs;
    const std::string wide = inputs.write("wide.json", R"({"nb_res":99,"profiles":{"p":{"type":"delay","delay":4}},)"
                                                       R"("jobs":[{"id":"big","subtime":1,"res":17,"walltime":8,)"
                                                       R"("profile":"p"}]})");
    for (const std::string threads : {"1", "4"}) {
        CHECK_THROWS_WITH(commands::compare({"fcfs", "easy", "-p", inputs.file("p.xml"), "-w", inputs.week(1), wide,
                                             "-o", inputs.file("out.csv"), "--threads", threads}),
                          Contains("wide.json: job w0!big, under fcfs: it asks for 17 processors, the machine has 16; "
                                   "expected a job that runs under every scheduler"));
    }
    CHECK_FALSE(std::filesystem::exists(inputs.file("out.csv")));
}

TEST_CASE("batfill compare goes on with the jobs that every scheduler runs", "[compare][command]") {
    const Inputs inputs;
    const auto job = [](const std::string& id, const std::string& submit, const std::string& size) {
        return R"({"id":")" + id + R"(","subtime":)" + submit + R"(,"res":)" + size + R"(,"walltime":8,"profile":"p"})";
    };
    const auto workload = [&](const std::string& name, const std::string& jobs) {
        return inputs.write(name, R"({"nb_res":16,"profiles":{"p":{"type":"delay","delay":4}},"jobs":[)" + jobs + "]}");
    };
    const std::string few = job("a", "0", "16") + "," + job("b", "0", "9") + "," + job("c", "1", "16");
    const std::string fits = workload("fits.json", few);
    const std::string wide = workload("wider.json", few + "," + job("big", "1", "17"));
    const Outcome without = run(inputs, {"compare", "fcfs", "easy", fits, "--format", "csv"});
    const Outcome with = run(inputs, {"compare", "fcfs", "easy", wide, "-p", "16", "--format", "csv"});
    CHECK(with.output == without.output);
    CHECK(with.status == 0);
    const std::string reason =
        "1 job that did not run everywhere (w0!big, under fcfs: it asks for 17 processors, the machine has 16)";
    CHECK_THAT(with.errors, Contains("no column counts " + reason));
    CHECK_THAT(run(inputs, {"compare", "fcfs", "easy", wide, "-p", "16"}).output,
               Catch::Matchers::StartsWith("one workload, without " + reason + "\n"));
    // A single metric, groups of jobs, and several workloads count the same jobs.
    for (const Arguments& more : {Arguments{"--metric", "mean_wait"}, Arguments{"--by", "width"}}) {
        Arguments one = {"compare", "fcfs", "easy", fits};
        Arguments other = {"compare", "fcfs", "easy", wide, "-p", "16"};
        one.insert(one.end(), more.begin(), more.end());
        other.insert(other.end(), more.begin(), more.end());
        const std::string expected = run(inputs, one).output;
        const std::string found = run(inputs, other).output;
        // Without the name of the workload.
        CHECK(found.substr(found.find("3.")) == expected.substr(expected.find("3.")));
    }
}

TEST_CASE("batfill compare refuses what it cannot use", "[compare][command]") {
    const Inputs inputs;
    const auto compare = [&](const Arguments& more) {
        return commands::compare(with(more, {"-p", inputs.file("p.xml"), "-w", inputs.week(1)}));
    };
    CHECK_THROWS_WITH(compare({}), Contains("no scheduler to compare"));
    CHECK_THROWS_WITH(compare({"easy", "--metric", "utilisation"}), Contains("known: mean_wait"));
    CHECK_THROWS_WITH(compare({"easy", "--threads", "0"}), Contains("--threads"));
    CHECK_THROWS_WITH(compare({"easy", "--tau", "0"}), Contains("--tau"));
    CHECK_THROWS_AS(compare({"easy,order=x"}), UsageError);
    CHECK_THROWS_AS(commands::compare({"easy", "-p", inputs.file("p.xml"), "-w", inputs.file("none")}), InputError);
}

namespace {

// A log of so many jobs, one every 9000 s, of which each week has 67.
std::string log_of(int jobs) {
    std::string log = "; MaxProcs: 8\n";
    for (int i = 1; i <= jobs; ++i) {
        const int size = 1 + i * 7 % 8;
        log += std::to_string(i) + " " + std::to_string(9000 * i) + " 0 " + std::to_string(60 + i * 977 % 40'000) +
               " " + std::to_string(size) + " -1 -1 " + std::to_string(size) + " 50000 -1 1 " + std::to_string(i % 5) +
               " 1 1 1 -1 -1 -1\n";
    }
    return log;
}

// The first lines of a text.
std::string head_of(const std::string& text, int lines) {
    std::size_t end = 0;
    for (int i = 0; i < lines; ++i) {
        end = text.find('\n', end) + 1;
    }
    return text.substr(0, end);
}

// The fields of a line of csv that begins with `begin`, behind that.
std::vector<std::string> fields_of(const std::string& csv, const std::string& begin) {
    const std::size_t at = csv.find('\n' + begin);
    REQUIRE(at != std::string::npos);
    std::istringstream line(csv.substr(at + 1 + begin.size(), csv.find('\n', at + 1) - at - 1 - begin.size()));
    std::vector<std::string> fields;
    for (std::string field; std::getline(line, field, ',');) {
        fields.push_back(field);
    }
    return fields;
}

}  // namespace

TEST_CASE("batfill compare prints all metrics of a log, says which scheduler is best, and makes a page",
          "[compare][command]") {
    const tests::Folder folder;
    const std::string path = folder.write("cluster.swf", log_of(300));
    const auto compare = [&](const Arguments& more) {
        return tests::run(folder, with({"compare", "fcfs", "easy", path}, more));
    };
    const tests::Outcome whole = compare({"--report", folder.file("page.html")});
    CHECK(whole.status == 0);
    CHECK_THAT(whole.errors, Contains("converted as by batfill swf without options: 300 of 300 jobs kept"));
    // One workload says nothing of chance: no marks.
    CHECK_THAT(whole.output, Contains("mean wait (s)") && !Contains("*") && !Contains("~") && !Contains("[") &&
                                 !Contains("deadline"));
    CHECK_THAT(
        head_of(whole.output, 2),
        Catch::Matchers::Matches("one workload\neasy has the least mean wait, [0-9.]+ % less than fcfs; measured "
                                 "once: nothing is said about chance\\.\n"));
    CHECK_THAT(tests::contents(folder.file("page.html")), Contains("batfill compare fcfs easy"));

    // As the page and the metrics of the same runs by hand.
    require_done(
        tests::run(folder, {"simulate", "-q", "-a", "easy", "-p", "8", "-w", path, "-e", folder.file("easy")}));
    const tests::Outcome by_hand =
        tests::run(folder, {"metrics", folder.file("easy"), "-p", "8", "-w", path, "--format", "json"});
    const tests::Outcome as_json = compare({"--format", "json"});
    const auto value_of = [](const std::string& text, const std::string& begin) {
        const std::size_t at = text.find(begin) + begin.size();
        return text.substr(at, text.find_first_of(",}", at) - at);
    };
    CHECK(value_of(as_json.output, R"("metric":"mean_wait","scheduler":"easy","workloads":1,"mean":)") ==
          value_of(by_hand.output, R"("mean_wait":)"));
    CHECK_THAT(as_json.output, Contains(R"("mark":"")"));
    // Other formats than the table for people have no sentence: a note says it.
    CHECK_THAT(as_json.errors, Contains("batfill: note: measured once: nothing is said about chance\n"));
    CHECK_THAT(whole.errors, !Contains("measured once"));

    const tests::Outcome weeks = compare({"--weeks"});
    CHECK(weeks.status == 0);
    CHECK_THAT(weeks.errors, Contains("5 weeks, "));
    CHECK_THAT(weeks.output, StartsWith("mean over 5 workloads, each replayed on an empty machine\n") &&
                                 Contains("; nothing is said about chance: 5 weeks, expected at least 20.\n") &&
                                 !Contains("["));
    // A workload does not tell which jobs cross the end of a week, so it keeps them. Its weeks are as the files of
    // them, but these may be independent of each other.
    require_done(tests::run(folder, {"swf", path, "-o", folder.file("cluster.json")}));
    require_done(tests::run(folder, {"swf", path, "-o", folder.file("weeks"), "--split", "7", "--crossing", "keep"}));
    Arguments files{"compare", "fcfs", "easy", "--format", "csv", "-w"};
    for (int week = 1; week <= 5; ++week) {
        files.push_back(folder.file("weeks/cluster-week-00" + std::to_string(week) + ".json"));
    }
    const std::string of_weeks =
        tests::run(folder, {"compare", "fcfs", "easy", folder.file("cluster.json"), "--weeks", "--format", "csv"})
            .output;
    const std::string of_files = tests::run(folder, files).output;
    for (const char* const line :
         {"\"mean_wait\",\"fcfs\",5,", "\"mean_wait\",\"easy\",5,", "\"makespan\",\"easy\",5,"}) {
        const std::vector<std::string> in_order = fields_of(of_weeks, line);
        const std::vector<std::string> independent = fields_of(of_files, line);
        REQUIRE(in_order.size() == 7);
        CHECK(in_order[0] == independent[0]);
        CHECK(in_order[3] == independent[3]);
        CHECK(in_order[1].empty());
        CHECK(!independent[1].empty());
    }
}

TEST_CASE("batfill compare marks the best scheduler over 20 weeks in every format", "[compare][command]") {
    const tests::Folder folder;
    const std::string path = folder.write("cluster.swf", log_of(1400));
    const auto compare = [&](const Arguments& more) {
        return tests::run(folder, with({"compare", "fcfs", "easy", path, "--weeks"}, more));
    };
    const std::string csv = compare({"--format", "csv"}).output;
    CHECK_THAT(csv,
               StartsWith("metric,scheduler,workloads,mean,low,high,difference,difference_low,difference_high,mark\n"));
    const std::vector<std::string> fcfs = fields_of(csv, "\"mean_wait\",\"fcfs\",21,");
    const std::vector<std::string> easy = fields_of(csv, "\"mean_wait\",\"easy\",21,");
    CHECK(fcfs.back() == "\"told_apart\"");
    CHECK(easy.back() == "\"best\"");
    CHECK(std::stod(easy[1]) < std::stod(easy[0]));
    CHECK(std::stod(easy[2]) > std::stod(easy[0]));
    CHECK(std::stod(easy[3]) == Approx(std::stod(easy[0]) - std::stod(fcfs[0])));
    CHECK(std::stod(easy[5]) < 0);
    CHECK(fields_of(csv, "\"jobs\",\"easy\",21,").back() == "\"\"");  // neither is better

    const tests::Outcome table = compare({});
    CHECK_THAT(head_of(table.output, 2),
               Catch::Matchers::Matches("mean over 21 workloads, each replayed on an empty machine\neasy has the least "
                                        "mean wait, [0-9.]+ % less than fcfs, and is told apart from it\\.\n"));
    CHECK_THAT(table.output,
               Contains("] *") &&
                   Contains("\nBrackets hold 95 % intervals, each for itself. *: best, and told apart from what") &&
                   EndsWith(" Of tables of equal schedulers, at most 5 % have a mark: marks rest on the mean "
                            "wait, and hold for all pairs together.\n"));
    CHECK_THAT(compare({"--format", "latex"}).output,
               Contains("\\begin{tabular}{lrr}\n\\toprule\n & fcfs & easy \\\\\n") && Contains("\\textbf{") &&
                   Contains(" [") && Contains("\\%") &&
                   Contains("\n\\end{tabular}\n\\par\\smallskip{\\footnotesize Table: mean over ") &&
                   Contains(" Bold: best, "));
    CHECK_THAT(compare({"--format", "markdown"}).output, StartsWith("|  | fcfs | easy |\n|---|---:|---:|\n") &&
                                                             Contains("**") && Contains("\n\nTable: mean over ") &&
                                                             Contains(" Bold: best, "));
    // Schedulers that do the same are not told apart.
    const std::string same = tests::run(folder, {"compare", "easy", "easy,order=fcfs", path, "--weeks"}).output;
    CHECK_THAT(same, Contains("\nBoth have the same mean wait.\n") && !Contains("] *") &&
                         Contains(" No marks: the mean wait tells no two schedulers apart."));
}

TEST_CASE("batfill compare takes any scheduler as the baseline", "[compare][command]") {
    const tests::Folder folder;
    const std::string path = folder.write("cluster.swf", log_of(300));
    const auto compare = [&](const Arguments& more) {
        return tests::run(folder, with({"compare", "fcfs", "easy", "conservative", path}, more));
    };
    const auto differences = [&](const Arguments& more) {
        const std::string csv = compare(with(more, {"--format", "csv"})).output;
        std::vector<double> found;
        for (const char* const scheduler : {"fcfs", "easy", "conservative"}) {
            found.push_back(std::stod(fields_of(csv, "\"mean_wait\",\"" + std::string(scheduler) + "\",1,").at(3)));
        }
        return found;
    };
    const std::vector<double> to_first = differences({});
    CHECK(to_first[0] == 0);
    CHECK(to_first[1] < 0);
    const std::vector<double> to_easy = differences({"--baseline", "easy"});
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(to_easy[i] == Approx(to_first[i] - to_first[1]).margin(1e-6));
    }
    CHECK(differences({"--baseline", "fcfs"}) == to_first);
    CHECK(differences({"--log", path, "--baseline", "log"})[0] > 0);  // nobody waits in the log
    // The sentence compares with it, and so does the page.
    CHECK_THAT(compare({"--baseline", "conservative"}).output, Contains(" % less than conservative; "));
    const std::string page = folder.file("page.html");
    require_done(compare({"--baseline", "easy", "--report", page}));
    CHECK_THAT(tests::contents(page), Contains("\"baseline\":1,"));

    const auto refused = [&](const Arguments& more, const std::string& words) {
        check_refused(compare(more), 2, words);
    };
    refused({"--baseline", "eazy"}, "unknown baseline 'eazy', did you mean 'easy'? Known: fcfs, easy, conservative");
    refused({"--baseline", "log"}, "unknown baseline 'log', known: fcfs, easy, conservative");
    refused({"--baseline", "easy", "--by", "width"}, "expected no --baseline");
    refused({"--baseline", "easy", "--metric", "mean_wait"}, "expected no --baseline");
}

TEST_CASE("batfill compare takes loads of one log for one workload", "[compare][command]") {
    const tests::Folder folder;
    Arguments files{"compare", "fcfs", "easy"};
    const auto add = [&](std::uint64_t seed, double load) {
        LublinModel model;
        model.jobs = 60;
        model.processors = 16;
        model.seed = seed;
        model.load = load;
        const std::string file = "s" + std::to_string(seed) + "-" + std::to_string(load) + ".json";
        write_workload(generate_lublin(model), folder.file(file));
        files.push_back(folder.file(file));
    };
    for (const double load : {0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
        add(1, load);
    }
    const tests::Outcome loads = tests::run(folder, files);
    CHECK(loads.status == 0);
    CHECK_THAT(loads.output, StartsWith("mean over 6 workloads, each replayed on an empty machine\n") &&
                                 Contains("mean wait (s)") && !Contains("[") && !Contains("~"));
    const std::string reason = "measured once: nothing is said about chance, as all workloads have the same jobs";
    CHECK_THAT(loads.output, Contains("; " + reason + ".\n"));
    CHECK(loads.errors.empty());
    CHECK(tests::run(folder, with(files, {"--format", "csv"})).errors == "batfill: note: " + reason + '\n');
    CHECK(tests::run(folder, with(files, {"--metric", "mean_wait"})).errors.empty());
    for (std::uint64_t seed = 2; seed <= 5; ++seed) {
        add(seed, 0.9);
    }
    const tests::Outcome seeds = tests::run(folder, files);
    CHECK_THAT(seeds.output, Contains("["));
    CHECK(seeds.errors.empty());
    // A single metric has the same mean: the six loads count as one workload.
    const std::string csv = tests::run(folder, with(files, {"--format", "csv"})).output;
    const std::string begin = "\"mean_wait\",\"fcfs\",10,";
    const std::size_t at = csv.find(begin) + begin.size();
    const std::string mean = rounded(std::stod(csv.substr(at, csv.find(',', at) - at)), 3);
    CHECK_THAT(tests::run(folder, with(files, {"--metric", "mean_wait"})).output, Contains("\nmean") && Contains(mean));
}

TEST_CASE("batfill compare checks its output files before it replays anything", "[compare][command]") {
    const Inputs inputs;
    // It would fail in the first replay.
    const std::string wide = inputs.write("wide.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":4}},)"
                                                       R"("jobs":[{"id":"big","subtime":1,"res":2,"walltime":8,)"
                                                       R"("profile":"p"}]})");
    const auto compare = [&](Arguments more) {
        more.insert(more.end(), {"fcfs", wide});
        return commands::compare(more);
    };
    CHECK_THROWS_WITH(compare({"-o", inputs.file("no/x.csv")}), Contains("no does not exist"));
    CHECK_THROWS_WITH(compare({"-o", inputs.file("x.html"), "--report", inputs.file("./x.html")}),
                      Contains("--report: expected another file than --output, found '"));
    CHECK_THROWS_WITH(compare({"-o", inputs.file("wide.json")}), Contains("--output: would write over the input "));
    CHECK_THROWS_WITH(compare({"-p", inputs.file("p.xml"), "-o", inputs.file("p.xml")}),
                      Contains("--output: would write over the input "));
    const std::string page = inputs.write("w.html", R"({"nb_res":1,"profiles":{},"jobs":[]})");
    CHECK_THROWS_WITH(compare({"fcfs", "--report", page, "-w", page}),
                      Contains("--report: would write over the input "));
    const std::string scheduler = inputs.write("s.json", R"({"algorithm": "easy"})");
    CHECK_THROWS_WITH(compare({scheduler, "-o", scheduler}), Contains("--output: would write over the input "));
    // A file may have the name of an algorithm.
    CHECK_THROWS_WITH(compare({"-o", "fcfs"}), Contains("wide.json: job w0!big, under fcfs: it asks"));
}

TEST_CASE("batfill compare prints its table even if a file cannot be written", "[compare][command]") {
    const Inputs inputs;
    const tests::Folder folder;
    std::filesystem::create_directory(folder.file("x.csv"));
    const tests::Outcome outcome =
        tests::run(folder, {"compare", "fcfs", "easy", inputs.week(1), "-o", folder.file("x.csv")});
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.errors, Contains("x.csv: cannot be written"));
    CHECK_THAT(outcome.output, Contains("mean wait (s)"));
}

TEST_CASE("batfill compare refuses options that do not go together", "[compare][command]") {
    const Inputs inputs;
    CHECK_THROWS_WITH(commands::compare({"easy"}), Contains("no workload, expected a workload in JSON or a log"));
    const std::string early = inputs.write("early.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":4}},)"
                                                         R"("jobs":[{"id":"a","subtime":-1,"res":1,"walltime":8,)"
                                                         R"("profile":"p"}]})");
    CHECK_THROWS_WITH(commands::compare({"easy", early, "--weeks"}), Contains("job w0!a is submitted before 0"));
    CHECK_THROWS_WITH(commands::compare({"easy", inputs.week(1), "--metric", "mean_wait", "--format", "csv"}),
                      Contains("expected no --format"));
    CHECK_THROWS_WITH(commands::compare({"easy", inputs.week(1), inputs.week(2), "--report", inputs.file("x.html")}),
                      Contains("--report shows one workload"));
    CHECK_THROWS_WITH(commands::compare({"easy", inputs.week(1), "--report", inputs.file("x.pdf")}),
                      Contains("--report: expected a name that ends in .html"));
}

}  // namespace batfill::tests::compare_test
