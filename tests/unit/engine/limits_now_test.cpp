#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/state.hpp>
#include <batfill/formats/platform.hpp>

#include "tests/support/random_stream.hpp"

// Which waiting jobs limits hold, and how walks along the queue pass over them.

namespace batfill::tests::limits_now_test {

namespace {

struct PlainJob {
    JobIndex index;
    Time submit;
    int processors;
    std::map<std::string, Amount> takes;  // by limit and value
};

// Counts what is in use anew for each question.
class PlainLimits {
 public:
    explicit PlainLimits(std::map<std::string, Amount> most) : most_(std::move(most)) {}

    bool allow(const PlainJob& job, const std::vector<PlainJob>& running) const {
        return std::ranges::all_of(job.takes, [&](const auto& one) {
            Amount in_use = 0;
            for (const PlainJob& other : running) {
                const auto taken = other.takes.find(one.first);
                in_use += taken == other.takes.end() ? 0 : taken->second;
            }
            return in_use + one.second <= most_.at(one.first);
        });
    }

 private:
    std::map<std::string, Amount> most_;
};

}  // namespace

TEST_CASE("The queue knows whom limits hold, whoever enters, starts and ends", "[limits][property]") {
    Random random(7);
    std::size_t held = 0;
    std::size_t too_wide = 0;
    for (int round = 0; round < 40; ++round) {
        const int processors_each = random.between(4, 12);
        const int jobs_each = random.between(1, 4);
        const int processors_of_account = random.between(6, 20);
        Platform platform;
        platform.hosts.resize(64);
        platform.limits =
            parse_limits(R"({"of":"user","most":{"processors":)" + std::to_string(processors_each) + R"(,"jobs":)" +
                             std::to_string(jobs_each) + "}}\n" + R"({"of":"queue","most":{"processors":)" +
                             std::to_string(processors_of_account) + "}}\n",
                         "limits");
        const Machine machine = platform.machine();
        LimitsNow limits(machine);
        JobTable jobs;
        WaitingQueue queue;
        std::vector<PlainJob> waiting;
        std::vector<PlainJob> running;
        std::map<std::string, Amount> most;
        const auto submit = [&](int step) {
            JobDescription description;
            description.submit = Time::seconds(step - (random.one_in(5) ? random.below(20) : 0));
            PlainJob plain{static_cast<JobIndex>(jobs.size()), description.submit, random.between(1, 4), {}};
            if (!random.one_in(6)) {
                description.user = "u" + std::to_string(random.below(4));
                most[description.user.text() + "p"] = processors_each;
                most[description.user.text() + "j"] = jobs_each;
                plain.takes = {{description.user.text() + "p", plain.processors}, {description.user.text() + "j", 1}};
            }
            if (random.one_in(2)) {
                description.queue = "q" + std::to_string(random.below(2));
                most[description.queue.text()] = processors_of_account;
                plain.takes[description.queue.text()] = plain.processors;
            }
            Request request{plain.processors};
            if (random.one_in(4)) {
                Request::Details details;
                details.pools = {1};
                request.details = std::move(details);
            }
            Job& job = jobs.emplace_back();
            job.request = limits.enter(description, std::move(request));
            job.shared_description = std::move(description);
            queue.insert(plain.index, jobs, &limits);
            waiting.push_back(plain);
            std::ranges::stable_sort(waiting, {}, &PlainJob::submit);
        };
        const auto compare = [&] {
            const PlainLimits plain(most);
            const int free = random.between(1, 4);
            const auto from = static_cast<std::size_t>(random.below(static_cast<int>(waiting.size()) + 1));
            std::vector<std::size_t> allowed;
            std::vector<std::size_t> not_passed_over;
            for (std::size_t position = 0; position < waiting.size(); ++position) {
                const PlainJob& job = waiting[position];
                const bool is_allowed = plain.allow(job, running);
                REQUIRE(limits.allow(jobs[job.index].request) == is_allowed);
                if (is_allowed && job.processors <= free) {
                    allowed.push_back(position);
                }
                if (is_allowed || job.processors > free) {
                    not_passed_over.push_back(position);
                }
                held += is_allowed ? 0 : 1;
                too_wide += !is_allowed && job.processors > free ? 1 : 0;
            }
            const auto next_of = [&](const std::vector<std::size_t>& positions) {
                const auto next = std::ranges::lower_bound(positions, from);
                return next == positions.end() ? waiting.size() : *next;
            };
            REQUIRE(queue.next_allowed(from, free, limits) == next_of(allowed));
            REQUIRE(queue.next_not_passed_over(from, free, limits) == next_of(not_passed_over));
            std::vector<std::size_t> passed;
            queue.for_each_not_passed_over(free, limits, [&](std::size_t position) { passed.push_back(position); });
            REQUIRE(passed == not_passed_over);
        };
        for (int step = 0; step < 600; ++step) {
            const bool grows = random.below(600) > step - 100;
            if (waiting.empty() || (grows && random.one_in(2))) {
                submit(step);
            } else if (!running.empty() && random.one_in(2)) {
                const auto ended = running.begin() + random.below(static_cast<int>(running.size()));
                const Request& request = jobs[ended->index].request;
                limits.give(request);
                limits.leave(request);
                running.erase(ended);
            } else {
                const auto job = waiting.begin() + random.below(static_cast<int>(waiting.size()));
                const Request& request = jobs[job->index].request;
                const bool starts = limits.allow(request);
                if (!starts && !random.one_in(20)) {
                    continue;
                }
                queue.remove(job->index, jobs);
                if (starts) {
                    limits.take(request);
                    running.push_back(*job);
                } else {
                    limits.leave(request);  // ends while it waits
                }
                waiting.erase(job);
            }
            if (!random.one_in(3)) {  // else changes add up
                compare();
            }
        }
    }
    CHECK(held > 10'000);
    CHECK(too_wide > 1'000);
}

}  // namespace batfill::tests::limits_now_test
