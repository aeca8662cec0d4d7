#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/formats/named_platform.hpp"

namespace batfill::tests::windows_test {

TEST_CASE("A file of windows has one in a line", "[windows]") {
    const std::vector<Window> windows = parse_windows(
        R"({"name": "service", "from": 100, "until": 200.5, "hosts": "0-3 7"}

{"name": "course", "from": 300, "until": 400, "announced": 50, "processors": 2, "for": ["a", "b"], "running": "kill"}
{"name": "cut", "from": 300, "until": 301, "announced": 300, "pools": {"power": 4, "bb": 0}, "running": "requeue"}
{"name": "all", "from": 1, "until": 2, "hosts": "all", "running": "finish"})",
        "calendar");
    REQUIRE(windows.size() == 4);
    CHECK(windows[0].name == "service");
    CHECK(windows[0].from == Time::seconds(100));
    CHECK(windows[0].until.to_string() == "200.500000");
    CHECK(windows[0].announced == Time());
    CHECK(windows[0].hosts.to_string() == "0-3 7");
    CHECK(windows[0].running == Window::Running::finish);
    CHECK(windows[0].place == "calendar:1");
    CHECK_FALSE(windows[0].begins_a_round());
    CHECK(windows[1].processors == 2);
    CHECK(windows[1].announced == Time::seconds(50));
    CHECK(windows[1].running == Window::Running::kill);
    CHECK(windows[1].is_for("b"));
    CHECK_FALSE(windows[1].is_for("c"));
    CHECK(windows[1].place == "calendar:3");
    CHECK(windows[2].pools == StatedNeeds::Amounts{{"power", 4}, {"bb", 0}});
    CHECK(windows[2].running == Window::Running::requeue);
    CHECK(windows[3].all_hosts);
    CHECK(parse_windows("", "calendar").empty());
}

TEST_CASE("A part of a workload sees the windows in its own time, without those that are over") {
    const std::vector<Window> windows =
        windows_since(parse_windows(R"({"name": "over", "from": 10, "until": 100, "processors": 1}
{"name": "begun", "from": 50, "until": 150, "announced": 20, "processors": 1}
{"name": "known", "from": 130, "until": 200, "announced": 90, "processors": 1}
{"name": "later", "from": 130, "until": 200, "announced": 120, "processors": 1})",
                                    "calendar"),
                      Time::seconds(100));
    REQUIRE(windows.size() == 3);
    const auto check = [](const Window& window, const std::string& name, int from, int until, int announced) {
        CAPTURE(name);
        CHECK(window.name == name);
        CHECK(window.from == Time::seconds(from));
        CHECK(window.until == Time::seconds(until));
        CHECK(window.announced == Time::seconds(announced));
    };
    check(windows[0], "begun", 0, 50, 0);
    check(windows[1], "known", 30, 100, 0);
    check(windows[2], "later", 30, 100, 20);
}

TEST_CASE("What is wrong with a window is said with file, line and field", "[windows]") {
    const auto [line, problem] = GENERATE(table<std::string, std::string>({
        {R"([])", "calendar:2: expected one JSON object per line"},
        {R"({"from": 1, "until": 2, "hosts": "all"})", "field \"name\""},
        {R"({"name": "", "from": 1, "until": 2, "hosts": "all"})", "field \"name\""},
        {R"({"name": "loss", "from": 1, "until": 2, "hosts": "all"})", "expected a name other than loss"},
        {R"({"name": "w", "until": 2, "hosts": "all"})", "field \"from\""},
        {R"({"name": "w", "from": 2, "until": 2, "hosts": "all"})", "field \"until\""},
        {R"({"name": "w", "from": 1, "until": 2, "announced": 1.5, "hosts": "all"})", "field \"announced\""},
        {R"({"name": "w", "from": 1, "until": 2})", "and \"pools\", found none"},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": "all", "processors": 2})", "and \"pools\", found 2"},
        {R"({"name": "w", "from": -1, "until": 2, "hosts": "all"})", "field \"from\": expected a time from 0 on"},
        {R"({"name": "w", "from": 1, "from": 2, "until": 3, "hosts": "all"})", "field \"from\": expected once"},
        {"{", "calendar:2: expected one JSON object per line"},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": ""})", "field \"hosts\""},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": "3-1"})", "field \"hosts\""},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": 3})", "field \"hosts\""},
        {R"({"name": "w", "from": 1, "until": 2, "processors": -1})", "field \"processors\""},
        {R"({"name": "w", "from": 1, "until": 2, "pools": {}})", "field \"pools\""},
        {R"({"name": "w", "from": 1, "until": 2, "announced": -1, "processors": 1})",
         "field \"announced\": expected a time from 0 on"},
        {R"({"name": "w", "from": 1, "until": 2, "pools": {"power": 9223372036854775808}})",
         "found the number 9223372036854775808, above the largest, 9223372036854775807"},
        {R"({"name": "w", "from": 1, "until": 2, "pools": {"power": 1.5}})", "field \"pools.power\""},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": "all", "running": "stop"})", "field \"running\""},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": "all", "for": []})", "field \"for\""},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": "all", "for": [1]})", "field \"for\""},
        {R"({"name": "w", "from": 1, "until": 2, "hosts": "all", "host": "0"})", "unknown fields {\"host\":\"0\"}"},
        {R"({"name": "w", "from": 1, "until": 1e30, "hosts": "all"})", "field \"until\""},
    }));
    INFO(line);
    using Catch::Contains;
    CHECK_THROWS_WITH(parse_windows("\n" + line, "calendar"), Contains("calendar:2: ") && Contains(problem));
}

TEST_CASE("Windows fit their machine, or the message says what does not", "[windows]") {
    const auto [line, pools, capacity, problem] = GENERATE(table<std::string, std::string, std::string, std::string>({
        {R"("hosts": "0-4")", "", "", "it takes host 4, the last of the machine is 3"},
        {R"("processors": 5)", "", "", "it takes 5, the machine has 4"},
        {R"("processors": 2)", "", "cores:4", "hosts have names"},
        {R"("pools": {"power": 1})", "", "", "the machine has no pool 'power'"},
        {R"("pools": {"power": 9})", "power:8", "", "it takes 9 of pool power, the machine has 8"},
    }));
    INFO(line);
    Platform platform = homogeneous_platform(4);
    for (Host& host : platform.hosts) {
        if (!pools.empty()) {
            host.zone_properties["pools"] = pools;
        }
        if (!capacity.empty()) {
            host.properties["capacity"] = capacity;
        }
    }
    platform.windows = parse_windows(R"({"name": "w", "from": 1, "until": 2, )" + line + "}", "calendar");
    using Catch::Contains;
    CHECK_THROWS_WITH(platform.machine().require_resources(), Contains("calendar:1: ") && Contains(problem));
}

TEST_CASE("A window of all hosts counts them, unless hosts have names", "[windows]") {
    Platform platform = homogeneous_platform(4);
    platform.windows = parse_windows(R"({"name": "w", "from": 1, "until": 2, "hosts": "all"})", "calendar");
    CHECK_FALSE(platform.machine().resources().has_named_hosts());
    CHECK(platform.machine().windows()[0].processors == 4);
    const std::vector<Window> others =
        parse_windows(R"({"name": "v", "from": 8, "until": 9, "hosts": "2"})", "calendar");
    platform.windows.insert(platform.windows.end(), others.begin(), others.end());
    CHECK(platform.machine().resources().has_named_hosts());
    CHECK(platform.machine().windows()[0].processors == 0);
    CHECK(platform.machine().windows()[0].hosts.to_string() == "0-3");
}

TEST_CASE("A window of an amount of 0 takes nothing, and is written as it was read", "[windows]") {
    const std::string text =
        R"({"name":"p","from":1,"until":2,"announced":0,"processors":0,"running":"kill","for":["c"]})"
        "\n"
        R"({"name":"q","from":1,"until":2,"announced":0,"pools":{"power":0},"running":"finish"})"
        "\n";
    Platform platform = homogeneous_platform(4);
    for (Host& host : platform.hosts) {
        host.zone_properties["pools"] = "power:3";
    }
    platform.windows = parse_windows(text, "calendar");
    std::string written;
    for (const Window& window : platform.windows) {
        append_json(window, written);
    }
    CHECK(written == text);
    const Machine machine = platform.machine();
    CHECK_NOTHROW(machine.require_resources());
    CHECK_FALSE(machine.resources().has_named_hosts());
    CHECK_FALSE(machine.windows()[0].names_processors());
    CHECK_FALSE(machine.windows()[1].names_pool(0));
}

TEST_CASE("A file without windows is accepted with a note", "[windows]") {
    Platform platform = homogeneous_platform(4);
    MachineDetails details;
    details.windows = "calendar";
    details.windows_text = " \n\n";
    add_details(platform, details);
    CHECK(platform.notes == std::vector<std::string>{"calendar: there is no window in it, expected one on each line"});
}

}  // namespace batfill::tests::windows_test
