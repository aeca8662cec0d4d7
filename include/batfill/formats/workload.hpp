#pragma once

#include <cstddef>
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

// The format of a workload: Batsim 4's or 5's. They differ in the names of profile types, and in where a job has its
// deadline, queue, user and licences: beside its other fields, or inside `extra_data`, because Batsim 5 passes on
// nothing else.
enum class WorkloadFormat { batsim4, batsim5 };

// What a job does when it runs. "Profile" is Batsim's word, not to be confused with the availability profile.
struct JobProfile {
    enum class Type {
        delay,                 // runs for `delay`, whatever the hosts
        parallel_homogeneous,  // `cpu` flops on each of its hosts, `com` bytes between each pair
        other,                 // everything else that Batsim knows; `simulate` refuses such jobs
    };
    Type type = Type::other;
    std::string type_name = {};  // as written, for messages
    Duration delay = {};
    double cpu = 0;
    double com = 0;
    int return_code = 0;      // `ret`: what the job returns if it ends in time; not 0: it has failed
    std::string source = {};  // the object in the file as compact JSON; empty unless requested
    WorkloadFormat format = WorkloadFormat::batsim4;  // the format of the type's name
};

// The seconds for which a parallel_homogeneous job without communication computes on `processors`. Each processor
// computes `cpu` flops, so the slowest decides.
// Requires: at least one processor.
// Cost: O(processors).
double computing_seconds(const Platform& platform, const JobProfile& profile, const ResourceSet& processors);

struct WorkloadJob {
    JobDescription description;  // id is "NAME!ID"
    SharedText source;           // the object in the file with `id` replaced, compact JSON; empty unless requested
};

// A Batsim workload.
struct Workload {
    std::string name;  // "w0", "w1", ...
    std::string path;
    int processors = 0;  // `nb_res`
    // `walltimes` is "believed": nothing stops a job at its walltime, which is only an estimate.
    bool believes_walltimes = false;
    std::vector<WorkloadJob> jobs;  // in the order of the file
    std::map<std::string, JobProfile> profiles;
    WorkloadFormat format = WorkloadFormat::batsim4;  // of the file, by its profiles, or for writing
    // How much more of an amount its jobs have than in the log that it was imported from, times their run times and as
    // a share: `more_than_log` is {"cores": 0.114}. Without amounts that have not grown by one per cent.
    std::vector<std::pair<std::string, double>> more_than_log{};
    std::optional<Origin> origin{};  // `origin`: when second 0 of its clock was; none: nobody knows

    // A copy without jobs and profiles.
    Workload without_jobs() const {
        return {name, path, processors, believes_walltimes, {}, {}, format, more_than_log, origin};
    }
};

// Drops conditions (StatedNeeds::after) on jobs that the workload does not have, from its jobs and their other fields:
// whoever takes a part of a workload lets them hold. Returns their number. Does not look at sources.
// Cost: O(jobs + conditions).
std::size_t drop_unknown_dependencies(Workload& workload);

// The job is submitted then. Its deadline and its begin keep their distances from its submission; a begin does not
// become less than 0.
void submit_at(JobDescription& job, Time submit);

// Reads a workload of either format (JSON, also gzipped). With `keep_source`, jobs and profiles keep their text, for an
// external scheduler that wants to see every field. Does not look into profiles of type `other`. A negative walltime
// counts as none, although Batsim 4 accepts only -1, and Batsim 5 not even that. Holds the text and the result in
// memory.
// Throws: InputError, which names file and job, for what Batsim would refuse:
// - missing or mistyped fields
// - duplicate ids and profile names
// - unknown profile types
// - ids with the workload's name or a zero byte
// - a walltime of 0
// and for a field `walltimes` that is neither "enforced" nor "believed", or an `origin` without a date.
// Cost: O(size of the file).
Workload read_workload(const std::string& path, const std::string& name, bool keep_source = false);

// Returns the text of a workload file, unpacked.
// Throws: InputError if it cannot be read or is larger than 2 GiB.
std::string read_workload_text(const std::string& path);

// As read_workload(), for such a text. `path` is used in error messages and as the result's `path`.
Workload parse_workload(std::string text, const std::string& path, const std::string& name, bool keep_source = false);

// Reads one profile, a JSON object as in a workload file, and keeps its source.
// Throws: InputError for whatever read_workload() refuses in a profile.
JobProfile parse_profile(std::string_view text);

// Writes a workload in its format to `path`: into a temporary file beside it, which is renamed when complete, and
// gzipped if the name ends in .gz. Writes
// - jobs in the given order, without the workload's name in their ids
// - times without needless zeros
// - optional fields only where they are set
// - profiles as their source; those without a source must be delays
// - in the format of Batsim 5, a job's deadline, queue, user, licences and other fields inside `extra_data`
// Throws: InputError
// - if the file cannot be written
// - if a profile is not a delay and was read in the other format
// - in the format of Batsim 4, for an id that Batsim 4 cannot load: with one of , ( ) | } " \ or a control character
void write_workload(const Workload& workload, const std::string& path);

}  // namespace batfill
