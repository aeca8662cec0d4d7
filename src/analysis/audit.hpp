#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include <batfill/analysis/check_schedule.hpp>

#include "src/analysis/outages.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/formats/profile_index.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/json.hpp"

namespace batfill::analysis {

// How messages show a value.
auto value_text(const auto& value) {
    if constexpr (requires { value.to_short_string(); }) {
        return value.to_short_string();
    } else if constexpr (requires { value->to_string(); }) {
        return value ? value->to_string() : "none";
    } else if constexpr (requires { value.to_string(); }) {
        return value.to_string();
    } else {
        return value;
    }
}

// What the audit keeps of each executed workload job.
struct Ran {
    const std::string* id;
    const JobDescription* description;
    Time start;
    Time finish;
    std::uint32_t row;  // row in the schedule
    bool took_no_time;
    ResourceSet allocation;

    // The earliest time at which it may have released its processors.
    Time held_until() const { return took_no_time ? start : finish; }
};
static_assert(sizeof(Ran) <= 80, "docs/performance.md says how much memory an audit takes");

// Checks the jobs of a schedule one by one, and at the end how they interact. It keeps only a Ran of most jobs, so an
// audit of ten million jobs fits in memory beside their workload.
class Audit {
 public:
    Audit(const std::vector<Workload>& workloads, const Platform& platform, const CheckOptions& options,
          const std::vector<Guarantee>* guarantees, const std::vector<BrokenGuarantee>* broken,
          const std::vector<std::vector<ExternalEvent>>& event_lists)
        : workloads_(workloads),
          jobs_(workloads),
          profiles_(workloads.begin(), workloads.end()),
          platform_(platform),
          machine_(platform.machine()),
          outages_(event_lists, processors()),
          options_(options),
          guarantees_(guarantees),
          states_(jobs_.count()) {
        ran_.reserve(jobs_.count());
        if (broken != nullptr) {
            for (const BrokenGuarantee& one : *broken) {
                broken_[one.job_id].push_back(&one);
            }
        }
    }

    void add(const ScheduledJob& job);
    // Requires: called once, after the last add().
    CheckReport finish();

 private:
    // The times that guarantees are compared with.
    struct Started {
        std::string id;
        Time submit;
        std::optional<Time> start;
    };
    // The new run of a job that was killed and submitted again.
    struct LaterRun {
        const std::string* id;
        std::string earlier_id;  // id of the run before it
        Time submit;
        std::uint32_t row;
    };
    // What became of a job that others wait for, however often it was killed and submitted again.
    struct Awaited {
        std::optional<JobState> state;  // of its last run; none: the schedule does not have it
        std::string_view last_id;       // of that run
        Time rejected_from;             // the earliest instant at which that run can have been rejected
        const Ran* first = nullptr;
        const Ran* last = nullptr;
    };
    // What a job waits for: when it happened, since when it never can, or neither yet.
    struct Happening {
        enum class Sort { unknown, at, never, not_yet };
        Sort sort = Sort::unknown;
        Time time;
        JobState state{};  // of the other job, if known
        bool may_be_hopeless() const { return sort == Sort::never || sort == Sort::unknown; }
    };
    // A rejected job that waits for others, and that the machine could run.
    struct RejectedDependent {
        const JobDescription* description;
        std::uint32_t row;
    };
    struct Found {
        std::uint32_t row;
        Violation violation;
    };

    void check_job(const ScheduledJob& job, const std::string& id, const IndexedJob& submitted);
    const std::string* first_of_its_id(const ScheduledJob& job, const std::optional<IndexedJob>& submitted);
    void check_request(const ScheduledJob& job, const IndexedJob& submitted);
    std::optional<JobState> state_of(const std::string& id) const;
    void check_earlier_run(const LaterRun& run);
    bool may_take_no_time(const ScheduledJob& job, const JobDescription& description, const JobProfile* profile) const;
    void check_columns(const ScheduledJob& job);
    void check_rejected(const ScheduledJob& job, const IndexedJob& submitted);
    bool could_run(const JobDescription& description) const;
    bool may_miss_booking(const JobDescription& description) const;
    void check_allocation(const ScheduledJob& job, const JobDescription& description);
    void check_end(const ScheduledJob& job, const std::optional<Duration>& walltime, const JobProfile* profile,
                   Duration shortest_length);
    void check_end_of_delay(const ScheduledJob& job, const JobProfile& profile, const std::optional<Duration>& walltime,
                            Duration shortest_length);
    void check_deadlines();
    void check_processors();
    void check_outages(const Ran& job);
    void check_licenses();
    void check_resources();
    std::optional<Amount> cores_to_lay_out(const Ran& job, std::size_t capacity) const;
    void check_hosts(const Ran& job);
    void check_limits();
    void check_windows();
    std::optional<std::size_t> check_booking(std::size_t at);
    bool is_clear_of_others(std::size_t inside, const Ran& job) const;
    bool has_room_inside(std::size_t window, std::size_t at) const;
    void check_window_of_hosts(std::size_t number);
    void check_kills(std::size_t number);
    void check_kills_of_column(std::size_t number, std::size_t column, const std::vector<std::size_t>& running);
    Amount taken_by_windows(Time known, Time instant, std::size_t column, std::optional<std::size_t> without) const;
    void check_amounts_beside_windows();
    void check_column_beside_windows(std::size_t number, std::size_t column, const std::vector<std::size_t>& running,
                                     const std::vector<Time>& instants);
    Amount total_of(std::size_t column) const;
    static Amount amount_of(const Window& window, std::size_t column);
    Amount amount_of(const Ran& job, std::optional<std::size_t> inside, std::size_t column,
                     bool of_window = false) const;
    Request request_of(const Ran& job) const;
    Request least_request_of(const Ran& job) const;
    // Why the machine could not run the job, for its pools, hosts and partition, or for its limits. Empty: it could.
    std::string refusal_of(const JobDescription& job, const Shared<std::vector<Amount>>& cores = {}) const;
    // Of each host of a job, where the scheduler has decided that.
    Shared<std::vector<Amount>> cores_of(const Ran& job) const {
        const auto found = cores_.find(job.row);
        return found != cores_.end() ? found->second : Shared<std::vector<Amount>>();
    }
    static bool is_first_run(const Ran& run) { return run.id == &run.description->id; }
    void check_dependencies();
    void find_awaited();
    void find_rejections();
    void note_rejection(const JobDescription& job, Time hopeless);
    Happening happening_of(const Dependency& condition, const JobDescription& waiting) const;
    Happening happening_of(Dependency::Kind kind, const JobDescription& job) const;
    void add_awaited(const IndexedJob& job);
    void find_arrays();
    void check_begins();
    void check_array(const std::vector<const JobDescription*>& tasks);
    void check_running_tasks(const std::vector<const JobDescription*>& tasks);
    void check_condition(const Ran& job, const Dependency& condition);
    void check_rejected_dependent(const RejectedDependent& job);
    void check_machine(const Ran& job, const std::set<std::string>& licenses);
    void check_guarantees();
    void check_guarantee(const Guarantee& guarantee, const Started& job);
    std::optional<Time> last_guarantee(Time guaranteed, const Started& job);

    int processors() const { return machine_.processors(); }
    bool agree(Duration a, Duration b) const { return a <= b + options_.tolerance && b <= a + options_.tolerance; }
    // Whether jobs may run until their limits, and not only until their walltimes.
    bool counts_limits() const { return !options_.run_limits.are_none(); }
    const char* name_of_limit() const { return counts_limits() ? "limit" : "walltime"; }
    // How much earlier a start may be than the instant from which on it is allowed.
    Duration start_tolerance() const {
        return options_.decided_by_seconds ? std::max(options_.tolerance, Duration::seconds(1)) : options_.tolerance;
    }
    bool agree(Time a, Time b) const { return agree(a.since_zero(), b.since_zero()); }
    template <class Optional>
    bool agree_or_none(const Optional& a, const Optional& b) const {
        return a && b ? agree(*a, *b) : a == b;
    }
    static const std::string& id_of(const std::string& id) { return id; }
    static const std::string& id_of(const ScheduledJob& job) { return job.id; }
    static const std::string& id_of(const Ran& job) { return *job.id; }
    // `what` is a format of fmt for `values`.
    template <class WhichJob, class... Values>
    void violation(Time at, const WhichJob& job, const char* what, const Values&... values) {
        const std::string text = fmt::format(fmt::runtime(what), value_text(values)...);
        found_.push_back({row_, {at, "job " + shown(id_of(job)) + ": " + text}});
    }
    // Reports a violation unless `holds`.
    template <class WhichJob, class... Values>
    void expect(bool holds, Time at, const WhichJob& job, const char* what, const Values&... values) {
        if (!holds) {
            violation(at, job, what, values...);
        }
    }

    const std::vector<Workload>& workloads_;
    WorkloadJobs jobs_;
    std::vector<std::optional<std::size_t>> inside_;  // by place in ran_: the window that it runs in for its booking
    std::vector<bool> are_sure_;                      // likewise: it can be in one window only
    std::vector<ProfileIndex> profiles_;              // one per workload
    const Platform& platform_;
    Machine machine_;
    Outages outages_;
    CheckOptions options_;
    const std::vector<Guarantee>* guarantees_;
    std::map<std::string_view, std::vector<const BrokenGuarantee*>> broken_;  // by job, in the order of the list
    // The final states in the schedule: of workload jobs by number, of other jobs by id.
    std::vector<std::optional<JobState>> states_;
    std::unordered_map<std::string, JobState> other_states_;
    std::vector<LaterRun> later_runs_;
    std::unordered_map<std::string_view, const Ran*> earlier_runs_;  // by id; null: did not run
    std::vector<RejectedDependent> rejected_dependents_;
    std::unordered_map<const JobDescription*, Awaited> awaited_;  // only looked up
    // The tasks of arrays with limits, by workload and array, in the order of submission.
    std::map<std::pair<const Workload*, std::string_view>, std::vector<const JobDescription*>> arrays_;
    std::unordered_map<std::uint32_t, Shared<std::vector<Amount>>> cores_;  // by row; only looked up
    std::vector<Ran> ran_;          // by row, and by start once the jobs are checked one by one
    std::vector<Started> started_;  // all jobs of the schedule, if there are guarantees
    // The row of the current job. Orders violations at the same time.
    static constexpr std::uint32_t no_row = UINT32_MAX;
    std::uint32_t row_ = 0;
    std::vector<Found> found_;
    CheckReport report_;
};

}  // namespace batfill::analysis
