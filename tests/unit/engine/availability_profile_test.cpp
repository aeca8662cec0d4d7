#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/availability_profile.hpp>

namespace batfill::tests::availability_profile_test {

using batfill::AvailabilityProfile;
using batfill::Duration;
using batfill::Time;

namespace {

Time at(long long s) {
    return Time::seconds(s);
}

// The free processors in every second. The last value holds forever.
struct PlainProfile {
    std::vector<int> free;

    PlainProfile(int horizon, int processors) : free(static_cast<std::size_t>(horizon) + 1, processors) {}

    void add(int from, int to, int change) {
        for (int t = from; t < to; ++t) {
            free[static_cast<std::size_t>(t)] += change;
        }
    }
    int earliest(int from, int length, int processors, int limit, int before) const {
        const int last = static_cast<int>(free.size()) - 1;
        for (int t = from; t < std::min(limit, before) && t <= last; ++t) {
            bool fits = true;
            for (int u = t; u < std::min(t + length, limit) && fits; ++u) {
                fits = free[static_cast<std::size_t>(std::min(u, last))] >= processors;
            }
            if (fits) {
                return t;
            }
        }
        return -1;
    }
};

}  // namespace

TEST_CASE("an empty profile takes a job at once, if the machine is wide enough") {
    const AvailabilityProfile profile(at(5), 4);
    CHECK(profile.earliest(at(0), Duration::seconds(10), 4) == at(5));
    CHECK(profile.earliest(at(7), Duration::seconds(10), 4) == at(7));
    CHECK(profile.earliest(at(7), Duration::seconds(10), 5).is_infinite());
}

TEST_CASE("a gap is used only if it is long enough and a job may begin where another ends") {
    AvailabilityProfile profile(at(0), 4);
    profile.add(at(0), at(10), -3);
    profile.add(at(20), at(30), -4);
    CHECK(profile.earliest(at(0), Duration::seconds(10), 2) == at(10));
    CHECK(profile.earliest(at(0), Duration::seconds(11), 2) == at(30));
    CHECK(profile.earliest(at(0), Duration::seconds(20), 1) == at(0));
    CHECK(profile.earliest(at(0), Duration::seconds(21), 1) == at(30));
    CHECK(profile.earliest(at(12), Duration::seconds(8), 4) == at(12));
    CHECK(profile.earliest(at(13), Duration::seconds(8), 4) == at(30));
}

TEST_CASE("steps of equal value are joined, so a profile that is given back is as small as before") {
    AvailabilityProfile profile(at(0), 100);
    for (int i = 0; i < 1000; ++i) {
        profile.add(at(i * 10), at(i * 10 + 5), -1 - i % 7);
    }
    CHECK(profile.steps_between(profile.origin(), Time::infinity()) == 2000);
    for (int i = 999; i >= 0; --i) {
        profile.add(at(i * 10), at(i * 10 + 5), 1 + i % 7);
    }
    CHECK(profile.steps_between(profile.origin(), Time::infinity()) == 1);
    CHECK(profile.free_at(at(123)) == 100);
}

TEST_CASE("a profile made of the steps of another is the same") {
    AvailabilityProfile profile(at(3), 100);
    for (int i = 1; i < 200; ++i) {
        profile.add(at(i * 10), at(i * 10 + 5), -1 - i % 7);
    }
    const auto steps = profile.steps();
    REQUIRE(steps.size() == profile.steps_between(at(3), Time::infinity()));
    AvailabilityProfile other(steps.front().first, steps.front().second);
    for (std::size_t i = 1; i < steps.size(); ++i) {
        other.add(steps[i].first, Time::infinity(), steps[i].second - steps[i - 1].second);
    }
    CHECK(other.steps() == steps);
}

TEST_CASE("a profile agrees with one value for every second, under changes, searches and a moving origin") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const int horizon = seed % 2 == 0 ? 60 : 1500;
        const int processors = 1 + static_cast<int>(random() % 20);
        AvailabilityProfile profile(at(0), processors);
        PlainProfile plain(horizon, processors);
        int now = 0;
        for (int operation = 0; operation < 1500 && now < horizon - 5; ++operation) {
            const int from = now + static_cast<int>(random() % static_cast<unsigned>(horizon - now));
            const int to = from + static_cast<int>(random() % static_cast<unsigned>(horizon - from + 1));
            const int change = static_cast<int>(random() % 5) - 2;
            profile.add(at(from), at(to), change);
            plain.add(from, to, change);

            const int begin = now + static_cast<int>(random() % static_cast<unsigned>(horizon - now));
            const int length = 1 + static_cast<int>(random() % 40);
            const int needed = 1 + static_cast<int>(random() % static_cast<unsigned>(processors));
            const bool limited = random() % 2 == 0;
            const int limit = limited ? begin + static_cast<int>(random() % 50) : 1 << 20;
            const int before = random() % 2 == 0 ? begin + static_cast<int>(random() % 50) : 1 << 20;
            const Time found = profile.earliest(at(begin), Duration::seconds(length), needed,
                                                limited ? at(limit) : Time::infinity(), at(before));
            const int expected = plain.earliest(begin, length, needed, limit, before);
            REQUIRE(found == (expected < 0 ? Time::infinity() : at(expected)));

            const int end = begin + 1 + static_cast<int>(random() % 50);
            std::size_t steps = 1;
            for (int t = begin + 1; t < std::min(end, horizon + 1); ++t) {
                const auto second = static_cast<std::size_t>(t);
                steps += plain.free[second] != plain.free[second - 1] ? 1U : 0U;
            }
            REQUIRE(profile.steps_between(at(begin), at(end)) == steps);
            REQUIRE(profile.steps_between(at(begin), at(begin)) == 0);
            REQUIRE(profile.free_at(at(begin)) == plain.free[static_cast<std::size_t>(begin)]);
            if (operation % 25 == 0) {
                now += static_cast<int>(random() % 4);
                profile.advance(at(now));
                REQUIRE(profile.origin() == at(now));
            }
        }
    }
}

TEST_CASE(
    "the processors free from the origin on are the same as counted second by second, and compare number by number") {
    constexpr int horizon = 60;
    constexpr int processors = 12;
    std::mt19937 random(1);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int exceeded = 0;
    for (int round = 0; round < 200; ++round) {
        AvailabilityProfile profile(at(0), processors);
        PlainProfile plain(horizon, processors);
        FreeFromNow before;
        profile.free_from_now(before);
        for (int operation = 0; operation < 100; ++operation) {
            const int from = below(horizon);
            const int to = from + below(horizon - from + 1);
            // Sums may be negative.
            const int change = below(7) - 4 + round % 3;
            profile.add(at(from), at(to), change);
            plain.add(from, to, change);
            FreeFromNow now;
            profile.free_from_now(now);
            REQUIRE(now.most() == plain.free[0]);
            bool exceeds = false;
            for (int wanted = 1; wanted <= processors + 8; ++wanted) {
                const auto end =
                    std::find_if(plain.free.begin(), plain.free.end(), [=](int free) { return free < wanted; });
                REQUIRE(now.until(wanted) ==
                        (end == plain.free.end() ? Time::infinity() : at(end - plain.free.begin())));
                exceeds = exceeds || now.until(wanted) > before.until(wanted);
            }
            REQUIRE(now.exceeds(before) == exceeds);
            exceeded += exceeds ? 1 : 0;
            before = now;
        }
    }
    CHECK(exceeded > 1000);
}

TEST_CASE("the free interval around an interval is the same as found second by second") {
    constexpr int horizon = 300;
    constexpr int processors = 12;
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        AvailabilityProfile profile(at(0), processors);
        PlainProfile plain(horizon, processors);
        const int jobs = 1 + below(150);
        for (int i = 0; i < jobs; ++i) {
            const int from = below(horizon - 1);
            const int to = from + 1 + below(std::min(horizon - from - 1, 30));
            const int needed = 1 + below(processors);
            if (*std::min_element(plain.free.begin() + from, plain.free.begin() + to) >= needed) {
                profile.add(at(from), at(to), -needed);
                plain.add(from, to, -needed);
            }
        }
        const auto since = [&](int t, int needed) {
            while (t > 0 && plain.free[static_cast<std::size_t>(t) - 1] >= needed) {
                --t;
            }
            return at(t);
        };
        const auto until = [&](int t, int needed) {
            const auto end = std::find_if(plain.free.begin() + t, plain.free.end(), [=](int f) { return f < needed; });
            return end == plain.free.end() ? Time::infinity() : at(end - plain.free.begin());
        };
        for (int i = 0; i < 50; ++i) {
            const int from = below(horizon - 1);
            const int to = std::min(from + 1 + below(5), horizon);
            const int given = below(processors);
            FreeSpans spans;
            const int widest = 1 + below(processors);
            profile.free_spans(at(from), at(to), given, widest, spans);
            const auto [fewest, largest] = std::minmax_element(plain.free.begin() + from, plain.free.begin() + to);
            const int least = std::max(*fewest - given + 1, 1);
            const int most = std::min(*largest, widest);
            REQUIRE(spans.least() == least);
            REQUIRE(spans.most() == most);
            for (int wanted = least; wanted <= most; ++wanted) {
                int rounded = 1;
                while (2 * rounded <= wanted) {
                    rounded *= 2;
                }
                rounded = std::max(rounded, least);
                REQUIRE(spans.find(wanted).begin == since(from, rounded));
                REQUIRE(spans.find(wanted).end == until(to, rounded));
            }
        }
    }
}

}  // namespace batfill::tests::availability_profile_test
