#include <algorithm>
#include <string>
#include <utility>

#include <batfill/core/error.hpp>

#include "simulated_jobs.hpp"
#include "simulation.hpp"
#include "src/support/json.hpp"

// How jobs start and end.
namespace batfill {

namespace {

// Times that can be read may have a sum that cannot.
void require_readable_times(const SimulatedJob& job) {
    const ReportedTimes times(job);
    if (times.finish.since_zero() > Duration::longest_readable() || times.turnaround > Duration::longest_readable()) {
        throw InputError("job " + shown(job.job->description.id) + " ends at " + times.finish.to_string() + " s, " +
                         times.turnaround.to_string() + " s after its submission, expected at most 1e18 s");
    }
}

}  // namespace

void Simulation::require_simulable(const JobProfile& profile, const std::string& place, const JobDescription& job) {
    const bool computes = profile.type == JobProfile::Type::parallel_homogeneous && profile.com == 0;
    if (profile.type != JobProfile::Type::delay && !computes) {
        throw InputError(place + "job " + shown(job.id) + ": profile " + in_quotes(job.profile) + " of type " +
                         profile.type_name + " cannot be simulated, expected delay or parallel_homogeneous with com 0");
    }
}

void Simulation::reject(JobNumber number) {
    SimulatedJob& job = this->job(number);
    if (job.state != JobState::submitted) {
        throw InputError("the scheduler rejects job " + shown(job.job->description.id) + ", which is not waiting");
    }
    job.state = JobState::rejected;
    --in_queue_;
    ended_.push_back(number);
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
    if (job.profile->type == JobProfile::Type::delay) {
        if (walltime && job.profile->delay >= *walltime) {
            end = JobState::completed_walltime_reached;
            return *walltime;
        }
        return job.profile->delay;
    }
    const double seconds = computing_seconds(scenario_.platform, *job.profile, job.allocation);
    const std::optional<Duration> computing = Duration::from_seconds(seconds);
    if (walltime && (!computing || *computing > *walltime)) {
        end = JobState::completed_walltime_reached;
        return *walltime;
    }
    if (!computing) {
        throw InputError("job " + shown(job.job->description.id) + " would compute for more than 1e18 seconds");
    }
    rounded_run_times_ += static_cast<double>(computing->count()) / 1e6 == seconds ? 0U : 1U;
    return *computing;
}

void Simulation::start(StartJob& decision) {
    SimulatedJob& job = this->job(decision.job);
    const JobDescription& description = job.job->description;
    const auto refuse = [&](const std::string& why) {
        throw InputError("the scheduler starts job " + shown(description.id) + " at " + now_.to_string() + ": " + why);
    };
    if (job.state != JobState::submitted) {
        refuse("it is not waiting");
    }
    if (decision.allocation.empty() || decision.allocation.size() != description.processors) {
        refuse("it needs " + std::to_string(description.processors) + " processors and gets " +
               std::to_string(decision.allocation.size()));
    }
    if (!machines_.has(decision.allocation.last())) {
        refuse("processor " + std::to_string(decision.allocation.last()) + " does not exist");
    }
    for (const ResourceSet::Interval& interval : decision.allocation.intervals()) {
        if (const int other = machines_.first_not_idle(interval); other >= 0) {
            refuse("processor " + std::to_string(other) + " is " + Machines::name_of(machines_.state(other)));
        }
        machines_.take(interval, now_);
    }
    job.state = JobState::running;
    job.allocation = std::move(decision.allocation);
    job.start = now_;
    job.end = now_ + run_time(job, job.expected_state);
    --in_queue_;
    ++running_;
    set_timer(job.end, Timer::Kind::job, static_cast<std::size_t>(decision.job));
}

void Simulation::kill(const KillJobs& decision) {
    std::vector<JobNumber> killed;
    for (const JobNumber number : decision.jobs) {
        SimulatedJob& job = this->job(number);
        if (job.end_told) {
            throw InputError("the scheduler kills job " + shown(job.job->description.id) + ", which has ended");
        }
        if (job.state == JobState::not_submitted || job.state == JobState::submitted ||
            job.state == JobState::rejected) {
            throw InputError("the scheduler kills job " + shown(job.job->description.id) + ", which has not started");
        }
        if (!std::exchange(job.kill_requested, true)) {
            killed.push_back(number);
        }
    }
    if (killed.empty()) {
        return;
    }
    for (const JobNumber number : killed) {
        SimulatedJob& job = this->job(number);
        if (job.state == JobState::running) {
            job.end = now_;
            leave_machines(job, JobState::completed_killed);
        }
    }
    mailbox_.push_back({Message::Kind::killing_done, {}, std::move(killed)});
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
    --running_;
    ended_.push_back(number);
    tell(JobCompleted{number, job(number).state});
}

void Simulation::leave_machines(SimulatedJob& job, JobState state) {
    require_readable_times(job);
    job.state = state;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        machines_.leave(interval, now_);
    }
}

}  // namespace batfill
