#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
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

#include "python/src/bindings.hpp"
#include "python/src/crew.hpp"
#include "python/src/episodes.hpp"
#include "python/src/lent_arrays.hpp"
#include "python/src/machines.hpp"
#include "src/environments/environment.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

using environments::Environment;
using environments::EnvironmentOptions;
using environments::JobRecord;
using environments::JobSet;
using environments::Task;

// What becomes of an action that is not possible.
enum class Invalid {
    first,  // the first possible action is taken instead
    error,
};

using Actions = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Environments that are stepped together. With `again`, one whose episode has ended begins the next at once.
class Environments {
 public:
    Environments(Episodes episodes, std::size_t count, std::size_t threads, const EnvironmentOptions& options,
                 Invalid invalid, bool again)
        : episodes_(std::move(episodes)),
          options_(shown_by(options, episodes_.machine())),
          invalid_(invalid),
          again_(again),
          seats_(count),
          crew_(threads),
          jobs_(count * options.queue * features_of_job()),
          machines_(count * features_of_machine()),
          rewards_(count),
          ends_(count),
          masks_(count * number_of_actions()) {}

    ~Environments() {
        if (!crew_.is_here()) {
            // Threads that this process does not have may have been at work in the simulations.
            static_cast<void>(std::make_unique<std::vector<Seat>>(std::move(seats_)).release());
        }
    }
    Environments(const Environments&) = delete;
    Environments& operator=(const Environments&) = delete;

    std::size_t episodes() const { return episodes_.count(); }
    std::size_t episode(std::size_t place) const { return seats_.at(place).number; }
    std::size_t features_of_job() const { return environments::features_of_job(episodes_.machine()); }
    std::size_t features_of_machine() const { return environments::features_of_machine(options_, episodes_.machine()); }
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
            seats_[place].invalid_actions = 0;
        });
    }

    // Requires: an action per environment.
    nb::tuple step(const Actions& actions) {
        require_idle();
        for (std::size_t place = 0; place < seats_.size(); ++place) {
            require_under_way(seats_[place]);
            if (invalid_ == Invalid::error) {
                require_possible(seats_[place], actions.data()[place]);
            }
        }
        return step_all([&](Seat& seat, std::size_t place) {
            const std::int64_t action = actions.data()[place];
            const bool is_possible = seat.is_possible(action);
            seat.count_action(is_possible);
            return seat.environment->step(is_possible ? static_cast<std::size_t>(action) : 0);
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
            const bool is_zero = weights[place] == MixedWeights{};
            refuse_if(!std::all_of(weights[place].begin(), weights[place].end(), is_finite) ||
                          (is_zero && invalid_ == Invalid::error),
                      "action: expected six finite weights of which one is not 0");
        }
        return step_all([&](Seat& seat, std::size_t place) {
            const bool is_possible = weights[place] != MixedWeights{};
            seat.count_action(is_possible);
            return seat.environment->step(is_possible ? weights[place] : MixedWeights{1});
        });
    }

    // Forgets the episodes, as before the first reset().
    void close() {
        require_free();
        for (Seat& seat : seats_) {
            seat.environment.reset();
        }
    }

    // Which actions are possible, a row for each environment.
    nb::object masks() {
        const std::size_t actions = number_of_actions();
        auto masks = masks_.take();
        for (std::size_t place = 0; place < seats_.size(); ++place) {
            of_seat(place).observe_mask({masks.get() + place * actions, actions});
        }
        return masks_.give(std::move(masks), seats_.size(), actions);
    }

    // The number of actions in the episode of the last step that were not possible.
    std::int64_t invalid_actions(std::size_t place) const { return seats_.at(place).invalid_actions; }

    // The situation of an environment whose jobs are recorded: the time in seconds, the number of idle processors, that
    // of all, the reservation or None, and whether the episode has ended. Then its end is the time.
    nb::tuple situation(std::size_t place) const {
        const Environment& environment = of_seat(place);
        const int processors = static_cast<int>(seats_[place].replay->scenario().platform.hosts.size());
        if (environment.is_done()) {
            double end = 0;
            for (const JobIndex job : environment.jobs_of(JobSet::ended)) {
                end = std::max(end, seconds_of(environment.record(job).end.since_zero()));
            }
            return nb::make_tuple(end, processors, processors, nb::none(), true);
        }
        nb::object reservation = nb::none();
        if (const auto reserved = environment.reservation()) {
            reservation = nb::make_tuple(seconds_of(reserved->first.since_zero()), reserved->second);
        }
        return nb::make_tuple(seconds_of(environment.state().now.since_zero()), environment.idle(), processors,
                              reservation, false);
    }
    std::size_t number_of_jobs(std::size_t place, const std::string& set) const {
        return of_seat(place).jobs_of(job_set(set)).size();
    }
    // A column of the recorded jobs.
    nb::object job_column(std::size_t place, const std::string& set, const std::string& name) const {
        const Environment& environment = of_seat(place);
        const std::vector<JobIndex> jobs = environment.jobs_of(job_set(set));
        const auto column = [&](auto value) {
            return array_of(mapped(jobs, [&](JobIndex job) { return value(environment.record(job)); }));
        };
        const std::map<std::string, std::function<nb::object()>> columns{
            {"job", [&] { return column([](const JobRecord& job) { return static_cast<std::int64_t>(job.place); }); }},
            {"processors", [&] { return column([](const JobRecord& job) { return std::int64_t{job.processors}; }); }},
            {"submit",
             [&] { return column([](const JobRecord& job) { return seconds_of(job.submit.since_zero()); }); }},
            {"walltime", [&] { return column([](const JobRecord& job) { return seconds_of(job.walltime); }); }},
            {"run_time", [&] { return column([](const JobRecord& job) { return seconds_of(job.run_time); }); }},
            {"start", [&] { return column([](const JobRecord& job) { return seconds_of(job.start.since_zero()); }); }},
            {"end", [&] { return column([](const JobRecord& job) { return seconds_of(job.end.since_zero()); }); }},
        };
        return columns.at(name)();
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

    // The starts of the jobs in the order of submission, in seconds; NaN for a rejected one.
    nb::object starts(std::size_t place) const {
        const Environment& environment = of_seat(place);
        refuse_if(!environment.is_done(), "starts: the episode has not ended");
        return array_of(mapped(environment.outcome().simulation().jobs(), [](const SimulatedJob& job) {
            return has_completed(job.state) ? seconds_of(job.start.since_zero()) : std::nan("");
        }));
    }

 private:
    struct Seat {  // NOLINT(cert-msc51-cpp): the first reset() seeds it
        std::mt19937_64 random;
        std::size_t number = 0;
        std::shared_ptr<const Replay> replay;
        std::optional<Environment> environment;
        std::int64_t invalid_actions = 0;  // in the episode of the last step
        bool has_stepped = false;          // in this episode

        bool is_possible(std::int64_t action) const {
            return action >= 0 && environment->is_possible(static_cast<std::size_t>(action));
        }
        void count_action(bool is_possible) {
            if (!std::exchange(has_stepped, true)) {
                invalid_actions = 0;
            }
            invalid_actions += is_possible ? 0 : 1;
        }
    };

    // Parts of a workload may have no windows left.
    static EnvironmentOptions shown_by(EnvironmentOptions options, const Machine& machine) {
        environments::require_machine_for(options, machine);
        options.shows_windows = !machine.windows().empty();
        return options;
    }

    static JobSet job_set(const std::string& name) {
        return static_cast<JobSet>(place_of(name, "jobs", {"seen", "waiting", "running", "started", "ended"}));
    }

    void begin(Seat& seat, std::optional<std::size_t> number) const {
        constexpr int most_draws = 1000;
        for (int draw = 0; draw < most_draws; ++draw) {
            seat.environment.reset();
            seat.number = number ? *number : seat.random() % episodes_.count();
            seat.replay = episodes_.replay(seat.number);
            seat.environment.emplace(*seat.replay, options_);
            seat.environment->reset();
            seat.has_stepped = false;
            if (!seat.environment->is_done()) {
                return;
            }
            if (number) {
                throw UsageError("episode " + std::to_string(*number) + ": the agent has nothing to decide");
            }
        }
        throw UsageError("the agent had nothing to decide in " + std::to_string(most_draws) + " episodes");
    }

    // Calls `change` for each seat, which returns its reward.
    nb::tuple step_all(const std::function<double(Seat&, std::size_t)>& change) {
        return all([&](std::size_t place, double& reward, bool& done) {
            Seat& seat = seats_[place];
            reward = change(seat, place);
            done = seat.environment->is_done();
            if (done && again_) {
                begin(seat, std::nullopt);
            }
        });
    }

    const Environment& of_seat(std::size_t place) const {
        require_idle();
        const Seat& seat = seats_.at(place);
        refuse_if(!seat.environment, "no episode is under way, call reset()");
        return *seat.environment;
    }

    // The GIL guards the flag.
    void require_idle() const {
        refuse_if(!crew_.is_here(), "the vector environment was made in another process, make one in each process");
        require_free();
    }
    void require_free() const { refuse_if(is_busy_, "the environment is at work in another thread"); }

    static void require_under_way(const Seat& seat) {
        refuse_if(!seat.environment || seat.environment->is_done(), "step: no episode is under way, call reset()");
    }

    void require_possible(const Seat& seat, std::int64_t action) const {
        if (!seat.is_possible(action)) {
            const std::string none = options_.task == Task::backfill ? " or " + std::to_string(options_.queue) : "";
            throw UsageError("action: expected 0 to " + std::to_string(seat.environment->choices() - 1) + none +
                             ", as the action mask says, found " + std::to_string(action));
        }
    }

    // Calls `change` for each environment, and returns the observations, rewards, ends and masks.
    nb::tuple all(const std::function<void(std::size_t, double&, bool&)>& change) {
        const std::size_t count = seats_.size();
        const std::size_t width = options_.queue * features_of_job();
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
        return nb::make_tuple(jobs_.give(std::move(jobs), count, options_.queue, features_of_job()),
                              machines_.give(std::move(machines), count, features),
                              rewards_.give(std::move(rewards), count), ends_.give(std::move(ends), count),
                              masks_.give(std::move(masks), count, actions));
    }

    Episodes episodes_;
    EnvironmentOptions options_;
    Invalid invalid_;
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

// The place of the keyword's word among `words`; 0 if the keyword is not given.
// Throws: UsageError.
std::size_t word_of(const nb::dict& given, const char* name, const std::vector<std::string>& words) {
    if (!given.contains(name)) {
        return 0;
    }
    const nb::object word = given[name];
    if (!nb::isinstance<nb::str>(word)) {
        throw UsageError(std::string(name) + ": expected a word such as \"" + words.front() + "\", found " +
                         shown_value(word));
    }
    return place_of(utf8_of(word), name, words);
}

// Reads the keywords that all environments have, and those that some have and that do not matter to others.
EnvironmentOptions options_of(const nb::dict& given) {
    const auto word = [&](const char* name, const std::vector<std::string>& words) {
        return word_of(given, name, words);
    };
    const auto positive = [&](const char* name, Duration otherwise) {
        return given.contains(name) ? positive_duration_of(given[name], name) : otherwise;
    };
    EnvironmentOptions options;
    options.task = static_cast<Task>(word("task", {"pick", "backfill", "weights"}));
    options.queue = nb::cast<std::size_t>(given["queue"]);
    options.cost = static_cast<environments::Cost>(
        word("reward", {"bounded_slowdown", "slowdown", "wait", "turnaround", "utilisation"}));
    options.reward_at_end = nb::cast<bool>(given["reward_at_end"]);
    options.tau = positive("tau", options.tau);
    options.records_jobs = given.contains("records_jobs");
    options.backfilling = static_cast<environments::Backfilling>(word("backfilling", {"none", "easy"}));
    options.head = static_cast<environments::Head>(word("head", {"best", "kept"}));
    options.partitions_are_queues = word("queues", {"one", "partitions"}) == 1;
    options.period = positive("period", options.period);
    if (given.contains("order")) {
        options.order = nb::cast<Parameters::Given>(given["order"]);
        const JobOrder order(Parameters("order", environments::order_parameters(options.task), options.order), "order");
    }
    return options;
}

std::unique_ptr<Environments> make(const std::vector<Jobs>& workloads, const NamedMachine& machine,
                                   std::optional<std::size_t> window, std::size_t count, std::size_t threads,
                                   bool again, const nb::typed<nb::dict, nb::str, nb::any>& options) {
    if (threads == 0) {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    return std::make_unique<Environments>(Episodes(workloads, machine, window), count,
                                          std::min({threads, count, std::size_t{1024}}), options_of(options),
                                          static_cast<Invalid>(word_of(options, "invalid", {"first", "error"})), again);
}

}  // namespace

void bind_environments(nb::module_& module) {
    using nb::arg;
    nb::class_<Environments>(module, "Environments")
        .def(nb::new_(&make), arg("workloads"), arg("machine"), arg("window").none(), arg("count"), arg("threads"),
             arg("again"), arg("options"))
        .def_prop_ro("episodes", &Environments::episodes)
        .def_prop_ro("features_of_job", &Environments::features_of_job)
        .def_prop_ro("features_of_machine", &Environments::features_of_machine)
        .def_prop_ro("number_of_actions", &Environments::number_of_actions)
        .def("episode", &Environments::episode, arg("place"))
        .def("invalid_actions", &Environments::invalid_actions, arg("place"))
        .def("masks", &Environments::masks, nb::sig("def masks(self) -> numpy.typing.NDArray[numpy.bool_]"))
        .def("close", &Environments::close)
        .def("situation", &Environments::situation, arg("place"),
             nb::sig("def situation(self, place: int) -> tuple[float, int, int, tuple[float, int] | None, bool]"))
        .def("number_of_jobs", &Environments::number_of_jobs, arg("place"), arg("set"))
        .def("job_column", &Environments::job_column, arg("place"), arg("set"), arg("name"),
             nb::sig("def job_column(self, place: int, set: str, name: str) -> numpy.typing.NDArray[typing.Any]"))
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
