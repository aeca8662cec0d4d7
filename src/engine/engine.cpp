#include <algorithm>
#include <stdexcept>
#include <utility>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>

namespace batfill {

namespace {

// The order of SchedulerState::running.
bool ends_before(const RunningJob& a, const RunningJob& b) {
    return a.end != b.end ? a.end < b.end : a.job < b.job;
}

}  // namespace

const SchedulerState& Round::state() const {
    return engine_.state_;
}
Plan& Round::plan() {
    return engine_.state_.plan;
}
std::vector<JobIndex>& Round::tentative() {
    return engine_.state_.tentative;
}
void Round::call_at(Time time) {
    engine_.call_at(time);
}

void Round::start(JobIndex job) {
    engine_.start(job, nullptr);
}
void Round::start(JobIndex job, const ResourceSet& allocation) {
    engine_.start(job, &allocation);
}

Engine::Engine(const std::string& algorithm, const Parameters::Given& given) : description_(find_algorithm(algorithm)) {
    const Parameters parameters(description_.name, description_.parameters, given);
    default_walltime_ = parameters.seconds("default-walltime");
    if (default_walltime_ == Duration()) {
        throw UsageError("parameter default-walltime must be more than 0 seconds");
    }
    algorithm_ = description_.make(parameters);
}

Engine::~Engine() = default;

void Engine::begin(Time now, int processors) {
    state_.now = now;
    state_.processors = processors;
    state_.idle = ResourceSet::range(0, processors - 1);
    state_.idle_count = processors;
    Round round(*this);
    algorithm_->begin(round);
}

std::vector<Statistic> Engine::statistics() const {
    std::vector<Statistic> statistics = algorithm_->statistics();
    if (const auto events = state_.plan.counted_events()) {
        statistics.push_back({"profile_events", *events});
    }
    return statistics;
}

void Engine::arrive(Time now) {
    if (now < state_.now) {
        throw std::logic_error("the clock of a scheduler does not go back");
    }
    state_.now = now;
    calls_.erase(calls_.begin(), calls_.upper_bound(now));
}

JobIndex Engine::submitted(JobDescription description) {
    const auto index = static_cast<JobIndex>(state_.jobs.size());
    Job& job = state_.jobs.emplace_back();
    job.description = std::move(description);
    if (job.description.walltime) {
        job.walltime = *job.description.walltime;
    } else if (default_walltime_) {
        job.walltime = *default_walltime_;
        job.walltime_assumed = true;
    }
    submissions_.push_back(index);
    return index;
}

void Engine::completed(JobIndex index) {
    if (index >= state_.jobs.size() || state_.jobs[index].state != Job::State::running) {
        throw std::logic_error("only a running job can end");
    }
    Job& job = state_.jobs[index];
    const auto at = std::lower_bound(state_.running.begin(), state_.running.end(),
                                     RunningJob{job.expected_end(), index, 0}, ends_before);
    completions_.push_back({index, at->end, at->processors});
    state_.running.erase(at);
    job.state = Job::State::finished;
    job.allocation.remove(state_.unavailable);
    state_.idle.insert(job.allocation);
    state_.idle_count += job.allocation.size();
    job.allocation = {};
    if (job.walltime_assumed) {
        std::erase(to_be_stopped_, index);
    }
}

void Engine::machine_changed(const ResourceSet& processors, bool available) {
    const ResourceSet known = processors.intersection(ResourceSet::range(0, state_.processors - 1));
    if (available) {
        state_.unavailable.remove(known);
    } else {
        state_.unavailable.insert(known);
    }
    state_.idle = ResourceSet::range(0, state_.processors - 1);
    state_.idle.remove(state_.unavailable);
    for (RunningJob& running : state_.running) {
        const Job& job = state_.jobs[running.job];
        running.processors = job.processors() - job.allocation.count_common(state_.unavailable);
        state_.idle.remove(job.allocation);
    }
    state_.idle_count = state_.idle.size();
    machine_changed_ = true;
}

std::optional<std::string> Engine::reason_to_refuse(const Job& job) const {
    if (job.processors() < 1) {
        return "asks for " + std::to_string(job.processors()) + " processors";
    }
    if (job.processors() > state_.processors) {
        return "asks for " + std::to_string(job.processors()) + " processors, the machine has " +
               std::to_string(state_.processors);
    }
    if (!job.description.walltime && !default_walltime_) {
        return "has no walltime, and no default-walltime is set";
    }
    if (job.walltime <= Duration()) {
        return "has a walltime of 0";
    }
    return algorithm_->refuse(job.description);
}

void Engine::admit(Round& round, JobIndex index) {
    Job& job = state_.jobs[index];
    if (auto reason = reason_to_refuse(job)) {
        job.state = Job::State::rejected;
        decisions_.push_back({Decision::Kind::reject, index, {}, std::move(*reason)});
        return;
    }
    state_.waiting.insert(index, state_.jobs);
    algorithm_->submitted(round, index);
    if (gives_guarantees()) {
        job.guaranteed_start = guaranteed_start(index);
    }
}

// Of a job that has just been submitted. A job for which the machine is too small at present has no planned start yet.
std::optional<Time> Engine::guaranteed_start(JobIndex index) const {
    if (state_.jobs[index].state == Job::State::running) {
        return state_.now;
    }
    const bool tentative = std::binary_search(state_.tentative.begin(), state_.tentative.end(), index,
                                              [this](JobIndex a, JobIndex b) { return state_.submitted_before(a, b); });
    const Time planned = state_.plan.planned_start(index);
    return tentative || planned.is_infinite() ? std::nullopt : std::optional(planned);
}

const std::vector<Decision>& Engine::decide() {
    decisions_.clear();
    state_.plan.advance(state_.now);
    const bool changed = machine_changed_ || !completions_.empty() || !submissions_.empty();
    if (changed || state_.plan.due(state_.now)) {
        Round round(*this);
        if (machine_changed_) {
            algorithm_->machine_changed(round, completions_);
        } else if (!completions_.empty()) {
            algorithm_->completed(round, completions_);
        }
        for (const JobIndex job : submissions_) {
            admit(round, job);
        }
        algorithm_->decide(round);
        completions_.clear();
        submissions_.clear();
        machine_changed_ = false;
    }
    stop_overlong_jobs();
    return decisions_;
}

void Engine::start(JobIndex index, const ResourceSet* allocation) {
    const auto refuse = [&](const std::string& why) {
        throw DecisionError(
            "algorithm " + description_.name + " started " +
            (index < state_.jobs.size() ? "job " + state_.jobs[index].description.id : "an unknown job") + " at " +
            state_.now.to_string() + ": " + why);
    };
    if (index >= state_.jobs.size()) {
        refuse("there is no such job");
    }
    Job& job = state_.jobs[index];
    if (job.state != Job::State::waiting) {
        refuse("it is not waiting");
    }
    if (job.processors() > state_.idle_count) {
        refuse("it needs " + std::to_string(job.processors()) + " processors and " + std::to_string(state_.idle_count) +
               " are idle");
    }
    if (allocation == nullptr) {
        job.allocation = state_.idle.take_lowest(job.processors());
    } else {
        if (allocation->size() != job.processors()) {
            refuse("it needs " + std::to_string(job.processors()) + " processors and would get " +
                   std::to_string(allocation->size()));
        }
        if (!state_.idle.contains_all(*allocation)) {
            refuse("processors " + allocation->to_string() + " are not all idle");
        }
        job.allocation = *allocation;
        state_.idle.remove(*allocation);
    }
    state_.waiting.remove(index, state_.jobs);
    std::erase(state_.tentative, index);
    state_.idle_count -= job.processors();
    job.state = Job::State::running;
    job.start = state_.now;
    const RunningJob running{job.expected_end(), index, job.processors()};
    const auto place = std::lower_bound(state_.running.begin(), state_.running.end(), running, ends_before);
    state_.running.insert(place, running);
    decisions_.push_back({Decision::Kind::start, index, {}, {}});
    if (job.walltime_assumed) {
        to_be_stopped_.push_back(index);
        call_at(job.expected_end());
    }
}

void Engine::call_at(Time time) {
    if (time <= state_.now || time.is_infinite()) {
        throw DecisionError("algorithm " + description_.name + " asked at " + state_.now.to_string() +
                            " for a call at " + time.to_string());
    }
    if (calls_.insert(time).second) {
        decisions_.push_back({Decision::Kind::call, 0, time, {}});
    }
}

void Engine::stop_overlong_jobs() {
    for (const JobIndex index : to_be_stopped_) {
        Job& job = state_.jobs[index];
        if (!job.kill_requested && job.expected_end() <= state_.now) {
            job.kill_requested = true;
            decisions_.push_back({Decision::Kind::kill, index, {}, {}});
        }
    }
}

}  // namespace batfill
