#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <batfill/formats/swf.hpp>

#include "src/support/calendar.hpp"

// Conditions on other jobs, as batch systems write them.
namespace batfill {

// What LoggedConditions::left_out says where no kind of the batch system is to blame.
namespace condition_rules {

inline constexpr const char* alternatives = "one of several is enough (?)";
inline constexpr const char* variable = "variable or command of a shell";
inline constexpr const char* unreadable = "unreadable";
inline constexpr const char* unreadable_begin = "begin that nobody can read";

}  // namespace condition_rules

// Reads the value of Slurm's --dependency: "afterok:12:13_2,after:14+5". `id` is that of the job that has it, for
// aftercorr. A number alone is afterany.
LoggedConditions conditions_of_slurm(std::string_view text, std::string_view id);

// The value of an option in a command of sbatch, salloc or srun, as the column SubmitLine has it. Empty if there is
// none. What follows the name of the script are options of the script.
enum class SubmitOption { dependency, begin, array };
std::string value_in(std::string_view submit_line, SubmitOption option);

// The instant of Slurm's --begin, such as "now+1hour", "16:00" or "2024-03-01T16:00", of a job that was submitted then,
// in UTC. None: nobody can read it.
std::optional<Duration> begin_of_slurm(std::string_view text, Duration submit, TimeZone& zone);

// The number behind % in Slurm's --array, "0-99%4", or in the id of what has not started of an array, "12_[3-9%4]". 0:
// there is none.
long long array_limit_in(std::string_view text);

// The array of a task, "12" of "12_3" and "12[]" of "12[3]". Empty for other ids.
std::string array_of(std::string_view id);

// Whether such a command asks for hosts that no other job uses, by --exclusive.
bool asks_for_whole_hosts(std::string_view submit_line);

// Reads the attribute `depend` of PBS and TORQUE: "afterok:12.server:13.server,afterany:14.server". Names of servers do
// not count.
LoggedConditions conditions_of_pbs(std::string_view text);

}  // namespace batfill
