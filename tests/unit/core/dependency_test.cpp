#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/dependency.hpp>

namespace batfill::tests::dependency_test {

TEST_CASE("A dependency is a kind, a job and perhaps a delay", "[dependency]") {
    const auto [text, kind, job, delay] = GENERATE(table<std::string, Dependency::Kind, std::string, std::string>({
        {"ok:12", Dependency::Kind::ok, "12", "0"},
        {"any:a:b", Dependency::Kind::any, "a:b", "0"},
        {"start:12+600", Dependency::Kind::start, "12", "600"},
        {"any:12+0.000001", Dependency::Kind::any, "12", "0.000001"},
        {"any:12+1.5", Dependency::Kind::any, "12", "1.5"},
        {"ok:a+b+5", Dependency::Kind::ok, "a+b", "5"},
        {"ok:a+b+0", Dependency::Kind::ok, "a+b", "0"},
    }));
    INFO(text);
    const std::optional<Dependency> dependency = Dependency::parse(text);
    REQUIRE(dependency);
    CHECK(dependency->kind == kind);
    CHECK(dependency->job == job);
    CHECK(dependency->delay.to_shortest_string() == delay);
    CHECK(dependency->to_string() == text);
}

TEST_CASE("Everything else is no dependency", "[dependency]") {
    const std::string text = GENERATE("", "12", "ok", "ok:", "ok:+5", "OK:12", " ok:12", "afterok:12", "ok:12+",
                                      "ok:12+x", "ok:12+-1", "ok:12+inf", "ok:a+b", "any:12+0.0000001",
                                      "any:12+1.0000005", "any:12+1e-7", "any:12+5.0000000000000000001");
    INFO(text);
    CHECK_FALSE(Dependency::parse(text));
}

TEST_CASE("Zeros behind six decimals, and exponents, are no rounding", "[dependency]") {
    CHECK(Dependency::parse("any:12+0.5000000000")->delay.to_shortest_string() == "0.5");
    CHECK(Dependency::parse("any:12+0.00000000")->delay == Duration());
    CHECK(Dependency::parse("any:12+15e-1")->delay.to_shortest_string() == "1.5");
    CHECK(Dependency::parse("any:12+1e3")->delay == Duration::seconds(1000));
}

}  // namespace batfill::tests::dependency_test
