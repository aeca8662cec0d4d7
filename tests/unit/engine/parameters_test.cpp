#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>

#include "src/engine/named_scheduler.hpp"

namespace batfill::tests::parameters_test {

namespace {

const std::vector<Parameter> declared{Parameter::choice("order", {"first", "last"}, "first", "which goes first"),
                                      Parameter::seconds("threshold", "", "waits longer than this"),
                                      Parameter::numbers("weights", 3, "", "how much each counts"),
                                      Parameter::whole_number("seed", "7", "of what is drawn"),
                                      Parameter::boolean("strict", "whether rules hold"),
                                      Parameter::number("factor", "1.5", "by which", -2),
                                      Parameter::number("limit", "3", "up to which", 0, true)};

}  // namespace

TEST_CASE("Numbers are within their bounds, and infinite only where that is said", "[parameters]") {
    const auto error_of = [](const std::string& name, const std::string& value) {
        try {
            const Parameters parameters("a", declared, {{name, value}});
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK(error_of("factor", "-2.5") == "parameter factor: '-2.5' is not a number (-2 or more)");
    CHECK(error_of("factor", "inf") == "parameter factor: 'inf' is not a number (-2 or more)");
    CHECK(error_of("limit", "-1") == "parameter limit: '-1' is not a number (0 or more, or inf)");
    for (const std::string value : {"nan", "-inf", "INF", "1,2", "1x", " 1", ""}) {
        INFO(value);
        CHECK(error_of("limit", value) == "parameter limit: '" + value + "' is not a number (0 or more, or inf)");
    }
}

TEST_CASE("Parameters have the given values, the last of several, or their defaults", "[parameters]") {
    const Parameters defaults("a", declared, {});
    CHECK(defaults.choice("order") == "first");
    CHECK(defaults.whole_number("seed") == 7);
    CHECK_FALSE(defaults.seconds("threshold").has_value());
    const Parameters given("a", declared, {{"order", "first"}, {"threshold", "2e2"}, {"order", "last"}});
    CHECK(given.choice("order") == "last");
    CHECK(given.seconds("threshold") == Duration::seconds(200));
    CHECK(given.numbers("weights").empty());
    CHECK(defaults.number("factor") == 1.5);
    CHECK(Parameters("a", declared, {{"factor", "-2"}}).number("factor") == -2);
    CHECK(Parameters("a", declared, {{"limit", "inf"}}).number("limit") == std::numeric_limits<double>::infinity());
    const Parameters weighed("a", declared, {{"weights", "1,-0.5,2e-3"}});
    CHECK_FALSE(defaults.boolean("strict"));
    for (const std::string value : {"yes", "true"}) {
        CHECK(Parameters("a", declared, {{"strict", value}}).boolean("strict"));
    }
    for (const std::string value : {"no", "false"}) {
        CHECK_FALSE(Parameters("a", declared, {{"strict", "yes"}, {"strict", value}}).boolean("strict"));
    }
    CHECK(weighed.numbers("weights") == std::vector<double>{1, -0.5, 0.002});
}

TEST_CASE("Parameters refuse unknown names and values, and list the known ones", "[parameters]") {
    const auto with = [](const std::string& name, const std::string& value) {
        return Parameters("a", declared, {{name, value}});
    };
    CHECK_THROWS_AS(with("size", "1"), UsageError);
    CHECK_THROWS_WITH(
        with("size", "1"),
        "algorithm a has no parameter 'size', known: order, threshold, weights, seed, strict, factor, limit");
    CHECK_THROWS_AS(with("order", "middle"), UsageError);
    CHECK_THROWS_WITH(with("order", "middle"), "parameter order: unknown value 'middle', known: first, last");
    for (const std::string value : {"", "-1", "long", "1 y", "nan", "inf", "1e19", "0x10"}) {
        INFO(value);
        CHECK_THROWS_AS(with("threshold", value), UsageError);
    }
    CHECK_NOTHROW(with("threshold", "0"));
    for (const std::string value : {"", "-1", "1.0", "1e3", " 1", "9223372036854775808"}) {
        INFO(value);
        CHECK_THROWS_WITH(with("seed", value), "parameter seed: '" + value + "' is not a whole number (0 or more)");
    }
    CHECK(with("seed", "9223372036854775807").whole_number("seed") == 9223372036854775807U);
    for (const std::string value : {"", "1", "Yes", "on", "no "}) {
        CHECK_THROWS_WITH(with("strict", value), "parameter strict: '" + value + "' is neither yes nor no");
    }
    for (const std::string value :
         {"", "1,2", "1,2,3,4", "1,,3", "1,2,", ",1,2", "1, 2, 3", "1,2,x", "1,2,inf", "1;2;3"}) {
        INFO(value);
        CHECK_THROWS_WITH(with("weights", value),
                          "parameter weights: '" + value + "' is not a list of 3 numbers with commas between them");
    }
}

TEST_CASE("Asking for a parameter that was not declared is a bug", "[parameters]") {
    const Parameters parameters("a", declared, {});
    CHECK_THROWS_AS(parameters.choice("size"), std::logic_error);
    CHECK_THROWS_AS(parameters.seconds("order"), std::logic_error);
    CHECK_THROWS_AS(parameters.boolean("order"), std::logic_error);
}

TEST_CASE("A switch or choice without a value has none, and an algorithm has a placement", "[parameters]") {
    Parameter strict = Parameter::boolean("strict", "whether rules hold");
    strict.default_value = "";
    const Parameters parameters("a", {strict, Parameter::choice("order", {"first", "last"}, "", "which goes first")},
                                {});
    CHECK_THROWS_AS(parameters.boolean("strict"), std::bad_optional_access);
    enum class Order { first, last };
    CHECK_THROWS_AS(parameters.choice<Order>("order"), std::bad_optional_access);
    CHECK(parameters.choice("order").empty());
    AlgorithmDescription nowhere;
    nowhere.placements.clear();
    CHECK_THROWS_AS(with_common_parameters(nowhere), std::logic_error);
}

TEST_CASE("Assignments of parameters have a key and an equals sign", "[parameters]") {
    CHECK(parse_assignment("order=last") == std::pair<std::string, std::string>("order", "last"));
    CHECK(parse_assignment("order=") == std::pair<std::string, std::string>("order", ""));
    CHECK(parse_assignment("weights=a=b") == std::pair<std::string, std::string>("weights", "a=b"));
    CHECK_THROWS_AS(parse_assignment("order"), UsageError);
    CHECK_THROWS_AS(parse_assignment("=last"), UsageError);
    CHECK_THROWS_AS(parse_assignment(""), UsageError);
}

TEST_CASE("Every registered algorithm can be made and describes itself in one line", "[parameters]") {
    for (const AlgorithmDescription* algorithm : registered_algorithms()) {
        INFO(algorithm->name);
        CHECK_FALSE(algorithm->summary.empty());
        CHECK(algorithm->summary.find('\n') == std::string::npos);
        CHECK_FALSE(algorithm->paper.empty());
        CHECK(&find_algorithm(algorithm->name) == algorithm);
        CHECK_NOTHROW(Engine(algorithm->name, {}));
        for (const Parameter& parameter : algorithm->parameters) {
            INFO(parameter.name);
            CHECK_FALSE(parameter.description.empty());
            if (!parameter.default_value.empty()) {
                CHECK_NOTHROW(parameter.parse(parameter.default_value));
            }
        }
    }
}

TEST_CASE("Unknown algorithms are refused with a list of the known ones", "[parameters]") {
    CHECK_THROWS_AS(find_algorithm("best"), UsageError);
    CHECK_THROWS_WITH(find_algorithm("best"), Catch::StartsWith("unknown algorithm 'best', known: ") &&
                                                  Catch::Contains("conservative, ") && Catch::Contains("fcfs"));
    CHECK_THROWS_AS(Engine("fcfs", {{"default-walltime", "0"}}), UsageError);
}

TEST_CASE("Batsim's text for the scheduler may choose the algorithm and its parameters", "[parameters]") {
    const WrittenScheduler choice = parse_scheduler_configuration(
        R"({"algorithm":"easy","params":{"threshold":200000,"share":0.2,"order":"spf","strict":true,"weights":[1,-0.5]}})");
    CHECK(choice.algorithm == "easy");
    CHECK(choice.parameters ==
          Parameters::Given{
              {"threshold", "200000"}, {"share", "0.2"}, {"order", "spf"}, {"strict", "true"}, {"weights", "1,-0.5"}});
    CHECK(Parameters("a", declared, {choice.parameters[3]}).boolean("strict"));
    for (const std::string other : {"", "fcfs", "{", "[1]", "{}", R"({"other":1})"}) {
        INFO(other);
        CHECK(parse_scheduler_configuration(other).algorithm.empty());
        CHECK(parse_scheduler_configuration(other).parameters.empty());
    }
    CHECK_THROWS_AS(parse_scheduler_configuration(R"({"algorithm":1})"), UsageError);
    CHECK_THROWS_AS(parse_scheduler_configuration(R"({"params":[]})"), UsageError);
    CHECK_THROWS_AS(parse_scheduler_configuration(R"({"params":{"a":null}})"), UsageError);
    CHECK_THROWS_AS(parse_scheduler_configuration(R"({"params":{"a":[{}]}})"), UsageError);
    CHECK_THROWS_WITH(parse_scheduler_configuration(R"({"algorithm":"easy","parameters":{"order":"saf"}})"),
                      "scheduler configuration: unknown member 'parameters', known: algorithm, params");
}

TEST_CASE("A parameter that is written twice is refused", "[parameters]") {
    const std::string problem = "parameter threshold is written twice: expected it once";
    CHECK_THROWS_WITH(parse_scheduler("easy,threshold=5,order=saf,threshold=5"), problem);
    CHECK_THROWS_WITH(parse_scheduler_configuration(R"({"params":{"threshold":5,"threshold":6}})"), problem);
    CHECK_THROWS_WITH(read_choice("easy", {"threshold=5", "threshold=6"}), problem);
    CHECK_THROWS_WITH(read_choice("easy,threshold=5", {"threshold=6"}), Catch::Contains("expected it once"));
}

TEST_CASE("Numbers in the text for the scheduler are read exactly, however they are written", "[parameters]") {
    const auto value_of = [](const std::string& number) {
        return parse_scheduler_configuration(R"({"params":{"n":)" + number + "}}").parameters.at(0).second;
    };
    for (const std::string zero : {"0e90", "0.0e300", "0e300", "0.000e-400", "1e-400"}) {
        INFO(zero);
        CHECK(value_of(zero) == "0.0");
    }
    CHECK(value_of("-0.0e300") == "-0.0");
    CHECK(value_of("1e300") == "1e300");
    CHECK(value_of("9007199254740993") == "9007199254740993");
    CHECK(value_of("0.1000000000000000055511151231257827") == "0.1");
}

TEST_CASE("A value other than the default is refused without the parameters that it goes with", "[parameters]") {
    const std::vector<Parameter> related{
        Parameter::choice("mode", {"plain", "wide", "deep"}, "plain", ""), Parameter::seconds("limit", "", ""),
        Parameter::whole_number("tries", "1", "").used_with({"mode=wide", "mode=deep"}).used_with({"limit"})};
    const auto make = [&](const Parameters::Given& given) { return Parameters("a", related, given); };
    CHECK_THROWS_WITH(make({{"tries", "2"}, {"limit", "5"}}),
                      "parameter tries=2 is used only with mode=wide or mode=deep");
    CHECK_THROWS_WITH(make({{"tries", "2"}, {"mode", "deep"}}), "parameter tries=2 is used only with limit");
    CHECK(make({{"tries", "2"}, {"mode", "deep"}, {"limit", "5"}}).whole_number("tries") == 2U);
    CHECK(make({{"tries", "1"}}).whole_number("tries") == 1U);
}

TEST_CASE("A choice is checked when it is made, and knows what was chosen", "[parameters]") {
    const SchedulerChoice choice("easy", {{"on-failure", "kill"}, {"on-failure", "requeue"}, {"walltime-margin", "5"}});
    CHECK(choice.common().on_failure == OnFailure::requeue);
    CHECK(choice.common().walltime_margin == Duration::seconds(5));
    CHECK_FALSE(choice.common().default_walltime);
    CHECK_FALSE(choice.gives_guarantees());
    CHECK_FALSE(choice.needs_run_times());
    CHECK(SchedulerChoice("easy", {{"prediction", "clairvoyant"}}).needs_run_times());
    CHECK(SchedulerChoice("relaxed", {{"estimates", "actual"}}).needs_run_times());
    CHECK(SchedulerChoice("conservative").gives_guarantees());
    CHECK_FALSE(SchedulerChoice("conservative", {{"placement", "contiguous"}}).gives_guarantees());
    CHECK(SchedulerChoice("submitter").submits_jobs());
    CHECK_FALSE(choice.submits_jobs());
    CHECK_THROWS_AS(SchedulerChoice(""), UsageError);
    CHECK_THROWS_AS(SchedulerChoice("easy", {{"order", "mixed"}}), UsageError);
    CHECK_THROWS_WITH(SchedulerChoice("relaxed", {{"r", "0"}}), "parameter r must be more than 0");
    CHECK_THROWS_WITH(SchedulerChoice("fcfs", {{"default-walltime", "0"}}),
                      "parameter default-walltime must be more than 0 seconds");
}

TEST_CASE("The command line wins over Batsim's text for the scheduler", "[parameters]") {
    const WrittenScheduler configuration{"conservative", {{"compression", "none"}}};
    const SchedulerChoice both = combine({"conservative", {{"compression", "submission"}}}, configuration, "");
    CHECK(both.parameters().choice("compression") == "submission");
    CHECK(combine({"", {}}, configuration, "").algorithm() == "conservative");
    CHECK(combine({"", {}}, configuration, "").parameters().given() == configuration.parameters);
    // Parameters for another algorithm are ignored.
    CHECK(combine({"fcfs", {}}, configuration, "").parameters().given().empty());
    CHECK(combine({"conservative", {}}, {"", {{"compression", "none"}}}, "").parameters().given() ==
          configuration.parameters);
    CHECK_THROWS_WITH(combine({"", {}}, {"", {}}, "-a NAME"),
                      Catch::StartsWith("no algorithm named (-a NAME), known: "));
}

}  // namespace batfill::tests::parameters_test
