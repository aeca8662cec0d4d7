#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/random.hpp"

namespace batfill::tests::machine_test {

namespace {

Host host(const std::string& machine, const std::string& licenses, double speed = 1e9,
          const std::string& zone_licenses = "") {
    Host host{"node", speed, {}, {}};
    if (!machine.empty()) {
        host.properties["machine"] = machine;
    }
    if (!licenses.empty()) {
        host.properties["licenses"] = licenses;
    }
    if (!zone_licenses.empty()) {
        host.zone_properties["licenses"] = zone_licenses;
    }
    return host;
}

std::vector<std::string> names_of_counters(const Machine& machine, const Machine::Group& group) {
    std::vector<std::string> names;
    for (const LicenseIndex license : group.licenses) {
        names.push_back(machine.licenses()[license].name);
    }
    return names;
}

}  // namespace

TEST_CASE("A homogeneous machine is one group without licences", "[machine]") {
    const Machine machine(3);
    CHECK(machine.processors() == 3);
    REQUIRE(machine.groups().size() == 1);
    CHECK(machine.groups()[0].processors == ResourceSet::range(0, 2));
    CHECK(machine.groups()[0].size == 3);
    CHECK(machine.licenses().empty());
    CHECK(&machine.group_of(2) == &machine.groups()[0]);
    CHECK(Machine(0).groups().empty());
    CHECK(Machine().processors() == 0);
}

TEST_CASE("Hosts are grouped by machine, speed and licences, the fastest group first", "[machine]") {
    const std::string totals = "cfd:2, mesh:1";
    const std::vector<Host> hosts{host("slow", "mesh", 1e9, totals), host("fast", "cfd,mesh", 4e9, totals),
                                  host("slow", "mesh", 1e9, totals), host("fast", "cfd,mesh", 4e9, totals),
                                  host("other", "mesh,rare", 1e9, totals)};
    const Machine machine(hosts);
    REQUIRE(machine.groups().size() == 3);
    CHECK(machine.groups()[0].name == "fast");
    CHECK(machine.groups()[0].speed == 4e9);
    CHECK(machine.groups()[0].processors.to_string() == "1 3");
    CHECK(names_of_counters(machine, machine.groups()[0]) == std::vector<std::string>{"cfd", "mesh"});
    CHECK(machine.groups()[1].name == "slow");
    CHECK(machine.groups()[1].processors.to_string() == "0 2");
    CHECK(machine.groups()[2].name == "other");
    CHECK(machine.group_of(4).name == "other");
    CHECK(machine.group_of(0).name == "slow");
    REQUIRE(machine.find_license("rare").has_value());
    CHECK(machine.licenses()[*machine.find_license("rare")].copies == 0);
    CHECK(machine.licenses()[*machine.find_license("cfd")].copies == 2);
    CHECK_FALSE(machine.find_license("none").has_value());
}

TEST_CASE("The property speed counts where the speed of a host is not known otherwise", "[machine]") {
    Host said = host("slow", "", 0);
    said.properties["speed"] = "1e9";
    Host known = host("fast", "", 3e9);
    known.properties["speed"] = "1";
    const Machine machine(std::vector<Host>{said, known});
    REQUIRE(machine.groups().size() == 2);
    CHECK(machine.groups()[0].name == "fast");
    CHECK(machine.groups()[0].speed == 3e9);
    CHECK(machine.groups()[1].speed == 1e9);
    for (const char* text : {"fast", "-1", "0", "1e9 ", "2.0Gf", "1e999", "nan"}) {
        INFO(text);
        said.properties["speed"] = text;
        CHECK_THROWS_WITH(Machine(std::vector<Host>{known, said}).require_groups(),
                          Catch::Matchers::Contains("property speed is '" + std::string(text) + "', expected"));
    }
}

TEST_CASE("Hosts of one machine agree in speed and licences", "[machine]") {
    const std::vector<Host> speeds{host("a", "", 1e9), host("b", "", 2e9), host("a", "", 2e9)};
    CHECK_THROWS_WITH(
        Machine(speeds).require_groups(),
        "platform: hosts 2 and 0 of machine a differ in speed, expected that all hosts of a machine agree");
    const std::vector<Host> licenses{host("a", "x,y", 1e9, "x:1,y:1"), host("a", "y", 1e9, "x:1,y:1")};
    CHECK_THROWS_WITH(Machine(licenses).require_groups(), Catch::Matchers::Contains("of machine a differ in licences"));
    const std::vector<Host> same{host("a", "x,y", 1e9, "x:1,y:1"), host("a", "y, x,x", 1e9, "x:1,y:1")};
    CHECK(Machine(same).groups().size() == 1);
    const std::vector<Host> unnamed{host("", "", 1e9), host("", "", 2e9)};
    CHECK(Machine(unnamed).groups().size() == 2);
}

TEST_CASE("Licences of hosts count only where a zone states copies", "[machine]") {
    const std::vector<Host> hosts{host("a", "cfd"), host("a", "mesh")};
    const Machine machine(hosts);
    CHECK(machine.licenses().empty());
    CHECK(machine.groups().size() == 1);
}

TEST_CASE("Copies of licences that cannot be read, or that contradict each other, are refused", "[machine]") {
    for (const std::string text : {"cfd", "cfd:", "cfd:x", ":3", "cfd:-1", "cfd:1:2x"}) {
        INFO(text);
        const std::vector<Host> hosts{host("a", "cfd", 1e9, text)};
        CHECK_THROWS_AS(Machine(hosts).require_groups(), InputError);
    }
    const std::vector<Host> two_zones{host("a", "cfd", 1e9, "cfd:1"), host("b", "cfd", 1e9, "cfd:2")};
    CHECK_THROWS_WITH(Machine(two_zones).require_groups(),
                      "platform: zone property licenses gives both 1 and 2 copies of cfd");
}

TEST_CASE("Properties that cannot be read leave a machine of one group, for those who do not use them", "[machine]") {
    Host odd = host("a", "cfd", 1e9, "cfd");
    odd.properties["sleep_pstates"] = "1:2";
    const Machine machine(std::vector<Host>{odd, host("a", "", 2e9)});
    REQUIRE(machine.groups().size() == 1);
    CHECK(machine.groups()[0].processors.to_string() == "0-1");
    CHECK(machine.licenses().empty());
    CHECK(machine.can_sleep().empty());
    CHECK_THROWS_WITH(machine.require_groups(), Catch::Matchers::Contains("licenses has 'cfd', expected name:copies"));
    CHECK_THROWS_WITH(machine.require_sleep_states(), Catch::Matchers::Contains("sleep_pstates is '1:2'"));
    CHECK_NOTHROW(Machine(4).require_groups());
    CHECK_NOTHROW(Machine(std::vector<Host>{host("a", "", 1e9)}).require_sleep_states());
}

TEST_CASE("A request that the empty machine cannot fulfil is refused, with the reason", "[machine]") {
    const std::vector<Host> hosts{host("big", "", 1e9, "cfd:1,gone:0"), host("big", "", 1e9, "cfd:1,gone:0"),
                                  host("small", "cfd,gone", 1e9, "cfd:1,gone:0")};
    const Machine machine(hosts);
    const LicenseIndex cfd = *machine.find_license("cfd");
    const LicenseIndex gone = *machine.find_license("gone");
    CHECK_FALSE(machine.reason_to_refuse({3, Placement::lowest, {}}).has_value());
    CHECK(machine.reason_to_refuse({0, Placement::lowest, {}}) == "asks for 0 processors");
    CHECK(machine.reason_to_refuse({4, Placement::lowest, {}}) == "asks for 4 processors, the machine has 3");
    CHECK_FALSE(machine.reason_to_refuse({2, Placement::machine, {}}).has_value());
    CHECK(machine.reason_to_refuse({3, Placement::machine, {}}) ==
          "asks for 3 processors of one machine, no machine has them");
    CHECK_FALSE(machine.reason_to_refuse({1, Placement::machine, Request::Details{{cfd}}}).has_value());
    CHECK(machine.reason_to_refuse({2, Placement::machine, Request::Details{{cfd}}}) ==
          "asks for 2 processors of one machine with its licences, no machine has them");
    CHECK(machine.reason_to_refuse({1, Placement::lowest, Request::Details{{gone}}}) ==
          "asks for licence gone, of which there are no copies");
}

namespace {

// In the order of submission, starts each job that fits on one machine with its licences.
class FirstFitOnFarm : public Algorithm {
 public:
    void decide(Round& round) override {
        const auto jobs = round.state().waiting.jobs();
        const std::vector<JobIndex> waiting(jobs.begin(), jobs.end());
        for (const JobIndex job : waiting) {
            round.start_if_possible(job);
        }
    }
};

AlgorithmDescription first_fit_on_farm() {
    return with_common_parameters({"first-fit-on-farm",
                                   "",
                                   "",
                                   {},
                                   [](const Parameters&) { return std::make_unique<FirstFitOnFarm>(); },
                                   {Placement::machine}});
}

}  // namespace

TEST_CASE("Jobs of one machine with licences run where a patient search puts them, on random farms",
          "[machine][property]") {
    const AlgorithmDescription description = first_fit_on_farm();
    for (unsigned seed = 0; seed < 200; ++seed) {
        INFO("farm " << seed);
        Random random(seed);
        const std::vector<std::string> licenses{"l0", "l1", "l2"};
        const auto some_licenses = [&](int one_in) {
            std::vector<std::string> some = licenses;
            std::erase_if(some, [&](const std::string&) { return !random.one_in(one_in); });
            return some;
        };
        std::string totals;
        for (const std::string& license : licenses) {
            totals += (totals.empty() ? "" : ",") + license + ":" + std::to_string(random.between(1, 3));
        }
        std::vector<Host> hosts;
        for (int machine = 0; machine < random.between(1, 5); ++machine) {
            const int speed = random.between(1, 3);
            std::string installed;
            for (const std::string& license : some_licenses(2)) {
                installed += (installed.empty() ? "" : ",") + license;
            }
            for (int i = random.between(1, 4); i > 0; --i) {
                hosts.push_back(host("m" + std::to_string(machine), installed, speed, totals));
            }
        }
        PlainMachine plain(hosts);
        Engine engine(description, {});
        engine.begin(Time(), Machine(hosts));
        std::map<JobIndex, JobDescription> waiting;
        std::set<JobIndex> running;
        JobIndex submitted = 0;
        for (int second = 1; second < 60; ++second) {
            Message message{Time::seconds(second), {}, {}, {}};
            std::copy_if(running.begin(), running.end(), std::back_inserter(message.ended),
                         [&](JobIndex) { return random.one_in(3); });
            for (int i = random.below(3); i > 0; --i) {
                JobDescription job;
                job.id = std::to_string(submitted);
                job.submit = message.now;
                job.processors = random.between(1, 4);
                job.walltime = Duration::seconds(1000);
                job.licenses = some_licenses(3);
                message.submitted.emplace_back(submitted++, job);
            }
            for (const JobIndex job : message.ended) {
                running.erase(job);
            }
            waiting.insert(message.submitted.begin(), message.submitted.end());
            plain.take_in(message);
            send(engine, message);
            for (const auto& [index, job] : std::map(waiting)) {
                const std::vector<Place> places = plain.places(job, Placement::machine, plain.now());
                if (!plain.has_room_for(job, Placement::machine)) {
                    REQUIRE(engine.state().job(index).state == JobState::rejected);
                    waiting.erase(index);
                } else if (!places.empty()) {
                    plain.start(index, job, places.front(), Time::infinity());
                    REQUIRE(engine.state().job(index).state == JobState::running);
                    REQUIRE(engine.state().job(index).allocation == set_of(places.front()));
                    running.insert(index);
                    waiting.erase(index);
                }
            }
            REQUIRE(engine.state().waiting.size() == waiting.size());
            for (const auto& [license, copies] : plain.now().copies) {
                REQUIRE(engine.state().copies_left[*engine.state().machine.find_license(license)] == copies);
            }
        }
        REQUIRE(submitted > 20);
    }
}

namespace {

// Starts the first waiting job on the processors that a test names.
class FarmRogue : public FirstFitOnFarm {
 public:
    explicit FarmRogue(std::string processors) : processors_(std::move(processors)) {}
    void decide(Round& round) override {
        const auto jobs = round.state().waiting.jobs();
        for (const JobIndex job : std::vector<JobIndex>(jobs.begin(), jobs.end())) {
            if (processors_.empty()) {
                round.start(job);
            } else {
                round.start(job, ResourceSet::parse(processors_).value());
            }
        }
    }

 private:
    std::string processors_;
};

// Machine m0 has processors 0 and 1 and licence l0; m1 has 2 and 3. Two jobs need one processor and the only copy of
// l0.
std::string error_on_farm(const std::string& processors, int size, bool second_job) {
    const AlgorithmDescription description =
        with_common_parameters({"rogue",
                                "",
                                "",
                                {},
                                [=](const Parameters&) { return std::make_unique<FarmRogue>(processors); },
                                {Placement::machine}});
    const std::vector<Host> hosts{host("m0", "l0", 1, "l0:1"), host("m0", "l0", 1, "l0:1"), host("m1", "", 1, "l0:1"),
                                  host("m1", "", 1, "l0:1")};
    Engine engine(description, {});
    engine.begin(Time(), Machine(hosts));
    JobIndex submitted = 0;
    for (const char* id : {"a", "b"}) {
        JobDescription job;
        job.id = id;
        job.processors = size;
        job.walltime = Duration::seconds(10);
        job.licenses = {"l0"};
        engine.take_in({Time(), JobSubmitted{JobNumber{submitted++}, job}});
        if (!second_job) {
            break;
        }
    }
    try {
        engine.decide();
    } catch (const DecisionError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("A job of one machine cannot start across machines, nor without its licences", "[machine][rogue]") {
    const std::string start = "algorithm rogue at 0.000000: job ";
    CHECK(error_on_farm("0-1", 2, false) == "no error");
    CHECK(error_on_farm("1-2", 2, false) ==
          start + "a: it cannot start, processors 1-2 are not of one machine that has what it needs");
    CHECK(error_on_farm("2-3", 2, false) ==
          start + "a: it cannot start, processors 2-3 are not of one machine that has what it needs");
    CHECK(error_on_farm("", 1, true) == start + "b: it cannot start, all copies of one of its licences are in use");
}

}  // namespace batfill::tests::machine_test
