#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <numeric>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>
#include <batfill/simulator/simulator.hpp>

#include "double_clock.hpp"
#include "simulated_jobs.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/profile_index.hpp"
#include "src/support/json.hpp"
#include "src/support/overloaded.hpp"

namespace batfill {

namespace {

void require_simulable(const JobProfile& profile, const std::string& place, const JobDescription& job) {
    const bool computes = profile.type == JobProfile::Type::parallel_homogeneous && profile.com == 0;
    if (profile.type != JobProfile::Type::delay && !computes) {
        throw InputError(place + "job " + shown(job.id) + ": profile " + in_quotes(job.profile) + " of type " +
                         profile.type_name + " cannot be simulated, expected delay or parallel_homogeneous with com 0");
    }
}

// A time as a message of Batsim 5 carries it, with twelve decimals.
double in_json(double seconds) {
    std::array<char, 400> text;  // the largest double has 309 digits before the point
    const char* const end =
        std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 12).ptr;
    std::from_chars(text.data(), end, seconds);
    return seconds;
}

}  // namespace

Simulator::Simulator(const Scenario& scenario) : scenario_(scenario), machines_(scenario.platform.hosts.size()) {
    for (const Workload& workload : scenario.workloads) {
        const auto first = static_cast<JobNumber>(jobs_.size());
        add_jobs(workload);
        std::vector<JobNumber>& submissions = submissions_.emplace_back();
        submissions.resize(jobs_.size() - first);
        std::iota(submissions.begin(), submissions.end(), first);
        const auto submitted_before = [this](JobNumber a, JobNumber b) {
            const JobDescription& x = jobs_[a].job->description;
            const JobDescription& y = jobs_[b].job->description;
            return x.submit != y.submit ? x.submit < y.submit : x.id < y.id;
        };
        // Most workloads already have this order.
        if (!std::is_sorted(submissions.begin(), submissions.end(), submitted_before)) {
            std::sort(submissions.begin(), submissions.end(), submitted_before);
        }
    }
    const std::vector<Host>& hosts = scenario.platform.hosts;
    if (std::all_of(hosts.begin(), hosts.end(), [&](const Host& host) { return host.speed == hosts.front().speed; })) {
        equal_speed_ = hosts.empty() ? 0 : hosts.front().speed;
    }
    submitted_.resize(scenario.workloads.size());
    occurred_.resize(scenario.event_lists.size());
}

void Simulator::add_jobs(const Workload& workload) {
    ProfileIndex profiles(workload);
    jobs_.reserve(jobs_.size() + workload.jobs.size());
    for (const WorkloadJob& job : workload.jobs) {
        SimulatedJob& simulated = jobs_.emplace_back();
        simulated.job = &job;
        simulated.profile = profiles.find(job.description.profile);
        require_simulable(*simulated.profile, workload.path + ": ", job.description);
    }
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

const std::string& Simulator::metadata(JobNumber job) const {
    static const std::string none;
    const auto found = metadata_.find(job);
    return found == metadata_.end() ? none : found->second;
}

template <class Data>
void Simulator::tell(Data data) {
    Event& event = events_.emplace_back();
    event.timestamp = now_;
    event.data = std::move(data);
}

void Simulator::set_timer(const Timer& timer) {
    timers_.push(timer);
    if (!clock_) {
        return;
    }
    // A job's timer sleeps for its run time. All other timers sleep until a time.
    if (timer.kind == Timer::Kind::job) {
        clock_->sleep(timer.order, (timer.time - now_).to_seconds());
    } else {
        clock_->sleep_until(timer.order, timer.time.since_zero().to_seconds());
    }
}

void Simulator::run(SimulatedScheduler& scheduler, const Progress& progress) {
    if (scenario_.rules.clock_of_doubles) {
        clock_ = std::make_shared<DoubleClock>();
    }
    dynamic_jobs_ = scenario_.enable_dynamic_jobs || scheduler.registers_jobs();
    profile_reuse_ = scenario_.enable_profile_reuse || scheduler.registers_jobs();
    job_submitters_ = scenario_.workloads.size();
    event_submitters_ = scenario_.event_lists.size();
    for (std::size_t i = 0; i < scenario_.workloads.size(); ++i) {
        const bool any = !submissions_[i].empty();
        set_timer(any ? std::max(now_, jobs_[submissions_[i].front()].job->description.submit) : now_,
                  Timer::Kind::submitter, i);
    }
    for (std::size_t i = 0; i < scenario_.event_lists.size(); ++i) {
        const auto& events = scenario_.event_lists[i];
        set_timer(events.empty() ? now_ : events.front().time, Timer::Kind::event_submitter, i);
    }
    try {
        begin(scheduler);
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
            if (scheduler_ready_ && finished()) {
                break;
            }
            if (timers_.empty()) {
                throw DeadlockError(deadlock());
            }
            now_ = std::max(now_, timers_.top().time);
            expire_timers();
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

void Simulator::begin(SimulatedScheduler& scheduler) {
    ++messages_;
    scheduler.begin(*this, reply_);
    next_decision_ = 0;
    // Batsim 4 processes a reply decision by decision. Submissions of that instant come in between.
    const bool registers = std::any_of(
        reply_.decisions.begin(), reply_.decisions.end(),
        [](const SchedulerReply::TimedDecision& timed) { return std::holds_alternative<RegisterJob>(timed.decision); });
    if (scenario_.rules.submissions_before_first_reply || registers) {
        expire_timers();
        read_mailbox();
        std::swap(mailbox_, late_messages_);  // the scheduler's reply is also on its way
    }
    continue_reply();
}

void Simulator::send(SimulatedScheduler& scheduler) {
    // A submitter's last word arrives while its last events are on their way, before the scheduler's reply.
    std::swap(mailbox_, late_messages_);
    late_messages_.clear();
    for (const Event& event : events_) {
        if (const auto* completed = std::get_if<JobCompleted>(&event.data)) {
            jobs_[completed->job].end_told = true;
            if (dynamic_jobs_) {
                removed_profiles_.insert(jobs_[completed->job].profile);
            }
        }
    }
    reply_.decisions.clear();
    reply_.now = now_;
    ++messages_;
    scheduler_ready_ = false;
    scheduler.message(now_, events_, reply_);
    events_.clear();
    next_decision_ = 0;
    take_in_reply();
}

// The reply arrives behind a submitter's last word. A submitter that waits for no time continues after the first part
// of the reply has been read. It continues earlier if the reply itself must wait for its `now`, which is the clock's
// time with the decimals of JSON.
void Simulator::take_in_reply() {
    const bool waits = clock_ && clock_->go_on_to(in_json(clock_->now()));
    if (mailbox_.empty()) {  // the usual case
        continue_reply();
        return;
    }
    const auto place = std::find_if(mailbox_.begin(), mailbox_.end(), [&](const Message& message) {
        return !waits && message.kind == Message::Kind::submission_continues;
    });
    mailbox_.insert(place, {Message::Kind::reply_continues, {}, {}});
    read_mailbox();
}

void Simulator::read_mailbox() {
    while (next_message_ < mailbox_.size()) {
        const Message message = mailbox_[next_message_++];  // a copy, because new messages may arrive meanwhile
        receive(message);
    }
    mailbox_.clear();
    next_message_ = 0;
}

void Simulator::expire_timers() {
    std::vector<std::size_t> woken;
    while (!timers_.empty() && timers_.top().time <= now_) {
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
bool Simulator::expire(const Timer& timer) {
    if (timer.kind == Timer::Kind::job) {
        SimulatedJob& job = jobs_[timer.number];
        if (job.state != JobState::running) {
            return false;  // the job was killed
        }
        leave_machines(job, job.expected_state);
    }
    if (timer.kind == Timer::Kind::switching) {
        end_switch(switches_[timer.number]);
    }
    mailbox_.push_back({Message::Kind::timer_expired, timer, {}});
    return true;
}

void Simulator::receive(const Message& message) {
    if (message.kind == Message::Kind::reply_continues) {
        continue_reply();
        return;
    }
    if (message.kind == Message::Kind::killing_done) {
        report_kill(message.killed);
        return;
    }
    if (message.kind == Message::Kind::submission_continues) {
        submit(message.timer.number);
        return;
    }
    if (message.kind != Message::Kind::timer_expired) {
        submitter_bye(message.kind);
        return;
    }
    switch (message.timer.kind) {
        case Timer::Kind::submitter:
            submit(message.timer.number);
            break;
        case Timer::Kind::event_submitter:
            external_events(message.timer.number);
            break;
        case Timer::Kind::job:
            report_end(static_cast<JobNumber>(message.timer.number));
            break;
        case Timer::Kind::call:
            --pending_calls_;
            tell(RequestedCall{});
            break;
        case Timer::Kind::reply:
            continue_reply();
            break;
        case Timer::Kind::switching: {
            --pending_switches_;
            const SetResourceState& done = switches_[message.timer.number];
            tell(ResourceStateChanged{done.processors, done.pstate});
            break;
        }
    }
}

void Simulator::submit(std::size_t workload) {
    const std::vector<JobNumber>& submissions = submissions_[workload];
    std::size_t& next = submitted_[workload];
    const std::size_t first = next;
    while (next < submissions.size() && jobs_[submissions[next]].job->description.submit <= now_) {
        // The submitter has waited for the first of these jobs. For a job that seems to be later, it waits again, for
        // no time.
        if (next != first && clock_is_behind(jobs_[submissions[next]].job->description.submit)) {
            continue_submission(workload);
            return;
        }
        const JobNumber number = submissions[next++];
        jobs_[number].state = JobState::submitted;
        ++in_queue_;
        const SimulatedJob& job = jobs_[number];
        tell(JobSubmitted{number, SharedJobDescription::kept_elsewhere(job.job->description),
                          known_run_time(*job.profile)});
    }
    if (next < submissions.size()) {
        set_timer(jobs_[submissions[next]].job->description.submit, Timer::Kind::submitter, workload);
        return;
    }
    send_bye(Message::Kind::submitter_bye, submissions.empty());
}

bool Simulator::clock_is_behind(Time submission) const {
    return clock_ && submission.since_zero().to_seconds() > clock_->now();
}

// While the submitter waits, one message is read. If more are left, it continues behind them all; else only after the
// scheduler has its message. A reply in the mailbox counts as one message for each decision and one for its end.
void Simulator::continue_submission(std::size_t workload) {
    const std::size_t further_decisions = scheduler_ready_ ? 0 : reply_.decisions.size() - next_decision_;
    const bool one_is_left = mailbox_.size() - next_message_ + further_decisions > 1;
    std::vector<Message>& messages = one_is_left ? mailbox_ : late_messages_;
    messages.push_back({Message::Kind::submission_continues, {now_, 0, Timer::Kind::submitter, workload}, {}});
}

void Simulator::send_bye(Message::Kind kind, bool submitted_nothing) {
    // Other messages may still be in the mailbox. If so, the bye arrives behind them; else only after the scheduler has
    // its message.
    if (submitted_nothing) {
        submitter_bye(kind);
    } else if (next_message_ < mailbox_.size()) {
        mailbox_.push_back({kind, {}, {}});
    } else {
        late_messages_.push_back({kind, {}, {}});
    }
}

void Simulator::external_events(std::size_t list) {
    const std::vector<ExternalEvent>& events = scenario_.event_lists[list];
    std::size_t& next = occurred_[list];
    while (next < events.size() && events[next].time <= now_) {
        const ExternalEvent& event = events[next++];
        if (event.kind == ExternalEvent::Kind::other) {
            tell(Notification{NotificationType::other, event.type, event.other_fields});
        } else {
            change_machines(event);
            tell(MachineChanged{event.processors, event.kind == ExternalEvent::Kind::machine_available});
        }
    }
    if (next < events.size()) {
        set_timer(events[next].time, Timer::Kind::event_submitter, list);
        return;
    }
    send_bye(Message::Kind::event_submitter_bye, events.empty());
}

void Simulator::submitter_bye(Message::Kind kind) {
    const bool jobs = kind == Message::Kind::submitter_bye;
    if (--(jobs ? job_submitters_ : event_submitters_) == 0) {
        tell(Notification{
            jobs ? NotificationType::no_more_static_job_to_submit : NotificationType::no_more_external_event_to_occur,
            {},
            {}});
    }
}

void Simulator::continue_reply() {
    std::size_t waiting_since = order_++;
    std::size_t behind = mailbox_.size();
    for (bool first = true;; first = false) {
        const bool more = next_decision_ < reply_.decisions.size();
        const Time due = more ? reply_.decisions[next_decision_].timestamp : reply_.now;
        if (due > now_) {
            set_timer({due, waiting_since, Timer::Kind::reply, 0});
            return;
        }
        if (!first && next_message_ < mailbox_.size()) {
            const auto place = mailbox_.begin() + static_cast<std::ptrdiff_t>(behind);
            mailbox_.insert(place, {Message::Kind::reply_continues, {}, {}});
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

void Simulator::apply(Decision& decision) {
    std::visit(Overloaded{[this](StartJob& starts) { start(starts); },
                          [this](const RejectJob& rejects) { reject(rejects.job); },
                          [this](const KillJobs& kills) { kill(kills); },
                          [this](const CallMeLater& call) { call_later(call.time); },
                          [this](RegisterProfile& registers) { register_profile(registers); },
                          [this](RegisterJob& registers) { register_job(registers); },
                          [this](SetJobMetadata& sets) { metadata_[sets.job] = std::move(sets.metadata); },
                          [this](const SetResourceState& sets) { switch_processors(sets); },
                          [this](const Notification& notification) { notified(notification.type); }},
               decision);
}

const char* Simulator::name_of(MachineState state) {
    switch (state) {
        case MachineState::idle:
            return "idle";
        case MachineState::computing:
            return "busy";
        case MachineState::unavailable:
            return "unavailable";
        case MachineState::sleeping:
            return "asleep";
        case MachineState::falling_asleep:
            return "falling asleep";
        case MachineState::waking:
            break;
    }
    return "waking";
}

void Simulator::reject(JobNumber number) {
    SimulatedJob& job = jobs_[number];
    if (job.state != JobState::submitted) {
        throw InputError("the scheduler rejects job " + shown(job.job->description.id) + ", which is not waiting");
    }
    job.state = JobState::rejected;
    --in_queue_;
    ended_.push_back(number);
}

void Simulator::call_later(Time time) {
    const Microseconds unit = scenario_.rules.unit_of_calls.count();
    const Microseconds units = (time.since_zero().count() + unit - 1) / unit;
    time = Time::at(Duration::microseconds(units * unit));
    if (time <= now_ && scenario_.rules.past_calls_come_at_once) {
        ++pending_calls_;
        mailbox_.push_back({Message::Kind::timer_expired, {now_, order_++, Timer::Kind::call, 0}, {}});
        return;
    }
    if (time <= now_) {
        throw InputError("the scheduler asks at " + now_.to_string() + " for a call at " + time.to_string() +
                         ", which is not in the future");
    }
    ++pending_calls_;
    set_timer(time, Timer::Kind::call, 0);
}

// How long a job would run, if this is the same on all hosts.
std::optional<Duration> Simulator::known_run_time(const JobProfile& profile) const {
    if (profile.type == JobProfile::Type::delay) {
        return profile.delay;
    }
    return equal_speed_ > 0 ? Duration::from_seconds(profile.cpu / equal_speed_) : std::nullopt;
}

// `what` names what is registered.
// Throws: InputError unless something can be registered now.
void Simulator::require_registration(const std::string& what) const {
    if (!dynamic_jobs_) {
        throw InputError(what + ": expected a simulation with --enable-dynamic-jobs");
    }
    if (registration_finished_) {
        throw InputError(what + ": it has said registration_finished before");
    }
}

void Simulator::register_profile(RegisterProfile& decision) {
    const std::string what = "the scheduler registers profile " + in_quotes(decision.name) + " of workload " +
                             in_quotes(decision.workload) + " at " + now_.to_string();
    require_registration(what);
    const auto workload = std::find_if(scenario_.workloads.begin(), scenario_.workloads.end(),
                                       [&](const Workload& candidate) { return candidate.name == decision.workload; });
    const bool is_known = workload != scenario_.workloads.end() && workload->profiles.contains(decision.name);
    auto& profiles = registered_profiles_[decision.workload];
    if (is_known || profiles.contains(decision.name)) {
        throw InputError(what + ": there is such a profile already");
    }
    try {
        profiles.emplace(decision.name, parse_profile(decision.source));
    } catch (const InputError& problem) {
        throw InputError(what + ": " + problem.what());
    }
}

// The profile of a job that is registered.
// Throws: InputError if there is none.
const JobProfile& Simulator::profile_to_register(const JobDescription& job) const {
    const std::string_view name = JobIdParts(job.id).workload;
    const auto workload = std::find_if(scenario_.workloads.begin(), scenario_.workloads.end(),
                                       [&](const Workload& candidate) { return candidate.name == name; });
    const auto registered = registered_profiles_.find(std::string(name));
    if (workload == scenario_.workloads.end() && registered == registered_profiles_.end()) {
        throw InputError("there is no such workload");
    }
    if (workload != scenario_.workloads.end()) {
        if (const auto found = workload->profiles.find(job.profile); found != workload->profiles.end()) {
            return found->second;
        }
    }
    if (registered != registered_profiles_.end()) {
        if (const auto found = registered->second.find(job.profile); found != registered->second.end()) {
            return found->second;
        }
    }
    throw InputError("there is no profile " + in_quotes(job.profile) + " in its workload");
}

void Simulator::register_job(RegisterJob& decision) {
    const std::string& id = decision.description.id;
    const std::string what = "the scheduler registers job " + shown(id) + " at " + now_.to_string();
    require_registration(what);
    if (find_job(id)) {
        throw InputError(what + ": there is such a job already");
    }
    const JobProfile* profile = nullptr;
    try {
        profile = &profile_to_register(decision.description);
    } catch (const InputError& problem) {
        throw InputError(what + ": " + problem.what());
    }
    if (!profile_reuse_ && removed_profiles_.contains(profile)) {
        throw InputError(what +
                         ": a job with its profile has ended, expected a simulation with --enable-profile-reuse");
    }
    require_simulable(*profile, "", decision.description);
    const auto number = static_cast<JobNumber>(jobs_.size());
    assert(decision.job == number);
    by_id_.emplace(id, number);
    const WorkloadJob& job =
        registered_.emplace_back(WorkloadJob{std::move(decision.description), std::move(decision.source)});
    SimulatedJob& simulated = jobs_.emplace_back();
    simulated.job = &job;
    simulated.profile = profile;
    simulated.state = JobState::submitted;
    ++in_queue_;
    if (scenario_.acknowledge_dynamic_jobs) {
        tell(JobSubmitted{number, job.description, known_run_time(*profile)});
    }
}

// Other notifications of a scheduler change nothing.
void Simulator::notified(NotificationType type) {
    if (type == NotificationType::registration_finished || type == NotificationType::continue_registration) {
        registration_finished_ = type == NotificationType::registration_finished;
    }
}

Duration Simulator::run_time(const SimulatedJob& job, JobState& end) {
    end = job.profile->return_code == 0 ? JobState::completed_successfully : JobState::completed_failed;
    const std::optional<Duration>& walltime = job.job->description.walltime;
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

void Simulator::start(StartJob& decision) {
    SimulatedJob& job = jobs_[decision.job];
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
    if (decision.allocation.last() >= static_cast<int>(machines_.state.size())) {
        refuse("processor " + std::to_string(decision.allocation.last()) + " does not exist");
    }
    for (const ResourceSet::Interval& interval : decision.allocation.intervals()) {
        const auto begin = machines_.state.begin() + interval.first;
        const auto end = machines_.state.begin() + interval.last + 1;
        if (std::count(begin, end, MachineState::idle) != end - begin) {
            const auto other = std::find_if(begin, end, [](MachineState state) { return state != MachineState::idle; });
            refuse("processor " + std::to_string(other - machines_.state.begin()) + " is " + name_of(*other));
        }
        set_state(interval, MachineState::idle, MachineState::computing);
        std::fill(machines_.busy.begin() + interval.first, machines_.busy.begin() + interval.last + 1, 1);
    }
    job.state = JobState::running;
    job.allocation = std::move(decision.allocation);
    job.start = now_;
    job.end = now_ + run_time(job, job.expected_state);
    --in_queue_;
    ++running_;
    set_timer(job.end, Timer::Kind::job, decision.job);
}

void Simulator::kill(const KillJobs& decision) {
    std::vector<JobNumber> killed;
    for (const JobNumber number : decision.jobs) {
        SimulatedJob& job = jobs_[number];
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
        SimulatedJob& job = jobs_[number];
        if (job.state == JobState::running) {
            job.end = now_;
            leave_machines(job, JobState::completed_killed);
        }
    }
    mailbox_.push_back({Message::Kind::killing_done, {}, std::move(killed)});
}

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

void Simulator::report_kill(const std::vector<JobNumber>& killed) {
    for (const JobNumber number : killed) {
        if (jobs_[number].state == JobState::completed_killed) {
            report_end(number);
        }
    }
    tell(JobsKilled{killed});
}

void Simulator::report_end(JobNumber number) {
    --running_;
    ended_.push_back(number);
    tell(JobCompleted{number, jobs_[number].state});
}

void Simulator::leave_machines(SimulatedJob& job, JobState state) {
    require_readable_times(job);
    job.state = state;
    for (const ResourceSet::Interval& interval : job.allocation.intervals()) {
        std::fill(machines_.busy.begin() + interval.first, machines_.busy.begin() + interval.last + 1, 0);
        if (machines_.unavailable == 0) {
            set_state(interval, MachineState::computing, MachineState::idle);
            continue;
        }
        for (int host = interval.first; host <= interval.last; ++host) {
            if (machines_.state[static_cast<std::size_t>(host)] == MachineState::computing) {
                set_state({host, host}, MachineState::computing, MachineState::idle);
            }
        }
    }
}

// Requires: all of these machines are in the state `from`.
void Simulator::set_state(ResourceSet::Interval machines, MachineState from, MachineState to) {
    std::fill(machines_.state.begin() + machines.first, machines_.state.begin() + machines.last + 1, to);
    if (scenario_.rules.machine_times_of_batsim5) {
        const bool leaves_job = from == MachineState::computing && to == MachineState::idle;
        if (leaves_job || from == MachineState::unavailable || to == MachineState::unavailable) {
            return;
        }
        for (int host = machines.first; host <= machines.last; ++host) {
            count_time_like_batsim5(static_cast<std::size_t>(host), to);
        }
        return;
    }
    const auto first = machines_.since.begin() + machines.first;
    const auto end = machines_.since.begin() + machines.last + 1;
    Duration spent;
    for (auto since = first; since != end; ++since) {
        spent = spent + (now_ - *since);
    }
    count_time(from, spent);
    std::fill(first, end, now_);
}

void Simulator::count_time_like_batsim5(std::size_t machine, MachineState to) {
    count_time(machines_.counted[machine], now_ - machines_.since[machine]);
    machines_.since[machine] = now_;
    machines_.counted[machine] = to;
}

void Simulator::count_time(MachineState state, Duration spent) {
    switch (state) {
        case MachineState::idle:
            machine_times_.idle = machine_times_.idle + spent;
            break;
        case MachineState::computing:
            machine_times_.computing = machine_times_.computing + spent;
            break;
        case MachineState::unavailable:
            machine_times_.unavailable = machine_times_.unavailable + spent;
            break;
        case MachineState::sleeping:
            machine_times_.sleeping = machine_times_.sleeping + spent;
            break;
        case MachineState::falling_asleep:
            machine_times_.falling_asleep = machine_times_.falling_asleep + spent;
            break;
        case MachineState::waking:
            machine_times_.waking = machine_times_.waking + spent;
            break;
    }
}

void Simulator::change_machines(const ExternalEvent& event) {
    const bool available = event.kind == ExternalEvent::Kind::machine_available;
    for (const ResourceSet::Interval& interval : event.processors.intervals()) {
        for (int host = interval.first; host <= interval.last; ++host) {
            const auto refuse = [&](const char* why) {
                throw InputError("event " + event.type + " at " + event.time.to_string() + ": processor " +
                                 std::to_string(host) + why);
            };
            if (host >= static_cast<int>(machines_.state.size())) {
                refuse(" does not exist");
            }
            const auto at = static_cast<std::size_t>(host);
            const MachineState from = machines_.state[at];
            if ((from == MachineState::unavailable) != available) {
                refuse(available ? " is not unavailable" : " is unavailable already");
            }
            if (available) {
                set_state({host, host}, from, machines_.busy[at] != 0 ? MachineState::computing : machines_.power[at]);
                --machines_.unavailable;
            } else {
                set_state({host, host}, from, MachineState::unavailable);
                ++machines_.unavailable;
            }
        }
    }
}

bool Simulator::finished() const {
    return job_submitters_ == 0 && event_submitters_ == 0 && running_ == 0 && in_queue_ == 0 && pending_calls_ == 0 &&
           pending_switches_ == 0 && (registration_finished_ || !dynamic_jobs_);
}

std::string Simulator::deadlock() const {
    if (in_queue_ == 0) {
        return "the simulation stops at " + now_.to_string() +
               " because the scheduler, which may register jobs, has never said registration_finished";
    }
    const auto waiting = std::find_if(jobs_.begin(), jobs_.end(),
                                      [](const SimulatedJob& job) { return job.state == JobState::submitted; });
    return "the simulation stops at " + now_.to_string() + " with " + std::to_string(in_queue_) +
           " jobs that the scheduler never started, the first of them " + shown(waiting->job->description.id);
}

}  // namespace batfill
