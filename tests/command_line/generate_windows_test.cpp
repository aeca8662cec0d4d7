#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/platform.hpp>
#include <batfill/workloads/models.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::generate_windows_test {

using Catch::Matchers::Contains;

namespace {

Outcome generate(const Folder& folder, const Arguments& more) {
    return run(folder, with({"generate", "windows", "-o", folder.file("calendar.json")}, more));
}

// The windows that the command writes, without their lines in the file.
std::vector<Window> made(const Folder& folder, const Arguments& more) {
    const Outcome outcome = generate(folder, more);
    require_done(outcome);
    std::vector<Window> windows = read_windows(folder.file("calendar.json"));
    for (Window& window : windows) {
        window.place.clear();
    }
    return windows;
}

const Arguments monthly{"--every", "30d", "--length", "8h", "--until", "365d"};

}  // namespace

TEST_CASE("batfill generate windows writes a maintenance that recurs", "[windows]") {
    const Folder folder;
    const auto windows =
        made(folder, with(monthly, {"--hosts", "all", "--first", "7d", "--announced", "10d", "--running", "kill"}));
    REQUIRE(windows.size() == 12);
    for (int number = 0; number < 12; ++number) {
        const Window& window = windows[static_cast<std::size_t>(number)];
        const long long day = 7 + 30 * number;
        CHECK(window.from == Time::seconds(day * 86'400));
        CHECK(window.until == Time::seconds(day * 86'400 + 28'800));
        CHECK(window.announced == (number == 0 ? Time() : Time::seconds((day - 10) * 86'400)));
        CHECK(window.name == "maintenance");
        CHECK(window.all_hosts);
        CHECK(window.running == Window::Running::kill);
    }
    CHECK(contents(folder.file("calendar.json"))
              .starts_with(R"({"name":"maintenance","from":604800,"until":633600,"announced":0,"hosts":"all",)"
                           R"("running":"kill"})"
                           "\n"));
}

TEST_CASE("What batfill generate windows writes reads back as the same windows", "[windows]") {
    const auto what = GENERATE(values<Arguments>({{"--hosts", "70 0-63"},
                                                  {"--processors", "12"},
                                                  {"--pool", "power=400", "--pool", "a \"b\"=1"},
                                                  {"--hosts", "all", "--for", "course", "--for", "\xc3\xa9t\xc3\xa9"},
                                                  {"--hosts", "1", "--name", "a b", "--running", "requeue"},
                                                  {"--hosts", "1", "--announced", "0"},
                                                  {"--hosts", "1", "--announced", "0.5"}}));
    const Folder folder;
    const auto windows =
        made(folder, with({"--every", "1h", "--length", "90.25", "--first", "0.000001", "--until", "3h"}, what));
    REQUIRE(windows.size() == 3);
    std::string again;
    for (const Window& window : windows) {
        append_json(window, again);
    }
    CHECK(again == contents(folder.file("calendar.json")));
    WindowCalendar calendar{.each = windows[0],
                            .first = windows[0].from,
                            .every = Duration::seconds(3600),
                            .length = Duration::microseconds(90'250'000),
                            .announced = {},
                            .until = Time::seconds(3 * 3600)};
    if (what.size() > 2 && what[2] == "--announced") {
        calendar.announced = windows[1].from - windows[1].announced;
        CHECK(*calendar.announced == Duration::microseconds(what[3] == "0" ? 0 : 500'000));
    }
    CHECK(generate_windows(calendar) == windows);
}

TEST_CASE("batfill generate windows begins after one period, and no window begins at its end", "[windows]") {
    const Folder folder;
    const Outcome outcome = generate(folder, {"--every", "10", "--length", "10", "--until", "40", "--processors", "2"});
    require_done(outcome);
    CHECK_THAT(outcome.output, Contains("calendar.json: 3 windows, the first begins at 10, the last at 30\n"));
    CHECK(read_windows(folder.file("calendar.json")).back().until == Time::seconds(40));
}

TEST_CASE("batfill generate windows refuses what makes no sense", "[windows]") {
    const auto [more, words] = GENERATE(table<Arguments, std::string>({
        {Arguments{}, "expected what windows take, as one of --hosts, --processors and --pool"},
        {{"--hosts", "all", "--processors", "3"}, "as one of --hosts, --processors and --pool"},
        {{"--hosts", "some"}, "--hosts: expected all, or numbers such as '0-63 70', found 'some'"},
        {{"--hosts", ""}, "--hosts: expected all, or numbers"},
        {{"--processors", "0"}, "--processors: expected a whole number from 1"},
        {{"--pool", "power"}, "--pool: expected NAME=TOTAL"},
        {{"--pool", "power=0"}, "--pool: expected an amount above 0, found 'power=0'"},
        {{"--pool", "power=2", "--pool", "power=3"}, "--pool: expected power once"},
        {{"--hosts", "all", "--name", "loss"}, "--name: expected a name other than loss, estimate and parked"},
        {{"--hosts", "all", "--name", ""}, "--name: expected a name"},
        {{"--hosts", "all", "--name", "a\xff"}, "--name: expected a text in UTF-8"},
        {{"--pool", "\xff=1"}, "--pool: expected a text in UTF-8"},
        {{"--hosts", "all", "--for", ""}, "--for: expected a name of a reservation"},
        {{"--hosts", "all", "--running", "stop"}, "--running: unknown value 'stop'"},
        {{"--hosts", "all", "--announced", "-1"}, "--announced: expected a number of seconds from 0"},
        {{"--hosts", "all", "--first", "365d"}, "--until: expected a time after the first window"},
    }));
    CAPTURE(words);
    const Folder folder;
    check_refused(generate(folder, with(monthly, more)), 2, words);
    CHECK_FALSE(std::filesystem::exists(folder.file("calendar.json")));
}

TEST_CASE("batfill generate windows refuses times that make no calendar", "[windows]") {
    const auto [times, words] = GENERATE(table<Arguments, std::string>({
        {{"--every", "0", "--length", "1", "--until", "9"}, "--every: expected a number of seconds from 0.000001"},
        {{"--every", "1h", "--length", "0", "--until", "1d"}, "--length: expected a number of seconds"},
        {{"--every", "1h", "--length", "2h", "--until", "1d"}, "--length: expected at most the 3600 s of --every"},
        {{"--every", "1h", "--length", "1h", "--until", "1h"}, "the first window, which would begin at 3600"},
        {{"--every", "1", "--length", "1", "--until", "30d"}, "more than 1000000 windows"},
        {{"--every", "1h", "--length", "1h"}, "until"},
    }));
    CAPTURE(words);
    const Folder folder;
    check_refused(generate(folder, with({"--hosts", "all"}, times)), 2, words);
}

TEST_CASE("A generated calendar holds for a replay, and the audit agrees", "[windows]") {
    const Folder folder;
    made(folder, {"--every", "100", "--length", "50", "--until", "150", "--hosts", "all"});
    const std::string workload = folder.write(
        "w.json",
        R"({"nb_res":2,"profiles":{"d":{"type":"delay","delay":60}},"jobs":[{"id":"a","subtime":10,"res":1,"walltime":99,"profile":"d"}]})");
    require_done(run(folder, {"simulate", "-q", "-p", "2", "-w", workload, "-a", "easy", "--windows",
                              folder.file("calendar.json"), "-e", folder.file("out")}));
    CHECK_THAT(contents(folder.file("out_jobs.csv")),
               Contains("a,w0,d,10.000000,1,99.000000,1,COMPLETED_SUCCESSFULLY,150."));
    require_done(run(folder, {"check", folder.file("out_jobs.csv"), "-w", workload, "-p", "2", "--windows",
                              folder.file("calendar.json")}));
}

}  // namespace batfill::tests::generate_windows_test
