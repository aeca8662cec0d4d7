#pragma once

#include <string>
#include <string_view>

#include <batfill/formats/swf.hpp>

// Conditions on other jobs, as batch systems write them.
namespace batfill {

// What LoggedConditions::left_out says where no kind of the batch system is to blame.
namespace condition_rules {

inline constexpr const char* alternatives = "one of several is enough (?)";
inline constexpr const char* variable = "variable or command of a shell";
inline constexpr const char* unreadable = "unreadable";

}  // namespace condition_rules

// Reads the value of Slurm's --dependency: "afterok:12:13_2,after:14+5". `id` is that of the job that has it, for
// aftercorr. A number alone is afterany.
LoggedConditions conditions_of_slurm(std::string_view text, std::string_view id);

// The value of --dependency in a command of sbatch, salloc or srun, as the column SubmitLine has it. Empty if there is
// none. What follows the name of the script are options of the script.
std::string dependency_in(std::string_view submit_line);

// Whether such a command asks for hosts that no other job uses, by --exclusive.
bool asks_for_whole_hosts(std::string_view submit_line);

// Reads the attribute `depend` of PBS and TORQUE: "afterok:12.server:13.server,afterany:14.server". Names of servers do
// not count.
LoggedConditions conditions_of_pbs(std::string_view text);

}  // namespace batfill
