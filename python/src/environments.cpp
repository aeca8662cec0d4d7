#include <algorithm>
#include <barrier>
#include <cmath>
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
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>
#include <batfill/replay/replay.hpp>

#include "bindings.hpp"
#include "src/environments/environment.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"

namespace batfill::python {

namespace {

using environments::Environment;
using environments::EnvironmentOptions;
using environments::features_of_job;
using environments::Task;

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
        Workload part = whole_.without_jobs();
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

// Numbers that become a NumPy array. Their memory comes from arrays that Python has released, if there are any: to get
// as much from the system costs more than a step.
template <class Value>
class Arrays {
 public:
    using Memory = std::unique_ptr<Value[]>;
    explicit Arrays(std::size_t size) : free_(std::make_shared<Free>()), size_(size) {}

    Memory take() {
        if (free_->empty()) {
            return std::make_unique_for_overwrite<Value[]>(size_);
        }
        Memory taken = std::move(free_->back());
        free_->pop_back();
        return taken;
    }
    template <class... Sizes>
    nb::object give(Memory memory, Sizes... sizes) const {
        auto lent = std::make_unique<Lent>(Lent{std::move(memory), free_});
        Value* const values = lent->memory.get();
        const nb::capsule owner(lent.release(), [](void* all) noexcept {
            const std::unique_ptr<Lent> back(static_cast<Lent*>(all));
            back->free->push_back(std::move(back->memory));
        });
        return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<sizeof...(Sizes)>>(values, {sizes...}, owner));
    }

 private:
    using Free = std::vector<Memory>;
    struct Lent {
        Memory memory;
        std::shared_ptr<Free> free;
    };

    std::shared_ptr<Free> free_;  // the GIL guards it
    std::size_t size_;
};

using Actions = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Environments that are stepped together. With `again`, one whose episode has ended begins the next at once.
class Environments {
 public:
    Environments(Episodes episodes, std::size_t count, std::size_t threads, const EnvironmentOptions& options,
                 bool again)
        : episodes_(std::move(episodes)),
          options_(options),
          again_(again),
          seats_(count),
          crew_(threads),
          jobs_(count * options.queue * features_of_job),
          machines_(count * features_of_machine()),
          rewards_(count),
          ends_(count),
          masks_(count * number_of_actions()) {}

    std::size_t episodes() const { return episodes_.count(); }
    std::size_t episode(std::size_t place) const { return seats_.at(place).number; }
    std::size_t features_of_machine() const { return environments::features_of_machine(options_.task); }
    std::size_t number_of_actions() const { return environments::number_of_actions(options_); }

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
        return step_all([&](Environment& environment, std::size_t place) {
            return environment.step(static_cast<std::size_t>(actions.data()[place]));
        });
    }

    // Requires: six weights per environment.
    nb::tuple step_weights(const Weights& given) {
        require_idle();
        std::vector<MixedWeights> weights(seats_.size());
        for (std::size_t place = 0; place < seats_.size(); ++place) {
            require_under_way(seats_[place]);
            std::copy_n(given.data() + place * weights[place].size(), weights[place].size(), weights[place].begin());
            const auto is_finite = [](double weight) { return std::isfinite(weight); };
            if (!std::all_of(weights[place].begin(), weights[place].end(), is_finite) ||
                weights[place] == MixedWeights{}) {
                throw UsageError("action: expected six finite weights of which one is not 0");
            }
        }
        return step_all([&](Environment& environment, std::size_t place) { return environment.step(weights[place]); });
    }

    // What the agent sees, beyond its observation: the jobs as places in the order of submission; the time, and the
    // number of idle processors.
    nb::object seen_jobs(std::size_t place) const {
        const std::vector<std::size_t> seen = of_seat(place).seen_jobs();
        return array_of(std::vector<std::int64_t>(seen.begin(), seen.end()));
    }
    double now(std::size_t place) const {
        const Environment& environment = of_seat(place);
        return environment.is_done() ? NAN : environment.state().now.to_seconds();
    }
    int idle(std::size_t place) const {
        const Environment& environment = of_seat(place);
        return environment.is_done() ? 0 : environment.idle();
    }

    // The starts of the jobs in the order of submission, in seconds.
    nb::object starts(std::size_t place) const {
        const Environment& environment = of_seat(place);
        if (!environment.is_done()) {
            throw UsageError("starts: the episode has not ended");
        }
        std::vector<double> result;
        for (const SimulatedJob& job : environment.outcome().simulation().jobs()) {
            result.push_back(seconds_of(job.start.since_zero()));
        }
        return array_of(std::move(result));
    }

 private:
    struct Seat {  // NOLINT(cert-msc51-cpp): the first reset() seeds it
        std::mt19937_64 random;
        std::size_t number = 0;
        std::shared_ptr<const Replay> replay;
        std::optional<Environment> environment;
    };

    void begin(Seat& seat, std::optional<std::size_t> number) const {
        constexpr int most_draws = 1000;
        for (int draw = 0; draw < most_draws; ++draw) {
            seat.environment.reset();
            seat.number = number ? *number : seat.random() % episodes_.count();
            seat.replay = episodes_.replay(seat.number);
            seat.environment.emplace(*seat.replay, options_);
            seat.environment->reset();
            if (!seat.environment->is_done()) {
                return;
            }
            if (number) {
                throw UsageError("episode " + std::to_string(*number) + ": the agent has nothing to decide");
            }
        }
        throw UsageError("the agent had nothing to decide in " + std::to_string(most_draws) + " episodes");
    }

    // Calls `change` for each environment, which returns its reward.
    nb::tuple step_all(const std::function<double(Environment&, std::size_t)>& change) {
        return all([&](std::size_t place, double& reward, bool& done) {
            Seat& seat = seats_[place];
            reward = change(*seat.environment, place);
            done = seat.environment->is_done();
            if (done && again_) {
                begin(seat, std::nullopt);
            }
        });
    }

    const Environment& of_seat(std::size_t place) const {
        require_idle();
        const Seat& seat = seats_.at(place);
        if (!seat.environment) {
            throw UsageError("no episode is under way, call reset()");
        }
        return *seat.environment;
    }

    // The GIL guards the flag.
    void require_idle() const {
        if (is_busy_) {
            throw UsageError("the environment is at work in another thread");
        }
    }

    static void require_under_way(const Seat& seat) {
        if (!seat.environment || seat.environment->is_done()) {
            throw UsageError("step: no episode is under way, call reset()");
        }
    }

    void require_possible(const Seat& seat, std::int64_t action) const {
        require_under_way(seat);
        if (action < 0 || !seat.environment->is_possible(static_cast<std::size_t>(action))) {
            const std::string none = options_.task == Task::backfill ? " or " + std::to_string(options_.queue) : "";
            throw UsageError("action: expected 0 to " + std::to_string(seat.environment->choices() - 1) + none +
                             ", as the action mask says, found " + std::to_string(action));
        }
    }

    // Calls `change` for each environment, and returns the observations, rewards, ends and masks.
    nb::tuple all(const std::function<void(std::size_t, double&, bool&)>& change) {
        const std::size_t count = seats_.size();
        const std::size_t width = options_.queue * features_of_job;
        const std::size_t features = features_of_machine();
        const std::size_t actions = number_of_actions();
        auto jobs = jobs_.take();
        auto machines = machines_.take();
        auto rewards = rewards_.take();
        auto ends = ends_.take();
        auto masks = masks_.take();
        std::vector<std::exception_ptr> problems(crew_.size());
        const auto one = [&](std::size_t place) {
            rewards[place] = 0;
            ends[place] = false;
            change(place, rewards[place], ends[place]);
            seats_[place].environment->observe({&jobs[place * width], width}, {&machines[place * features], features},
                                               {masks.get() + place * actions, actions});
        };
        is_busy_ = true;
        {
            const WithoutGil released;
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
        return nb::make_tuple(jobs_.give(std::move(jobs), count, options_.queue, features_of_job),
                              machines_.give(std::move(machines), count, features),
                              rewards_.give(std::move(rewards), count), ends_.give(std::move(ends), count),
                              masks_.give(std::move(masks), count, actions));
    }

    Episodes episodes_;
    EnvironmentOptions options_;
    bool again_;
    bool is_busy_ = false;
    std::vector<Seat> seats_;
    Crew crew_;
    Arrays<float> jobs_;
    Arrays<float> machines_;
    Arrays<double> rewards_;
    Arrays<bool> ends_;
    Arrays<bool> masks_;
};

// The value of a keyword.
// Throws: UsageError, which says what was expected.
template <class Value>
Value value_of(const nb::dict& given, const char* name, const char* expected) {
    Value value{};
    if (!nb::try_cast(given[name], value)) {
        throw UsageError(std::string(name) + ": expected " + expected + ", found " + shown_value(given[name]));
    }
    return value;
}

// Reads the keywords that all environments have, and those that some have and that do not matter to others.
EnvironmentOptions options_of(const nb::dict& given) {
    const auto word = [&](const char* name, const std::vector<std::string>& words) {
        return given.contains(name) ? place_of(utf8_of(given[name]), name, words) : 0;
    };
    const auto positive = [&](const char* name, Duration otherwise) {
        return given.contains(name) ? positive_duration_of(given[name], name) : otherwise;
    };
    EnvironmentOptions options;
    options.task = static_cast<Task>(word("task", {"pick", "backfill", "weights"}));
    options.queue = value_of<std::size_t>(given, "queue", "a whole number");
    options.cost = static_cast<environments::Cost>(
        word("reward", {"bounded_slowdown", "slowdown", "wait", "turnaround", "utilisation"}));
    options.reward_at_end = value_of<bool>(given, "reward_at_end", "True or False");
    options.tau = positive("tau", options.tau);
    options.backfilling = static_cast<environments::Backfilling>(word("backfilling", {"none", "easy"}));
    options.head = static_cast<environments::Head>(word("head", {"best", "kept"}));
    options.period = positive("period", options.period);
    if (given.contains("order")) {
        options.order = nb::cast<Parameters::Given>(given["order"]);
        const JobOrder order(Parameters("order", environments::order_parameters(options.task), options.order), "order");
    }
    return options;
}

std::unique_ptr<Environments> make(const std::vector<Jobs>& workloads, const std::optional<std::string>& platform,
                                   std::optional<std::size_t> window, std::size_t count, std::size_t threads,
                                   bool again, const nb::typed<nb::dict, nb::str, nb::any>& options) {
    if (threads == 0) {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    return std::make_unique<Environments>(Episodes(workloads, platform, window), count,
                                          std::min({threads, count, std::size_t{1024}}), options_of(options), again);
}

}  // namespace

void bind_environments(nb::module_& module) {
    using nb::arg;
    module.attr("features_of_job") = features_of_job;
    nb::class_<Environments>(module, "Environments")
        .def(nb::new_(&make), arg("workloads"), arg("platform").none(), arg("window").none(), arg("count"),
             arg("threads"), arg("again"), arg("options"))
        .def_prop_ro("episodes", &Environments::episodes)
        .def_prop_ro("features_of_machine", &Environments::features_of_machine)
        .def_prop_ro("number_of_actions", &Environments::number_of_actions)
        .def("episode", &Environments::episode, arg("place"))
        .def("reset", &Environments::reset, arg("seed").none(), arg("episode").none(),
             nb::sig("def reset(self, seed: int | None, episode: int | None) -> tuple[typing.Any, ...]"))
        .def("step", &Environments::step, arg("actions"),
             nb::sig("def step(self, actions: numpy.typing.NDArray[numpy.int64]) -> tuple[typing.Any, ...]"))
        .def("step_weights", &Environments::step_weights, arg("weights"),
             nb::sig("def step_weights(self, weights: numpy.typing.NDArray[numpy.float64]) -> tuple[typing.Any, ...]"))
        .def("seen_jobs", &Environments::seen_jobs, arg("place"),
             nb::sig("def seen_jobs(self, place: int) -> numpy.typing.NDArray[numpy.int64]"))
        .def("now", &Environments::now, arg("place"))
        .def("idle", &Environments::idle, arg("place"))
        .def("starts", &Environments::starts, arg("place"),
             nb::sig("def starts(self, place: int) -> numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace batfill::python
