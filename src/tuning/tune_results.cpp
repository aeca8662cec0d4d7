#include "tune_results.hpp"

#include <utility>

#include "src/support/csv_text.hpp"
#include "src/support/json_writer.hpp"

namespace batfill {

namespace {

constexpr const char* weight_columns = "w_q,w_p,w_wait,w_ratio,w_expansion,w_area";

// The text of a file for --sched-cfg.
std::string policy_file_text(const SchedulerChoice& policy, const MixedWeights& weights) {
    CompactJson json;
    json.open_object();
    json.key("algorithm").text(policy.algorithm);
    json.key("params").open_object();
    const SchedulerChoice tuned = with_weights(policy, weights);
    for (const auto& [name, value] : tuned.parameters) {
        json.key(name.c_str());
        if (name == "weights" || name == "scales") {
            json.raw('[' + value + ']', rapidjson::kArrayType);
        } else {
            json.text(value);
        }
    }
    json.close_object();
    json.close_object();
    return std::string(json.view()) + '\n';
}

}  // namespace

TuneResults::TuneResults(const TuneRequest& request, std::vector<std::string> workloads)
    : request_(request), workloads_(std::move(workloads)) {
    if (request.values_file) {
        values_ = &files_.add(*request.values_file);
        values_->write(std::string("workload,evaluation,value,") + weight_columns + '\n');
    }
}

void TuneResults::add_value(std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value) {
    if (values_ != nullptr) {
        values_->write(csv_text(workloads_[workload]) + ',' + std::to_string(evaluation) + ',' + exact(value) + ',' +
                       numbers_text(weights) + '\n');
    }
}

std::vector<std::string> TuneResults::write(const std::vector<TuningTask>& tasks) {
    write_convergence(tasks);
    write_best(tasks);
    write_policies(tasks);
    return files_.commit();
}

// What the results of a task are about, in quotes: a workload, or the sum over all.
std::string TuneResults::subject(const TuningTask& task) const {
    return csv_text(request_.sum ? "sum" : workloads_[task.workloads.front()]);
}

void TuneResults::write_convergence(const std::vector<TuningTask>& tasks) {
    OutputFile& file = files_.add(request_.prefix + "_convergence.csv");
    file.write(std::string("workload,evaluation,start,value,objective,") + weight_columns + '\n');
    for (const TuningTask& task : tasks) {
        for (const WeightSearch::Improvement& improvement : task.search->improvements()) {
            file.write(subject(task) + ',' + std::to_string(improvement.evaluation) + ',' +
                       std::to_string(improvement.start) + ',' + exact(improvement.value) + ',' +
                       exact(improvement.objective) + ',' + numbers_text(improvement.weights) + '\n');
        }
    }
}

void TuneResults::write_best(const std::vector<TuningTask>& tasks) {
    OutputFile& file = files_.add(request_.prefix + "_results.csv");
    file.write(std::string("workload,metric,value,") + weight_columns + ",found_at,evaluations\n");
    for (const TuningTask& task : tasks) {
        const WeightSearch::Improvement& best = task.search->best();
        file.write(subject(task) + ',' + request_.metric.name() + ',' + exact(best.value) + ',' +
                   numbers_text(best.weights) + ',' + std::to_string(best.evaluation) + ',' +
                   std::to_string(task.search->evaluations()) + '\n');
    }
}

void TuneResults::write_policies(const std::vector<TuningTask>& tasks) {
    for (const TuningTask& task : tasks) {
        const std::string suffix = request_.sum ? "" : "_" + workloads_[task.workloads.front()];
        OutputFile& file = files_.add(request_.prefix + suffix + ".json");
        file.write(policy_file_text(request_.policy, task.search->best().weights));
    }
}

}  // namespace batfill
