#include <catch2/catch.hpp>

#include <batfill/engine/state.hpp>

namespace batfill::tests::job_fields_test {

TEST_CASE("Algorithms read fields of a job that batfill does not know") {
    JobDescription job;
    CHECK_FALSE(number_field(job, "gpus"));
    job.other_fields = R"("gpus":4,"account":"a\"b","share":0.5,"list":[1])";
    CHECK(number_field(job, "gpus") == 4);
    CHECK(number_field(job, "share") == 0.5);
    CHECK(text_field(job, "account") == "a\"b");
    CHECK_FALSE(number_field(job, "account"));
    CHECK_FALSE(text_field(job, "gpus"));
    CHECK_FALSE(number_field(job, "list"));
    CHECK_FALSE(number_field(job, "memory"));
}

}  // namespace batfill::tests::job_fields_test
