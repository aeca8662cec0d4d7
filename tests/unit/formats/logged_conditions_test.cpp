#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/formats/logged_conditions.hpp"

// Conditions on other jobs, as Slurm and PBS write them.
namespace batfill::tests::logged_conditions_test {

namespace {

// "ok:12 any:13+60 (afternotok)"
std::string shown(const LoggedConditions& conditions) {
    std::string text;
    for (const Dependency& dependency : conditions.after) {
        text += (text.empty() ? "" : " ") + dependency.to_string();
    }
    for (const std::string kind : conditions.left_out) {
        text += (text.empty() ? "(" : " (") + kind + ")";
    }
    return text;
}

std::string slurm(const std::string& text, const std::string& id = "99") {
    return shown(conditions_of_slurm(text, id));
}

std::string pbs(const std::string& text) {
    return shown(conditions_of_pbs(text));
}

std::string dependency_in(std::string_view line) {
    return value_in(line, SubmitOption::dependency);
}

// 2024-03-01 13:00 in Berlin.
std::optional<Duration> begin(std::string_view text, const std::string& zone = "Europe/Berlin") {
    TimeZone time_zone(zone);
    const auto instant = begin_of_slurm(text, Duration::seconds(1709294400), time_zone);
    return instant ? std::optional(*instant - Duration::seconds(1709294400)) : std::nullopt;
}

}  // namespace

TEST_CASE("Conditions of Slurm name kinds and jobs") {
    CHECK(slurm("afterok:12") == "ok:12");
    CHECK(slurm("afterok:12:13_2:14,afterany:15, AFTER:16 ") == "ok:12 ok:13_2 ok:14 any:15 start:16");
    CHECK(slurm("after:12+5:13:14+0") == "start:12+300 start:13 start:14");
    CHECK(slurm("12") == "any:12");
    CHECK(slurm("12_3") == "any:12_3");
    CHECK(slurm("afterok:12+1,after:13+1+2") == "ok:12 start:13+120");
    CHECK(slurm("afterok:12_*(unfulfilled),afterany:13(fulfilled)") == "ok:12 any:13");
    for (const char* const none : {"", "0", "none", "(null)", " "}) {
        CHECK(slurm(none).empty());
    }
}

TEST_CASE("Conditions of Slurm without a counterpart are left out, one by one") {
    CHECK(slurm("afternotok:12:13,singleton") == "(afternotok) (afternotok) (singleton)");
    CHECK(slurm("afterburstbuffer:12,expand:13,afterok:14") == "ok:14 (afterburstbuffer) (expand)");
    CHECK(slurm("afterok:12:13?afternotok:14?singleton") ==
          "(one of several is enough (?)) (one of several is enough (?)) (one of several is enough (?)) "
          "(one of several is enough (?))");
    CHECK(slurm("afterok:$FIRST:12,$ALL,afterany:$(cat") ==
          "ok:12 (variable or command of a shell) (variable or command of a shell) (variable or command of a shell)");
    CHECK(slurm("afterok,later:12,afterok::12,after:12+x,afterok:12_[1-3],after:12+-1") ==
          "ok:12 (unreadable) (unreadable) (unreadable) (unreadable) (unreadable) (unreadable)");
}

TEST_CASE("aftercorr is a condition of a task on the task of its number") {
    CHECK(slurm("aftercorr:12:13", "14_7") == "ok:12_7 ok:13_7");
    CHECK(slurm("aftercorr:12", "14") == "(aftercorr)");
    CHECK(slurm("aftercorr:12_3", "14_7") == "(aftercorr)");
}

TEST_CASE("The dependency is found in the command that submitted a job") {
    CHECK(dependency_in("sbatch --dependency=afterok:12 job.sh") == "afterok:12");
    CHECK(dependency_in("sbatch -n 4 --exclusive --dependency afterok:12 job.sh") == "afterok:12");
    CHECK(dependency_in("sbatch -d afterok:12 job.sh") == "afterok:12");
    CHECK(dependency_in("/usr/bin/sbatch -Hdafterok:12 job.sh") == "afterok:12");
    CHECK(dependency_in("srun -l -d 'afterok:12' ./program") == "afterok:12");
    CHECK(dependency_in("sbatch  \"--dependency=afterok:12,singleton\"\t--job-name='a b' job.sh") ==
          "afterok:12,singleton");
    CHECK(dependency_in("sbatch --depend=afterok:12 job.sh") == "afterok:12");
    CHECK(dependency_in("sbatch --dependency=afterok:12 --dependency=afterok:13 job.sh") == "afterok:13");
    CHECK(dependency_in("sbatch -N 1 : -n 2 -d afterok:12 job.sh") == "afterok:12");
    CHECK(dependency_in("sbatch --wrap=sleep 5 --dependency=afterok:12") == "afterok:12");
    CHECK(dependency_in("sbatch --wrap \"sleep 5\" -d afterok:12") == "afterok:12");
}

TEST_CASE("Options of the script, of the wrapped command and others are no dependency") {
    CHECK(dependency_in("").empty());
    CHECK(dependency_in("sbatch").empty());
    CHECK(dependency_in("sbatch job.sh --dependency=afterok:12").empty());
    CHECK(dependency_in("sbatch --hold job.sh -d afterok:12").empty());
    CHECK(dependency_in("sbatch -- --dependency=afterok:12").empty());
    CHECK(dependency_in("sbatch --deadline=2024-01-01 --delay-boot=5 -D /tmp job.sh").empty());
    CHECK(dependency_in("sbatch --comment=--dependency=afterok:12 job.sh").empty());
    CHECK(dependency_in("sbatch --wrap=date -d tomorrow").empty());
    CHECK(dependency_in("sbatch --wrap=sbatch --dependency=afterok:12 job.sh").empty());
    CHECK(dependency_in("sbatch --dependency").empty());
}

TEST_CASE("A begin is read as Slurm reads it, in the time zone of the log") {
    const auto seconds = [](long long number) { return std::optional(Duration::seconds(number)); };
    CHECK(begin("now") == seconds(0));
    CHECK(begin("now+90") == seconds(90));
    CHECK(begin("now+90seconds") == seconds(90));
    CHECK(begin("now+2min") == seconds(120));
    CHECK(begin("now+1Hour") == seconds(3600));
    CHECK(begin("now+1day") == seconds(86400));
    CHECK(begin("now+2weeks") == seconds(1209600));
    CHECK(begin("16:00") == seconds(3 * 3600));
    CHECK(begin("12:00") == seconds(23 * 3600));
    CHECK(begin("4:00PM") == seconds(3 * 3600));
    CHECK(begin("4:00 pm") == seconds(3 * 3600));
    CHECK(begin("noon") == seconds(23 * 3600));
    CHECK(begin("midnight") == seconds(11 * 3600));
    CHECK(begin("teatime") == seconds(3 * 3600));
    CHECK(begin("today") == seconds(-13 * 3600));
    CHECK(begin("tomorrow") == seconds(11 * 3600));
    CHECK(begin("2024-03-02") == seconds(11 * 3600));
    CHECK(begin("2024-03-01T14:30") == seconds(5400));
    CHECK(begin("2024-03-01T14:30:30", "UTC") == seconds(9030));
    CHECK(begin("03/01/2024 14:30") == seconds(5400));
    for (const char* const wrong : {"", "soon", "now+", "now-5", "now+5years", "now+99999999999", "now+-1", "25:00"}) {
        CHECK_FALSE(begin(wrong));
    }
}

TEST_CASE("Begin and array are found in the command that submitted a job") {
    CHECK(value_in("sbatch --begin=now+1hour job.sh", SubmitOption::begin) == "now+1hour");
    CHECK(value_in("sbatch -b 16:00 job.sh", SubmitOption::begin) == "16:00");
    CHECK(value_in("sbatch --bb=x --bell -n 2 job.sh -b 16:00", SubmitOption::begin).empty());
    CHECK(value_in("sbatch --wrap=run --begin 5", SubmitOption::begin).empty());
    CHECK(value_in("sbatch --wrap=run --begin=now+5", SubmitOption::begin) == "now+5");
    CHECK(value_in("sbatch -A bio -a 0-99%4 job.sh", SubmitOption::array) == "0-99%4");
    CHECK(value_in("sbatch --account=bio --array 0-99%4 job.sh --array=1%2", SubmitOption::array) == "0-99%4");
    CHECK(array_limit_in("0-99%4") == 4);
    CHECK(array_limit_in("12_[3-9%40]") == 40);
    for (const char* const without : {"", "0-99", "0-99%", "0-99%x", "0-99%-1", "%99999999999999999999"}) {
        CHECK(array_limit_in(without) == 0);
    }
    CHECK(array_of("12_3") == "12");
    CHECK(array_of("12[3]") == "12[]");
    for (const char* const other : {"12", "12_", "a_3", "12_3x", "12[]", "_3", "12+1"}) {
        CHECK(array_of(other).empty());
    }
}

TEST_CASE("Conditions of PBS and TORQUE name kinds and jobs of servers") {
    CHECK(pbs("afterok:12.server:13.other.org,afterany:14") == "ok:12 ok:13 any:14");
    CHECK(pbs("after:12[3].server,afterokarray:15[].server,afterstartarray:16[]") == "start:12[3] ok:15[] start:16[]");
    CHECK(pbs("beforeok:12.server:13.server,on:2,afternotok:14,synccount:3") ==
          "(beforeok) (beforeok) (on) (afternotok) (synccount)");
    CHECK(pbs("later:12,afterok:,afterokarray:12[][4]") == "(unreadable) (unreadable) (unreadable)");
    CHECK(pbs("").empty());
}

}  // namespace batfill::tests::logged_conditions_test
