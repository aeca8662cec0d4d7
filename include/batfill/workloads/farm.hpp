#pragma once

#include <cstdint>
#include <string>

#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

namespace batfill {

// The random farms and streams of jobs of A. Techiouba, G. Capannini, R. Baraglia, D. Puppin, M. Pasquali and L. Ricci,
// "Backfilling Strategies for Scheduling Streams of Jobs on Computational Farms", CoreGRID Workshop 2007, section 7.
// The defaults are the paper's, but for `speed` and what it does not say.
struct FarmModel {
    // All integers from `low` to `high` are equally likely.
    struct Range {
        int low = 0;
        int high = 0;
    };

    // Margins of at least 30 s and at most 250 s leave a job that has to wait for another little hope.
    enum class MarginUnit { seconds, percent_of_walltime };

    std::uint64_t seed = 0;
    int jobs = 1000;
    int machines = 100;
    int licenses = 20;
    Duration interarrival = Duration::seconds(12);  // the mean; the times are exponentially distributed
    Range run_time{500, 3000};                      // seconds
    Range job_processors{1, 8};
    Range machine_processors{1, 8};
    Range speed{1000, 4000};         // of each processor of a machine, millions of operations per second
    Range license_ratio{50, 70};     // copies of a licence, per cent of the machines on which it can be activated
    int license_suitability = 90;    // per cent: that a licence can be activated on a machine
    int license_needs = 30;          // per cent: that a job needs a licence
    int without_deadline = 30;       // per cent: that a job has no deadline
    Range deadline_margin{30, 250};  // deadline = submission + walltime + margin
    MarginUnit margin_unit = MarginUnit::seconds;
    Decimal estimate_factor = Decimal::of(1);  // walltime = run time * this, rounded up to a second
};

// The most that generate_farm() makes: the files of larger farms could not be read again.
inline constexpr int max_farm_jobs = 10'000'000;
inline constexpr int max_farm_processors = 100'000;  // machines * machine_processors.high
inline constexpr int max_farm_licenses = 1000;

struct Farm {
    Platform platform;
    Workload workload;
};

// Draws a farm and its jobs.
//
// The farm: hosts are processors, with the properties `machine`, `speed` (operations per second) and, unless there are
// none, `licenses`; the zone has the property `licenses` with the copies of each, at least one. Whether a licence can
// be activated is drawn for each pair of a licence and a machine.
//
// The jobs, in the order of their submission: delays of whole seconds, which take their time on every machine. Whether
// a job needs a licence is drawn for each pair of a job and a licence. Processors and licences that no machine has
// together are drawn again, so that no job is rejected.
//
// The same model gives the same farm. Each attribute has draws of its own: `interarrival` changes nothing but the
// submissions, and the deadlines as much; no option of the jobs changes the farm; of the farm's options, `speed` and
// `license_ratio` change nothing of the jobs.
//
// Requires jobs, machines, ranges and the maxima above to be in their limits (1 <= low <= high, but 0 <= low for the
// margin; a license_ratio of at most 100,000; times and speeds of at most a million), per cents in 0..100, interarrival
// above 0 and at most 1e6 s, and estimate_factor >= 1. Throws UsageError if 10,000 draws in a row give a job that no
// machine could run. O(jobs * machines) at worst, but for those that are drawn again.
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
