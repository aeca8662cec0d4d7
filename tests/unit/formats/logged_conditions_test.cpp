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

TEST_CASE("Conditions of PBS and TORQUE name kinds and jobs of servers") {
    CHECK(pbs("afterok:12.server:13.other.org,afterany:14") == "ok:12 ok:13 any:14");
    CHECK(pbs("after:12[3].server,afterokarray:15[].server,afterstartarray:16[]") == "start:12[3] ok:15[] start:16[]");
    CHECK(pbs("beforeok:12.server:13.server,on:2,afternotok:14,synccount:3") ==
          "(beforeok) (beforeok) (on) (afternotok) (synccount)");
    CHECK(pbs("later:12,afterok:,afterokarray:12[][4]") == "(unreadable) (unreadable) (unreadable)");
    CHECK(pbs("").empty());
}

}  // namespace batfill::tests::logged_conditions_test
