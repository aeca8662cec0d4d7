#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/machine.hpp>
#include <batfill/engine/timeline.hpp>

#include "tests/support/plain_timeline.hpp"
#include "tests/support/random.hpp"

namespace batfill::tests::timeline_test {

namespace {

// From then on nothing changes.
constexpr int horizon = 80;

Time second(int number) {
    return Time::seconds(number);
}

// A request that the empty machine can hold; none: it drew another one.
std::optional<Request> draw_request(Random& random, const Machine& machine) {
    const StatedNeeds stated = draw_needs(random);
    Request request{random.between(1, machine.processors()), Placement::snug, {}};
    request.placement = std::array{Placement::snug, Placement::lowest,
                                   Placement::fullest}[static_cast<std::size_t>(random.between(0, 2))];
    const auto resolved = machine.resources().resolve(request, &stated);
    const auto* const found = std::get_if<Request>(&resolved);
    return found != nullptr ? std::optional(*found) : std::nullopt;
}

// The same, for a job of this length that may have a reservation.
std::optional<Request> draw_request(Random& random, const Machine& machine, int length) {
    std::optional<Request> request = draw_request(random, machine);
    if (request && random.one_in(2)) {
        StatedNeeds stated;
        stated.booking = random.one_in(2) ? "course" : "demo";
        const auto inside = machine.with_windows(*request, stated, Duration::seconds(length), Time());
        const auto* const found = std::get_if<Request>(&inside);
        request = found != nullptr ? std::optional(*found) : std::nullopt;
    }
    return request;
}

// Returns how many jobs were placed in windows.
int require_as_defined(unsigned seed, bool is_named, bool with_windows) {
    Random random(seed);
    const std::vector<Host> hosts = draw_hosts(random, is_named);
    const Machine machine(hosts, with_windows
                                     ? draw_windows(random, is_named, static_cast<int>(hosts.size()), horizon / 2)
                                     : std::vector<Window>());
    machine.require_resources();
    int inside = 0;
    const std::vector<bool> planned{random.between(0, 2) > 0, random.between(0, 2) > 0};
    PlainTimeline plain(machine, planned, horizon);
    Timeline timeline(machine, Time(), planned);
    if (random.one_in(2)) {
        timeline.index_hosts();
    }
    timeline.learn_windows(Time());
    for (int step = 0; step < 60; ++step) {
        INFO("seed " << seed << ", step " << step << ", named " << is_named);
        const int length = random.between(1, 15);
        const std::optional<Request> request = draw_request(random, machine, length);
        const int from = plain.now + random.between(0, 20);
        if (request && from < horizon / 2) {
            const std::optional<int> start = plain.earliest(*request, length, from);
            const Time found = timeline.earliest(*request, Duration::seconds(length), second(from));
            REQUIRE(found == (start ? second(*start) : Time::infinity()));
            REQUIRE(timeline.fits(*request, Duration::seconds(length), second(from)) ==
                    plain.fits(*request, length, from));
            if (start && *start + length < horizon) {
                const batfill::Place place{plain.choose(*request, length, *start),
                                           plain.window_for(*request, length, *start)};
                const batfill::Place chosen = timeline.choose(*request, Duration::seconds(length), second(*start));
                REQUIRE(chosen.hosts == place.hosts);
                REQUIRE(chosen.window == place.window);
                REQUIRE(timeline.fits_on(*request, place, Duration::seconds(length), second(*start)));
                inside += place.window ? 1 : 0;
                plain.held.push_back({*request, place.hosts, *start, *start + length, place.window});
                timeline.take(*request, place, second(*start), second(*start + length));
            }
        }
        if (!plain.held.empty() && random.between(0, 3) == 0) {  // gives back the rest of one
            const auto at = static_cast<std::size_t>(random.between(0, static_cast<int>(plain.held.size()) - 1));
            Holding& one = plain.held[at];
            const int since = std::max(one.from, plain.now);
            timeline.give(one.request, {one.hosts, one.window}, second(since), second(one.until));
            one.until = std::min(one.until, since);
        }
        if (random.between(0, 4) == 0) {
            plain.now += random.between(0, 3);
            timeline.advance(second(plain.now));
            timeline.learn_windows(second(plain.now));
        }
    }
    return inside;
}

// The starts in [0, last) that this host allows the job.
std::vector<bool> allowed_on(const PlainTimeline& plain, const Request& request, int host, int length, int last) {
    std::vector<bool> allowed;
    for (int at = 0; at < last; ++at) {
        allowed.push_back(plain.has_during(request, host, at, at + length));
    }
    return allowed;
}

// Some jobs have places. One gives back the rest of its place: which starts does that open for another?
// Returns whether the answer was the span of these starts, and nothing more.
bool finds_opened_starts(unsigned seed) {
    Random random(seed);
    const Machine machine(draw_hosts(random, true));
    PlainTimeline plain(machine, {true, true}, horizon);
    Timeline timeline(machine, Time(), {true, true});
    for (int step = 0; step < 15; ++step) {
        const std::optional<Request> request = draw_request(random, machine);
        const int length = random.between(1, 15);
        const std::optional<int> start =
            request ? plain.earliest(*request, length, random.between(0, 20)) : std::nullopt;
        if (start && *start + length < horizon) {
            plain.held.push_back({*request, plain.choose(*request, length, *start), *start, *start + length});
            const Holding& one = plain.held.back();
            timeline.take(one.request, {one.hosts}, second(one.from), second(one.until));
        }
    }
    if (plain.held.size() < 2 || !timeline.has_named_hosts()) {
        return true;
    }
    const Holding planned = plain.held.back();
    plain.held.pop_back();  // as if it had no place
    Holding& given = plain.held[static_cast<std::size_t>(random.between(0, static_cast<int>(plain.held.size()) - 1))];
    const int length = planned.until - planned.from;
    std::vector<std::vector<bool>> before;
    for (const int host : given.hosts.numbers()) {
        before.push_back(allowed_on(plain, planned.request, host, length, planned.from));
    }
    const int from = random.between(given.from, given.until - 1);
    const ResourceSet hosts = given.hosts;
    const Request taken = given.request;
    const int until = std::exchange(given.until, from);
    timeline.give(taken, {hosts}, second(from), second(until));
    timeline.index_hosts();
    const GivenHosts::Need need = timeline.need_of_host(planned.request, Duration::seconds(length));
    const auto opened = [&](bool is_new, const batfill::AmountProfile::Stretch& known) {
        GivenHosts what;
        what.begin(is_new);
        timeline.add_to(what, {taken, hosts, second(from), second(until)});
        return timeline.opened_starts(what, 0,
                                      {planned.request, planned.hosts, second(planned.from), second(planned.until)},
                                      need, Duration::seconds(length), known);
    };
    const auto [begin, end] = opened(true, {Time(), Time()});
    const auto [later_begin, later_end] = opened(false, {Time(), Time()});
    CHECK(opened(true, {Time(), second(planned.from)}).begin.is_infinite());

    Time first = Time::infinity();
    Time last;
    std::size_t place = 0;
    for (const int host : hosts.numbers()) {
        const std::vector<bool> after = allowed_on(plain, planned.request, host, length, planned.from);
        for (int at = 0; at < planned.from; ++at) {
            if (after[static_cast<std::size_t>(at)] && !before[place][static_cast<std::size_t>(at)]) {
                first = std::min(first, second(at));
                last = std::max(last, second(at));
            }
        }
        ++place;
    }
    INFO("seed " << seed);
    REQUIRE(begin <= first);
    REQUIRE((first.is_infinite() || last < end));
    REQUIRE(later_begin <= first);
    REQUIRE((first.is_infinite() || last < later_end));
    return begin == first || first - begin < Duration::seconds(1);
}

// A job that both timelines have.
struct PlannedJob {
    Request request;
    batfill::Place place;
    Time start;
    Duration length;
    Time end() const { return start + length; }
    Timeline::Planned planned() { return {request, place, start, length}; }
};

Duration milliseconds(int number) {
    return Duration::microseconds(number * 1000LL);
}

// Many hosts, spans of any length, and at times more than hosts have. Returns how many jobs could start earlier.
int answers_the_same_with_index(unsigned seed) {
    Random random(seed);
    std::vector<Host> hosts;
    while (hosts.size() < 60 + seed % 3 * 5) {
        std::ranges::copy(draw_hosts(random, true), std::back_inserter(hosts));
    }
    const Machine machine(hosts, draw_windows(random, true, static_cast<int>(hosts.size()), horizon / 2));
    Timeline plain(machine, Time(), {true, true});
    Timeline indexed = plain;
    indexed.index_hosts();
    const int longest = random.one_in(2) ? 20'000 : 2'000'000;
    std::vector<PlannedJob> jobs;
    int earlier = 0;
    for (int step = 0; step < 150; ++step) {
        INFO("seed " << seed << ", step " << step);
        const Duration length = milliseconds(random.between(1, random.one_in(4) ? longest : longest / 10));
        std::optional<Request> request = draw_request(random, machine);
        const Time from = plain.origin() + milliseconds(random.between(0, longest));
        if (request) {
            const Time before = random.one_in(3) ? from + milliseconds(random.between(0, longest)) : Time::infinity();
            const Time start = plain.earliest(*request, length, from, before);
            REQUIRE(indexed.earliest(*request, length, from, before) == start);
            if (!start.is_infinite()) {
                const batfill::Place place = plain.choose(*request, length, start);
                REQUIRE(indexed.choose(*request, length, start).hosts == place.hosts);
                // Who comes in between may take too much.
                const Time taken = random.one_in(20) ? from : start;
                plain.take(*request, place, taken, taken + length);
                indexed.take(*request, place, taken, taken + length);
                jobs.push_back({*request, place, taken, length});
            }
        }
        if (random.one_in(3)) {
            const Time now = plain.origin() + milliseconds(random.between(0, longest / 20));
            for (Timeline* timeline : {&plain, &indexed}) {
                timeline->advance(now);
                timeline->learn_windows(now);
            }
            std::erase_if(jobs, [&](const PlannedJob& job) { return job.start < now; });  // they run
        }
        if (jobs.empty()) {
            continue;
        }
        PlannedJob& job = jobs[static_cast<std::size_t>(random.between(0, static_cast<int>(jobs.size()) - 1))];
        const Time start = plain.earliest_without(job.planned(), plain.origin(), job.start);
        REQUIRE(indexed.earliest_without(job.planned(), plain.origin(), job.start) == start);
        if (!start.is_infinite()) {
            ++earlier;
            batfill::Place other = job.place;
            plain.move_earlier(job.planned(), start);
            std::swap(other, job.place);
            indexed.move_earlier(job.planned(), start);
            REQUIRE(job.place.hosts == other.hosts);
            job.start = start;
        } else if (random.one_in(2)) {
            plain.give(job.request, job.place, job.start, job.end());
            indexed.give(job.request, job.place, job.start, job.end());
            std::swap(job, jobs.back());
            jobs.pop_back();
        }
    }
    return earlier;
}

}  // namespace

TEST_CASE("An index of hosts changes no answer of a timeline") {
    int earlier = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        earlier += answers_the_same_with_index(seed);
    }
    CHECK(earlier > 1000);
}

TEST_CASE("A timeline knows which starts are opened by what is given back, second by second") {
    int exact = 0;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
        exact += finds_opened_starts(seed) ? 1 : 0;
    }
    CHECK(exact > 900);
}

TEST_CASE("A timeline finds starts and hosts as they are defined, second by second") {
    int inside = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        require_as_defined(seed, false, false);
        require_as_defined(seed, true, false);
        inside += require_as_defined(seed, false, true);
        inside += require_as_defined(seed, true, true);
    }
    CHECK(inside > 100);
}

}  // namespace batfill::tests::timeline_test
