#include "src/formats/job_times.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <tuple>
#include <utility>
#include <vector>

namespace batfill {

namespace {

constexpr Duration longest_plausible = Duration::days(3653);  // ten years
constexpr Duration first_absolute = Duration::days(3652);     // 1980-01-01

Duration distance(Duration a, Duration b) {
    return a < b ? b - a : a - b;
}

bool is_absolute(const std::optional<Instant>& instant) {
    return instant && instant->first >= first_absolute;
}

// Whether this is a word for "unknown" on an absolute clock, in any time zone.
bool is_word_for_unknown(Duration instant) {
    constexpr std::array<long long, 3> words = {0, 2'147'483'647, 4'294'967'295};  // seconds since 1970
    return instant < Duration() || std::ranges::any_of(words, [&](long long word) {
               return distance(instant, Duration::seconds(word)) <= Duration::days(1);
           });
}

// Forgets the instants that are not known.
void forget_unknown(AccountedJob& job) {
    const auto forget_if = [](std::optional<Instant>& instant, bool is_unknown) {
        if (instant && is_unknown) {
            instant.reset();
        }
    };
    if (!is_absolute(job.submit) && !is_absolute(job.start) && !is_absolute(job.end)) {
        const Instant minus_one = Duration::seconds(-1);
        forget_if(job.start, job.start == minus_one);
        forget_if(job.end, job.end == minus_one);
        return;
    }
    forget_if(job.submit, job.submit && !is_absolute(job.submit));
    for (std::optional<Instant>* const instant : {&job.start, &job.end}) {
        const bool is_near =
            *instant && job.submit && distance((*instant)->first, job.submit->first) <= Duration::days(30);
        forget_if(*instant,
                  *instant && ((!is_near && is_word_for_unknown((*instant)->first)) ||
                               (job.submit && distance((*instant)->first, job.submit->first) > longest_plausible)));
    }
    if (job.run_time && *job.run_time > longest_plausible) {
        job.run_time.reset();
    }
}

// One reading of each instant.
struct Reading {
    std::optional<Duration> submit;
    std::optional<Duration> start;
    std::optional<Duration> end;
};

std::optional<Duration> between(const std::optional<Duration>& from, const std::optional<Duration>& to) {
    return from && to ? std::optional(*to - *from) : std::nullopt;
}

// How badly a reading agrees with itself and with the lengths of time of the record: less is better.
struct Disagreement {
    int reversed = 0;  // how many of submission, start and end come too early
    Duration run_time;
    Duration wait;

    friend auto operator<=>(const Disagreement&, const Disagreement&) = default;
};

Disagreement disagreement_of(const Reading& reading, const AccountedJob& job) {
    const auto apart = [](const std::optional<Duration>& found, const std::optional<Duration>& given) {
        return found && given ? distance(*found, *given) : Duration();
    };
    const std::optional<Duration> wait = between(reading.submit, reading.start);
    const std::optional<Duration> run_time = between(reading.start, reading.end);
    const auto is_negative = [](const std::optional<Duration>& length) {
        return length && *length < Duration() ? 1 : 0;
    };
    return {is_negative(wait) + is_negative(run_time), apart(run_time, job.run_time), apart(wait, job.wait)};
}

// All readings, those with earlier instants first.
std::vector<Reading> readings_of(const AccountedJob& job) {
    const auto readings = [](const std::optional<Instant>& instant) {
        std::vector<std::optional<Duration>> all;
        all.push_back(instant ? std::optional(instant->first) : std::nullopt);
        if (instant && instant->second) {
            all.push_back(instant->second);
        }
        return all;
    };
    std::vector<Reading> all;
    for (const auto& submit : readings(job.submit)) {
        for (const auto& start : readings(job.start)) {
            for (const auto& end : readings(job.end)) {
                all.push_back({submit, start, end});
            }
        }
    }
    return all;
}

// Whether the run time seems to be in minutes or hours, and was read as seconds. An interval has a rounding of one.
bool is_multiple(Duration interval, Duration run_time) {
    return run_time > Duration() && std::ranges::any_of(std::array{60LL, 3600LL}, [&](long long factor) {
               return interval > Duration::seconds(2 * factor) &&
                      distance(interval, run_time * factor) <= Duration::seconds(factor);
           });
}

bool has_second_reading(const std::optional<Instant>& instant) {
    return instant && instant->second;
}

// The best reading, the first of equally good ones, and whether there are several.
std::pair<Reading, bool> read_instants(const AccountedJob& job) {
    const auto first = [](const std::optional<Instant>& instant) {
        return instant ? std::optional(instant->first) : std::nullopt;
    };
    if (!has_second_reading(job.submit) && !has_second_reading(job.start) && !has_second_reading(job.end)) {
        return {{first(job.submit), first(job.start), first(job.end)}, false};
    }
    const std::vector<Reading> all = readings_of(job);
    const auto better = [&](const Reading& a, const Reading& b) {
        return disagreement_of(a, job) < disagreement_of(b, job);
    };
    const auto best = std::ranges::min_element(all, better);
    const auto as_good = std::ranges::count_if(all, [&](const Reading& other) { return !better(*best, other); });
    return {*best, as_good > 1};
}

}  // namespace

JobTimes times_of(const AccountedJob& record) {
    AccountedJob job = record;
    forget_unknown(job);
    JobTimes times;
    Reading reading;
    std::tie(reading, times.has_several_readings) = read_instants(job);
    const std::optional<Duration> interval = between(reading.start, reading.end);
    times.submit = reading.submit;
    times.wait = job.wait ? job.wait : between(reading.submit, reading.start);
    times.run_time = job.run_time ? job.run_time : interval;
    times.exceeds_its_interval =
        job.run_time && interval && *interval >= Duration() && *job.run_time > *interval + Duration::seconds(60);
    times.has_another_unit = job.run_time && interval && is_multiple(*interval, *job.run_time);
    times.shows_skipped_time = std::ranges::any_of(std::array{job.submit, job.start, job.end},
                                                   [](const auto& instant) { return instant && instant->is_skipped; });
    const bool start_forgotten = record.start && !job.start;
    const bool end_forgotten = record.end && !job.end;
    if (start_forgotten && times.run_time.value_or(Duration()) <= Duration()) {
        times.missing = "never started";
    } else if (end_forgotten && !times.run_time) {
        times.missing = "has not ended yet";
    }
    return times;
}

}  // namespace batfill
