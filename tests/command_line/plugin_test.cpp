#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/version.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::plugin_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

std::string plugin(const std::string& name) {
    return BATFILL_PLUGINS "/" + name + ".so";
}

const std::string this_version = batfill::interface_version;

}  // namespace

TEST_CASE("an algorithm of a plugin is listed, simulated, compared and tuned as those of the library are") {
    const Folder folder;
    const std::string platform = folder.write(
        "p.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"None\"><host id=\"master_host\" speed=\"1Gf\"/><host id=\"h0\" speed=\"1Gf\"/><host id=\"h1\" speed=\"1Gf\"/></zone></platform>\n");
    // The second job waits for the first. The third overtakes it.
    const std::string workload =
        folder.write("w.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                               R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"},)"
                               R"({"id":"2","subtime":1,"res":2,"walltime":30,"profile":"p"},)"
                               R"({"id":"3","subtime":2,"res":1,"walltime":99,"profile":"p"}]})");
    const std::string first_fit = plugin("first_fit");

    const Outcome listed = run(folder, {"algorithms", "--plugin", first_fit});
    CHECK(listed.status == 0);
    CHECK_THAT(listed.output, Contains("\nexample-first-fit\n    starts every job that fits\n"));

    const Outcome simulated = run(folder, {"simulate", "-p", platform, "-w", workload, "-e", folder.file("out"),
                                           "--plugin", first_fit, "-a", "example-first-fit"});
    CHECK(simulated.errors.empty());
    CHECK(simulated.status == 0);
    CHECK_THAT(contents(folder.file("out_jobs.csv")),
               Contains("\n3,w0,p,2.000000,1,99.000000,1,COMPLETED_SUCCESSFULLY,2.000000,"));

    const Outcome explained = run(folder, {"simulate", "-q", "-p", platform, "-w", workload, "-e", folder.file("out"),
                                           "--plugin", first_fit, "-a", "example-first-fit", "--explain", "2"});
    CHECK_THAT(explained.output, Contains("The algorithm says: first fit: the jobs before it do not matter.\n"));

    // It counts processors, and says nothing else.
    check_refused(
        run(folder, {"simulate", "-p", platform, "--pool", "power=1", "-w", workload, "-e", folder.file("out"),
                     "--plugin", first_fit, "-a", "example-first-fit"}),
        2,
        "algorithm example-first-fit: not for machines with pools, capacities, partitions, windows or limits: it does "
        "not declare understands_resources()");

    const Outcome compared =
        run(folder, {"compare", "example-first-fit", "fcfs", "-p", platform, "-w", workload, "--plugin", first_fit});
    CHECK(compared.status == 0);
    CHECK_THAT(compared.output, Contains("example-first-fit"));

    // It has no orders, which is known only after it is loaded.
    check_refused(run(folder, {"tune", "-p", platform, "-w", workload, "-o", folder.file("tuned"), "-a",
                               "example-first-fit", "--plugin", first_fit}),
                  2);
    const Outcome tuned = run(folder, {"tune", "-p", platform, "-w", workload, "-o", folder.file("tuned"), "-a",
                                       "example-first-fit", "--plugin", first_fit});
    CHECK_THAT(tuned.errors, Contains("algorithm example-first-fit has no parameter"));

    check_refused(run(folder, {"serve", "--plugin", first_fit, "-a", "example-first-fit", "-P", "some=thing"}), 2,
                  "algorithm example-first-fit has no parameter 'some'");
}

TEST_CASE("a file that is no plugin for this program is refused, and the line says which and why") {
    const Folder folder;
    const auto refused = [&](const std::string& path, const std::string& why) {
        const Outcome outcome = run(folder, {"algorithms", "--plugin", path});
        check_refused(outcome, 1);
        CHECK_THAT(outcome.errors, Contains(path));
        CHECK_THAT(outcome.errors, EndsWith(why + "\n"));
    };
    refused(folder.file("none.so"), "No such file or directory");
    refused(folder.write("text.so", "This is a text, and longer than the header of a shared object would be: 64.\n"),
            "it is not a shared object");
    refused(folder.write("empty.so", ""), "it is not a shared object");
    refused(plugin("no_algorithm"), "it registers no algorithm");
    refused(plugin("taken_name"), "there is an algorithm of the name easy already");
    refused(plugin("undefined"), "undefined symbol: _Z19nobody_defines_thisv");
    const std::string versions =
        "it was built for version 0.99 of batfill's interface, and this is version " + this_version;
    refused(plugin("other_version"), versions);
    refused(plugin("linked_with_other_version"), versions);
}

TEST_CASE("a plugin that is given twice is refused") {
    const Folder folder;
    const Outcome outcome =
        run(folder, {"algorithms", "--plugin", plugin("first_fit"), "--plugin", plugin("first_fit")});
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, EndsWith("it is loaded already\n"));
}

TEST_CASE("an algorithm of a plugin that fails gives one clean line that names it, with status 1 and no results") {
    const Folder folder;
    const std::string workload =
        folder.write("w.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                               R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"}]})");
    const auto check_fails = [&](const std::string& algorithm, const std::string& line) {
        CAPTURE(algorithm);
        const Outcome outcome = run(folder, {"simulate", "-q", "-p", "1", "-w", workload, "-e", folder.file("out"),
                                             "--plugin", plugin("misbehaved"), "-a", algorithm});
        check_refused(outcome, 1);
        CHECK(outcome.errors == "batfill: " + line + "\n");
        CHECK_FALSE(std::filesystem::exists(folder.file("out_jobs.csv")));
    };
    check_fails("throws-text", R"(algorithm throws-text fails: two\nlines \u001B[31mred)");
    check_fails("throws-number", "algorithm throws-number fails: it throws something other than a std::exception");
    check_fails("none", "algorithm none fails: the function that makes it returns none");
    check_fails("not-made", "algorithm not-made fails: it throws something other than a std::exception");
    check_fails("exits", "something has ended the program before its work was done, most likely a plugin (exit)");
    check_refused(
        run(folder, {"compare", "throws-number", "-p", "1", "-w", workload, "--plugin", plugin("misbehaved")}), 1,
        "algorithm throws-number fails: ");
}

TEST_CASE("a shared object with a missing part is refused") {
    const Folder folder;
    const std::string whole = contents(plugin("first_fit"));
    for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{4096}, std::size_t{100}}) {
        CAPTURE(size);
        const Outcome outcome = run(folder, {"algorithms", "--plugin", folder.write("cut.so", whole.substr(0, size))});
        check_refused(outcome, 1);
        CHECK_THAT(outcome.errors, EndsWith("cut.so: it is a shared object of which a part is missing\n"));
    }
}

}  // namespace batfill::tests::plugin_test
