#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/state.hpp>

#include "tests/support/random_stream.hpp"

namespace batfill::tests::waiting_queue_test {

TEST_CASE("The queue has its jobs by submission whoever leaves, and finds the next that fits", "[engine]") {
    tests::Random random(11);
    for (int round = 0; round < 20; ++round) {
        JobTable jobs;
        WaitingQueue queue;
        std::vector<JobIndex> plain;
        const int most_processors = random.one_in(2) ? 8 : 1000;
        // Rounds that remove mostly from the front, from the back or from anywhere.
        const int where = random.below(3);
        for (int step = 0; step < 1500; ++step) {
            // The queue first grows, then shrinks.
            if (plain.empty() || random.below(1500) > step - 100) {
                Job& job = jobs.emplace_back();
                JobDescription description;
                description.submit = Time::seconds(step - (random.one_in(5) ? random.below(30) : 0));
                job.shared_description = std::move(description);
                job.request.processors = random.between(1, most_processors);
                job.walltime = Duration::seconds(random.between(1, 100));
                const auto index = static_cast<JobIndex>(jobs.size() - 1);
                queue.insert(index, jobs);
                plain.push_back(index);
                std::stable_sort(plain.begin(), plain.end(),
                                 [&](JobIndex a, JobIndex b) { return jobs[a].submit() < jobs[b].submit(); });
            } else {
                const int size = static_cast<int>(plain.size());
                const int near = random.below(std::min(size, 5));
                const int at = random.one_in(5) || where == 2 ? random.below(size)
                               : where == 0                   ? near
                                                              : size - 1 - near;
                queue.remove(plain[static_cast<std::size_t>(at)], jobs);
                plain.erase(plain.begin() + at);
            }
            REQUIRE(queue.size() == plain.size());
            REQUIRE(queue.empty() == plain.empty());
            REQUIRE(std::equal(plain.begin(), plain.end(), queue.jobs().begin(), queue.jobs().end()));
            for (int i = 0; i < 3 && !plain.empty(); ++i) {
                const auto from = static_cast<std::size_t>(random.below(static_cast<int>(plain.size()) + 1));
                const int processors = random.one_in(2) ? random.between(0, 10) : random.between(0, most_processors);
                std::size_t expected = from;
                while (expected < plain.size() && jobs[plain[expected]].processors() > processors) {
                    ++expected;
                }
                REQUIRE(queue.next_fitting(from, processors) == expected);
                if (expected < plain.size()) {
                    REQUIRE(queue.job(expected) == plain[expected]);
                    REQUIRE(queue.processors(expected) == jobs[plain[expected]].processors());
                    REQUIRE(queue.walltime(expected) == jobs[plain[expected]].walltime);
                }
            }
            if (!plain.empty()) {
                Duration shortest = Duration::infinity();
                for (const JobIndex job : plain) {
                    shortest = std::min(shortest, jobs[job].walltime);
                }
                REQUIRE(queue.shortest_walltime() == shortest);
            }
        }
    }
}

}  // namespace batfill::tests::waiting_queue_test
