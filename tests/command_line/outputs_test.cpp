#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"
#include "tests/support/skip.hpp"

namespace batfill::tests::outputs_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct Inputs {
    Folder folder;
    std::string platform = folder.write("two.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="None">
    <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
    <host id="master_host" speed="1Gf"/>
  </zone>
</platform>
)");
    std::string workload =
        folder.write("two.json", R"({"nb_res":2,"jobs":[{"id":"1","subtime":0,"res":2,"walltime":20,"profile":"p"},)"
                                 R"({"id":"2","subtime":1,"res":1,"walltime":20,"profile":"p"}],)"
                                 R"("profiles":{"p":{"type":"delay","delay":10}}})");
    std::string log = folder.write("log.swf",
                                   "; MaxProcs: 2\n1 0 5 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
                                   "2 3 5 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n");

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) {
            names.push_back(entry.path().filename().string());
        }
        return names;
    }
    bool has_temporary_files() const {
        const std::vector<std::string> all = names();
        return std::any_of(all.begin(), all.end(),
                           [](const std::string& name) { return name.find(".tmp") != std::string::npos; });
    }
};

// Enough jobs for files larger than 100 kB.
std::string large_workload(const Folder& folder) {
    std::string jobs = R"({"nb_res":2,"jobs":[)";
    for (int i = 0; i < 20'000; ++i) {
        const std::string number = std::to_string(i);
        jobs += (i == 0 ? R"({"id":")" : R"(,{"id":")") + number + R"(","subtime":)" + number +
                R"(,"res":1,"walltime":20,"profile":"p"})";
    }
    return folder.write("large.json", jobs + R"(],"profiles":{"p":{"type":"delay","delay":10}}})");
}

}  // namespace

TEST_CASE("A command whose output cannot be written says so, with status 1") {
    const Inputs inputs;
    require_done(run(inputs.folder, {"simulate", "-p", inputs.platform, "-w", inputs.workload, "-a", "easy", "-e",
                                     inputs.folder.file("run")}));
    const std::vector<Arguments> commands{
        {"--help"},
        {"--version"},
        {"swf", "--help"},
        {"algorithms"},
        {"algorithms", "--json"},
        {"metrics", inputs.folder.file("run_jobs.csv")},
        {"metrics", inputs.folder.file("run_jobs.csv"), "--format", "json"},
        {"check", inputs.folder.file("run_jobs.csv"), "-p", inputs.platform, "-w", inputs.workload},
        {"swf", inputs.log},
        {"swf", inputs.log, "--format", "json"},
        {"compare", "easy", "fcfs", "-p", inputs.platform, "-w", inputs.workload},
        {"simulate", "-p", inputs.platform, "-w", inputs.workload, "-a", "easy", "-e", inputs.folder.file("more")},
    };
    for (const Arguments& command : commands) {
        INFO(command[0]);
        require_done(run(inputs.folder, command));
        Process process(inputs.folder, command, {}, "/dev/full");
        CHECK(process.wait() == 1);
        CHECK_THAT(process.errors(), StartsWith("batfill: the standard output cannot be written"));
        const std::string errors = process.errors();
        CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
    }
}

TEST_CASE("The files of one run appear together or not at all") {
    const Inputs inputs;
    for (const std::string suffix : {"_schedule.csv", "_guarantees.csv"}) {
        const std::string prefix = inputs.folder.file("run" + suffix.substr(1, 2));
        std::filesystem::create_directory(prefix + suffix);
        check_refused(run(inputs.folder, {"simulate", "-p", inputs.platform, "-w", inputs.workload, "-a",
                                          "conservative", "-e", prefix}),
                      1, suffix + ": cannot be written: Is a directory");
        CHECK_FALSE(std::filesystem::exists(prefix + "_jobs.csv"));
    }
    CHECK_FALSE(inputs.has_temporary_files());
}

TEST_CASE("A disk that is full when results are written is one line and status 1, and what was there stays") {
    const Inputs inputs;
    const std::string workload = large_workload(inputs.folder);
    const auto path = [&](const std::string& name) { return inputs.folder.file(name); };
    const std::string log = path("large.swf");
    {
        std::ofstream lines(log);
        lines << "; MaxProcs: 2\n";
        for (int i = 1; i <= 5000; ++i) {
            lines << i << " " << i << " 5 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n";
        }
    }
    // Each command, and a file that it would replace.
    const std::vector<std::pair<Arguments, std::string>> commands{
        {{"simulate", "-q", "-p", inputs.platform, "-w", workload, "-a", "easy", "-e", path("run")}, "run_jobs.csv"},
        {{"swf", log, "-o", path("log.json")}, "log.json"},
        {{"swf", log, "--schedule", path("log_jobs.csv")}, "log_jobs.csv"},
        {{"generate", "lublin", "--processors", "8", "--jobs", "20000", "--seed", "1", "-o", path("drawn.json")},
         "drawn.json"},
        {{"deadlines", workload, "--share", "0.2", "--seed", "1", "-o", path("due.json.gz")}, "due.json.gz"},
    };
    for (const auto& [command, result] : commands) {
        INFO(command[0] << ": " << result);
        inputs.folder.write(result, "what was there\n");
        const Outcome outcome = run(inputs.folder, command, {.file_size = 20'000});
        CHECK(outcome.status == 1);
        CHECK_THAT(outcome.errors, StartsWith("batfill: ") && Contains(result + ": cannot be written: "));
        CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
        CHECK(contents(path(result)) == "what was there\n");
        CHECK_FALSE(inputs.has_temporary_files());
        const Outcome with_room = run(inputs.folder, command);
        CHECK(with_room.status == 0);
    }
}

TEST_CASE("Commands that run short of memory end with status 1 and one line, and leave nothing", "[outside]") {
#ifdef BATFILL_SANITIZED
    skip("needs a build without sanitizers, which take up terabytes of addresses");
#else
    const Inputs inputs;
    const std::string workload = large_workload(inputs.folder);
    const std::vector<Arguments> commands{
        {"simulate", "-q", "-p", inputs.platform, "-w", workload, "-a", "easy", "-e", inputs.folder.file("large")},
        {"compare", "easy", "-p", inputs.platform, "-w", workload},
        {"deadlines", workload, "--share", "0.2", "--seed", "1", "-o", inputs.folder.file("due.json")},
    };
    // And a reserve that the C++ runtime takes at its start: without it, no exception can be thrown.
    const std::size_t least = megabytes_to_load(inputs.folder) + 2;
    for (const Arguments& command : commands) {
        bool fell_short = false;
        bool ran = false;
        for (std::size_t megabytes = least; megabytes <= least + 120; megabytes += 10) {
            INFO(command[0] << " with " << megabytes << " MB");
            Process process(inputs.folder, command, {.memory = megabytes * 1'000'000});
            const int status = process.wait();
            const std::string errors = process.errors();
            ran = ran || status == 0;
            if (status != 0) {
                fell_short = true;
                CHECK(status == 1);
                CHECK_THAT(errors, StartsWith("batfill: ") && (Contains("not enough memory") || Contains("allocate")));
                CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
            }
            CHECK_FALSE(inputs.has_temporary_files());
        }
        CHECK(fell_short);
        CHECK(ran);
    }
#endif
}

TEST_CASE("Two outputs of a command cannot be the same file") {
    const Inputs inputs;
    const std::string path = inputs.folder.file("out.json");
    check_refused(run(inputs.folder, {"swf", inputs.log, "-o", path, "--header", inputs.folder.file("./out.json")}), 2,
                  "--header: expected another file than --output");
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("A command that a signal ends leaves no temporary file, and says which signal it was") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const Inputs inputs;
        Process tuning(inputs.folder,
                       {"tune", "-p", inputs.platform, "-w", inputs.workload, "-o", inputs.folder.file("found"),
                        "--values", inputs.folder.file("values.csv"), "--evaluations", "10000000"});
        const auto limit = std::chrono::steady_clock::now() + patience;
        while (!inputs.has_temporary_files() && std::chrono::steady_clock::now() < limit) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        REQUIRE(inputs.has_temporary_files());
        tuning.signal(signal);
        CHECK(tuning.wait() == 128 + signal);
        CHECK_FALSE(inputs.has_temporary_files());
        CHECK_FALSE(std::filesystem::exists(inputs.folder.file("values.csv")));
    }
}

TEST_CASE("simulate says at once, and on the error stream, why its scheduler stops") {
    const Inputs inputs;
    const std::string endpoint = "ipc://" + inputs.folder.file("socket");
    Process daemon(inputs.folder, {"serve", "-a", "easy", "-P", "on-failure=requeue", "-s", endpoint});
    daemon.wait_for_error_text("listening");
    const Outcome outcome = run(inputs.folder, {"simulate", "-p", inputs.platform, "-w", inputs.workload, "-s",
                                                endpoint, "-e", inputs.folder.file("run")});
    CHECK(daemon.wait() == 1);
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, StartsWith("batfill: the scheduler at " + endpoint +
                                          " stops: SIMULATION_BEGINS: jobs cannot be registered"));
}

TEST_CASE("A simulation whose scheduler dies ends at once, with status 1") {
    const Inputs inputs;
    const std::string endpoint = "ipc://" + inputs.folder.file("socket");
    Process daemon(inputs.folder, {"serve", "-a", "easy", "-s", endpoint});
    daemon.wait_for_error_text("listening");
    daemon.signal(SIGSTOP);
    Process simulation(inputs.folder, {"simulate", "-p", inputs.platform, "-w", inputs.workload, "-s", endpoint, "-e",
                                       inputs.folder.file("run")});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    daemon.signal(SIGKILL);
    CHECK(simulation.wait() == 1);
    CHECK_THAT(simulation.errors(),
               StartsWith("batfill: the scheduler at " + endpoint + " has gone without an answer") &&
                   Contains("perhaps it has ended"));
}

}  // namespace batfill::tests::outputs_test
