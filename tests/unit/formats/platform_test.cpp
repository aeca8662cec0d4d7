#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "tests/support/test_data.hpp"

namespace batfill::tests::platform_test {

namespace {

using batfill::Host;
using batfill::parse_platform;
using batfill::Platform;

using Properties = std::map<std::string, std::string>;

// A platform of version 4.1 with `content` in a single zone. Its lines start at line 3.
std::string in_zone(const std::string& content) {
    return "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n" + content + "\n</zone>\n</platform>\n";
}

const std::string master = "<host id=\"master_host\" speed=\"1Gf\"/>";
const std::string worker = "<host id=\"worker\" speed=\"1Gf\"/>";

std::vector<std::string> names(const Platform& platform) {
    std::vector<std::string> result;
    for (const Host& host : platform.hosts) {
        result.push_back(host.name);
    }
    return result;
}

double speed_of(const std::string& speed) {
    return parse_platform(in_zone(master + "<host id=\"a\" speed=\"" + speed + "\"/>"), "p.xml").hosts.at(0).speed;
}

// The error for the platform; empty if it is accepted.
std::string refusal(const std::string& text) {
    try {
        parse_platform(text, "p.xml");
        return "";
    } catch (const batfill::InputError& problem) {
        return problem.what();
    }
}

}  // namespace

TEST_CASE("Hosts are numbered in the lexicographic order of their names, without the master") {
    const Platform platform = parse_platform(in_zone("<host id=\"n2\" speed=\"1Gf\"/><host id=\"n10\" speed=\"2Gf\"/>" +
                                                     master + "<host id=\"N3\" speed=\"3Gf\"/>"),
                                             "p.xml");
    CHECK(names(platform) == std::vector<std::string>{"N3", "n10", "n2"});
    CHECK(platform.hosts[0].speed == 3e9);
    CHECK(platform.hosts[1].speed == 2e9);
}

TEST_CASE("The master is the host of the given name or with the role of master") {
    const std::string boss = "<host id=\"boss\" speed=\"1Gf\"/>";
    CHECK(names(parse_platform(in_zone(boss + worker), "p.xml", "boss")) == std::vector<std::string>{"worker"});
    const std::string with_role = "<host id=\"boss\" speed=\"0f\"><prop id=\"role\" value=\"master\"/></host>";
    CHECK(names(parse_platform(in_zone(with_role + worker), "p.xml")) == std::vector<std::string>{"worker"});
    CHECK_THAT(refusal(in_zone(worker)), Catch::Contains("p.xml:1: <platform version=\"4.1\">: no master host"));
    CHECK_THAT(refusal(in_zone(master + "\n" + with_role + worker)), Catch::Contains("second master"));
    CHECK_THAT(
        refusal(in_zone("<host id=\"master_host\" speed=\"1Gf\"><prop id=\"role\" value=\"master\"/></host>" + worker)),
        Catch::Contains("has property role as well"));
}

TEST_CASE("Storage hosts are left out and unknown roles refused") {
    const auto with_role = [](const std::string& role) {
        return in_zone(master + worker + "<host id=\"x\" speed=\"1Gf\"><prop id=\"role\" value=\"" + role +
                       "\"/></host>");
    };
    CHECK(names(parse_platform(with_role("storage"), "p.xml")) == std::vector<std::string>{"worker"});
    CHECK(names(parse_platform(with_role("compute_node"), "p.xml")) == std::vector<std::string>{"worker", "x"});
    CHECK_THAT(refusal(with_role("login")), Catch::Contains("p.xml:3: <host id=\"x\">: role 'login'"));
}

TEST_CASE("Speeds are read with SimGrid's units") {
    CHECK(speed_of("98.095Mf") == Approx(98.095e6).epsilon(1e-15));
    CHECK(speed_of("1Gf") == 1e9);
    CHECK(speed_of("1.5kf") == 1500);
    CHECK(speed_of("7f") == 7);
    CHECK(speed_of("7") == 7);
    CHECK(speed_of("2e3") == 2000);
    CHECK(speed_of("1Tf") == 1e12);
    CHECK(speed_of("1Pf") == 1e15);
    CHECK(speed_of("1Ef") == 1e18);
    CHECK(speed_of("1Zf") == 1e21);
    CHECK(speed_of("1Yf") == 1e24);
    CHECK(speed_of("3megaflops") == 3e6);
    CHECK(speed_of("3flops") == 3);
    CHECK(speed_of(" 100Mf , 50Mf") == 1e8);
    for (const std::string bad : {"", "f", "fast", "1Kif", "1gf", "1 Gf", "-1Gf", "nan", "inf", "1e400", "1e308Gf",
                                  "0x10f", "1Gf,", "1Gf;2Gf", "0Gf"}) {
        CAPTURE(bad);
        CHECK_THAT(refusal(in_zone(master + "<host id=\"a\" speed=\"" + bad + "\"/>")), Catch::Contains("speed"));
    }
}

TEST_CASE("A host starts with the speed of its pstate") {
    const auto with_pstate = [](const std::string& pstate) {
        return in_zone(master + "<host id=\"a\" speed=\"4f,2f,1f\" pstate=\"" + pstate + "\"/>");
    };
    CHECK(parse_platform(with_pstate("0.0"), "p.xml").hosts[0].speed == 4);
    CHECK(parse_platform(with_pstate("2"), "p.xml").hosts[0].speed == 1);
    for (const std::string bad : {"3", "-1", "one", ""}) {
        CAPTURE(bad);
        CHECK_THAT(refusal(with_pstate(bad)), Catch::Contains("pstate '" + bad + "'"));
    }
}

TEST_CASE("A cluster makes a host of each number of its radical") {
    const auto cluster = [](const std::string& radical) {
        return in_zone(
            "<host id=\"master_host\" speed=\"1Gf\"/><cluster id=\"c\" prefix=\"n\" suffix=\".x\" radical=\"" +
            radical + "\" speed=\"2Gf,1Gf\" bw=\"1GBps\" lat=\"0s\"><prop id=\"machine\" value=\"m\"/></cluster>");
    };
    const Platform platform = parse_platform(cluster("0-2, 10,07-8"), "p.xml");
    CHECK(names(platform) == std::vector<std::string>{"n0.x", "n1.x", "n10.x", "n2.x", "n7.x", "n8.x"});
    for (const Host& host : platform.hosts) {
        CHECK(host.speed == 2e9);
        CHECK(host.properties == Properties{{"machine", "m"}});
    }
    for (const std::string bad : {"", "a", "1-", "-1", "1-2-3", "3-1", "1,,2", "1.5", "99999999999", "0-2147483647"}) {
        CAPTURE(bad);
        CHECK_THAT(refusal(cluster(bad)),
                   Catch::Contains("p.xml:3: <cluster id=\"c\">: '") && Catch::Contains("in its radical"));
    }
    CHECK_THAT(refusal(cluster("0-3,2")), Catch::Contains("two hosts named 'n2.x'"));
}

TEST_CASE("Cabinets and peers are hosts, too") {
    const std::string cabinet =
        "<cabinet id=\"c\" prefix=\"c\" suffix=\"\" radical=\"1-2\" speed=\"5f\" bw=\"1\" lat=\"0\"/>";
    const std::string text =
        "<platform version=\"4\"><AS id=\"z\" routing=\"Cluster\">" + master + cabinet + "</AS></platform>";
    CHECK(names(parse_platform(text, "p.xml")) == std::vector<std::string>{"c1", "c2"});
    CHECK_THAT(refusal(in_zone(master + cabinet)), Catch::Contains("routing=\"Cluster\""));
    const Platform peers =
        parse_platform(in_zone(master + "<peer id=\"p\" speed=\"3f\" bw_in=\"1\" bw_out=\"1\"/>"), "p.xml");
    REQUIRE(names(peers) == std::vector<std::string>{"p"});
    CHECK(peers.hosts[0].speed == 3);
}

TEST_CASE("Hosts have the properties of their zones, and the innermost zone wins") {
    const std::string inner =
        "<zone id=\"inner\" routing=\"Full\"><prop id=\"site\" value=\"south\"/>" + master +
        "<host id=\"a\" speed=\"1f\"><prop id=\"licenses\" value=\"solver\"/><prop id=\"licenses\" value=\"only the first counts\"/></host></zone>";
    const std::string cluster =
        "<cluster id=\"c\" prefix=\"b\" suffix=\"\" radical=\"0\" speed=\"1f\" bw=\"1\" lat=\"0\"><prop id=\"site\" value=\"north\"/></cluster>";
    const Platform platform = parse_platform(
        in_zone("<prop id=\"site\" value=\"hall\"/><prop id=\"licenses\" value=\"solver:3\"/>" + inner + cluster),
        "p.xml");
    REQUIRE(names(platform) == std::vector<std::string>{"a", "b0"});
    CHECK(platform.hosts[0].properties == Properties{{"licenses", "solver"}});
    CHECK(platform.hosts[0].zone_properties == Properties{{"licenses", "solver:3"}, {"site", "south"}});
    CHECK(platform.hosts[1].properties == Properties{{"site", "north"}});
    CHECK(platform.hosts[1].zone_properties == Properties{{"licenses", "solver:3"}, {"site", "north"}});
}

TEST_CASE("The network, traces of it and the configuration are skipped") {
    const std::string network =
        "<router id=\"r\"/><link id=\"l\" bandwidth=\"1\"/><host_link id=\"worker\" up=\"l\" down=\"l\"/><backbone id=\"b\"/><route src=\"worker\" dst=\"nowhere\"><link_ctn id=\"l\"/></route><!-- a comment --><zoneRoute/><bypassRoute/><trace id=\"t\" periodicity=\"1\">0 1</trace><trace_connect kind=\"LATENCY\" trace=\"t\" element=\"l\"/>";
    const std::string text =
        "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"x.dtd\"><platform version=\"4.1\"><config id=\"g\"><prop id=\"a\" value=\"b\"/></config><zone id=\"z\" routing=\"Full\">" +
        master + worker + network + "</zone></platform>";
    CHECK(names(parse_platform(text, "p.xml")) == std::vector<std::string>{"worker"});
}

TEST_CASE("What SimGrid does not take, or what changes hosts in time, is refused with its line") {
    const auto refused_in_zone = [](const std::string& element) {
        return refusal(in_zone(master + worker + "\n" + element));
    };
    CHECK_THAT(refused_in_zone("<include file=\"x\"/>"),
               Catch::Equals("p.xml:4: <include>: SimGrid no longer takes this element"));
    CHECK_THAT(refused_in_zone("<storage id=\"s\"/>"), Catch::Contains("p.xml:4: <storage id=\"s\">"));
    CHECK_THAT(refused_in_zone("<gpu/>"), Catch::Contains("unexpected element in a zone"));
    CHECK_THAT(refused_in_zone("<trace_connect trace=\"t\" element=\"worker\"/>"), Catch::Contains("not supported"));
    CHECK_THAT(refused_in_zone("<trace_connect kind=\"SPEED\" trace=\"t\" element=\"worker\"/>"),
               Catch::Contains("not supported"));
    CHECK_THAT(refused_in_zone("<host id=\"b\" speed=\"1f\" state_file=\"x\"/>"),
               Catch::Contains("'state_file' is not supported"));
    CHECK_THAT(refused_in_zone("<host id=\"b\" speed=\"1f\"><mount/></host>"), Catch::Contains("p.xml:4: <mount>"));
    CHECK_THAT(refused_in_zone("<host speed=\"1f\"/>"), Catch::Contains("attribute 'id' is missing"));
    CHECK_THAT(refused_in_zone("<host id=\"\" speed=\"1f\"/>"), Catch::Contains("without a name"));
    CHECK_THAT(refused_in_zone("<host id=\"b\"/>"), Catch::Contains("attribute 'speed' is missing"));
    CHECK_THAT(refused_in_zone("<host id=\"b\" speed=\"1f\"><prop id=\"p\"/></host>"),
               Catch::Contains("attribute 'value' is missing"));
    CHECK_THAT(refused_in_zone(worker), Catch::Contains("two hosts named 'worker'"));
    CHECK_THAT(refused_in_zone("<zone id=\"y\"/>"), Catch::Contains("attribute 'routing' is missing"));
    CHECK_THAT(refusal("<platform version=\"4.1\"><host id=\"a\" speed=\"1f\"/></platform>"),
               Catch::Contains("unexpected element in <platform>"));
    CHECK_THAT(refusal(in_zone(master)), Catch::Contains("no hosts to compute on"));
}

TEST_CASE("A pool in two zones is refused with both zones, also if they say the same") {
    const auto zone = [](const std::string& id, const std::string& pools, const std::string& content) {
        return "<zone id=\"" + id + "\" routing=\"Full\"><prop id=\"pools\" value=\"" + pools + "\"/>\n" + content +
               "</zone>\n";
    };
    const auto host = [](const std::string& id) { return "<host id=\"" + id + "\" speed=\"1f\"/>"; };
    CHECK(
        refusal(in_zone(zone("a", "power:5", host("h")) + zone("b", "water:1,power:5", host("i")))) ==
        "p.xml:5: <zone id=\"b\">: pool 'power' is in another zone, too, <zone id=\"a\">, expected a pool in one zone");
    CHECK_THAT(refusal(in_zone(zone("a", "power:5", zone("b", "power:5", host("h"))))),
               Catch::Contains("<zone id=\"b\">: pool 'power' is in another zone, too, <zone id=\"a\">"));
    const std::string cluster =
        R"(" prefix="c" suffix="" radical="0-1" speed="1f" bw="1" lat="0"><prop id="pools" value="power:5"/></cluster>)";
    CHECK_THAT(refusal(in_zone(zone("a", "power:5", host("h")) + "<cluster id=\"k" + cluster)),
               Catch::Contains("<cluster id=\"k\">: pool 'power' is in another zone, too, <zone id=\"a\">"));
    CHECK(refusal(in_zone(master + zone("a", "power:5", host("h")) + zone("b", "water:5", host("i")))).empty());
    CHECK_THAT(refusal(in_zone(zone("a", "power:1.5", host("h")))), Catch::Contains("property pools has 'power:1.5'"));
}

TEST_CASE("The pools of all zones are the machine's, also those of a zone around another and of one without hosts") {
    const Platform platform = parse_platform(in_zone(R"(<prop id="pools" value="power:5"/>)" + master +
                                                     R"(<zone id="a" routing="Full"><prop id="pools" value="water:3"/>
                                                        <host id="h" speed="1f"/></zone>
                                                        <zone id="b" routing="Full"><prop id="pools" value="gas:2"/></zone>
                                                        <host id="i" speed="1f"/>)"),
                                             "p.xml");
    for (const Host& host : platform.hosts) {
        CHECK(host.zone_properties.at("pools") == "gas:2,power:5,water:3");
    }
}

TEST_CASE("Files that are no platforms are refused with the place") {
    CHECK_THAT(refusal(""), Catch::Contains("p.xml:1: not well-formed XML"));
    CHECK_THAT(refusal("<platform version=\"4.1\">\n<zone id=\"z\">\n</platform>"),
               Catch::Contains("p.xml:3: not well-formed XML"));
    CHECK_THAT(refusal("<jobs/>"), Catch::Equals("p.xml:1: <jobs>: expected the root element <platform>"));
    CHECK_THAT(refusal("<platform/>"), Catch::Contains("attribute 'version' is missing"));
    for (const std::string bad : {"3", "3.9", "4.2", "5", "four", "4.1x", "nan", ""}) {
        CAPTURE(bad);
        CHECK_THAT(refusal("<platform version=\"" + bad + "\"/>"), Catch::Contains("expected version 4 or 4.1"));
    }
    CHECK_THROWS_WITH(batfill::read_platform("/nonexistent/p.xml"),
                      Catch::Contains("/nonexistent/p.xml: cannot be opened"));
    CHECK_THROWS_WITH(batfill::read_platform(std::filesystem::temp_directory_path().string()),
                      Catch::Contains("cannot be read"));
}

TEST_CASE("A few bytes that stand for a huge machine are refused before they fill the memory") {
    const std::string cluster = "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-2000000000\" speed=\"1Gf\"/>";
    CHECK_THAT(refusal(in_zone(master + cluster)), Catch::Contains("too many hosts and properties"));
    std::string properties;
    for (int i = 0; i < 5000; ++i) {
        properties += "<prop id=\"key" + std::to_string(i) + "\" value=\"v\"/>";
    }
    const std::string small_cluster = "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-99999\" speed=\"1Gf\"/>";
    CHECK_THAT(refusal(in_zone(properties + master + small_cluster)), Catch::Contains("too many hosts and properties"));
    std::string zones;
    for (int i = 0; i < 100000; ++i) {
        zones += "<zone id=\"z\" routing=\"Full\">";
    }
    CHECK_THAT(refusal("<platform version=\"4.1\">" + zones), Catch::Contains("not well-formed"));
    for (int i = 0; i < 100000; ++i) {
        zones += "</zone>";
    }
    CHECK_THAT(refusal("<platform version=\"4.1\">" + zones + "</platform>"),
               Catch::Contains("nested more than 200 deep"));
}

TEST_CASE("The platforms that come with batfill are the machines of their logs") {
    const auto hosts = [](const std::string& name) {
        return batfill::read_platform(std::string(BATFILL_SOURCE_DIR) + "/platforms/" + name + ".xml").hosts.size();
    };
    CHECK(hosts("sdsc-sp2") == 128);
    CHECK(hosts("ctc-sp2") == 338);
    CHECK(hosts("kth-sp2") == 100);
    CHECK(hosts("blue-horizon") == 1152);
    CHECK(hosts("datastar") == 1368);
    CHECK(hosts("hpc2n") == 240);
    CHECK(hosts("intrepid") == 640);
}

TEST_CASE("The platforms of the recorded Batsim runs are read", "[outside]") {
    const std::string folder = "batsim/inputs/platforms";
    if (!batfill::tests::have_test_data(folder)) {
        return;
    }
    const auto read = [&](const std::string& name) {
        return batfill::read_platform(batfill::tests::test_data(folder + "/" + name));
    };
    const Platform cluster = read("cluster512.xml");
    CHECK(cluster.hosts.size() == 512);
    CHECK(cluster.hosts[2].name == "a10");
    CHECK(read("p240.xml").hosts.size() == 240);
    CHECK(names(read("small_platform.xml")) == std::vector<std::string>{"Bourassa", "Fafard", "Ginette", "Jupiter"});
    CHECK(read("small_platform.xml").hosts[1].speed == Approx(76.296e6).epsilon(1e-15));
    const Platform energy = read("energy_platform_homogeneous_no_net_128.xml");
    CHECK(energy.hosts.size() == 128);
    CHECK(energy.hosts[127].speed == 1e8);
    CHECK(energy.hosts[127].properties.at("wattage_off") == "10");
}

TEST_CASE("Wrong properties of resources are refused at their element") {
    const auto check = [](const std::string& content, const std::string& problem) {
        INFO(content);
        CHECK_THAT(refusal(in_zone(master + "\n" + content)), Catch::Contains("p.xml:" + problem));
    };
    const auto prop = [](const std::string& id, const std::string& value) {
        return "<prop id=\"" + id + "\" value=\"" + value + "\"/>";
    };
    const std::string host = "<host id=\"a\" speed=\"1f\">";
    const std::string cluster = R"(<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1f" bw="1" lat="1" )";
    const std::string cabinet = R"(<cabinet id="c" prefix="n" suffix="" radical="0-1" speed="1f" bw="1" lat="1">)";
    check(prop("pools", "bb:-1"), "2: <zone id=\"z\">: property pools has 'bb:-1', expected NAME:AMOUNT");
    check(host + prop("capacity", "cores:1.5") + "</host>", "4: <host id=\"a\">: property capacity has 'cores:1.5'");
    check(cluster + ">" + prop("capacity", "cores:1,cores:2") + "</cluster>",
          "4: <cluster id=\"c\">: property capacity names cores twice");
    check(host + prop("pools", "bb:1") + "</host>", "4: <host id=\"a\">: property pools has no effect here");
    check(cluster + "topology=\"TORUS\">" + prop("pools", "bb:1") + "</cluster>",
          "4: <cluster id=\"c\">: property pools has no effect here, expected it in a zone");
    check(prop("capacity", "cores:1"),
          "2: <zone id=\"z\">: property capacity has no effect here, expected it in a host or a cluster");
    check(prop("partitions", "gpu"), "2: <zone id=\"z\">: property partitions has no effect here");
    check("<peer id=\"p\" speed=\"1f\" bw_in=\"1\" bw_out=\"1\">" + prop("capacity", "cores:1") + "</peer>",
          "4: <peer id=\"p\">: property capacity has no effect here");
    check("<zone id=\"y\" routing=\"Cluster\">" + cabinet + prop("partitions", "gpu") + "</cabinet></zone>",
          "4: <cabinet id=\"c\">: property partitions has no effect here");
    for (const char* const name : {"capacity", "partitions"}) {
        check(host + prop(name, "a:1") + prop(name, "a:2") + "</host>",
              "4: <host id=\"a\">: property " + std::string(name) + " comes twice, expected one");
    }
    check(prop("pools", "a:1") + prop("pools", "b:2"), "2: <zone id=\"z\">: property pools comes twice");
}

TEST_CASE("Properties of other programs with the names of ours are ignored, with one note for each name") {
    const auto prop = [](const std::string& id, const std::string& value) {
        return "<prop id=\"" + id + "\" value=\"" + value + "\"/>";
    };
    // Hosts that are left out may have anything.
    const std::string disk = R"(<host id="disk" speed="1f"><prop id="role" value="storage"/>)" +
                             prop("capacity", "cores:4,cores:5") + prop("pools", "a:1") + prop("capacity", "500GB") +
                             "</host>";
    const std::string disks =
        R"(<cluster id="d" prefix="d" suffix="" radical="0-1" speed="1f" bw="1" lat="0"><prop id="role" value="storage"/>)" +
        prop("pools", "power:1") + prop("capacity", "cores:1.5") + "</cluster>";
    const std::string known_master =
        R"(<host id="master_host" speed="1f">)" + prop("capacity", "cores:x:1") + "</host>";
    const Platform left_out =
        parse_platform(in_zone(known_master + disk + disks + R"(<host id="a" speed="1f"/>)"), "p.xml");
    CHECK(left_out.hosts.size() == 1);
    CHECK(left_out.notes.empty());
    CHECK(left_out.machine().resources().empty());
    const Platform ignored =
        parse_platform(in_zone(prop("capacity", "2TB") + prop("pools", "two") + master + R"(<host id="a" speed="1f">)" +
                               prop("pools", "3") + prop("capacity", "64") + "</host>" + R"(<host id="b" speed="1f">)" +
                               prop("capacity", "cores:2") + prop("partitions", "sda1=100GB") + "</host>"),
                       "p.xml");
    CHECK(ignored.notes ==
          std::vector<std::string>{
              "platform: property capacity of host a is '64', expected NAME:AMOUNT,...; such values are ignored",
              "platform: property partitions of host b is 'sda1=100GB', expected NAME,...; such values are ignored",
              "platform: property pools of host a is '3', expected NAME:AMOUNT,...; such values are ignored"});
    const Machine machine = ignored.machine();
    CHECK_NOTHROW(machine.require_resources());
    CHECK(machine.resources().capacities() == std::vector<std::string>{"cores"});
    CHECK(machine.resources().partitions().empty());
    CHECK(machine.resources().pools().empty());
}

}  // namespace batfill::tests::platform_test
