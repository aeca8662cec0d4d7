#include <algorithm>

#include <batfill/engine/run_time_predictor.hpp>

namespace batfill {

namespace {

constexpr const char* parameter_name = "prediction";

// Logs count in seconds. Jobs that fail at once run for 0 s.
constexpr Duration shortest_prediction = Duration::seconds(1);

constexpr Duration minute = Duration::seconds(60);
constexpr Duration hour = minute * 60;

// What the first, second, ... correction adds to a job's prediction. Later corrections add the last value.
constexpr std::array<Duration, 11> increments{minute,   minute * 5, minute * 15, minute * 30, hour,      hour * 2,
                                              hour * 5, hour * 10,  hour * 20,   hour * 50,   hour * 100};

}  // namespace

Parameter RunTimePredictor::parameter() {
    return Parameter::choice(parameter_name, {"none", "last-two"}, "none",
                             "estimated run times: walltimes, or the mean of the user's last two jobs");
}

bool RunTimePredictor::is_asked_for(const Parameters& parameters) {
    return parameters.choice(parameter_name) != "none";
}

std::unique_ptr<RunTimePredictor> RunTimePredictor::from(const std::vector<Parameter>& declared,
                                                         const Parameters& parameters) {
    const Parameter ours = parameter();
    const bool is_declared = std::any_of(declared.begin(), declared.end(), [&](const Parameter& one) {
        return one.name == ours.name && one.choices == ours.choices;
    });
    return is_declared && is_asked_for(parameters) ? std::make_unique<RunTimePredictor>() : nullptr;
}

Duration RunTimePredictor::predict(const Job& job) {
    const auto history = histories_.find(job.description().user);
    if (history == histories_.end() || history->second.known < history->second.runs.size()) {
        return job.walltime;
    }
    const auto& [last, before] = history->second.runs;
    const Duration mean = Duration::microseconds((last + before).count() / 2);
    const Duration prediction = std::min(std::max(mean, shortest_prediction), job.walltime);
    predicted_ += prediction < job.walltime ? 1U : 0U;
    return prediction;
}

void RunTimePredictor::ended(JobIndex index, const Job& job, JobState how, Time now) {
    corrections_of_.erase(index);
    const bool is_cut_off = how == JobState::completed_killed && now < job.expected_end();
    if (is_cut_off || job.description().user.empty()) {
        return;
    }
    History& history = histories_[job.description().user];
    history.runs = {now - job.start, history.runs[0]};
    history.known = std::min(history.known + 1, history.runs.size());
}

Duration RunTimePredictor::corrected(JobIndex index, const Job& job, Duration prediction, Time now) {
    Duration estimate = prediction;
    while (estimate < job.walltime && job.start + estimate <= now) {
        std::size_t& corrections = corrections_of_[index];
        ++corrections_;
        if (corrections < increments.size()) {
            estimate = estimate + increments[corrections];
            ++corrections;
        } else {
            // A single step, because walltimes and clock steps may have any length.
            const Microseconds last = increments.back().count();
            const Microseconds needed = ((now - job.start) - estimate).count() / last + 1;
            estimate = estimate + Duration::microseconds(needed * last);
        }
    }
    return std::min(estimate, job.walltime);
}

void RunTimePredictor::append_statistics(std::vector<Statistic>& statistics) const {
    statistics.push_back({"jobs_predicted", predicted_});
    statistics.push_back({"predictions_corrected", corrections_});
}

}  // namespace batfill
