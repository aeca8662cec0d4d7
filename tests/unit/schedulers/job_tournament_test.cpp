#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/planning/job_order.hpp>

#include "schedulers/easy/job_tournament.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/random_stream.hpp"

namespace batfill::tests::job_tournament_test {

namespace {

JobOrder order(const std::string& policy, const std::string& weights = "") {
    const std::vector<Parameter> declared{JobOrder::order("order", "fcfs", "which goes first"), JobOrder::weights(),
                                          JobOrder::scales()};
    Parameters::Given given{{"order", policy}};
    if (!weights.empty()) {
        given.emplace_back("weights", weights);
    }
    return {Parameters("a", declared, given), "order"};
}

// Orders with scores that change with the clock, some that do not, and mixed orders with random weights.
std::vector<JobOrder> orders(tests::Random& random) {
    std::vector<JobOrder> orders;
    for (const char* const name : {"lexp", "sexp", "wfp3", "unicef", "saf", "lqf", "fcfs", "lcfs", "f1"}) {
        orders.push_back(order(name));
    }
    orders.push_back(order("mixed", "0,0,0,0,0,-1"));
    orders.push_back(order("mixed", "-1,0,1e-13,0,0,0"));  // waiting hardly counts
    for (int i = 0; i < 6; ++i) {
        orders.push_back(order("mixed", tests::text_of(tests::random_weights(random), true)));
    }
    return orders;
}

Job random_job(tests::Random& random, Time submit) {
    Job job;
    JobDescription description;
    description.submit = submit;
    job.shared_description = std::move(description);
    job.request.processors = random.between(1, random.one_in(2) ? 4 : 100);
    // Few values, so jobs are often equal; and multiples of each other, so scores often meet.
    job.walltime = Duration::seconds(random.one_in(2) ? 10 * random.between(1, 4) : random.between(1, 5000));
    return job;
}

// The expected result, by examining every job.
struct Plain {
    struct Entry {
        JobIndex job;
        Time submit;
        JobScore score;
    };
    std::vector<Entry> entries;

    std::optional<JobIndex> first(Time now, JobTournament::Ties ties) const {
        const Entry* first = nullptr;
        for (const Entry& entry : entries) {
            const int compared = first == nullptr ? 1 : JobScore::compare(entry.score, first->score, now);
            if (compared > 0 ||
                (compared == 0 && (std::pair(entry.submit, entry.job) < std::pair(first->submit, first->job)) ==
                                      (ties == JobTournament::Ties::first))) {
                first = &entry;
            }
        }
        return first == nullptr ? std::nullopt : std::optional(first->job);
    }
};

}  // namespace

TEST_CASE("A tournament without jobs has no first one, before and after there were some", "[order]") {
    JobTournament tournament(JobTournament::Ties::first);
    CHECK(tournament.first(Time()) == std::nullopt);
    tournament.insert(7, Time(), JobScore());
    CHECK(tournament.first(Time()) == 7U);
    tournament.remove(7);
    CHECK(tournament.first(Time()) == std::nullopt);
}

TEST_CASE("A job goes first from the instant at which it has overtaken the others", "[order]") {
    // Expansion factors of 1 + t/1000 and 1 + (t - 90)/10: equal at 90 + 90/99, which is not a whole microsecond.
    tests::Random random(1);
    Job slow = random_job(random, Time());
    slow.walltime = Duration::seconds(1000);
    Job fast = random_job(random, Time::seconds(90));
    fast.walltime = Duration::seconds(10);
    const JobOrder lexp = order("lexp");
    JobTournament tournament(JobTournament::Ties::first);
    tournament.insert(0, slow.submit(), lexp.score(slow));
    tournament.insert(1, fast.submit(), lexp.score(fast));
    CHECK(tournament.first(Time::seconds(90)) == 0U);
    CHECK(tournament.first(Time::at(Duration::microseconds(90'909'090))) == 0U);
    CHECK(tournament.first(Time::at(Duration::microseconds(90'909'091))) == 1U);
    CHECK(tournament.first(Time::seconds(1'000'000'000)) == 1U);
}

TEST_CASE("The first job of a tournament is the one that a look at every job finds", "[order]") {
    tests::Random random(5);
    std::size_t overtaken = 0;
    for (int round = 0; round < 20; ++round) {
        for (const JobOrder& by : orders(random)) {
            const auto ties = random.one_in(2) ? JobTournament::Ties::first : JobTournament::Ties::last;
            JobTournament tournament(ties);
            Plain plain;
            Time now;
            JobIndex next = 0;
            std::optional<JobIndex> last_first;
            for (int step = 0; step < 300; ++step) {
                bool changed = false;
                if (random.one_in(2) && (plain.entries.size() < 40 || random.one_in(8))) {
                    const Job job =
                        random_job(random, now - Duration::seconds(random.one_in(4) ? random.below(50) : 0));
                    tournament.insert(next, job.submit(), by.score(job));
                    plain.entries.push_back({next++, job.submit(), by.score(job)});
                    changed = true;
                } else if (!plain.entries.empty() && random.one_in(3)) {
                    const auto gone = plain.entries.begin() + random.below(static_cast<int>(plain.entries.size()));
                    tournament.remove(gone->job);
                    plain.entries.erase(gone);
                    changed = true;
                } else if (!plain.entries.empty() && random.one_in(10)) {
                    auto& entry =
                        plain.entries[static_cast<std::size_t>(random.below(static_cast<int>(plain.entries.size())))];
                    entry.score = by.score(random_job(random, entry.submit));
                    tournament.change(entry.job, entry.score);
                    changed = true;
                }
                if (random.one_in(3)) {
                    continue;
                }
                const std::optional<JobIndex> first = tournament.first(now);
                REQUIRE(first == plain.first(now, ties));
                if (first) {
                    const auto entry = std::find_if(plain.entries.begin(), plain.entries.end(),
                                                    [&](const auto& one) { return one.job == *first; });
                    REQUIRE(JobScore::compare(tournament.score(*first), entry->score, now) == 0);
                }
                overtaken += !changed && first != last_first ? 1U : 0U;
                last_first = first;
                now = now + (random.one_in(4)   ? Duration::microseconds(random.below(3))
                             : random.one_in(2) ? Duration::seconds(random.below(20))
                                                : Duration::microseconds(random.below(2'000'000'000)));
            }
        }
    }
    CHECK(overtaken > 1000);
}

TEST_CASE("Two scores compare as they do now until the instant that is said, and mostly much longer than now",
          "[order]") {
    tests::Random random(6);
    std::size_t pairs = 0;
    std::size_t short_ones = 0;
    std::size_t tight = 0;
    const auto compared = [](const JobScore& a, const JobScore& b, Time now) {
        const int sign = JobScore::compare(a, b, now);
        return sign < 0 ? -1 : sign > 0 ? 1 : 0;
    };
    for (int round = 0; round < 200; ++round) {
        for (const JobOrder& by : orders(random)) {
            const Job one = random_job(random, Time::seconds(random.below(100)));
            const Job other = random_job(random, Time::seconds(random.below(100)));
            const JobScore a = by.score(one);
            const JobScore b = by.score(other);
            const Time now = Time::seconds(100 + random.below(100));
            const Time until = JobScore::same_order_until(a, b, now);
            REQUIRE(until > now);
            REQUIRE((until.is_infinite() || by.depends_on_clock()));
            REQUIRE(until == JobScore::same_order_until(b, a, now));
            const int expected = compared(a, b, now);
            const Duration length = until.is_infinite() ? Duration::seconds(1'000'000'000'000) : until - now;
            REQUIRE(compared(a, b, now + length - Duration::microseconds(1)) == expected);
            for (int power = 1; power < 40; ++power) {
                const Duration part = Duration::microseconds(length.count() >> power);
                if (part < length) {
                    REQUIRE(compared(a, b, now + part) == expected);
                }
            }
            ++pairs;
            short_ones += length == Duration::microseconds(1) ? 1U : 0U;
            // It is not much too early: shortly after, they have changed places.
            const Duration later = Duration::microseconds(length.count() + length.count() / 1'000'000 + 100'000);
            tight += !until.is_infinite() && compared(a, b, now + later) != expected ? 1U : 0U;
        }
    }
    CHECK(short_ones < pairs / 10);
    CHECK(tight > pairs / 10);
}

}  // namespace batfill::tests::job_tournament_test
