#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/core/error.hpp>
#include <batfill/core/job.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/workload.hpp>

#include "python/src/file_names.hpp"
#include "python/src/interpreter.hpp"

// What the sources of the extension module share.
namespace batfill::python {

namespace nb = nanobind;

// Each adds its functions and classes to the module.
void bind_errors(nb::module_& module);
void bind_workloads(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_runs(nb::module_& module);
void bind_comparisons(nb::module_& module);
void bind_campaigns(nb::module_& module);
void bind_rounds(nb::module_& module);
void bind_charts(nb::module_& module);
void bind_environments(nb::module_& module);

// The workload of a Python object, which never changes.
struct Jobs {
    std::shared_ptr<const Workload> workload;
};
Jobs keep(Workload workload);
// A copy with the jobs by submission; ties stay.
Workload by_submission(const Jobs& jobs);

// What a job says that it takes of each host in the column "per_host_gpus", and of a pool in "pool_power". None if it
// names no such amount, or if the column has another name.
std::optional<Amount> stated_amount(const JobDescription& job, std::string_view column);

// The place of the word among `words`. `name` is the keyword, for the error.
// Throws: UsageError.
std::size_t place_of(const std::string& word, const std::string& name, const std::vector<std::string>& words);

// The double nearest to the number of seconds: the one that its decimal text in a file denotes.
double seconds_of(Duration duration);
// NaN if there is none.
double seconds_or_nan(const std::optional<Duration>& duration);
// Reads a number of seconds, or a text with a unit such as "90d". `name` is the keyword, for the error.
// Throws: UsageError.
Duration duration_of(nb::handle value, const std::string& name);
// As above, and at least a microsecond.
Duration positive_duration_of(nb::handle value, const std::string& name);
// As above, for an instant on the simulated clock.
Time time_of(double seconds);

// A NumPy array that owns the values; they are not copied.
template <class Value>
nb::object array_of(std::vector<Value> values);

// The algorithm that asks the scheduler of a Python program: an instance of a class with the function decide(). With
// `copies`, each run gets a deep copy of it.
std::shared_ptr<const AlgorithmDescription> algorithm_of(const nb::object& scheduler, const std::string& name,
                                                         bool copies, const std::shared_ptr<Failure>& failure,
                                                         const std::shared_ptr<std::atomic<bool>>& stop);
// This algorithm with parameters; `scheduler` may also be a name, with parameters.
WrittenScheduler written_scheduler(const nb::object& scheduler, const std::string& name,
                                   const Parameters::Given& parameters, bool copies,
                                   const std::shared_ptr<Failure>& failure);

// Long work without the GIL, which an exception of Python code or a signal stops.
class Background {
 public:
    std::shared_ptr<Failure> failure = std::make_shared<Failure>();
    std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);

    // Throws: Interrupted if the work is to stop.
    void require_not_stopped() const;
    // Calls progress(done, total) of Python. If it raises an exception, stops the work.
    std::function<void(std::size_t, std::size_t)> reporting_to(const nb::object& progress) const;
    // Calls `call` as run_in_background() does.
    void run(const std::function<void()>& call);
    // As above, in the thread of the caller.
    void run_here(const std::function<void()>& call);
};

// As many threads as there are cores if `threads` is 0.
unsigned threads_of(unsigned threads);

// Calls `call` in a thread of its own, and looks for signals meanwhile. If Python raises an exception for one, such as
// KeyboardInterrupt, calls `stop`, which should make `call` return soon, and rethrows this exception after it.
// Requires: the GIL, which it releases.
void run_in_background(const std::function<void()>& call, const std::function<void(std::thread&)>& stop,
                       Failure& failure);

}  // namespace batfill::python
