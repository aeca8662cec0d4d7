#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

namespace batfill {

// The workload model of U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63(11), 2003, pp. 1105-1122.
struct LublinModel {
    // Which of the published sets of parameters to use. The model has batch and interactive jobs, each with a stream of
    // their own, and parameters for logs that do not distinguish them.
    enum class Jobs { batch, interactive, both, undivided };

    // The model has no estimates. The walltime is the run time times a factor, and never below the run time.
    enum class Estimates {
        modal,   // the factor is 1/u, u uniform in (0, 1]; then rounded up to a round value that users choose
        exact,   // the factor is 1
        factor,  // the factor is `estimate_factor`
    };

    Jobs kind = Jobs::batch;
    int jobs = 0;
    int processors = 0;
    std::uint64_t seed = 0;
    std::optional<double> load;  // none: as the model gives it
    Estimates estimates = Estimates::modal;
    double estimate_factor = 1;
};

// Generates a workload. Profiles are delays, times are whole seconds, time 0 is midnight, and jobs are in the order of
// submission. `load` scales the inter-arrival times before the daily cycle is applied: offered_load() is then as asked,
// up to the rounding of the last submission, and a day keeps its length. With Jobs::both, a job's `queue` says whether
// it is batch or interactive. The same model and seed give the same workload. `estimates` and `load` change neither
// sizes nor run times.
// Requires: 0 < jobs <= 10 million, processors > 0, load in [0.001, 1000], estimate_factor in [1, 1e6].
// Cost: O(n log n).
Workload generate_lublin(const LublinModel& model);

// A drawn workload, and the file that it goes to.
struct LublinFile {
    LublinModel model;
    WorkloadFormat format = WorkloadFormat::batsim4;
    std::string output;  // path
};

// Draws the workload, writes it and returns it.
// Throws: UsageError if it does not reach the model's load; InputError if the file cannot be written.
Workload write_lublin(const LublinFile& file);

// The work of all jobs divided by the capacity of the machine from time 0 to the last submission. The work of a job is
// its processors times its run time, at most its walltime. Infinite if the last submission is at time 0. The walltime
// limits the run time also in a workload that believes walltimes; scale_load() counts the whole run time there, so the
// two differ. Requires: delay profiles; processors > 0. Cost: O(n log n).
double offered_load(const Workload& workload);

// The random farms and streams of jobs of A. Techiouba, G. Capannini, R. Baraglia, D. Puppin, M. Pasquali and L. Ricci,
// "Backfilling Strategies for Scheduling Streams of Jobs on Computational Farms", CoreGRID Workshop 2007, section 7.
// The defaults are the paper's, except `speed` and what the paper does not say.
struct FarmModel {
    // All integers from `low` to `high` are equally likely.
    struct Range {
        int low = 0;
        int high = 0;
    };

    // With a margin of 30 s to 250 s, a job that must wait for another can hardly meet its deadline.
    enum class MarginUnit { seconds, percent_of_walltime };

    std::uint64_t seed = 0;
    int jobs = 1000;
    int machines = 100;
    int licenses = 20;
    Duration interarrival = Duration::seconds(12);  // mean of an exponential distribution
    Range run_time{500, 3000};                      // seconds
    Range job_processors{1, 8};
    Range machine_processors{1, 8};
    Range speed{1000, 4000};         // of each processor of a machine, in millions of operations per second
    Range license_ratio{50, 70};     // copies of a licence, as a percentage of the machines that can activate it
    int license_suitability = 90;    // per cent: probability that a machine can activate a licence
    int license_needs = 30;          // per cent: probability that a job needs a licence
    int without_deadline = 30;       // per cent: probability that a job has no deadline
    Range deadline_margin{30, 250};  // deadline = submission + walltime + margin
    MarginUnit margin_unit = MarginUnit::seconds;
    Decimal estimate_factor = Decimal::of(1);  // walltime = run time * this, rounded up to a second
};

// The limits of generate_farm(). The files of larger farms could not be read again.
inline constexpr int max_farm_jobs = 10'000'000;
inline constexpr int max_farm_processors = 100'000;  // machines * machine_processors.high
inline constexpr int max_farm_licenses = 1000;

struct Farm {
    Platform platform;
    Workload workload;
};

// Generates a farm and its jobs.
//
// The farm: hosts are processors with the properties `machine`, `speed` (operations per second) and `licenses`, unless
// there are none. The zone's property `licenses` gives the copies of each licence, at least one. Each pair of a licence
// and a machine is sampled: whether the machine can activate the licence.
//
// The jobs, in the order of submission: delays of whole seconds, of the same length on every machine. Each pair of a
// job and a licence is sampled: whether the job needs the licence. If no machine has the processors and licences of a
// job together, they are sampled again, so no job is rejected.
//
// The same model gives the same farm. Each attribute has its own random numbers: `interarrival` changes only the
// submissions and, by as much, the deadlines. No option of the jobs changes the farm. Of the farm's options, `speed`
// and `license_ratio` do not change the jobs.
//
// Requires:
// - jobs, machines and ranges within the maxima above
// - ranges with 1 <= low <= high, for the margin 0 <= low <= high
// - license_ratio at most 100,000; times and speeds at most a million
// - percentages in 0..100
// - interarrival above 0 and at most 1e6 s
// - estimate_factor >= 1
// Throws: UsageError if 10,000 samples in a row give a job that no machine could run.
// Cost: O(jobs * machines) at worst, without the jobs that are sampled again.
Farm generate_farm(const FarmModel& model);

// A drawn farm, and the files that it goes to.
struct FarmFiles {
    FarmModel model;
    WorkloadFormat format = WorkloadFormat::batsim4;
    std::string output;    // path of the workload
    std::string platform;  // path
};

// Draws the farm, writes both files, which appear together, and returns it.
// Throws: as generate_farm(), and InputError if a file cannot be written.
Farm write_farm(const FarmFiles& files);

// Jobs for hosts that they share: cores, GPUs and memory of each host. The shares are round numbers of the kind that
// PM100 has (F. Antici et al., "PM100: A Job Power Consumption Dataset of a Large-Scale Production HPC System", SC-W
// 2023); nothing is fitted to it.
struct SharedHostsModel {
    std::uint64_t seed = 0;
    int jobs = 0;
    int hosts = 1000;
    int cores = 32;            // of each host
    int gpus = 4;              // likewise
    int memory = 256;          // likewise
    double load = 0.9;         // offered, of the cores
    int whole_host_jobs = 15;  // per cent: probability that a job takes whole hosts
    int gpu_jobs = 30;         // per cent: probability that another one takes GPUs
    int wide_jobs = 20;        // per cent: probability that a job takes more than one host
    int widest = 64;           // hosts of a job; at most `hosts`
};

// The largest number of cores, GPUs or units of memory of a host.
inline constexpr int max_host_amount = 1'000'000;

// Samples the jobs, in the order of submission. Numbers of cores, of GPUs and of several hosts are powers of two, each
// equally likely; memory is uniform from half to twice a core's share, for each core. Run times are log-uniform from a
// minute to a day; walltimes are the run time / u, u uniform in (0, 1], rounded up to a round value that users choose,
// and at most two days. Inter-arrival times are exponential, scaled so that cores * run times, divided by all cores
// until the last submission, is the load. Times are whole seconds, profiles delays. Each attribute has its own random
// numbers. The same model gives the same workload.
// Requires: amounts in 1..max_host_amount, gpus from 0 on; jobs and hosts > 0; load > 0; percentages in 0..100.
// Throws: UsageError if all hosts together have 2^31 cores or more.
// Cost: O(n).
Workload generate_shared_hosts(const SharedHostsModel& model);

// What each host has, as --capacity takes it.
std::string capacity_of(const SharedHostsModel& model);

// The same jobs for a machine of equal processors: each requests its cores on all its hosts.
// Requires: a workload of generate_shared_hosts() of hosts with this many cores.
Workload counted_in_cores(const Workload& workload, int cores);

// A drawn workload, and the files that it goes to.
struct SharedHostsFiles {
    SharedHostsModel model;
    WorkloadFormat format = WorkloadFormat::batsim4;
    std::string output;                  // path
    std::optional<std::string> counted;  // path of counted_in_cores()
};

// Draws the workload, writes it and returns it.
// Throws: InputError if a file cannot be written.
Workload write_shared_hosts(const SharedHostsFiles& files);

// When the hosts of a machine fail and when they are repaired. A node is a number of neighbouring hosts. It is up and
// down in turn, for times that are sampled independently of each other and of other nodes.
struct FailureModel {
    // How lengths of time are distributed around their mean. With a Weibull shape below 1, a node that has just come
    // back is more likely to fail than one that has been up for long. Records of large machines show this (B. Schroeder
    // and G. A. Gibson, "A large-scale study of failures in high-performance computing systems", DSN 2006). Shape 1 is
    // the exponential distribution, where age does not matter.
    struct Lengths {
        Duration mean;
        double weibull_shape = 1;
    };

    int processors = 0;
    int processors_per_node = 1;  // the last node may be smaller
    Lengths time_to_failure;
    Lengths time_to_repair;
    Time until;  // nodes fail only before this, but may come back after it
    std::uint64_t seed = 0;
};

// Processors that are lost or return at one instant.
struct MachineEvent {
    Time time;
    bool available;
    ResourceSet processors;
    friend bool operator==(const MachineEvent&, const MachineEvent&) = default;
};

// Samples the events. Nodes are up at time 0, and each node that fails comes back. Times are whole seconds; each length
// is at least one. Events are sorted by time. At one instant there is at most one of each kind, the return first. The
// same model and seed give the same events. Those of a node do not depend on other nodes.
// Requires:
// - processors and processors_per_node > 0
// - means of at least a second
// - shapes in [0.1, 100]
// Cost: O(n log n) for n events.
std::vector<MachineEvent> generate_failures(const FailureModel& model);

// Appends the line of such an event in a Batsim events file, including its newline.
void append_json(const MachineEvent& event, std::string& out);

// Writes such a file. Throws: InputError, which names the file.
void write_events(const std::vector<MachineEvent>& events, const std::string& path);

// Windows that recur, such as a monthly maintenance.
struct WindowCalendar {
    Window each;  // but for its times
    Time first;   // begins the first of them
    Duration every;
    Duration length;
    std::optional<Duration> announced;  // before its beginning, at the earliest at time 0; none: all known from time 0
    Time until;                         // none begins at or after this
};

// The most windows of a calendar.
inline constexpr int max_windows = 1'000'000;

// Returns the windows, in the order of their beginnings.
// Requires: 0 <= first < until, 0 < length <= every, announced >= 0; at most max_windows.
// Cost: O(n).
std::vector<Window> generate_windows(const WindowCalendar& calendar);

}  // namespace batfill
