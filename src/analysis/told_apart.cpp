#include "src/analysis/told_apart.hpp"

#include <algorithm>

#include "src/support/csv_text.hpp"

namespace batfill::analysis {

namespace {

// "a, b and c".
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
    }
    return text;
}

// ", 33 % less than fcfs"; empty if the best run is the baseline of several.
std::string compared_with_baseline(const MeanWaits& waits, std::size_t best) {
    const std::size_t other = waits.names.size() == 2 ? 1 - best : waits.baseline;
    const double before = *waits.values[other];
    if (*waits.values[best] == before) {
        return "";
    }
    const std::string less = rounded((before - *waits.values[best]) / before * 100, 1);
    return ", " + (less == "0.0" ? "under 0.1" : less) + " % less than " + waits.names[other];
}

// The pairs that are told apart, better run first: " Told apart are only: easy and fcfs."
std::string others_told_apart(const MeanWaits& waits, const ToldApart& told_apart) {
    std::string pairs;
    for (std::size_t one = 0; one < waits.names.size(); ++one) {
        for (std::size_t other = 0; other < waits.names.size(); ++other) {
            if (told_apart(one, other) && waits.values[one] < waits.values[other]) {
                pairs += (pairs.empty() ? "" : "; ") + waits.names[one] + " and " + waits.names[other];
            }
        }
    }
    return pairs.empty() ? "" : " Told apart are only: " + pairs + ".";
}

}  // namespace

ToldApart::ToldApart(std::size_t runs, const DifferenceInterval& interval, const ToldApart* only_where)
    : runs_(runs), pairs_(runs * runs) {
    const std::size_t pairs = runs * (runs - 1) / 2;
    for (std::size_t one = 1; one < runs; ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const std::optional<Interval> found = interval(one, other, pairs);
            is_known_ = is_known_ || found;
            const bool is_apart = found && !found->contains(0) && (only_where == nullptr || (*only_where)(one, other));
            pairs_[one * runs + other] = is_apart;
            pairs_[other * runs + one] = is_apart;
        }
    }
}

bool ToldApart::any_from(std::size_t run) const {
    const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(run * runs_);
    return std::count(first, first + static_cast<std::ptrdiff_t>(runs_), true) > 0;
}

bool ToldApart::any() const {
    return std::ranges::find(pairs_, true) != pairs_.end();
}

ValuesOfRun difference(const ValuesOfRun& values, const ValuesOfRun& others) {
    ValuesOfRun differences(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        differences[i] = values[i] && others[i] ? std::optional(*values[i] - *others[i]) : std::nullopt;
    }
    return differences;
}

ToldApart told_apart_over(const WorkloadGroups& groups, const std::vector<ValuesOfRun>& runs,
                          const ToldApart* only_where) {
    const auto interval = [&](std::size_t one, std::size_t other, std::size_t pairs) {
        return mean_over_groups(difference(runs[one], runs[other]), groups, pairs).interval;
    };
    return {runs.size(), interval, only_where};
}

std::vector<Mark> marks_of(const std::vector<std::optional<double>>& values, Goal goal, const ToldApart& told_apart) {
    std::vector<Mark> marks(values.size(), Mark::none);
    const std::vector<bool> is_best = best_of(values, goal);
    const auto best = static_cast<std::size_t>(std::ranges::find(is_best, true) - is_best.begin());
    if (best == values.size() || !told_apart.any_from(best)) {
        return marks;
    }
    for (std::size_t run = 0; run < values.size(); ++run) {
        if (values[run]) {
            marks[run] = is_best[run] ? Mark::best : told_apart(best, run) ? Mark::told_apart : Mark::not_told_apart;
        }
    }
    return marks;
}

std::string verdict(const MeanWaits& waits, const ToldApart& told_apart) {
    const std::size_t runs = waits.names.size();
    if (runs < 2 || !std::ranges::all_of(waits.values, [](const auto& value) { return value.has_value(); })) {
        return "";
    }
    const std::vector<bool> is_best = best_of(waits.values, Goal::less);
    const auto best = static_cast<std::size_t>(std::ranges::find(is_best, true) - is_best.begin());
    if (best == runs) {
        return std::string(runs > 2 ? "All" : "Both") + " have the same mean wait.";
    }
    std::vector<std::string> equal;  // to the best value
    std::vector<std::string> apart;
    std::vector<std::string> open;
    for (std::size_t run = 0; run < runs; ++run) {
        (is_best[run] ? equal : told_apart(best, run) ? apart : open).push_back(waits.names[run]);
    }
    const bool is_one = equal.size() == 1;
    const std::string found =
        listed(equal) + (is_one ? " has" : " have") + " the least mean wait" + compared_with_baseline(waits, best);
    if (!told_apart.is_known()) {
        return found + "; " + waits.nothing_known + ".";
    }
    const std::string subject = is_one ? "it is" : "they are";
    if (apart.empty()) {
        return found + ", but this may be chance: " +
               (runs == 2 ? "the two are not told apart"
                          : subject + " not told apart from " + (open.size() > 1 ? "any other" : open.front())) +
               "." + others_told_apart(waits, told_apart);
    }
    if (open.empty()) {
        return found + ", and " + (is_one ? "is" : "are") + " told apart from " +
               (runs == 2          ? "it"
                : apart.size() > 1 ? "all others"
                                   : apart.front()) +
               ".";
    }
    return found + ". " + (is_one ? "It is" : "They are") + " told apart from " + listed(apart) + "; " + listed(open) +
           " may be as good.";
}

std::string meaning_of_marks(const ToldApart& mean_waits, bool has_marks, MetricsFormat format) {
    if (!mean_waits.is_known()) {
        return "";
    }
    const std::string best = format == MetricsFormat::table ? "*" : "Bold";
    return "Brackets hold 95 % intervals, each for itself. " +
           (has_marks          ? best + ": best, and told apart from what has no mark; ~: not told apart from it."
            : mean_waits.any() ? "No marks: no best value is told apart from another one."
                               : "No marks: the mean wait tells no two schedulers apart.") +
           " Of tables of equal schedulers, at most 5 % have a mark: marks rest on the mean wait, and hold for all pairs "
           "together.";
}

}  // namespace batfill::analysis
