#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "tests/command_line/simulate_inputs.hpp"
#include "tests/support/machine_events.hpp"

namespace batfill::tests::program_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("batfill introduces itself") {
    const Folder folder;
    const Outcome help = run(folder, {"--help"});
    CHECK(help.status == 0);
    CHECK(help.errors.empty());
    for (const char* command : {"serve", "batsched", "simulate", "swf", "generate", "platform", "deadlines", "metrics",
                                "check", "compare", "intervals", "tune", "algorithms"}) {
        CHECK_THAT(help.output, Contains(std::string("\n  ") + command + " "));
        const Outcome of_command = run(folder, {command, "--help"});
        INFO(command);
        CHECK(of_command.status == 0);
        CHECK_THAT(of_command.output, StartsWith(std::string("Usage: batfill ") + command));
        CHECK(of_command.errors.empty());
    }
    CHECK(run(folder, {"-h"}).output == help.output);
    const Outcome version = run(folder, {"--version"});
    CHECK(version.status == 0);
    CHECK_THAT(version.output, Catch::Matchers::Matches("batfill [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    const Outcome nothing = run(folder, {});
    CHECK(nothing.status == 2);
    CHECK(nothing.errors == help.output);
}

TEST_CASE("The help of every command groups its options and ends with examples that the command can parse") {
    const Folder folder;
    std::vector<Arguments> commands{{"generate", "farm"}, {"generate", "lublin"}, {"generate", "failures"}};
    std::istringstream lines(run(folder, {"--help"}).output);
    bool in_list = false;
    for (std::string line; std::getline(lines, line);) {
        if (in_list && !line.starts_with("  generate ")) {
            commands.push_back({line.substr(2, line.find(' ', 2) - 2)});
        }
        in_list = in_list || line == "Commands:";
    }
    CHECK(commands.size() >= 17);
    commands.push_back({"campaign", "merge"});
    for (const Arguments& command : commands) {
        Arguments help{command};
        help.emplace_back("--help");
        const std::string text = run(folder, help).output;
        INFO(text);
        CHECK_THAT(text, !Contains("\nOptions:\n"));
        CHECK_THAT(text, Contains("\nOutput:\n") && Contains("\nHelp:\n"));
        const std::size_t examples = text.find("\nExamples:\n");
        REQUIRE(examples != std::string::npos);
        std::istringstream words(text.substr(examples + 11));
        int number = 0;
        for (std::string line; std::getline(words, line); ++number) {
            std::istringstream example(line.substr(0, line.find(" >")));
            Arguments arguments{std::istream_iterator<std::string>(example), {}};
            REQUIRE(arguments.size() > 1);
            CHECK(arguments.front() == "batfill");
            arguments.erase(arguments.begin());
            CHECK(std::equal(command.begin(), command.end(), arguments.begin()));
            arguments.emplace_back("--help");  // parses the other arguments, and reads and writes no file
            CHECK(run(folder, arguments).output == text);
        }
        CHECK(number == 2);
    }
}

TEST_CASE("Unknown commands and options are refused with status 2") {
    const Inputs inputs;
    check_refused(run(inputs.folder, {"simulat"}), 2,
                  "unknown command 'simulat', did you mean 'simulate'? Known: serve, batsched, simulate, swf, ");
    check_refused(inputs.simulate("out", {"-a", "fcfs", "--speed"}), 2);
    check_refused(inputs.simulate("out", {"-a", "fcfs", "stray"}), 2);
    check_refused(inputs.simulate("out", {"-a"}), 2);
    check_refused(run(inputs.folder, {"algorithms", "--xml"}), 2);
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("Options that count something refuse negative numbers, whatever the command") {
    const Folder folder;
    const auto refused = [&](const Arguments& arguments, const std::string& line) {
        INFO(arguments[0] << ' ' << line);
        const Outcome outcome = run(folder, arguments);
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors, StartsWith("batfill: " + line));
    };
    refused({"generate", "lublin", "--jobs", "3", "--processors", "4", "--seed", "-1", "-o", folder.file("x.json")},
            "--seed: expected a whole number from 0 to 18446744073709551615, found '-1'");
    refused({"deadlines", "w.json", "-o", folder.file("x.json"), "--count=-2", "--seed", "1"},
            "--count: expected a whole number from 0 to 18446744073709551615, found '-2'");
    refused({"check", "jobs.csv", "-w", "w.json", "-p", "p.xml", "--first", "-3"},
            "--first: expected a whole number from 0 to 4294967295, found '-3'");
    refused(
        {"simulate", "-p", "p.xml", "-w", "w.json", "-a", "fcfs", "--socket-timeout", "-4294967295"},
        "--socket-timeout: expected a number of seconds from 0 to 31622400, or a length with units (90s, 15m, 1h, 30d, 1-12:00:00), found '-4294967295'");
    refused({"tune", "-p", "p.xml", "-w", "w.json", "-o", "x", "--evaluations", "-1"},
            "--evaluations: expected a whole number from 1 to 10000000, found '-1'");
    refused({"compare", "fcfs", "-p", "p.xml", "-w", "w.json", "--threads", "-1"},
            "--threads: expected a whole number from 1 to 1024, found '-1'");
    CHECK_FALSE(std::filesystem::exists(folder.file("x.json")));
}

TEST_CASE("an option that cannot be repeated is refused the second time") {
    const Folder folder;
    for (const Arguments& option : {Arguments{"--hosts", "4"}, Arguments{"-o", "x.xml"}}) {
        const Outcome outcome = run(folder, with({"platform", "--hosts", "4", "-o", folder.file("p.xml")}, option));
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors, EndsWith(": expected one value, found 2\n"));
    }
    check_refused(run(folder, {"algorithms", "--json", "--json"}), 2);
    CHECK_FALSE(std::filesystem::exists(folder.file("p.xml")));
}

TEST_CASE("serve refuses an endpoint whose port is none") {
    const Folder folder;
    for (const std::string port : {"-1", "65536", "100000", "28000x", "", "+1", "1.5"}) {
        INFO(port);
        check_refused(run(folder, {"serve", "-a", "fcfs", "-s", "tcp://127.0.0.1:" + port}), 2,
                      "expected a port from 0 to 65535, or *");
    }
}

TEST_CASE("algorithms lists every algorithm with its parameters") {
    const Folder folder;
    const Outcome json = run(folder, {"algorithms", "--json"});
    CHECK(json.status == 0);
    rapidjson::Document document;
    document.Parse(json.output.data(), json.output.size());
    REQUIRE(document.IsArray());
    std::vector<std::string> names;
    for (const auto& algorithm : document.GetArray()) {
        names.emplace_back(algorithm["name"].GetString());
        INFO(names.back());
        CHECK(algorithm["summary"].GetStringLength() > 0);
        CHECK(algorithm["paper"].GetStringLength() > 0);
        REQUIRE(algorithm["parameters"].IsArray());
        bool default_walltime = false;
        for (const auto& parameter : algorithm["parameters"].GetArray()) {
            const std::string name = parameter["name"].GetString();
            CHECK(parameter["type"].GetStringLength() > 0);
            CHECK(parameter["description"].GetStringLength() > 0);
            CHECK((parameter["default"].IsString() || parameter["default"].IsNull()));
            if (name == "default-walltime") {
                default_walltime = true;
                CHECK(parameter["default"].IsNull());
            }
            if (names.back() == "conservative" && name == "compression") {
                CHECK(parameter["default"] == "planned-start");
                CHECK(parameter["choices"].Size() == 5);
            }
            if (name == "count-events") {
                CHECK(parameter["type"] == "boolean");
                CHECK(parameter["default"] == "no");
            }
        }
        CHECK(default_walltime);
    }
    CHECK(std::is_sorted(names.begin(), names.end()));
    const Outcome text = run(folder, {"algorithms"});
    CHECK(text.status == 0);
    for (const char* name : {"rejecter", "fcfs", "easy", "conservative"}) {
        CHECK(std::count(names.begin(), names.end(), name) == 1);
        CHECK_THAT("\n" + text.output, Contains(std::string("\n") + name + "\n"));
    }
    CHECK_THAT(text.output, Contains("-P compression=planned-start|submission|order|start-now|none"));
    const std::size_t common = text.output.find("\n  Every algorithm above also takes:\n");
    CHECK(text.output.find("-P default-walltime=") > common);
    CHECK(text.output.find("-P default-walltime=") == text.output.rfind("-P default-walltime="));
}

TEST_CASE("algorithms shows the algorithms that are named") {
    const Folder folder;
    const Outcome one = run(folder, {"algorithms", "conservative"});
    CHECK(one.status == 0);
    CHECK_THAT(one.output,
               StartsWith("conservative\n") && Contains("-P compression=") && Contains("-P default-walltime="));
    const Outcome two = run(folder, {"algorithms", "fcfs", "easy", "--json"});
    rapidjson::Document document;
    document.Parse(two.output.data(), two.output.size());
    REQUIRE(document.IsArray());
    REQUIRE(document.Size() == 2);
    CHECK(document[0]["name"] == "fcfs");
    CHECK(document[1]["name"] == "easy");
    check_refused(run(folder, {"algorithms", "esy"}), 2, "did you mean 'easy'?");
}

TEST_CASE("A key with an empty name is refused, and not left out") {
    const Folder folder;
    const std::string endpoint = "ipc://" + folder.file("daemon");
    check_refused(run(folder, {"serve", "-a", "easy", "-s", endpoint, "--curve-secret-key", "", "--idle-timeout", "1"}),
                  1, "expected the name of a file, found an empty one");
}

TEST_CASE("Programs may ask a command for its options") {
    const Folder folder;
    const std::string described = run(folder, {"help", "generate", "lublin", "--json"}).output;
    rapidjson::Document document;
    document.Parse(described.data(), described.size());
    REQUIRE(document.IsObject());
    CHECK_THAT(document["usage"].GetString(), StartsWith("batfill generate lublin "));
    const rapidjson::Value& jobs = *document["options"].Begin();
    CHECK(std::string(jobs["name"].GetString()) == "jobs");
    CHECK(std::string(jobs["type"].GetString()) == "whole number");
    CHECK(jobs["required"].GetBool());
    // Behind other words, it is an argument.
    check_refused(run(folder, {"metrics", "--", "--help=json"}), 1, "--help=json");
}

TEST_CASE("No help breaks a word across lines") {
    const Folder folder;
    const std::string help = run(folder, {"help", "compare"}).output;
    for (const char* metric : {"mean_wait", "mean_wait_worst_5_percent", "bounded_slowdown_percentile_99"}) {
        CHECK_THAT(help, Contains(std::string(" ") + metric + ","));
    }
}

}  // namespace batfill::tests::program_test
