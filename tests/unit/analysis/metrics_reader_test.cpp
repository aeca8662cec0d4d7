#include <cstddef>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/schedule.hpp>

#include "src/support/files.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::metrics_reader_test {

namespace {

const std::string header =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n";
const std::string good_line =
    "7,w0,p,10.5,3,20,1,COMPLETED_SUCCESSFULLY,12,5.000001,17.000001,1.5,6.500001,1.3,0-1 4,-1,\"\"\n";

Schedule parse(const std::string& text) {
    return read_schedule("run_jobs.csv", text);
}

std::string refusal(const std::string& text) {
    try {
        parse(text);
    } catch (const InputError& problem) {
        return problem.what();
    }
    return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("A jobs.csv of Batsim 1 or 2, or of evalys, is read") {
    const std::string old_header =
        "job_id,workload_name,submission_time,requested_number_of_processors,requested_time,success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,slowdown,stretch,consumed_energy,allocated_processors\n";
    const Schedule old = parse(old_header +
                               "1,w1,0,2,100,1,0,50,50,0,50,1,1,-1,0-1\n"
                               "2,w1,0,2,100,0,50,100,150,50,150,1.5,1.5,-1,0 1\n"
                               "3,w1,0,2,-1,0,150,10,160,150,160,16,16,-1,0 1\n");
    REQUIRE(old.jobs.size() == 3);
    CHECK(old.jobs[0].id == "w1!1");
    CHECK(old.jobs[0].state == JobState::completed_successfully);
    CHECK(old.jobs[1].state == JobState::completed_walltime_reached);
    CHECK(old.jobs[1].allocation.to_string() == "0-1");
    CHECK(old.jobs[2].state == JobState::completed_failed);
    CHECK(!old.jobs[2].walltime);
    const std::string oldest_header =
        "jobID,submission_time,requested_number_of_resources,requested_time,success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,allocated_resources\n";
    const Schedule oldest = parse(oldest_header +
                                  "7,0,2,100,True,0,50,50,0,50,0-1\n"
                                  "night!8,0,2,100,0,,,,,,\n");
    CHECK(oldest.jobs[0].id == "w0!7");
    CHECK(oldest.jobs[1].id == "night!8");
    CHECK(oldest.jobs[1].state == JobState::rejected);
    CHECK(refusal(oldest_header + ",0,2,100,1,0,50,50,0,50,0-1\n") == "run_jobs.csv:2: job_id is '', expected a name");
}

TEST_CASE("a line of a jobs.csv is read with exact times") {
    const Schedule schedule = parse(header + good_line);
    REQUIRE(schedule.jobs.size() == 1);
    const ScheduledJob& job = schedule.jobs[0];
    CHECK(job.id == "w0!7");
    CHECK(job.submit == Time::at(Duration::microseconds(10'500'000)));
    CHECK(job.processors == 3);
    CHECK(job.walltime == Duration::seconds(20));
    CHECK(job.success);
    CHECK(job.state == JobState::completed_successfully);
    CHECK(job.finished());
    REQUIRE(job.execution);
    CHECK(job.execution->start == Time::seconds(12));
    CHECK(job.execution->length == Duration::microseconds(5'000'001));
    CHECK(job.execution->finish == Time::at(Duration::microseconds(17'000'001)));
    CHECK(job.execution->wait == Duration::microseconds(1'500'000));
    CHECK(job.execution->turnaround == Duration::microseconds(6'500'001));
    CHECK(job.allocation == ResourceSet::parse("0-1 4"));
}

TEST_CASE("columns of a jobs.csv may come in any order, with others among them and line ends of any kind") {
    const std::string text =
        "note,finish_time,allocated_resources,turnaround_time,waiting_time,execution_time,starting_time,final_state,success,requested_time,requested_number_of_resources,submission_time,workload_name,job_id\r\n"
        "\"a, \"\"b\"\"\nc\",5,2,5,0,5,0,COMPLETED_WALLTIME_REACHED,0,5,1,0,w1,x\r\n"
        "\r\n"
        ",6,,1,0,1,5,COMPLETED_KILLED,0,-1,1,5,w1,y";
    const Schedule schedule = parse(text);
    REQUIRE(schedule.jobs.size() == 2);
    CHECK(schedule.jobs[0].id == "w1!x");
    CHECK(schedule.jobs[0].state == JobState::completed_walltime_reached);
    CHECK(schedule.jobs[1].id == "w1!y");
    CHECK(schedule.jobs[1].state == JobState::completed_killed);
    CHECK_FALSE(schedule.jobs[1].walltime);
    CHECK(schedule.jobs[1].allocation.empty());
    // The quoted line end and the empty line count.
    CHECK(refusal(replaced(text, "5,COMPLETED_KILLED", "z,COMPLETED_KILLED")) ==
          "run_jobs.csv:5: starting_time is 'z', expected a number of seconds");
}

TEST_CASE("names with commas, quotes, line ends and blanks read back as written, and plain names have no quotes") {
    const std::vector<std::string> awkward{
        "",   " ",   " a", "a ",       "\ta",   "a,b", "\"", "\"a\"", "a\"b",     "a\nb",   "a\r\nb",     "\n",
        "\r", "a\n", ",,", "\x1b[31m", "a\tb,", "'",   "#",  "a\x7f", "\xc2\x9b", "a\\\"b", "a\"\",\"b\n"};
    std::string text = schedule_csv_header();
    std::string guarantees = guarantees_csv_header();
    std::string broken = broken_guarantees_csv_header();
    for (const std::string& workload : awkward) {
        for (const std::string& id : awkward) {
            ScheduledJob job;
            job.id = workload + "!" + id;
            job.state = JobState::rejected;
            job.success = false;
            job.profile = workload;
            job.metadata = id;
            append_csv(job, text);
            append_csv(Guarantee{job.id, Time::seconds(1), std::nullopt}, guarantees);
            append_csv(BrokenGuarantee{job.id, Time(), Time::seconds(1), std::nullopt}, broken);
        }
    }
    const Schedule schedule = parse(text);
    const std::vector<Guarantee> as_read = read_guarantees("g.csv", guarantees);
    const std::vector<BrokenGuarantee> broken_as_read = read_broken_guarantees("b.csv", broken);
    REQUIRE(schedule.jobs.size() == awkward.size() * awkward.size());
    REQUIRE(as_read.size() == schedule.jobs.size());
    REQUIRE(broken_as_read.size() == schedule.jobs.size());
    for (std::size_t i = 0; i < schedule.jobs.size(); ++i) {
        const std::string id = awkward[i / awkward.size()] + "!" + awkward[i % awkward.size()];
        CHECK(schedule.jobs[i].id == id);
        CHECK(as_read[i].job_id == id);
        CHECK(broken_as_read[i].job_id == id);
    }

    for (const std::string plain : {"17", "a b", "7#1", "x'y", "\xc3\xa9", "a;b", "a\tb", "-"}) {
        std::string line;
        append_csv(Guarantee{"w0!" + plain, std::nullopt, std::nullopt}, line);
        CHECK(line == plain + ",,,w0\n");
    }
}

TEST_CASE("rejected and unfinished jobs have no times") {
    const Schedule schedule = parse(header + "1,w0,p,0,1,9,0,REJECTED,,,,,,,,,\"\"\n" +
                                    "2,w0,p,0,1,9,0,SUBMITTED,nan,nan,nan,nan,-nan,nan,,-1,\"\"\n" +
                                    "3,w0,p,0,1,9,0,RUNNING,4,nan,nan,4,nan,nan,0,-1,\"\"\n");
    REQUIRE(schedule.jobs.size() == 3);
    CHECK(schedule.jobs[0].state == JobState::rejected);
    CHECK(schedule.jobs[1].state == JobState::submitted);
    CHECK(schedule.jobs[2].state == JobState::running);
    for (const ScheduledJob& job : schedule.jobs) {
        CHECK_FALSE(job.execution);
        CHECK_FALSE(job.finished());
    }
}

TEST_CASE("the jobs.csv of Batsim 3 is read, whose unfinished jobs have -1 as times") {
    // As export_jobs_to_csv() of 3.0.0 and 3.1.0 writes them, with the columns of Batsim 4.
    const Schedule schedule = parse(
        header +
        "1,w0,p,10.000000,2,-1.000000,1,COMPLETED_SUCCESSFULLY,12.000000,5.000000,17.000000,2.000000,7.000000,1.400000,0-1,0.000000,\"\"\n"
        "2,w0,p,11.000000,9,8.000000,0,REJECTED,,,,,,,,,\"\"\n"
        "3,w0,p,12.000000,1,8.000000,0,NOT_SUBMITTED,-1.000000,-1.000000,-2.000000,-13.000000,-14.000000,14.000000,,-1.000000,\"\"\n");
    REQUIRE(schedule.jobs.size() == 3);
    CHECK(schedule.jobs[0].finished());
    CHECK(schedule.jobs[0].execution->wait == Duration::seconds(2));
    CHECK_FALSE(schedule.jobs[0].walltime);
    CHECK_FALSE(schedule.jobs[1].finished());
    CHECK_FALSE(schedule.jobs[2].finished());
}

TEST_CASE("an error in a jobs.csv names its line") {
    const std::string text = header + good_line;
    const std::string at = "run_jobs.csv:2: ";
    CHECK(refusal("") == "run_jobs.csv: empty, expected a jobs.csv with a line of column names");
    CHECK(refusal("job_id,workload_name\n") ==
          "run_jobs.csv:1: no column submission_time, expected a jobs.csv as Batsim 4 writes it");
    CHECK(refusal("job_id," + text) == "run_jobs.csv:1: column job_id twice");
    CHECK(refusal(header + "1,w0\n") == at + "2 fields, expected 17 as in the first line");
    CHECK(refusal(replaced(text, "7,w0", ",w0")) == at + "job_id is '', expected a name");
    CHECK(refusal(replaced(text, "10.5", "ten")) == at + "submission_time is 'ten', expected a number of seconds");
    CHECK(refusal(replaced(text, "10.5", "nan")) == at + "submission_time is 'nan', expected a number of seconds");
    CHECK(refusal(replaced(text, ",3,", ",3.5,")) ==
          at + "requested_number_of_resources is '3.5', expected a number of processors");
    CHECK(refusal(replaced(text, ",3,", ",-3,")) ==
          at + "requested_number_of_resources is '-3', expected a number of processors");
    CHECK(refusal(replaced(text, ",1,", ",yes,")) == at + "success is 'yes', expected 0 or 1");
    CHECK(
        refusal(replaced(text, "COMPLETED_SUCCESSFULLY", "DONE")) ==
        at +
            "final_state is 'DONE', expected one of NOT_SUBMITTED, SUBMITTED, RUNNING, COMPLETED_SUCCESSFULLY, COMPLETED_FAILED, COMPLETED_WALLTIME_REACHED, COMPLETED_KILLED, REJECTED");
    CHECK(refusal(replaced(text, "17.000001", "")) ==
          at + "COMPLETED_SUCCESSFULLY with 4 of the 5 times from starting_time to turnaround_time");
    CHECK(refusal(header + "1,w0,p,0,1,9,0,REJECTED,3,,,,,,,,\"\"\n") ==
          at + "REJECTED with 1 of the 5 times from starting_time to turnaround_time");
    CHECK(refusal(replaced(text, "0-1 4", "host1")) ==
          at + "allocated_resources is 'host1', expected host numbers like 0-3 7");
    CHECK(refusal(replaced(text, "\"\"", "\"")) == at + "misplaced or missing quote");
    CHECK(refusal(replaced(text, "\"\"", "\"a\"b")) == at + "misplaced or missing quote");
    CHECK(refusal(header + std::string(40 << 20, ',')) == at + "line too long");
    CHECK_THROWS_AS(read_schedule("/nonexistent/run_jobs.csv"), InputError);
    CHECK_THROWS_AS(read_schedule("/"), InputError);
}

TEST_CASE("damaged jobs.csv files are read or refused with one line") {
    std::mt19937 random(1);
    const std::string text = header + good_line + "1,w0,p,0,1,9,0,REJECTED,,,,,,,,,\"\"\n" + good_line;
    const std::string alphabet = "0123456789.,-\"\n\r\x01 eRn";
    std::size_t refused = 0;
    for (int round = 0; round < 5000; ++round) {
        std::string damaged = text;
        for (int change = 0; change < 3; ++change) {
            // Mostly damages lines after the header, because a damaged header is refused at once.
            const std::size_t place = header.size() / 2 + random() % (text.size() - header.size() / 2);
            damaged[place] = alphabet[random() % alphabet.size()];
        }
        const std::string problem = refusal(damaged);
        CHECK(problem.find('\n') == std::string::npos);
        refused += problem.empty() ? 0U : 1U;
    }
    CHECK(refused > 100);
    CHECK(refused < 5000);
}

TEST_CASE("a gzipped jobs.csv is read in pieces like the text") {
    std::string text = header;
    for (int i = 0; i < 5000; ++i) {
        text += replaced(good_line, "7", std::to_string(i));
    }
    const std::string path = (std::filesystem::temp_directory_path() /
                              ("batfill-reader-" + std::to_string(std::random_device()()) + ".csv.gz"))
                                 .string();
    OutputFile file(path);
    file.write(text);
    file.commit();
    const Schedule schedule = read_schedule(path);
    std::filesystem::remove(path);
    REQUIRE(schedule.jobs.size() == 5000);
    for (std::size_t i = 0; i < schedule.jobs.size(); ++i) {
        REQUIRE(schedule.jobs[i].id == "w0!" + std::to_string(i));
        REQUIRE(schedule.jobs[i].execution->length == Duration::microseconds(5'000'001));
    }
}

TEST_CASE("Only jobs that can have happened are taken, if the reader wants it") {
    const auto problem_of = [](const std::string& line) {
        try {
            read_schedule("run_jobs.csv", header + line, TakenJobs::possible);
        } catch (const InputError& problem) {
            return std::string(problem.what());
        }
        return std::string();
    };
    const std::string times = ",12,5.000001,17.000001,";
    CHECK(problem_of(good_line).empty());
    CHECK(problem_of(replaced(good_line, times, ",10.4995,5.000001,17.000001,")).empty());  // rounded by a program
    CHECK(problem_of(replaced(good_line, times, ",10.498,5.000001,17.000001,")) ==
          "run_jobs.csv:2: job w0!7 starts at 10.498, expected at or after its submission at 10.5");
    CHECK(problem_of(replaced(good_line, times, ",12,-5,17.000001,")) ==
          "run_jobs.csv:2: job w0!7 has an execution_time of -5, expected at least 0");
    CHECK(problem_of(replaced(good_line, times, ",12,5.000001,11.5,")) ==
          "run_jobs.csv:2: job w0!7 finishes at 11.5, expected at or after its start at 12");
    CHECK(problem_of(replaced(good_line, "1,COMPLETED_SUCCESSFULLY", "0,REJECTED")) ==
          "run_jobs.csv:2: job w0!7 is REJECTED and has times, expected none");
    // Nobody looks at the times of a job that has not finished.
    CHECK(problem_of(replaced(replaced(good_line, "1,COMPLETED_SUCCESSFULLY", "0,RUNNING"), times, ",12,-1,-1,"))
              .empty());
}

TEST_CASE("What Batsim 4 and 5 wrote can have happened") {
    std::size_t files = 0;
    for (const char* const folder : {"batsim/results", "batsim/found", "batsim5/out"}) {
        if (!tests::have_test_data(folder)) {
            return;
        }
        for (const auto& entry : std::filesystem::directory_iterator(tests::test_data(folder))) {
            const std::string path = entry.path().string();
            if (path.ends_with("jobs.csv") || path.ends_with("jobs.csv.gz")) {
                CAPTURE(path);
                CHECK(read_schedule(path, std::nullopt, TakenJobs::possible).jobs.size() ==
                      read_schedule(path).jobs.size());
                ++files;
            }
        }
    }
    CHECK(files > 20);
}

TEST_CASE("the words for final states can be read back") {
    for (const JobState state : {JobState::completed_successfully, JobState::completed_failed,
                                 JobState::completed_walltime_reached, JobState::completed_killed}) {
        const Schedule schedule = parse(header + replaced(good_line, "COMPLETED_SUCCESSFULLY", to_string(state)));
        CHECK(schedule.jobs.at(0).state == state);
    }
}

}  // namespace batfill::tests::metrics_reader_test
