#include <catch2/catch.hpp>

#include "src/support/text.hpp"

namespace batfill::tests::names_test {

TEST_CASE("A workload has the name of its file, without folder and ending") {
    CHECK(workload_name("weeks/sp2-01.json.gz") == "sp2-01");
    CHECK(workload_name("logs/SP2.swf.gz") == "SP2");
    CHECK(workload_name("HPC2N-2002-2.2-cln.swf") == "HPC2N-2002-2.2-cln");
    // Behind a point, there may be a number.
    CHECK(workload_name("sp2-0.9") == "sp2-0.9");
    CHECK(workload_name("sp2-0.9.gz") == "sp2-0.9");
    CHECK(workload_name("HPC2N-2002-2.2-cln") == "HPC2N-2002-2.2-cln");
    CHECK(workload_name("jobs.") == "jobs.");
    CHECK(workload_name("../jobs") == "jobs");
}

}  // namespace batfill::tests::names_test
