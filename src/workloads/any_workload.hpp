#pragma once

#include <string>
#include <vector>

#include <batfill/formats/swf.hpp>
#include <batfill/formats/workload.hpp>

#include "any_schedule.hpp"

// Workloads, or logs where a user gives a log.
namespace batfill {

// Whether the file is a log in the Standard Workload Format, by how it begins. False for a pipe, which could not be
// read again.
bool begins_as_log(const std::string& path);

// Whether the file is a workload in JSON, by how it begins. False for a pipe.
bool begins_as_workload(const std::string& path);

// The rules that dropped jobs, for messages: "5 (run time <= 0 or unknown), 2 (...)", or "none".
std::string reasons_of(const std::vector<RuleCount>& dropped);

// As read_workload_text(); for a log in the Standard Workload Format, the text of the workload that `batfill swf` makes
// of it without further options. `note` then hears what that dropped. Throws: InputError as read_workload_text() and
// read_swf(), and if no job of a log is kept.
std::string any_workload_text(const std::string& path, const Note& note);

// As read_workload() and read_workloads().
Workload read_any_workload(const std::string& path, const std::string& name, const Note& note,
                           bool keep_source = false);
std::vector<Workload> read_any_workloads(const std::vector<std::string>& paths, const Note& note,
                                         bool keep_source = false);

}  // namespace batfill
