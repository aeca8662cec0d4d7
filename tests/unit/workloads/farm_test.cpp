#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

namespace batfill::tests::farm_test {

using Catch::Matchers::Contains;

namespace {

FarmModel model_of(std::uint64_t seed, int jobs = 1000) {
    FarmModel model;
    model.seed = seed;
    model.jobs = jobs;
    return model;
}

Duration run_time(const Farm& farm, const WorkloadJob& job) {
    return farm.workload.profiles.at(job.description.profile).delay;
}

Duration margin(const JobDescription& job) {
    return *job.deadline - job.submit - *job.walltime;
}

// The parts of a job that are drawn independently of its submission.
std::string content_of(const Farm& farm, const WorkloadJob& job) {
    const JobDescription& d = job.description;
    std::string text = d.id + " " + std::to_string(d.processors) + " " + d.walltime->to_string() + " " +
                       run_time(farm, job).to_string() + " " + (d.deadline ? margin(d).to_string() : "-");
    for (const std::string& license : d.licenses) {
        text += " " + license;
    }
    return text;
}

std::vector<std::string> contents_of(const Farm& farm) {
    std::vector<std::string> contents;
    for (const WorkloadJob& job : farm.workload.jobs) {
        contents.push_back(content_of(farm, job));
    }
    return contents;
}

std::vector<Time> submissions_of(const Farm& farm) {
    std::vector<Time> submissions;
    for (const WorkloadJob& job : farm.workload.jobs) {
        submissions.push_back(job.description.submit);
    }
    return submissions;
}

std::string platform_of(const Farm& farm) {
    return platform_text(farm.platform, "");
}

// Checks that integers are uniform over a range: their mean, minimum and maximum. `tolerance` applies to the mean, in
// lengths of the range. It is at least five standard errors.
void check_uniform(const std::vector<double>& values, FarmModel::Range range, double tolerance) {
    double sum = 0;
    for (const double value : values) {
        REQUIRE(value >= range.low);
        REQUIRE(value <= range.high);
        sum += value;
    }
    const double length = range.high - range.low;
    CHECK(sum / static_cast<double>(values.size()) ==
          Approx((range.low + range.high) / 2.0).margin(tolerance * length));
    CHECK(*std::min_element(values.begin(), values.end()) <= range.low + 0.02 * length);
    CHECK(*std::max_element(values.begin(), values.end()) >= range.high - 0.02 * length);
}

std::vector<double> of_jobs(const Farm& farm, const std::function<double(const WorkloadJob&)>& value) {
    std::vector<double> values;
    for (const WorkloadJob& job : farm.workload.jobs) {
        values.push_back(value(job));
    }
    return values;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("a farm has the paper's ranges unless told otherwise", "[farm]") {
    const Farm farm = generate_farm(model_of(1, 20'000));
    REQUIRE(farm.workload.jobs.size() == 20'000);
    check_uniform(of_jobs(farm, [&](const WorkloadJob& job) { return run_time(farm, job).to_seconds(); }), {500, 3000},
                  0.011);
    std::vector<double> margins;
    for (const WorkloadJob& job : farm.workload.jobs) {
        REQUIRE(job.description.walltime == run_time(farm, job));
        REQUIRE(job.description.submit.since_zero().count() % 1'000'000 == 0);
        if (job.description.deadline) {
            margins.push_back(margin(job.description).to_seconds());
        }
    }
    check_uniform(margins, {30, 250}, 0.013);
    CHECK(static_cast<double>(margins.size()) / 20'000 == Approx(0.7).margin(0.017));

    const Machine machine(farm.platform.hosts);
    CHECK(machine.groups().size() == 100);
    CHECK(machine.licenses().size() == 20);
    CHECK(machine.processors() == farm.workload.processors);
    std::vector<double> sizes;
    std::vector<double> speeds;
    for (const Machine::Group& group : machine.groups()) {
        sizes.push_back(group.size);
        speeds.push_back(group.speed / 1e6);
    }
    check_uniform(sizes, {1, 8}, 0.17);
    CHECK(*std::min_element(speeds.begin(), speeds.end()) >= 1000);
    CHECK(*std::max_element(speeds.begin(), speeds.end()) <= 4000);
    CHECK(mean(speeds) == Approx(2500).margin(450));
}

TEST_CASE("the processors of jobs and machines of a farm are uniform where nothing is drawn again", "[farm]") {
    FarmModel model = model_of(2, 20'000);
    model.machines = 2000;
    model.licenses = 0;
    const Farm farm = generate_farm(model);
    std::map<int, int> counts;
    for (const WorkloadJob& job : farm.workload.jobs) {
        ++counts[job.description.processors];
        REQUIRE(job.description.licenses.empty());
    }
    REQUIRE(counts.size() == 8);
    for (const auto& [processors, count] : counts) {
        CAPTURE(processors);
        CHECK(count == Approx(2500).margin(240));
    }
    std::map<int, int> machines;
    const Machine drawn(farm.platform.hosts);
    for (const Machine::Group& group : drawn.groups()) {
        ++machines[group.size];
    }
    REQUIRE(machines.size() == 8);
    for (const auto& [processors, count] : machines) {
        CAPTURE(processors);
        CHECK(count == Approx(250).margin(75));
    }
    CHECK(farm.platform.hosts.front().properties.count("licenses") == 0);
    CHECK(farm.platform.hosts.front().zone_properties.empty());
}

TEST_CASE("licences of a farm are needed and can be activated as likely as asked, and have copies", "[farm]") {
    FarmModel model = model_of(3, 5000);
    model.machines = 500;
    const Farm farm = generate_farm(model);
    const Machine machine(farm.platform.hosts);
    const double needed = mean(
        of_jobs(farm, [](const WorkloadJob& job) { return static_cast<double>(job.description.licenses.size()); }));
    // With 500 machines, nearly every job finds one, so almost none is drawn again.
    CHECK(needed / 20 == Approx(0.3).margin(0.008));
    std::vector<long long> suitable(20, 0);
    double pairs = 0;
    for (const Machine::Group& group : machine.groups()) {
        pairs += static_cast<double>(group.licenses.size());
        for (const LicenseIndex license : group.licenses) {
            ++suitable[license];
        }
    }
    CHECK(pairs / (20 * 500) == Approx(0.9).margin(0.016));
    std::set<long long> ratios;
    for (std::size_t i = 0; i < 20; ++i) {
        const long long copies = machine.licenses()[i].copies;
        CHECK(2 * 100 * copies >= 2 * 50 * suitable[i] - 100);
        CHECK(2 * 100 * copies <= 2 * 70 * suitable[i] + 100);
        ratios.insert(100 * copies / suitable[i]);
    }
    CHECK(ratios.size() > 6);
}

TEST_CASE("there is a copy of every licence of a farm, and of all machines where the ratio is a hundred", "[farm]") {
    FarmModel model = model_of(4);
    model.machines = 5;
    model.license_needs = 5;
    model.license_ratio = {1, 1};
    const Machine first(generate_farm(model).platform.hosts);
    for (const Machine::License& license : first.licenses()) {
        CHECK(license.copies == 1);
    }
    model.license_suitability = 100;
    model.license_ratio = {100, 100};
    const Machine second(generate_farm(model).platform.hosts);
    for (const Machine::License& license : second.licenses()) {
        CHECK(license.copies == 5);
    }
}

TEST_CASE("the inter-arrival times of a farm are exponential with the requested mean", "[farm]") {
    for (const int seconds : {4, 6, 12, 24, 48}) {
        CAPTURE(seconds);
        FarmModel model = model_of(5, 20'000);
        model.interarrival = Duration::seconds(seconds);
        const std::vector<Time> submissions = submissions_of(generate_farm(model));
        REQUIRE(std::is_sorted(submissions.begin(), submissions.end()));
        CHECK(submissions.back().to_seconds() / 20'000 == Approx(seconds).epsilon(0.036));
        // Only a memoryless distribution has this: 1/e of the intervals exceed the mean, and 1/e of those exceed twice
        // the mean. Submissions are whole seconds, so the bounds are wide.
        std::vector<double> intervals{submissions.front().to_seconds()};
        for (std::size_t i = 1; i < submissions.size(); ++i) {
            intervals.push_back((submissions[i] - submissions[i - 1]).to_seconds());
        }
        const auto above = [&](double length) {
            return static_cast<double>(std::count_if(intervals.begin(), intervals.end(),
                                                     [&](double interval) { return interval > length + 0.5; }) +
                                       std::count_if(intervals.begin(), intervals.end(),
                                                     [&](double interval) { return interval > length - 0.5; })) /
                   (2.0 * 20'000);
        };
        CHECK(above(seconds) == Approx(std::exp(-1)).margin(0.03));
        CHECK(above(2 * seconds) == Approx(std::exp(-2)).margin(0.025));
    }
}

TEST_CASE("every job of a farm can run on one of its machines", "[farm]") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        FarmModel model = model_of(seed, 300);
        // Few and small machines force many repeated draws.
        model.machines = 4 + static_cast<int>(seed % 5);
        model.license_suitability = 60;
        model.license_needs = 15;
        const Farm farm = generate_farm(model);
        const Machine machine(farm.platform.hosts);
        for (const WorkloadJob& job : farm.workload.jobs) {
            Request::Details details;
            for (const std::string& license : job.description.licenses) {
                details.licenses.push_back(machine.find_license(license).value());
            }
            REQUIRE(std::is_sorted(details.licenses.begin(), details.licenses.end()));
            const Request request{job.description.processors, Placement::machine, std::move(details)};
            REQUIRE(machine.reason_to_refuse(request) == std::nullopt);
        }
    }
}

TEST_CASE("jobs that no machine of the farm could ever run are an error", "[farm]") {
    FarmModel model = model_of(1);
    model.job_processors = {9, 9};
    CHECK_THROWS_AS(generate_farm(model), UsageError);
    CHECK_THROWS_WITH(generate_farm(model), Contains("no machine of this farm could run any of 10000 draws"));
    model = model_of(1);
    model.license_suitability = 0;
    model.license_needs = 100;
    CHECK_THROWS_AS(generate_farm(model), UsageError);
}

TEST_CASE("the same model gives the same farm, another seed another", "[farm]") {
    const Farm first = generate_farm(model_of(7));
    const Farm again = generate_farm(model_of(7));
    CHECK(platform_of(first) == platform_of(again));
    CHECK(contents_of(first) == contents_of(again));
    CHECK(submissions_of(first) == submissions_of(again));
    for (const std::uint64_t seed : {std::uint64_t{8}, 7 + (std::uint64_t{1} << 32)}) {
        const Farm other = generate_farm(model_of(seed));
        CHECK(platform_of(first) != platform_of(other));
        CHECK(contents_of(first) != contents_of(other));
        CHECK(submissions_of(first) != submissions_of(other));
    }
}

TEST_CASE("the first draws of seed 1 are what they have always been", "[farm]") {
    FarmModel model = model_of(1, 3);
    model.machines = 3;
    model.licenses = 2;
    const Farm farm = generate_farm(model);
    std::string text =
        std::to_string(farm.platform.hosts.size()) + "; " + farm.platform.hosts.front().zone_properties.at("licenses");
    for (const WorkloadJob& job : farm.workload.jobs) {
        text += "; " + content_of(farm, job) + " at " + job.description.submit.to_string();
    }
    CHECK(
        text ==
        "19; lic0:2,lic1:1; w0!1 4 1894.000000 1894.000000 - lic1 at 2.000000; w0!2 6 1985.000000 1985.000000 132.000000 lic0 lic1 at 24.000000; w0!3 7 1181.000000 1181.000000 - at 42.000000");
}

TEST_CASE("an option of the farm model changes only what it is about", "[farm]") {
    const FarmModel model = model_of(9);
    const Farm base = generate_farm(model);
    const auto changed = [&](const std::function<void(FarmModel&)>& change) {
        FarmModel other = model;
        change(other);
        return generate_farm(other);
    };
    const std::vector<std::string> contents = contents_of(base);
    SECTION("inter-arrival times") {
        const Farm farm = changed([](FarmModel& m) { m.interarrival = Duration::seconds(48); });
        CHECK(platform_of(farm) == platform_of(base));
        CHECK(contents_of(farm) == contents);
        const std::vector<Time> before = submissions_of(base);
        const std::vector<Time> after = submissions_of(farm);
        for (std::size_t i = 0; i < before.size(); ++i) {
            REQUIRE(after[i].to_seconds() == Approx(4 * before[i].to_seconds()).margin(2.5));
        }
    }
    SECTION("copies of licences and speeds") {
        for (const Farm& farm : {changed([](FarmModel& m) {
                                     m.license_ratio = {10, 10};
                                 }),
                                 changed([](FarmModel& m) {
                                     m.speed = {1, 1};
                                 })}) {
            CHECK(platform_of(farm) != platform_of(base));
            CHECK(contents_of(farm) == contents);
            CHECK(submissions_of(farm) == submissions_of(base));
            CHECK(farm.platform.hosts.size() == base.platform.hosts.size());
        }
    }
    SECTION("jobs") {
        for (const auto& change : std::vector<std::function<void(FarmModel&)>>{
                 [](FarmModel& m) {
                     m.run_time = {1, 10};
                 },
                 [](FarmModel& m) {
                     m.job_processors = {1, 2};
                 },
                 [](FarmModel& m) { m.license_needs = 10; },
                 [](FarmModel& m) { m.without_deadline = 60; },
                 [](FarmModel& m) {
                     m.deadline_margin = {1, 2};
                 },
                 [](FarmModel& m) { m.margin_unit = FarmModel::MarginUnit::percent_of_walltime; },
                 [](FarmModel& m) { m.estimate_factor = Decimal::of(2); },
             }) {
            const Farm farm = changed(change);
            CHECK(platform_of(farm) == platform_of(base));
            CHECK(submissions_of(farm) == submissions_of(base));
            CHECK(contents_of(farm) != contents);
        }
    }
    SECTION("more jobs") {
        const Farm farm = changed([](FarmModel& m) { m.jobs = 2000; });
        CHECK(platform_of(farm) == platform_of(base));
        const std::vector<Time> all = submissions_of(farm);
        CHECK(std::vector<Time>(all.begin(), all.begin() + 1000) == submissions_of(base));
    }
    SECTION("fewer deadlines are among the many") {
        const Farm farm = changed([](FarmModel& m) { m.without_deadline = 60; });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < contents.size(); ++i) {
            if (farm.workload.jobs[i].description.deadline) {
                REQUIRE(farm.workload.jobs[i].description.deadline == base.workload.jobs[i].description.deadline);
                ++kept;
            }
        }
        CHECK(kept > 300);
        CHECK(kept < 500);
    }
}

TEST_CASE("margins of a farm can be per cents, and estimates multiples", "[farm]") {
    FarmModel model = model_of(10);
    model.margin_unit = FarmModel::MarginUnit::percent_of_walltime;
    model.estimate_factor = Decimal::parse("1.5").value();
    const Farm farm = generate_farm(model);
    const Farm exact = generate_farm(model_of(10));
    for (std::size_t i = 0; i < farm.workload.jobs.size(); ++i) {
        const JobDescription& job = farm.workload.jobs[i].description;
        const Microseconds run = run_time(farm, farm.workload.jobs[i]).count() / 1'000'000;
        REQUIRE(job.walltime == Duration::seconds(static_cast<long long>((3 * run + 1) / 2)));
        if (job.deadline) {
            // The margin of the exact model has the same number, in seconds.
            const Microseconds percent = margin(exact.workload.jobs[i].description).count() / 1'000'000;
            REQUIRE(margin(job).count() * 100 == job.walltime->count() * percent);
        }
    }
}

TEST_CASE("the text of a farm's platform says what the farm is", "[farm][platform]") {
    for (const int machine_processors : {1, 12}) {
        FarmModel model = model_of(11, 1);
        model.machine_processors = {machine_processors, machine_processors};
        model.job_processors = {1, 1};
        const Platform platform = generate_farm(model).platform;
        const Platform read = parse_platform(platform_text(platform, "drawn"), "farm.xml");
        REQUIRE(read.hosts.size() == platform.hosts.size());
        for (std::size_t i = 0; i < read.hosts.size(); ++i) {
            REQUIRE(read.hosts[i].name == platform.hosts[i].name);
            REQUIRE(read.hosts[i].speed == platform.hosts[i].speed);
            REQUIRE(read.hosts[i].properties == platform.hosts[i].properties);
            REQUIRE(read.hosts[i].zone_properties == platform.hosts[i].zone_properties);
        }
        CHECK(std::stod(read.hosts.front().properties.at("speed")) == read.hosts.front().speed);
        CHECK(read.hosts.front().name == (machine_processors == 1 ? "m00-0" : "m00-00"));
    }
}

TEST_CASE("what XML cannot hold as it is comes back from the text of a platform", "[platform]") {
    Platform platform;
    platform.hosts = {{"a&b", 0.1, {{"machine", "<\"x\" & 'y'>"}}, {{"licenses", "l&m:2"}}},
                      {"c", 1e300, {}, {{"licenses", "l&m:2"}}}};
    const Platform read = parse_platform(platform_text(platform, "no comment"), "text");
    REQUIRE(read.hosts.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(read.hosts[i].name == platform.hosts[i].name);
        CHECK(read.hosts[i].speed == platform.hosts[i].speed);
        CHECK(read.hosts[i].properties == platform.hosts[i].properties);
        CHECK(read.hosts[i].zone_properties == platform.hosts[i].zone_properties);
    }
}

}  // namespace batfill::tests::farm_test
