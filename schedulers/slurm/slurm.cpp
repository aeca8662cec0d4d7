#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <batfill/core/owned.hpp>
#include <batfill/engine/algorithm.hpp>

#include "schedulers/slurm/clock.hpp"
#include "schedulers/slurm/configuration.hpp"
#include "schedulers/slurm/controller.hpp"
#include "schedulers/slurm/translation.hpp"

namespace batfill::slurm {

namespace {

// What squeue says of a job that waits, and the rule of docs/slurm.md.
const char* reason_text(WaitsFor reason, bool is_inside_reservation) {
    switch (reason) {
        case WaitsFor::nothing:
            return "None: the main scheduler has not looked at it yet";
        case WaitsFor::dependency:
            return "Dependency: a job that it waits for, or the release of its nodes, is still to come";
        case WaitsFor::dependency_never:
            return "DependencyNeverSatisfied";
        case WaitsFor::begin_time:
            return "BeginTime";
        case WaitsFor::array_limit:
            return "JobArrayTaskLimit";
        case WaitsFor::resources:
            return is_inside_reservation ? "Resources: it fits on no idle nodes of its reservation"
                                         : "Resources: it fits on no idle nodes of its partition";
        case WaitsFor::priority:
            return is_inside_reservation ? "Priority: a job of its reservation before it does not fit"
                                         : "Priority: a job before it has closed the partition for the main scheduler";
        case WaitsFor::licenses:
            return "Licenses";
        case WaitsFor::limit:
            return "Limit: too little is left of a limit of its user, account, ...";
        case WaitsFor::maintenance:
            return "ReqNodeNotAvail, Reserved for maintenance";
        case WaitsFor::own_reservation:
            return "Reservation: none that it asks for is there and lasts until its end";
        case WaitsFor::reservation:
            return "Reservation: too few nodes are outside of reservations until its end";
    }
    return "";
}

const char* found_text(InCycle found) {
    switch (found) {
        case InCycle::nothing:
            break;
        case InCycle::not_reached:
            return "the cycle ended before it (bf-max-job-test, bf-max-job-start or bf-node-space-size)";
        case InCycle::planned:
            return "a start is planned";
        case InCycle::too_late:
            return "it would start too late for a plan (bf-window)";
        case InCycle::start_only:
            return "it gets no plan (bf-min-age-reserve, bf-min-prio-reserve, bf-one-resv-per-job or "
                   "bf-job-part-count-reserve)";
        case InCycle::no_nodes:
            return "plans and reservations leave it too few nodes";
        case InCycle::no_room:
            return "the table of plans is full (bf-node-space-size)";
        case InCycle::array_tasks:
            return "enough tasks of its array run or are planned (bf-max-job-array-resv)";
        case InCycle::enough_jobs:
            return "enough jobs of its user or partition were looked at (bf-max-job-user, bf-max-job-part or "
                   "bf-max-job-user-part)";
        case InCycle::licenses:
            return "Licenses";
        case InCycle::limit:
            return "Limit";
        case InCycle::maintenance:
            return "ReqNodeNotAvail, Reserved for maintenance; a start behind that is planned";
        case InCycle::own_reservation:
            return "Reservation";
    }
    return "";
}

// The whole of Slurm's scheduling, driven by the engine. It tells the controller what happens, lets its clock say what
// is due, and does in the engine what the schedulers have decided.
class SlurmAlgorithm : public Algorithm {
 public:
    explicit SlurmAlgorithm(const Parameters& parameters)
        : configuration_(std::make_shared<Configuration>(parameters)) {}
    SlurmAlgorithm(const SlurmAlgorithm&) = default;
    SlurmAlgorithm& operator=(const SlurmAlgorithm&) = delete;
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<SlurmAlgorithm>(*this); }

    bool understands_resources() const override { return true; }
    bool follows_conditions() const override { return true; }

    void begin(Round& round) override {
        const SchedulerState& state = round.state();
        configuration_ = std::make_shared<Configuration>(*configuration_);
        translation_ = std::make_unique<Translation>(*configuration_, state.machine);
        configuration_->settings.select = translation_->select();
        controller_ =
            std::make_unique<Controller>(configuration_->settings, translation_->nodes(), translation_->partitions(),
                                         translation_->licenses(), translation_->partition_factors());
        controller_->cluster().set_weights(translation_->weights());
        clock_.emplace(configuration_->settings, translation_->microseconds_of(configuration_->daemon_start));
        for (const Window& window : state.machine.windows()) {
            unannounced_.push_back(&window);
        }
        std::ranges::stable_sort(unannounced_, {}, &Window::announced);
    }

    std::optional<StatedNeeds> stated(const JobDescription& job) const override { return translation_->stated(job); }
    std::optional<std::string> refuse(const JobDescription& job) const override {
        return translation_->reason_to_refuse(job);
    }

    void begin_round(const SchedulerState& state) override {
        now_ = translation_->microseconds_of(state.now);
        release_nodes();
        clock_->pass(now_);
        while (!unannounced_.empty() && unannounced_.front()->announced <= state.now) {
            controller_->cluster().add(translation_->reservation(*unannounced_.front()));
            announced_.push_back(static_cast<std::size_t>(unannounced_.front() - state.machine.windows().data()));
            unannounced_.pop_front();
            clock_->request_main(now_);
            clock_->note_change(now_);
        }
    }

    void completed(Round& round, std::span<const Completion> completions) override {
        for (const Completion& completion : completions) {
            const JobPlace place = place_of_[completion.job];
            controller_->cluster().end(
                place, round.state().job(completion.job).state == batfill::JobState::completed_successfully);
            clock_->note_change(now_);
            releases_.push_back({translation_->microseconds_of(round.now() + configuration_->epilog), place});
        }
    }

    void machine_changed(Round& round, std::span<const Completion> completions) override {
        completed(round, completions);
        NodeSet up = controller_->cluster().all_nodes();
        for (const int host : round.state().unavailable.numbers()) {
            up.erase(host);
        }
        controller_->cluster().set_up(std::move(up));
        clock_->request_main(now_);
        clock_->note_change(now_);
    }

    std::optional<Duration> assumed_walltime(const JobDescription&) const override { return Duration::days(365); }
    RunLimits run_limits() const override { return configuration_->run_limits; }

    void submitted(Round& round, JobIndex index) override {
        const batfill::Job& waiting = round.state().job(index);
        Job job = translation_->job(waiting);
        for (const LimitShare& share : job.limits) {
            controller_->cluster().set_left(share.limit, round.state().limits.left(share));
        }
        for (const auto& [dependency, id] : dependencies_of(waiting.description())) {
            if (const auto known = places_.find(id); known != places_.end()) {
                job.dependencies.push_back(dependency);
                job.dependencies.back().job = known->second;
            } else {
                job.dependencies.push_back(dependency);
                job.dependencies.back().job = controller_->cluster().next_place();  // itself, until that is submitted
                awaited_[id].push_back({controller_->cluster().next_place(), job.dependencies.size() - 1});
            }
        }
        const JobPlace place = controller_->submit(std::move(job), translation_->seconds_of(round.now()));
        add(waiting.description().id, index, place);
        clock_->request_main(now_);
        clock_->note_change(now_);
    }

    void rejected(const SchedulerState& state, JobIndex index) override {
        Job job;
        const JobPlace place = controller_->cluster().submit(std::move(job));
        controller_->cluster().cancel(place, now_ / per_second);
        add(state.job(index).description().id, index, place);
    }

    void withdrawn(const SchedulerState&, JobIndex index) override {
        controller_->cluster().cancel(place_of_[index], now_ / per_second);
        clock_->note_change(now_);
    }

    void decide(Round& round) override {
        release_nodes();
        while (clock_->next() <= now_) {
            take_turn(round);
        }
        round.explain([&](JobIndex index) {
            const Cluster& cluster = controller_->cluster();
            const JobPlace job = place_of_[index];
            const std::string found = found_text(cluster.in_cycle(job));
            return Reason{.rule = Reason::Rule::own_words,
                          .text = reason_text(cluster.waits_for(job), cluster.job(job).reservation != Job::none) +
                                  (found.empty() ? "" : "; backfill: " + found)};
        });
    }

    void end_round(const SchedulerState& state) override { wake_ = next_turn(state); }

    Time next_wake(Time) const override { return wake_; }

    std::vector<Statistic> statistics() const override {
        return {{"main-runs", main_runs_},
                {"backfill-cycles", cycles_},
                {"backfill-tested", tested_},
                {"backfill-tries", tries_},
                {"backfill-starts", backfilled_}};
    }

 private:
    struct Release {
        Microseconds at;
        JobPlace job;
    };
    struct AwaitedBy {
        JobPlace job;
        std::size_t dependency;
    };

    static std::vector<std::pair<Dependency, std::string>> dependencies_of(const JobDescription& description) {
        std::vector<std::pair<Dependency, std::string>> result;
        if (description.needs) {
            for (const batfill::Dependency& one : description.needs->after) {
                const auto until = one.kind == batfill::Dependency::Kind::ok    ? Dependency::Until::succeeded
                                   : one.kind == batfill::Dependency::Kind::any ? Dependency::Until::ended
                                                                                : Dependency::Until::started;
                const auto delay = static_cast<Seconds>((one.delay.count() + per_second - 1) / per_second);
                result.emplace_back(Dependency{0, until, delay}, one.full_id(description.id));
            }
        }
        return result;
    }

    // The controller has a job of the engine.
    void add(const std::string& id, JobIndex index, JobPlace place) {
        place_of_.resize(std::max<std::size_t>(place_of_.size(), index + std::size_t{1}));
        place_of_[index] = place;
        index_of_.push_back(index);
        places_.emplace(id, place);
        if (const auto awaited = awaited_.find(id); awaited != awaited_.end()) {
            for (const AwaitedBy& one : awaited->second) {
                controller_->cluster().set_awaited(one.job, one.dependency, place);
            }
            awaited_.erase(awaited);
        }
    }

    // Those that are due, each at its instant.
    void release_nodes() {
        for (; !releases_.empty() && releases_.front().at <= now_; releases_.pop_front()) {
            const Release& release = releases_.front();
            clock_->pass(release.at);
            controller_->cluster().release(release.job, second_of(release.at));
            clock_->request_main(release.at);
            clock_->note_change(release.at);
        }
    }

    void take_turn(Round& round) {
        const Seconds second = second_of(now_);
        const Clock::Turn turn = clock_->take(now_);
        if (turn.main) {
            const MainScheduler::Outcome& outcome = controller_->run_main(second, turn.is_full);
            ++main_runs_;
            start(round, outcome.started);
            if (outcome.has_skipped || !outcome.started.empty()) {
                clock_->note_change(now_);
            }
            if (configuration_->kill_invalid_depend) {
                reject_never_eligible(round);
            }
        }
        if (turn.priorities && controller_->compute_priorities(second)) {
            clock_->note_change(now_);
        }
        if (turn.backfill) {
            const CycleOutcome& outcome = controller_->run_backfill(second);
            ++cycles_;
            tested_ += static_cast<std::uint64_t>(outcome.tested);
            tries_ += static_cast<std::uint64_t>(outcome.tries);
            backfilled_ += outcome.started.size();
            start(round, outcome.started);
            if (outcome.is_change || !outcome.started.empty()) {
                clock_->note_change(now_);
            }
        }
    }

    void start(Round& round, const std::vector<JobPlace>& started) {
        for (const JobPlace started_job : started) {
            const RunningJob& running = controller_->cluster().running(started_job);
            const JobIndex index = index_of_[started_job];
            const Job& job = controller_->cluster().job(started_job);
            if ((job.begin > 0 || !job.dependencies.empty()) && job.eligible) {
                round.note_eligible(index, std::max(round.state().job(index).submit(),
                                                    translation_->time_of(*job.eligible * per_second)));
            }
            ResourceSet hosts;
            for (int node = running.nodes.next(0); node < running.nodes.size();) {
                const int end = running.nodes.next_missing(node);
                hosts.insert(ResourceSet::range(node, end - 1));
                node = running.nodes.next(end);
            }
            Place place{std::move(hosts)};
            if (running.inside) {
                place.window = announced_[*running.inside];
            }
            std::vector<Amount> amounts = translation_->amounts(job, running);
            if (amounts.empty()) {
                round.start(index, place);
            } else {
                round.start(index, place, std::move(amounts));
            }
        }
    }

    void reject_never_eligible(Round& round) {
        const std::vector<JobIndex> waiting(round.state().waiting.jobs().begin(), round.state().waiting.jobs().end());
        for (const JobIndex index : waiting) {
            const JobPlace place = place_of_[index];
            if (controller_->cluster().waits_for(place) == WaitsFor::dependency_never) {
                round.reject(index, "waits for a job whose end can no longer be as it asks");
                controller_->cluster().cancel(place, second_of(now_));
                clock_->request_main(now_);
                clock_->note_change(now_);
            }
        }
    }

    // When something is due that may concern a waiting job.
    Time next_turn(const SchedulerState& state) const {
        if (state.waiting.empty()) {
            return Time::infinity();
        }
        Microseconds next = releases_.empty() ? Clock::never : releases_.front().at;
        const Microseconds turn = clock_->next();
        for (const JobIndex index : state.waiting.jobs()) {
            if (const std::optional<Seconds> from = controller_->queue().eligible_from(place_of_[index])) {
                next = std::min(next, std::max(turn, *from * per_second));
                if (next <= turn) {
                    break;
                }
            }
        }
        if (!unannounced_.empty()) {
            next = std::min(next, translation_->microseconds_of(unannounced_.front()->announced));
        }
        return next == Clock::never ? Time::infinity() : translation_->time_of(next);
    }

    std::shared_ptr<Configuration> configuration_;  // does not change once the machine is known; copies share it
    Owned<Translation> translation_;
    Owned<Controller> controller_;
    std::optional<Clock> clock_;
    std::deque<const Window*> unannounced_;
    std::vector<std::size_t> announced_;                               // the windows that are reservations, by these
    std::vector<JobPlace> place_of_;                                   // by JobIndex
    std::vector<JobIndex> index_of_;                                   // by JobPlace
    std::unordered_map<std::string, JobPlace> places_;                 // by id; only looked up
    std::unordered_map<std::string, std::vector<AwaitedBy>> awaited_;  // by the id of a job that is still to come
    std::deque<Release> releases_;                                     // in the order of time
    Microseconds now_ = 0;
    Time wake_ = Time::infinity();
    std::uint64_t main_runs_ = 0;
    std::uint64_t cycles_ = 0;
    std::uint64_t tested_ = 0;
    std::uint64_t tries_ = 0;
    std::uint64_t backfilled_ = 0;
};

std::string note_of(const Parameters& parameters) {
    if (parameters.choice<Version>("version") == Version::v22_05) {
        return "";
    }
    return "version=26.11 rounds ends in the table of backfill up, looks at fewer running jobs for a later start, moves "
           "plans that conflict sooner, gives a job of one node the first that fits, leaves out weak nodes one by one, "
           "tests whole nodes of exclusive-partitions and licences, and has bf-topopt-enable; all else, defaults too, "
           "is as in 22.05";
}

const Registration registration({
    "slurm",
    "Slurm's own schedulers: the main scheduler and backfill, with their clock, priorities and selection of nodes",
    "Slurm 22.05.8 and 26.11, as docs/slurm.md describes them",
    Configuration::parameters(),
    [](const Parameters& parameters) { return std::make_unique<SlurmAlgorithm>(parameters); },
    {Placement::lowest},
    {"tasks", "whole", "nice"},
    false,
    false,
    false,
    note_of,
});

}  // namespace

}  // namespace batfill::slurm
