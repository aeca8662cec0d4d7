#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"
#include "tests/support/lines.hpp"

namespace batfill::tests::tune_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

// Jobs of random sizes and lengths that compete for four processors.
std::string workload_text(unsigned long jobs, unsigned seed) {
    std::mt19937 random(seed);
    std::ostringstream text;
    text << R"({"nb_res":4,"profiles":{)";
    for (int i = 1; i <= 40; ++i) {
        text << (i == 1 ? "" : ",") << "\"d" << i * 25 << R"(":{"type":"delay","delay":)" << i * 25 << "}";
    }
    text << R"(},"jobs":[)";
    for (unsigned long i = 0; i < jobs; ++i) {
        const unsigned long length = 25 * (1 + random() % 40);
        text << (i == 0 ? "" : ",") << R"({"id":")" << 1000 + i << R"(","subtime":)" << i * 250 + random() % 500
             << R"(,"res":)" << 1 + random() % 4 << R"(,"walltime":)" << length + random() % 1000 << R"(,"profile":"d)"
             << length << "\"}";
    }
    text << "]}";
    return text.str();
}

struct Inputs {
    Folder folder;
    std::string platform = folder.write("four.xml",
                                        R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="None">
    <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/><host id="d" speed="1Gf"/>
    <host id="master_host" speed="1Gf"/>
  </zone>
</platform>
)");
    std::string one = folder.write("one.json", workload_text(60, 1));
    std::string two = folder.write("two.json", workload_text(60, 2));

    Arguments arguments(const std::string& prefix, const Arguments& more) const {
        return with({"tune", "-p", platform, "-w", one, two, "-o", folder.file(prefix)}, more);
    }
    Outcome tune(const std::string& prefix, const Arguments& more = {}) const {
        return run(folder, arguments(prefix, more));
    }
    bool exists(const std::string& name) const { return std::filesystem::exists(folder.file(name)); }
    std::string text(const std::string& name) const { return contents(folder.file(name)); }
};

std::string field(const std::string& line, std::size_t number) {
    std::istringstream stream(line);
    std::string text;
    for (std::size_t i = 0; i <= number; ++i) {
        std::getline(stream, text, ',');
    }
    return text;
}

// Checks that two runs wrote the same files, with prefixes `a` and `b`.
void check_same(const Inputs& inputs, const std::string& a, const std::string& b,
                const std::vector<std::string>& endings) {
    for (const std::string& ending : endings) {
        INFO(ending);
        REQUIRE(inputs.exists(a + ending));
        REQUIRE(inputs.exists(b + ending));
        CHECK(inputs.text(a + ending) == inputs.text(b + ending));
    }
}

const std::vector<std::string> files_of_each{"_results.csv", "_convergence.csv", "_one.json", "_two.json"};

// The metric of a replay with the policy file `policy`, as `batfill metrics` computes it.
std::string replayed(const Inputs& inputs, const std::string& workload, const std::string& policy) {
    const std::string prefix = inputs.folder.file("replay");
    CHECK(run(inputs.folder, {"simulate", "-p", inputs.platform, "-w", workload, "-e", prefix, "--sched-cfg",
                              inputs.text(policy), "-q"})
              .status == 0);
    const Outcome metrics = run(inputs.folder, {"metrics", prefix + "_jobs.csv", "--format", "csv"});
    const std::vector<std::string> lines = lines_of(metrics.output);
    REQUIRE(lines.size() == 2);
    for (std::size_t i = 0; i < 100; ++i) {
        if (field(lines[0], i) == "mean_bounded_slowdown") {
            return field(lines[1], i);
        }
    }
    return "none";
}

// Runs tune with the prefix "killed", and kills it once `checkpoint` has some replays. Returns false if it ended first.
bool is_killed_halfway(const Inputs& inputs, const Arguments& options, const std::string& checkpoint) {
    Process process(inputs.folder, inputs.arguments("killed", options));
    const auto begin = std::chrono::steady_clock::now();
    std::error_code none_yet;
    while (std::filesystem::file_size(checkpoint, none_yet) < 2000 || none_yet) {
        if (inputs.exists("killed_results.csv")) {
            CHECK(process.wait() == 0);
            std::filesystem::remove(inputs.folder.file("killed_results.csv"));
            return false;
        }
        REQUIRE(std::chrono::steady_clock::now() - begin < patience);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.signal(SIGKILL);
    return process.wait() == 128 + SIGKILL && !inputs.exists("killed_results.csv");
}

}  // namespace

TEST_CASE("tune writes policy files under which a replay has the value that it says") {
    const Inputs inputs;
    const Outcome outcome = inputs.tune("t", {"--evaluations", "60"});
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK_THAT(
        outcome.output,
        StartsWith(
            "2 workloads, xnes, 3 features, 60 evaluations, lambda 1, seed 1: 120 replays, 0 of them done before, in "));
    CHECK_THAT(outcome.output, EndsWith(" s; wrote " + inputs.folder.file("t_convergence.csv, ") +
                                        inputs.folder.file("t_results.csv, ") + inputs.folder.file("t_one.json and ") +
                                        inputs.folder.file("t_two.json\n")));
    const std::vector<std::string> lines = lines_of(inputs.text("t_results.csv"));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "workload,metric,value,w_q,w_p,w_wait,w_ratio,w_expansion,w_area,found_at,evaluations");
    CHECK_THAT(lines[1], StartsWith("\"one\",mean_bounded_slowdown,"));
    CHECK_THAT(lines[1], EndsWith(",60"));
    CHECK_THAT(lines[2], StartsWith("\"two\",mean_bounded_slowdown,"));
    CHECK(replayed(inputs, inputs.one, "t_one.json") == field(lines[1], 2));
    CHECK(replayed(inputs, inputs.two, "t_two.json") == field(lines[2], 2));
    CHECK_THAT(inputs.text("t_one.json"),
               StartsWith(R"({"algorithm":"easy","params":{"order":"mixed","backfill-order":"spf",)"
                          R"("threshold":"200000","weights":[)"));
    CHECK(!inputs.exists("t_checkpoint.csv"));

    // The last improvement is the result. Values decrease from line to line.
    const std::vector<std::string> convergence = lines_of(inputs.text("t_convergence.csv"));
    CHECK(convergence[0] == "workload,evaluation,start,value,objective,w_q,w_p,w_wait,w_ratio,w_expansion,w_area");
    CHECK(field(convergence.back(), 3) == field(lines[2], 2));
    CHECK(field(convergence.back(), 1) == field(lines[2], 9));
    for (std::size_t i = 2; i < convergence.size(); ++i) {
        if (field(convergence[i], 0) == field(convergence[i - 1], 0)) {
            CHECK(std::stod(field(convergence[i], 3)) < std::stod(field(convergence[i - 1], 3)));
            CHECK(std::stoi(field(convergence[i], 1)) > std::stoi(field(convergence[i - 1], 1)));
        }
    }
}

TEST_CASE("tune weighs scaled features, and its policy file has their scales") {
    const Inputs inputs;
    const Arguments scales{"--scale", "q=-4", "--scale", "p=-1000.5", "--scale", "wait=3e3"};
    require_done(inputs.tune("t", with({"--evaluations", "60"}, scales)));
    const std::vector<std::string> lines = lines_of(inputs.text("t_results.csv"));
    REQUIRE(lines.size() == 3);
    for (const std::string name : {"one", "two"}) {
        const std::string& line = lines[name == "one" ? 1 : 2];
        const std::string policy = inputs.text("t_" + name + ".json");
        std::string weights = field(line, 3);
        for (std::size_t i = 4; i < 9; ++i) {
            weights += "," + field(line, i);
        }
        CHECK(policy == R"({"algorithm":"easy","params":{"order":"mixed","backfill-order":"spf","threshold":"200000",)"
                        R"("scales":[-4,-1000.5,3000,1,1,1],"weights":[)" +
                            weights + "]}}\n");
        const std::string& workload = name == "one" ? inputs.one : inputs.two;
        CHECK(replayed(inputs, workload, "t_" + name + ".json") == field(line, 2));
        require_done(run(inputs.folder, {"compare", inputs.folder.file("t_" + name + ".json"), "-p", inputs.platform,
                                         "-w", workload, "-o", inputs.folder.file("compare.csv")}));
        CHECK(field(lines_of(inputs.text("compare.csv"))[1], 1) == field(line, 2));
    }

    // A grid with an odd number of points contains the pure policies. Check q and p in both directions.
    require_done(inputs.tune(
        "c", with({"--method", "cover", "--points", "3", "--values", inputs.folder.file("v.csv")}, scales)));
    const std::vector<std::string> values = lines_of(inputs.text("v.csv"));
    const auto value_of = [&](const std::string& weights) {
        for (const std::string& line : values) {
            if (line.starts_with("\"one\"") && line.ends_with(weights)) {
                return field(line, 2);
            }
        }
        return std::string("none");
    };
    const auto compared = [&](const std::string& order) {
        require_done(run(inputs.folder, {"compare", "easy,threshold=200000,backfill-order=spf,order=" + order, "-p",
                                         inputs.platform, "-w", inputs.one, "-o", inputs.folder.file("pure.csv")}));
        const std::string line = lines_of(inputs.text("pure.csv"))[1];
        return line.substr(line.rfind(',') + 1);
    };
    CHECK(value_of(",1,0,0,0,0,0") == compared("sqf"));
    CHECK(value_of(",0,1,0,0,0,0") == compared("spf"));
    CHECK(value_of(",0,0,1,0,0,0") == compared("fcfs"));
    CHECK(value_of(",0,-1,0,0,0,0") == compared("lpf"));
    CHECK(compared("spf") != compared("lpf"));
}

TEST_CASE("tune does not go on from a checkpoint of other scales") {
    const Inputs inputs;
    const std::string checkpoint = inputs.folder.file("killed_checkpoint.csv");
    Arguments options{"--evaluations", "1000", "--threads", "2", "--scale", "q=2"};
    while (!is_killed_halfway(inputs, options, checkpoint)) {
        options[1] += "0";  // it was too fast
    }
    options.back() = "q=3";
    check_refused(inputs.tune("killed", options), 1);
    options.back() = "q=2";
    CHECK(inputs.tune("killed", options).status == 0);
}

TEST_CASE("tune over the sum finds one policy whose values add up to what it says") {
    const Inputs inputs;
    CHECK(inputs.tune("t", {"--over", "sum", "--features", "6", "--evaluations", "60"}).status == 0);
    const std::vector<std::string> lines = lines_of(inputs.text("t_results.csv"));
    REQUIRE(lines.size() == 2);
    CHECK_THAT(lines[1], StartsWith("\"sum\","));
    const double sum =
        std::stod(replayed(inputs, inputs.one, "t.json")) + std::stod(replayed(inputs, inputs.two, "t.json"));
    CHECK(std::stod(field(lines[1], 2)) == sum);
    CHECK(!inputs.exists("t_one.json"));
}

TEST_CASE("tune by cover evaluates the grid, and writes all values if asked to") {
    const Inputs inputs;
    const Outcome outcome =
        inputs.tune("t", {"--method", "cover", "--points", "5", "--values", inputs.folder.file("values.csv")});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, StartsWith("2 workloads, cover, 3 features, 5 points: 36 replays, "));
    const std::vector<std::string> lines = lines_of(inputs.text("values.csv"));
    REQUIRE(lines.size() == 37);
    CHECK(lines[0] == "workload,evaluation,value,w_q,w_p,w_wait,w_ratio,w_expansion,w_area");
    CHECK_THAT(lines[1], StartsWith("\"one\",1,") && EndsWith(",0,-1,0,0,0,0"));
    CHECK_THAT(lines[36], StartsWith("\"two\",18,") && EndsWith(",0,1,0,0,0,0"));
    // A grid with an odd number of points contains the pure policies, so none beats the result.
    for (const std::string order : {"fcfs", "lcfs", "spf", "lpf", "sqf", "lqf"}) {
        const Outcome pure =
            run(inputs.folder, {"compare", "easy,threshold=200000,backfill-order=spf,order=" + order, "-p",
                                inputs.platform, "-w", inputs.one, "-o", inputs.folder.file("pure.csv")});
        CHECK(pure.status == 0);
        const std::string found = field(lines_of(inputs.text("t_results.csv"))[1], 2);
        const std::string value = lines_of(inputs.text("pure.csv"))[1];
        CHECK(std::stod(found) <= std::stod(value.substr(value.rfind(',') + 1)));
    }
}

TEST_CASE("tune gives the same on any number of threads, and something else for another seed") {
    const Inputs inputs;
    for (const std::string over : {"each", "sum"}) {
        const std::vector<std::string> endings =
            over == "each" ? files_of_each : std::vector<std::string>{"_results.csv", "_convergence.csv", ".json"};
        const auto tune = [&](const std::string& name, const std::string& threads, const std::string& seed) {
            CHECK(
                inputs.tune(over + name, {"--over", over, "--evaluations", "80", "--threads", threads, "--seed", seed})
                    .status == 0);
        };
        tune("-a", "1", "1");
        tune("-b", "5", "1");
        tune("-c", "1", "2");
        check_same(inputs, over + "-a", over + "-b", endings);
        CHECK(inputs.text(over + "-a_convergence.csv") != inputs.text(over + "-c_convergence.csv"));
    }
}

TEST_CASE("tune resumes where a run was killed, with the same result") {
    const Inputs inputs;
    const std::string checkpoint = inputs.folder.file("killed_checkpoint.csv");
    const auto options = [](int evaluations) {
        return Arguments{"--evaluations", std::to_string(evaluations), "--threads", "2"};
    };
    int evaluations = 1000;
    while (!is_killed_halfway(inputs, options(evaluations), checkpoint)) {
        evaluations *= 2;  // it was too fast
    }
    CHECK(!inputs.exists("killed_results.csv"));
    const std::string left = contents(checkpoint);

    // Truncates the last line, as a kill may do.
    std::filesystem::resize_file(checkpoint, left.size() - 3);
    const std::size_t noted = lines_of(left).size() - 2;
    const Outcome resumed = inputs.tune("killed", options(evaluations));
    CHECK(resumed.status == 0);
    CHECK_THAT(resumed.output, Contains(": " + std::to_string(2 * evaluations) + " replays, " + std::to_string(noted) +
                                        " of them done before, in "));
    CHECK(!inputs.exists("killed_checkpoint.csv"));
    CHECK(inputs.tune("whole", options(evaluations)).status == 0);
    check_same(inputs, "killed", "whole", files_of_each);
}

TEST_CASE("tune refuses a checkpoint of another run and leaves it as it is") {
    const Inputs inputs;
    const std::string expected =
        ": line 1: expected a checkpoint of this program with the same options, platform and workloads; remove it to start anew\n";
    const std::string checkpoint = inputs.folder.write("t_checkpoint.csv", "something else\n0,0,1\n");
    const Outcome outcome = inputs.tune("t", {"--evaluations", "5"});
    check_refused(outcome, 1);
    CHECK(outcome.errors == "batfill: " + checkpoint + expected);
    CHECK(contents(checkpoint) == "something else\n0,0,1\n");
    CHECK(!inputs.exists("t_results.csv"));
}

TEST_CASE("tune does not go on from a checkpoint of another master host, or of another plugin") {
    const Inputs inputs;
    std::filesystem::create_directory(inputs.folder.file("t_results.csv"));  // the run fails at its end
    const std::string slack = BATFILL_PLUGINS "/slack.so";
    const Arguments first{"--evaluations", "5", "-m", "a", "--plugin", slack};
    CHECK(inputs.tune("t", first).status == 1);
    const std::string checkpoint = inputs.text("t_checkpoint.csv");
    CHECK(lines_of(checkpoint).size() == 11);
    for (const Arguments& other :
         {Arguments{"--evaluations", "5", "-m", "b", "--plugin", slack}, Arguments{"--evaluations", "5", "-m", "a"},
          Arguments{"--evaluations", "5", "-m", "a", "--plugin", BATFILL_PLUGINS "/first_fit.so"}}) {
        const Outcome outcome = inputs.tune("t", other);
        check_refused(outcome, 1);
        CHECK_THAT(outcome.errors, Contains(": line 1: expected a checkpoint of this program"));
        CHECK(inputs.text("t_checkpoint.csv") == checkpoint);
    }
    std::filesystem::remove(inputs.folder.file("t_results.csv"));
    CHECK_THAT(inputs.tune("t", first).output, Contains(": 10 replays, 10 of them done before"));
}

TEST_CASE("tune writes over none of its inputs, and no file twice") {
    const Inputs inputs;
    const auto refused = [&](const std::string& prefix, const Arguments& options) {
        const std::size_t files = inputs.folder.files();
        const Outcome outcome = inputs.tune(prefix, options);
        check_refused(outcome, 2);
        CHECK(inputs.folder.files() <= files + 2);  // the streams of the process
        return outcome.errors;
    };
    const std::string workload = inputs.text("one.json");
    CHECK(refused("one", {"--over", "sum"}) ==
          "batfill: --output: would write over the input " + inputs.one + ", expected another name\n");
    CHECK_THAT(refused("t", {"--values", inputs.two}), StartsWith("batfill: --values: would write over the input "));
    CHECK_THAT(refused("t", {"--values", inputs.platform}), Contains("--values: would write over the input "));
    for (const std::string name : {"t_results.csv", "t_convergence.csv", "t_checkpoint.csv", "t_one.json"}) {
        const std::string path = inputs.folder.file(name);
        CHECK(refused("t", {"--values", path}) ==
              "batfill: --values: expected another file than --output, found '" + path + "'\n");
    }
    CHECK(inputs.text("one.json") == workload);
}

TEST_CASE("tune takes an empty prefix, as simulate does") {
    const Inputs inputs;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(inputs.folder.file(""));
    Arguments arguments = inputs.arguments("", {"--method", "cover", "--features", "3", "--points", "5"});
    *(std::ranges::find(arguments, "-o") + 1) = "";
    const Outcome outcome = run(inputs.folder, arguments);
    std::filesystem::current_path(before);
    require_done(outcome);
    CHECK_THAT(outcome.output, EndsWith(" s; wrote _convergence.csv, _results.csv, _one.json and _two.json\n"));
    for (const std::string name : {"_convergence.csv", "_results.csv", "_one.json", "_two.json"}) {
        CHECK(inputs.exists(name));
    }
}

TEST_CASE("tune refuses what it cannot use and leaves no file") {
    const Inputs inputs;
    const auto check_no_file = [&] {
        for (const std::string ending : {"_results.csv", "_convergence.csv", "_checkpoint.csv", "_one.json", ".json"}) {
            CHECK(!inputs.exists("t" + ending));
        }
    };
    const auto refused = [&](const Arguments& options) {
        const Outcome outcome = inputs.tune("t", options);
        check_refused(outcome, 2);
        check_no_file();
        return outcome.errors;
    };
    CHECK_THAT(refused({"--method", "guess"}), EndsWith("--method: unknown value 'guess', known: xnes, cover\n"));
    CHECK_THAT(refused({"--features", "4"}), EndsWith("--features: unknown value '4', known: 3, 6\n"));
    CHECK_THAT(refused({"--over", "both"}), EndsWith("--over: unknown value 'both', known: each, sum\n"));
    CHECK_THAT(refused({"--metric", "happiness"}), Contains("mean_bounded_slowdown"));
    CHECK_THAT(refused({"--evaluations", "0"}),
               EndsWith("--evaluations: expected a whole number from 1 to 10000000, found '0'\n"));
    CHECK_THAT(refused({"--points", "9"}), EndsWith("--points is for --method cover with --features 3\n"));
    CHECK_THAT(refused({"--method", "cover", "--points", "2"}),
               EndsWith("--points: expected a whole number from 3 to 2001, found '2'\n"));
    CHECK_THAT(refused({"--method", "cover", "--evaluations", "5"}), Contains("--points says how many"));
    CHECK_THAT(refused({"--method", "cover", "--lambda", "2"}), EndsWith("--lambda is for --method xnes\n"));
    CHECK_THAT(refused({"--lambda", "0"}), EndsWith("--lambda: expected a number above 0, found '0'\n"));
    CHECK_THAT(refused({"--lambda", "nan"}), EndsWith("--lambda: expected a number above 0, found 'nan'\n"));
    CHECK_THAT(refused({"--threads", "0"}), EndsWith("--threads: expected a whole number from 1 to 1024, found '0'\n"));
    CHECK_THAT(refused({"-P", "order=saf"}), EndsWith("parameter order is what tune looks for, it cannot be given\n"));
    CHECK_THAT(refused({"-P", "period=3600"}), Contains("parameter period searches for weights in each replay"));
    CHECK_THAT(refused({"-P", "threshold=soon"}), Contains("threshold"));
    CHECK_THAT(refused({"-P", "scales=1,1,1,1,1,1"}), EndsWith("expected --scale FEATURE=NUMBER instead\n"));
    for (const std::string scale : {"q", "q=", "=2", "speed=2", "q=two", "q=2s", "q=inf", "q=nan", ""}) {
        CHECK_THAT(
            refused({"--scale", scale}),
            EndsWith("--scale: expected FEATURE=NUMBER with a feature of q, p, wait, ratio, expansion, area, found '" +
                     scale + "'\n"));
    }
    CHECK_THAT(refused({"--scale", "ratio=2"}), EndsWith("--scale ratio is for --features 6\n"));
    CHECK_THAT(refused({"--scale", "q=2", "--scale", "q=2"}), EndsWith("expected one scale of q, found two\n"));
    CHECK_THAT(
        refused({"--scale", "q=0"}),
        EndsWith("parameter scales: expected numbers that are not 0, with absolute values from 1e-100 to 1e100\n"));
    CHECK_THAT(refused({"-a", "fcfs"}), Contains("no parameter 'order'"));
    CHECK_THAT(refused({"-w", inputs.one}),
               EndsWith("two workloads are called 'one', expected names that tell them apart\n"));
    const auto refused_workload = [&](const std::string& path) {
        const Outcome outcome =
            run(inputs.folder, {"tune", "-p", inputs.platform, "-w", path, "-o", inputs.folder.file("t")});
        check_refused(outcome, 1);
        check_no_file();
        return outcome.errors;
    };
    CHECK_THAT(refused_workload(inputs.folder.file("none.json")), Contains("none.json"));
    const std::string empty = inputs.folder.write("empty.json", R"({"nb_res":4,"profiles":{},"jobs":[]})");
    CHECK(refused_workload(empty) == "batfill: " + empty + ": expected a job that counts for mean_bounded_slowdown\n");
    const std::string wide =
        inputs.folder.write("wide.json", R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[)"
                                         R"({"id":"big","subtime":0,"res":5,"walltime":9,"profile":"p"}]})");
    CHECK_THAT(refused_workload(wide), Contains("wide.json: ") && Contains("big"));
}

TEST_CASE("tune works for other algorithms that have mixed orders, and passes parameters on") {
    const Inputs inputs;
    CHECK(inputs.tune("given", {"-a", "easy,threshold=50", "--evaluations", "10"}).status == 0);
    CHECK_THAT(inputs.text("given_one.json"), Contains(R"("threshold":"50")"));
    CHECK(inputs.tune("pc", {"-a", "pc", "--evaluations", "10"}).status == 0);
    CHECK_THAT(inputs.text("pc_one.json"), StartsWith(R"({"algorithm":"pc","params":{"order":"mixed","weights":[)"));
    CHECK(inputs.tune("easy", {"-P", "threshold=50", "-P", "backfill-order=mixed", "--evaluations", "10"}).status == 0);
    CHECK_THAT(inputs.text("easy_one.json"), Contains(R"("backfill-order":"mixed","threshold":"50")"));
}

}  // namespace batfill::tests::tune_test
