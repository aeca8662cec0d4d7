#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <batfill/analysis/check_schedule.hpp>

#include "src/analysis/audit.hpp"
#include "src/formats/job_json.hpp"

namespace batfill {

namespace analysis {

CheckReport Audit::finish() {
    report_.jobs = row_;
    // The schedule may list the earlier run anywhere, so this looks it up after the last row.
    for (const LaterRun& run : later_runs_) {
        earlier_runs_.emplace(run.earlier_id, nullptr);
    }
    for (const Ran& job : ran_) {
        if (const auto earlier = earlier_runs_.find(*job.id); earlier != earlier_runs_.end()) {
            earlier->second = &job;
        }
    }
    if (options_.placement == Placement::machine ||
        std::ranges::any_of(ran_, [](const Ran& job) { return !job.description->licenses.empty(); })) {
        machine_.require_groups();
    }
    machine_.require_resources();
    std::ranges::for_each(later_runs_, [&](const LaterRun& run) { check_earlier_run(run); });
    check_deadlines();
    check_dependencies();
    row_ = no_row;
    std::size_t number = 0;
    for (const Workload& workload : workloads_) {
        for (const WorkloadJob& job : workload.jobs) {
            expect(states_[number++].has_value(), job.description.submit, job.description.id, "missing");
        }
    }
    std::ranges::sort(ran_, {}, [](const Ran& job) { return std::tuple(job.start, job.held_until(), job.row); });
    check_processors();
    if (!outages_.empty()) {
        std::ranges::for_each(ran_, [&](const Ran& job) { check_outages(job); });
    }
    check_licenses();
    check_resources();
    check_limits();
    check_windows();
    if (guarantees_ != nullptr) {
        check_guarantees();
    }
    std::ranges::stable_sort(found_, {}, [](const Found& one) { return std::tuple(one.violation.at, one.row); });
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
    expect(job.success == (job.state == JobState::completed_successfully), job.submit, job,
           "success is {:d} but the final state is {}", job.success, to_string(job.state));
    if (job.state == JobState::rejected) {
        check_rejected(job, submitted);
        return;
    }
    expect(description.processors <= processors(), job.submit, job, "requests {} processors of {} and was not rejected",
           description.processors, processors());
    if (is_unfinished(job.state)) {
        violation(job.submit, job, "never finished");
        return;
    }
    const ExecutionRecord& times = *job.execution;
    const JobProfile* const profile = profiles_[submitted.workload].find(description.profile);
    const bool took_no_time = may_take_no_time(job, description, profile);
    if (job.cores) {
        cores_.emplace(row_, job.cores);
    }
    ran_.push_back({&id, &description, times.start, times.finish, row_, took_no_time, job.allocation});
    check_columns(job);
    check_allocation(job, description);
    SmallOptional<Duration> limit =
        workloads_[submitted.workload].believes_walltimes ? std::nullopt : description.walltime;
    if (limit && counts_limits()) {
        limit = options_.run_limits.stop(times.start, *limit) - times.start;
    }
    check_end(job, limit, profile, took_no_time ? Duration() : times.length);
    const Time submit = submitted.is_later_run ? job.submit : description.submit;
    expect(times.start + options_.tolerance >= submit, times.start, job, "starts at {}, before its submission at {}",
           times.start, submit);
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

// Whether a job with the length that files show for no time may have taken no time:
// - it was killed, maybe at its start
// - its profile and walltime leave it no time
// - the length of its profile is unknown
bool Audit::may_take_no_time(const ScheduledJob& job, const JobDescription& description,
                             const JobProfile* profile) const {
    if (job.execution->length != shown_for_no_time) {
        return false;
    }
    if (job.state == JobState::completed_killed || profile == nullptr || description.walltime == Duration()) {
        return true;
    }
    if (profile->type == JobProfile::Type::delay) {
        return profile->delay + options_.run_limits.launch_delay == Duration();
    }
    const bool is_known = profile->type == JobProfile::Type::parallel_homogeneous && profile->com == 0 &&
                          !job.allocation.empty() && job.allocation.last() < processors();
    return !is_known || Duration::from_seconds(computing_seconds(platform_, *profile, job.allocation)) == Duration();
}

// The first columns repeat the workload, except for the submission time of a later run.
void Audit::check_request(const ScheduledJob& job, const IndexedJob& submitted) {
    const JobDescription& description = *submitted.description;
    expect(submitted.is_later_run || agree(job.submit, description.submit), job.submit, job,
           "submission_time is {}, the workload has {}", job.submit, description.submit);
    expect(job.processors == description.processors, job.submit, job,
           "requested_number_of_resources is {}, the workload has {}", job.processors, description.processors);
    expect(agree_or_none(job.walltime, description.walltime), job.submit, job,
           "requested_time is {}, the workload has {}", job.walltime, description.walltime);
}

void Audit::check_columns(const ScheduledJob& job) {
    const ExecutionRecord& times = *job.execution;
    expect(times.length >= Duration(), times.start, job, "execution_time is {}, less than 0", times.length);
    const auto compare = [&](const char* column, Duration value, const char* sum, Duration expected) {
        expect(agree(value, expected), times.start, job, "{} is {}, but {} is {}", column, value, sum, expected);
    };
    compare("finish_time", times.finish.since_zero(), "starting_time + execution_time",
            times.start.since_zero() + times.length);
    compare("waiting_time", times.wait, "starting_time - submission_time", times.start - job.submit);
    compare("turnaround_time", times.turnaround, "finish_time - submission_time", times.finish - job.submit);
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

void Audit::check_rejected(const ScheduledJob& job, const IndexedJob& submitted) {
    const JobDescription& description = *submitted.description;
    ++report_.rejected;
    expect(!job.execution && job.allocation.empty(), job.submit, job, "rejected, but has times or an allocation");
    if (options_.rejections_allowed || options_.decided_by_seconds || !outages_.empty() || !could_run(description)) {
        return;
    }
    if (!submitted.is_later_run && description.needs && !description.needs->after.empty()) {
        rejected_dependents_.push_back({&description, row_});
        return;
    }
    violation(job.submit, job,
              "rejected, though the machine could run it: it has a walltime and requests {} of {} processors",
              description.processors, processors());
}

// Whether every algorithm can run the job. It must fit into one group of equal hosts, because an algorithm may insist
// on them. Jobs with licences do not count, since this does not check licences.
bool Audit::could_run(const JobDescription& description) const {
    const auto fits = [&](const Machine::Group& group) { return description.processors <= group.processors.size(); };
    return description.processors > 0 && std::ranges::any_of(machine_.groups(), fits) && description.licenses.empty() &&
           description.walltime && *description.walltime > Duration() && refusal_of(description).empty() &&
           !may_miss_booking(description);
}

// Whether it depends on the time whether a window can still hold the job.
bool Audit::may_miss_booking(const JobDescription& description) const {
    return machine_.has_bookings() && description.needs && description.needs->booking;
}

void Audit::check_allocation(const ScheduledJob& job, const JobDescription& description) {
    const Time start = job.execution->start;
    expect(job.allocation.size() == description.processors, start, job, "has {} processors, requested {}",
           job.allocation.size(), description.processors);
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
    if (is_delay && length > options_.run_limits.launch_delay + profile->delay + options_.tolerance) {
        violation(start, job, "runs {} s, longer than its delay {}", length,
                  options_.run_limits.launch_delay + profile->delay);
    }
    expect(!walltime || length <= *walltime + options_.tolerance, start, job, "runs {} s, longer than its {} {}",
           length, name_of_limit(), walltime);
    const Duration longest = job.execution->length;
    const bool reached = walltime && longest + options_.tolerance >= *walltime;
    expect(reached || job.state != JobState::completed_walltime_reached, start, job, "is {} after {} s, its {} is {}",
           to_string(job.state), longest, name_of_limit(), walltime);
}

// The run time and the final state of a delay that nobody killed are known exactly.
void Audit::check_end_of_delay(const ScheduledJob& job, const JobProfile& profile,
                               const std::optional<Duration>& walltime, Duration shortest_length) {
    const Time start = job.execution->start;
    const Duration whole = options_.run_limits.launch_delay + profile.delay;
    const bool reaches_walltime = walltime && (counts_limits() ? whole > *walltime : whole >= *walltime);
    const Duration length = reaches_walltime ? *walltime : whole;
    expect(agree(shortest_length, length), start, job, "runs {} s, expected {}, its {}", job.execution->length, length,
           reaches_walltime ? name_of_limit() : "delay");
    const JobState by_itself = profile.return_code == 0 ? JobState::completed_successfully : JobState::completed_failed;
    const JobState state = reaches_walltime ? JobState::completed_walltime_reached : by_itself;
    expect(job.state == state, start, job, "is {}, expected {} of delay {} and {} {}", to_string(job.state),
           to_string(state), whole, name_of_limit(), walltime);
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
        expect(listed.contains(job.id), job.submit, job.id, "not among the guarantees");
    }
    for (const auto& [id, broken] : broken_) {
        expect(listed.contains(id), broken.front()->lost_at, std::string(id),
               "has a broken guarantee, but is not among the guarantees");
    }
}

void Audit::check_guarantee(const Guarantee& guarantee, const Started& job) {
    const std::optional<Time>& start = job.start;
    expect(agree_or_none(start, guarantee.actual_start), start.value_or(job.submit), job.id,
           "actual_start is {}, starting_time {}", guarantee.actual_start, start);
    if (!guarantee.guaranteed_start) {
        expect(!broken_.contains(job.id), job.submit, job.id, "has a broken guarantee, but was guaranteed nothing");
        return;
    }
    const Time guaranteed = *guarantee.guaranteed_start;
    ++report_.guarantees;
    expect(guaranteed + options_.tolerance >= job.submit, job.submit, job.id,
           "was guaranteed a start at {}, before its submission at {}", guaranteed, job.submit);
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

// The job's guarantee after all that broke it; none if the last row of it left none. Each row must break the guarantee
// before it, in the order of time.
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
        if (one->cause == GuaranteeBreakCause::parked && one->new_start) {
            violation(one->lost_at, job.id, "its guarantee ended at {} as the job was parked, and is now {}",
                      one->lost_at, one->new_start);
            return guaranteed;
        }
        before = one->lost_at;
        last = one->new_start;
    }
    return last;
}

}  // namespace analysis

CheckReport check_schedule(const ScheduleSource& schedule, const std::vector<Workload>& workloads,
                           const Platform& platform, const CheckOptions& options,
                           const std::vector<Guarantee>* guarantees, const std::vector<BrokenGuarantee>* broken,
                           const std::vector<std::vector<ExternalEvent>>& event_lists) {
    assert(guarantees != nullptr || broken == nullptr);
    for (const Workload& workload : workloads) {
        require_bookings(workload, platform.windows);
    }
    analysis::Audit audit(workloads, platform, options, guarantees, broken, event_lists);
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
