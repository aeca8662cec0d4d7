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
                                      "ok:12+x", "ok:12+-1", "ok:12+inf", "ok:a+b");
    INFO(text);
    CHECK_FALSE(Dependency::parse(text));
}

}  // namespace batfill::tests::dependency_test
