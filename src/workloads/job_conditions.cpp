#include "src/workloads/job_conditions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "src/formats/logged_conditions.hpp"
#include "src/support/interruption.hpp"
#include "src/workloads/swf_selection.hpp"

namespace batfill {

namespace {

using Place = std::uint32_t;  // of a kept job

constexpr long long completed = 1;  // a job's status

// What became of conditions besides those that stay, in the order of the table.
enum class Fate : std::size_t { not_there, other_period, too_late, circle };
constexpr std::array fates{"holds: its job is not in the workload", "holds: its job is in another period",
                           "left out: its job was submitted after this one had started",
                           "left out: a circle, or the job itself"};

// A condition of a kept job on another.
struct Edge {
    Place on = 0;
    Dependency::Kind kind{};
    Duration delay;
};

// The strongly connected components of a graph, by Tarjan's algorithm: a number for each place, the same for two places
// that are on a circle. A stack of our own, because chains of jobs may be long.
// Cost: O(places + edges).
class Circles {
 public:
    explicit Circles(const std::vector<std::vector<Edge>>& edges)
        : edges_(edges), number_(edges.size()), lowest_(edges.size()), component_(edges.size(), 0) {
        for (Place place = 0; place < edges.size(); ++place) {
            if (number_[place] == 0 && !edges[place].empty()) {
                walk(place);
            }
        }
    }

    bool are_on_one(Place a, Place b) const { return a == b || (component_[a] != 0 && component_[a] == component_[b]); }

 private:
    struct Visit {
        Place place;
        std::size_t next = 0;  // of its edges
    };

    void open(Place place) {
        number_[place] = lowest_[place] = ++numbers_;
        path_.push_back(place);
        visits_.push_back({place});
    }

    void walk(Place root) {
        open(root);
        while (!visits_.empty()) {
            Visit& visit = visits_.back();
            const Place place = visit.place;
            if (visit.next == edges_[place].size()) {
                visits_.pop_back();
                close(place);
                continue;
            }
            const Place on = edges_[place][visit.next++].on;
            if (number_[on] == 0) {
                open(on);
            } else if (component_[on] == 0) {
                lowest_[place] = std::min(lowest_[place], number_[on]);
            }
        }
    }

    void close(Place place) {
        if (lowest_[place] == number_[place]) {
            ++components_;
            while (component_[place] == 0) {
                component_[path_.back()] = components_;
                path_.pop_back();
            }
        }
        if (!visits_.empty()) {
            Place& above = lowest_[visits_.back().place];
            above = std::min(above, lowest_[place]);
        }
    }

    const std::vector<std::vector<Edge>>& edges_;
    std::vector<Place> number_;     // by place, in the order of the walk; 0: not yet
    std::vector<Place> lowest_;     // by place: the lowest number that it reaches through the path
    std::vector<Place> component_;  // by place; 0: on the path, or not yet
    std::vector<Place> path_;
    std::vector<Visit> visits_;
    Place numbers_ = 0;
    Place components_ = 0;
};

// Finds the jobs of conditions among the kept ones.
class Resolver {
 public:
    Resolver(const SwfSelection& selection, const SwfConversion& conversion)
        : selection_(selection), conversion_(conversion), edges_(selection.kept.size()) {
        find_jobs();
    }

    JobConditions resolve() {
        for (Place place = 0; place < edges_.size(); ++place) {
            look_for_interruption();
            const LoggedConditions& conditions = conditions_of_job(place);
            for (const char* const kind : conditions.left_out) {
                ++left_out_[kind];
            }
            for (std::size_t at = 0; at < conditions.after.size(); ++at) {
                add(place, conditions.after[at], component_in(conditions, at));
            }
        }
        if (selection_.log->read_fields.after) {
            add_requeues();
        }
        leave_out_circles();
        JobConditions result;
        for (Place place = 0; place < edges_.size(); ++place) {
            add_begin_and_array(place, result);
            for (const Edge& edge : edges_[place]) {
                const KeptJob& other = selection_.kept[edge.on];
                result.of_job[selection_.kept[place].job].after.push_back(
                    {edge.kind, selection_.id_of(other), edge.delay});
                ++kinds_.at(static_cast<std::size_t>(edge.kind));
                if (edge.kind != Dependency::Kind::ok || !reaches_walltime(*other.job)) {
                    continue;
                }
                if (other.job->status == completed && has_no_limit(*other.job)) {
                    result.longer_walltime.insert(other.job);
                } else {
                    ++result.never_ok;
                }
            }
        }
        result.counts = counts(result.never_ok);
        return result;
    }

 private:
    // The runs of each job that a condition means, by the number of the job, in the order of the workload.
    using Runs = std::map<long long, std::vector<Place>>;

    const LoggedConditions& conditions_of_job(Place place) const {
        return selection_.log->conditions[selection_.kept[place].job->conditions];
    }

    void add_begin_and_array(Place place, JobConditions& result) {
        const SwfLog& log = *selection_.log;
        const auto& [job, run] = selection_.kept[place];
        const LoggedConditions& conditions = conditions_of_job(place);
        if (conditions.begin && *conditions.begin <= job->submit) {
            ++counts_of_begin_[1];
        } else if (conditions.begin && job->wait >= Duration() && *conditions.begin > job->submit + job->wait) {
            ++counts_of_begin_[2];
        } else if (conditions.begin) {
            ++counts_of_begin_[0];
            result.of_job[job].begin = Time::at(*conditions.begin - job->submit);
        }
        if (!log.read_fields.array || run > 1) {
            return;
        }
        const std::string array = !conditions.array.empty() ? conditions.array
                                  : log.ids.empty()         ? ""
                                                            : array_of(log.ids[static_cast<std::size_t>(job->number)]);
        if (array.empty()) {
            return;
        }
        StatedNeeds& needs = result.of_job[job];
        needs.array = array;
        const auto limit = log.array_limits.find(array);
        const long long most = conditions.array_limit > 0        ? conditions.array_limit
                               : limit == log.array_limits.end() ? 0
                                                                 : limit->second;
        ++tasks_;
        if (most > 0) {
            needs.array_limit = most;
            ++limited_tasks_;
        }
    }

    void find_jobs() {
        for (Place place = 0; place < edges_.size(); ++place) {
            for (const Dependency& dependency : conditions_of_job(place).after) {
                named_.try_emplace(dependency.job);
            }
            for (const auto& [at, id] : conditions_of_job(place).components) {
                named_.try_emplace(id);
            }
        }
        if (named_.empty()) {
            return;
        }
        const TextList& ids = selection_.log->ids;
        const auto add = [&](std::string_view name, long long number, Place place) {
            if (const auto found = named_.find(name); found != named_.end()) {
                found->second[number].push_back(place);
            }
        };
        for (Place place = 0; place < edges_.size(); ++place) {
            const long long number = selection_.kept[place].job->number;
            if (ids.empty()) {
                add(std::to_string(number), number, place);
            } else {
                const std::string_view id = ids[static_cast<std::size_t>(number)];
                add(id, number, place);
                add(array_of(id), number, place);
            }
        }
    }

    // The id of the component that a condition is on; empty: it is on a whole job.
    static std::string_view component_in(const LoggedConditions& conditions, std::size_t at) {
        const auto found = std::ranges::find(conditions.components, at, &std::pair<std::size_t, std::string>::first);
        return found == conditions.components.end() ? std::string_view() : found->second;
    }

    // Whether one of these jobs was put together of components.
    bool are_heterogeneous(const Runs& jobs) const {
        const SwfLog& log = *selection_.log;
        const auto is_joined = [&](Place run) {
            const auto place = static_cast<std::uint32_t>(selection_.kept[run].job - log.jobs.data());
            return std::ranges::any_of(log.noted, [&](const NotedJobs& noted) {
                return noted.what.starts_with("heterogeneous job") && std::ranges::binary_search(noted.jobs, place);
            });
        };
        return std::ranges::any_of(jobs, [&](const auto& job) { return std::ranges::any_of(job.second, is_joined); });
    }

    void add(Place place, const Dependency& dependency, std::string_view component) {
        const bool is_apart = !component.empty() && !named_.at(component).empty();  // a row of its own in the log
        const Runs& jobs = named_.at(is_apart ? component : std::string_view(dependency.job));
        if (!component.empty() && !is_apart && !jobs.empty() && !are_heterogeneous(jobs)) {
            ++left_out_[condition_rules::unreadable];
            return;
        }
        if (jobs.empty()) {
            ++count(Fate::not_there);
        }
        for (const auto& [number, runs] : jobs) {
            const std::optional<Place> run = run_before(place, runs, dependency.kind);
            if (!run) {
                ++count(Fate::too_late);
            } else if (conversion_.split && period_of(*run) != period_of(place)) {
                ++count(Fate::other_period);
            } else {
                edges_[place].push_back({*run, dependency.kind, dependency.delay});
            }
        }
    }

    // The run of a job for which the job at `place` waits; none if the log says that it had started before.
    std::optional<Place> run_before(Place place, const std::vector<Place>& runs, Dependency::Kind kind) const {
        const SwfJob& waiting = *selection_.kept[place].job;
        const Duration start = waiting.wait < Duration() ? Duration::infinity() : waiting.submit + waiting.wait;
        const auto end = std::ranges::upper_bound(
            runs, start, {}, [&](Place run) -> const Duration& { return selection_.kept[run].job->submit; });
        if (end == runs.begin()) {
            return std::nullopt;
        }
        return kind == Dependency::Kind::start ? runs.front() : *(end - 1);
    }

    // A requeued job has several runs of one id. Each waits for the one before it to end.
    void add_requeues() {
        if (selection_.log->ids.empty()) {
            return;
        }
        const auto job = [this](Place place) -> const SwfJob& { return *selection_.kept[place].job; };
        const auto start = [](const SwfJob& run) { return run.submit + std::max(run.wait, Duration()); };
        std::vector<Place> runs(edges_.size());
        std::iota(runs.begin(), runs.end(), Place{0});
        std::ranges::stable_sort(runs, {},
                                 [&](Place place) { return std::pair(job(place).number, start(job(place))); });
        for (std::size_t next = 1; next < runs.size(); ++next) {
            const Place place = runs[next];
            const Place before = runs[next - 1];
            const Duration end = start(job(before)) + run_time_of(job(before));
            // Some logs have an id for several jobs: they run at once, or none is submitted for the end of another.
            const bool is_requeued =
                job(place).submit >= end || (job(before).status != completed && start(job(place)) >= end);
            if (job(place).number != job(before).number || !is_requeued) {
                continue;
            }
            if (conversion_.split && period_of(before) != period_of(place)) {
                ++count(Fate::other_period);
            } else {
                edges_[place].push_back({before, Dependency::Kind::any, {}});
                ++requeues_;
            }
        }
    }

    std::size_t period_of(Place place) const {
        return conversion_.split->period_of(selection_.kept[place].job->submit);
    }

    void leave_out_circles() {
        const Circles circles(edges_);
        for (Place place = 0; place < edges_.size(); ++place) {
            count(Fate::circle) += std::erase_if(edges_[place], [&](const Edge& edge) {
                return edge.on >= place && circles.are_on_one(place, edge.on);
            });
        }
    }

    // Whether a replay stops the job at its walltime, or ends it there.
    bool reaches_walltime(const SwfJob& job) const {
        const std::optional<Duration> walltime = walltime_of(job, conversion_);
        return conversion_.short_estimates != SwfConversion::ShortEstimates::believe && walltime &&
               run_time_of(job) >= *walltime;
    }

    // Whether the run time is the walltime, because the log has none.
    bool has_no_limit(const SwfJob& job) const {
        return conversion_.estimates == SwfConversion::Estimates::log &&
               conversion_.missing_walltime == SwfConversion::MissingWalltime::exact && !has_estimate(job);
    }

    std::size_t& count(Fate fate) { return counts_.at(static_cast<std::size_t>(fate)); }

    std::vector<RuleCount> counts(std::size_t never_ok) const {
        std::vector<RuleCount> result;
        const auto add = [&](const std::string& what, std::size_t conditions) {
            if (conditions > 0) {
                result.push_back({what, conditions});
            }
        };
        for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
            add(std::string("kept: ") + to_string(static_cast<Dependency::Kind>(kind)), kinds_[kind]);
        }
        add("of these any: the run before it of a requeued job", requeues_);
        add("of these ok: its job reaches its walltime, so it never holds", never_ok);
        constexpr std::array begins{"kept: begin", "holds: begin not after the submission",
                                    "left out: begin after the job had started"};
        for (std::size_t fate = 0; fate < begins.size(); ++fate) {
            add(begins[fate], counts_of_begin_[fate]);
        }
        add("kept: array", tasks_);
        add("of these with array_limit", limited_tasks_);
        for (std::size_t fate = 0; fate < fates.size(); ++fate) {
            add(fates[fate], counts_[fate]);
        }
        for (const auto& [kind, conditions] : left_out_) {
            add("left out, no counterpart: " + kind, conditions);
        }
        return result;
    }

    const SwfSelection& selection_;
    const SwfConversion& conversion_;
    std::unordered_map<std::string_view, Runs> named_;  // by what conditions name; only looked up
    std::vector<std::vector<Edge>> edges_;              // by place
    std::array<std::size_t, 3> kinds_{};                // conditions that stay, by kind
    std::array<std::size_t, fates.size()> counts_{};    // others, by fate
    std::map<std::string, std::size_t> left_out_;       // by kind
    std::size_t requeues_ = 0;                          // conditions on the run before
    std::array<std::size_t, 3> counts_of_begin_{};
    std::size_t tasks_ = 0;  // of arrays
    std::size_t limited_tasks_ = 0;
};

}  // namespace

JobConditions conditions_of(const SwfSelection& selection, const SwfConversion& conversion) {
    return selection.log->conditions.empty() ? JobConditions() : Resolver(selection, conversion).resolve();
}

}  // namespace batfill
