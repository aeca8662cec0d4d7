#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

namespace batfill::tests::limits_test {

namespace {

std::string refusal_of(const std::string& text) {
    try {
        parse_limits(text, "limits");
    } catch (const InputError& problem) {
        return problem.what();
    }
    return "";
}

using Values = std::vector<std::optional<std::string>>;

}  // namespace

TEST_CASE("A file of limits has a JSON object on each line") {
    const std::vector<Limit> limits =
        parse_limits(R"({"of": "user", "most": {"processors": 256, "jobs": 20}})"
                     "\n\n"
                     R"({"of": ["qos", "user"], "value": ["normal", null], "most": {"gpus": 8}})"
                     "\n"
                     R"({"of": "account", "value": 7, "most": {"power": 0}})"
                     "\n"
                     R"({"of": ["queue"], "value": ["q"], "most": {"jobs": 1}})"
                     "\n"
                     R"({"of": ["queue"], "value": null, "most": {"jobs": 1}})",
                     "limits");
    REQUIRE(limits.size() == 5);
    CHECK(limits[0] == Limit{{"user"}, Values{{}}, {{"processors", 256}, {"jobs", 20}}, 1, "limits:1"});
    CHECK(limits[1] == Limit{{"qos", "user"}, Values{"normal", {}}, {{"gpus", 8}}, 3, "limits:3"});
    CHECK(limits[2] == Limit{{"account"}, Values{"7"}, {{"power", 0}}, 4, "limits:4"});
    CHECK(limits[3].values == Values{"q"});
    CHECK(limits[4].values == Values{{}});
    CHECK(parse_limits("", "limits").empty());
}

TEST_CASE("A wrong limit is refused with its line and what was expected") {
    const auto refused = [](const std::string& line) {
        const std::string problem = refusal_of("{\"of\":\"user\",\"most\":{\"jobs\":1}}\n" + line);
        INFO(problem);
        REQUIRE(problem.starts_with("limits:2: "));
        return problem.substr(10);
    };
    CHECK(refused(R"([1])") == "expected one JSON object per line");
    CHECK(refused(R"({)") == "expected one JSON object per line");
    CHECK(refused(R"({"of":"user"})") == "field \"most\": expected an object, found none");
    CHECK(refused(R"({"of":"user","most":{}})") == "field \"most\": expected at least one amount, found none");
    CHECK(refused(R"({"of":"user","most":{"jobs":-1}})") ==
          "field \"most.jobs\": expected a whole number from 0 on, found the number -1");
    CHECK(refused(R"({"of":"user","most":{"jobs":1.5}})") ==
          "field \"most.jobs\": expected a whole number from 0 on, found the number 1.5");
    CHECK(refused(R"({"of":"user","most":{"jobs":1,"jobs":2}})") == "field \"most.jobs\": expected once");
    const std::string of = R"(field "of": expected a field of jobs, such as "user", or a list of them, found )";
    CHECK(refused(R"({"most":{"jobs":1}})") == of + "none");
    CHECK(refused(R"({"value":"a","most":{"jobs":1}})") == of + "none");
    CHECK(refused(R"({"of":[],"most":{"jobs":1}})") == of + "an array");
    CHECK(refused(R"({"of":["user",1],"most":{"jobs":1}})") == of + "the number 1");
    CHECK(refused(R"({"of":["user","queue"],"value":"a","most":{"jobs":1}})") ==
          "field \"value\": expected 2 values, as many as fields in \"of\", found 1");
    CHECK(refused(R"({"of":"user","value":["a","b"],"most":{"jobs":1}})") ==
          "field \"value\": expected 1 value, found 2");
    CHECK(refused(R"({"of":"user","value":1.5,"most":{"jobs":1}})") ==
          "field \"value\": expected a text, a whole number, or a list of them and of null, found the number 1.5");
    CHECK(refused(R"({"of":"user","value":[true],"most":{"jobs":1}})") ==
          "field \"value\": expected a text, a whole number, or a list of them and of null, found true");
    CHECK(refused(R"({"of":"user","users":1,"most":{"jobs":1}})") ==
          "unknown fields {\"users\":1}, known: of, value, most");
    CHECK(refused(R"({"of":"user","of":"queue","most":{"jobs":1}})") == "field \"of\": expected once");
}

TEST_CASE("A limit of what the machine does not have is refused") {
    Platform platform;
    platform.hosts.resize(2);
    platform.hosts[0].zone_properties["pools"] = "power:8";
    platform.limits = parse_limits(R"({"of":"user","most":{"jobs":1,"processors":1,"power":3}})", "limits");
    CHECK_NOTHROW(platform.machine().require_resources());
    platform.limits = parse_limits(
        "\n"
        R"({"of":"user","most":{"jobs":1,"gpus":1}})",
        "limits");
    CHECK_THROWS_WITH(platform.machine().require_resources(),
                      "limits:2: field \"most\": the machine has no gpus, expected jobs, processors, or the name of a "
                      "pool or a capacity");
}

}  // namespace batfill::tests::limits_test
