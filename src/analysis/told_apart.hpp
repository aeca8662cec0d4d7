#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/intervals.hpp>

#include "src/analysis/metric_table.hpp"
#include "src/analysis/tables.hpp"

// What a table or a page says of which runs are better than others, so that it holds for the whole of it: at most 5 %
// of the tables of equal schedulers say anything.
// - The intervals of a metric's differences hold together, over all pairs of runs, since the data choose the best run.
// - Everything rests on one metric, the mean wait. The others tell two runs apart only where that does.
namespace batfill::analysis {

// Which of some runs differ in a metric.
class ToldApart {
 public:
    // `interval(one, other, pairs)` is the interval of the difference between two runs, `one` > `other`, as one of so
    // many that hold together; none if it is unknown.
    using DifferenceInterval = std::function<std::optional<Interval>(std::size_t, std::size_t, std::size_t)>;
    // Where `only_where` is not null, runs that it does not tell apart are not told apart.
    // Cost: one interval for each pair of runs.
    ToldApart(std::size_t runs, const DifferenceInterval& interval, const ToldApart* only_where = nullptr);

    // Whether there are intervals: else nothing is said about chance.
    bool is_known() const { return is_known_; }
    bool operator()(std::size_t one, std::size_t other) const { return pairs_[one * runs_ + other]; }
    // Whether some run is told apart from this one.
    bool any_from(std::size_t run) const;
    bool any() const;

 private:
    std::size_t runs_;
    std::vector<bool> pairs_;
    bool is_known_ = false;
};

// The values of a metric, by workload.
using ValuesOfRun = std::vector<std::optional<double>>;
// How much more these are than others of the same workloads.
ValuesOfRun difference(const ValuesOfRun& values, const ValuesOfRun& others);
// Which runs with these values differ, workload by workload.
ToldApart told_apart_over(const WorkloadGroups& groups, const std::vector<ValuesOfRun>& runs,
                          const ToldApart* only_where = nullptr);

// The marks of the runs with these values. None, unless the metric has a goal and the best value is told apart from
// another one.
std::vector<Mark> marks_of(const std::vector<std::optional<double>>& values, Goal goal, const ToldApart& told_apart);

// Who is compared, and by what, for the sentence on them.
struct MeanWaits {
    std::vector<std::string> names;
    std::vector<std::optional<double>> values;  // in seconds
    std::size_t baseline = 0;
    std::string nothing_known{};  // why there are no intervals, as the end of a sentence
};

// The sentence on which run is best by its mean wait, and how sure that is: "easy has the least mean wait, 33 % less
// than fcfs, and is told apart from it." Empty for fewer than two runs, or if a value is missing.
std::string verdict(const MeanWaits& waits, const ToldApart& told_apart);

// What the intervals and marks of a table in this format mean, or that it has no marks. Empty without intervals.
std::string meaning_of_marks(const ToldApart& mean_waits, bool has_marks, MetricsFormat format);

}  // namespace batfill::analysis
