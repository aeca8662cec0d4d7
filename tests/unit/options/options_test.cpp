#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include <catch2/catch.hpp>

#include "src/options/file_rules.hpp"
#include "src/options/options.hpp"

namespace batfill::tests::options_test {

using namespace options;
using Catch::Matchers::Contains;

namespace {

// One option of each kind.
struct Everything {
    std::string name = "nobody";
    std::optional<int> unit;
    std::vector<long long> queues;
    double shape = 0.5;
    Duration tau = Duration::seconds(10);
    bool keeps = false;
    bool is_second = false;
    std::map<std::string, std::string> columns;
    Options options;

    explicit Everything(Writing writing = Writing::arguments) : options(writing) {
        options.add("user-name,u", text(name, "NAME").otherwise_as_declared(), "a text");
        options.add("unit", number(unit, "N", 1, 64), "a whole number");
        options.add("queue", number(queues, "N"), "whole numbers");
        options.add("shape", number(shape, "K", 0.1, 100).otherwise_as_declared(), "a number");
        options.add("tau", length(tau, "SECONDS", Duration::microseconds(1)).otherwise_as_declared(), "a length");
        options.add("keep", keeps, "a flag");
        options.add("order", word(is_second, "WHICH", {{"first", false}, {"second", true}}).otherwise_as_declared(),
                    "a word");
        const auto add = [this](const std::string& field, const std::string& column) { columns[field] = column; };
        options
            .add("map", entries("FIELD=COLUMN", "FIELD=COLUMN", add, {Type::Scalar::text, {}, Type::Scalar::text}),
                 "entries")
            .called("mapping,columns");
        options.add("header", text(header, "FILE"), "a file").not_in_calls();
        options.add_rule([this] {
            if (options.given("keep") && options.given("unit")) {
                throw UsageError(options.written("keep") + " goes without " + options.written("user-name"));
            }
        });
    }

    std::string header;
};

std::string problem_of(Everything& all, const std::string& name, const Given& given) {
    try {
        all.options.set(name, given);
        all.options.finish();
    } catch (const UsageError& problem) {
        return problem.what();
    }
    return "";
}

std::string problem_of(const std::string& name, const Given& given, Writing writing = Writing::arguments) {
    Everything all(writing);
    return problem_of(all, name, given);
}

}  // namespace

TEST_CASE("Options take words and numbers, and keep their defaults") {
    Everything all;
    CHECK(all.options.all().front().value->default_text() == "nobody");
    CHECK(all.options.all()[3].value->default_text() == "0.5");
    CHECK(all.options.all()[4].value->default_text() == "10");
    CHECK(all.options.all()[6].value->default_text() == "first");
    all.options.set({{"unit", "8"}, {"queue", "3"}, {"queue", "-4"}, {"keep", std::nullopt}, {"order", "second"}});
    all.options.set("tau", 0.25);
    all.options.set("shape", std::int64_t{7});
    CHECK(all.unit == 8);
    CHECK(all.queues == std::vector<long long>{3, -4});
    CHECK(all.keeps);
    CHECK(all.is_second);
    CHECK(all.tau == Duration::microseconds(250'000));
    CHECK(all.shape == 7);
    CHECK(all.name == "nobody");
    CHECK(all.options.given("unit"));
    CHECK_FALSE(all.options.given("user-name"));
    CHECK_THROWS_WITH(all.options.finish(), "--keep goes without --user-name");
}

TEST_CASE("Errors of options name them as their users write them") {
    CHECK(problem_of("unit", "0") == "--unit: expected a whole number from 1 to 64, found '0'");
    CHECK(problem_of("unit", std::int64_t{65}, Writing::keywords) ==
          "unit: expected a whole number from 1 to 64, found '65'");
    CHECK(problem_of("unit", 1.5) == "--unit: expected a whole number from 1 to 64, found '1.5'");
    CHECK(problem_of("unit", true) == "--unit: expected a value, found none");
    CHECK(problem_of("unit", false, Writing::keywords) == "unit: expected a value, found False");
    CHECK(problem_of("keep", "yes") == "--keep: expected no value, found 'yes'");
    CHECK(problem_of("keep", "yes", Writing::keywords) == "keep: expected True or False, found 'yes'");
    CHECK_THAT(problem_of("order", "secnd"), Contains("--order: unknown value 'secnd', did you mean 'second'?"));
    CHECK_THAT(problem_of("tau", "-1"), Contains("--tau: expected a number of seconds from 0.000001"));
    CHECK_THAT(problem_of("user_name", "x"), Contains("unknown option 'user_name', did you mean 'user-name'?"));
    CHECK(problem_of("user_name", "x", Writing::keywords).empty());
    // A part of a name is no name, and a letter is only one on a command line.
    CHECK_THAT(problem_of("user", "x"), Contains("unknown option 'user'"));
    CHECK_THAT(problem_of("u", "x"), Contains("unknown option 'u'"));
    CHECK(problem_of("header", "x").empty());
    CHECK_THAT(problem_of("header", "x", Writing::keywords), Contains("unknown option 'header'"));
    CHECK_THAT(problem_of("", "x", Writing::keywords), Contains("unknown option ''"));
}

TEST_CASE("An option that is not repeatable is given once") {
    Everything all;
    all.options.set("unit", "1");
    CHECK(problem_of(all, "unit", "1") == "--unit: expected one value, found 2");
    all.options.set("keep", true);
    CHECK(problem_of(all, "keep", true) == "--keep: expected it once, found it twice");
}

TEST_CASE("Entries come as a word or one by one") {
    Everything all;
    all.options.set("map", "id=JobID,submit=Submit=1");
    CHECK(all.columns == std::map<std::string, std::string>{{"id", "JobID"}, {"submit", "Submit=1"}});
    all.options.set_entry("map", "user", "a,b");
    CHECK(all.columns.at("user") == "a,b");
    for (const char* const wrong : {"", "id", "id=", "=a", "id=a,", ",id=a"}) {
        CHECK_THAT(problem_of("map", wrong), Contains("--map: expected FIELD=COLUMN, found '"));
    }
    Everything call(Writing::keywords);
    call.options.set_entry("columns", "user", std::int64_t{3});
    CHECK(call.columns.at("user") == "3");
    CHECK_THROWS_WITH(call.options.set_entry("unit", "a", "b"), "unit: expected a value, found a dict");
    CHECK_THROWS_WITH(call.options.set_entry("keep", "a", "b"), "keep: expected no value, found a dict");
    CHECK(call.options.written("map") == "mapping");
}

TEST_CASE("The last = may divide an entry") {
    std::map<std::string, std::string> limits;
    Options options;
    const auto add = [&](const std::string& name, const std::string& limit) { limits[name] = limit; };
    options.add("limit", entries("NAME=LENGTH", "NAME=LENGTH", add, {}, Divider::last), "");
    options.set("limit", "a=b=1h,c=2h");
    CHECK(limits == std::map<std::string, std::string>{{"a=b", "1h"}, {"c", "2h"}});
}

TEST_CASE("What is required must be given") {
    std::string output;
    std::string log;
    Options options;
    options.add_positional("log", text(log).required());
    options.add("output,o", text(output).required(), "");
    CHECK(options.missing() == "an argument is missing");
    options.set("log", "x");
    CHECK_THROWS_WITH(options.finish(), "the option '--output' is required but missing");
    options.set("output", "");
    CHECK_NOTHROW(options.finish());
}

TEST_CASE("Numbers are words that read as the same numbers") {
    CHECK(text_of(std::int64_t{std::numeric_limits<std::int64_t>::min()}) == "-9223372036854775808");
    CHECK(text_of(2.0) == "2");
    CHECK(text_of(1e-7) == "0.0000001");
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const double number = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 400) - 200);
        const std::string text = text_of(number);
        CHECK(text.find('e') == std::string::npos);
        CHECK(number_in<double>(text) == number);
    }
    CHECK(text_of(std::numeric_limits<double>::denorm_min()).size() > 300);
}

TEST_CASE("Settings are the arguments of a command") {
    CHECK(arguments_of({{"unit", "8"}, {"keep", std::nullopt}, {"from", "-1"}}) ==
          std::vector<std::string>{"--unit=8", "--keep", "--from=-1"});
}

}  // namespace batfill::tests::options_test
