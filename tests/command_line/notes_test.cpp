#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"

// The notes on what may surprise: each command that replays gives the same.
namespace batfill::tests::notes_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string fields =
    "batfill: note: jobs ask for gpus and dependency, which no algorithm of batfill looks at; they look at "
    "per_host, pools, partition and after, which import --fields makes\n";
const std::string licenses = "batfill: note: jobs ask for licences, which only placement=machine looks at\n";
const std::string computes =
    "batfill: note: jobs compute (parallel_homogeneous): Batsim may start jobs at other times, and end them in other states\n";

struct Inputs {
    Folder folder;
    std::string platform = folder.write(
        "farm.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\"><prop id=\"licenses\" value=\"cfd:1\"/>"
        "<host id=\"master_host\" coordinates=\"0 0 0\" speed=\"1Gf\"/><host id=\"h0\" coordinates=\"0 0 0\" speed=\"1Gf\">"
        "<prop id=\"machine\" value=\"m\"/><prop id=\"licenses\" value=\"cfd\"/></host></zone></platform>\n");
    std::string workload = folder.write(
        "w.json",
        R"({"nb_res":1,"profiles":{"p":{"type":"parallel_homogeneous","cpu":1e10,"com":0}},"jobs":[)"
        R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p","gpus":1,"licenses":["cfd"],"dependency":"x"}]})");

    Outcome compare(const std::string& scheduler) const {
        return run(folder, {"compare", scheduler, "-w", workload, "-p", platform});
    }
    Outcome campaign(const std::string& scheduler) const {
        return run(folder, {"campaign",
                            folder.write("c.yaml", "workloads: [{workload: " + workload + ", name: w}]\nmachines: [" +
                                                       platform + "]\nschedulers: [" + scheduler + "]\n"),
                            "-o", folder.file("out")});
    }
};

}  // namespace

TEST_CASE(
    "A note names the fields of jobs that only another algorithm reads, and slurm refuses what it does not know") {
    const Inputs inputs;
    const std::string tasks = inputs.folder.write(
        "tasks.json",
        R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[)"
        R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p","tasks":2,"nice":3,"whole":false}]})");
    const auto simulate = [&](const std::string& algorithm, const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"simulate", "-q", "-a", algorithm, "-w",
                                       tasks,      "-p", "1",  "-o",      inputs.folder.file("out")};
        words.insert(words.end(), more.begin(), more.end());
        return run(inputs.folder, words).errors;
    };
    CHECK(simulate("easy") == "batfill: note: jobs have the fields nice and tasks, which only algorithm slurm reads\n");
    CHECK(simulate("slurm").empty());
    const std::string events =
        inputs.folder.write("events.txt", R"({"timestamp":5,"type":"event_machine_unavailable","resources":"0"})");
    CHECK(simulate("slurm", {"--events", events}) ==
          "batfill: algorithm slurm: it does not know external events, expected no --events\n");
    CHECK_THAT(simulate("slurm,walltime-margin=5"), Contains("algorithm slurm has no parameter 'walltime-margin'"));
}

TEST_CASE("A note says what another version of Slurm changes, once") {
    const Inputs inputs;
    const std::string workload =
        inputs.folder.write("w.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":1}},)"
                                      R"("jobs":[{"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"}]})");
    const std::string note = "batfill: note: algorithm slurm: version=26.11 rounds ends in the table of backfill up, ";
    const auto errors = [&](const std::vector<std::string>& words) { return run(inputs.folder, words).errors; };
    const auto simulate = [&](const std::string& algorithm) {
        return errors({"simulate", "-q", "-a", algorithm, "-w", workload, "-p", "1", "-o", inputs.folder.file("out")});
    };
    const std::string noted = simulate("slurm,version=26.11");
    CHECK_THAT(noted, StartsWith(note));
    CHECK(noted.find('\n') == noted.size() - 1);
    CHECK(simulate("slurm,version=22.05").empty());
    CHECK(errors({"compare", "slurm", "slurm,version=26.11", "slurm,version=26.11,bf-window=2d", "-w", workload, "-p",
                  "1"}) == noted);
    const std::string campaign =
        inputs.folder.write("c.yaml", "workloads: [{workload: " + workload +
                                          ", name: w}]\nmachines: [1]\nschedulers: [slurm, \"slurm,version=26.11\"]\n");
    CHECK_THAT(errors({"campaign", campaign, "-o", inputs.folder.file("runs")}), Contains(noted));
}

TEST_CASE("compare and campaign note what simulate notes: fields, licences and computations") {
    const Inputs inputs;
    const Outcome simulated = run(inputs.folder, {"simulate", "-q", "-a", "easy", "-w", inputs.workload, "-p",
                                                  inputs.platform, "-o", inputs.folder.file("easy")});
    CHECK(simulated.errors == fields + licenses + computes);
    CHECK(inputs.compare("easy").errors == fields + licenses + computes);
    CHECK_THAT(inputs.campaign("easy").errors, Contains(fields + licenses + computes));
    // A job that asks for nothing is no news; a machine without licences is.
    const std::string nothing = inputs.folder.write(
        "nothing.json",
        R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[{"id":"1","subtime":0,"res":1,"walltime":30,)"
        R"("profile":"p","gpus":0,"memory":null,"dependency":"","licenses":["cfd"]}]})");
    CHECK(run(inputs.folder, {"simulate", "-q", "-a", "easy", "-w", nothing, "-p", "1", "-o", inputs.folder.file("n")})
              .errors == licenses);
    CHECK(inputs.compare("easy,placement=machine").errors == fields + computes);
    CHECK_THAT(inputs.campaign("{algorithm: easy, placement: machine}").errors,
               Contains(fields + computes) && !Contains(licenses));
}

TEST_CASE("A note on a field does not depend on braces in texts") {
    const Folder folder;
    for (const std::string name : {"x", "{x}", "}", R"(\"gpus\":)"}) {
        const std::string workload = folder.write(
            "w.json",
            R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[{"id":"b","subtime":0,"res":1,)"
            R"("walltime":100,"profile":"p","per_host":{"cores":1},"name":")" +
                name + R"(","gpus":2}]})");
        CHECK_THAT(run(folder, {"simulate", "-p", "2", "--capacity", "cores:2", "-w", workload, "-e", folder.file("o"),
                                "-a", "easy"})
                       .errors,
                   Contains("gpus"));
    }
}

TEST_CASE("A dependency in text is not looked at, what a job waits for is") {
    const Inputs inputs;
    const auto notes = [&](const std::string& second) {
        const std::string job = R"("subtime":0,"res":1,"walltime":30,"profile":"p")";
        const std::string workload = inputs.folder.write(
            "after.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[{"id":"1",)" + job +
                              R"(},{"id":"2",)" + job + second + "}]}");
        return run(inputs.folder,
                   {"simulate", "-q", "-a", "easy", "-w", workload, "-p", "1", "-e", inputs.folder.file("n")})
            .errors;
    };
    const std::string text = R"(,"dependency":"afterok:1")";
    CHECK(notes(text) ==
          "batfill: note: jobs ask for dependency, which no algorithm of batfill looks at; they look at after, which "
          "import --fields makes\n");
    CHECK(notes(R"(,"after":["ok:1"])").empty());
    CHECK(notes(text + R"(,"after":["ok:1"])").empty());
    CHECK(notes(text + R"(,"after":["ok:1"]},{"id":"3","subtime":0,"res":1,"walltime":30,"profile":"p")" + text) ==
          "batfill: note: some jobs have a dependency but no after, as other jobs do; they wait for no other job\n");
}

}  // namespace batfill::tests::notes_test
