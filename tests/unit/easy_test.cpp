#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>

#include "engine_rounds.hpp"
#include "plain_order.hpp"
#include "random_stream.hpp"

// EASY backfilling in every order: the same decisions as a second, plain form of it on random streams of events, and
// small schedules worked by hand.

using namespace batfill;
using namespace batfill::tests;

namespace {

struct Choice {
    OrderWeights order;
    OrderWeights backfill_order;
    std::optional<Duration> threshold;
};

// How often what is rare happened: a comparison of schedules in which it did not shows little.
struct Counts {
    int backfilled_in_time = 0;
    int backfilled_on_extra = 0;
    int delaying = 0;            // fit, but would delay the head
    int on_extra_of_others = 0;  // fitted beside the head until others took the extra processors
    int over_threshold = 0;      // at the head or started, though others had larger scores
    int exactly_threshold = 0;
    int head_not_first = 0;  // heads that were not submitted first
    int equal_scores = 0;
};

// Sorts everything, every time, by exact scores.
class PlainEasy {
 public:
    PlainEasy(int processors, const Choice& choice, Counts& counts)
        : idle_(processors), choice_(choice), counts_(counts) {}

    bool in_doubt() const { return in_doubt_; }

    std::vector<JobIndex> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        for (const JobIndex job : message.ended) {
            idle_ += jobs_.at(job).processors;
            running_.erase(job);
        }
        for (const auto& [index, description] : message.submitted) {
            jobs_.emplace(index, description);
            waiting_.push_back(index);
        }
        std::sort(waiting_.begin(), waiting_.end(), [this](JobIndex a, JobIndex b) { return submitted_before(a, b); });
        const std::vector<JobIndex> order = primary();
        auto next = order.begin();
        for (; next != order.end() && jobs_.at(*next).processors <= idle_; ++next) {
            start(*next);
        }
        if (next != order.end()) {
            counts_.head_not_first += *next != waiting_.front() ? 1 : 0;
            backfill(*next);
        }
        std::sort(started_.begin(), started_.end());
        return started_;
    }

 private:
    bool submitted_before(JobIndex a, JobIndex b) const {
        return std::pair(jobs_.at(a).submit, a) < std::pair(jobs_.at(b).submit, b);
    }

    // Of jobs in the order of submission.
    std::vector<JobIndex> sorted(std::vector<JobIndex> jobs, const OrderWeights& weights) {
        std::map<JobIndex, ExactScore> scores;
        for (const JobIndex job : jobs) {
            scores.emplace(job, ExactScore(weights, jobs_.at(job), now_));
        }
        std::stable_sort(jobs.begin(), jobs.end(), [&](JobIndex a, JobIndex b) { return scores.at(a) > scores.at(b); });
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            in_doubt_ |= scores.at(jobs[i - 1]).almost_equals(scores.at(jobs[i]));
            counts_.equal_scores += scores.at(jobs[i - 1]) == scores.at(jobs[i]) ? 1 : 0;
        }
        return jobs;
    }

    std::vector<JobIndex> primary() {
        std::vector<JobIndex> late;
        std::vector<JobIndex> others;
        for (const JobIndex job : waiting_) {
            const Duration wait = now_ - jobs_.at(job).submit;
            counts_.exactly_threshold += choice_.threshold && wait == *choice_.threshold ? 1 : 0;
            (choice_.threshold && wait > *choice_.threshold ? late : others).push_back(job);
        }
        if (!late.empty() && sorted(waiting_, choice_.order).front() != late.front()) {
            ++counts_.over_threshold;
        }
        others = sorted(others, choice_.order);
        late.insert(late.end(), others.begin(), others.end());
        return late;
    }

    void backfill(JobIndex head) {
        const int needed = jobs_.at(head).processors;
        Time shadow = now_;
        while (free_at(shadow) < needed) {
            shadow = next_end_after(shadow);
        }
        int extra = free_at(shadow) - needed;
        const int extra_at_first = extra;
        std::vector<JobIndex> rest = waiting_;
        std::erase(rest, head);
        for (const JobIndex job : sorted(rest, choice_.backfill_order)) {
            const int processors = jobs_.at(job).processors;
            const bool in_time = now_ + *jobs_.at(job).walltime <= shadow;
            if (processors > idle_) {
                continue;
            }
            if (in_time) {
                ++counts_.backfilled_in_time;
                start(job);
            } else if (processors <= extra) {
                ++counts_.backfilled_on_extra;
                extra -= processors;
                start(job);
            } else {
                ++counts_.delaying;
                counts_.on_extra_of_others += processors <= extra_at_first ? 1 : 0;
            }
        }
    }

    int free_at(Time time) const {
        int free = idle_;
        for (const auto& [job, end] : running_) {
            free += end <= time ? jobs_.at(job).processors : 0;
        }
        return free;
    }

    Time next_end_after(Time time) const {
        Time next = Time::infinity();
        for (const auto& [job, end] : running_) {
            next = end > time ? std::min(next, end) : next;
        }
        return next;
    }

    void start(JobIndex job) {
        started_.push_back(job);
        idle_ -= jobs_.at(job).processors;
        running_[job] = now_ + *jobs_.at(job).walltime;
        std::erase(waiting_, job);
    }

    int idle_;
    Choice choice_;
    Counts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::vector<JobIndex> waiting_;     // by submission
    std::map<JobIndex, Time> running_;  // and their ends by the estimates
    std::vector<JobIndex> started_;
    bool in_doubt_ = false;
};

// An order by name, or "mixed"; the weights of both orders that are mixed are the same.
std::pair<Parameters::Given, Choice> random_choice(Random& random) {
    std::vector<std::string> names{"mixed", "mixed"};
    std::transform(named_orders().begin(), named_orders().end(), std::back_inserter(names),
                   [](const auto& order) { return order.first; });
    const OrderWeights weights = random_weights(random);
    Parameters::Given given;
    Choice choice{named_orders().at("fcfs"), named_orders().at("fcfs"), std::nullopt};
    bool mixed = false;
    const auto choose = [&](const std::string& parameter, OrderWeights& chosen) {
        if (random.one_in(8)) {
            return;  // by default
        }
        const std::string name = names[static_cast<std::size_t>(random.below(static_cast<int>(names.size())))];
        given.emplace_back(parameter, name);
        mixed = mixed || name == "mixed";
        chosen = name == "mixed" ? weights : named_orders().at(name);
    };
    choose("order", choice.order);
    choose("backfill-order", choice.backfill_order);
    if (mixed) {
        given.emplace_back("weights", text_of(weights, random.one_in(2)));
    }
    if (random.one_in(2)) {
        choice.threshold = Duration::seconds(10 * random.below(30));
        given.emplace_back("threshold", choice.threshold->to_string());
    }
    return {given, choice};
}

}  // namespace

TEST_CASE("easy decides as a plain form of it that sorts by exact scores, in all orders, with and without threshold",
          "[easy][property]") {
    Counts counts;
    unsigned in_doubt = 0;
    Random random(2019);
    for (unsigned seed = 0; seed < 1500; ++seed) {
        const auto [given, choice] = random_choice(random);
        std::string text;
        for (const auto& [key, value] : given) {
            text.append(" ").append(key).append("=").append(value);
        }
        INFO("stream " << seed << text);
        const int most_processors = random.one_in(3) ? 5 : 20;
        Stream stream(seed, {.most_jobs = 60, .most_processors = most_processors, .deadlines = false});
        Engine engine("easy", given);
        PlainEasy plain(stream.processors(), choice, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            if (plain.in_doubt()) {
                return;
            }
            INFO("at " << message.now);
            const std::vector<JobIndex> expected = plain.round(message);
            if (!plain.in_doubt()) {
                REQUIRE(started == expected);
            }
        });
        in_doubt += plain.in_doubt() ? 1U : 0U;
    }
    CHECK(in_doubt < 60);
    CHECK(counts.backfilled_in_time > 1000);
    CHECK(counts.backfilled_on_extra > 1000);
    CHECK(counts.delaying > 1000);
    CHECK(counts.on_extra_of_others > 100);
    CHECK(counts.over_threshold > 1000);
    CHECK(counts.exactly_threshold > 100);
    CHECK(counts.head_not_first > 1000);
    CHECK(counts.equal_scores > 1000);
}

TEST_CASE("The first job in the order of easy gets the reservation, and the others start in the backfill order",
          "[easy]") {
    const auto second_round = [](const Parameters::Given& given) {
        Table table(10, "easy", given);
        table.at(0);
        table.submit("running", 6, 100);
        table.starts();
        table.at(1);
        table.submit("wide", 8, 300);  // 2400 processor-seconds
        table.submit("long", 5, 400);  // 2000
        table.submit("beside-long", 3, 50);
        table.submit("narrow", 2, 99);
        return table.starts();
    };
    // Both small jobs end by 100, when the head can start, but only one fits before.
    CHECK(second_round({}) == "start beside-long");
    CHECK(second_round({{"backfill-order", "sqf"}}) == "start narrow");
    CHECK(second_round({{"backfill-order", "lpf"}}) == "start narrow");
    // The smallest first: they are no longer in the way of a head, but the first in the queue.
    CHECK(second_round({{"order", "saf"}}) == "start beside-long");
    CHECK(second_round({{"order", "sqf"}}) == "start narrow");
}

TEST_CASE("A job that has waited for more than the threshold goes before those with larger scores", "[easy]") {
    const auto starts_at = [](int now, const Parameters::Given& given) {
        Table table(4, "easy", given);
        table.at(0);
        table.submit("running", 4, 2000);
        table.starts();
        table.at(10);
        table.submit("big", 4, 500);
        table.starts();
        table.at(now);
        table.submit("small", 1, 600);
        table.ends("running");
        return table.starts();
    };
    const Parameters::Given smallest_first{{"order", "saf"}};
    const Parameters::Given threshold{{"order", "saf"}, {"threshold", "1000"}};
    CHECK(starts_at(1010, smallest_first) == "start small");
    CHECK(starts_at(1010, threshold) == "start small");  // it has waited for exactly 1000 s
    CHECK(starts_at(1011, smallest_first) == "start small");
    CHECK(starts_at(1011, threshold) == "start big");
}

TEST_CASE("Weights of easy that nothing uses, or that are missing, are refused", "[easy]") {
    const auto make = [](const Parameters::Given& given) { Engine("easy", given); };
    CHECK_THROWS_WITH(make({{"weights", "1,0,0,0,0,0"}}), "parameter weights is used only with order=mixed");
    CHECK_THROWS_AS(make({{"order", "mixed"}}), UsageError);
    CHECK_THROWS_AS(make({{"backfill-order", "mixed"}}), UsageError);
    CHECK_THROWS_AS(make({{"order", "mixed"}, {"weights", "0,0,0,0,0,0"}}), UsageError);
    CHECK_NOTHROW(make({{"backfill-order", "mixed"}, {"weights", "0,0,-2,0,0,0"}}));
}

TEST_CASE("On one processor there is nothing to backfill: easy is fcfs", "[easy][property]") {
    for (unsigned seed = 0; seed < 80; ++seed) {
        INFO("stream " << seed);
        const auto starts = [&](const std::string& algorithm) {
            std::vector<std::pair<Time, std::vector<JobIndex>>> rounds;
            Engine engine(algorithm, {});
            Stream(seed, {.most_processors = 1}).play(engine, [&](const Message& message, const auto& started) {
                rounds.emplace_back(message.now, started);
            });
            return rounds;
        };
        REQUIRE(starts("easy") == starts("fcfs"));
    }
}
