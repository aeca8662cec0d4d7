#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <batfill/formats/workload.hpp>

namespace batfill {

// The workload model of U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63(11), 2003, pp. 1105-1122.
struct LublinModel {
    // Which of the published sets of parameters is taken. The model knows batch and interactive jobs, each with a
    // stream of its own, and parameters for logs that do not tell the two apart.
    enum class Jobs { batch, interactive, both, undivided };

    // The model has no estimates; the walltime is the run time times a factor. It is never below the run time.
    enum class Estimates {
        modal,   // the factor is 1/u with u uniform in (0, 1]; then rounded up to a round value that users choose
        exact,   // the factor is 1
        factor,  // the factor is `estimate_factor`
    };

    Jobs kind = Jobs::batch;
    int jobs = 0;
    int processors = 0;
    std::uint64_t seed = 0;
    std::optional<double> load;  // none: what the model gives
    Estimates estimates = Estimates::modal;
    double estimate_factor = 1;
};

// Draws a workload. Its profiles are delays, its times are whole seconds, its time 0 is midnight, and its jobs are in
// the order of their submission. With `load`, the inter-arrival times are scaled before the daily cycle is laid over
// them, so that offered_load() comes out as asked, up to the rounding of the last submission, and the day keeps its
// length. With Jobs::both, a job's `queue` tells whether it is batch or interactive. The same model and seed give the
// same workload; `estimates` and `load` change neither sizes nor run times. Requires 0 < jobs <= 10 million, processors
// > 0, load in [0.001, 1000] and estimate_factor in [1, 1e6]. O(n log n).
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

// The work of all jobs (processors times the time they run, at most the walltime) divided by what the machine can do
// from time 0 to the last submission; infinite if the last submission is at time 0. Requires delay profiles and
// processors > 0. O(n log n).
double offered_load(const Workload& workload);

}  // namespace batfill
