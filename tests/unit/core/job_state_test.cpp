#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/job.hpp>

namespace batfill::tests::job_state_test {

TEST_CASE("Each state of a job has Batsim's word, which is read as that state", "[job state]") {
    for (int number = 0; number <= static_cast<int>(JobState::rejected); ++number) {
        const auto state = static_cast<JobState>(number);
        CHECK(parse_job_state(to_string(state)) == state);
    }
    CHECK(to_string(JobState::not_submitted) == std::string("NOT_SUBMITTED"));
    CHECK(to_string(JobState::completed_walltime_reached) == std::string("COMPLETED_WALLTIME_REACHED"));
    CHECK(to_string(JobState::rejected) == std::string("REJECTED"));
    CHECK_FALSE(parse_job_state("FINISHED"));
    CHECK_FALSE(parse_job_state(""));
}

TEST_CASE("A job completes, is rejected, or is unfinished", "[job state]") {
    for (const JobState state : {JobState::not_submitted, JobState::submitted, JobState::running}) {
        CHECK(is_unfinished(state));
        CHECK_FALSE(has_completed(state));
    }
    for (const JobState state : {JobState::completed_successfully, JobState::completed_failed,
                                 JobState::completed_walltime_reached, JobState::completed_killed}) {
        CHECK(has_completed(state));
        CHECK_FALSE(is_unfinished(state));
    }
    CHECK_FALSE(has_completed(JobState::rejected));
    CHECK_FALSE(is_unfinished(JobState::rejected));
}

}  // namespace batfill::tests::job_state_test
