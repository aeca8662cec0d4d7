#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "src/choice/batsched_choice.hpp"
#include "tests/command_line/outcome.hpp"

namespace batfill::tests::batsched_test {

using batfill::batsched_choice;
using batfill::BatschedOptions;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::vector<std::string> known_variants{"conservative_bf", "easy_bf",  "easy_bf_fast", "fcfs",
                                              "fcfs_fast",       "filler",   "killer",       "killer2",
                                              "random",          "rejecter", "sequencer",    "submitter"};

const std::vector<std::string> known_orders{"fcfs",     "lcfs",      "desc_bounded_slowdown", "desc_slowdown",
                                            "asc_size", "desc_size", "asc_walltime",          "desc_walltime"};

BatschedOptions options_of(const std::string& variant, const std::string& order = "fcfs",
                           const std::string& variant_options = "{}") {
    BatschedOptions options;
    options.variant = variant;
    options.queue_order = order;
    options.variant_options = variant_options;
    return options;
}

// "easy order=sqf ..."
std::string text_of(const WrittenScheduler& choice) {
    std::string text = choice.algorithm;
    for (const auto& [name, value] : choice.parameters) {
        text += " " + name + "=" + value;
    }
    return text;
}

std::string problem_of(const BatschedOptions& options) {
    try {
        return text_of(batsched_choice(options));
    } catch (const UsageError& problem) {
        return problem.what();
    }
}

// Runs `batsched` with these arguments, as through a link of that name.
Outcome called_batsched(const Folder& folder, const Arguments& arguments) {
    Process process(folder, arguments, {}, "", "/usr/local/bin/batsched");
    const int status = process.wait();
    return {status, process.output(), process.errors()};
}

}  // namespace

TEST_CASE("Every variant of batsched that is known stands for an algorithm that can be made") {
    for (const std::string& variant : known_variants) {
        INFO(variant);
        const WrittenScheduler written = batsched_choice(options_of(variant));
        CHECK(choice_of(written).algorithm() == written.algorithm);
    }
}

TEST_CASE("Variants, orders and policies of batsched have the parameters that stand for them") {
    CHECK(text_of(batsched_choice({})) == "filler order=fcfs placement=lowest walltime-margin=5");
    CHECK(text_of(batsched_choice(options_of("easy_bf", "asc_size"))) ==
          "easy order=sqf backfill-order=sqf placement=lowest walltime-margin=5");
    CHECK(text_of(batsched_choice(options_of("conservative_bf"))) ==
          "conservative compression=submission placement=lowest walltime-margin=5");
    CHECK(text_of(batsched_choice(options_of("easy_bf_fast", "lcfs"))) ==
          "relaxed alpha=1 beta=0 gamma=0 r=1 omega=1 walltime-margin=5");
    BatschedOptions options = options_of("fcfs");
    options.selection_policy = "contiguous";
    options.rjms_delay = "2.5";
    CHECK(text_of(batsched_choice(options)) == "fcfs placement=contiguous walltime-margin=2.5");
    options.variant = "fcfs_fast";  // always takes the lowest processors
    CHECK(text_of(batsched_choice(options)) == "fcfs walltime-margin=2.5");
}

TEST_CASE("Orders of batsched are those of ours, for every variant that has one") {
    const std::vector<std::string> ours{"fcfs", "lcfs", "fcfs", "fcfs", "sqf", "lqf", "spf", "lpf"};
    for (std::size_t i = 0; i < known_orders.size(); ++i) {
        CHECK_THAT(text_of(batsched_choice(options_of("easy_bf", known_orders[i]))),
                   Contains(" order=" + ours[i] + " backfill-order=" + ours[i] + " "));
        CHECK_THAT(text_of(batsched_choice(options_of("filler", known_orders[i]))),
                   Contains(" order=" + ours[i] + " "));
        CHECK_THAT(text_of(batsched_choice(options_of("sequencer", known_orders[i]))),
                   Contains(" order=" + ours[i] + " "));
        for (const std::string variant : {"conservative_bf", "fast_conservative_bf"}) {
            CHECK_THAT(text_of(batsched_choice(options_of(variant, known_orders[i]))),
                       StartsWith(ours[i] == "fcfs" ? "conservative compression=submission placement="
                                                    : "conservative compression=order order=" + ours[i] + " "));
        }
    }
}

TEST_CASE("Options of batsched's variants are followed where they can be") {
    CHECK(text_of(
              batsched_choice(options_of("killer", "fcfs", R"({"delay_before_kill": 7.5, "nb_kills_per_job": 2})"))) ==
          "killer placement=lowest walltime-margin=5 delay=7.5");
    CHECK(
        text_of(batsched_choice(options_of("killer", "fcfs", R"({"delay_before_kill": 7, "nb_kills_per_job": 0})"))) ==
        "fcfs placement=lowest walltime-margin=5");
    CHECK(text_of(batsched_choice(
              options_of("filler", "fcfs", R"({"fraction_of_machines_to_use": 1, "custom_mapping": false})"))) ==
          "filler order=fcfs placement=lowest walltime-margin=5");
    CHECK(text_of(batsched_choice(options_of("filler", "fcfs", R"({"set_job_metadata": true})"))) ==
          "filler order=fcfs placement=lowest walltime-margin=5 metadata=yes");
    CHECK(text_of(batsched_choice(options_of("filler", "fcfs", R"({"set_job_metadata": false, "unheard_of": 1})"))) ==
          "filler order=fcfs placement=lowest walltime-margin=5");
    CHECK(text_of(batsched_choice(options_of("submitter", "fcfs",
                                             R"({"nb_jobs_to_submit": 3, "increase_jobs_duration": false,)"
                                             R"("set_job_metadata": true})"))) ==
          "submitter placement=lowest walltime-margin=5 jobs=3 same-length=yes metadata=yes");
    CHECK(text_of(batsched_choice(options_of("submitter", "fcfs", R"({"send_profile_if_already_sent": true})"))) ==
          "submitter placement=lowest walltime-margin=5");
}

TEST_CASE("What batsched does not know, or what has no equivalent, is refused in one line") {
    CHECK(
        problem_of(options_of("easy")) ==
        "unknown variant 'easy', known: conservative_bf, easy_bf, easy_bf_fast, fast_conservative_bf, fcfs, fcfs_fast, filler, killer, killer2, random, rejecter, sequencer, submitter");
    CHECK_THAT(problem_of(options_of("energy_bf")),
               StartsWith("batsched's variant 'energy_bf' has no equivalent here, known: conservative_bf, "));
    CHECK(problem_of(options_of("submitter", "lcfs")) ==
          "variant submitter has the queue order fcfs only, found 'lcfs'");
    CHECK_THAT(problem_of(options_of("submitter", "fcfs", R"({"nb_jobs_to_submit": -1})")),
               Contains("expected a number that is not negative"));
    CHECK_THAT(problem_of(options_of("submitter", "fcfs",
                                     R"({"increase_jobs_duration": false, "send_profile_if_already_sent": true})")),
               Contains("\"send_profile_if_already_sent\": expected false, "));
    CHECK_THAT(problem_of(options_of("submitter", "fcfs", R"({"send_profiles_in_separate_event": false})")),
               Contains("expected true, "));
    CHECK(
        problem_of(options_of("easy_bf", "saf")) ==
        "unknown queue order 'saf', known: fcfs, lcfs, desc_bounded_slowdown, desc_slowdown, asc_size, desc_size, asc_walltime, desc_walltime");
    CHECK(problem_of(options_of("killer2", "lcfs")) == "variant killer2 has the queue order fcfs only, found 'lcfs'");
    CHECK_THAT(problem_of(options_of("filler", "fcfs", R"({"fraction_of_machines_to_use": 0.5})")),
               StartsWith("variant options: field \"fraction_of_machines_to_use\": expected 1, "));
    CHECK_THAT(problem_of(options_of("killer", "fcfs", R"({"delay_before_kill": -1})")), Contains("delay"));
    CHECK_THAT(problem_of(options_of("killer", "fcfs", R"({"nb_kills_per_job": -1})")),
               Contains("expected a number that is not negative"));
    CHECK(problem_of(options_of("filler", "fcfs", "[]")) == "variant options: expected a JSON object");
    CHECK_THAT(problem_of(options_of("filler", "fcfs", "{")), StartsWith("variant options: JSON at byte 1: "));
    BatschedOptions options;
    options.selection_policy = "random";
    CHECK(problem_of(options) == "unknown selection policy 'random', known: basic, contiguous");
    options = {};
    options.rjms_delay = "-1";
    CHECK_THAT(problem_of(options), StartsWith("rjms_delay: expected a number of seconds"));
}

TEST_CASE("A program that is called batsched takes batsched's options") {
    const Folder folder;
    const Outcome help = called_batsched(folder, {"--help"});
    CHECK(help.status == 0);
    CHECK_THAT(help.output, StartsWith("Usage: batfill batsched "));
    const Outcome version = called_batsched(folder, {"--version"});
    CHECK(version.status == 0);
    CHECK_THAT(version.output, Catch::Matchers::Matches("batfill [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    check_refused(called_batsched(folder, {"serve"}), 2);
    check_refused(called_batsched(folder, {"-v", "sleeper"}), 2);
    check_refused(called_batsched(folder, {"-v", "easy_bf", "-o", "none"}), 2);
    check_refused(called_batsched(folder, {"--selection_policy", "best"}), 2);
    check_refused(called_batsched(folder, {"--selection_policy", "best", "--policy", "basic"}), 2);
    check_refused(called_batsched(folder, {"--selection_policy", "contiguous", "--policy", "basic"}), 2);
    check_refused(called_batsched(folder, {"--socket_endpoint", "nowhere", "-s", "tcp://127.0.0.1:*"}), 2);
    const Outcome both = called_batsched(
        folder, {"--variant_options_filepath", folder.write("v.json", "{}"), "--variant_options", "{}"});
    check_refused(both, 2);
    CHECK_THAT(both.errors, Contains("say the same thing: give one of the two"));
    check_refused(called_batsched(folder, {"-d", "soon"}), 2);
    check_refused(called_batsched(folder, {"--verbosity", "loud"}), 2);
    check_refused(called_batsched(folder, {"--variant_options", "{"}), 2);
    check_refused(called_batsched(folder, {"--variant_options_filepath", folder.file("none.json")}), 1);
    check_refused(called_batsched(folder, {"--socket_endpoint", "nowhere"}), 2);
}

TEST_CASE("batsched schedules over a socket as the algorithm that stands for its variant does in the simulator") {
    const Folder folder;
    const std::string workload = folder.file("w.json");
    require_done(run(folder, {"generate", "lublin", "--jobs", "300", "--processors", "100", "--seed", "3", "--load",
                              "0.9", "-o", workload}));
    const std::string platform = std::string(BATFILL_SOURCE_DIR) + "/platforms/kth-sp2.xml";
    const std::string options = folder.write("options.json", R"({"delay_before_kill": 600})");
    const std::vector<std::pair<Arguments, Arguments>> pairs{
        {{"-v", "easy_bf", "-o", "asc_walltime", "-d", "60"},
         {"-a", "easy", "-P", "order=spf", "-P", "backfill-order=spf", "-P", "walltime-margin=60"}},
        {{"--variant", "conservative_bf", "--policy", "basic"},
         {"-a", "conservative", "-P", "compression=submission", "-P", "walltime-margin=5"}},
        {{"-v", "conservative_bf", "-o", "asc_size"},
         {"-a", "conservative", "-P", "compression=order", "-P", "order=sqf", "-P", "walltime-margin=5"}},
        {{"-v", "submitter", "--variant_options", R"({"nb_jobs_to_submit": 40})"},
         {"-a", "submitter", "-P", "jobs=40"}},
        {{"-v", "killer", "--variant_options_filepath", options, "--call_make_decisions_on_single_nop", "false"},
         {"-a", "killer", "-P", "delay=600"}},
    };
    for (const auto& [of_batsched, ours] : pairs) {
        INFO(of_batsched[1]);
        Process daemon(folder, with(of_batsched, {"-s", "tcp://127.0.0.1:*", "--verbosity", "info"}), {}, "",
                       "batsched");
        const std::string mark = "listening on ";
        const std::string log = daemon.wait_for_error_text(mark);
        const std::size_t from = log.find(mark) + mark.size();
        const std::string endpoint = log.substr(from, log.find('\n', from) - from);
        const std::string theirs = folder.file("theirs");
        require_done(run(folder, {"simulate", "-p", platform, "-w", workload, "-s", endpoint, "-e", theirs,
                                  "--enable-dynamic-jobs"}));
        CHECK(daemon.wait() == 0);
        require_done(run(folder, with({"simulate", "-p", platform, "-w", workload, "-e", folder.file("ours")}, ours)));
        const std::string jobs = contents(folder.file("theirs_jobs.csv"));
        const bool registers = of_batsched[1] == "submitter";
        CHECK(std::count(jobs.begin(), jobs.end(), '\n') == (registers ? 341 : 301));
        CHECK(jobs == contents(folder.file("ours_jobs.csv")));
    }
}

}  // namespace batfill::tests::batsched_test
