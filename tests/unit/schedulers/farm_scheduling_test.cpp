#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_backfilling.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/random_stream.hpp"

namespace batfill::tests::farm_scheduling_test {

// Scheduling on a farm of machines with licences: the same decisions as a plain form on random streams and farms.

namespace {

// Values are in hundredths.
struct Factors {
    int age_factor = 1;
    int k = 200;
    int min = 100;
    int max = 1000;
    int boost = 100;
};

std::string hundredths(int number) {
    const std::string decimals = std::to_string(100 + number % 100).substr(1);
    return std::to_string(number / 100) + "." + decimals;
}

// The priority of one job, from the definitions of the paper.
class PlainPriority {
 public:
    PlainPriority(const Queue& queue, const PlainMachine& machine, const Factors& factors)
        : queue_(queue), factors_(factors) {
        std::map<std::string, int> requests;
        for (const JobIndex job : queue.waiting) {
            for (const std::string& license : licenses_of(job)) {
                ++requests[license];
            }
        }
        for (const auto& [license, number] : requests) {
            rho_[license] = number / static_cast<long double>(machine.copies_of(license));
        }
    }

    PlainScore of(JobIndex job) const {
        const long double terms[] = {aging(job), deadline(job), licenses(job), wait_minimization(job)};
        PlainScore score{job, 0, (factors_.max - factors_.min) / 100.0L};
        for (const long double term : terms) {
            score.score += term;
            score.magnitude += std::abs(term);
        }
        return score;
    }

 private:
    const JobDescription& job(JobIndex index) const { return queue_.jobs.at(index); }
    static long double seconds(Duration duration) { return static_cast<long double>(duration.count()) / 1e6L; }
    std::set<std::string> licenses_of(JobIndex index) const {
        return {job(index).licenses.begin(), job(index).licenses.end()};
    }

    long double aging(JobIndex index) const {
        return factors_.age_factor / 100.0L * seconds(queue_.now - job(index).submit);
    }
    long double deadline(JobIndex index) const {
        const long double min = factors_.min / 100.0L;
        const long double max = factors_.max / 100.0L;
        if (!job(index).deadline) {
            return min;
        }
        const long double over = factors_.k / 100.0L * seconds(*job(index).walltime);
        const Time te = queue_.now + *job(index).walltime;
        const Time d = *job(index).deadline;
        if (te > d) {
            return 0;
        }
        const long double beyond_threshold = over - seconds(d - te);
        return beyond_threshold < 0 ? min : min + (max - min) / over * beyond_threshold;
    }
    long double licenses(JobIndex index) const {
        std::set<std::string> not_critical;
        for (const auto& [license, rho] : rho_) {
            if (rho <= 1) {
                not_critical.insert(license);
            }
        }
        const long double d_lc = not_critical.empty() ? 1 : static_cast<long double>(not_critical.size());
        long double sum = 0;
        for (const std::string& license : licenses_of(index)) {
            sum += not_critical.count(license) != 0 ? rho_.at(license) : d_lc * rho_.at(license);
        }
        return sum;
    }
    long double wait_minimization(JobIndex index) const {
        Duration shortest = *job(index).walltime;
        for (const JobIndex other : queue_.waiting) {
            shortest = std::min(shortest, *job(other).walltime);
        }
        return factors_.boost / 100.0L * seconds(shortest) / seconds(*job(index).walltime);
    }

    const Queue& queue_;
    Factors factors_;
    std::map<std::string, long double> rho_;
};

PlainOrder by_priority(const PlainMachine& machine, const Factors& factors) {
    return [=](const Queue& queue) {
        const PlainPriority priority(queue, machine, factors);
        std::vector<PlainScore> scores;
        for (const JobIndex job : queue.waiting) {
            scores.push_back(priority.of(job));
        }
        return ranked(scores);
    };
}

struct Choice {
    std::string algorithm;
    Parameters::Given given;
    PlainRules rules;
};

Choice random_choice(Random& random, const PlainMachine& machine) {
    Choice choice;
    choice.rules.placement = Placement::machine;
    switch (random.below(5)) {
        case 0:
            choice.algorithm = "fcfs";
            choice.given = {{"placement", "machine"}};
            choice.rules.backfills = false;
            return choice;
        case 1:
            choice.algorithm = "easy";
            choice.given = {{"placement", "machine"}};
            draw_orders(random, {"fcfs", "spf", "laf", "lqf", "sexp"}, choice.given, choice.rules);
            return choice;
        default:
            break;
    }
    choice.rules.keeps_head = random.one_in(2);
    choice.algorithm = choice.rules.keeps_head ? "bf-unmod" : "bf-mod";
    Factors factors;
    if (!random.one_in(4)) {
        factors.age_factor = random.one_in(4) ? 0 : random.between(0, 50);
        factors.k = random.between(101, 1500);
        factors.min = random.between(0, 500);
        factors.max = factors.min + random.between(0, 2000);
        factors.boost = random.one_in(4) ? 0 : random.between(0, 1500);
        choice.given = {{"age-factor", hundredths(factors.age_factor)},
                        {"k", hundredths(factors.k)},
                        {"min", hundredths(factors.min)},
                        {"max", hundredths(factors.max)},
                        {"boost", hundredths(factors.boost)}};
    }
    choice.rules.order = by_priority(machine, factors);
    choice.rules.backfill_order = choice.rules.order;
    return choice;
}

}  // namespace

TEST_CASE("On random farms fcfs, easy, bf-unmod and bf-mod decide as a plain form that tries every place",
          "[farm][property]") {
    BackfillingCounts counts;
    unsigned in_doubt = 0;
    Random random(2008);
    for (unsigned seed = 0; seed < 1200; ++seed) {
        const bool machine_changes = random.one_in(3);
        Stream stream(seed, {.most_jobs = 60,
                             .most_processors = random.one_in(3) ? 6 : 24,
                             .machine_changes = machine_changes,
                             .overruns = random.one_in(3),
                             .farm = true});
        const PlainMachine machine(stream.hosts());
        const Choice choice = random_choice(random, machine);
        INFO("stream " << seed << ": " << choice.algorithm << text_of(choice.given));
        Engine engine(choice.algorithm, choice.given);
        PlainBackfilling plain(machine, choice.rules, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            require_same_round(engine, plain, message, started);
            for (const auto& [index, job] : message.submitted) {
                const bool is_rejected = engine.state().job(index).state == JobState::rejected;
                REQUIRE((plain.in_doubt() || is_rejected == (plain.rejected().count(index) != 0)));
            }
        });
        in_doubt += plain.in_doubt() ? 1U : 0U;
    }
    CHECK(in_doubt < 60);
    CHECK(counts.rejected > 1000);
    CHECK(counts.in_time > 1000);
    CHECK(counts.beside > 1000);
    CHECK(counts.elsewhere > 100);
    CHECK(counts.delaying > 1000);
    CHECK(counts.took_copies > 100);
    CHECK(counts.scattered > 1000);
    CHECK(counts.without_copies > 1000);
    CHECK(counts.never > 100);
    CHECK(counts.overdue > 100);
    CHECK(counts.kept_head > 100);
    CHECK(counts.head_not_first > 1000);
    CHECK(counts.ties > 100);
}

TEST_CASE(
    "On random farms with predicted run times easy, bf-unmod and bf-mod decide as a plain form that predicts them",
    "[farm][prediction][property]") {
    BackfillingCounts counts;
    PredictionCounts predictions;
    unsigned in_doubt = 0;
    Random random(2007);
    for (unsigned seed = 0; seed < 400; ++seed) {
        Stream stream(seed, {.most_jobs = 90,
                             .most_processors = random.one_in(3) ? 6 : 24,
                             .machine_changes = random.one_in(3),
                             .overruns = random.one_in(3),
                             .farm = true,
                             .users = true});
        const PlainMachine machine(stream.hosts());
        Choice choice = random_choice(random, machine);
        if (choice.algorithm == "fcfs") {
            continue;  // does not use predictions
        }
        choice.rules.predicts = true;
        choice.given.emplace_back("prediction", "last-two");
        INFO("stream " << seed << ": " << choice.algorithm << text_of(choice.given));
        Engine engine(choice.algorithm, choice.given);
        PlainBackfilling plain(machine, choice.rules, counts);
        require_same_rounds(stream, engine, plain);
        in_doubt += plain.in_doubt() ? 1U : 0U;
        add(predictions, plain.prediction().counts());
    }
    CHECK(in_doubt < 40);
    CHECK(counts.in_time > 500);
    CHECK(counts.beside > 500);
    CHECK(counts.delaying > 500);
    CHECK(predictions.shorter > 1000);
    CHECK(predictions.corrected > 500);
    CHECK(predictions.up_to_limit > 500);
}

TEST_CASE("The head of bf-unmod starts no later than it could when it became the head", "[farm][property]") {
    BackfillingCounts counts;
    HeadPromise total;
    for (unsigned seed = 0; seed < 200; ++seed) {
        INFO("stream " << seed);
        Stream stream(seed, {.farm = true});
        const PlainMachine machine(stream.hosts());
        PlainRules rules{.placement = Placement::machine,
                         .order = by_priority(machine, {}),
                         .backfill_order = by_priority(machine, {}),
                         .keeps_head = true};
        Engine engine("bf-unmod", {});
        PlainBackfilling plain(machine, rules, counts);
        total += watch_heads(stream, engine, plain);
    }
    CHECK(total.kept > 1000);
    CHECK(total.broken == 0);
}

}  // namespace batfill::tests::farm_scheduling_test
