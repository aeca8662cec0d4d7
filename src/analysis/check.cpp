#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <batfill/check.hpp>

#include "outages.hpp"
#include "src/core/csv_text.hpp"
#include "src/core/json.hpp"
#include "workload_jobs.hpp"

namespace batfill {

namespace {

using analysis::IndexedJob;
using analysis::Outages;
using analysis::WorkloadJobs;

template <class Optional>
std::string text(const Optional& value) {
    return value ? value->to_string() : "none";
}

class Audit {
 public:
    Audit(const Schedule& schedule, const std::vector<Workload>& workloads, const Platform& platform,
          const CheckOptions& options, const std::vector<Guarantee>* guarantees,
          const std::vector<BrokenGuarantee>* broken, const std::vector<std::vector<ExternalEvent>>& event_lists)
        : schedule_(schedule),
          workloads_(workloads),
          jobs_(workloads),
          platform_(platform),
          machine_(platform.hosts),
          outages_(event_lists, processors()),
          options_(options),
          guarantees_(guarantees) {
        scheduled_.reserve(schedule.jobs.size());
        for (const ScheduledJob& job : schedule.jobs) {
            scheduled_.emplace(job.id, &job);
            some_are_later_runs_ = some_are_later_runs_ || analysis::may_be_later_run(job.id);
        }
        if (broken != nullptr) {
            for (const BrokenGuarantee& one : *broken) {
                broken_[one.job_id].push_back(&one);
            }
        }
    }

    CheckReport run();

 private:
    void check_job(const ScheduledJob& job);
    void check_request(const ScheduledJob& job, const JobDescription& description);
    void check_submission(const ScheduledJob& job, const JobDescription& description);
    void check_earlier_run(const ScheduledJob& job, const std::string& earlier_id);
    bool is_submitted_again(const ScheduledJob& job) const;
    bool may_take_no_time(const ScheduledJob& job) const;
    Duration shortest_length(const ScheduledJob& job) const;
    Time held_until(const ScheduledJob& job) const;
    void check_columns(const ScheduledJob& job);
    void check_stretch(const ScheduledJob& job);
    void check_rejected(const ScheduledJob& job, const JobDescription& description);
    bool could_run(const JobDescription& description) const;
    void check_allocation(const ScheduledJob& job, const JobDescription& description);
    void check_end(const ScheduledJob& job, const IndexedJob& submitted);
    void check_end_of_delay(const ScheduledJob& job, const JobProfile& profile,
                            const std::optional<Duration>& walltime);
    void check_deadline(const ScheduledJob& job, const JobDescription& description);
    void check_missing();
    void check_processors();
    void check_outages();
    void check_outages(const ScheduledJob& job);
    void check_licenses();
    void check_machine(const ScheduledJob& job, const std::set<std::string>& licenses);
    bool can_use(const Machine::Group& group, const std::string& license) const;
    void check_guarantees();
    void check_guarantee(const Guarantee& guarantee, const ScheduledJob& job);
    std::optional<Time> last_guarantee(Time guaranteed, const ScheduledJob& job);

    int processors() const { return machine_.processors(); }
    bool agree(Duration a, Duration b) const { return a <= b + options_.tolerance && b <= a + options_.tolerance; }
    bool agree(Time a, Time b) const { return agree(a.since_zero(), b.since_zero()); }
    void violation(Time at, const ScheduledJob& job, const std::string& what) {
        report_.violations.push_back({at, "job " + shown(job.id) + ": " + what});
    }

    const Schedule& schedule_;
    const std::vector<Workload>& workloads_;
    WorkloadJobs jobs_;
    const Platform& platform_;
    Machine machine_;
    Outages outages_;
    CheckOptions options_;
    const std::vector<Guarantee>* guarantees_;
    std::unordered_map<std::string_view, const ScheduledJob*> scheduled_;  // the first one of each id
    bool some_are_later_runs_ = false;
    std::map<std::string_view, std::vector<const BrokenGuarantee*>> broken_;  // of each job, in the order of the list
    CheckReport report_;
    std::vector<const ScheduledJob*> ran_;  // jobs of the workloads that have an execution
};

CheckReport Audit::run() {
    report_.jobs = schedule_.jobs.size();
    for (const ScheduledJob& job : schedule_.jobs) {
        check_job(job);
    }
    check_missing();
    std::stable_sort(ran_.begin(), ran_.end(), [&](const ScheduledJob* a, const ScheduledJob* b) {
        return a->execution->start != b->execution->start ? a->execution->start < b->execution->start
                                                          : held_until(*a) < held_until(*b);
    });
    check_processors();
    check_outages();
    check_licenses();
    if (guarantees_ != nullptr) {
        check_guarantees();
    }
    std::stable_sort(report_.violations.begin(), report_.violations.end(),
                     [](const Violation& a, const Violation& b) { return a.at < b.at; });
    return std::move(report_);
}

void Audit::check_job(const ScheduledJob& job) {
    if (scheduled_.find(job.id)->second != &job) {
        violation(job.submit, job, "there more than once");
        return;
    }
    const IndexedJob* submitted = jobs_.find(job.id);
    if (submitted == nullptr) {
        violation(job.submit, job, "in none of the workloads");
        return;
    }
    const JobDescription& description = *submitted->description;
    check_request(job, description);
    if (job.success != (job.state == JobState::completed_successfully)) {
        violation(
            job.submit, job,
            std::string("success is ") + (job.success ? "1" : "0") + " but the final state is " + to_string(job.state));
    }
    if (job.state == JobState::rejected) {
        check_rejected(job, description);
        return;
    }
    if (description.processors > processors()) {
        violation(job.submit, job,
                  "requests " + std::to_string(description.processors) + " processors of " +
                      std::to_string(processors()) + " and was not rejected");
    }
    if (is_unfinished(job.state)) {
        violation(job.submit, job, "never finished");
        return;
    }
    ran_.push_back(&job);
    check_columns(job);
    check_allocation(job, description);
    check_end(job, *submitted);
    if (!is_submitted_again(job)) {
        check_deadline(job, description);
    }
    const Time submit = jobs_.earlier_run(job.id) ? job.submit : description.submit;
    if (job.execution->start + options_.tolerance < submit) {
        violation(job.execution->start, job,
                  "starts at " + job.execution->start.to_string() + ", before its submission at " + submit.to_string());
    }
}

// A job of a workload is submitted when that says so, a later run when the one before it has been killed.
void Audit::check_submission(const ScheduledJob& job, const JobDescription& description) {
    if (const std::optional<std::string> earlier_id = jobs_.earlier_run(job.id)) {
        ++report_.resubmitted;
        check_earlier_run(job, *earlier_id);
    } else if (!agree(job.submit, description.submit)) {
        violation(
            job.submit, job,
            "submission_time is " + job.submit.to_string() + ", the workload has " + description.submit.to_string());
    }
}

void Audit::check_earlier_run(const ScheduledJob& job, const std::string& earlier_id) {
    const auto found = scheduled_.find(earlier_id);
    if (found == scheduled_.end()) {
        violation(job.submit, job, "submitted again, but its run " + shown(earlier_id) + " is missing");
        return;
    }
    const ScheduledJob& earlier = *found->second;
    if (earlier.state != JobState::completed_killed || !earlier.execution) {
        violation(job.submit, job,
                  "submitted again, but its run " + shown(earlier_id) + " is " + to_string(earlier.state) +
                      ", expected " + to_string(JobState::completed_killed));
    } else if (job.submit + options_.tolerance < held_until(earlier)) {
        violation(job.submit, job,
                  "submitted again at " + job.submit.to_string() + ", before its run " + shown(earlier_id) +
                      " was killed at " + earlier.execution->finish.to_string());
    }
}

// Whether another run of the job came after this one.
bool Audit::is_submitted_again(const ScheduledJob& job) const {
    if (!some_are_later_runs_) {
        return false;
    }
    const std::string later_id = analysis::later_run(job.id, !jobs_.earlier_run(job.id));
    return scheduled_.contains(later_id) && jobs_.earlier_run(later_id) == job.id;
}

// Whether a job that is shown with the time of one that took none may be one: it was killed, perhaps at the instant of
// its start, or all that its profile and its walltime leave it is no time, or nobody knows how long its profile takes.
bool Audit::may_take_no_time(const ScheduledJob& job) const {
    if (job.execution->length != shown_for_no_time) {
        return false;
    }
    const IndexedJob* const submitted = jobs_.find(job.id);
    if (job.state == JobState::completed_killed || submitted == nullptr || submitted->profile == nullptr ||
        submitted->description->walltime == Duration()) {
        return true;
    }
    const JobProfile& profile = *submitted->profile;
    if (profile.type == JobProfile::Type::delay) {
        return profile.delay == Duration();
    }
    const bool is_known = profile.type == JobProfile::Type::parallel_homogeneous && profile.com == 0 &&
                          !job.allocation.empty() && job.allocation.last() < processors();
    return !is_known || Duration::from_seconds(computing_seconds(platform_, profile, job.allocation)) == Duration();
}

// How long a job has run at least.
Duration Audit::shortest_length(const ScheduledJob& job) const {
    return may_take_no_time(job) ? Duration() : job.execution->length;
}

// How long a job has held its processors at least.
Time Audit::held_until(const ScheduledJob& job) const {
    return may_take_no_time(job) ? job.execution->start : job.execution->finish;
}

// The first columns repeat the workload.
void Audit::check_request(const ScheduledJob& job, const JobDescription& description) {
    check_submission(job, description);
    if (job.processors != description.processors) {
        violation(job.submit, job,
                  "requested_number_of_resources is " + std::to_string(job.processors) + ", the workload has " +
                      std::to_string(description.processors));
    }
    const bool same = job.walltime && description.walltime ? agree(*job.walltime, *description.walltime)
                                                           : job.walltime == description.walltime;
    if (!same) {
        violation(job.submit, job,
                  "requested_time is " + text(job.walltime) + ", the workload has " + text(description.walltime));
    }
}

void Audit::check_columns(const ScheduledJob& job) {
    const ExecutionRecord& times = *job.execution;
    if (times.length < Duration()) {
        violation(times.start, job, "execution_time is " + times.length.to_string() + ", less than 0");
    }
    if (!agree(times.finish, times.start + times.length)) {
        violation(times.start, job,
                  "finish_time is " + times.finish.to_string() + ", but starting_time + execution_time is " +
                      (times.start + times.length).to_string());
    }
    if (!agree(times.wait, times.start - job.submit)) {
        violation(times.start, job,
                  "waiting_time is " + times.wait.to_string() + ", but starting_time - submission_time is " +
                      (times.start - job.submit).to_string());
    }
    if (!agree(times.turnaround, times.finish - job.submit)) {
        violation(times.start, job,
                  "turnaround_time is " + times.turnaround.to_string() + ", but finish_time - submission_time is " +
                      (times.finish - job.submit).to_string());
    }
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
        violation(times.start, job,
                  "stretch is " + rounded(*job.stretch, 6) + ", but turnaround_time / execution_time is " +
                      rounded(expected, 6));
    }
}

void Audit::check_rejected(const ScheduledJob& job, const JobDescription& description) {
    ++report_.rejected;
    if (job.execution || !job.allocation.empty()) {
        violation(job.submit, job, "rejected, but has times or an allocation");
    }
    if (!options_.rejections_allowed && outages_.empty() && could_run(description)) {
        violation(job.submit, job,
                  "rejected, though the machine could run it: it has a walltime and requests " +
                      std::to_string(description.processors) + " of " + std::to_string(processors()) + " processors");
    }
}

// Where hosts differ, an algorithm may want all of a job's to be alike. Of licences nobody knows here.
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
        violation(start, job,
                  "has " + std::to_string(job.allocation.size()) + " processors, requested " +
                      std::to_string(description.processors));
    }
    if (!job.allocation.empty() && job.allocation.last() >= processors()) {
        violation(start, job,
                  "has processor " + std::to_string(job.allocation.last()) + ", the platform's last is " +
                      std::to_string(processors() - 1));
    } else if (options_.placement == Placement::contiguous && job.allocation.intervals().size() > 1) {
        violation(start, job, "has processors " + job.allocation.to_string() + ", expected consecutive ones");
    } else if (options_.placement == Placement::machine && !job.allocation.empty() &&
               !machine_.group_of(job.allocation.last()).processors.contains_all(job.allocation)) {
        violation(start, job, "has processors " + job.allocation.to_string() + ", expected those of one machine");
    }
}

void Audit::check_end(const ScheduledJob& job, const IndexedJob& submitted) {
    const bool is_delay = submitted.profile != nullptr && submitted.profile->type == JobProfile::Type::delay;
    if (is_delay && job.state != JobState::completed_killed) {
        check_end_of_delay(job, *submitted.profile, submitted.description->walltime);
        return;
    }
    const Time start = job.execution->start;
    const Duration length = shortest_length(job);
    if (is_delay && length > submitted.profile->delay + options_.tolerance) {
        violation(start, job,
                  "runs " + length.to_string() + " s, longer than its delay " + submitted.profile->delay.to_string());
    }
    const std::optional<Duration>& walltime = submitted.description->walltime;
    if (walltime && length > *walltime + options_.tolerance) {
        violation(start, job, "runs " + length.to_string() + " s, longer than its walltime " + walltime->to_string());
    }
    const Duration longest = job.execution->length;
    if (job.state == JobState::completed_walltime_reached && (!walltime || longest + options_.tolerance < *walltime)) {
        violation(start, job,
                  "is " + std::string(to_string(job.state)) + " after " + longest.to_string() + " s, its walltime is " +
                      text(walltime));
    }
}

// Of a delay that nobody killed, the run time and the final state are known exactly.
void Audit::check_end_of_delay(const ScheduledJob& job, const JobProfile& profile,
                               const std::optional<Duration>& walltime) {
    const Time start = job.execution->start;
    const bool reaches_walltime = walltime && profile.delay >= *walltime;
    const Duration length = reaches_walltime ? *walltime : profile.delay;
    if (!agree(shortest_length(job), length)) {
        violation(start, job,
                  "runs " + job.execution->length.to_string() + " s, expected " + length.to_string() +
                      (reaches_walltime ? ", its walltime" : ", its delay"));
    }
    const JobState by_itself = profile.return_code == 0 ? JobState::completed_successfully : JobState::completed_failed;
    const JobState state = reaches_walltime ? JobState::completed_walltime_reached : by_itself;
    if (job.state != state) {
        violation(start, job,
                  std::string("is ") + to_string(job.state) + ", expected " + to_string(state) + " of delay " +
                      profile.delay.to_string() + " and walltime " + text(walltime));
    }
}

void Audit::check_deadline(const ScheduledJob& job, const JobDescription& description) {
    if (!description.deadline) {
        return;
    }
    ++report_.deadlines;
    if (held_until(job) <= *description.deadline + options_.tolerance) {
        return;
    }
    ++report_.missed_deadlines;
    if (options_.deadlines_bind) {
        violation(job.execution->finish, job,
                  "finishes at " + job.execution->finish.to_string() + ", after its deadline " +
                      description.deadline->to_string());
    }
}

void Audit::check_missing() {
    for (const Workload& workload : workloads_) {
        for (const WorkloadJob& job : workload.jobs) {
            if (!scheduled_.contains(job.description.id)) {
                report_.violations.push_back(
                    {job.description.submit, "job " + shown(job.description.id) + ": missing"});
            }
        }
    }
}

// Walks the jobs by start and remembers for every processor the job that holds it longest. A job that starts before
// that one is over shares the processor with it. Each job is reported once, on its lowest such processor.
void Audit::check_processors() {
    std::vector<const ScheduledJob*> holders(static_cast<std::size_t>(processors()), nullptr);
    for (const ScheduledJob* job : ran_) {
        const Time start = job->execution->start;
        const Time until = held_until(*job);
        bool reported = false;
        for (const ResourceSet::Interval& interval : job->allocation.intervals()) {
            for (int processor = interval.first; processor <= std::min(interval.last, processors() - 1); ++processor) {
                const ScheduledJob*& holder = holders[static_cast<std::size_t>(processor)];
                if (!reported && holder != nullptr && held_until(*holder) > start + options_.tolerance) {
                    violation(start, *job,
                              "starts at " + start.to_string() + " on processor " + std::to_string(processor) +
                                  ", which job " + shown(holder->id) + " has until " +
                                  holder->execution->finish.to_string());
                    reported = true;
                }
                if (holder == nullptr || held_until(*holder) < until) {
                    holder = job;
                }
            }
        }
    }
}

void Audit::check_outages() {
    if (!outages_.empty()) {
        for (const ScheduledJob* job : ran_) {
            check_outages(*job);
        }
    }
}

// Each job is reported once, on its lowest such processor.
void Audit::check_outages(const ScheduledJob& job) {
    const Time start = job.execution->start;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        for (int processor = interval.first; processor <= std::min(interval.last, processors() - 1); ++processor) {
            for (const Outages::Outage& outage : outages_.not_over_at(processor, start + options_.tolerance)) {
                if (outage.from <= start) {
                    violation(start, job,
                              "starts at " + start.to_string() + " on processor " + std::to_string(processor) +
                                  ", which is unavailable " + outage.to_string());
                    return;
                }
                if (options_.jobs_survive_losses || outage.from + options_.tolerance >= held_until(job)) {
                    break;
                }
                violation(outage.from, job,
                          "runs until " + job.execution->finish.to_string() + " on processor " +
                              std::to_string(processor) + ", which is unavailable " + outage.to_string());
                return;
            }
        }
    }
}

// Follows the licences in use through time. As with processors, two jobs overlap only if each starts, by more than the
// tolerance, before the other ends: copies are taken that much after the start, and copies freed are taken up first.
void Audit::check_licenses() {
    if (machine_.counters().empty()) {
        return;
    }
    struct Change {
        Time at;
        int copies;
        const ScheduledJob* job;
        std::string license;
    };
    std::vector<Change> changes;
    for (const ScheduledJob* job : ran_) {
        const std::vector<std::string>& listed = jobs_.find(job->id)->description->licenses;
        const std::set<std::string> licenses(listed.begin(), listed.end());
        if (licenses.empty()) {
            continue;
        }
        check_machine(*job, licenses);
        const Time taken = job->execution->start + options_.tolerance;
        if (taken < held_until(*job)) {
            for (const std::string& license : licenses) {
                changes.push_back({taken, 1, job, license});
                changes.push_back({held_until(*job), -1, job, license});
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
        const std::optional<CounterIndex> counter = machine_.find_counter(change.license);
        const long long copies = counter ? machine_.counters()[*counter].copies : 0;
        if (change.copies > 0 && count > copies) {
            violation(change.job->execution->start, *change.job,
                      "takes copy " + std::to_string(count) + " of licence " + shown(change.license) + ", there are " +
                          std::to_string(copies));
        }
    }
}

// A job with licences runs on one machine that may have all of them.
void Audit::check_machine(const ScheduledJob& job, const std::set<std::string>& licenses) {
    const Machine::Group* first = nullptr;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        for (int processor = interval.first; processor <= std::min(interval.last, processors() - 1); ++processor) {
            const Machine::Group& group = machine_.group_of(processor);
            first = first == nullptr ? &group : first;
            if (group.name != first->name) {
                violation(job.execution->start, job,
                          "needs licences and is on machines " + shown(first->name) + " and " + shown(group.name));
                return;
            }
            if (std::any_of(licenses.begin(), licenses.end(),
                            [&](const std::string& license) { return !can_use(group, license); })) {
                violation(job.execution->start, job,
                          "needs licences that processor " + std::to_string(processor) + " does not have");
                return;
            }
        }
    }
}

bool Audit::can_use(const Machine::Group& group, const std::string& license) const {
    const std::optional<CounterIndex> counter = machine_.find_counter(license);
    return counter && std::binary_search(group.counters.begin(), group.counters.end(), *counter);
}

// Every job of the schedule has one line among the guarantees, and no other job has.
void Audit::check_guarantees() {
    std::unordered_set<std::string_view> listed;
    for (const Guarantee& guarantee : *guarantees_) {
        const auto job = scheduled_.find(guarantee.job_id);
        const std::string name = "job " + shown(guarantee.job_id);
        if (!listed.insert(guarantee.job_id).second) {
            report_.violations.push_back({Time(), name + ": among the guarantees more than once"});
        } else if (job == scheduled_.end()) {
            report_.violations.push_back({Time(), name + ": among the guarantees, but not in the schedule"});
        } else {
            check_guarantee(guarantee, *job->second);
        }
    }
    for (const ScheduledJob& job : schedule_.jobs) {
        if (!listed.contains(job.id)) {
            violation(job.submit, job, "not among the guarantees");
        }
    }
    for (const auto& [id, broken] : broken_) {
        if (!listed.contains(id)) {
            report_.violations.push_back({broken.front()->lost_at, "job " + shown(id) +
                                                                       ": has a broken guarantee, but is not among "
                                                                       "the guarantees"});
        }
    }
}

void Audit::check_guarantee(const Guarantee& guarantee, const ScheduledJob& job) {
    const std::optional<Time> start = job.execution ? std::optional(job.execution->start) : std::nullopt;
    const bool same =
        start && guarantee.actual_start ? agree(*start, *guarantee.actual_start) : start == guarantee.actual_start;
    if (!same) {
        violation(start.value_or(job.submit), job,
                  "actual_start is " + text(guarantee.actual_start) + ", starting_time " + text(start));
    }
    if (!guarantee.guaranteed_start) {
        if (broken_.contains(job.id)) {
            violation(job.submit, job, "has a broken guarantee, but was guaranteed nothing");
        }
        return;
    }
    const Time guaranteed = *guarantee.guaranteed_start;
    ++report_.guarantees;
    if (guaranteed + options_.tolerance < job.submit) {
        violation(job.submit, job,
                  "was guaranteed a start at " + guaranteed.to_string() + ", before its submission at " +
                      job.submit.to_string());
    }
    const auto is_kept = [&](Time by) { return start && *start <= by + options_.tolerance; };
    const std::optional<Time> last = last_guarantee(guaranteed, job);
    if (!is_kept(guaranteed)) {
        ++report_.broken_guarantees;
        report_.listed_broken_guarantees += broken_.contains(job.id) ? 1U : 0U;
    }
    if (last && !is_kept(*last)) {
        violation(start.value_or(*last), job,
                  "was guaranteed a start at " + last->to_string() + " and " +
                      (start ? "starts at " + start->to_string() : "never starts"));
    }
}

// What a job is guaranteed after all losses of processors that broke its guarantee; nothing if the last left it none.
// Each has to break the guarantee before it, in time.
std::optional<Time> Audit::last_guarantee(Time guaranteed, const ScheduledJob& job) {
    const auto broken = broken_.find(job.id);
    std::optional<Time> last = guaranteed;
    if (broken == broken_.end()) {
        return last;
    }
    Time before = job.submit;
    for (const BrokenGuarantee* one : broken->second) {
        const std::string which = "its guarantee broken at " + one->lost_at.to_string();
        if (!last || !agree(one->guaranteed_start, *last)) {
            violation(one->lost_at, job,
                      which + " was a start at " + one->guaranteed_start.to_string() + ", expected " + text(last));
            return guaranteed;
        }
        if (one->lost_at + options_.tolerance < before || one->lost_at > *last + options_.tolerance) {
            violation(one->lost_at, job,
                      which + ": expected a time from " + before.to_string() + " to " + last->to_string());
            return guaranteed;
        }
        if (one->new_start && *one->new_start <= *last) {
            violation(one->lost_at, job, which + " is now " + one->new_start->to_string() + ", which is not later");
            return guaranteed;
        }
        before = one->lost_at;
        last = one->new_start;
    }
    return last;
}

}  // namespace

CheckReport check_schedule(const Schedule& schedule, const std::vector<Workload>& workloads, const Platform& platform,
                           const CheckOptions& options, const std::vector<Guarantee>* guarantees,
                           const std::vector<BrokenGuarantee>* broken,
                           const std::vector<std::vector<ExternalEvent>>& event_lists) {
    assert(guarantees != nullptr || broken == nullptr);
    return Audit(schedule, workloads, platform, options, guarantees, broken, event_lists).run();
}

}  // namespace batfill
