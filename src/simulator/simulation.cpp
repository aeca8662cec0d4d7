#include "src/simulator/simulation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

#include <batfill/core/error.hpp>

#include "src/formats/job_json.hpp"
#include "src/formats/profile_index.hpp"
#include "src/support/json.hpp"
#include "src/support/overloaded.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// So few that whoever hears of progress can stop a simulation at once, also when each message takes milliseconds.
constexpr std::size_t messages_between_progress = 64;

// A time as a message of Batsim 5 carries it, with twelve decimals.
double in_json(double seconds) {
    std::array<char, 400> text;  // the largest double has 309 digits before the point
    const char* const end =
        std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 12).ptr;
    std::from_chars(text.data(), end, seconds);
    return seconds;
}

}  // namespace

Simulation::Simulation(const Scenario& scenario)
    : scenario_(scenario), machines_(scenario.platform.hosts.size(), like_batsim5()) {
    for (const Workload& workload : scenario.workloads) {
        require_bookings(workload, scenario.platform.windows);
        has_dependencies_ = batfill::has_dependencies(workload) || has_dependencies_;
        std::vector<JobNumber>& submissions = submissions_.emplace_back();
        add_jobs(workload, submissions);
        const auto submitted_before = [this](JobNumber a, JobNumber b) {
            const JobDescription& x = job(a).job->description;
            const JobDescription& y = job(b).job->description;
            return x.submit != y.submit ? x.submit < y.submit : x.id < y.id;
        };
        // Most workloads already have this order.
        if (!std::ranges::is_sorted(submissions, submitted_before)) {
            std::ranges::sort(submissions, submitted_before);
        }
    }
    const std::vector<Host>& hosts = scenario.platform.hosts;
    if (!hosts.empty() && std::ranges::all_of(hosts, [&](const Host& host) { return host.speed == hosts[0].speed; })) {
        equal_speed_ = hosts[0].speed;
    }
    ResourceSet shared;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (hosts[i].properties.contains("capacity")) {
            shared.insert(ResourceSet::range(static_cast<int>(i), static_cast<int>(i)));
        }
    }
    machines_.may_be_shared(std::move(shared));
    submitted_.resize(scenario.workloads.size());
    occurred_.resize(scenario.event_lists.size());
}

void Simulation::add_jobs(const Workload& workload, std::vector<JobNumber>& numbers) {
    ProfileIndex profiles(workload);
    results_.jobs.reserve(results_.jobs.size() + workload.jobs.size());
    numbers.reserve(workload.jobs.size());
    for (const WorkloadJob& job : workload.jobs) {
        numbers.push_back(static_cast<JobNumber>(results_.jobs.size()));
        SimulatedJob& simulated = results_.jobs.emplace_back();
        simulated.job = &job;
        simulated.profile = profiles.find(job.description.profile);
        simulated.may_outlive_walltime = workload.believes_walltimes;
        require_simulable(*simulated.profile, workload.path + ": ", job.description);
    }
}

SimulatedJob& Simulation::named_job(JobNumber number) {
    refuse_if<InputError>(static_cast<std::size_t>(number) >= results_.jobs.size(), [&] {
        return "the scheduler names job number " + std::to_string(static_cast<std::size_t>(number)) + " at " +
               results_.now.to_string() + ", expected a number below " + std::to_string(results_.jobs.size());
    });
    return job(number);
}

std::optional<JobNumber> Simulation::find_job(const std::string& id) const {
    if (by_id_.empty()) {
        by_id_.reserve(results_.jobs.size());
        for (std::size_t number = 0; number < results_.jobs.size(); ++number) {
            by_id_.emplace(results_.jobs[number].job->description.id, static_cast<JobNumber>(number));
        }
    }
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

void Simulation::set_timer(const Timer& timer) {
    timers_.push(timer);
    if (!clock_) {
        return;
    }
    // A job's timer sleeps for its run time. All other timers sleep until a time.
    if (timer.kind == Kind::job) {
        clock_->sleep(timer.order, (timer.time - results_.now).to_seconds());
    } else {
        clock_->sleep_until(timer.order, timer.time.since_zero().to_seconds());
    }
}

void Simulation::run(const Simulator& simulator, SimulatedScheduler& scheduler, const Simulator::Progress& progress) {
    if (like_batsim5()) {
        clock_.emplace();
    }
    run_limits_ = scheduler.run_limits();
    dynamic_jobs_ = scenario_.enable_dynamic_jobs || scheduler.registers_jobs();
    profile_reuse_ = scenario_.enable_profile_reuse || scheduler.registers_jobs();
    job_submitters_ = scenario_.workloads.size();
    event_submitters_ = scenario_.event_lists.size();
    for (std::size_t i = 0; i < scenario_.workloads.size(); ++i) {
        const bool any = !submissions_[i].empty();
        set_timer(any ? std::max(results_.now, job(submissions_[i].front()).job->description.submit) : results_.now,
                  Kind::submitter, i);
    }
    for (std::size_t i = 0; i < scenario_.event_lists.size(); ++i) {
        const auto& events = scenario_.event_lists[i];
        set_timer(events.empty() ? results_.now : events.front().time, Kind::event_submitter, i);
    }
    try {
        begin(simulator, scheduler);
        while (true) {
            read_mailbox();
            if (scheduler_ready_ && !events_.empty()) {
                send(scheduler);
                continue;
            }
            if (!late_messages_.empty()) {
                std::swap(mailbox_, late_messages_);
                continue;
            }
            if (scheduler_ready_ && (finished() || waits_no_longer_)) {
                break;
            }
            if (timers_.empty()) {
                throw DeadlockError(deadlock());
            }
            results_.now = std::max(results_.now, timers_.top().time);
            expire_timers();
            if (progress && results_.messages % messages_between_progress == 0) {
                progress(results_.ended.size(), results_.now);
            }
        }
    } catch (...) {
        scheduler.end(results_.now);
        throw;
    }
    scheduler.end(results_.now);
    if (progress) {
        progress(results_.ended.size(), results_.now);
    }
}

void Simulation::begin(const Simulator& simulator, SimulatedScheduler& scheduler) {
    ++results_.messages;
    scheduler.begin(simulator, reply_);
    next_decision_ = 0;
    // Batsim 4 processes a reply decision by decision. Submissions of that instant come in between. In Batsim 5 they
    // come before the decisions of the first reply.
    const bool registers = std::ranges::any_of(
        reply_.decisions, [](const auto& timed) { return std::holds_alternative<RegisterJob>(timed.decision); });
    if (like_batsim5() || registers) {
        expire_timers();
        read_mailbox();
        std::swap(mailbox_, late_messages_);  // the scheduler's reply is also on its way
    }
    continue_reply();
}

void Simulation::send(SimulatedScheduler& scheduler) {
    // A submitter's last word arrives while its last events are on their way, before the scheduler's reply.
    std::swap(mailbox_, late_messages_);
    late_messages_.clear();
    for (const Event& event : events_) {
        if (const auto* completed = std::get_if<JobCompleted>(&event.data)) {
            job(completed->job).end_told = true;
            if (dynamic_jobs_) {
                removed_profiles_.insert(job(completed->job).profile);
            }
        }
    }
    const bool only_calls = std::ranges::all_of(
        events_, [](const Event& event) { return std::holds_alternative<RequestedCall>(event.data); });
    reply_.decisions.clear();
    reply_.now = results_.now;
    ++results_.messages;
    scheduler_ready_ = false;
    scheduler.message(results_.now, events_, reply_);
    events_.clear();
    const bool asks_only = !reply_.decisions.empty() && std::ranges::all_of(reply_.decisions, [](const auto& timed) {
        return std::holds_alternative<CallMeLater>(timed.decision);
    });
    idle_calls_ = only_calls && asks_only && only_calls_will_happen() ? idle_calls_ + 1 : 0;
    if (idle_calls_ > 0) {
        note_idle_call(scheduler);
    }
    next_decision_ = 0;
    take_in_reply();
}

// Puts the reply into the mailbox: behind a submitter's last word, but before a submitter that continues after a wait
// for no time (continue_submission()). If the reply must itself wait for its `now`, which is the clock's time with the
// decimals of JSON, it comes behind both.
void Simulation::take_in_reply() {
    const bool waits = clock_ && clock_->go_on_to(in_json(clock_->now()));
    if (mailbox_.empty()) {  // the usual case
        continue_reply();
        return;
    }
    const auto place = waits ? mailbox_.end() : std::ranges::find(mailbox_, Kind::submission_continues, &Message::kind);
    mailbox_.insert(place, {Kind::reply});
    read_mailbox();
}

void Simulation::read_mailbox() {
    while (next_message_ < mailbox_.size()) {
        const Message message = mailbox_[next_message_++];  // a copy, because new messages may arrive meanwhile
        receive(message);
    }
    mailbox_.clear();
    next_message_ = 0;
}

void Simulation::expire_timers() {
    std::vector<std::size_t> woken;
    while (!timers_.empty() && timers_.top().time <= results_.now) {
        const Timer timer = timers_.top();
        timers_.pop();
        const bool wakes = expire(timer);
        if (clock_ && wakes) {
            woken.push_back(timer.order);
        } else if (clock_) {
            clock_->forget(timer.order);
        }
    }
    if (clock_) {
        clock_->wake(woken);
    }
}

// Handles an expired timer. Returns false if it no longer has a meaning.
bool Simulation::expire(const Timer& timer) {
    if (timer.kind == Kind::job) {
        SimulatedJob& job = results_.jobs[timer.number];
        if (job.state != JobState::running) {
            return false;  // the job was killed
        }
        leave_machines(job, job.expected_state);
    }
    if (timer.kind == Kind::switching) {
        const SetResourceState& done = switches_[timer.number];
        const bool awake = done.pstate == computing_pstate;
        machines_.set_power(done.processors, awake ? Machines::State::idle : Machines::State::sleeping, results_.now);
    }
    mailbox_.push_back({timer.kind, timer.number});
    return true;
}

void Simulation::receive(const Message& message) {
    switch (message.kind) {
        case Kind::submitter:
        case Kind::submission_continues:
            submit(message.number);
            break;
        case Kind::event_submitter:
            external_events(message.number);
            break;
        case Kind::job:
            report_end(static_cast<JobNumber>(message.number));
            break;
        case Kind::call:
            --pending_;
            --calls_;
            tell(RequestedCall{});
            break;
        case Kind::reply:
            continue_reply();
            break;
        case Kind::switching:
            --pending_;
            tell(ResourceStateChanged{switches_[message.number].processors, switches_[message.number].pstate});
            break;
        case Kind::submitter_bye:
        case Kind::event_submitter_bye:
            submitter_bye(message.kind);
            break;
        case Kind::killing_done:
            report_kill(message.killed);
            break;
    }
}

void Simulation::submit(std::size_t workload) {
    const std::vector<JobNumber>& submissions = submissions_[workload];
    std::size_t& next = submitted_[workload];
    const std::size_t first = next;
    const auto next_time = [&] { return job(submissions[next]).job->description.submit; };
    while (next < submissions.size() && next_time() <= results_.now) {
        // The submitter has waited for the first of these jobs. For a job that seems to be later, it waits again, for
        // no time.
        if (next != first && clock_ && next_time().since_zero().to_seconds() > clock_->now()) {
            continue_submission(workload);
            return;
        }
        const JobNumber number = submissions[next++];
        SimulatedJob& submitted = job(number);
        submitted.state = JobState::submitted;
        ++in_queue_;
        tell(JobSubmitted{number, SharedJobDescription::kept_elsewhere(submitted.job->description),
                          known_run_time(*submitted.profile),
                          submitted.may_outlive_walltime || !run_limits_.are_none()});
    }
    if (next < submissions.size()) {
        set_timer(next_time(), Kind::submitter, workload);
        return;
    }
    send_bye(Kind::submitter_bye, submissions.empty());
}

// Lets the submitter wait for no time. Batsim reads one message meanwhile. If more are left, the submitter continues
// behind them all; else only after the scheduler has its message. A reply in the mailbox counts as one message for each
// decision and one for its end.
void Simulation::continue_submission(std::size_t workload) {
    const std::size_t further_decisions = scheduler_ready_ ? 0 : reply_.decisions.size() - next_decision_;
    const bool one_is_left = mailbox_.size() - next_message_ + further_decisions > 1;
    std::vector<Message>& messages = one_is_left ? mailbox_ : late_messages_;
    messages.push_back({Kind::submission_continues, workload});
}

void Simulation::send_bye(Kind kind, bool submitted_nothing) {
    // Other messages may still be in the mailbox. If so, the bye arrives behind them; else only after the scheduler has
    // its message.
    if (submitted_nothing) {
        submitter_bye(kind);
    } else {
        (next_message_ < mailbox_.size() ? mailbox_ : late_messages_).push_back({kind});
    }
}

void Simulation::external_events(std::size_t list) {
    const std::vector<ExternalEvent>& events = scenario_.event_lists[list];
    std::size_t& next = occurred_[list];
    while (next < events.size() && events[next].time <= results_.now) {
        const ExternalEvent& event = events[next++];
        if (event.kind == ExternalEvent::Kind::other) {
            tell(Notification{NotificationType::other, event.type, event.other_fields});
        } else {
            change_machines(event);
            tell(MachineChanged{event.processors, event.kind == ExternalEvent::Kind::machine_available});
        }
    }
    if (next < events.size()) {
        set_timer(events[next].time, Kind::event_submitter, list);
        return;
    }
    send_bye(Kind::event_submitter_bye, events.empty());
}

void Simulation::submitter_bye(Kind kind) {
    const bool jobs = kind == Kind::submitter_bye;
    if (--(jobs ? job_submitters_ : event_submitters_) == 0) {
        tell(Notification{
            jobs ? NotificationType::no_more_static_job_to_submit : NotificationType::no_more_external_event_to_occur,
            {},
            {}});
    }
}

void Simulation::continue_reply() {
    std::size_t waiting_since = order_++;
    std::size_t behind = mailbox_.size();
    for (bool first = true;; first = false) {
        const bool more = next_decision_ < reply_.decisions.size();
        const Time due = more ? reply_.decisions[next_decision_].timestamp : reply_.now;
        if (due > results_.now) {
            set_timer({due, waiting_since, Kind::reply, 0});
            return;
        }
        if (!first && next_message_ < mailbox_.size()) {
            const auto place = mailbox_.begin() + static_cast<std::ptrdiff_t>(behind);
            mailbox_.insert(place, {Kind::reply});
            return;
        }
        if (!more) {
            scheduler_ready_ = true;
            return;
        }
        // The reply already waits for its next decision when the job that this one starts begins to run. If the next
        // decision is due, it is in the mailbox before the immediate effects of this one.
        waiting_since = order_++;
        behind = mailbox_.size();
        apply(reply_.decisions[next_decision_++].decision);
    }
}

void Simulation::apply(Decision& decision) {
    std::visit(Overloaded{[this](StartJob& starts) { start(starts); },
                          [this](const RejectJob& rejects) { reject(rejects.job); },
                          [this](const KillJobs& kills) { kill(kills); },
                          [this](const CallMeLater& call) { call_later(call.time); },
                          [this](RegisterProfile& registers) { register_profile(registers); },
                          [this](RegisterJob& registers) { register_job(registers); },
                          [this](SetJobMetadata& sets) {
                              named_job(sets.job);  // must exist
                              results_.metadata[sets.job] = std::move(sets.metadata);
                          },
                          [this](const SetResourceState& sets) { switch_processors(sets); },
                          [this](const Notification& notification) {
                              // Other notifications change nothing.
                              const bool finished = notification.type == NotificationType::registration_finished;
                              if (finished || notification.type == NotificationType::continue_registration) {
                                  registration_finished_ = finished;
                              }
                          }},
               decision);
}

void Simulation::call_later(Time time) {
    // Batsim 5 rounds the time up to milliseconds. It makes a call for a time that is not in the future at once.
    const Microseconds unit = like_batsim5() ? 1000 : 1;
    const Microseconds units = (time.since_zero().count() + unit - 1) / unit;
    time = Time::at(Duration::microseconds(units * unit));
    ++pending_;
    ++calls_;
    if (time > results_.now) {
        set_timer(time, Kind::call, 0);
    } else if (like_batsim5()) {
        mailbox_.push_back({Kind::call});
    } else {
        throw InputError("the scheduler asks at " + results_.now.to_string() + " for a call at " + time.to_string() +
                         ", which is not in the future");
    }
}

void Simulation::change_machines(const ExternalEvent& event) {
    const bool available = event.kind == ExternalEvent::Kind::machine_available;
    for (const ResourceSet::Interval& interval : event.processors.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            const auto refuse = [&](const char* why) {
                throw InputError("event " + event.type + " at " + event.time.to_string() + ": processor " +
                                 std::to_string(host) + why);
            };
            if (!machines_.has(host)) {
                refuse(" does not exist");
            }
            if ((machines_.state(host) == Machines::State::unavailable) != available) {
                refuse(available ? " is not unavailable" : " is unavailable already");
            }
            machines_.set_available(host, available, results_.now);
        }
    }
}

bool Simulation::finished() const {
    return job_submitters_ == 0 && event_submitters_ == 0 && in_queue_ == 0 && pending_ == 0 &&
           (registration_finished_ || !dynamic_jobs_);
}

// Jobs may wait.
bool Simulation::only_calls_will_happen() const {
    return job_submitters_ == 0 && event_submitters_ == 0 && pending_ == calls_;
}

// The scheduler has been called and only asks for a further call, while nothing else will happen.
// Throws: DecisionError if jobs wait and it has been called too often.
void Simulation::note_idle_call(const SimulatedScheduler& scheduler) {
    if (idle_calls_ < scheduler.most_idle_calls(in_queue_ > 0)) {
        return;
    }
    if (in_queue_ == 0) {
        waits_no_longer_ = registration_finished_ || !dynamic_jobs_;
        return;
    }
    throw DecisionError("the scheduler asked for " + std::to_string(idle_calls_) +
                        " calls in a row and started nothing, the last of them at " + results_.now.to_string() +
                        ", while no job runs and nothing else will happen; expected it to start one of the " +
                        std::to_string(in_queue_) + " waiting jobs, the first of them " + first_waiting_job());
}

std::string Simulation::waits_for() const {
    if (calls_ == 0 || !only_calls_will_happen()) {
        return {};
    }
    return "waits for calls of the scheduler: " +
           (in_queue_ == 0 ? "no job waits" : counted(in_queue_, "job") + (in_queue_ == 1 ? " waits" : " wait")) +
           ", none runs";
}

std::string Simulation::first_waiting_job() const {
    return shown(std::ranges::find(results_.jobs, JobState::submitted, &SimulatedJob::state)->job->description.id);
}

std::string Simulation::deadlock() const {
    if (in_queue_ == 0) {
        return "the simulation stops at " + results_.now.to_string() +
               " because the scheduler, which may register jobs, has never said registration_finished";
    }
    return "the simulation stops at " + results_.now.to_string() + " with " + std::to_string(in_queue_) +
           " jobs that the scheduler never started, the first of them " + first_waiting_job();
}

}  // namespace batfill
