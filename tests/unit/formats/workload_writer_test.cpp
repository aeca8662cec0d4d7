#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/workload_writer.hpp"

namespace batfill::tests::workload_writer_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// A workload of one job, read as from a file. `id` is its id in JSON.
Workload workload_with(const std::string& id, WorkloadFormat format = WorkloadFormat::batsim4) {
    const std::string profile = format == WorkloadFormat::batsim4 ? "delay" : "DelayProfile";
    return parse_workload(R"({"nb_res":1,"jobs":[{"id":")" + id + R"(","subtime":0,"res":1,"profile":"p"}],)" +
                              R"("profiles":{"p":{"type":")" + profile + R"(","delay":1}}})",
                          "w.json", "w0");
}

// What writing the workload throws; empty: nothing.
std::string refusal_of(const Workload& workload) {
    try {
        text_of(workload);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("A workload for Batsim 4 is not written with an id that Batsim 4 cannot load, but read with it") {
    for (const std::string id :
         {"a,b", "a(b", "a)b", "a|b", "a}b", R"(a\"b)", R"(a\\b)", R"(a\tb)", R"(a\u0001b)", ",", "w0!a,b", "7[1,2]"}) {
        INFO(id);
        const Workload read = workload_with(id);
        CHECK_THAT(refusal_of(read), StartsWith("job \"w0!") && Contains("which Batsim 4 cannot load in an id") &&
                                         Contains("rename the job, or write the workload in the format batsim5"));
        CHECK_THROWS_AS(require_loadable_ids(read), InputError);
        const Workload newer = workload_with(id, WorkloadFormat::batsim5);
        CHECK(refusal_of(newer).empty());
        CHECK_NOTHROW(require_loadable_ids(newer));
    }
    CHECK_THAT(refusal_of(workload_with("12,3")), StartsWith(R"(job "w0!12,3": its id has ",", expected none of)"));
}

TEST_CASE("A workload for Batsim 4 is written with all ids that Batsim 4 can load") {
    for (const std::string id : {"1", "1234[7]", "a b", "a:b;c{", "w0!7", "é", "", "a'b", "a=b/c.d+e"}) {
        INFO(id);
        CHECK(refusal_of(workload_with(id)).empty());
    }
}

TEST_CASE("A workload of Batsim 4 that is written for Batsim 5 keeps its ids") {
    Workload workload = workload_with("a,b");
    workload.format = WorkloadFormat::batsim5;
    CHECK_THAT(text_of(workload), Contains(R"("id":"a,b")"));
}

}  // namespace batfill::tests::workload_writer_test
