#pragma once

#include <iosfwd>
#include <string>

#include <batfill/workloads/deadlines.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

// What commands print, and campaigns write down, of the workloads that they have made. The names are those of the
// outputs.
namespace batfill {

// As a table for people, or as JSON.
void print_conversion(const ConvertedLog& converted, bool as_json, std::ostream& out);
// How much the jobs had that do not fit on the machine. Empty: less than one per cent of the time of hosts.
std::string warning_of_misfits(const ConversionSummary& summary);
// What somebody who replays the workload must know of its conditions on other jobs. Empty: nothing.
std::string warning_of_conditions(const ConversionSummary& summary);
// Converts a log, prints what that dropped and kept, and returns it.
// Throws: as convert_log(), after printing if nothing is kept.
ConvertedLog convert_and_print(const LogConversion& request, bool as_json, std::ostream& out);

// `factor` is that of the rule as the user wrote it.
void print_drawn_deadlines(const DrawnDeadlines& drawn, Duration floor, const std::string& factor,
                           const std::string& name, std::ostream& out);
void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out);
// Says the options of the machine, too.
void print_shared_hosts(const Workload& workload, const SharedHostsModel& model, const std::string& name,
                        std::ostream& out);
void print_lublin_workload(const Workload& workload, const std::string& name, std::ostream& out);

}  // namespace batfill
