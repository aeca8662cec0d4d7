#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/core/machine.hpp>

#include "src/core/properties.hpp"

namespace batfill::tests::resources_test {

namespace {

Host host(std::map<std::string, std::string> properties, std::map<std::string, std::string> zone = {}) {
    return {"h", 1e9, std::move(properties), std::move(zone)};
}

StatedNeeds per_host(StatedNeeds::Amounts amounts) {
    return {.pools = {}, .per_host = std::move(amounts), .partition = {}};
}

// Why the machine refuses the job; empty: it does not.
std::string refusal(const Resources& resources, const StatedNeeds& needs, int hosts = 1) {
    const auto resolved = resources.resolve({hosts}, &needs);
    const auto* const reason = std::get_if<std::string>(&resolved);
    return reason != nullptr ? *reason : "";
}

Request resolved(const Resources& resources, const StatedNeeds& needs, int hosts = 1) {
    return std::get<Request>(resources.resolve({hosts}, &needs));
}

void check_problem(const std::vector<Host>& hosts, const std::string& problem) {
    CHECK_THROWS_WITH(Resources(hosts), problem);
    CHECK_THROWS_WITH(Machine(hosts).require_resources(), problem);
}

}  // namespace

TEST_CASE("Machines without pools, capacities and partitions have no resources") {
    CHECK(Resources().empty());
    CHECK(Resources(std::vector<Host>{host({{"machine", "m"}}, {{"licenses", "l:2"}})}).empty());
    CHECK(Machine(7).resources().empty());
}

TEST_CASE("Pools are read from zones, capacities and partitions from hosts") {
    const Resources resources(std::vector<Host>{
        host({{"partitions", "batch, gpu"}}, {{"pools", "power:1200, bb:4000"}}),
        host({{"capacity", "cores:64,gpus:4"}}, {{"pools", "power:1200, bb:4000"}}),
        host({{"capacity", "memory:256,cores:32"}, {"partitions", "batch"}}, {{"pools", "ssd:1"}}),
        host({}),
        host({{"capacity", ""}}),
    });
    REQUIRE(resources.pools().size() == 3);
    CHECK(resources.pools()[0].name == "bb");
    CHECK(resources.pools()[1].total == 1200);
    CHECK(resources.capacities() == std::vector<std::string>{"cores", "gpus", "memory"});
    CHECK(resources.partitions() == std::vector<std::string>{"batch", "gpu"});
    CHECK(resources.has_named_hosts());
    CHECK_FALSE(resources.kind_of(0).is_shared);
    CHECK(resources.kind_of(0).partitions == std::vector<std::size_t>{0, 1});
    CHECK(resources.kind_of(1).capacity == std::vector<Amount>{64, 4, 0});
    CHECK(resources.kind_of(2).capacity == std::vector<Amount>{32, 0, 256});
    CHECK_FALSE(resources.kind_of(3).is_shared);
    CHECK(resources.kind_of(4).is_shared);
    CHECK(resources.host_names() == std::vector<std::string>(5, "h"));
    // Without hosts that jobs share, nobody asks for names.
    CHECK(Resources(std::vector<Host>{host({{"partitions", "batch"}})}).host_names().empty());
}

TEST_CASE("What a machine could never give is refused with the reason") {
    const Resources pools(std::vector<Host>{host({}, {{"pools", "power:10"}})});
    CHECK(refusal(pools, {{{"power", 11}}, {}, {}}) == "asks for 11 of pool power, the machine has 10");
    CHECK(refusal(pools, {{{"water", 1}}, {}, {}}) == "asks for 1 of pool water, which the machine does not have");
    CHECK(resolved(pools, {{{"power", 10}, {"water", 0}}, {}, {}}).pools() == std::vector<Amount>{10});
    // It has no capacities and no partitions at all: they are ignored.
    CHECK_FALSE(resolved(pools, {{}, StatedNeeds::Amounts{{"gpus", 1}}, "gpu"}).details);

    const Resources hosts(std::vector<Host>{host({{"capacity", "cores:4"}, {"partitions", "a"}}),
                                            host({{"capacity", "cores:8,gpus:1"}, {"partitions", "b"}}), host({})});
    CHECK(refusal(hosts, per_host({{"cores", 5}}), 2) == "asks for 2 hosts with 5 cores, the machine has 1");
    CHECK(refusal(hosts, {{}, StatedNeeds::Amounts{{"cores", 5}}, "a"}) ==
          "asks for 1 host with 5 cores in partition a, the machine has 0");
    CHECK(refusal(hosts, per_host({{"tpus", 1}})) == "asks for 1 tpus on each host, which no host has");
    CHECK(refusal(hosts, per_host({})) == "asks for nothing on its hosts");
    CHECK(refusal(hosts, per_host({{"cores", 0}})) == "asks for nothing on its hosts");
    CHECK(refusal(hosts, {{}, {}, "c"}) == "asks for partition c, which the machine does not have");
    CHECK(refusal(hosts, {{}, {}, ""}) == "asks for partition '', which the machine does not have");
    CHECK(refusal(pools, {{{"b b", 1}}, {}, {}}) == "asks for 1 of pool 'b b', which the machine does not have");
    CHECK(refusal(hosts, {}, 3).empty());  // whole hosts, of any kind
    CHECK(resolved(hosts, per_host({{"gpus", 1}, {"tpus", 0}})).per_host() == std::vector<Amount>{0, 1});
    CHECK_FALSE(resolved(hosts, {{{"power", 99}}, {}, {}}).details);
}

TEST_CASE("Properties in the form of other programs are removed, with one note for each name") {
    std::vector<Host> hosts{
        host({{"capacity", "500GB"}, {"partitions", "sda1:100GB,sda2:5"}, {"pools", "4"}}, {{"pools", "swimming"}}),
        host({{"capacity", "64"}, {"partitions", "batch"}}, {{"pools", "power:5"}, {"licenses", "MIT"}}),
        host({{"capacity", "cores:8"}, {"licenses", "a:3"}}, {{"pools", "4"}, {"capacity", "cores=4"}}),
        host({{"capacity", "cores"}, {"machine", "1:2"}})};
    CHECK(remove_properties_of_others(hosts) ==
          std::vector<std::string>{
              "platform: property capacity of host h is '500GB', expected NAME:AMOUNT,...; such values are ignored",
              "platform: property licenses of host h is 'a:3', expected NAME,...; such values are ignored",
              "platform: property partitions of host h is 'sda1:100GB,sda2:5', expected NAME,...; such values are "
              "ignored",
              "platform: property pools of host h is '4', expected NAME:AMOUNT,...; such values are ignored"});
    using Properties = std::map<std::string, std::string>;
    CHECK(hosts[0].properties.empty());
    CHECK(hosts[0].zone_properties.empty());
    CHECK(hosts[1].properties == Properties{{"partitions", "batch"}});
    CHECK(hosts[1].zone_properties == Properties{{"pools", "power:5"}});
    CHECK(hosts[2].properties == Properties{{"capacity", "cores:8"}});
    CHECK(hosts[2].zone_properties.empty());
    CHECK(hosts[3].properties == Properties{{"machine", "1:2"}});
    // What is meant for us stays, also if it is wrong.
    const std::vector<Host> ours{
        host({{"capacity", ""}, {"partitions", "a:b,c"}}, {{"pools", " "}}),
        host({{"capacity", "cores:4,cores:5"}}, {{"pools", "a:-1,b"}, {"licenses", "a:x,b:2"}}),
        host({{"capacity", "cores:1.5"}, {"licenses", "a,b"}})};
    std::vector<Host> kept = ours;
    CHECK(remove_properties_of_others(kept).empty());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CHECK(kept[i].properties == ours[i].properties);
        CHECK(kept[i].zone_properties == ours[i].zone_properties);
    }
}

TEST_CASE("Properties of another form are refused by name") {
    check_problem(
        {host({{"capacity", "cores"}})},
        "platform: host h: property capacity has 'cores', expected NAME:AMOUNT with a whole number from 0 to 10^18");
    check_problem(
        {host({{"capacity", "cores:-1"}})},
        "platform: host h: property capacity has 'cores:-1', expected NAME:AMOUNT with a whole number from 0 to 10^18");
    check_problem({host({{"capacity", "cores:1,cores:2"}})}, "platform: host h: property capacity names cores twice");
    check_problem(
        {host({}, {{"pools", "power:1.5"}})},
        "platform: zone property pools has 'power:1.5', expected NAME:AMOUNT with a whole number from 0 to 10^18");
    check_problem({host({}, {{"pools", "power:1"}}), host({}, {{"pools", "power:2"}})},
                  "platform: two zones have a pool power, expected one");
    CHECK_THROWS_WITH(Resources(std::vector<Host>{host({{"capacity", "cores:4:5"}})}),
                      Catch::Contains("has 'cores:4:5', expected NAME:AMOUNT"));
    CHECK_THROWS_WITH(Resources(std::vector<Host>{host({{"capacity", "cores:1000000000000000001"}})}),
                      Catch::Contains("from 0 to 10^18"));
    const std::vector<Host> two(2, host({{"capacity", "cores:600000000000000000"}}));
    CHECK_THROWS_WITH(Resources(two), "platform: the hosts have more than 10^18 cores in all");
    check_problem({host({{"capacity", "cores:4"}}, {{"pools", "cores:5"}})},
                  "the machine has a pool cores and hosts have a capacity of this name, expected different names");
}

}  // namespace batfill::tests::resources_test
