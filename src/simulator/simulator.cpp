#include <algorithm>
#include <utility>

#include <batfill/error.hpp>
#include <batfill/simulator.hpp>

namespace batfill {

double computing_seconds(const Platform& platform, const JobProfile& profile, const ResourceSet& processors) {
    double slowest = platform.hosts[static_cast<std::size_t>(processors.last())].speed;
    for (const ResourceSet::Interval& interval : processors.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            slowest = std::min(slowest, platform.hosts[static_cast<std::size_t>(host)].speed);
        }
    }
    return profile.cpu / slowest;
}

Simulator::Simulator(const Scenario& scenario) : scenario_(scenario), machines_(scenario.platform.hosts.size()) {
    for (const Workload& workload : scenario.workloads) {
        std::vector<JobNumber>& submissions = submissions_.emplace_back();
        submissions.reserve(workload.jobs.size());
        for (const WorkloadJob& job : workload.jobs) {
            const JobProfile& profile = workload.profiles.at(job.description.profile);
            const bool computes = profile.type == JobProfile::Type::parallel_homogeneous && profile.com == 0;
            if (profile.type != JobProfile::Type::delay && !computes) {
                throw InputError(workload.path + ": job " + job.description.id + ": profile '" +
                                 job.description.profile + "' of type " + profile.type_name +
                                 " cannot be simulated, expected delay or parallel_homogeneous with com 0");
            }
            submissions.push_back(jobs_.size());
            SimulatedJob& simulated = jobs_.emplace_back();
            simulated.workload = &workload;
            simulated.job = &job;
            simulated.profile = &profile;
        }
        std::sort(submissions.begin(), submissions.end(), [this](JobNumber a, JobNumber b) {
            const JobDescription& x = jobs_[a].job->description;
            const JobDescription& y = jobs_[b].job->description;
            return x.submit != y.submit ? x.submit < y.submit : x.id < y.id;
        });
    }
    submitted_.resize(scenario.workloads.size());
    occurred_.resize(scenario.event_lists.size());
}

std::optional<JobNumber> Simulator::find_job(const std::string& id) const {
    if (by_id_.empty()) {
        for (JobNumber number = 0; number < jobs_.size(); ++number) {
            by_id_.emplace(jobs_[number].job->description.id, number);
        }
    }
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

void Simulator::sleep(Time until, Sleeper::Kind kind, std::size_t number) {
    sleepers_.push({until, order_++, kind, number});
}

void Simulator::run(SimulatedScheduler& scheduler, const Progress& progress) {
    job_submitters_ = scenario_.workloads.size();
    event_submitters_ = scenario_.event_lists.size();
    for (std::size_t i = 0; i < scenario_.workloads.size(); ++i) {
        const bool any = !submissions_[i].empty();
        sleep(any ? std::max(now_, jobs_[submissions_[i].front()].job->description.submit) : now_,
              Sleeper::Kind::submitter, i);
    }
    for (std::size_t i = 0; i < scenario_.event_lists.size(); ++i) {
        const auto& events = scenario_.event_lists[i];
        sleep(events.empty() ? now_ : events.front().time, Sleeper::Kind::event_submitter, i);
    }
    try {
        ++messages_;
        scheduler.begin(*this, reply_);
        next_action_ = 0;
        continue_reply();
        while (true) {
            read_mailbox();
            if (scheduler_ready_ && !frame_.empty()) {
                send(scheduler);
                continue;
            }
            if (!late_letters_.empty()) {
                std::swap(mailbox_, late_letters_);
                continue;
            }
            if (scheduler_ready_ && finished()) {
                break;
            }
            if (sleepers_.empty()) {
                throw DeadlockError(deadlock());
            }
            now_ = std::max(now_, sleepers_.top().time);
            while (!sleepers_.empty() && sleepers_.top().time <= now_) {
                const Sleeper sleeper = sleepers_.top();
                sleepers_.pop();
                wake(sleeper);
            }
            if (progress && messages_ % 4096 == 0) {
                progress(ended_.size(), now_);
            }
        }
    } catch (...) {
        scheduler.end(now_);
        throw;
    }
    scheduler.end(now_);
    if (progress) {
        progress(ended_.size(), now_);
    }
}

void Simulator::send(SimulatedScheduler& scheduler) {
    // A submitter says goodbye while its last message is under way, before the scheduler's reply comes in.
    std::swap(mailbox_, late_letters_);
    late_letters_.clear();
    for (const SimulatedEvent& event : frame_) {
        if (event.kind == SimulatedEvent::Kind::completed) {
            jobs_[event.job].forgotten = true;
        }
    }
    reply_.actions.clear();
    reply_.now = now_;
    ++messages_;
    scheduler_ready_ = false;
    scheduler.message(now_, frame_, reply_);
    frame_.clear();
    next_action_ = 0;
    read_mailbox();
    continue_reply();
}

void Simulator::read_mailbox() {
    while (next_letter_ < mailbox_.size()) {
        const Letter letter = mailbox_[next_letter_++];  // a copy, because new letters may come in meanwhile
        deliver(letter);
    }
    mailbox_.clear();
    next_letter_ = 0;
}

void Simulator::wake(const Sleeper& sleeper) {
    if (sleeper.kind == Sleeper::Kind::job) {
        SimulatedJob& job = jobs_[sleeper.number];
        if (job.state != JobState::running) {
            return;  // it was killed
        }
        leave_machines(job, job.expected_state);
    }
    mailbox_.push_back({Letter::Kind::wake, sleeper, {}});
}

void Simulator::deliver(const Letter& letter) {
    if (letter.kind == Letter::Kind::reply_goes_on) {
        continue_reply();
        return;
    }
    if (letter.kind == Letter::Kind::killed) {
        report_kill(letter.killed);
        return;
    }
    if (letter.kind != Letter::Kind::wake) {
        goodbye(letter.kind);
        return;
    }
    switch (letter.sleeper.kind) {
        case Sleeper::Kind::submitter:
            submit(letter.sleeper.number);
            break;
        case Sleeper::Kind::event_submitter:
            external_events(letter.sleeper.number);
            break;
        case Sleeper::Kind::job:
            report_end(letter.sleeper.number);
            break;
        case Sleeper::Kind::call:
            --pending_calls_;
            add_event(SimulatedEvent::Kind::call);
            break;
        case Sleeper::Kind::reply:
            continue_reply();
            break;
    }
}

SimulatedEvent& Simulator::add_event(SimulatedEvent::Kind kind) {
    SimulatedEvent& event = frame_.emplace_back();
    event.kind = kind;
    event.timestamp = now_;
    return event;
}

void Simulator::submit(std::size_t workload) {
    const std::vector<JobNumber>& submissions = submissions_[workload];
    std::size_t& next = submitted_[workload];
    while (next < submissions.size() && jobs_[submissions[next]].job->description.submit <= now_) {
        const JobNumber number = submissions[next++];
        jobs_[number].state = JobState::submitted;
        ++in_queue_;
        add_event(SimulatedEvent::Kind::submitted).job = number;
    }
    if (next < submissions.size()) {
        sleep(jobs_[submissions[next]].job->description.submit, Sleeper::Kind::submitter, workload);
        return;
    }
    say_goodbye(Letter::Kind::job_submitter_bye, submissions.empty());
}

void Simulator::say_goodbye(Letter::Kind kind, bool said_nothing) {
    // If other letters are still in the mailbox, the farewell comes in behind them; else only after the frame has left.
    if (said_nothing) {
        goodbye(kind);
    } else if (next_letter_ < mailbox_.size()) {
        mailbox_.push_back({kind, {}, {}});
    } else {
        late_letters_.push_back({kind, {}, {}});
    }
}

void Simulator::external_events(std::size_t list) {
    const std::vector<ExternalEvent>& events = scenario_.event_lists[list];
    std::size_t& next = occurred_[list];
    while (next < events.size() && events[next].time <= now_) {
        const ExternalEvent& event = events[next++];
        if (event.kind != ExternalEvent::Kind::other) {
            change_machines(event);
        }
        SimulatedEvent& told = add_event(SimulatedEvent::Kind::notify);
        told.notification = event.kind == ExternalEvent::Kind::other ? event.type : "event_" + event.type;
        told.event = &event;
    }
    if (next < events.size()) {
        sleep(events[next].time, Sleeper::Kind::event_submitter, list);
        return;
    }
    say_goodbye(Letter::Kind::event_submitter_bye, events.empty());
}

void Simulator::goodbye(Letter::Kind kind) {
    const bool jobs = kind == Letter::Kind::job_submitter_bye;
    if (--(jobs ? job_submitters_ : event_submitters_) == 0) {
        add_event(SimulatedEvent::Kind::notify).notification =
            jobs ? "no_more_static_job_to_submit" : "no_more_external_event_to_occur";
    }
}

void Simulator::continue_reply() {
    std::size_t waiting_since = order_++;
    for (bool first = true;; first = false) {
        const bool more = next_action_ < reply_.actions.size();
        const Time due = more ? reply_.actions[next_action_].timestamp : reply_.now;
        if (due > now_) {
            sleepers_.push({due, waiting_since, Sleeper::Kind::reply, 0});
            return;
        }
        if (!first && next_letter_ < mailbox_.size()) {
            mailbox_.push_back({Letter::Kind::reply_goes_on, {}, {}});
            return;
        }
        if (!more) {
            scheduler_ready_ = true;
            return;
        }
        // The reply already waits for its next action when the job that this action starts begins to run.
        waiting_since = order_++;
        apply(reply_.actions[next_action_++]);
    }
}

void Simulator::apply(SchedulerAction& action) {
    switch (action.kind) {
        case SchedulerAction::Kind::start:
            start(action);
            break;
        case SchedulerAction::Kind::reject: {
            SimulatedJob& job = jobs_[action.job];
            if (job.state != JobState::submitted) {
                throw InputError("the scheduler rejects job " + job.job->description.id + ", which is not waiting");
            }
            job.state = JobState::rejected;
            --in_queue_;
            ended_.push_back(action.job);
            break;
        }
        case SchedulerAction::Kind::kill:
            kill(action);
            break;
        case SchedulerAction::Kind::call:
            if (action.call <= now_) {
                throw InputError("the scheduler asks at " + now_.to_string() + " for a call at " +
                                 action.call.to_string() + ", which is not in the future");
            }
            ++pending_calls_;
            sleep(action.call, Sleeper::Kind::call, 0);
            break;
        case SchedulerAction::Kind::metadata:
            jobs_[action.job].metadata = std::move(action.metadata);
            break;
        case SchedulerAction::Kind::nothing:
            break;
    }
}

Duration Simulator::run_time(const SimulatedJob& job, JobState& end) const {
    end = job.profile->return_code == 0 ? JobState::completed_successfully : JobState::completed_failed;
    const std::optional<Duration>& walltime = job.job->description.walltime;
    if (job.profile->type == JobProfile::Type::delay) {
        if (walltime && job.profile->delay >= *walltime) {
            end = JobState::completed_walltime_reached;
            return *walltime;
        }
        return job.profile->delay;
    }
    const std::optional<Duration> computing =
        Duration::from_seconds(computing_seconds(scenario_.platform, *job.profile, job.allocation));
    if (walltime && (!computing || *computing > *walltime)) {
        end = JobState::completed_walltime_reached;
        return *walltime;
    }
    if (!computing) {
        throw InputError("job " + job.job->description.id + " would compute for more than 1e18 seconds");
    }
    return *computing;
}

void Simulator::start(SchedulerAction& action) {
    SimulatedJob& job = jobs_[action.job];
    const JobDescription& description = job.job->description;
    const auto refuse = [&](const std::string& why) {
        throw InputError("the scheduler starts job " + description.id + " at " + now_.to_string() + ": " + why);
    };
    if (job.state != JobState::submitted) {
        refuse("it is not waiting");
    }
    if (action.allocation.empty() || action.allocation.size() != description.processors) {
        refuse("it needs " + std::to_string(description.processors) + " processors and gets " +
               std::to_string(action.allocation.size()));
    }
    if (action.allocation.last() >= static_cast<int>(machines_.size())) {
        refuse("processor " + std::to_string(action.allocation.last()) + " does not exist");
    }
    for (const ResourceSet::Interval& interval : action.allocation.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            Machine& machine = machines_[static_cast<std::size_t>(host)];
            if (machine.state != MachineState::idle) {
                refuse("processor " + std::to_string(host) +
                       (machine.state == MachineState::computing ? " is busy" : " is unavailable"));
            }
            set_state(machine, MachineState::computing);
            machine.busy = true;
        }
    }
    job.state = JobState::running;
    job.allocation = std::move(action.allocation);
    job.start = now_;
    job.end = now_ + run_time(job, job.expected_state);
    --in_queue_;
    ++running_;
    sleep(job.end, Sleeper::Kind::job, action.job);
}

void Simulator::kill(SchedulerAction& action) {
    std::vector<JobNumber> killed;
    for (const JobNumber number : action.jobs) {
        SimulatedJob& job = jobs_[number];
        if (job.forgotten) {
            throw InputError("the scheduler kills job " + job.job->description.id + ", which has ended");
        }
        if (job.state == JobState::not_submitted || job.state == JobState::submitted ||
            job.state == JobState::rejected) {
            throw InputError("the scheduler kills job " + job.job->description.id + ", which has not started");
        }
        if (!std::exchange(job.kill_requested, true)) {
            killed.push_back(number);
        }
    }
    if (killed.empty()) {
        return;
    }
    for (const JobNumber number : killed) {
        SimulatedJob& job = jobs_[number];
        if (job.state == JobState::running) {
            job.end = now_;
            leave_machines(job, JobState::completed_killed);
        }
    }
    if (next_letter_ < mailbox_.size()) {
        mailbox_.push_back({Letter::Kind::killed, {}, std::move(killed)});
    } else {
        report_kill(killed);
    }
}

void Simulator::report_kill(const std::vector<JobNumber>& killed) {
    for (const JobNumber number : killed) {
        if (jobs_[number].state == JobState::completed_killed) {
            report_end(number);
        }
    }
    add_event(SimulatedEvent::Kind::killed).jobs = killed;
}

void Simulator::report_end(JobNumber number) {
    --running_;
    ended_.push_back(number);
    add_event(SimulatedEvent::Kind::completed).job = number;
}

void Simulator::leave_machines(SimulatedJob& job, JobState state) {
    job.state = state;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            Machine& machine = machines_[static_cast<std::size_t>(host)];
            machine.busy = false;
            if (machine.state != MachineState::unavailable) {
                set_state(machine, MachineState::idle);
            }
        }
    }
}

void Simulator::set_state(Machine& machine, MachineState state) {
    const Duration spent = now_ - machine.since;
    switch (machine.state) {
        case MachineState::idle:
            machine_times_.idle = machine_times_.idle + spent;
            break;
        case MachineState::computing:
            machine_times_.computing = machine_times_.computing + spent;
            break;
        case MachineState::unavailable:
            machine_times_.unavailable = machine_times_.unavailable + spent;
            break;
    }
    machine.state = state;
    machine.since = now_;
}

void Simulator::change_machines(const ExternalEvent& event) {
    const bool available = event.kind == ExternalEvent::Kind::machine_available;
    for (const ResourceSet::Interval& interval : event.processors.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            const auto refuse = [&](const char* why) {
                throw InputError("event " + event.type + " at " + event.time.to_string() + ": processor " +
                                 std::to_string(host) + why);
            };
            if (host >= static_cast<int>(machines_.size())) {
                refuse(" does not exist");
            }
            Machine& machine = machines_[static_cast<std::size_t>(host)];
            if ((machine.state == MachineState::unavailable) != available) {
                refuse(available ? " is not unavailable" : " is unavailable already");
            }
            if (available) {
                set_state(machine, machine.busy ? MachineState::computing : MachineState::idle);
            } else {
                set_state(machine, MachineState::unavailable);
            }
        }
    }
}

bool Simulator::finished() const {
    return job_submitters_ == 0 && event_submitters_ == 0 && running_ == 0 && in_queue_ == 0 && pending_calls_ == 0;
}

std::string Simulator::deadlock() const {
    const auto waiting = std::find_if(jobs_.begin(), jobs_.end(),
                                      [](const SimulatedJob& job) { return job.state == JobState::submitted; });
    return "the simulation stops at " + now_.to_string() + " with " + std::to_string(in_queue_) +
           " jobs that the scheduler never started, the first of them " + waiting->job->description.id;
}

}  // namespace batfill
