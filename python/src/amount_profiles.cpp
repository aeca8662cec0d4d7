#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/engine/amount_profile.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/profiles.hpp"
#include "src/support/json.hpp"

// The profile of several amounts.
namespace batfill::python {

namespace {

// Calls `take(name, amount)` for the entries of a dict, in its order.
// Throws: UsageError for another object.
template <class Take>
void for_each_amount(nb::handle amounts, Take take) {
    if (!nb::isinstance<nb::dict>(amounts)) {
        throw UsageError("amounts: expected a dict of whole numbers by name, found " + shown_value(amounts));
    }
    for (const auto& [key, value] : entries_of(nb::borrow<nb::dict>(amounts))) {
        const std::string name = word_of(key, "amounts");
        take(name, Amount{whole_number_of(value, name.c_str(), 0, max_total_amount)});
    }
}

class FreeAmounts : public FreeOverTime {
 public:
    // All of it is free from `start` on.
    FreeAmounts(std::vector<std::string> names, Amounts totals, Time start)
        : names_(std::move(names)), totals_(std::move(totals)), profile_(start, totals_) {}

    Time origin() const override { return profile_.instants().front(); }
    int processors() const override {
        const auto found = std::ranges::find(names_, "processors");
        return found == names_.end() ? 0 : static_cast<int>(totals_[static_cast<std::size_t>(found - names_.begin())]);
    }
    nb::dict amounts() const override { return dict_of(totals_); }
    Amounts read(nb::handle wanted) const override {
        Amounts amounts(names_.size());
        for_each_amount(wanted, [&](const std::string& name, Amount amount) {
            const auto found = std::ranges::find(names_, name);
            if (found == names_.end()) {
                std::string known;
                for (const std::string& one : names_) {
                    known.append(known.empty() ? "" : ", ").append(shown(one));
                }
                throw UsageError("amounts: expected names of the profile: " + known + ", found " + shown(name));
            }
            amounts[static_cast<std::size_t>(found - names_.begin())] = amount;
        });
        return amounts;
    }
    Time earliest(const Amounts& wanted, Duration length, Time from) const override {
        return profile_.earliest(wanted, length, from);
    }
    void take(const Amounts& taken, Time from, Time to) override {
        for (std::size_t column = 0; column < names_.size(); ++column) {
            require_at_most(profile_.least(column, from, to), taken, column, "free", from, to);
        }
        profile_.add(from, to, taken, -1);
    }
    void give(const Amounts& given, Time from, Time to) override {
        for (std::size_t column = 0; column < names_.size(); ++column) {
            require_at_most(totals_[column] - most(column, from, to), given, column, "taken", from, to);
        }
        profile_.add(from, to, given, 1);
    }
    void advance(Time now) override { profile_.advance(now); }
    nb::object free_at(Time time) const override {
        const std::span<const Amount> free = profile_.at(time);
        return dict_of({free.begin(), free.end()});
    }
    nb::object steps() const override {
        std::vector<double> times;
        for (const Time time : profile_.instants()) {
            times.push_back(seconds_of(time.since_zero()));
        }
        nb::dict columns;
        for (std::size_t column = 0; column < names_.size(); ++column) {
            std::vector<std::int64_t> values;
            for (const Time time : profile_.instants()) {
                values.push_back(profile_.at(time)[column]);
            }
            columns[text_object(names_[column])] = array_of(std::move(values));
        }
        return nb::make_tuple(array_of(std::move(times)), columns);
    }
    nb::tuple state() const override {
        nb::list totals;
        for (std::size_t column = 0; column < names_.size(); ++column) {
            totals.append(nb::make_tuple(text_object(names_[column]), totals_[column]));
        }
        nb::list steps;
        for (const Time time : profile_.instants()) {
            nb::list free;
            for (const Amount amount : profile_.at(time)) {
                free.append(amount);
            }
            steps.append(nb::make_tuple(text_object(time.since_zero().to_shortest_string()), nb::tuple(free)));
        }
        return nb::make_tuple(nb::tuple(totals), nb::tuple(steps));
    }

    // From `time` on, so much is free.
    // Requires: it is the beginning, or later than any before.
    void set_from(Time time, const Amounts& free) { profile_.set_from(time, free); }

 private:
    nb::dict dict_of(const Amounts& amounts) const {
        nb::dict result;
        for (std::size_t column = 0; column < names_.size(); ++column) {
            result[text_object(names_[column])] = amounts[column];
        }
        return result;
    }
    // `what`: "free" or "taken".
    void require_at_most(Amount most, const Amounts& found, std::size_t column, const char* what, Time from,
                         Time to) const {
        if (found[column] > most) {
            throw UsageError("expected at most " + std::to_string(most) + " of " + shown(names_[column]) +
                             ", as much as is " + what + " during " + interval_text(from, to) + ", found " +
                             std::to_string(found[column]));
        }
    }
    // The most that is free at some time of the interval.
    Amount most(std::size_t column, Time from, Time to) const {
        Amount result = profile_.at(from)[column];
        for (const Time time : profile_.instants()) {
            if (from < time && time < to) {
                result = std::max(result, profile_.at(time)[column]);
            }
        }
        return result;
    }

    std::vector<std::string> names_;
    Amounts totals_;
    AmountProfile profile_;
};

struct Totals {
    std::vector<std::string> names;
    FreeOverTime::Amounts amounts;
};

Totals totals_of(nb::handle amounts) {
    Totals totals;
    for_each_amount(amounts, [&](const std::string& name, Amount amount) {
        if (name == "processors") {
            whole_number_of(nb::cast(amount), "processors", 0, std::numeric_limits<int>::max());
        }
        totals.names.push_back(name);
        totals.amounts.push_back(amount);
    });
    if (totals.names.empty()) {
        throw UsageError("amounts: expected at least one, found {}");
    }
    return totals;
}

}  // namespace

std::unique_ptr<FreeOverTime> free_amounts(nb::handle amounts, Time start) {
    Totals totals = totals_of(amounts);
    return std::make_unique<FreeAmounts>(std::move(totals.names), std::move(totals.amounts), start);
}

// (((name, total), ...), ((time, (free, ...)), ...)), by time.
std::unique_ptr<FreeOverTime> free_amounts_of_state(const nb::tuple& state) {
    const auto require_tuple = [](nb::handle object, std::size_t size) {
        require_profile(nb::isinstance<nb::tuple>(object) && nb::len(object) == size);
    };
    const nb::object entries = state[0];
    nb::dict amounts;
    for (const nb::handle entry : entries) {
        require_tuple(entry, 2);
        amounts[text_object(word_of(nb::object(entry[0]), "profile"))] = nb::object(entry[1]);
    }
    require_profile(nb::len(amounts) == nb::len(entries));
    const Totals totals = totals_of(amounts);
    std::unique_ptr<FreeAmounts> result;
    Time before;
    for_each_step(nb::object(state[1]), [&](Time time, nb::handle row) {
        require_tuple(row, totals.amounts.size());
        FreeOverTime::Amounts free;
        for (const nb::handle amount : row) {
            free.push_back(whole_number_of(amount, "profile", 0));
            require_profile(free.back() <= totals.amounts[free.size() - 1]);
        }
        require_profile(!result || before < time);
        if (!result) {
            result = std::make_unique<FreeAmounts>(totals.names, totals.amounts, time);
        }
        result->set_from(time, free);
        before = time;
    });
    require_profile(result != nullptr);
    return result;
}

}  // namespace batfill::python
