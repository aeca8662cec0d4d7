#pragma once

#include <functional>
#include <string>
#include <vector>

#include <batfill/formats/workload.hpp>

// Workloads as users name them: files in Batsim's JSON, or logs in the Standard Workload Format.
namespace batfill {

// Hears what may surprise a user.
using Note = std::function<void(const std::string&)>;

// As read_workload_text(); for a log in the Standard Workload Format, the text of the workload that `batfill swf` makes
// of it without further options. `note` then hears what that dropped. Throws: InputError as read_workload_text() and
// read_swf(), and if no job of a log is kept.
std::string named_workload_text(const std::string& path, const Note& note);

// As read_workload().
Workload read_named_workload(const std::string& path, const std::string& name, const Note& note,
                             bool keep_source = false);
// As above, for several, which are named w0, w1, ... in the order given, as by Batsim.
std::vector<Workload> read_named_workloads(const std::vector<std::string>& paths, const Note& note,
                                           bool keep_source = false);

}  // namespace batfill
