#include "src/formats/job_times.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <tuple>
#include <utility>

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

// Whether the run time seems to be in minutes or hours, and was read as seconds. An interval has a rounding of one.
bool is_multiple(Duration interval, Duration run_time) {
    return run_time > Duration() && std::ranges::any_of(std::array{60LL, 3600LL}, [&](long long factor) {
               return interval > Duration::seconds(2 * factor) &&
                      distance(interval, run_time * factor) <= Duration::seconds(factor);
           });
}

// The earlier reading of an instant, and the later one.
std::array<std::optional<Duration>, 2> readings_of(const std::optional<Instant>& instant) {
    return instant ? std::array{std::optional(instant->first), instant->second}
                   : std::array<std::optional<Duration>, 2>();
}

// The best reading, the first of equally good ones, and whether there are several. Those with earlier instants come
// first.
std::pair<Reading, bool> read_instants(const AccountedJob& job) {
    const std::array all{readings_of(job.submit), readings_of(job.start), readings_of(job.end)};
    std::optional<Disagreement> least;
    std::pair<Reading, bool> best;
    for (unsigned later = 0; later < 8; ++later) {  // a bit for each instant: whether its later reading is taken
        const Reading reading{all[0].at(later >> 2U), all[1].at(later >> 1U & 1U), all[2].at(later & 1U)};
        if ((!reading.submit && later >> 2U != 0) || (!reading.start && (later >> 1U & 1U) != 0) ||
            (!reading.end && (later & 1U) != 0)) {
            continue;
        }
        const Disagreement disagreement = disagreement_of(reading, job);
        best.second = best.second || disagreement == least;
        if (!least || disagreement < *least) {
            least = disagreement;
            best = {reading, false};
        }
    }
    return best;
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

bool submit_when_eligible(const std::optional<Instant>& eligible, AccountedJob& job) {
    AccountedJob held;  // its start is unknown if that instant stands for none
    held.submit = job.submit;
    held.start = eligible;
    const bool is_known = eligible && !(job.submit && !times_of(held).wait);
    if (is_known) {
        job.submit = eligible;
    }
    return is_known;
}

}  // namespace batfill
