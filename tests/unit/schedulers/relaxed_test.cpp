#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "engine_rounds.hpp"
#include "plain_backfilling.hpp"
#include "plain_machine.hpp"
#include "protocol/codec.hpp"
#include "random_stream.hpp"
#include "src/session/session.hpp"

namespace batfill::tests::relaxed_test {

// Relaxed backfilling: the same decisions as a plain form on random streams, the special cases that its paper names,
// and small schedules by hand.

namespace {

struct Choice {
    int alpha = 1;
    int beta = -1;
    int gamma = 1;
    int r = 10;
    int omega = 10;  // in tenths; negative: infinite
    bool by_walltime = false;
    bool actual = false;
    bool predicts = false;
    Duration period;
    Placement placement = Placement::lowest;
};

// Counts rare events. A comparison in which they never happened shows little.
struct Counts {
    int backfilled = 0;
    int delaying = 0;          // backfilled jobs that end after the top job could have started
    int too_late = 0;          // fit, but would end after the window
    int at_end_of_window = 0;  // end exactly with the window
    int never = 0;             // the top job could not start however long it waited
    int overdue = 0;           // the top job could start by the estimates, but cannot
    int not_yet_waited = 0;    // submitted after the instant of the priorities
    int top_not_first = 0;
    int ties = 0;
    int infinite = 0;  // priorities
};

// Between rounds, it remembers only the jobs and the machine.
class PlainRelaxed {
 public:
    PlainRelaxed(int processors, const Choice& choice, Counts& counts)
        : machine_(processors), choice_(choice), prediction_(choice.predicts), counts_(counts) {}

    const PlainPrediction& prediction() const { return prediction_; }

    bool in_doubt() const { return in_doubt_; }
    std::uint64_t backfilled() const { return backfilled_; }
    // After a round: the job that could not start, and when it can by the estimates; none if never.
    std::optional<JobIndex> head() const { return top_; }
    std::optional<Time> head_can_start_at() const { return top_can_start_at_; }

    // Whether the round started jobs that precede it.
    bool is_head_overtaken() const { return is_head_overtaken_; }

    std::map<JobIndex, ResourceSet> round(const Message& message) {
        now_ = message.now;
        machine_.take_in(message);
        prediction_.take_in(message);
        if (choice_.predicts) {
            machine_.estimate_ends([this](JobIndex job) { return prediction_.end_of(job, now_); });
        }
        for (std::size_t i = 0; i < message.submitted.size(); ++i) {
            const auto& [index, job] = message.submitted[i];
            jobs_[index] = job;
            lengths_[index] = choice_.actual ? std::min(*job.walltime, message.run_times[i]) : *job.walltime;
            waiting_.push_back(index);
        }
        std::sort(waiting_.begin(), waiting_.end(), [&](JobIndex a, JobIndex b) {
            return std::pair(jobs_.at(a).submit, a) < std::pair(jobs_.at(b).submit, b);
        });
        started_.clear();
        top_.reset();
        top_can_start_at_.reset();
        for (const JobIndex job : by_priority()) {
            if (!top_ && !start(job)) {
                top_ = job;
                is_head_overtaken_ = !started_.empty();
                find_window();
            } else if (top_ && job != *top_) {
                backfill(job);
            }
        }
        counts_.top_not_first += top_ && *top_ != waiting_.front() ? 1 : 0;
        return started_;
    }

 private:
    std::vector<JobIndex> by_priority() {
        std::vector<PlainScore> scores;
        for (const JobIndex job : waiting_) {
            const long double priority = priority_of(job);
            counts_.infinite += std::isinf(priority) ? 1 : 0;
            scores.push_back({job, priority, priority});
        }
        const PlainRanking ranking = ranked(scores);
        in_doubt_ |= ranking.in_doubt;
        counts_.ties += ranking.ties;
        return ranking.jobs;
    }

    long double priority_of(JobIndex index) {
        const JobDescription& job = jobs_.at(index);
        Time computed_at = now_;
        if (choice_.period > Duration()) {
            computed_at = Time();
            while (computed_at + choice_.period <= now_) {
                computed_at = computed_at + choice_.period;
            }
        }
        counts_.not_yet_waited += computed_at < job.submit ? 1 : 0;
        const Duration wait = std::max(computed_at - job.submit, Duration());
        const std::map<std::string, int> queues{{"background", -1}, {"challenge", 1}, {"urgent", 2}};
        const auto queue = queues.find(job.queue);
        const long double priority =
            power(hours(wait), choice_.alpha) * power(hours(lengths_.at(index)), choice_.beta) *
            power(job.processors / 32.0L, choice_.gamma) * power(choice_.r, queue == queues.end() ? 0 : queue->second);
        return std::isnan(priority) ? 0 : priority;  // 0 times infinity carries no information
    }

    static long double hours(Duration duration) { return static_cast<long double>(duration.count()) / 3.6e9L; }

    static long double power(long double base, int exponent) {
        long double product = 1;
        for (int i = 0; i < std::abs(exponent); ++i) {
            product *= base;
        }
        return exponent >= 0 ? product : product == 0 ? std::numeric_limits<long double>::infinity() : 1 / product;
    }

    // The window of the top job; none if any fitting job may start.
    void find_window() {
        const auto earliest = machine_.earliest(jobs_.at(*top_), choice_.placement, now_);
        counts_.never += earliest ? 0 : 1;
        latest_end_ = Time::infinity();
        if (earliest) {
            top_can_start_at_ = earliest->first;
            const Duration wait = earliest->first - now_;
            counts_.overdue += wait == Duration() ? 1 : 0;
            const Duration tenths =
                choice_.by_walltime ? wait * 10 + lengths_.at(*top_) * (choice_.omega - 10) : wait * choice_.omega;
            if (choice_.omega >= 0) {
                latest_end_ = now_ + Duration::microseconds(tenths.count() / 10);
            }
        }
    }

    void backfill(JobIndex job) {
        if (choice_.omega == 0) {
            return;
        }
        const Time end = now_ + taken_to_run(job);
        if (end > latest_end_) {
            counts_.too_late += can_start(job) ? 1 : 0;
        } else if (start(job)) {
            ++backfilled_;
            ++counts_.backfilled;
            counts_.at_end_of_window += end == latest_end_ ? 1 : 0;
            counts_.delaying += top_can_start_at_ && end > *top_can_start_at_ ? 1 : 0;
        }
    }

    Duration taken_to_run(JobIndex job) const { return choice_.predicts ? prediction_.of(job) : lengths_.at(job); }

    bool can_start(JobIndex job) const {
        return !machine_.places(jobs_.at(job), choice_.placement, machine_.now()).empty();
    }

    bool start(JobIndex job) {
        const std::vector<Place> places = machine_.places(jobs_.at(job), choice_.placement, machine_.now());
        if (places.empty()) {
            return false;
        }
        machine_.start(job, jobs_.at(job), places.front(), now_ + taken_to_run(job));
        prediction_.start(job, now_);
        started_[job] = set_of(places.front());
        std::erase(waiting_, job);
        return true;
    }

    PlainMachine machine_;
    Choice choice_;
    PlainPrediction prediction_;
    Counts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::map<JobIndex, Duration> lengths_;  // assumed run times, unless they are predicted
    std::vector<JobIndex> waiting_;         // by submission
    std::map<JobIndex, ResourceSet> started_;
    std::optional<JobIndex> top_;
    std::optional<Time> top_can_start_at_;
    Time latest_end_;
    std::uint64_t backfilled_ = 0;
    bool is_head_overtaken_ = false;
    bool in_doubt_ = false;
};

// "2.3" for 23, "inf" for negative numbers.
std::string tenths(int number) {
    return number < 0 ? "inf" : std::to_string(number / 10) + "." + std::to_string(number % 10);
}

std::pair<Parameters::Given, Choice> random_choice(Random& random) {
    Parameters::Given given;
    Choice choice;
    const auto draw = [&](const char* name, int& value, int from, int to) {
        if (!random.one_in(4)) {
            value = random.between(from, to);
            given.emplace_back(name, std::to_string(value));
        }
    };
    draw("alpha", choice.alpha, -1, 2);
    draw("beta", choice.beta, -2, 2);
    draw("gamma", choice.gamma, -2, 2);
    draw("r", choice.r, 1, 12);
    if (!random.one_in(6)) {
        const int omegas[] = {0, -1, 10, 20, random.below(10), random.between(10, 60)};
        choice.omega = omegas[random.below(6)];
        given.emplace_back("omega", tenths(choice.omega));
    }
    if ((choice.omega < 0 || choice.omega >= 10) && random.one_in(2)) {
        choice.by_walltime = true;
        given.emplace_back("basis", "walltime");
    }
    if (random.one_in(3)) {
        choice.actual = true;
        given.emplace_back("estimates", "actual");
    }
    if (random.one_in(2)) {
        choice.period = random.one_in(3) ? Duration::microseconds(random.between(300'000, 40'000'000))
                                         : Duration::seconds(10 * random.between(1, 12));
        given.emplace_back("priority-period", choice.period.to_string());
    }
    const Placement placements[] = {Placement::lowest, Placement::lowest, Placement::contiguous,
                                    Placement::best_effort_contiguous};
    choice.placement = placements[random.below(4)];
    given.emplace_back("placement", to_string(choice.placement));
    return {given, choice};
}

// The jobs that each round starts, in the order of submission.
using Rounds = std::vector<std::pair<Time, std::vector<JobIndex>>>;

Rounds rounds_of(unsigned seed, const Features& features, const std::string& algorithm,
                 const Parameters::Given& given) {
    Rounds rounds;
    Engine engine(algorithm, given);
    Stream(seed, features).play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        rounds.emplace_back(message.now, started);
    });
    return rounds;
}

// Requires that relaxed starts jobs one by one, always the best that fits, ties by submission.
using IsBetter = std::function<bool(const JobDescription&, const JobDescription&)>;
void require_takes_the_best_that_fits(unsigned seed, const Parameters::Given& given, const IsBetter& is_better) {
    const Features features{.most_jobs = 60, .deadlines = false};
    Stream stream(seed, features);
    int idle = stream.processors();
    std::map<JobIndex, JobDescription> jobs;
    std::vector<JobIndex> waiting;
    Engine engine("relaxed", given);
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        for (const JobIndex job : message.ended) {
            idle += jobs.at(job).processors;
        }
        for (const auto& [index, job] : message.submitted) {
            jobs[index] = job;
            waiting.push_back(index);
        }
        std::sort(waiting.begin(), waiting.end(), [&](JobIndex a, JobIndex b) {
            return std::pair(jobs.at(a).submit, a) < std::pair(jobs.at(b).submit, b);
        });
        std::vector<JobIndex> expected;
        while (true) {
            std::optional<JobIndex> best;
            for (const JobIndex job : waiting) {
                if (jobs.at(job).processors <= idle && (!best || is_better(jobs.at(job), jobs.at(*best)))) {
                    best = job;
                }
            }
            if (!best) {
                break;
            }
            idle -= jobs.at(*best).processors;
            std::erase(waiting, *best);
            expected.push_back(*best);
        }
        std::sort(expected.begin(), expected.end());
        INFO("stream " << seed << " at " << message.now);
        REQUIRE(started == expected);
    });
}

const Parameters::Given by_wait{{"alpha", "1"}, {"beta", "0"}, {"gamma", "0"}, {"r", "1"}};

// A job that is submitted at 0.
Submission submission(JobIndex index, int processors, int walltime) {
    JobDescription job;
    job.id = "w0!" + std::to_string(index);
    job.processors = processors;
    job.walltime = Duration::seconds(walltime);
    return {index, job};
}

Parameters::Given with(Parameters::Given given, const std::string& name, const std::string& value) {
    given.emplace_back(name, value);
    return given;
}

}  // namespace

TEST_CASE("relaxed decides as a plain form of it that computes everything anew, with all its parameters",
          "[relaxed][property]") {
    Counts counts;
    unsigned in_doubt = 0;
    Random random(2002);
    for (unsigned seed = 0; seed < 1200; ++seed) {
        const auto [given, choice] = random_choice(random);
        INFO("stream " << seed << text_of(given));
        const bool machine_changes = random.one_in(4);
        Stream stream(seed, {.most_jobs = 60,
                             .most_processors = random.one_in(3) ? 5 : 20,
                             .deadlines = false,
                             .machine_changes = machine_changes,
                             .queues = true,
                             .overruns = random.one_in(3)});
        Engine engine("relaxed", given);
        PlainRelaxed plain(stream.processors(), choice, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            require_same_round(engine, plain, message, started);
            if (!plain.in_doubt()) {
                REQUIRE(engine.statistics().at(0).value == plain.backfilled());
            }
        });
        in_doubt += plain.in_doubt() ? 1U : 0U;
    }
    CHECK(in_doubt < 60);
    CHECK(counts.backfilled > 1000);
    CHECK(counts.delaying > 1000);
    CHECK(counts.too_late > 1000);
    CHECK(counts.at_end_of_window > 100);
    CHECK(counts.never > 100);
    CHECK(counts.overdue > 100);
    CHECK(counts.not_yet_waited > 1000);
    CHECK(counts.top_not_first > 1000);
    CHECK(counts.ties > 1000);
    CHECK(counts.infinite > 1000);
}

TEST_CASE("relaxed with predicted run times decides as a plain form that predicts them from all that has ended",
          "[relaxed][prediction][property]") {
    Counts counts;
    PredictionCounts predictions;
    unsigned in_doubt = 0;
    Random random(2007);
    for (unsigned seed = 0; seed < 500; ++seed) {
        auto [given, choice] = random_choice(random);
        if (choice.actual) {
            continue;
        }
        choice.predicts = true;
        given.emplace_back("prediction", "last-two");
        INFO("stream " << seed << text_of(given));
        Stream stream(seed, {.most_jobs = 90,
                             .most_processors = random.one_in(3) ? 5 : 20,
                             .deadlines = false,
                             .machine_changes = random.one_in(4),
                             .queues = true,
                             .overruns = random.one_in(3),
                             .users = true});
        Engine engine("relaxed", given);
        PlainRelaxed plain(stream.processors(), choice, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            require_same_round(engine, plain, message, started);
        });
        in_doubt += plain.in_doubt() ? 1U : 0U;
        add(predictions, plain.prediction().counts());
    }
    CHECK(in_doubt < 30);
    CHECK(counts.backfilled > 1000);
    CHECK(counts.too_late > 1000);
    CHECK(predictions.shorter > 1000);
    CHECK(predictions.corrected > 1000);
    CHECK(predictions.up_to_limit > 1000);
}

TEST_CASE("relaxed by wait alone without a window is fcfs, with an infinite one first-fit", "[relaxed][property]") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        INFO("stream " << seed);
        const Features features{.deadlines = false, .machine_changes = seed % 3 == 0};
        REQUIRE(rounds_of(seed, features, "relaxed", with(by_wait, "omega", "0")) ==
                rounds_of(seed, features, "fcfs", {}));
        require_takes_the_best_that_fits(seed, with(by_wait, "omega", "inf"),
                                         [](const JobDescription&, const JobDescription&) { return false; });
    }
}

TEST_CASE("relaxed by processors alone with an infinite window is best-fit, or worst-fit", "[relaxed][property]") {
    const auto by_processors = [](const std::string& gamma) {
        return Parameters::Given{{"alpha", "0"}, {"beta", "0"}, {"gamma", gamma}, {"r", "1"}, {"omega", "inf"}};
    };
    for (unsigned seed = 0; seed < 150; ++seed) {
        require_takes_the_best_that_fits(seed, by_processors("1"),
                                         [](const auto& a, const auto& b) { return a.processors > b.processors; });
        require_takes_the_best_that_fits(seed, by_processors("-1"),
                                         [](const auto& a, const auto& b) { return a.processors < b.processors; });
    }
}

TEST_CASE("With omega=1 relaxed never delays the top job while it is that; with omega=2 it does",
          "[relaxed][property]") {
    HeadPromise with_one;
    HeadPromise with_two;
    for (unsigned seed = 0; seed < 600; ++seed) {
        const bool is_one = seed % 2 == 0;
        Counts counts;
        Choice choice;
        choice.omega = is_one ? 10 : 20;
        Stream stream(seed, {.deadlines = false});
        PlainRelaxed plain(stream.processors(), choice, counts);
        Engine engine("relaxed", {{"omega", tenths(choice.omega)}});
        HeadPromise promise;
        INFO("stream " << seed << " omega=" << tenths(choice.omega));
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            INFO("at " << message.now);
            require_same_round(engine, plain, message, started);
            if (!plain.in_doubt() && is_round(message)) {
                promise.watch(plain, message, started);
            }
        });
        (is_one ? with_one : with_two).kept += promise.kept;
        (is_one ? with_one : with_two).broken += promise.broken;
    }
    CHECK(with_one.kept > 1000);
    CHECK(with_one.broken == 0);
    CHECK(with_two.broken > 100);
}

TEST_CASE("The window of relaxed is a factor of the wait of the top job, or its wait and a factor of its walltime",
          "[relaxed]") {
    // 10 processors. At 1 the top job can start at 101, in 100 s; its walltime is 60.
    const auto starts = [](const Parameters::Given& given, int walltime) {
        Table table(10, "relaxed", given);
        table.at(0);
        table.submit("running", 6, 101);
        CHECK(table.starts() == "start running");
        table.at(1);
        table.submit("top", 10, 60);
        table.submit("small", 1, walltime);
        return table.starts() == "start small";
    };
    CHECK(starts({}, 100));
    CHECK_FALSE(starts({}, 101));
    CHECK_FALSE(starts({{"omega", "0"}}, 1));
    CHECK(starts({{"omega", "0.5"}}, 50));
    CHECK_FALSE(starts({{"omega", "0.5"}}, 51));
    CHECK(starts({{"omega", "2.5"}}, 250));
    CHECK_FALSE(starts({{"omega", "2.5"}}, 251));
    CHECK(starts({{"omega", "inf"}}, 1'000'000));
    CHECK(starts({{"basis", "walltime"}}, 100));
    CHECK_FALSE(starts({{"basis", "walltime"}}, 101));
    CHECK(starts({{"basis", "walltime"}, {"omega", "1.2"}}, 112));
    CHECK_FALSE(starts({{"basis", "walltime"}, {"omega", "1.2"}}, 113));
    CHECK(starts({{"basis", "walltime"}, {"omega", "inf"}}, 1'000'000));
}

TEST_CASE("relaxed has no rule for extra processors: a job beside the top one must end in time as well", "[relaxed]") {
    const auto third_round = [](const std::string& algorithm, const Parameters::Given& given) {
        Table table(10, algorithm, given);
        table.at(0);
        table.submit("running", 8, 100);
        table.starts();
        table.at(1);
        table.submit("top", 9, 100);
        table.starts();
        table.at(2);
        table.submit("beside", 1, 1000);
        return table.starts();
    };
    CHECK(third_round("easy", {}) == "start beside");
    CHECK(third_round("relaxed", {}) == "start");
    CHECK(third_round("relaxed", {{"omega", "11"}}) == "start beside");
}

namespace {

struct Candidate {
    int waited;  // seconds
    int processors;
    int walltime;
    std::string queue = "";
    int run_time = 0;
};

// Returns the candidate that relaxed starts at `now` on 32 processors, where no two fit together. Candidates are in the
// order of submission.
std::size_t first_of(const std::vector<Candidate>& candidates, const Parameters::Given& given = {}, int now = 10'000) {
    Message message{Time::seconds(now), {}, {}, {}};
    for (const Candidate& candidate : candidates) {
        JobDescription job;
        job.id = std::to_string(message.submitted.size());
        job.submit = message.now - Duration::seconds(candidate.waited);
        job.processors = candidate.processors;
        job.walltime = Duration::seconds(candidate.walltime);
        job.queue = candidate.queue;
        message.submitted.emplace_back(static_cast<JobIndex>(message.submitted.size()), job);
        message.run_times.push_back(Duration::seconds(candidate.run_time));
    }
    Engine engine("relaxed", given);
    engine.begin(Time(), Machine(32));
    const std::vector<JobIndex> started = starts_of(send(engine, message));
    REQUIRE(started.size() == 1);
    return started[0];
}

}  // namespace

TEST_CASE("relaxed prefers long waits, short and wide jobs, and urgent queues, as its paper says", "[relaxed]") {
    // By equation 1: 1; 1 * 2 * 0.75; 10^2 / 60; 10 * 10 / 60, which equals the third.
    const Candidate typical{3600, 32, 3600};
    const Candidate short_and_narrow{3600, 24, 1800};
    const Candidate urgent{60, 32, 3600, "urgent"};
    const Candidate background{6000, 32, 360, "background"};
    CHECK(first_of({typical, short_and_narrow}) == 1);
    CHECK(first_of({typical, short_and_narrow}, {{"beta", "0"}}) == 0);
    CHECK(first_of({short_and_narrow, typical}, {{"beta", "0"}, {"gamma", "0"}}) == 0);
    CHECK(first_of({typical, short_and_narrow}, {{"beta", "0"}, {"gamma", "0"}}) == 0);
    CHECK(first_of({short_and_narrow, urgent}) == 1);
    CHECK(first_of({short_and_narrow, urgent}, {{"r", "1"}}) == 0);
    CHECK(first_of({background, urgent}) == 0);
    CHECK(first_of({background, urgent}, {{"r", "9"}}) == 0);
    CHECK(first_of({background, urgent}, {{"r", "11"}}) == 1);
    CHECK(first_of({background, urgent}, {{"alpha", "0"}}) == 1);
    // An unknown queue counts as the primary one, between background and challenge.
    const auto in_queue = [](const std::string& queue) { return Candidate{60, 32, 3600, queue}; };
    CHECK(first_of({in_queue("primary"), in_queue("no such"), in_queue("")}) == 0);
    CHECK(first_of({in_queue("no such"), in_queue("primary"), in_queue("")}) == 0);
    CHECK(first_of({in_queue("background"), in_queue("no such")}) == 1);
    CHECK(first_of({in_queue("no such"), in_queue("challenge")}) == 1);
    CHECK(first_of({in_queue("challenge"), in_queue("urgent")}) == 1);
    // A job that has not waited goes last, or first if waits count against a job.
    const Candidate new_and_short{0, 32, 1};
    CHECK(first_of({typical, new_and_short}) == 0);
    CHECK(first_of({typical, new_and_short}, {{"alpha", "-1"}}) == 1);
    CHECK(first_of({typical, new_and_short}, {{"alpha", "0"}}) == 1);
}

TEST_CASE("Priorities of relaxed are those of the last multiple of the period", "[relaxed]") {
    // Minutes begin at 3600 and at 3660. The short job is submitted between them.
    const auto first_at = [](int now, const std::string& period) {
        return first_of({{now - 3590, 32, 3600}, {now - 3610, 32, 1}}, {{"priority-period", period}}, now);
    };
    CHECK(first_at(3659, "0") == 1);
    CHECK(first_at(3659, "60") == 0);
    CHECK(first_at(3660, "60") == 1);
    CHECK(first_at(3659, "50") == 1);
    CHECK(first_at(3660, "3700") == 0);  // nobody has waited; the first submitted goes first
}

TEST_CASE("With estimates=actual relaxed takes jobs to run as long as they will", "[relaxed]") {
    const Parameters::Given actual{{"estimates", "actual"}};
    CHECK(first_of({{60, 32, 100, "", 100}, {60, 32, 100, "", 10}}) == 0);
    CHECK(first_of({{60, 32, 100, "", 100}, {60, 32, 100, "", 10}}, actual) == 1);
    CHECK(first_of({{60, 32, 100, "", 1000}, {60, 32, 101, "", 1000}}, actual) == 0);  // never beyond the walltime
    // The first processors become free at 50, not at 100, and the window ends then.
    const auto starts = [&](int run_time) {
        Engine engine("relaxed", actual);
        engine.begin(Time(), Machine(10));
        return starts_of(send(engine, {Time(),
                                       {},
                                       {submission(0, 9, 100), submission(1, 10, 100), submission(2, 1, 100)},
                                       {},
                                       {Duration::seconds(50), Duration::seconds(1), Duration::seconds(run_time)}}));
    };
    // All have waited 0, so the order of submission decides.
    CHECK(starts(50) == std::vector<JobIndex>{0, 2});
    CHECK(starts(51) == std::vector<JobIndex>{0});
}

TEST_CASE("relaxed counts the jobs that it starts behind the top one", "[relaxed]") {
    Engine engine("relaxed", by_wait);
    engine.begin(Time(), Machine(10));
    send(engine, {Time(),
                  {},
                  {submission(0, 5, 100), submission(1, 1, 10), submission(2, 8, 10), submission(3, 1, 100),
                   submission(4, 1, 101)},
                  {}});
    CHECK(text_of(engine.statistics()) == "backfilled 1");
    send(engine, {Time::seconds(1), {0}, {submission(5, 3, 1)}, {}});
    CHECK(text_of(engine.statistics()) == "backfilled 1");  // job 2 is top and starts; no processor is free behind it
}

TEST_CASE("relaxed with actual run times has nothing to predict", "[relaxed][prediction]") {
    CHECK_THROWS_WITH(Engine("relaxed", {{"estimates", "actual"}, {"prediction", "last-two"}}),
                      "parameter estimates=actual leaves nothing to predict, so it does not go with prediction");
}

TEST_CASE("Parameters of relaxed that mean nothing are refused", "[relaxed]") {
    const auto make = [](const Parameters::Given& given) { Engine("relaxed", given); };
    CHECK_THROWS_WITH(make({{"basis", "walltime"}, {"omega", "0.999"}}),
                      "parameter omega must be at least 1 with basis=walltime");
    CHECK_NOTHROW(make({{"basis", "walltime"}, {"omega", "1"}}));
    CHECK_THROWS_WITH(make({{"r", "0"}}), "parameter r must be more than 0");
    CHECK_THROWS_AS(make({{"r", "-1"}}), UsageError);
    CHECK_THROWS_AS(make({{"omega", "-1"}}), UsageError);
    CHECK_THROWS_AS(make({{"omega", "nan"}}), UsageError);
    CHECK_THROWS_AS(make({{"alpha", "inf"}}), UsageError);
    CHECK_THROWS_AS(make({{"priority-period", "-60"}}), UsageError);
    CHECK_THROWS_AS(make({{"placement", "machine"}}), UsageError);
}

TEST_CASE("Where run times are not known, relaxed with estimates=actual is refused", "[relaxed]") {
    const Parameters::Given actual{{"estimates", "actual"}};
    Session session({"relaxed", actual}, protocol::make_codec(protocol::default_protocol));
    CHECK_THROWS_WITH(
        session.answer(R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":{},)"
                       R"("compute_resources":[{"id":0,"name":"a"}],"workloads":{},"profiles":{}}}]})"),
        "algorithm relaxed: with these parameters it needs the run times of jobs, which are known in batfill simulate "
        "only");
    Engine engine("relaxed", actual);
    engine.begin(Time(), Machine(1));
    CHECK_THROWS_WITH(send(engine, {Time(), {}, {submission(0, 1, 1)}, {}}),
                      "job w0!0: its run time is not known before it ends, algorithm relaxed with these parameters "
                      "needs it");
}

}  // namespace batfill::tests::relaxed_test
