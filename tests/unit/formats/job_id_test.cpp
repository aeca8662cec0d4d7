#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/formats/job_id.hpp"

namespace batfill::tests::job_id_test {

TEST_CASE("Ids that a workload may have stay as they are") {
    for (const std::string id :
         {"", "1", "1234_5", "1234[7]", "1.batch", "job-17#2", "W0", "w1", "é", "a b", "a:b;c{"}) {
        CHECK(usable_id(id) == id);
    }
}

TEST_CASE("The name of the workload and characters that Batsim misreads are changed in an id") {
    using namespace std::string_literals;
    CHECK(usable_id("w0") == "w_0");
    CHECK(usable_id("w0xw00ww0") == "w_0xw_00ww_0");
    CHECK(usable_id("w0!7") == "w_0_7");
    CHECK(usable_id("a!b,c(d)e|f}g\"h\ti\\j\nk") == "a_b_c_d_e_f_g_h_i_j_k");
    CHECK(usable_id("a\0b"s) == "a_b");
    CHECK(usable_id("w!0") == "w_0");
}

TEST_CASE("Changed ids stay distinct from all others") {
    std::vector<std::string> ids{"a!b", "a_b", "a_b_2", "a,b", "w_0", "w0", "c"};
    CHECK(make_usable(ids) == 3);
    CHECK(ids == std::vector<std::string>{"a_b_3", "a_b", "a_b_2", "a_b_4", "w_0", "w_0_2", "c"});
    CHECK(make_usable(ids) == 0);
}

TEST_CASE("Equal ids stay equal when they are changed") {
    std::vector<std::string> ids{"a!b", "c", "a!b"};
    CHECK(make_usable(ids) == 2);
    CHECK(ids == std::vector<std::string>{"a_b", "c", "a_b"});
}

}  // namespace batfill::tests::job_id_test
