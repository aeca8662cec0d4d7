#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <batfill/formats/workload.hpp>

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

// Draws the workload, writes it and returns it. Throws UsageError if it does not have the load that the model asks for,
// and InputError if the file cannot be written.
Workload write_lublin(const LublinFile& file);

// The work of all jobs (processors times run time, at most the walltime) divided by the capacity of the machine from
// time 0 to the last submission. Infinite if the last submission is at time 0.
// Requires: delay profiles; processors > 0.
// Cost: O(n log n).
double offered_load(const Workload& workload);

}  // namespace batfill
