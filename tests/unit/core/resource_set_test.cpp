#include <random>
#include <set>

#include <catch2/catch.hpp>

#include <batfill/core/resource_set.hpp>

namespace batfill::tests::resource_set_test {

using batfill::ResourceSet;

namespace {

std::string canonical(const std::string& text) {
    const auto set = ResourceSet::parse(text);
    return set ? "'" + set->to_string() + "'" : "none";
}

ResourceSet from(const std::set<int>& numbers) {
    ResourceSet set;
    for (const int number : numbers) {
        set.insert(ResourceSet::range(number, number));
    }
    return set;
}

std::set<int> numbers_of(const ResourceSet& set) {
    std::set<int> numbers;
    for (const auto& interval : set.intervals()) {
        for (int i = interval.first; i <= interval.last; ++i) {
            numbers.insert(i);
        }
    }
    return numbers;
}

std::set<int> random_numbers(std::mt19937& random) {
    std::set<int> numbers;
    const unsigned density = 1 + random() % 8;
    for (int i = 0; i < 40; ++i) {
        if (random() % 8 < density) {
            numbers.insert(i);
        }
    }
    return numbers;
}

}  // namespace

TEST_CASE("a set of processors has one text") {
    CHECK(canonical("") == "''");
    CHECK(canonical("3") == "'3'");
    CHECK(canonical("0-3 7") == "'0-3 7'");
    CHECK(canonical("7,0-3") == "'0-3 7'");
    CHECK(canonical("0 1 2") == "'0-2'");
    CHECK(canonical("5-9 1-6 2") == "'1-9'");
    CHECK(canonical("  4 ") == "'4'");
}

TEST_CASE("a sentence names the first intervals of many") {
    CHECK(ResourceSet::parse("0-3 5 7 9 11 20")->to_short_string() == "0-3 5 7 9 11 20");
    CHECK(ResourceSet::parse("0-3 5 7 9 11 20 30-39")->to_short_string() == "0-3 5 7 and 13 more");
    CHECK(ResourceSet().to_short_string().empty());
}

TEST_CASE("a text that is no set of processors is refused") {
    for (const char* text : {"a", "1-", "-1", "3-1", "1--2", "1.5", "2147483647", "99999999999", "1;2", "1-2-3"}) {
        CAPTURE(text);
        CHECK(!ResourceSet::parse(text));
    }
}

TEST_CASE("blocks of consecutive processors are the same as a try of each first processor finds") {
    std::mt19937 random(4);
    int found = 0;
    int missing = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::set<int> numbers = random_numbers(random);
        const ResourceSet set = from(numbers);
        int longest = 0;
        for (int count = 1; count <= 41; ++count) {
            std::set<int> lowest;
            for (int first = 0; first + count <= 40 && lowest.empty(); ++first) {
                for (int i = first; i < first + count && numbers.count(i) != 0; ++i) {
                    lowest.insert(i);
                }
                if (static_cast<int>(lowest.size()) < count) {
                    lowest.clear();
                }
            }
            longest = lowest.empty() ? longest : count;
            REQUIRE(set.lowest_block(count) == (lowest.empty() ? std::nullopt : std::optional(from(lowest))));
            ++(lowest.empty() ? missing : found);
        }
        REQUIRE(set.longest_block() == longest);
    }
    CHECK(found > 1000);
    CHECK(missing > 1000);
}

TEST_CASE("operations on sets agree with sets of single numbers") {
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        const std::set<int> a = random_numbers(random);
        const std::set<int> b = random_numbers(random);
        const ResourceSet x = from(a);
        const ResourceSet y = from(b);
        std::set<int> both;
        std::set<int> either = a;
        std::set<int> only_a;
        either.insert(b.begin(), b.end());
        for (const int number : a) {
            (b.count(number) != 0 ? both : only_a).insert(number);
        }
        REQUIRE(numbers_of(x) == a);
        REQUIRE(x.size() == static_cast<int>(a.size()));
        REQUIRE(x.intersection(y) == from(both));
        REQUIRE(x.count_common(y) == static_cast<int>(both.size()));
        REQUIRE(x.contains_all(y) == (both == b));
        ResourceSet sum = x;
        sum.insert(y);
        REQUIRE(sum == from(either));
        ResourceSet difference = x;
        difference.remove(y);
        REQUIRE(difference == from(only_a));
        for (int i = 0; i < 41; ++i) {
            REQUIRE(x.contains(i) == (a.count(i) != 0));
        }
        REQUIRE(ResourceSet::parse(x.to_string()) == x);

        const int count = static_cast<int>(random() % (a.size() + 1));
        ResourceSet rest = x;
        const ResourceSet lowest = rest.take_lowest(count);
        const auto border = std::next(a.begin(), count);
        REQUIRE(lowest == from({a.begin(), border}));
        REQUIRE(rest == from({border, a.end()}));
    }
}

}  // namespace batfill::tests::resource_set_test
