#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/command_line/two_runs.hpp"

// What people see of names and tables, on a terminal and elsewhere.
namespace batfill::tests::display_test {

using Catch::Matchers::Contains;

namespace {

// What batfill prints on a terminal with so many columns, without its carriage returns.
std::string on_terminal(unsigned short columns, Arguments arguments) {
    arguments.insert(arguments.begin(), BATFILL_PROGRAM);
    std::vector<char*> pointers;
    std::transform(arguments.begin(), arguments.end(), std::back_inserter(pointers),
                   [](std::string& argument) { return argument.data(); });
    pointers.push_back(nullptr);
    winsize size{40, columns, 0, 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
        execv(BATFILL_PROGRAM, pointers.data());
        _exit(127);
    }
    std::string output;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = read(terminal, part.data(), part.size())) > 0;) {
        output.append(part.data(), static_cast<std::size_t>(count));
    }
    close(terminal);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    std::erase(output, '\r');
    return output;
}

std::size_t widest(const std::string& text) {
    std::size_t most = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        most = std::max(most, end - from);
        from = end + 1;
    }
    return most;
}

}  // namespace

TEST_CASE("A table fits the terminal, and elsewhere has the same bytes whatever the terminal is") {
    const TwoRuns inputs;
    const Arguments metrics{"metrics", inputs.easy, inputs.fcfs, "-p", "4"};
    const std::string whole = run(inputs.folder, metrics).output;
    CHECK(on_terminal(200, metrics) == whole);
    CHECK(on_terminal(static_cast<unsigned short>(widest(whole)), metrics) == whole);
    const std::string parts = on_terminal(static_cast<unsigned short>(widest(whole) - 1), metrics);
    CHECK(widest(parts) < widest(whole));
    CHECK_THAT(parts, Contains("  easy\n") && Contains("\n\n") && Contains("  fcfs\n"));
    CHECK(on_terminal(20, with(metrics, {"--format", "csv"})) ==
          run(inputs.folder, with(metrics, {"-f", "csv"})).output);

    const Arguments few = with(metrics, {"--metrics", "mean_wait,max_wait"});
    CHECK(on_terminal(30, few) == run(inputs.folder, few).output);
    const Arguments many{"metrics", inputs.easy, inputs.fcfs, inputs.easy, inputs.fcfs,
                         "-p",      "4",         "--metrics", "mean_wait"};
    const std::string turned = on_terminal(60, many);
    CHECK(widest(turned) <= 60);
    CHECK_THAT(turned, Contains("mean wait (s)\n") && !Contains("\n\n"));

    const Arguments groups = with(metrics, {"--by", "width,length"});
    const std::string in_parts = on_terminal(44, groups);
    CHECK(widest(in_parts) <= 44);
    CHECK_THAT(in_parts, Contains("\n\nrun   width   length  "));
}

TEST_CASE("--metrics chooses the metrics of metrics and compare in every format") {
    const TwoRuns inputs;
    const auto metrics = [&](const Arguments& more) {
        return run(inputs.folder, with({"metrics", inputs.easy, inputs.fcfs}, more));
    };
    const std::string paper = metrics({"--metrics", "paper", "--format", "csv", "-p", "4"}).output;
    CHECK(paper.substr(0, paper.find('\n')) ==
          "run,mean_wait,wait_percentile_99,mean_bounded_slowdown,utilisation,makespan");
    CHECK_THAT(metrics({"--metrics", "max_wait,utilisation"}).output, Contains("utilisation      -     -\n"));
    for (const char* const format : {"table", "csv", "json", "markdown", "latex"}) {
        CAPTURE(format);
        const std::string some = metrics({"--metrics", "makespan,mean_wait", "--format", format}).output;
        CHECK(some.find("makespan") < some.find("mean"));
        CHECK_THAT(some, !Contains("slowdown"));
        const Outcome compared = run(inputs.folder, {"compare", "fcfs", "easy", inputs.workload, "--metrics",
                                                     "makespan,deadline_violations", "--format", format});
        require_done(compared);
        CHECK_THAT(compared.output, Contains("makespan") && Contains("deadline") && !Contains("slowdown"));
    }
    check_refused(metrics({"--metrics", "makspan"}), 2,
                  "--metrics: unknown metric 'makspan', did you mean 'makespan'?");
    check_refused(metrics({"--metrics", "makespan", "--by", "width"}), 2, "expected no --metrics");
    check_refused(metrics({"--metrics", "makespan", "--intervals"}), 2, "expected no --metrics");
    check_refused(
        run(inputs.folder, {"compare", "fcfs", inputs.workload, "--metrics", "paper", "--metric", "max_wait"}), 2,
        "expected no --metrics");
}

TEST_CASE("Names of runs, users and files are names in every output") {
    const TwoRuns inputs;
    const std::string name = inputs.folder.file("a|b\n\x1b[2J<i>_&");
    const std::string jobs = contents(inputs.easy + "_jobs.csv");
    inputs.folder.write("a|b\n\x1b[2J<i>_&_jobs.csv", jobs);
    const auto metrics = [&](const char* format) {
        return run(inputs.folder, {"metrics", name, inputs.fcfs, "--format", format, "--metrics", "mean_wait"}).output;
    };
    CHECK_THAT(metrics("table"), Contains("a|b\\n\\u001B[2J<i>_&"));
    CHECK_THAT(metrics("markdown"), Contains("| a\\|b\\\\n\\\\u001B[2J&lt;i>\\_&amp; |"));
    CHECK_THAT(metrics("latex"), Contains(" a\\textbar{}b\\textbackslash{}n\\textbackslash{}u001B[2J"));
    CHECK_THAT(metrics("csv"), Contains("\"a|b\n\x1b[2J<i>_&\","));

    const std::string scheduler = inputs.folder.write("f\x1b[31m.json", R"({"algorithm": "easy"})");
    const std::string compared = run(inputs.folder, {"compare", "fcfs", scheduler, inputs.workload}).output;
    CHECK_THAT(compared, Contains("\nf\\u001B[31m has the least mean wait, ") && !Contains("\x1b"));

    const std::string page = inputs.folder.file("p\x1b[31m.html");
    CHECK(run(inputs.folder, {"report", inputs.easy, "-o", page}).output ==
          inputs.folder.file("p\\u001B[31m.html") + ": 1 run\n");

    const std::string drawn = inputs.folder.file("d\n\x1b[31m.json");
    for (const Arguments& arguments :
         {Arguments{"deadlines", inputs.workload, "--share", "0.5", "--seed", "1", "-o", drawn},
          Arguments{"generate", "lublin", "--jobs", "9", "--processors", "8", "--seed", "1", "-o", drawn},
          Arguments{"simulate", "-a", "easy", "-p", "4", "-w", inputs.workload, "-e", drawn}}) {
        const Outcome outcome = run(inputs.folder, arguments);
        require_done(outcome);
        CHECK_THAT(outcome.output, Contains("d\\n\\u001B[31m.json") && !Contains("\x1b"));
    }

    // The log of the daemon.
    Process daemon(inputs.folder, {"serve", "-s", "ipc://" + inputs.folder.file("x\ny\x1b[1m")});
    CHECK_THAT(daemon.wait_for_error_text("listening"), Contains("x\\ny\\u001B[1m\n"));
}

}  // namespace batfill::tests::display_test
