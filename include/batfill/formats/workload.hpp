#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill {

// In which of Batsim's formats a workload is written. They differ in the names of profile types, and in where a job has
// its deadline, queue, user and licences: beside its other fields, or inside `extra_data`, as Batsim 5 passes nothing
// else on.
enum class WorkloadFormat { batsim4, batsim5 };

// What a job does when it runs (Batsim's word is "profile", not to be confused with the availability profile).
struct JobProfile {
    enum class Type {
        delay,                 // runs for `delay`, whatever the hosts
        parallel_homogeneous,  // `cpu` flops on each of its hosts, `com` bytes between each pair
        other,                 // everything else that Batsim knows; `simulate` refuses jobs that have it
    };
    Type type = Type::other;
    std::string type_name;  // as written, for messages
    Duration delay;
    double cpu = 0;
    double com = 0;
    int return_code = 0;  // `ret`: what a job that ends in time returns; it has failed if this is not 0
    std::string source;   // the object of the file as compact JSON; empty unless asked for
    WorkloadFormat format = WorkloadFormat::batsim4;  // whose name the type has
};

// For how many seconds a parallel_homogeneous job that does not communicate computes on `processors`: each of them
// computes `cpu` flops, so the slowest decides. Requires at least one processor. O(processors).
double computing_seconds(const Platform& platform, const JobProfile& profile, const ResourceSet& processors);

struct WorkloadJob {
    JobDescription description;  // id is "NAME!ID"
    SharedText source;           // the object of the file with `id` replaced, compact JSON; empty unless asked for
};

// A workload of Batsim.
struct Workload {
    std::string name;  // "w0", "w1", ...
    std::string path;
    int processors = 0;             // `nb_res`
    std::vector<WorkloadJob> jobs;  // in the order of the file
    std::map<std::string, JobProfile> profiles;
    WorkloadFormat format = WorkloadFormat::batsim4;  // of the file, by its profiles, or to be written
};

// Reads a workload of either format (JSON, also gzipped). With `keep_source`, jobs and profiles carry their text, for
// an external scheduler that wants to see every field. Throws InputError naming file and job for what Batsim would
// refuse: missing or mistyped fields, duplicate ids and profile names, profile types that it does not know, ids that
// contain the workload's name or a zero byte, a walltime of 0. A negative walltime counts as none, though Batsim 4
// accepts only -1 and Batsim 5 not even that. What is inside profiles of type `other` is not looked at. Holds the text
// and the result in memory. O(size of the file).
Workload read_workload(const std::string& path, const std::string& name, bool keep_source = false);

// Returns the text of a workload's file, unpacked. Throws InputError if it cannot be read or is larger than 2 GiB.
std::string read_workload_text(const std::string& path);

// The same as read_workload() for such a text; `path` only serves error messages and the result's `path`.
Workload parse_workload(std::string_view text, const std::string& path, const std::string& name,
                        bool keep_source = false);

// Reads one profile, a JSON object as in the file of a workload, and keeps its source. Throws InputError for what
// read_workload() refuses of one.
JobProfile parse_profile(std::string_view text);

// Writes a workload in its format to `path` (a temporary file beside it, renamed when complete; gzipped if the name
// ends in .gz). Jobs are written in the given order and without the workload's name in their ids, times without
// needless zeros, optional fields only where they are set, and profiles as their source says. Profiles without a source
// must be delays. In the format of Batsim 5, jobs with a source keep all other fields of that, too, inside
// `extra_data`. Throws InputError if the file cannot be written, or has a profile that is no delay and was read in the
// other format.
void write_workload(const Workload& workload, const std::string& path);

}  // namespace batfill
