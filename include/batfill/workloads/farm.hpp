#pragma once

#include <cstdint>
#include <string>

#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

namespace batfill {

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

// Draws the farm, writes both files, which appear together, and returns it. Throws as generate_farm(), and InputError
// if a file cannot be written.
Farm write_farm(const FarmFiles& files);

}  // namespace batfill
