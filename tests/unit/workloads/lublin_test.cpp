#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <boost/math/special_functions/gamma.hpp>
#include <catch2/catch.hpp>

#include <batfill/workloads/models.hpp>

namespace batfill::tests::lublin_test {

namespace {

LublinModel model_of(LublinModel::Jobs kind, int jobs, int processors, std::uint64_t seed = 1) {
    LublinModel model;
    model.kind = kind;
    model.jobs = jobs;
    model.processors = processors;
    model.seed = seed;
    return model;
}

Duration run_time(const Workload& workload, const WorkloadJob& job) {
    return workload.profiles.at(job.description.profile).delay;
}

template <typename Holds>
double share(const Workload& workload, Holds holds) {
    return static_cast<double>(std::count_if(workload.jobs.begin(), workload.jobs.end(),
                                             [&](const WorkloadJob& job) { return holds(job.description); })) /
           static_cast<double>(workload.jobs.size());
}

bool is_power_of_two(int size) {
    return size > 0 && (static_cast<unsigned>(size) & static_cast<unsigned>(size - 1)) == 0;
}

// A text of everything that is written: equal texts mean equal workloads.
std::string text_of(const Workload& workload) {
    std::string text = std::to_string(workload.processors) + "\n";
    for (const WorkloadJob& job : workload.jobs) {
        const JobDescription& d = job.description;
        text += d.id + " " + d.submit.to_string() + " " + std::to_string(d.processors) + " " +
                (d.walltime ? d.walltime->to_string() : "-") + " " + d.queue.text() + " " + d.profile.text() + " " +
                run_time(workload, job).to_string() + "\n";
    }
    return text;
}

// The mean of a gamma variable, given that it is at most `limit`.
double truncated_gamma_mean(double shape, double scale, double limit) {
    return shape * scale * boost::math::gamma_p(shape + 1, limit / scale) / boost::math::gamma_p(shape, limit / scale);
}

}  // namespace

TEST_CASE("the Lublin model draws as many jobs as asked, in order and within the machine", "[lublin]") {
    using Jobs = LublinModel::Jobs;
    for (const Jobs kind : {Jobs::batch, Jobs::interactive, Jobs::both, Jobs::undivided}) {
        for (const int processors : {1, 2, 3, 5, 100, 240, 100'000}) {
            const Workload workload = generate_lublin(model_of(kind, 500, processors));
            REQUIRE(workload.jobs.size() == 500);
            REQUIRE(workload.processors == processors);
            std::set<std::string> ids;
            Time last;
            for (const WorkloadJob& job : workload.jobs) {
                const JobDescription& d = job.description;
                REQUIRE(d.submit >= last);
                last = d.submit;
                REQUIRE(d.processors >= 1);
                REQUIRE(d.processors <= processors);
                REQUIRE(run_time(workload, job) >= Duration::seconds(1));
                REQUIRE(d.walltime >= run_time(workload, job));
                REQUIRE(d.submit.since_zero().count() % 1'000'000 == 0);
                REQUIRE(ids.insert(d.id).second);
            }
            REQUIRE(*ids.begin() == "w0!001");
        }
    }
}

TEST_CASE("the Lublin model gives the same workload for the same seed and another for another", "[lublin]") {
    for (const auto kind : {LublinModel::Jobs::batch, LublinModel::Jobs::both}) {
        LublinModel model = model_of(kind, 2000, 128, 42);
        model.load = 0.8;
        const std::string text = text_of(generate_lublin(model));
        CHECK(text == text_of(generate_lublin(model)));
        model.seed = 43;
        CHECK(text != text_of(generate_lublin(model)));
        model.seed = 42 + (std::uint64_t{1} << 32);
        CHECK(text != text_of(generate_lublin(model)));
    }
}

TEST_CASE("shares of serial jobs and powers of two are those of the Lublin model", "[lublin]") {
    const auto serial = [](const JobDescription& job) { return job.processors == 1; };
    const auto power = [](const JobDescription& job) { return is_power_of_two(job.processors); };
    const Workload batch = generate_lublin(model_of(LublinModel::Jobs::batch, 100'000, 128));
    CHECK(share(batch, serial) == Approx(0.2927).margin(0.006));
    CHECK(share(batch, power) >= 0.2927 + 0.6686 - 0.006);
    CHECK(share(batch, power) < 0.99);
    const Workload interactive = generate_lublin(model_of(LublinModel::Jobs::interactive, 100'000, 128));
    CHECK(share(interactive, serial) == Approx(0.1541).margin(0.006));
    CHECK(share(interactive, power) >= 0.1541 + 0.625 - 0.006);
    CHECK(share(interactive, [](const JobDescription& job) { return job.processors > 46; }) == 0);
    // ULow of the undivided set is below 1, where rounding adds a few serial jobs.
    const Workload undivided = generate_lublin(model_of(LublinModel::Jobs::undivided, 100'000, 128));
    CHECK(share(undivided, serial) >= 0.244 - 0.006);
    CHECK(share(undivided, serial) < 0.26);
}

TEST_CASE("parallel sizes follow the two-stage uniform of the Lublin model", "[lublin]") {
    const Workload batch = generate_lublin(model_of(LublinModel::Jobs::batch, 100'000, 128));
    // log2 of 128 processors is 7 and UMed 4.5, so the first stage gives sizes up to 2^4.5 < 23.
    const double parallel = share(batch, [](const JobDescription& job) { return job.processors > 1; });
    const double small =
        share(batch, [](const JobDescription& job) { return job.processors > 1 && job.processors <= 22; });
    CHECK(small / parallel == Approx(0.875).margin(0.01));
    // The first stage is uniform in log2: one unit rounds to 4 and one to 8, but only 1.2..1.5 to 2.
    const auto exactly = [&](int size) {
        return share(batch, [size](const JobDescription& job) { return job.processors == size; });
    };
    CHECK(exactly(4) == Approx(exactly(8)).epsilon(0.08));
    CHECK(exactly(2) < exactly(4));
}

TEST_CASE("run times follow the hyper-gamma of the Lublin model", "[lublin]") {
    const Workload batch = generate_lublin(model_of(LublinModel::Jobs::batch, 100'000, 128));
    const auto mean_ln = [&](int size) {
        double sum = 0;
        int count = 0;
        for (const WorkloadJob& job : batch.jobs) {
            if (job.description.processors == size) {
                sum += std::log(run_time(batch, job).to_seconds());
                ++count;
            }
        }
        REQUIRE(count > 500);
        return sum / count;
    };
    for (const int size : {1, 8, 64}) {
        const double first = -0.003 * size + 0.6986;
        const double expected =
            first * truncated_gamma_mean(6.57, 0.823, 12) + (1 - first) * truncated_gamma_mean(639.1, 0.0156, 12);
        CHECK(mean_ln(size) == Approx(expected).margin(size == 64 ? 0.25 : 0.05));
    }
    CHECK(std::all_of(batch.jobs.begin(), batch.jobs.end(),
                      [&](const WorkloadJob& job) { return run_time(batch, job) <= Duration::seconds(162'755); }));
}

TEST_CASE("submissions follow the daily cycle of the Lublin model", "[lublin]") {
    const Workload batch = generate_lublin(model_of(LublinModel::Jobs::batch, 200'000, 128));
    std::array<double, 24> found{};
    for (const WorkloadJob& job : batch.jobs) {
        const auto hour = static_cast<long long>(job.description.submit.to_seconds()) / 3600 % 24;
        found[static_cast<std::size_t>(hour)] += 1.0 / 200'000;
    }
    // Half hour i of the model's day (11..58) ends i half hours after midnight.
    std::array<double, 24> expected{};
    double sum = 0;
    for (int i = 11; i < 59; ++i) {
        const double weight =
            boost::math::gamma_p(6.1271, (i + 0.5) / 5.2740) - boost::math::gamma_p(6.1271, (i - 0.5) / 5.2740);
        expected[static_cast<std::size_t>((i - 1) % 48 / 2)] += weight;
        sum += weight;
    }
    for (std::size_t hour = 0; hour < 24; ++hour) {
        CAPTURE(hour);
        CHECK(found[hour] == Approx(expected[hour] / sum).margin(0.004));
    }
    CHECK(found[13] > 5 * found[4]);
}

TEST_CASE("the Lublin model reaches the requested load and keeps its jobs", "[lublin]") {
    for (const auto kind : {LublinModel::Jobs::batch, LublinModel::Jobs::both}) {
        LublinModel model = model_of(kind, 5000, 240, 7);
        const Workload natural = generate_lublin(model);
        for (const double load : {0.3, 0.9, 1.05, 5.0}) {
            model.load = load;
            const Workload scaled = generate_lublin(model);
            CHECK(offered_load(scaled) == Approx(load).epsilon(1e-4));
            // Scaling may change the order of the two streams, so jobs are compared as a multiset.
            const auto jobs_of = [](const Workload& workload) {
                std::multiset<std::string> jobs;
                for (const WorkloadJob& job : workload.jobs) {
                    jobs.insert(std::to_string(job.description.processors) + " " + job.description.profile.text() +
                                " " + job.description.walltime->to_string());
                }
                return jobs;
            };
            CHECK(jobs_of(scaled) == jobs_of(natural));
        }
    }
}

TEST_CASE("a higher load does not shorten the day of the Lublin model", "[lublin]") {
    LublinModel model = model_of(LublinModel::Jobs::undivided, 50'000, 128);
    model.load = 2;
    const Workload workload = generate_lublin(model);
    const auto in_hours = [&](long long first, long long last) {
        return share(workload, [&](const JobDescription& job) {
            const long long hour = static_cast<long long>(job.submit.to_seconds()) / 3600 % 24;
            return hour >= first && hour <= last;
        });
    };
    CHECK(in_hours(12, 15) > 4 * in_hours(2, 5));
}

TEST_CASE("estimates of the Lublin model are exact, a multiple or round values", "[lublin]") {
    LublinModel model = model_of(LublinModel::Jobs::batch, 20'000, 128);
    model.estimates = LublinModel::Estimates::exact;
    const Workload exact = generate_lublin(model);
    model.estimates = LublinModel::Estimates::factor;
    model.estimate_factor = 2.5;
    const Workload factor = generate_lublin(model);
    model.estimates = LublinModel::Estimates::modal;
    const Workload modal = generate_lublin(model);
    std::set<Duration> values;
    double accuracy = 0;
    for (std::size_t i = 0; i < exact.jobs.size(); ++i) {
        const Duration run = run_time(exact, exact.jobs[i]);
        REQUIRE(exact.jobs[i].description.walltime == run);
        REQUIRE(run_time(factor, factor.jobs[i]) == run);
        REQUIRE(run_time(modal, modal.jobs[i]) == run);
        REQUIRE(factor.jobs[i].description.walltime >= Duration::microseconds(run.count() * 5 / 2));
        REQUIRE(factor.jobs[i].description.walltime <
                Duration::microseconds(run.count() * 5 / 2) + Duration::seconds(1));
        const Duration walltime = *modal.jobs[i].description.walltime;
        values.insert(walltime);
        REQUIRE(walltime.count() % Duration::seconds(300).count() == 0);
        accuracy += run.to_seconds() / walltime.to_seconds() / 20'000;
    }
    CHECK(values.size() > 15);
    CHECK(values.size() <= 21);
    // A uniform accuracy has a mean of one half. Rounding up and the minimum of five minutes reduce it.
    CHECK(accuracy > 0.25);
    CHECK(accuracy < 0.5);
}

TEST_CASE("the offered load counts work up to the walltime over the submission span", "[lublin]") {
    Workload workload;
    workload.processors = 10;
    workload.profiles["d50"].delay = Duration::seconds(50);
    const auto add = [&](int submit, int processors, std::optional<Duration> walltime) {
        WorkloadJob job;
        job.description.submit = Time::seconds(submit);
        job.description.processors = processors;
        job.description.walltime = walltime;
        job.description.profile = "d50";
        workload.jobs.push_back(job);
    };
    add(0, 4, Duration::seconds(20));
    add(100, 2, Duration::seconds(70));
    add(50, 1, std::nullopt);
    CHECK(offered_load(workload) == Approx((4 * 20 + 2 * 50 + 50) / 1000.0));
}

}  // namespace batfill::tests::lublin_test
