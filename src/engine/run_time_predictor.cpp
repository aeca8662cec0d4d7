#include <algorithm>
#include <optional>

#include <batfill/core/error.hpp>
#include <batfill/engine/run_time_predictor.hpp>

namespace batfill {

namespace {

// Logs count in seconds. Jobs that fail at once run for 0 s.
constexpr Duration shortest_prediction = Duration::seconds(1);

constexpr Duration minute = Duration::seconds(60);
constexpr Duration hour = minute * 60;

// What the first, second, ... correction adds: to the prediction so far (cumulative) or to the first one (from-first).
constexpr std::array<Duration, 11> increments{minute,   minute * 5, minute * 15, minute * 30, hour,      hour * 2,
                                              hour * 5, hour * 10,  hour * 20,   hour * 50,   hour * 100};

constexpr Microseconds second = Duration::seconds(1).count();

}  // namespace

std::vector<Parameter> RunTimePredictor::parameters() {
    const std::vector<std::string> may_expire{"prediction=last-two", "prediction=last-two-seconds", "prediction=field"};
    return {
        Parameter::choice("prediction", {"none", "last-two", "last-two-seconds", "clairvoyant", "field"}, "none",
                          "estimated run times: walltimes, the mean of the user's last two jobs, the same in whole "
                          "seconds, run times, or a field of the job"),
        Parameter::text("prediction-field", "prediction", "with prediction=field: name of the job's field, in seconds")
            .used_with({"prediction=field"}),
        Parameter::choice("correction", {"cumulative", "from-first", "doubling", "walltime"}, "cumulative",
                          "of an expired prediction: steps that add up, steps from the first prediction, twice the "
                          "prediction, or the walltime")
            .used_with(may_expire),
        Parameter::choice("expired", {"profile", "round"}, "profile",
                          "a prediction that expires only changes the profile, or starts a round")
            .used_with(may_expire)};
}

std::unique_ptr<RunTimePredictor> RunTimePredictor::from(const std::vector<Parameter>& declared,
                                                         const Parameters& parameters) {
    const std::vector<Parameter> all = RunTimePredictor::parameters();
    const bool are_declared = std::ranges::all_of(
        all, [&](const Parameter& ours) { return std::ranges::find(declared, ours) != declared.end(); });
    return are_declared && is_asked_for(parameters) ? std::make_unique<RunTimePredictor>(parameters) : nullptr;
}

RunTimePredictor::RunTimePredictor(const Parameters& parameters)
    : source_(parameters.choice<Source>("prediction")),
      field_(parameters.text("prediction-field")),
      correction_(parameters.choice<Correction>("correction")),
      expiries_start_rounds_(parameters.choice("expired") == "round") {}

Duration RunTimePredictor::predict(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    Duration prediction = job.walltime;
    if (source_ == Source::clairvoyant) {
        prediction = state.run_time(index);
    } else if (source_ == Source::field) {
        prediction = field_of(job);
    } else {
        learn_before(state.now);
        prediction = last_two(job);
    }
    predicted_ += prediction < job.walltime ? 1U : 0U;
    return prediction;
}

Duration RunTimePredictor::last_two(const Job& job) const {
    const auto history = histories_.find(job.description().user);
    if (history == histories_.end() || history->second.known < history->second.runs.size()) {
        return job.walltime;
    }
    const auto& [last, before] = history->second.runs;
    const Microseconds sum = (last + before).count();
    const Microseconds mean = source_ == Source::last_two_seconds ? sum / (2 * second) * second
                                                                  : sum / 2 + (sum % 4 == 3 ? 1 : 0);  // half to even
    return std::min(std::max(Duration::microseconds(mean), shortest_prediction), job.walltime);
}

Duration RunTimePredictor::field_of(const Job& job) const {
    const std::optional<double> seconds = number_field(job.description(), field_);
    const std::optional<Duration> prediction =
        seconds && *seconds >= 0 ? Duration::from_seconds(*seconds) : std::nullopt;
    return prediction ? std::max(*prediction, shortest_prediction) : job.walltime;
}

void RunTimePredictor::ended(JobIndex index, const Job& job, JobState how, Time now) {
    const auto running = running_.extract(index);
    const bool is_cut_off = how == JobState::completed_killed && now < job.expected_end();
    if (is_cut_off || job.description().user.empty()) {
        return;
    }
    if (source_ == Source::last_two) {
        learn(job.description().user, now - job.start);
    } else if (source_ == Source::last_two_seconds) {
        learn_before(now);
        ended_now_.push_back({now, running.mapped().number, job.description().user, now - job.start});
    }
}

void RunTimePredictor::learn(const std::string& user, Duration run) {
    History& history = histories_[user];
    history.runs = {run, history.runs[0]};
    history.known = std::min(history.known + 1, history.runs.size());
}

// Of jobs that ended at one instant, the one that started first ends first.
void RunTimePredictor::learn_before(Time now) {
    if (ended_now_.empty() || ended_now_.front().at >= now) {
        return;
    }
    std::ranges::sort(ended_now_, {}, &Ended::start_number);
    for (const Ended& ended : ended_now_) {
        learn(ended.user, ended.run);
    }
    ended_now_.clear();
}

void RunTimePredictor::correct(SchedulerState& state, Time least_end) {
    const auto last =
        std::ranges::find_if(state.running, [=](const RunningJob& running) { return running.end >= least_end; });
    for (auto expired = state.running.begin(); expired != last; ++expired) {
        const Job& job = state.job(expired->job);
        Duration& prediction = state.predictions[expired->job];
        Running& running = running_.at(expired->job);
        while (may_correct(job, prediction) && job.start + prediction < least_end) {
            ++corrections_;
            const Duration corrected = correct_once(running, job, prediction, least_end);
            a_prediction_expired_ |= corrected != prediction;
            prediction = corrected;
            ++running.corrections;
        }
        expired->end = state.estimated_end(expired->job);
    }
    if (last != state.running.begin()) {
        std::sort(state.running.begin(), state.running.end());
    }
}

Time RunTimePredictor::find_next_expiry(const SchedulerState& state) {
    const auto next = std::ranges::find_if(state.running, [&](const RunningJob& running) {
        return running.end > state.now && may_correct(state.job(running.job), state.predictions[running.job]);
    });
    next_expiry_ = !expiries_start_rounds_ || next == state.running.end() ? Time::infinity() : next->end;
    return next_expiry_;
}

Duration RunTimePredictor::correct_once(Running& running, const Job& job, Duration estimate, Time least_end) const {
    const std::size_t step = running.corrections;
    switch (correction_) {
        case Correction::doubling:
            return estimate * 2;
        case Correction::walltime:
            return job.walltime;
        case Correction::from_first:
            return step < increments.size() ? std::min(running.first_prediction + increments[step], job.walltime)
                                            : job.walltime;
        case Correction::cumulative:
            break;
    }
    if (step < increments.size()) {
        return std::min(estimate + increments[step], job.walltime);
    }
    // A single step, because walltimes and clock steps may have any length.
    const Microseconds last = increments.back().count();
    const Microseconds missing = ((least_end - job.start) - estimate).count();
    return std::min(estimate + Duration::microseconds((missing + last - 1) / last * last), job.walltime);
}

}  // namespace batfill
