#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <batfill/core/error.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "src/support/calendar.hpp"
#include "src/support/text.hpp"

namespace batfill::python {

Jobs keep(Workload workload) {
    return {std::make_shared<const Workload>(std::move(workload))};
}

Workload by_submission(const Jobs& jobs) {
    const Workload& given = *jobs.workload;
    Workload workload = given.without_jobs();
    workload.profiles = given.profiles;
    workload.jobs.reserve(given.jobs.size());
    for (const WorkloadJob& job : given.jobs) {
        look_for_interruption();
        workload.jobs.push_back(job);
    }
    const auto is_before = [](const WorkloadJob& a, const WorkloadJob& b) {
        return a.description.submit < b.description.submit;
    };
    if (!std::is_sorted(workload.jobs.begin(), workload.jobs.end(), is_before)) {
        std::stable_sort(workload.jobs.begin(), workload.jobs.end(), is_before);
    }
    return workload;
}

std::size_t place_of(const std::string& word, const std::string& name, const std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), word);
    refuse_if(found == words.end(), [&] { return name + ": " + unknown_name("value", word, words); });
    return static_cast<std::size_t>(found - words.begin());
}

double seconds_of(Duration duration) {
    if (duration.is_infinite()) {
        return std::numeric_limits<double>::infinity();
    }
    // Both are exact, and so is rounded once.
    constexpr Microseconds exact = Microseconds{1} << 53;
    const Microseconds us = duration.count();
    return us <= exact && -us <= exact ? static_cast<double>(us) / 1e6 : duration.to_seconds();
}

double seconds_or_nan(const std::optional<Duration>& duration) {
    return duration ? seconds_of(*duration) : std::numeric_limits<double>::quiet_NaN();
}

Duration duration_of(nb::handle value, const std::string& name) {
    if (nb::isinstance<nb::str>(value)) {
        return batfill::seconds_of(name, utf8_of(value));
    }
    const std::optional<double> number = number_in(value);
    if (!number) {
        throw UsageError(name + ": expected a number of seconds or a text such as \"90d\", found " +
                         shown_value(value));
    }
    const std::optional<Duration> duration = Duration::from_seconds(*number);
    if (!duration) {
        throw UsageError(name + ": expected a number of seconds within +-1e18, found " + std::to_string(*number));
    }
    return *duration;
}

Duration positive_duration_of(nb::handle value, const std::string& name) {
    const Duration duration = duration_of(value, name);
    if (duration < Duration::microseconds(1)) {
        throw UsageError(name + ": expected at least 0.000001 s, found " + duration.to_shortest_string());
    }
    return duration;
}

Time time_of(double seconds) {
    if (std::isinf(seconds) && seconds > 0) {
        return Time::infinity();
    }
    const std::optional<Duration> duration = Duration::from_seconds(seconds);
    refuse_if(!duration, "expected a number of seconds within +-1e18, found ", seconds);
    return Time::at(*duration);
}

template <class Value>
nb::object array_of(std::vector<Value> values) {
    auto* const kept = new std::vector<Value>(std::move(values));
    const nb::capsule owner(kept, [](void* vector) noexcept { delete static_cast<std::vector<Value>*>(vector); });
    return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}
template nb::object array_of(std::vector<double> values);
template nb::object array_of(std::vector<std::int64_t> values);
template nb::object array_of(std::vector<int> values);

}  // namespace batfill::python
