#include <atomic>
#include <cstddef>

#include <catch2/catch.hpp>

#include "src/support/interruption.hpp"
#include "src/support/parallel.hpp"

namespace batfill::tests::interruption_look_test {

TEST_CASE("Whoever calls a long computation may stop it", "[support]") {
    look_for_interruption();  // nobody looks
    int looks = 0;
    {
        const InterruptionLook outer([&] { ++looks; });
        look_for_interruption();
        {
            const InterruptionLook inner([] { throw Interrupted(); });
            CHECK_THROWS_AS(look_for_interruption(), Interrupted);
        }
        look_for_interruption();
    }
    look_for_interruption();
    CHECK(looks == 2);
}

TEST_CASE("Threads of a computation look as the thread that began it", "[support]") {
    std::atomic<int> looks = 0;
    const InterruptionLook look([&] { ++looks; });
    for_each_in_parallel(9, 3, [](std::size_t) { look_for_interruption(); });
    CHECK(looks == 9);
    const InterruptionLook stop([] { throw Interrupted(); });
    CHECK_THROWS_AS(for_each_in_parallel(9, 3, [](std::size_t) { look_for_interruption(); }), Interrupted);
}

}  // namespace batfill::tests::interruption_look_test
