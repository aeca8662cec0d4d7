#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "src/support/csv_text.hpp"

namespace batfill::tests::csv_text_test {

namespace {

std::string as_the_library(double number, int decimals) {
    char text[max_number_length];
    return {text, std::to_chars(text, text + max_number_length, number, std::chars_format::fixed, decimals).ptr};
}

}  // namespace

TEST_CASE("Numbers are rounded as the standard library rounds them", "[csv]") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto any = std::bit_cast<double>(random());
        const double tie = static_cast<double>(random() % 2'000'001) / 128;
        const double ratio = static_cast<double>(1 + random() % 1000) / static_cast<double>(1 + random() % 1000);
        for (const double number : {any, tie, -tie, ratio}) {
            INFO("number " << exact(number));
            REQUIRE(rounded(number, 6) == as_the_library(number, 6));
        }
        REQUIRE(rounded(ratio, 3) == as_the_library(ratio, 3));
    }
    for (const double number : {0.0, -0.0, 0.5e-6, 1.5e-6, 0x1p-52, 1e15, 0x1p63, 1e300, HUGE_VAL, std::nan("")}) {
        REQUIRE(rounded(number, 6) == as_the_library(number, 6));
    }
}

}  // namespace batfill::tests::csv_text_test
