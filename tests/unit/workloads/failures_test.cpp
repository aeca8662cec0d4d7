#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/workloads/models.hpp>

namespace batfill::tests::failures_test {

namespace {

FailureModel model_of(int processors, int mtbf, int mttr, int until) {
    FailureModel model;
    model.processors = processors;
    model.time_to_failure.mean = Duration::seconds(mtbf);
    model.time_to_repair.mean = Duration::seconds(mttr);
    model.until = Time::seconds(until);
    model.seed = 7;
    return model;
}

// The durations for which nodes were up and down. Requires that each node returns.
struct Periods {
    std::vector<double> up;
    std::vector<double> down;
};

Periods periods_of(const FailureModel& model) {
    Periods periods;
    std::map<int, Time> changed;  // by processor
    std::map<int, bool> is_down;
    Time last;
    for (const MachineEvent& event : generate_failures(model)) {
        REQUIRE(event.time >= last);
        REQUIRE_FALSE(event.processors.empty());
        REQUIRE(event.processors.last() < model.processors);
        REQUIRE((event.available || event.time < model.until));
        last = event.time;
        for (const ResourceSet::Interval& interval : event.processors.intervals()) {
            for (int i = interval.first; i <= interval.last; ++i) {
                REQUIRE(is_down[i] == event.available);
                const Duration length = event.time - changed[i];
                REQUIRE(length >= Duration::seconds(1));
                REQUIRE(length.count() % 1'000'000 == 0);
                (event.available ? periods.down : periods.up).push_back(length.to_seconds());
                is_down[i] = !event.available;
                changed[i] = event.time;
            }
        }
    }
    for (const auto& [processor, down] : is_down) {
        REQUIRE_FALSE(down);
    }
    return periods;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

// The standard deviation divided by the mean.
double variation(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += (value - mean(values)) * (value - mean(values));
    }
    return std::sqrt(sum / static_cast<double>(values.size())) / mean(values);
}

}  // namespace

TEST_CASE("Nodes are up and down for exponential times of the given means", "[failures]") {
    const Periods periods = periods_of(model_of(20, 5000, 400, 2'000'000));
    CHECK(periods.up.size() > 6000);
    CHECK(mean(periods.up) == Approx(5000).epsilon(0.05));
    CHECK(mean(periods.down) == Approx(400).epsilon(0.05));
    CHECK(variation(periods.up) == Approx(1).epsilon(0.05));
    CHECK(variation(periods.down) == Approx(1).epsilon(0.05));
}

TEST_CASE("A Weibull distribution keeps the mean, and its shape says how far times spread", "[failures]") {
    FailureModel model = model_of(10, 5000, 400, 4'000'000);
    model.time_to_failure.weibull_shape = 0.7;
    model.time_to_repair.weibull_shape = 2;
    const Periods periods = periods_of(model);
    CHECK(mean(periods.up) == Approx(5000).epsilon(0.06));
    CHECK(mean(periods.down) == Approx(400).epsilon(0.05));
    // sqrt(gamma(1 + 2 / k) / gamma(1 + 1 / k)^2 - 1)
    CHECK(variation(periods.up) == Approx(1.4624).epsilon(0.1));
    CHECK(variation(periods.down) == Approx(0.5227).epsilon(0.05));
}

TEST_CASE("Hosts of one node fail together, whatever other nodes there are", "[failures]") {
    FailureModel model = model_of(10, 100, 50, 1000);
    model.processors_per_node = 4;
    ResourceSet seen;
    for (const MachineEvent& event : generate_failures(model)) {
        for (const ResourceSet& node : {ResourceSet::range(0, 3), ResourceSet::range(4, 7), ResourceSet::range(8, 9)}) {
            const int common = event.processors.count_common(node);
            CHECK((common == 0 || common == node.size()));
        }
        seen.insert(event.processors);
    }
    CHECK(seen == ResourceSet::range(0, 9));

    const auto events_of_first = [&](int processors) {
        model.processors = processors;
        std::vector<std::pair<Time, bool>> events;
        for (const MachineEvent& event : generate_failures(model)) {
            if (event.processors.contains(0)) {
                events.emplace_back(event.time, event.available);
            }
        }
        return events;
    };
    CHECK(events_of_first(10) == events_of_first(4));
}

TEST_CASE("Events of one instant are one line, and first those that bring processors back", "[failures]") {
    FailureModel model = model_of(200, 5, 2, 100);
    std::string text;
    std::map<std::pair<Time, bool>, int> lines;
    Time time;
    bool available = true;
    for (const MachineEvent& event : generate_failures(model)) {
        append_json(event, text);
        CHECK(++lines[{event.time, event.available}] == 1);
        CHECK((event.time > time || (available && !event.available)));
        time = event.time;
        available = event.available;
    }
    CHECK_THAT(text, Catch::StartsWith(R"({"type":"machine_unavailable","timestamp":1,"resources":")"));
    CHECK(generate_failures(model) == generate_failures(model));
    const std::vector<MachineEvent> before = generate_failures(model);
    model.seed = 8;
    CHECK_FALSE(generate_failures(model) == before);
}

TEST_CASE("The draws are the same on every machine", "[failures]") {
    std::string text;
    for (const MachineEvent& event : generate_failures(model_of(3, 1000, 100, 2000))) {
        append_json(event, text);
    }
    const auto line = [](const std::string& kind, int time, int processor) {
        return R"({"type":"machine_)" + kind + R"(","timestamp":)" + std::to_string(time) + R"(,"resources":")" +
               std::to_string(processor) + "\"}\n";
    };
    CHECK(text == line("unavailable", 243, 0) + line("available", 265, 0) + line("unavailable", 695, 2) +
                      line("available", 697, 2) + line("unavailable", 746, 2) + line("unavailable", 835, 1) +
                      line("available", 979, 1) + line("available", 1037, 2) + line("unavailable", 1082, 0) +
                      line("unavailable", 1153, 1) + line("available", 1167, 0) + line("unavailable", 1201, 0) +
                      line("available", 1305, 1) + line("unavailable", 1669, 1) + line("available", 1676, 0) +
                      line("available", 1718, 1));
}

}  // namespace batfill::tests::failures_test
