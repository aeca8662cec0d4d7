#include <chrono>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "src/support/progress.hpp"

namespace batfill::tests::progress_test {

using batfill::Progress;
using Catch::Matchers::Contains;

TEST_CASE("On a terminal, progress is a bar that is redrawn for each percent and wiped at the end", "[progress]") {
    std::ostringstream out;
    {
        Progress progress({out, true});
        progress.show(0, 1000, "0 jobs");
        const std::string first = out.str();
        CHECK(first.front() == '\r');
        CHECK_THAT(first, Contains("]   0 %  0 jobs") && !Contains("left"));
        progress.show(9, 1000, "9 jobs");
        CHECK(out.str() == first);
        progress.show(500, 1000, "500 jobs");
        CHECK_THAT(out.str(),
                   Contains("[" + std::string(20, '#') + std::string(20, ' ') + "]  50 %  500 jobs, about 0 s left"));
        progress.show(1000, 1000, "1000 jobs");
        CHECK_THAT(out.str(), Contains("100 %  1000 jobs\033[K"));
    }
    CHECK_THAT(out.str(), Catch::Matchers::EndsWith("\r\033[K") && !Contains("\n"));
}

TEST_CASE("Without a terminal, progress is a line now and then, and none for what ends soon", "[progress]") {
    std::ostringstream out;
    {
        Progress soon({out, false});
        soon.show(5, 10, "5 jobs");
        soon.show(10, 10, "10 jobs");
    }
    CHECK(out.str().empty());
    Progress progress({out, false, std::chrono::seconds(0)});
    progress.show(50, 200, "50 jobs, day 3");
    progress.show(200, 200, "200 jobs, day 9");
    CHECK(out.str() == "batfill: 25 %, 50 jobs, day 3, about 0 s left\nbatfill: 100 %, 200 jobs, day 9\n");
}

TEST_CASE("Progress of work that waits says for what, and not how long it will take", "[progress]") {
    std::ostringstream out;
    {
        Progress progress({out, true});
        progress.show(150, 200, "150 jobs");
        progress.show_waiting(150, 200, "150 jobs, waits for calls");
        CHECK_THAT(out.str(), !Contains("waits"));  // at most once per second
    }
    out.str("");
    Progress progress({out, false, std::chrono::seconds(0)});
    progress.show_waiting(50, 200, "50 jobs, waits for calls");
    CHECK(out.str() == "batfill: 25 %, 50 jobs, waits for calls\n");
}

TEST_CASE("Progress of nothing at all shows no bar", "[progress]") {
    std::ostringstream out;
    { Progress({out, true}).show(0, 0, "0 jobs"); }
    CHECK(out.str().empty());
}

}  // namespace batfill::tests::progress_test
