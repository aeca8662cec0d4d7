#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>
#include <batfill/replay/replay.hpp>

#include "bindings.hpp"
#include "src/environments/pick.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"

namespace batfill::python {

namespace {

using environments::features_of_job;
using environments::features_of_machine;
using environments::PickEnvironment;
using environments::PickOptions;

// What episodes are replays of: whole workloads, or windows of so many consecutive jobs of one workload.
class Episodes {
 public:
    Episodes(const std::vector<Jobs>& workloads, const std::optional<std::string>& platform,
             std::optional<std::size_t> window)
        : window_(window) {
        for (const Jobs& jobs : workloads) {
            Workload workload = by_submission(jobs);
            platform_ = platform ? named_platform(*platform) : homogeneous_platform(workload.processors);
            require_usable(workload, static_cast<int>(platform_.hosts.size()));
            if (window_) {
                whole_ = std::move(workload);
            } else {
                replays_.push_back(std::make_shared<const Replay>(platform_, std::move(workload)));
            }
        }
    }

    std::size_t count() const { return window_ ? whole_.jobs.size() - *window_ + 1 : replays_.size(); }

    // Requires: number < count().
    std::shared_ptr<const Replay> replay(std::size_t number) const {
        if (!window_) {
            return replays_[number];
        }
        Workload part;
        part.name = whole_.name;
        part.path = whole_.path;
        part.processors = whole_.processors;
        part.believes_walltimes = whole_.believes_walltimes;
        part.format = whole_.format;
        const Time first = whole_.jobs[number].description.submit;
        for (std::size_t i = number; i < number + *window_; ++i) {
            part.jobs.push_back(whole_.jobs[i]);
            JobDescription& job = part.jobs.back().description;
            job.submit = Time::at(job.submit - first);
            part.profiles.insert(*whole_.profiles.find(job.profile));
        }
        return std::make_shared<const Replay>(platform_, std::move(part));
    }

 private:
    void require_usable(const Workload& workload, int processors) const {
        const std::size_t least = window_.value_or(1);
        if (workload.jobs.size() < least) {
            throw InputError(workload.path + ": " + counted(workload.jobs.size(), "job") + ", expected at least " +
                             std::to_string(least) + " for an episode");
        }
        for (const WorkloadJob& entry : workload.jobs) {
            const JobDescription& job = entry.description;
            const std::string start = workload.path + ": job " + shown(job.id);
            if (!job.walltime) {
                throw InputError(start + " has no walltime, expected one");
            }
            if (job.processors > processors) {
                throw InputError(start + " requests " + std::to_string(job.processors) +
                                 " processors, expected at most " + std::to_string(processors) +
                                 ", as the machine has");
            }
        }
    }

    std::optional<std::size_t> window_;
    Platform platform_;  // for windows
    Workload whole_;     // likewise
    std::vector<std::shared_ptr<const Replay>> replays_;
};

// Threads that do parts of a task together with the thread that calls.
class Crew {
 public:
    explicit Crew(std::size_t size)
        : size_(size), begin_(static_cast<std::ptrdiff_t>(size)), end_(static_cast<std::ptrdiff_t>(size)) {
        for (std::size_t part = 1; part < size; ++part) {
            threads_.emplace_back([this, part] {
                for (;;) {
                    begin_.arrive_and_wait();
                    if (task_ == nullptr) {
                        return;
                    }
                    (*task_)(part);
                    end_.arrive_and_wait();
                }
            });
        }
    }
    ~Crew() {
        task_ = nullptr;
        begin_.arrive_and_wait();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    std::size_t size() const { return size_; }
    // Calls the task, which throws nothing, for each part: 0 to size() - 1.
    void run(const std::function<void(std::size_t)>& task) {
        task_ = &task;
        begin_.arrive_and_wait();
        task(0);
        end_.arrive_and_wait();
    }

 private:
    std::size_t size_;
    std::barrier<> begin_;
    std::barrier<> end_;
    const std::function<void(std::size_t)>* task_ = nullptr;
    std::vector<std::thread> threads_;
};

template <class Value>
struct Array {
    explicit Array(std::size_t size) : values(std::make_unique<Value[]>(size)) {}
    template <class... Sizes>
    nb::object give(Sizes... sizes) {
        Value* const kept = values.release();
        const nb::capsule owner(kept, [](void* all) noexcept { delete[] static_cast<Value*>(all); });
        return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<sizeof...(Sizes)>>(kept, {sizes...}, owner));
    }
    std::unique_ptr<Value[]> values;
};

using Actions = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Environments that are stepped together. With `again`, one whose episode has ended begins the next at once.
class PickEnvironments {
 public:
    PickEnvironments(Episodes episodes, std::size_t count, std::size_t threads, const PickOptions& options, bool again)
        : episodes_(std::move(episodes)), options_(options), again_(again), seats_(count), crew_(threads) {}

    std::size_t episodes() const { return episodes_.count(); }
    std::size_t episode(std::size_t place) const { return seats_.at(place).number; }

    // Begins an episode in each: `number`, or one that is drawn. With a seed, the draws of the environment i follow
    // from seed + i.
    nb::tuple reset(std::optional<std::uint64_t> seed, std::optional<std::size_t> number) {
        if (number && *number >= episodes_.count()) {
            throw UsageError("episode: expected 0 to " + std::to_string(episodes_.count() - 1) + ", found " +
                             std::to_string(*number));
        }
        require_idle();
        return all([&](std::size_t place, double&, bool&) {
            if (seed) {
                seats_[place].random.seed(*seed + place);
            }
            begin(seats_[place], number);
        });
    }

    // Requires: an action per environment.
    nb::tuple step(const Actions& actions) {
        require_idle();
        for (std::size_t place = 0; place < seats_.size(); ++place) {
            require_possible(seats_[place], actions.data()[place]);
        }
        return all([&](std::size_t place, double& reward, bool& done) {
            Seat& seat = seats_[place];
            reward = seat.environment->step(static_cast<std::size_t>(actions.data()[place]));
            done = seat.environment->is_done();
            if (done && again_) {
                begin(seat, std::nullopt);
            }
        });
    }

    // The starts of the jobs in the order of submission, in seconds.
    nb::object starts(std::size_t place) const {
        require_idle();
        const Seat& seat = seats_.at(place);
        if (!seat.environment || !seat.environment->is_done()) {
            throw UsageError("starts: the episode has not ended");
        }
        std::vector<double> result;
        for (const SimulatedJob& job : seat.environment->outcome().simulation().jobs()) {
            result.push_back(seconds_of(job.start.since_zero()));
        }
        return array_of(std::move(result));
    }

 private:
    struct Seat {
        std::mt19937_64 random;
        std::size_t number = 0;
        std::shared_ptr<const Replay> replay;
        std::optional<PickEnvironment> environment;
    };

    void begin(Seat& seat, std::optional<std::size_t> number) const {
        seat.environment.reset();
        seat.number = number ? *number : seat.random() % episodes_.count();
        seat.replay = episodes_.replay(seat.number);
        seat.environment.emplace(*seat.replay, options_);
        seat.environment->reset();
    }

    // The GIL guards the flag.
    void require_idle() const {
        if (is_busy_) {
            throw UsageError("the environment is at work in another thread");
        }
    }

    static void require_possible(const Seat& seat, std::int64_t action) {
        if (!seat.environment || seat.environment->is_done()) {
            throw UsageError("step: no episode is under way, call reset()");
        }
        const auto choices = static_cast<std::int64_t>(seat.environment->choices());
        if (action < 0 || action >= choices) {
            throw UsageError("action: expected 0 to " + std::to_string(choices - 1) +
                             ", as the action mask says, found " + std::to_string(action));
        }
    }

    // Calls `change` for each environment, and returns the observations, rewards, ends and masks.
    nb::tuple all(const std::function<void(std::size_t, double&, bool&)>& change) {
        const std::size_t count = seats_.size();
        const std::size_t queue = options_.queue;
        Array<float> jobs(count * queue * features_of_job);
        Array<float> machines(count * features_of_machine);
        Array<double> rewards(count);
        Array<bool> ends(count);
        Array<bool> masks(count * queue);
        std::vector<std::exception_ptr> problems(crew_.size());
        const auto one = [&](std::size_t place) {
            change(place, rewards.values[place], ends.values[place]);
            const PickEnvironment& environment = *seats_[place].environment;
            environment.observe({&jobs.values[place * queue * features_of_job], queue * features_of_job},
                                {&machines.values[place * features_of_machine], features_of_machine});
            std::fill_n(&masks.values[place * queue], environment.choices(), true);
        };
        is_busy_ = true;
        {
            const nb::gil_scoped_release released;
            crew_.run([&](std::size_t part) {
                for (std::size_t place = part; place < count; place += crew_.size()) {
                    try {
                        one(place);
                    } catch (...) {
                        seats_[place].environment.reset();
                        problems[part] = std::current_exception();
                    }
                }
            });
        }
        is_busy_ = false;
        for (const std::exception_ptr& problem : problems) {
            if (problem) {
                std::rethrow_exception(problem);
            }
        }
        return nb::make_tuple(jobs.give(count, queue, features_of_job), machines.give(count, features_of_machine),
                              rewards.give(count), ends.give(count), masks.give(count, queue));
    }

    Episodes episodes_;
    PickOptions options_;
    bool again_;
    bool is_busy_ = false;
    std::vector<Seat> seats_;
    Crew crew_;
};

std::unique_ptr<PickEnvironments> make(const std::vector<Jobs>& workloads, const std::optional<std::string>& platform,
                                       std::optional<std::size_t> window, std::size_t count, std::size_t threads,
                                       bool again, std::size_t queue, const std::string& backfilling,
                                       const std::string& reward, bool reward_at_end, const nb::object& tau) {
    PickOptions options;
    options.queue = queue;
    options.backfilling =
        static_cast<environments::Backfilling>(place_of(backfilling, "backfilling", {"none", "easy"}));
    options.cost =
        static_cast<environments::Cost>(place_of(reward, "reward", {"bounded_slowdown", "slowdown", "wait"}));
    options.reward_at_end = reward_at_end;
    options.tau = duration_of(tau, "tau");
    if (options.tau < Duration::microseconds(1)) {
        throw UsageError("tau: expected at least 0.000001 s, found " + options.tau.to_shortest_string());
    }
    if (threads == 0) {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    return std::make_unique<PickEnvironments>(Episodes(workloads, platform, window), count,
                                              std::min({threads, count, std::size_t{1024}}), options, again);
}

}  // namespace

void bind_environments(nb::module_& module) {
    using nb::arg;
    module.attr("features_of_job") = features_of_job;
    module.attr("features_of_machine") = features_of_machine;
    nb::class_<PickEnvironments>(module, "PickEnvironments")
        .def(nb::new_(&make), arg("workloads"), arg("platform").none(), arg("window").none(), arg("count"),
             arg("threads"), arg("again"), arg("queue"), arg("backfilling"), arg("reward"), arg("reward_at_end"),
             arg("tau"))
        .def_prop_ro("episodes", &PickEnvironments::episodes)
        .def("episode", &PickEnvironments::episode, arg("place"))
        .def("reset", &PickEnvironments::reset, arg("seed").none(), arg("episode").none(),
             nb::sig("def reset(self, seed: int | None, episode: int | None) -> tuple[typing.Any, ...]"))
        .def("step", &PickEnvironments::step, arg("actions"),
             nb::sig("def step(self, actions: numpy.typing.NDArray[numpy.int64]) -> tuple[typing.Any, ...]"))
        .def("starts", &PickEnvironments::starts, arg("place"),
             nb::sig("def starts(self, place: int) -> numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace batfill::python
