#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <batfill/analysis/check.hpp>

#include "outages.hpp"
#include "src/formats/profile_index.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/json.hpp"
#include "workload_jobs.hpp"

namespace batfill {

namespace {

using analysis::IndexedJob;
using analysis::Outages;
using analysis::WorkloadJobs;

// How messages show a value.
template <class Value>
auto text(const Value& value) {
    if constexpr (requires { value->to_string(); }) {
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
          machine_(platform.hosts),
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
    struct Found {
        std::uint32_t row;
        Violation violation;
    };

    void check_job(const ScheduledJob& job, const std::string& id, const IndexedJob& submitted);
    const std::string* first_of_its_id(const ScheduledJob& job, const std::optional<IndexedJob>& submitted);
    void check_request(const ScheduledJob& job, const IndexedJob& submitted);
    void find_earlier_runs();
    std::optional<JobState> state_of(const std::string& id) const;
    void check_earlier_run(const LaterRun& run);
    bool may_take_no_time(const ScheduledJob& job, const JobDescription& description, const JobProfile* profile) const;
    void check_columns(const ScheduledJob& job);
    void check_stretch(const ScheduledJob& job);
    void check_rejected(const ScheduledJob& job, const JobDescription& description);
    bool could_run(const JobDescription& description) const;
    void check_allocation(const ScheduledJob& job, const JobDescription& description);
    void check_end(const ScheduledJob& job, const std::optional<Duration>& walltime, const JobProfile* profile,
                   Duration shortest_length);
    void check_end_of_delay(const ScheduledJob& job, const JobProfile& profile, const std::optional<Duration>& walltime,
                            Duration shortest_length);
    void check_deadlines();
    void check_missing();
    void sort_by_start();
    void check_processors();
    void check_outages(const Ran& job);
    void check_licenses();
    void check_machine(const Ran& job, const std::set<std::string>& licenses);
    bool can_use(const Machine::Group& group, const std::string& license) const;
    void check_guarantees();
    void check_guarantee(const Guarantee& guarantee, const Started& job);
    std::optional<Time> last_guarantee(Time guaranteed, const Started& job);

    int processors() const { return machine_.processors(); }
    bool agree(Duration a, Duration b) const { return a <= b + options_.tolerance && b <= a + options_.tolerance; }
    bool agree(Time a, Time b) const { return agree(a.since_zero(), b.since_zero()); }
    // `what` is a format of fmt for `values`.
    template <class... Values>
    void violation(Time at, const std::string& id, const char* what, const Values&... values) {
        found_.push_back({row_, {at, "job " + shown(id) + ": " + fmt::format(fmt::runtime(what), text(values)...)}});
    }
    template <class... Values>
    void violation(Time at, const ScheduledJob& job, const char* what, const Values&... values) {
        violation(at, job.id, what, values...);
    }
    template <class... Values>
    void violation(Time at, const Ran& job, const char* what, const Values&... values) {
        violation(at, *job.id, what, values...);
    }

    const std::vector<Workload>& workloads_;
    WorkloadJobs jobs_;
    std::vector<ProfileIndex> profiles_;  // one per workload
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
    std::vector<Ran> ran_;
    std::vector<std::uint32_t> by_start_;  // indices into `ran_`
    std::vector<Started> started_;         // all jobs of the schedule, if there are guarantees
    // The row of the current job. Orders violations at the same time.
    static constexpr std::uint32_t no_row = UINT32_MAX;
    std::uint32_t row_ = 0;
    std::vector<Found> found_;
    CheckReport report_;
};

CheckReport Audit::finish() {
    report_.jobs = row_;
    find_earlier_runs();
    for (const LaterRun& run : later_runs_) {
        check_earlier_run(run);
    }
    check_deadlines();
    row_ = no_row;
    check_missing();
    sort_by_start();
    check_processors();
    if (!outages_.empty()) {
        for (const std::uint32_t number : by_start_) {
            check_outages(ran_[number]);
        }
    }
    check_licenses();
    if (guarantees_ != nullptr) {
        check_guarantees();
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
        return std::tie(a.violation.at, a.row) < std::tie(b.violation.at, b.row);
    });
    for (Found& one : found_) {
        report_.violations.push_back(std::move(one.violation));
    }
    return std::move(report_);
}

// Records the job's state and returns where its id is stored. Null if an earlier row has the same id.
const std::string* Audit::first_of_its_id(const ScheduledJob& job, const std::optional<IndexedJob>& submitted) {
    if (submitted && !submitted->is_later_run) {
        std::optional<JobState>& state = states_[submitted->number];
        if (state) {
            return nullptr;
        }
        state = job.state;
        return &submitted->description->id;
    }
    const auto [place, is_new] = other_states_.emplace(job.id, job.state);
    return is_new ? &place->first : nullptr;
}

void Audit::add(const ScheduledJob& job) {
    if (guarantees_ != nullptr) {
        started_.push_back({job.id, job.submit, job.execution ? std::optional(job.execution->start) : std::nullopt});
    }
    const std::optional<IndexedJob> submitted = jobs_.find(job.id);
    const std::string* const id = first_of_its_id(job, submitted);
    if (id == nullptr) {
        violation(job.submit, job, "there more than once");
    } else if (!submitted) {
        violation(job.submit, job, "in none of the workloads");
    } else {
        check_job(job, *id, *submitted);
    }
    ++row_;
}

void Audit::check_job(const ScheduledJob& job, const std::string& id, const IndexedJob& submitted) {
    const JobDescription& description = *submitted.description;
    if (submitted.is_later_run) {
        ++report_.resubmitted;
        later_runs_.push_back({&id, *jobs_.earlier_run(id), job.submit, row_});
    }
    check_request(job, submitted);
    if (job.success != (job.state == JobState::completed_successfully)) {
        violation(job.submit, job, "success is {:d} but the final state is {}", job.success, to_string(job.state));
    }
    if (job.state == JobState::rejected) {
        check_rejected(job, description);
        return;
    }
    if (description.processors > processors()) {
        violation(job.submit, job, "requests {} processors of {} and was not rejected", description.processors,
                  processors());
    }
    if (is_unfinished(job.state)) {
        violation(job.submit, job, "never finished");
        return;
    }
    const ExecutionRecord& times = *job.execution;
    const JobProfile* const profile = profiles_[submitted.workload].find(description.profile);
    const bool took_no_time = may_take_no_time(job, description, profile);
    ran_.push_back({&id, &description, times.start, times.finish, row_, took_no_time, job.allocation});
    check_columns(job);
    check_allocation(job, description);
    const SmallOptional<Duration> limit =
        workloads_[submitted.workload].believes_walltimes ? std::nullopt : description.walltime;
    check_end(job, limit, profile, took_no_time ? Duration() : times.length);
    const Time submit = submitted.is_later_run ? job.submit : description.submit;
    if (times.start + options_.tolerance < submit) {
        violation(times.start, job, "starts at {}, before its submission at {}", times.start, submit);
    }
}

// The schedule may list the earlier run anywhere, so this looks it up after the last row.
void Audit::find_earlier_runs() {
    for (const LaterRun& run : later_runs_) {
        earlier_runs_.emplace(run.earlier_id, nullptr);
    }
    for (const Ran& job : ran_) {
        if (const auto earlier = earlier_runs_.find(*job.id); earlier != earlier_runs_.end()) {
            earlier->second = &job;
        }
    }
}

// The state of a workload job or a later run in the schedule. None if the schedule has no job with this id.
std::optional<JobState> Audit::state_of(const std::string& id) const {
    const std::optional<IndexedJob> job = jobs_.find(id);
    if (job && !job->is_later_run) {
        return states_[job->number];
    }
    const auto other = other_states_.find(id);
    return other == other_states_.end() ? std::nullopt : std::optional(other->second);
}

// A later run must be submitted after the run before it was killed.
void Audit::check_earlier_run(const LaterRun& run) {
    row_ = run.row;
    const std::string earlier_id = shown(run.earlier_id);
    const std::optional<JobState> state = state_of(run.earlier_id);
    const Ran* const earlier = earlier_runs_.at(run.earlier_id);
    if (!state) {
        violation(run.submit, *run.id, "submitted again, but its run {} is missing", earlier_id);
    } else if (state != JobState::completed_killed || earlier == nullptr) {
        violation(run.submit, *run.id, "submitted again, but its run {} is {}, expected {}", earlier_id,
                  to_string(*state), to_string(JobState::completed_killed));
    } else if (run.submit + options_.tolerance < earlier->held_until()) {
        violation(run.submit, *run.id, "submitted again at {}, before its run {} was killed at {}", run.submit,
                  earlier_id, earlier->finish);
    }
}

// Whether a job with the length that files show for no time may have taken no time. This holds if it was killed (maybe
// at its start), if its profile and walltime leave it no time, or if its profile's length is unknown.
bool Audit::may_take_no_time(const ScheduledJob& job, const JobDescription& description,
                             const JobProfile* profile) const {
    if (job.execution->length != shown_for_no_time) {
        return false;
    }
    if (job.state == JobState::completed_killed || profile == nullptr || description.walltime == Duration()) {
        return true;
    }
    if (profile->type == JobProfile::Type::delay) {
        return profile->delay == Duration();
    }
    const bool is_known = profile->type == JobProfile::Type::parallel_homogeneous && profile->com == 0 &&
                          !job.allocation.empty() && job.allocation.last() < processors();
    return !is_known || Duration::from_seconds(computing_seconds(platform_, *profile, job.allocation)) == Duration();
}

// The first columns repeat the workload, except for the submission time of a later run.
void Audit::check_request(const ScheduledJob& job, const IndexedJob& submitted) {
    const JobDescription& description = *submitted.description;
    if (!submitted.is_later_run && !agree(job.submit, description.submit)) {
        violation(job.submit, job, "submission_time is {}, the workload has {}", job.submit, description.submit);
    }
    if (job.processors != description.processors) {
        violation(job.submit, job, "requested_number_of_resources is {}, the workload has {}", job.processors,
                  description.processors);
    }
    const bool same = job.walltime && description.walltime ? agree(*job.walltime, *description.walltime)
                                                           : job.walltime == description.walltime;
    if (!same) {
        violation(job.submit, job, "requested_time is {}, the workload has {}", job.walltime, description.walltime);
    }
}

void Audit::check_columns(const ScheduledJob& job) {
    const ExecutionRecord& times = *job.execution;
    if (times.length < Duration()) {
        violation(times.start, job, "execution_time is {}, less than 0", times.length);
    }
    const auto expect = [&](const char* column, Duration value, const char* sum, Duration expected) {
        if (!agree(value, expected)) {
            violation(times.start, job, "{} is {}, but {} is {}", column, value, sum, expected);
        }
    };
    expect("finish_time", times.finish.since_zero(), "starting_time + execution_time",
           times.start.since_zero() + times.length);
    expect("waiting_time", times.wait, "starting_time - submission_time", times.start - job.submit);
    expect("turnaround_time", times.turnaround, "finish_time - submission_time", times.finish - job.submit);
    check_stretch(job);
}

void Audit::check_stretch(const ScheduledJob& job) {
    const ExecutionRecord& times = *job.execution;
    if (!job.stretch || times.length <= Duration()) {
        return;
    }
    const double turnaround = times.turnaround.to_seconds();
    const double length = times.length.to_seconds();
    const double expected = turnaround / length;
    // Both times are rounded, and so is the quotient.
    constexpr double last_digit = 1e-6;
    const double tolerance = std::max(options_.tolerance.to_seconds(), last_digit);
    const double error = last_digit + tolerance / length * (1 + std::abs(expected));
    if (std::abs(*job.stretch - expected) > error) {
        violation(times.start, job, "stretch is {}, but turnaround_time / execution_time is {}",
                  rounded(*job.stretch, 6), rounded(expected, 6));
    }
}

void Audit::check_rejected(const ScheduledJob& job, const JobDescription& description) {
    ++report_.rejected;
    if (job.execution || !job.allocation.empty()) {
        violation(job.submit, job, "rejected, but has times or an allocation");
    }
    if (!options_.rejections_allowed && outages_.empty() && could_run(description)) {
        violation(job.submit, job,
                  "rejected, though the machine could run it: it has a walltime and requests {} of {} processors",
                  description.processors, processors());
    }
}

// Whether every algorithm can run the job. It must fit into one group of equal hosts, because an algorithm may insist
// on them. Jobs with licences do not count, since this does not check licences.
bool Audit::could_run(const JobDescription& description) const {
    int widest = 0;
    for (const Machine::Group& group : machine_.groups()) {
        widest = std::max(widest, group.processors.size());
    }
    return description.processors > 0 && description.processors <= widest && description.licenses.empty() &&
           description.walltime && *description.walltime > Duration();
}

void Audit::check_allocation(const ScheduledJob& job, const JobDescription& description) {
    const Time start = job.execution->start;
    if (job.allocation.size() != description.processors) {
        violation(start, job, "has {} processors, requested {}", job.allocation.size(), description.processors);
    }
    if (!job.allocation.empty() && job.allocation.last() >= processors()) {
        violation(start, job, "has processor {}, the platform's last is {}", job.allocation.last(), processors() - 1);
    } else if (options_.placement == Placement::contiguous && job.allocation.intervals().size() > 1) {
        violation(start, job, "has processors {}, expected consecutive ones", job.allocation);
    } else if (options_.placement == Placement::machine && !job.allocation.empty() &&
               !machine_.group_of(job.allocation.last()).processors.contains_all(job.allocation)) {
        violation(start, job, "has processors {}, expected those of one machine", job.allocation);
    }
}

// `walltime` is where the job is stopped, if it is. `shortest_length` is 0 for a job that may have taken no time,
// although the schedule shows a longer time.
void Audit::check_end(const ScheduledJob& job, const std::optional<Duration>& walltime, const JobProfile* profile,
                      Duration shortest_length) {
    const bool is_delay = profile != nullptr && profile->type == JobProfile::Type::delay;
    if (is_delay && job.state != JobState::completed_killed) {
        check_end_of_delay(job, *profile, walltime, shortest_length);
        return;
    }
    const Time start = job.execution->start;
    const Duration length = shortest_length;
    if (is_delay && length > profile->delay + options_.tolerance) {
        violation(start, job, "runs {} s, longer than its delay {}", length, profile->delay);
    }
    if (walltime && length > *walltime + options_.tolerance) {
        violation(start, job, "runs {} s, longer than its walltime {}", length, walltime);
    }
    const Duration longest = job.execution->length;
    if (job.state == JobState::completed_walltime_reached && (!walltime || longest + options_.tolerance < *walltime)) {
        violation(start, job, "is {} after {} s, its walltime is {}", to_string(job.state), longest, walltime);
    }
}

// The run time and the final state of a delay that nobody killed are known exactly.
void Audit::check_end_of_delay(const ScheduledJob& job, const JobProfile& profile,
                               const std::optional<Duration>& walltime, Duration shortest_length) {
    const Time start = job.execution->start;
    const bool reaches_walltime = walltime && profile.delay >= *walltime;
    const Duration length = reaches_walltime ? *walltime : profile.delay;
    if (!agree(shortest_length, length)) {
        violation(start, job, "runs {} s, expected {}, its {}", job.execution->length, length,
                  reaches_walltime ? "walltime" : "delay");
    }
    const JobState by_itself = profile.return_code == 0 ? JobState::completed_successfully : JobState::completed_failed;
    const JobState state = reaches_walltime ? JobState::completed_walltime_reached : by_itself;
    if (job.state != state) {
        violation(start, job, "is {}, expected {} of delay {} and walltime {}", to_string(job.state), to_string(state),
                  profile.delay, walltime);
    }
}

// If a job was killed and submitted again, only its last run counts.
void Audit::check_deadlines() {
    for (const Ran& job : ran_) {
        const SmallOptional<Time>& deadline = job.description->deadline;
        if (!deadline || earlier_runs_.contains(*job.id)) {
            continue;
        }
        ++report_.deadlines;
        if (job.held_until() <= *deadline + options_.tolerance) {
            continue;
        }
        ++report_.missed_deadlines;
        if (options_.deadlines_bind) {
            row_ = job.row;
            violation(job.finish, job, "finishes at {}, after its deadline {}", job.finish, deadline);
        }
    }
}

void Audit::check_missing() {
    std::size_t number = 0;
    for (const Workload& workload : workloads_) {
        for (const WorkloadJob& job : workload.jobs) {
            if (!states_[number++]) {
                violation(job.description.submit, job.description.id, "missing");
            }
        }
    }
}

// Sorts jobs that start together by end, then by row.
void Audit::sort_by_start() {
    by_start_.resize(ran_.size());
    std::iota(by_start_.begin(), by_start_.end(), std::uint32_t{0});
    std::sort(by_start_.begin(), by_start_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Time end_of_a = ran_[a].held_until();
        const Time end_of_b = ran_[b].held_until();
        return std::tie(ran_[a].start, end_of_a, a) < std::tie(ran_[b].start, end_of_b, b);
    });
}

// Walks the jobs by start and remembers the latest end on each processor. A job that starts before that end shares the
// processor. Reports each job once, for its lowest shared processor.
void Audit::check_processors() {
    std::vector<const Ran*> holders(static_cast<std::size_t>(processors()), nullptr);
    for (const std::uint32_t number : by_start_) {
        const Ran& job = ran_[number];
        const Time until = job.held_until();
        bool reported = false;
        for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
            for (int processor = interval.first; processor <= std::min(interval.last, processors() - 1); ++processor) {
                const Ran*& holder = holders[static_cast<std::size_t>(processor)];
                if (!reported && holder != nullptr && holder->held_until() > job.start + options_.tolerance) {
                    violation(job.start, job, "starts at {} on processor {}, which job {} has until {}", job.start,
                              processor, shown(*holder->id), holder->finish);
                    reported = true;
                }
                if (holder == nullptr || holder->held_until() < until) {
                    holder = &job;
                }
            }
        }
    }
}

// Reports each job once, for its lowest processor with an outage.
void Audit::check_outages(const Ran& job) {
    const Time start = job.start;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        for (int processor = interval.first; processor <= std::min(interval.last, processors() - 1); ++processor) {
            for (const Outages::Outage& outage : outages_.not_over_at(processor, start + options_.tolerance)) {
                if (outage.from <= start) {
                    violation(start, job, "starts at {} on processor {}, which is unavailable {}", start, processor,
                              outage);
                    return;
                }
                if (options_.jobs_survive_losses || outage.from + options_.tolerance >= job.held_until()) {
                    break;
                }
                violation(outage.from, job, "runs until {} on processor {}, which is unavailable {}", job.finish,
                          processor, outage);
                return;
            }
        }
    }
}

// Counts the used licence copies over time. As with processors, two jobs overlap only if each starts more than the
// tolerance before the other ends. So a job takes copies that much after its start, and copies are released before
// others are taken.
void Audit::check_licenses() {
    if (machine_.licenses().empty()) {
        return;
    }
    struct Change {
        Time at;
        int copies;
        const Ran* job;
        std::string license;
    };
    std::vector<Change> changes;
    for (const std::uint32_t number : by_start_) {
        const Ran* const job = &ran_[number];
        const std::vector<std::string>& listed = job->description->licenses;
        const std::set<std::string> licenses(listed.begin(), listed.end());
        if (licenses.empty()) {
            continue;
        }
        check_machine(*job, licenses);
        const Time taken = job->start + options_.tolerance;
        if (taken < job->held_until()) {
            for (const std::string& license : licenses) {
                changes.push_back({taken, 1, job, license});
                changes.push_back({job->held_until(), -1, job, license});
            }
        }
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
        return std::tie(a.at, a.copies) < std::tie(b.at, b.copies);
    });
    std::map<std::string, long long> used;
    for (const Change& change : changes) {
        long long& count = used[change.license];
        count += change.copies;
        const std::optional<LicenseIndex> known = machine_.find_license(change.license);
        const long long copies = known ? machine_.licenses()[*known].copies : 0;
        if (change.copies > 0 && count > copies) {
            violation(change.job->start, *change.job, "takes copy {} of licence {}, there are {}", count,
                      shown(change.license), copies);
        }
    }
}

// A job with licences must run on one machine that can use all of them.
void Audit::check_machine(const Ran& job, const std::set<std::string>& licenses) {
    const Machine::Group* first = nullptr;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        for (int processor = interval.first; processor <= std::min(interval.last, processors() - 1); ++processor) {
            const Machine::Group& group = machine_.group_of(processor);
            first = first == nullptr ? &group : first;
            if (group.name != first->name) {
                violation(job.start, job, "needs licences and is on machines {} and {}", shown(first->name),
                          shown(group.name));
                return;
            }
            if (std::any_of(licenses.begin(), licenses.end(),
                            [&](const std::string& license) { return !can_use(group, license); })) {
                violation(job.start, job, "needs licences that processor {} does not have", processor);
                return;
            }
        }
    }
}

bool Audit::can_use(const Machine::Group& group, const std::string& license) const {
    const std::optional<LicenseIndex> known = machine_.find_license(license);
    return known && std::binary_search(group.licenses.begin(), group.licenses.end(), *known);
}

// Each job of the schedule must have one guarantee, and each guarantee must belong to such a job.
void Audit::check_guarantees() {
    std::unordered_map<std::string_view, const Started*> scheduled;  // the first one of each id
    for (const Started& job : started_) {
        scheduled.emplace(job.id, &job);
    }
    std::unordered_set<std::string_view> listed;
    for (const Guarantee& guarantee : *guarantees_) {
        const auto job = scheduled.find(guarantee.job_id);
        if (!listed.insert(guarantee.job_id).second) {
            violation(Time(), guarantee.job_id, "among the guarantees more than once");
        } else if (job == scheduled.end()) {
            violation(Time(), guarantee.job_id, "among the guarantees, but not in the schedule");
        } else {
            check_guarantee(guarantee, *job->second);
        }
    }
    for (const Started& job : started_) {
        if (!listed.contains(job.id)) {
            violation(job.submit, job.id, "not among the guarantees");
        }
    }
    for (const auto& [id, broken] : broken_) {
        if (!listed.contains(id)) {
            violation(broken.front()->lost_at, std::string(id),
                      "has a broken guarantee, but is not among the guarantees");
        }
    }
}

void Audit::check_guarantee(const Guarantee& guarantee, const Started& job) {
    const std::optional<Time>& start = job.start;
    const bool same =
        start && guarantee.actual_start ? agree(*start, *guarantee.actual_start) : start == guarantee.actual_start;
    if (!same) {
        violation(start.value_or(job.submit), job.id, "actual_start is {}, starting_time {}", guarantee.actual_start,
                  start);
    }
    if (!guarantee.guaranteed_start) {
        if (broken_.contains(job.id)) {
            violation(job.submit, job.id, "has a broken guarantee, but was guaranteed nothing");
        }
        return;
    }
    const Time guaranteed = *guarantee.guaranteed_start;
    ++report_.guarantees;
    if (guaranteed + options_.tolerance < job.submit) {
        violation(job.submit, job.id, "was guaranteed a start at {}, before its submission at {}", guaranteed,
                  job.submit);
    }
    const auto is_kept = [&](Time by) { return start && *start <= by + options_.tolerance; };
    const std::optional<Time> last = last_guarantee(guaranteed, job);
    if (!is_kept(guaranteed)) {
        ++report_.broken_guarantees;
        report_.listed_broken_guarantees += broken_.contains(job.id) ? 1U : 0U;
    }
    if (last && !is_kept(*last)) {
        violation(start.value_or(*last), job.id, "was guaranteed a start at {} and {}", last,
                  start ? "starts at " + start->to_string() : "never starts");
    }
}

// The job's guarantee after all processor losses that broke it; none if the last loss left none. Each loss must break
// the guarantee before it, in the order of time.
std::optional<Time> Audit::last_guarantee(Time guaranteed, const Started& job) {
    const auto broken = broken_.find(job.id);
    std::optional<Time> last = guaranteed;
    if (broken == broken_.end()) {
        return last;
    }
    Time before = job.submit;
    for (const BrokenGuarantee* one : broken->second) {
        if (!last || !agree(one->guaranteed_start, *last)) {
            violation(one->lost_at, job.id, "its guarantee broken at {} was a start at {}, expected {}", one->lost_at,
                      one->guaranteed_start, last);
            return guaranteed;
        }
        if (one->lost_at + options_.tolerance < before || one->lost_at > *last + options_.tolerance) {
            violation(one->lost_at, job.id, "its guarantee broken at {}: expected a time from {} to {}", one->lost_at,
                      before, last);
            return guaranteed;
        }
        if (one->new_start && *one->new_start <= *last) {
            violation(one->lost_at, job.id, "its guarantee broken at {} is now {}, which is not later", one->lost_at,
                      one->new_start);
            return guaranteed;
        }
        before = one->lost_at;
        last = one->new_start;
    }
    return last;
}

}  // namespace

CheckReport check_schedule(const ScheduleSource& schedule, const std::vector<Workload>& workloads,
                           const Platform& platform, const CheckOptions& options,
                           const std::vector<Guarantee>* guarantees, const std::vector<BrokenGuarantee>* broken,
                           const std::vector<std::vector<ExternalEvent>>& event_lists) {
    assert(guarantees != nullptr || broken == nullptr);
    Audit audit(workloads, platform, options, guarantees, broken, event_lists);
    schedule([&](const ScheduledJob& job) { audit.add(job); });
    return audit.finish();
}

CheckReport check_schedule(const Schedule& schedule, const std::vector<Workload>& workloads, const Platform& platform,
                           const CheckOptions& options, const std::vector<Guarantee>* guarantees,
                           const std::vector<BrokenGuarantee>* broken,
                           const std::vector<std::vector<ExternalEvent>>& event_lists) {
    const auto all_jobs = [&](const auto& use) { std::for_each(schedule.jobs.begin(), schedule.jobs.end(), use); };
    return check_schedule(ScheduleSource(all_jobs), workloads, platform, options, guarantees, broken, event_lists);
}

}  // namespace batfill
