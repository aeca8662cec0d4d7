#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/simulator/simulator.hpp>

#include "src/support/files.hpp"
#include "tests/command_line/outcome.hpp"

namespace batfill::tests::failures_test {

using Catch::Matchers::Contains;

namespace {

const Arguments needed{"generate", "failures", "--until", "100000", "--mtbf", "5000", "--mttr", "500", "--seed", "1"};

Outcome generate(const Folder& folder, const Arguments& more) {
    Arguments arguments = needed;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder, arguments);
}

}  // namespace

TEST_CASE("batfill generate failures writes events that simulate reads, the same for the same seed") {
    const Folder folder;
    const std::string path = folder.file("events.json");
    const auto text_of = [&](const Arguments& more) {
        const Outcome outcome = generate(folder, with({"-o", path}, more));
        CHECK(outcome.status == 0);
        CHECK_THAT(outcome.output, Contains(": 7 processors fail, ") && Contains(" times in all, in ") &&
                                       Contains("is available until 100000"));
        return InputFile(path).read_all(std::size_t{1} << 24);
    };
    const std::string text = text_of({"--processors", "7"});
    CHECK(text == text_of({"--processors", "7"}));
    const std::string platform = folder.write(
        "p.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"None\"><host id=\"master_host\" speed=\"1f\"/><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-6\" speed=\"1f\" bw=\"1Bps\" lat=\"0s\"/></zone></platform>");
    CHECK(text == text_of({"-p", platform}));
    CHECK(text != text_of({"--processors", "7", "--distribution", "weibull"}));
    CHECK(text != text_of({"--processors", "7", "--group", "2"}));
    int down = 0;
    for (const ExternalEvent& event : parse_external_events(text, path, false)) {
        const bool lost = event.kind == ExternalEvent::Kind::machine_unavailable;
        down += lost ? event.processors.size() : -event.processors.size();
        CHECK((!lost || event.time < Time::seconds(100'000)));
    }
    CHECK(down == 0);
}

TEST_CASE("batfill generate failures refuses what makes no sense") {
    const Folder folder;
    const std::string path = folder.file("events.json");
    const auto refusal = [&](const Arguments& more) {
        const Outcome outcome = generate(folder, with({"-o", path}, more));
        check_refused(outcome, 2);
        return outcome.errors;
    };
    CHECK_THAT(refusal({}), Contains("--processors or as --platform"));
    CHECK_THAT(refusal({"--processors", "0"}),
               Contains("--processors: expected a whole number from 1 to 2147483647, found '0'"));
    CHECK_THAT(refusal({"--processors", "4", "--group", "-1"}), Contains("--group"));
    CHECK_THAT(refusal({"--processors", "4", "--distribution", "normal"}), Contains("known: exponential, weibull"));
    CHECK_THAT(refusal({"--processors", "4", "--shape", "2"}), Contains("--shape needs --distribution weibull"));
    CHECK_THAT(refusal({"--processors", "4", "--repair-distribution", "weibull", "--repair-shape", "0"}),
               Contains("--repair-shape: expected a number from 0.1 to 100, found '0'"));
    CHECK_THAT(refusal({"--processors", "1000000000"}), Contains("10 million failures"));
    const Outcome short_mean = run(folder, {"generate", "failures", "--processors", "1", "--until", "10", "--mtbf",
                                            "0.5", "--mttr", "1", "--seed", "1", "-o", path});
    check_refused(short_mean, 2);
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(run(folder, {"platform", "--hosts", "4", "-o", path}).status == 0);
    CHECK_THAT(refusal({"-p", path}),
               Contains("--output: would write over the input " + path + ", expected another name"));
}

TEST_CASE("submitter goes on when its jobs are rejected, because no processor is left") {
    const Folder folder;
    const std::string events =
        folder.write("e.json", "{\"type\":\"machine_unavailable\",\"timestamp\":13,\"resources\":\"0\"}\n");
    const std::string workload = folder.write(
        "w.json",
        R"({"nb_res":1,"profiles":{"d":{"type":"delay","delay":3}},"jobs":[{"id":"a","subtime":30,"res":1,"walltime":9,"profile":"d"}]})");
    for (const std::string on_failure : {"continue", "kill", "requeue"}) {
        INFO(on_failure);
        const Outcome outcome =
            run(folder, {"simulate", "-q", "-p", "1", "-w", workload, "--events", events, "-a", "submitter", "-P",
                         "when-too-small=reject", "-P", "on-failure=" + on_failure, "-e", folder.file("out")});
        CHECK(outcome.status == 0);
        const std::string jobs = contents(folder.file("out_jobs.csv"));
        CHECK_THAT(jobs,
                   Contains("\n9,dynamic,delay_91.000000,") && Contains("\na,w0,d,30.000000,1,9.000000,0,REJECTED"));
    }
}

}  // namespace batfill::tests::failures_test
