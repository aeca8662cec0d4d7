#include <string>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/simulator/simulation.hpp"
#include "src/support/json.hpp"

// How jobs start and end.
namespace batfill {

void Simulation::require_simulable(const JobProfile& profile, const std::string& place, const JobDescription& job) {
    const bool computes = profile.type == JobProfile::Type::parallel_homogeneous && profile.com == 0;
    if (profile.type != JobProfile::Type::delay && !computes) {
        throw InputError(place + "job " + shown(job.id) + ": profile " + in_quotes(job.profile) + " of type " +
                         profile.type_name + " cannot be simulated, expected delay or parallel_homogeneous with com 0");
    }
}

void Simulation::reject(JobNumber number) {
    SimulatedJob& job = named_job(number);
    if (job.state != JobState::submitted) {
        throw InputError("the scheduler rejects job " + shown(job.job->description.id) + ", which is not waiting");
    }
    job.state = JobState::rejected;
    --in_queue_;
    results_.ended.push_back(number);
}

// How long a job would run, if this is the same on all hosts.
std::optional<Duration> Simulation::known_run_time(const JobProfile& profile) const {
    if (profile.type == JobProfile::Type::delay) {
        return profile.delay;
    }
    return equal_speed_ > 0 ? Duration::from_seconds(profile.cpu / equal_speed_) : std::nullopt;
}

Duration Simulation::run_time(const SimulatedJob& job, JobState& end) {
    end = job.profile->return_code == 0 ? JobState::completed_successfully : JobState::completed_failed;
    std::optional<Duration> walltime;
    if (!job.may_outlive_walltime) {
        walltime = job.job->description.walltime;
    }
    const bool delays = job.profile->type == JobProfile::Type::delay;
    const double seconds = delays ? 0 : computing_seconds(scenario_.platform, *job.profile, job.allocation);
    const std::optional<Duration> whole = delays ? job.profile->delay : Duration::from_seconds(seconds);
    const Duration launch = run_limits_.launch_delay;
    bool ends_at_walltime = !delays;  // as a computation; a delay is killed then
    if (walltime && !run_limits_.are_none()) {
        walltime = run_limits_.stop(job.start, *walltime) - job.start;
        ends_at_walltime = true;
    }
    if (walltime && (!whole || launch + *whole > *walltime || (!ends_at_walltime && *whole == *walltime))) {
        end = JobState::completed_walltime_reached;
        return *walltime;
    }
    refuse_if<InputError>(
        !whole, [&] { return "job " + shown(job.job->description.id) + " would compute for more than 1e18 seconds"; });
    results_.rounded_run_times += delays || static_cast<double>(whole->count()) / 1e6 == seconds ? 0U : 1U;
    return launch + *whole;
}

void Simulation::start(StartJob& decision) {
    SimulatedJob& job = named_job(decision.job);
    const JobDescription& description = job.job->description;
    const auto refuse = [&](const std::string& why) {
        throw InputError("the scheduler starts job " + shown(description.id) + " at " + results_.now.to_string() +
                         ": " + why);
    };
    if (job.state != JobState::submitted) {
        refuse("it is not waiting");
    }
    if (decision.allocation.empty() || decision.allocation.size() != description.processors) {
        refuse("it needs " + std::to_string(description.processors) + " processors and gets " +
               std::to_string(decision.allocation.size()));
    }
    for (const int processor : {decision.allocation.last(), decision.allocation.intervals().front().first}) {
        if (!machines_.has(processor)) {
            refuse("processor " + std::to_string(processor) + " does not exist");
        }
    }
    for (const ResourceSet::Interval& interval : decision.allocation.intervals()) {
        if (const int other = machines_.first_not_free(interval); other >= 0) {
            refuse("processor " + std::to_string(other) + " is " + Machines::name_of(machines_.state(other)));
        }
        machines_.take(interval, results_.now);
    }
    job.state = JobState::running;
    job.allocation = std::move(decision.allocation);
    if (!decision.cores.empty()) {
        results_.cores[decision.job] = std::move(decision.cores);
    }
    job.start = results_.now;
    job.end = results_.now + run_time(job, job.expected_state);
    --in_queue_;
    ++pending_;
    set_timer(job.end, Kind::job, static_cast<std::size_t>(decision.job));
}

void Simulation::kill(const KillJobs& decision) {
    std::vector<JobNumber> killed;
    for (const JobNumber number : decision.jobs) {
        SimulatedJob& job = named_job(number);
        if (job.end_told) {
            throw InputError("the scheduler kills job " + shown(job.job->description.id) + ", which has ended");
        }
        refuse_if<InputError>(
            job.state == JobState::not_submitted || job.state == JobState::submitted || job.state == JobState::rejected,
            [&] { return "the scheduler kills job " + shown(job.job->description.id) + ", which has not started"; });
        if (std::exchange(job.kill_requested, true)) {
            continue;
        }
        killed.push_back(number);
        if (job.state == JobState::running) {
            job.end = results_.now;
            leave_machines(job, JobState::completed_killed);
        }
    }
    if (!killed.empty()) {
        mailbox_.push_back({Kind::killing_done, 0, std::move(killed)});
    }
}

void Simulation::report_kill(const std::vector<JobNumber>& killed) {
    for (const JobNumber number : killed) {
        if (job(number).state == JobState::completed_killed) {
            report_end(number);
        }
    }
    tell(JobsKilled{killed});
}

void Simulation::report_end(JobNumber number) {
    --pending_;
    results_.ended.push_back(number);
    tell(JobCompleted{number, job(number).state});
}

void Simulation::leave_machines(SimulatedJob& job, JobState state) {
    const ReportedTimes times(job);
    // Times that can be read may have a sum that cannot.
    if (times.finish.since_zero() > Duration::longest_readable() || times.turnaround > Duration::longest_readable()) {
        throw InputError("job " + shown(job.job->description.id) + " ends at " + times.finish.to_string() + " s, " +
                         times.turnaround.to_string() + " s after its submission, expected at most 1e18 s");
    }
    job.state = state;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        machines_.leave(interval, results_.now);
    }
}

}  // namespace batfill
