#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "engine_rounds.hpp"
#include "plain_order.hpp"
#include "plain_prediction.hpp"
#include "random_stream.hpp"

namespace batfill::tests::easy_test {

// EASY backfilling in every order: the same decisions as a plain form on random streams, and small schedules by hand.

namespace {

struct Choice {
    OrderWeights order = named_orders().at("fcfs");
    OrderWeights backfill_order = named_orders().at("fcfs");
    std::optional<Duration> threshold;
    bool last_of_ties_first = false;
    bool only_needed_extra = false;
    bool latest_counts_first = false;  // with only_needed_extra
    bool round_for_each_event = false;
    std::size_t reservations = 1;
    std::optional<std::size_t> test_limit;
    bool predicts = false;
    bool order_by_prediction = false;  // the orders then use predictions as walltimes
    bool backfill_by_prediction = false;
    bool one_as_several = false;  // only in the plain form: treats one reservation like several
};
constexpr std::size_t all = 1'000'000;

// Counts rare events. A comparison in which they never happened shows little.
struct Counts {
    int backfilled_in_time = 0;
    int backfilled_on_extra = 0;
    int delaying = 0;            // fit, but would delay the head
    int on_extra_of_others = 0;  // fitted beside the head until others took the extra processors
    int over_threshold = 0;      // at the head or started, although others had larger scores
    int exactly_threshold = 0;
    int head_not_first = 0;  // heads that were submitted after another waiting job
    int equal_scores = 0;
    int less_extra = 0;             // the head needs only some of the jobs that end at the shadow time
    int second_reservations = 0;    // rounds with a second reservation
    int reserved_before_first = 0;  // later reservations with an earlier start
    int beside_reservations = 0;    // backfilled jobs that run beside one of several reserved jobs
    int limited = 0;                // rounds that the test limit ended
    int submissions_that_wait = 0;  // submissions without a round of their own
    int withheld = 0;               // of these, those with room on processors that jobs of this message released
    int starts_between = 0;         // starts that an event of a message allows, but not the whole message
};

// Sorts everything in every round by exact scores, and tries times one by one.
class PlainEasy {
 public:
    PlainEasy(int processors, const Choice& choice, Counts& counts)
        : processors_(processors), choice_(choice), prediction_(choice.predicts), counts_(counts) {}

    const PlainPrediction& prediction() const { return prediction_; }

    std::vector<JobIndex> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        prediction_.take_in(message);
        for (Running& running : running_) {
            if (std::count(message.ended.begin(), message.ended.end(), running.job) == 0) {
                running.end = prediction_.end_of(running.job, now_);
            }
        }
        if (choice_.round_for_each_event) {
            handle_one_by_one(message);
        } else {
            for (const JobIndex job : message.ended) {
                std::erase_if(running_, [=](const Running& running) { return running.job == job; });
            }
            for (const auto& [index, description] : message.submitted) {
                add(index, description);
            }
            start_and_backfill();
        }
        std::sort(started_.begin(), started_.end());
        return started_;
    }

 private:
    struct Running {
        JobIndex job;
        Time start;
        Time end;  // the estimate
        int processors;
    };

    void add(JobIndex index, const JobDescription& description) {
        jobs_.emplace(index, description);
        waiting_.push_back(index);
        std::sort(waiting_.begin(), waiting_.end(), [this](JobIndex a, JobIndex b) { return submitted_before(a, b); });
    }

    void handle_one_by_one(const Message& message) {
        // The processors of jobs that end as expected are free at once.
        std::vector<JobIndex> ended;  // in the order in which they started
        std::erase_if(running_, [&](const Running& running) {
            const bool ends = std::count(message.ended.begin(), message.ended.end(), running.job) != 0;
            if (ends) {
                ended.push_back(running.job);
            }
            return ends && running.end <= now_;
        });
        for (const auto& [index, description] : message.submitted) {
            add(index, description);
            if (description.processors <= idle()) {
                start_and_backfill();
            } else {
                int ending = 0;
                for (const Running& running : running_) {
                    ending += std::count(ended.begin(), ended.end(), running.job) != 0 ? running.processors : 0;
                }
                ++counts_.submissions_that_wait;
                counts_.withheld += description.processors <= idle() + ending ? 1 : 0;
            }
        }
        for (const JobIndex job : ended) {
            std::erase_if(running_, [=](const Running& running) { return running.job == job; });
            const std::size_t before = started_.size();
            start_and_backfill();
            counts_.starts_between += job != ended.back() && started_.size() > before ? 1 : 0;
        }
    }

    void start_and_backfill() {
        tests_left_ = choice_.test_limit.value_or(all);
        if (choice_.reservations == 1 && !choice_.one_as_several) {
            reserve_one();
        } else {
            reserve_several();
        }
    }

    bool submitted_before(JobIndex a, JobIndex b) const {
        return std::pair(jobs_.at(a).submit, a) < std::pair(jobs_.at(b).submit, b);
    }

    // Of equal scores, the job that comes first in `jobs` goes first.
    std::vector<JobIndex> sorted(std::vector<JobIndex> jobs, const OrderWeights& weights, bool by_prediction) {
        std::map<JobIndex, ExactScore> scores;
        for (const JobIndex job : jobs) {
            JobDescription described = jobs_.at(job);
            if (by_prediction) {
                described.walltime = prediction_.of(job);
            }
            scores.emplace(job, ExactScore(weights, described, now_));
        }
        std::stable_sort(jobs.begin(), jobs.end(), [&](JobIndex a, JobIndex b) { return scores.at(a) > scores.at(b); });
        for (std::size_t i = 1; i < jobs.size(); ++i) {
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
        if (!late.empty() && sorted(waiting_, choice_.order, choice_.order_by_prediction).front() != late.front()) {
            ++counts_.over_threshold;
        }
        if (choice_.last_of_ties_first) {
            std::reverse(others.begin(), others.end());
        }
        others = sorted(others, choice_.order, choice_.order_by_prediction);
        late.insert(late.end(), others.begin(), others.end());
        return late;
    }

    // Requires: `jobs` are in the primary order.
    std::vector<JobIndex> in_backfill_order(std::vector<JobIndex> jobs) {
        if (!choice_.last_of_ties_first) {
            std::sort(jobs.begin(), jobs.end(), [this](JobIndex a, JobIndex b) { return submitted_before(a, b); });
        }
        return sorted(jobs, choice_.backfill_order, choice_.backfill_by_prediction);
    }

    // Whether another job may be tested.
    bool may_test() {
        counts_.limited += tests_left_ == 0 ? 1 : 0;
        return tests_left_ != 0 && tests_left_-- != 0;
    }

    void reserve_one() {
        std::vector<JobIndex> order = primary();
        const std::size_t before = started_.size();
        while (!order.empty() && jobs_.at(order.front()).processors <= idle()) {
            start(order.front());
            order.erase(order.begin());
        }
        const std::vector<JobIndex> in_order(started_.begin() + static_cast<std::ptrdiff_t>(before), started_.end());
        if (!order.empty()) {
            counts_.head_not_first += order.front() != waiting_.front() ? 1 : 0;
            const JobIndex head = order.front();
            order.erase(order.begin());
            backfill(head, order, in_order);
        }
        const auto backfilled = started_.begin() + static_cast<std::ptrdiff_t>(before + in_order.size());
        stack_.insert(stack_.begin(), in_order.rbegin(), in_order.rend());
        stack_.insert(stack_.begin(), backfilled, started_.end());
    }

    // The running jobs by end; the head takes what it needs from them in this order. `new_ones` started just now.
    std::vector<Running> by_end(const std::vector<JobIndex>& new_ones) const {
        std::vector<Running> running;
        if (choice_.latest_counts_first) {
            for (const std::vector<JobIndex>& jobs : {stack_, new_ones}) {
                for (const JobIndex job : jobs) {
                    std::copy_if(running_.begin(), running_.end(), std::back_inserter(running),
                                 [=](const Running& one) { return one.job == job; });
                }
            }
        } else {
            running = running_;
        }
        std::stable_sort(running.begin(), running.end(),
                         [](const Running& a, const Running& b) { return a.end < b.end; });
        return running;
    }

    void backfill(JobIndex head, const std::vector<JobIndex>& rest, const std::vector<JobIndex>& new_ones) {
        const int needed = jobs_.at(head).processors;
        const std::vector<Running> running = by_end(new_ones);
        int free = idle();
        Time shadow = now_;
        auto next = running.begin();
        for (; free < needed; ++next) {
            shadow = std::max(shadow, next->end);
            free += next->processors;
        }
        int more = 0;
        for (; next != running.end() && next->end <= shadow; ++next) {
            more += next->processors;
        }
        counts_.less_extra += choice_.only_needed_extra && more > 0 ? 1 : 0;
        int extra = free - needed + (choice_.only_needed_extra ? 0 : more);
        const int extra_at_first = extra;
        for (const JobIndex job : in_backfill_order(rest)) {
            const int processors = jobs_.at(job).processors;
            const bool in_time = now_ + prediction_.of(job) <= shadow;
            if (!may_test()) {
                return;
            }
            if (processors > idle()) {
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

    void reserve_several() {
        std::vector<Running> reserved;
        std::vector<JobIndex> rest = primary();
        std::size_t failed = 0;
        while (!rest.empty() && (failed == 0 || failed < choice_.reservations)) {
            if (failed > 0 && !may_test()) {
                return;
            }
            const JobIndex job = rest.front();
            rest.erase(rest.begin());
            const Time start_time = earliest(job, reserved);
            if (start_time == now_) {
                start(job);
                continue;
            }
            ++failed;
            if (choice_.reservations > 0) {
                counts_.second_reservations += failed == 2 ? 1 : 0;
                counts_.reserved_before_first += failed > 1 && start_time < reserved.front().start ? 1 : 0;
                reserved.push_back({job, start_time, start_time + prediction_.of(job), jobs_.at(job).processors});
            }
        }
        for (const JobIndex job : in_backfill_order(rest)) {
            if (!may_test()) {
                return;
            }
            if (earliest(job, reserved) == now_) {
                counts_.beside_reservations +=
                    failed > 1 && now_ + prediction_.of(job) > reserved.front().start ? 1 : 0;
                start(job);
            }
        }
    }

    // The first time at which the job can run beside the running and the reserved jobs.
    Time earliest(JobIndex job, const std::vector<Running>& reserved) const {
        std::vector<Running> others = reserved;
        for (Running running : running_) {
            running.end = std::max(running.end, now_ + Duration::microseconds(1));  // also overdue ones
            others.push_back(running);
        }
        std::vector<Time> times{now_};
        for (const Running& other : others) {
            times.push_back(other.end);
        }
        std::sort(times.begin(), times.end());
        return *std::find_if(times.begin(), times.end(), [&](Time time) { return fits(job, time, others); });
    }

    bool fits(JobIndex job, Time time, const std::vector<Running>& others) const {
        const Time end = time + prediction_.of(job);
        std::vector<Time> instants{time};
        for (const Running& other : others) {
            if (other.start > time && other.start < end) {
                instants.push_back(other.start);
            }
        }
        return std::all_of(instants.begin(), instants.end(), [&](Time instant) {
            int taken = jobs_.at(job).processors;
            for (const Running& other : others) {
                taken += other.start <= instant && instant < other.end ? other.processors : 0;
            }
            return taken <= processors_;
        });
    }

    int idle() const {
        int idle = processors_;
        for (const Running& running : running_) {
            idle -= running.processors;
        }
        return idle;
    }

    void start(JobIndex job) {
        started_.push_back(job);
        running_.push_back({job, now_, now_ + prediction_.of(job), jobs_.at(job).processors});
        prediction_.start(job, now_);
        std::erase(waiting_, job);
    }

    int processors_;
    Choice choice_;
    PlainPrediction prediction_;
    Counts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::vector<JobIndex> waiting_;  // by submission
    // All jobs that started before this round, the last round first. Within a round, backfilled jobs come first, in the
    // order of their starts. The others follow in reverse order.
    std::vector<JobIndex> stack_;
    std::vector<Running> running_;  // in the order in which they started
    std::vector<JobIndex> started_;
    std::size_t tests_left_ = 0;
};

// An order by name, or "mixed". Two mixed orders share their weights.
std::pair<Parameters::Given, Choice> random_choice(Random& random) {
    std::vector<std::string> names{"mixed", "mixed"};
    std::transform(named_orders().begin(), named_orders().end(), std::back_inserter(names),
                   [](const auto& order) { return order.first; });
    const OrderWeights weights = random_weights(random);
    Parameters::Given given;
    Choice choice;
    bool mixed = false;
    const auto choose = [&](const std::string& parameter, OrderWeights& chosen) {
        if (random.one_in(8)) {
            return;  // the default
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

// As above, also with rules of old simulators, several reservations and limits.
std::pair<Parameters::Given, Choice> random_choice_of_rules(Random& random) {
    auto [given, choice] = random_choice(random);
    if (random.one_in(2)) {
        choice.last_of_ties_first = true;
        given.emplace_back("ties", "last");
    }
    if (random.one_in(2)) {
        choice.round_for_each_event = true;
        given.emplace_back("rounds", "event");
    }
    if (random.one_in(2)) {
        const bool of_all = random.one_in(4);
        choice.reservations = of_all ? all : static_cast<std::size_t>(random.below(6));
        given.emplace_back("reservations", of_all ? "all" : std::to_string(choice.reservations));
    } else if (random.one_in(2)) {
        choice.only_needed_extra = true;
        choice.latest_counts_first = given.size() % 2 == 0;  // depends on the number of parameters so far
        given.emplace_back("extra", choice.latest_counts_first ? "needed-latest" : "needed");
    } else {
        choice.one_as_several = true;
    }
    if (random.one_in(3)) {
        choice.test_limit = static_cast<std::size_t>(random.below(8));
        given.emplace_back("test-limit", std::to_string(*choice.test_limit));
    }
    return {given, choice};
}

// As above, also with predicted run times.
std::pair<Parameters::Given, Choice> random_choice_of_predictions(Random& random) {
    auto [given, choice] = random_choice_of_rules(random);
    choice.predicts = true;
    given.emplace_back("prediction", "last-two");
    if (random.one_in(3)) {
        choice.order_by_prediction = true;
        choice.order = named_orders().at("spf");
        given.emplace_back("order", "predicted");
    }
    if (random.one_in(2)) {
        choice.backfill_by_prediction = true;
        choice.backfill_order = named_orders().at("spf");
        given.emplace_back("backfill-order", "predicted");
    }
    const bool is_mixed_used = std::any_of(given.begin(), given.end(), [&choice = choice](const auto& one) {
        const bool is_replaced = (one.first == "order" && choice.order_by_prediction) ||
                                 (one.first == "backfill-order" && choice.backfill_by_prediction);
        return one.second == "mixed" && !is_replaced;
    });
    if (!is_mixed_used) {
        std::erase_if(given, [](const auto& one) { return one.first == "weights"; });
    }
    return {given, choice};
}

// Requires that the engine decides like the plain form on random streams.
template <typename Choose>
void require_plain_decisions(unsigned streams, Random random, Choose choose, Counts& counts,
                             PredictionCounts* predictions = nullptr) {
    for (unsigned seed = 0; seed < streams; ++seed) {
        const auto [given, choice] = choose(random);
        INFO("stream " << seed << text_of(given));
        const int most_processors = random.one_in(3) ? 5 : 20;
        Stream stream(seed, {.most_jobs = predictions == nullptr ? 60 : 90,
                             .most_processors = most_processors,
                             .deadlines = false,
                             .users = predictions != nullptr});
        Engine engine("easy", given);
        PlainEasy plain(stream.processors(), choice, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            REQUIRE(started == plain.round(message));
        });
        if (predictions != nullptr) {
            add(*predictions, plain.prediction().counts());
        }
    }
}

}  // namespace

TEST_CASE("easy decides as a plain form of it that sorts by exact scores, in all orders, with and without threshold",
          "[easy][property]") {
    Counts counts;
    require_plain_decisions(1500, Random(2019), random_choice, counts);
    CHECK(counts.backfilled_in_time > 1000);
    CHECK(counts.backfilled_on_extra > 1000);
    CHECK(counts.delaying > 1000);
    CHECK(counts.on_extra_of_others > 100);
    CHECK(counts.over_threshold > 1000);
    CHECK(counts.exactly_threshold > 100);
    CHECK(counts.head_not_first > 1000);
    CHECK(counts.equal_scores > 1000);
}

TEST_CASE("easy with predicted run times decides as a plain form that predicts them from all that has ended",
          "[easy][prediction][property]") {
    Counts counts;
    PredictionCounts predictions;
    require_plain_decisions(600, Random(2007), random_choice_of_predictions, counts, &predictions);
    CHECK(counts.backfilled_in_time > 1000);
    CHECK(counts.backfilled_on_extra > 500);
    CHECK(counts.delaying > 1000);
    CHECK(counts.second_reservations > 1000);
    CHECK(predictions.shorter > 1000);
    CHECK(predictions.as_walltime > 1000);
    CHECK(predictions.raised > 100);
    CHECK(predictions.without_user > 1000);
    CHECK(predictions.corrected > 1000);
    CHECK(predictions.more_often > 1000);
    CHECK(predictions.up_to_limit > 1000);
}

TEST_CASE("easy decides as its plain form with the rules of older simulators, several reservations and limits",
          "[easy][property]") {
    Counts counts;
    require_plain_decisions(1500, Random(2015), random_choice_of_rules, counts);
    CHECK(counts.equal_scores > 1000);
    CHECK(counts.less_extra > 100);
    CHECK(counts.second_reservations > 1000);
    CHECK(counts.reserved_before_first > 100);
    CHECK(counts.beside_reservations > 100);
    CHECK(counts.limited > 100);
    CHECK(counts.submissions_that_wait > 1000);
    CHECK(counts.withheld > 10);
    CHECK(counts.starts_between > 10);
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
    // Both small jobs end by 100, when the head can start, but only one fits at a time.
    CHECK(second_round({}) == "start beside-long");
    CHECK(second_round({{"backfill-order", "sqf"}}) == "start narrow");
    CHECK(second_round({{"backfill-order", "lpf"}}) == "start narrow");
    // Smallest first: they are now the first in the queue, not jobs behind a head.
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

TEST_CASE("With ties=last, of equal jobs that which arrived last goes first, and backfilling follows the first order",
          "[easy]") {
    const auto starts = [](const Parameters::Given& given) {
        Table table(4, "easy", given);
        table.at(0);
        table.submit("running", 3, 100);
        table.starts();
        table.at(1);
        table.submit("a", 1, 50);
        table.submit("b", 1, 50);
        return table.starts();
    };
    CHECK(starts({}) == "start a");
    CHECK(starts({{"ties", "last"}}) == "start b");
    CHECK(starts({{"order", "spf"}, {"ties", "last"}}) == "start b");

    const auto backfilled = [](const Parameters::Given& given) {
        Table table(4, "easy", given);
        table.at(0);
        table.submit("running", 3, 100);
        table.starts();
        table.at(1);
        table.submit("head", 4, 500);
        table.submit("short", 1, 50);
        table.submit("equal-but-later", 1, 50);
        return table.starts();
    };
    // The longest goes first and cannot start. Of equal jobs in the backfill order, the first in the primary order.
    CHECK(backfilled({{"order", "lpf"}, {"backfill-order", "spf"}}) == "start short");
    CHECK(backfilled({{"order", "lpf"}, {"backfill-order", "spf"}, {"ties", "last"}}) == "start equal-but-later");
}

TEST_CASE("With extra=needed, of the jobs that end together only those count that the reserved job needs", "[easy]") {
    const auto starts = [](const Parameters::Given& given) {
        Table table(6, "easy", given);
        table.at(0);
        table.submit("first", 2, 100);
        table.submit("second", 2, 100);
        table.starts();
        table.at(1);
        table.submit("head", 4, 10);
        table.submit("long", 2, 1000);
        return table.starts();
    };
    // All six processors are free at 100, so two are extra. With `needed`, only those of "first" and the two idle ones
    // count.
    CHECK(starts({}) == "start long");
    CHECK(starts({{"extra", "needed"}}) == "start");
}

TEST_CASE("With extra=needed-latest, of the jobs that end together the latest counts first", "[easy]") {
    const auto starts = [](const std::string& extra) {
        Table table(8, "easy", {{"extra", extra}});
        table.at(0);
        table.submit("first", 1, 100);
        table.starts();
        table.at(1);
        table.submit("second", 4, 99);
        table.starts();
        table.at(2);
        table.submit("head", 4, 10);
        table.submit("long", 3, 1000);
        return table.starts();
    };
    // Three processors are idle, and both running jobs end at 100. The first job gives the head exactly what it needs.
    // The second leaves three over.
    CHECK(starts("needed") == "start");
    CHECK(starts("needed-latest") == "start long");
}

TEST_CASE("With rounds=event, submissions are handled before the completions of an instant", "[easy]") {
    const auto starts = [](const Parameters::Given& given, int now, const std::string& name, int walltime) {
        Table table(4, "easy", given);
        table.at(0);
        table.submit("running", 3, 100);
        table.starts();
        table.at(1);
        table.submit("head", 4, 500);
        table.starts();
        table.at(now);
        table.ends("running");
        table.submit(name, 1, walltime);
        return table.starts();
    };
    const Parameters::Given event{{"rounds", "event"}};
    // The job ends early. When the new job arrives, it still seems to run until 100, so the new job would delay the
    // head.
    CHECK(starts({}, 50, "long", 1000) == "start head");
    CHECK(starts(event, 50, "long", 1000) == "start head");
    // A new job that ends before 100 starts, and the head does not.
    CHECK(starts({}, 50, "short", 20) == "start head");
    CHECK(starts(event, 50, "short", 20) == "start short");
    // It ends as expected, so its processors are free at once.
    CHECK(starts(event, 100, "short", 20) == "start head");
}

TEST_CASE("A submission that does not fit has no round of its own with rounds=event", "[easy]") {
    const auto starts = [](int width) {
        Table table(4, "easy", {{"rounds", "event"}, {"order", "sqf"}});
        table.at(0);
        table.submit("running", 2, 100);
        table.submit("other", 1, 200);
        table.starts();
        table.at(10);
        table.submit("first", 4, 10);
        table.starts();
        table.at(20);
        table.ends("running");
        table.submit("new", width, 500);
        table.submit("newest", 1, 500);
        return table.starts();
    };
    // Until the completion is handled, one processor is free. The narrow job has a round in which the order forbids the
    // other job. The completion then frees two more processors.
    CHECK(starts(2) == "start new newest");
    CHECK(starts(3) == "start newest");
}

TEST_CASE("reservations=0 is first fit, 1 protects one job, and more protect more", "[easy]") {
    const auto starts = [](const std::string& reservations, int width) {
        Table table(4, "easy", {{"reservations", reservations}});
        table.at(0);
        table.submit("running", 2, 100);
        table.starts();
        table.at(1);
        table.submit("head", 3, 100);         // at 100
        table.submit("second", width, 1000);  // at 200, unless others overtake it
        table.submit("long", 1, 5000);
        return table.starts();
    };
    CHECK(starts("0", 2) == "start second");
    CHECK(starts("1", 2) == "start long");
    CHECK(starts("2", 2) == "start long");
    CHECK(starts("1", 4) == "start long");
    CHECK(starts("2", 4) == "start");
    CHECK(starts("all", 4) == "start");
}

TEST_CASE("test-limit counts the jobs that are looked at after the first that cannot start", "[easy]") {
    const auto starts = [](const std::string& limit, const std::string& reservations) {
        Table table(4, "easy", {{"test-limit", limit}, {"reservations", reservations}});
        table.at(0);
        table.submit("running", 2, 100);
        table.starts();
        table.at(1);
        table.submit("head", 3, 100);
        table.submit("wide", 4, 100);
        table.submit("short", 1, 50);
        return table.starts();
    };
    for (const char* const reservations : {"0", "1", "2", "all"}) {
        INFO("reservations=" << reservations);
        CHECK(starts("0", reservations) == "start");
        CHECK(starts("1", reservations) == "start");
        CHECK(starts("2", reservations) == "start short");
    }
}

TEST_CASE("Rules of easy that count processors are refused where places matter", "[easy]") {
    const auto make = [](const Parameters::Given& given) { Engine("easy", given); };
    CHECK_THROWS_WITH(make({{"extra", "needed"}, {"reservations", "2"}}),
                      "parameter extra=needed goes with reservations=1 only");
    CHECK_THROWS_WITH(make({{"rounds", "event"}, {"placement", "contiguous"}}),
                      "parameter rounds=event counts processors, so it does not go with placement=contiguous");
    CHECK_THROWS_AS(make({{"reservations", "all"}, {"placement", "machine"}}), UsageError);
    CHECK_THROWS_AS(make({{"extra", "needed"}, {"placement", "machine"}}), UsageError);
    CHECK_NOTHROW(make({{"rounds", "event"}, {"placement", "best-effort-contiguous"}}));
    CHECK_THROWS_WITH(make({{"reservations", "many"}}),
                      "parameter reservations: 'many' is not a whole number (0 or more, or all)");
}

}  // namespace batfill::tests::easy_test
