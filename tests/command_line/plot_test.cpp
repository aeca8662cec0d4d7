#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include "tests/command_line/two_runs.hpp"

namespace batfill::tests::plot_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct Inputs : TwoRuns {
    std::string chart = folder.file("chart.svg");

    Outcome plot(const Arguments& more) const { return run(folder, with({"plot", "-o", chart}, more)); }
};

// The path data of the chart's elements of class `kind`: "jobs" in the Gantt chart, "curve" in the others.
std::vector<std::string> paths(const std::string& chart, const std::string& kind) {
    pugi::xml_document document;
    REQUIRE(document.load_file(chart.c_str()));
    REQUIRE(document.child("svg"));
    std::vector<std::string> result;
    for (const auto& found : document.select_nodes(("/svg/path[@class='" + kind + "']").c_str())) {
        result.emplace_back(found.node().attribute("d").value());
    }
    return result;
}

// Four bytes of a PNG as a number, the highest byte first.
std::size_t number_in(const std::string& png, std::size_t from) {
    std::size_t number = 0;
    for (const char byte : png.substr(from, 4)) {
        number = number * 256 + static_cast<unsigned char>(byte);
    }
    return number;
}

std::size_t rectangles(const std::vector<std::string>& paths) {
    std::size_t count = 0;
    for (const std::string& path : paths) {
        count += static_cast<std::size_t>(std::count(path.begin(), path.end(), 'z'));
    }
    return count;
}

}  // namespace

TEST_CASE("plot draws every kind of chart as SVG, the same each time") {
    const Inputs inputs;
    for (const std::string kind : {"gantt", "utilisation", "queue", "waits", "slowdowns"}) {
        CAPTURE(kind);
        const Outcome outcome = inputs.plot({kind, inputs.easy, inputs.fcfs, "-p", "4", "--title", "a < b & c"});
        CHECK(outcome.status == 0);
        CHECK(outcome.errors.empty());
        const std::string first = contents(inputs.chart);
        CHECK_THAT(first, StartsWith("<?xml") && Contains("a &lt; b &amp; c") && Contains(">fcfs</text>"));
        // Two runs, each with a line in the legend and a line in the chart.
        CHECK(paths(inputs.chart, "curve").size() == (kind == "gantt" ? 0 : 4));
        require_done(inputs.plot({kind, inputs.easy, inputs.fcfs, "-p", "4", "--title", "a < b & c"}));
        CHECK(contents(inputs.chart) == first);
    }
}

TEST_CASE("a plotted Gantt chart has every job where it ran") {
    const Inputs inputs;
    require_done(inputs.plot({"gantt", inputs.easy, "-p", "4"}));
    const std::vector<std::string> jobs = paths(inputs.chart, "jobs");
    // Six colours in the legend, and three jobs.
    CHECK(rectangles(jobs) == 6 + 3);
    // 20 seconds are 630 units wide, 4 processors 220 high, less a gap of half a unit. The first job has 3 processors
    // in the first half. The third job has the last processor from 2 to 9 s. Neither waited. The second job has all
    // processors in the second half.
    CHECK(std::find(jobs.begin(), jobs.end(), "M133 197h220v54.5h-220zM70 32h314.5v164.5h-314.5z") != jobs.end());
    CHECK(std::find(jobs.begin(), jobs.end(), "M385 32h314.5v219.5h-314.5z") != jobs.end());
}

TEST_CASE("a plotted Gantt chart shows the windows of the machine, with their names") {
    const Inputs inputs;
    const std::string file = inputs.folder.file("calendar.jsonl");
    const auto plot = [&](const std::string& windows) {
        inputs.folder.write("calendar.jsonl", windows);
        require_done(inputs.plot({"gantt", inputs.easy, "-p", "4", "--pool", "power=9", "--windows", file}));
        return contents(inputs.chart);
    };
    require_done(inputs.plot({"gantt", inputs.easy, "-p", "4"}));
    const std::string without = contents(inputs.chart);
    CHECK_THAT(without, !Contains("hatch"));
    // Those of pools have no place, and those of another time are not seen.
    CHECK(plot(R"({"name": "power cut", "from": 5, "until": 10, "pools": {"power": 3}})") == without);
    CHECK(plot(R"({"name": "later", "from": 20, "until": 30, "processors": 2})") == without);

    // 20 seconds are 630 units wide, 4 processors 220 high.
    const std::string hosts = plot(R"({"name": "a < b", "from": 5, "until": 10, "hosts": "0 2-3"}
{"name": "over the end", "from": 15, "until": 100, "hosts": "1"})");
    CHECK_THAT(hosts, Contains("<title>a &lt; b: processors 0 2-3 from 5 s to 10 s</title>") &&
                          Contains(">a &lt; b</text>") && Contains(">over the end</text>") &&
                          Contains(">window</text>"));
    std::vector<std::string> areas = paths(inputs.chart, "window");
    REQUIRE(areas.size() == 3);  // the first is in the legend
    CHECK(areas[1] == "M227.5 32h157.5v55h-157.5zM227.5 142h157.5v110h-157.5z");
    CHECK(areas[2] == "M542.5 87h157.5v55h-157.5z");
    CHECK(paths(inputs.chart, "border") == areas);
    CHECK(rectangles(paths(inputs.chart, "jobs")) == 6 + 3);

    // A number of processors has the highest, below those of the windows before it.
    plot(R"({"name": "short", "from": 5, "until": 10, "processors": 1}
{"name": "s", "from": 9.5, "until": 10.5, "processors": 2}
{"name": "after", "from": 10, "until": 15, "processors": 1})");
    areas = paths(inputs.chart, "window");
    REQUIRE(areas.size() == 4);
    CHECK(areas[1] == "M227.5 197h157.5v55h-157.5z");
    CHECK(areas[2] == "M369.25 87h31.5v110h-31.5z");
    CHECK(areas[3] == "M385 197h157.5v55h-157.5z");
}

TEST_CASE("a plotted distribution goes up by the share of the jobs at each value") {
    const Inputs inputs;
    require_done(inputs.plot({"waits", inputs.easy}));
    // Two of three jobs do not wait, one waits 9 seconds. The axis is logarithmic, from 1 to 10.
    const std::vector<std::string> curves = paths(inputs.chart, "curve");
    REQUIRE(curves.size() == 1);
    CHECK(curves[0] == "M70 230H70V83.33H671.17V10H700");
}

TEST_CASE("a Gantt chart of many jobs is drawn in cells and stays small") {
    const Folder folder;
    require_done(run(folder, {"generate", "lublin", "--jobs", "25000", "--processors", "64", "--seed", "1", "-o",
                              folder.file("w.json")}));
    require_done(run(
        folder, {"simulate", "-q", "-a", "fcfs", "-p", "64", "-w", folder.file("w.json"), "-e", folder.file("out")}));
    require_done(run(folder, {"plot", "gantt", folder.file("out"), "-p", "64", "-o", folder.file("chart.svg")}));
    const std::size_t drawn = rectangles(paths(folder.file("chart.svg"), "jobs"));
    CHECK(drawn > 1000);
    CHECK(drawn <= 6 + 630 * 64);
}

TEST_CASE("plot writes a PNG of the requested number of pixels") {
    const Inputs inputs;
    const std::string png = inputs.folder.file("chart.png");
    require_done(inputs.plot({"gantt", inputs.easy, "-p", "4"}));
    pugi::xml_document svg;
    REQUIRE(svg.load_file(inputs.chart.c_str()));
    const std::size_t height = svg.child("svg").attribute("height").as_uint();
    for (const std::size_t zoom : {std::size_t{1}, std::size_t{2}}) {
        Arguments arguments{"plot", "gantt", inputs.easy, "-p", "4", "-o", png};
        if (zoom == 1) {  // --dpi is 192 by default
            arguments.insert(arguments.end(), {"--dpi", "96"});
        }
        const Outcome outcome = run(inputs.folder, arguments);
        CHECK(outcome.errors.empty());
        require_done(outcome);
        const std::string drawn = contents(png);
        REQUIRE(drawn.substr(0, 8) == "\x89PNG\r\n\x1a\n");
        REQUIRE(drawn.substr(12, 4) == "IHDR");
        CHECK(number_in(drawn, 16) == 720 * zoom);
        CHECK(number_in(drawn, 20) == height * zoom);
    }
}

TEST_CASE("plot says what a PNG needs where that is not installed or fails, and leaves no chart") {
    const Inputs inputs;
    const std::string png = inputs.folder.file("chart.png");
    const std::string path = std::getenv("PATH");
    const auto plot_with = [&](const std::string& programs) {
        setenv("PATH", programs.c_str(), 1);
        Outcome outcome = run(inputs.folder, {"plot", "gantt", inputs.easy, "-p", "4", "-o", png});
        setenv("PATH", path.c_str(), 1);
        return outcome;
    };
    check_refused(plot_with(inputs.folder.file("none")), 1, "librsvg2-bin");
    inputs.folder.write("rsvg-convert", "#!/bin/sh\necho no font >&2\necho at all >&2\nexit 3\n");
    std::filesystem::permissions(inputs.folder.file("rsvg-convert"), std::filesystem::perms::owner_all);
    check_refused(plot_with(std::filesystem::path(png).parent_path()), 1, "rsvg-convert fails: no font\n");
    CHECK(!std::filesystem::exists(png));
    check_refused(inputs.plot({"gantt", inputs.easy, "-p", "4", "--dpi", "96"}), 2);
    check_refused(run(inputs.folder, {"plot", "gantt", inputs.easy, "-p", "4", "-o", png, "--dpi", "0"}), 2);
}

TEST_CASE("plot writes a PDF of the requested size, the same each time") {
    const Inputs inputs;
    const std::string pdf = inputs.folder.file("chart.pdf");
    const Arguments arguments{"plot", "gantt", inputs.easy, "-p", "4", "-o", pdf, "--width", "3.3", "--height", "2.5"};
    require_done(run(inputs.folder, arguments));
    const std::string drawn = contents(pdf);
    CHECK_THAT(drawn, StartsWith("%PDF-"));
    // 3.3 and 2.5 inches of 72 points each.
    CHECK_THAT(drawn, Contains("/MediaBox [ 0 0 237.6 180 ]") || Contains("/MediaBox [ 0 0 237.599991 180 ]"));
    std::filesystem::remove(pdf);
    require_done(run(inputs.folder, arguments));
    CHECK(contents(pdf) == drawn);
    check_refused(run(inputs.folder, {"plot", "gantt", inputs.easy, "-p", "4", "-o", pdf, "--dpi", "96"}), 2);
}

TEST_CASE("a plotted picture has the requested size, and letters that can be read at that size") {
    const Inputs inputs;
    const auto size = [&](const Arguments& more) {
        require_done(inputs.plot(with({"gantt", inputs.easy, inputs.fcfs, "-p", "4"}, more)));
        pugi::xml_document svg;
        REQUIRE(svg.load_file(inputs.chart.c_str()));
        const pugi::xml_node root = svg.child("svg");
        return std::array{root.attribute("width").as_double(), root.attribute("height").as_double(),
                          root.attribute("font-size").as_double()};
    };
    // 96 units to an inch, 9 points are 12 units.
    CHECK(size({})[0] == 720);
    CHECK(size({})[2] == 12);
    CHECK(size({"--width", "3.3"})[0] == 316.8);
    CHECK(size({"--width", "3.3"})[2] == 10.67);
    CHECK(size({"--width", "3.3", "--font-size", "6"})[2] == 8);
    CHECK(size({"--height", "5"})[1] == 480);
    CHECK(size({"--width", "3.3", "--height", "5", "--title", "T"})[1] == 480);
    check_refused(inputs.plot({"gantt", inputs.easy, inputs.fcfs, "--height", "1"}), 2,
                  "--height: expected at least 2.");
    check_refused(inputs.plot({"gantt", inputs.easy, "--width", "1"}), 2, "--width: expected at least 1.39 inches");
    for (const std::string option : {"--width", "--height", "--font-size"}) {
        check_refused(inputs.plot({"gantt", inputs.easy, option, "0"}), 2);
        check_refused(inputs.plot({"gantt", inputs.easy, option, "nan"}), 2);
    }
}

TEST_CASE("all texts of a narrow picture are inside of it") {
    const Inputs inputs;
    for (const std::string kind : {"gantt", "waits", "queue"}) {
        CAPTURE(kind);
        require_done(inputs.plot({kind, inputs.easy, inputs.fcfs, "-p", "4", "--width", "3.3"}));
        pugi::xml_document svg;
        REQUIRE(svg.load_file(inputs.chart.c_str()));
        for (const pugi::xml_node text : svg.child("svg").children("text")) {
            const std::string anchor = text.attribute("text-anchor").value();
            const double length = static_cast<double>(std::string(text.text().get()).size()) * 10.67 * 0.6;
            const double from = text.attribute("x").as_double() - (anchor == "end"      ? length
                                                                   : anchor == "middle" ? length / 2
                                                                                        : 0);
            CAPTURE(text.text().get());
            CHECK((text.attribute("transform") || (from >= 0 && from + length <= 317)));
        }
    }
}

TEST_CASE("plot draws the part of the run that --from and --until select") {
    const Inputs inputs;
    require_done(inputs.plot({"gantt", inputs.easy, "-p", "4", "--from", "5", "--until", "15s"}));
    const std::vector<std::string> jobs = paths(inputs.chart, "jobs");
    // Ten seconds are 630 units wide. The first job ends in the middle, the third one after four seconds.
    CHECK(std::find(jobs.begin(), jobs.end(), "M70 197h251.5v54.5h-251.5zM70 32h314.5v164.5h-314.5z") != jobs.end());
    CHECK(std::find(jobs.begin(), jobs.end(), "M385 32h314.5v219.5h-314.5z") != jobs.end());
    // The first job ended before.
    require_done(inputs.plot({"gantt", inputs.easy, "-p", "4", "--from", "11", "--until", "0.3m"}));
    CHECK(rectangles(paths(inputs.chart, "jobs")) == 6 + 1);
    // A distribution counts the jobs that were submitted from 1 s on: one waits, one does not.
    require_done(inputs.plot({"waits", inputs.easy, "--from", "1"}));
    CHECK(paths(inputs.chart, "curve").at(0) == "M70 230H70V120H671.17V10H700");
    check_refused(inputs.plot({"queue", inputs.easy, "--from", "1h", "--until", "1d"}), 1,
                  "easy_jobs.csv: expected jobs from 3600 s to 86400 s, found none");
    check_refused(inputs.plot({"queue", inputs.easy, "--from", "1y"}), 2,
                  "--from: expected a number of seconds, or a length with units (90s, 15m, 1h, 30d, 1-12:00:00)");
    check_refused(inputs.plot({"queue", inputs.easy, "--until", "h"}), 2);
    check_refused(inputs.plot({"queue", inputs.easy, "--from", "2", "--until", "2"}), 2);
}

TEST_CASE("plot takes labels, colours and a font") {
    const Inputs inputs;
    const auto waits = [&](const Arguments& more) {
        return inputs.plot(with({"waits", inputs.easy, inputs.fcfs}, more));
    };
    require_done(waits({}));
    CHECK_THAT(contents(inputs.chart), Contains("font-family='sans-serif'") && Contains(">easy</text>"));
    require_done(waits({"--label", "easy=A < B=C", "--colors", "#07B,navy", "--font", "Times New Roman"}));
    const std::string chart = contents(inputs.chart);
    CHECK_THAT(chart, Contains("font-family='\"Times New Roman\"'") && Contains(">A &lt; B=C</text>") &&
                          Contains(">fcfs</text>") && Contains("stroke='#07B'") && Contains("stroke='navy'") &&
                          Contains("<title>waits: A &lt; B=C, fcfs</title>") && !Contains(">easy<") &&
                          !Contains("#0072b2"));
    CHECK(paths(inputs.chart, "curve").size() == 4);
    require_done(inputs.plot({"gantt", inputs.easy, "-p", "4", "--font", "serif", "--colors",
                              "#000001,#000002,#000003,#000004,#000005,#000006"}));
    CHECK_THAT(contents(inputs.chart), Contains("font-family='serif'") && Contains("fill='#000001'") &&
                                           Contains("fill='#000006'") && !Contains("#3b496c"));
    require_done(waits({"--title", "a\tb\xff"}));  // SVG has neither
    CHECK_THAT(contents(inputs.chart), Contains(">a b\\xFF</text>"));
    CHECK(paths(inputs.chart, "curve").size() == 4);
    // A name may have a = in it.
    inputs.folder.write("easy,order=saf_jobs.csv", contents(inputs.easy + "_jobs.csv"));
    require_done(inputs.plot({"waits", inputs.easy, inputs.folder.file("easy,order=saf"), "--label", "easy,order=saf=S",
                              "--label", "easy=E"}));
    CHECK_THAT(contents(inputs.chart), Contains(">S</text>") && Contains(">E</text>"));

    const std::vector<std::pair<Arguments, std::string>> refused{
        {{"--label", "esy=x"}, "--label: unknown run 'esy', did you mean 'easy'? Known: easy, fcfs"},
        {{"--label", "easy"}, "--label: expected RUN=TEXT, such as easy=EASY, found 'easy'"},
        {{"--label", "easy="}, "--label: expected a text behind easy=, found none"},
        {{"--label", "easy=a", "--label", "easy=b"}, "--label: expected one label for easy, found two"},
        {{"--label", "easy=fcfs"}, "--label: expected a different label for each run, found 'fcfs' twice"},
        {{"--colors", "red"}, "--colors: expected 2, one for each run, found 1"},
        {{"--colors", "red,#12345"}, "--colors: expected colours such as #0072b2"},
        {{"--colors", "red,"}, "found ''"},
        {{"--font", "a'b"}, "--font: expected the name of a font family"},
        {{"--font", ""}, "--font: expected the name of a font family"},
        {{"--font", "10"}, "--font: expected the name of a font family"},
        {{"--font", "\xff"}, "--font: expected the name of a font family"}};
    for (const auto& [options, error] : refused) {
        check_refused(waits(options), 2, error);
    }
    check_refused(inputs.plot({"gantt", inputs.easy, "-p", "4", "--colors", "red"}), 2,
                  "--colors: expected 6, one for each class of wait, found 1");
}

TEST_CASE("plot refuses what it cannot draw with one line, and leaves no chart") {
    const Inputs inputs;
    const std::string jobs = contents(inputs.easy + "_jobs.csv");
    inputs.folder.write("empty_jobs.csv", jobs.substr(0, jobs.find('\n') + 1));
    check_refused(inputs.plot({"queue", inputs.folder.file("empty")}), 1, "empty_jobs.csv: no job finished");
    check_refused(inputs.plot({"pie", inputs.easy}), 2,
                  "'pie', known: gantt, utilisation, queue, usage, waits, slowdowns");
    check_refused(inputs.plot({"utilisation", inputs.easy}), 2, "--platform or --processors");
    check_refused(inputs.plot({"gantt", inputs.easy, "-p", "3"}), 1);
    check_refused(inputs.plot({"gantt", inputs.folder.file("none")}), 1);
    check_refused(inputs.plot({"gantt"}), 2);
    check_refused(inputs.plot({"slowdowns", inputs.easy, "--tau", "0"}), 2);
    const Outcome bound = inputs.plot({"gantt", inputs.easy, "--tau", "5"});
    check_refused(bound, 2);
    CHECK_THAT(bound.errors, Contains("--tau is for slowdowns"));
    CHECK(!std::filesystem::exists(inputs.chart));
    check_refused(run(inputs.folder, {"plot", "gantt", inputs.easy, "-o", inputs.folder.file("none/chart.svg")}), 1);
    CHECK_THAT(run(inputs.folder, {"help", "plot"}).output, StartsWith("Usage: batfill plot KIND PREFIX..."));
}

TEST_CASE("plot refuses file names of unknown formats and lists the known formats") {
    const Inputs inputs;
    for (const std::string name : {"chart.ps", "chart.eps", "chart.PNG", "chart.png.gz"}) {
        CAPTURE(name);
        check_refused(run(inputs.folder, {"plot", "gantt", inputs.easy, "-o", inputs.folder.file(name)}), 2,
                      "expected a name that ends in .svg, .svg.gz, .pdf, .png, found");
        CHECK(!std::filesystem::exists(inputs.folder.file(name)));
    }
    const Outcome shown = run(inputs.folder, {"plot", "gantt", inputs.easy, "-o", "/dev/stdout"});
    CHECK(shown.status == 0);
    CHECK_THAT(shown.output, StartsWith("<?xml"));
}

TEST_CASE("plot draws a run so late that numbers cannot tell the ends of its axis apart") {
    const Inputs inputs;
    for (const std::string start : {"10000000000", "10000000000000000", "999999999999999999"}) {
        CAPTURE(start);
        const std::string late = inputs.folder.write(
            "late_jobs.csv",
            "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,final_state,"
            "starting_time,execution_time,finish_time,waiting_time,turnaround_time,allocated_resources\n"
            "1,w0," +
                start + ",1,8,1,COMPLETED_SUCCESSFULLY," + start + ",0.000001," + start + ",0,0.000001,0\n");
        for (const std::string kind : {"gantt", "queue"}) {
            const Outcome outcome = inputs.plot({kind, late});
            CHECK(outcome.status == 0);
            CHECK(contents(inputs.chart).size() < 20'000);
        }
    }
}

TEST_CASE("plot does not write its chart over a run") {
    const Inputs inputs;
    const std::string run = inputs.folder.file("run");
    std::filesystem::copy(inputs.easy + "_jobs.csv", run);
    const Outcome outcome = tests::run(inputs.folder, {"plot", "gantt", run, "-o", run});
    check_refused(outcome, 2);
    CHECK_THAT(outcome.errors, Contains("--output: would write over the input " + run + ", expected another name"));
    CHECK(contents(run) == contents(inputs.easy + "_jobs.csv"));
}

}  // namespace batfill::tests::plot_test
