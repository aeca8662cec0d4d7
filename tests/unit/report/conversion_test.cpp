#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include "src/report/plot.hpp"

namespace batfill::tests::conversion_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* square =
    R"(<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96"/></svg>)";

// A variable of the environment, which is removed at the end.
class Variable {
 public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

 private:
    const char* name_;
};

}  // namespace

// Under the address sanitizer, this fails for a search that reads as far as the name it wants.
TEST_CASE("Charts are converted in an environment with short variables") {
    const Variable shortest("B", "");
    CHECK_THAT(report::png_of(square, 96), StartsWith("\x89PNG"));
    CHECK_THAT(report::pdf_of(square), StartsWith("%PDF-"));
}

TEST_CASE("A PDF was made in 1970, or when SOURCE_DATE_EPOCH says") {
    CHECK_THAT(report::pdf_of(square), Contains("19700101000000"));
    const Variable date("SOURCE_DATE_EPOCH", "86400");
    CHECK_THAT(report::pdf_of(square), Contains("19700102000000"));
}

}  // namespace batfill::tests::conversion_test
