#include <memory>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/engine/scheduler_choice.hpp>

#include "src/engine/foreign_code.hpp"

namespace batfill {

namespace {

// Nobody owns a registered algorithm: it stays.
std::shared_ptr<const AlgorithmDescription> registered(const std::string& name) {
    return {std::shared_ptr<void>(), &find_algorithm(name)};
}

}  // namespace

SchedulerChoice::SchedulerChoice(const std::string& algorithm, const Parameters::Given& given)
    : SchedulerChoice(registered(algorithm), given) {}
SchedulerChoice::SchedulerChoice(std::shared_ptr<const AlgorithmDescription> description,
                                 const Parameters::Given& given)
    : description_(std::move(description)),
      parameters_(description_->name, description_->parameters, given),
      common_(parameters_) {
    const std::unique_ptr<Algorithm> algorithm = make_algorithm();
    const auto predictor = RunTimePredictor::from(description_->parameters, parameters_);
    needs_run_times_ = algorithm->needs_run_times() || (predictor && predictor->needs_run_times());
    // A plan counts processors. With contiguous placement, the free processors may be scattered at a planned start, so
    // a plan promises nothing.
    gives_guarantees_ = common_.placement != Placement::contiguous && algorithm->gives_guarantees();
    submits_jobs_ = algorithm->registers_jobs();
    run_limits_ = algorithm->run_limits();
}

SchedulerChoice SchedulerChoice::with(const Parameters::Given& changes) const {
    Parameters::Given given = parameters_.given();
    given.insert(given.end(), changes.begin(), changes.end());
    return {description_, given};
}

std::unique_ptr<Algorithm> SchedulerChoice::make_algorithm() const {
    auto algorithm = call_foreign_code(description_->name, [&] { return description_->make(parameters_); });
    refuse_if<DecisionError>(!algorithm, "algorithm ", description_->name,
                             " fails: the function that makes it returns none");
    return algorithm;
}

}  // namespace batfill
