#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "engine_rounds.hpp"
#include "plain_backfilling.hpp"
#include "plain_machine.hpp"
#include "plain_order.hpp"
#include "random_stream.hpp"
#include "schedulers/farm_heuristics.hpp"

namespace batfill::tests::farm_scheduling_test {

// Scheduling on a farm of machines with licences: the same decisions as a plain form on random streams and farms, each
// heuristic by itself, and small schedules by hand.

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
            for (const char* name : {"order", "backfill-order"}) {
                const char* const orders[] = {"fcfs", "spf", "laf", "lqf", "sexp"};
                const std::string order = orders[random.below(5)];
                choice.given.emplace_back(name, order);
                (name == std::string("order") ? choice.rules.order : choice.rules.backfill_order) =
                    plain_order(named_orders().at(order));
            }
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

// Each host as "machine speed licences", with the copies that its zone has.
Machine farm_of(const std::vector<std::pair<std::string, int>>& hosts, const std::string& licenses = "",
                const std::string& copies = "") {
    std::vector<Host> all;
    for (const auto& [machine, speed] : hosts) {
        Host host{"node", speed * 1e9, {{"machine", machine}}, {}};
        if (!licenses.empty()) {
            host.properties["licenses"] = licenses;
            host.zone_properties["licenses"] = copies;
        }
        all.push_back(host);
    }
    return Machine(all);
}

const std::vector<std::pair<std::string, Parameters::Given>> backfilling_algorithms{
    {"easy", {{"placement", "machine"}}}, {"bf-unmod", {}}, {"bf-mod", {}}};

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
            INFO("at " << message.now);
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
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            require_same_round(engine, plain, message, started);
        });
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
        HeadPromise promise;
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            require_same_round(engine, plain, message, started);
            if (!plain.in_doubt() && is_round(message)) {
                promise.watch(plain, message, started);
            }
        });
        total.kept += promise.kept;
        total.broken += promise.broken;
    }
    CHECK(total.kept > 1000);
    CHECK(total.broken == 0);
}

TEST_CASE("Aging scores a factor for each second since submission", "[farm]") {
    CHECK(farm::Aging{0.25}.score(0) == 0);
    CHECK(farm::Aging{0.25}.score(100) == 25);
    CHECK(farm::Aging{0}.score(1e9) == 0);
}

TEST_CASE("The score of a deadline grows from the threshold to the deadline, and is 0 behind it", "[farm]") {
    // A job of 100 s is urgent within 200 s of its deadline, measured from its end.
    const farm::Deadline deadline{2, 1, 10};
    CHECK(deadline.score(-1000, 100) == 1);
    CHECK(deadline.score(-200.000001, 100) == 1);
    CHECK(deadline.score(-200, 100) == 1);  // te == ts
    CHECK(deadline.score(-199, 100) == Approx(1.045));
    CHECK(deadline.score(-100, 100) == Approx(5.5));
    CHECK(deadline.score(0, 100) == Approx(10));  // te == d
    CHECK(deadline.score(0.000001, 100) == 0);
    CHECK(deadline.score(1000, 100) == 0);
    CHECK(deadline.score(-std::numeric_limits<double>::infinity(), 100) == 1);  // no deadline
    // If min equals max, all jobs that are not late have the same score.
    const farm::Deadline flat{1.5, 3, 3};
    CHECK(flat.score(-1, 100) == 3);
    CHECK(flat.score(0, 100) == 3);
    CHECK(flat.score(1, 100) == 0);
}

TEST_CASE("Waits are kept short: the shorter a job, the larger its score", "[farm]") {
    const farm::WaitMinimization wait_minimization{2};
    CHECK(wait_minimization.score(50, 50) == 2);
    CHECK(wait_minimization.score(100, 50) == 1);
    CHECK(wait_minimization.score(200, 50) == 0.5);
}

TEST_CASE("Licences score by how scarce they are among the waiting jobs", "[farm]") {
    const std::vector<Machine::License> copies{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 1}};
    farm::Licenses licenses;
    const auto scores = [&](const std::vector<std::vector<LicenseIndex>>& waiting) {
        for (const std::vector<LicenseIndex>& of_job : waiting) {
            licenses.add(of_job, 1);
        }
        licenses.weigh(copies);
        std::vector<double> of_each;
        for (const std::vector<LicenseIndex>& of_job : waiting) {
            of_each.push_back(licenses.score(of_job));
            licenses.add(of_job, -1);  // only changes later scores
        }
        return of_each;
    };
    const LicenseIndex a = 0;
    const LicenseIndex b = 1;
    const LicenseIndex c = 2;
    const LicenseIndex d = 3;
    // 2 copies of a are requested, so it is critical: it counts the requests for non-critical licences, at least one. b
    // has as many requests as copies, so it is not critical.
    CHECK(scores({{a, b}, {a, c}, {b}, {}}) == std::vector<double>{1 + 2 * 2, 1 / 3.0 + 2 * 2, 1, 0});
    CHECK(scores({{a}, {a}}) == std::vector<double>{2, 2});
    CHECK(scores({{a}, {a}, {d}}) == std::vector<double>{2, 2, 1});
    CHECK(scores({{b}, {b}, {b}, {a, d}}) == std::vector<double>{3, 3, 3, 2});  // 2 * 3/2; 1 + 1
    CHECK(scores({{c}}) == std::vector<double>{1 / 3.0});
}

TEST_CASE("The priority of a job is the sum of its scores", "[farm]") {
    const Host host{"node", 1e9, {{"licenses", "a"}}, {{"licenses", "a:1"}}};
    SchedulerState state;
    state.machine = Machine(std::vector<Host>{host});
    farm::Priority priority(Parameters("bf-mod", farm::Priority::parameters(), {}));
    const auto wait = [&](int submit, int walltime, std::optional<int> deadline, std::vector<LicenseIndex> licenses) {
        const auto index = static_cast<JobIndex>(state.jobs.size());
        Job& job = state.jobs.emplace_back();
        JobDescription description;
        description.submit = Time::seconds(submit);
        if (deadline) {
            description.deadline = Time::seconds(*deadline);
        }
        job.shared_description = std::move(description);
        job.walltime = Duration::seconds(walltime);
        job.request = {1, Placement::machine, std::move(licenses)};
        state.waiting.insert(index, state.jobs);
        priority.submitted(job, index);
    };
    wait(600, 200, 1199, {});
    wait(900, 100, std::nullopt, {});
    wait(1000, 50, 1100, {0});
    state.now = Time::seconds(1000);
    priority.prepare(state);
    CHECK(priority.of(0) == Approx(4 + 0 + 0 + 0.25));
    CHECK(priority.of(1) == Approx(1 + 1 + 0 + 0.5));
    CHECK(priority.of(2) == Approx(0 + 5.5 + 1 + 1));
    // Without the shortest job, and with another job that requests the licence.
    state.waiting.remove(2, state.jobs);
    priority.left(2);
    state.now = Time::seconds(1010);
    wait(1010, 400, std::nullopt, {0});
    priority.prepare(state);
    CHECK(priority.of(0) == Approx(4.1 + 0 + 0 + 0.5));
    CHECK(priority.of(1) == Approx(1.1 + 1 + 0 + 1));
    CHECK(priority.of(3) == Approx(0 + 1 + 1 + 0.25));
}

TEST_CASE("bf-unmod keeps the reservation of its head, bf-mod gives it to the job with the highest priority",
          "[farm]") {
    const auto starts_at_100 = [](const std::string& algorithm, int deadline) {
        Table table(farm_of({{"m", 1}, {"m", 1}}), algorithm, {});
        table.at(0);
        table.submit("running", 2, 100);
        CHECK(table.starts() == "start running");
        table.at(1);
        table.submit("first", 2, 50);
        CHECK(table.starts() == "start");
        table.at(2);
        table.submit("second", 2, 50, deadline);
        CHECK(table.starts() == "start");
        table.at(100);
        table.ends("running");
        return table.starts();
    };
    // Scores at 100: the first has 0.99 + 1 + 1; the second has 0.98 + 1 + its deadline score.
    CHECK(starts_at_100("bf-mod", 150) == "start second");  // 10: it would end exactly at its deadline
    CHECK(starts_at_100("bf-mod", 149) == "start first");   // 0: it is late
    CHECK(starts_at_100("bf-mod", 249) == "start second");  // slightly above 1
    CHECK(starts_at_100("bf-mod", 250) == "start first");   // 1
    for (const int deadline : {149, 150, 249, 250}) {
        CHECK(starts_at_100("bf-unmod", deadline) == "start first");
    }
}

TEST_CASE("The job with the highest priority becomes the head of bf-unmod, and stays that when others overtake it",
          "[farm]") {
    Table table(farm_of({{"m", 1}, {"m", 1}}), "bf-unmod", {});
    table.at(0);
    table.submit("running", 2, 100);
    table.starts();
    table.at(1);
    table.submit("first", 2, 50);
    table.submit("second", 2, 50, 151);
    table.submit("shortest", 2, 20);  // has the highest priority of all jobs that found the queue empty, but not at 100
    CHECK(table.starts() == "start");
    table.at(100);
    table.ends("running");
    CHECK(table.starts() == "start shortest");
    table.at(110);
    table.ends("shortest");
    CHECK(table.starts() == "start second");  // has the highest priority at 100; it is late now
    table.at(160);
    table.ends("second");
    CHECK(table.starts() == "start first");
}

TEST_CASE("A job that would delay the head on one machine is tried on the next", "[farm]") {
    for (const auto& [algorithm, given] : backfilling_algorithms) {
        INFO(algorithm);
        Table table(farm_of({{"slow", 1}, {"fast", 2}, {"slow", 1}, {"fast", 2}}), algorithm, given);
        table.at(0);
        table.submit("filler", 1, 5);
        table.submit("a", 1, 10);
        table.submit("b", 1, 100);
        CHECK(table.places() == "start filler on 1, a on 3, b on 0");
        table.at(1);
        table.submit("head", 2, 5);
        CHECK(table.places() == "start");
        table.at(5);
        table.ends("filler");
        table.submit("long", 1, 100);  // the head has the whole fast machine from 10
        CHECK(table.places() == "start long on 2");
        table.at(6);
        table.submit("short", 1, 4);
        CHECK(table.places() == "start short on 1");
        table.at(10);
        table.ends("a");
        table.ends("short");
        CHECK(table.places() == "start head on 1 3");
    }
    Table table(farm_of({{"slow", 1}, {"fast", 2}}), "fcfs", {{"placement", "machine"}});
    table.at(0);
    table.submit("a", 1, 10);
    table.submit("b", 1, 10);
    table.submit("head", 1, 10);
    CHECK(table.places() == "start a on 1, b on 0");
}

TEST_CASE("A job leaves the head the copies of its licences", "[farm]") {
    for (const auto& [algorithm, given] : backfilling_algorithms) {
        const auto starts = [&, &name = algorithm, &parameters = given](const std::string& copies, int walltime,
                                                                        const std::vector<std::string>& licenses) {
            INFO(name << ", " << copies << ", " << walltime);
            Table table(farm_of({{"fast", 2}, {"fast", 2}, {"slow", 1}}, "l,other", copies), name, parameters);
            table.at(0);
            table.submit("running", 2, 10);
            CHECK(table.places() == "start running on 0-1");
            table.at(1);
            table.submit("head", 2, 5, std::nullopt, {"l", "other"});
            CHECK(table.places() == "start");
            table.at(2);
            table.submit("job", 1, walltime, std::nullopt, licenses);
            return table.places() == "start job on 2";
        };
        CHECK(starts("l:1,other:2", 8, {"l"}));
        CHECK_FALSE(starts("l:1,other:2", 9, {"l"}));
        CHECK_FALSE(starts("l:1,other:2", 9, {"other", "l"}));
        CHECK(starts("l:2,other:2", 9, {"l"}));
        CHECK(starts("l:1,other:2", 9, {"other"}));
        CHECK(starts("l:1,other:2", 9, {}));
    }
}

TEST_CASE("A head that waits for a licence alone lets no job take the processors that it will have", "[farm]") {
    for (const auto& [algorithm, given] : backfilling_algorithms) {
        INFO(algorithm);
        Table table(farm_of({{"fast", 2}, {"fast", 2}, {"slow", 1}}, "l", "l:1"), algorithm, given);
        table.at(0);
        table.submit("running", 1, 10, std::nullopt, {"l", "l"});
        CHECK(table.places() == "start running on 0");
        table.at(1);
        table.submit("head", 2, 5, std::nullopt, {"l"});
        CHECK(table.places() == "start");
        table.at(2);
        table.submit("long", 1, 9);
        table.submit("short", 1, 8);
        CHECK(table.places() == "start long on 2, short on 1");
    }
}

TEST_CASE("Parameters of the farm that mean nothing are refused", "[farm]") {
    for (const std::string algorithm : {"bf-unmod", "bf-mod"}) {
        const auto make = [&](const Parameters::Given& given) { Engine(algorithm, given); };
        CHECK_THROWS_WITH(make({{"k", "1"}}), "parameter k must be more than 1");
        CHECK_NOTHROW(make({{"k", "1.01"}}));
        CHECK_THROWS_WITH(make({{"max", "0.5"}}), "parameter max must not be less than parameter min");
        CHECK_NOTHROW(make({{"max", "1"}}));
        CHECK_THROWS_AS(make({{"age-factor", "-0.1"}}), UsageError);
        CHECK_THROWS_AS(make({{"boost", "-1"}}), UsageError);
        CHECK_THROWS_AS(make({{"placement", "lowest"}}), UsageError);
    }
}

}  // namespace batfill::tests::farm_scheduling_test
