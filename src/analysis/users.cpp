#include "users.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <vector>

namespace batfill::analysis {

JobsByUser jobs_by_user(const FinishedJobs& jobs, const WorkloadJobs& submitted) {
    JobsByUser users;
    for (const FinishedJob& job : jobs) {
        if (const std::string& user = submitted.find(job.id)->description->user; !user.empty()) {
            users[user].push_back(job);
        }
    }
    return users;
}

std::optional<double> user_fairness(const JobsByUser& users, Duration tau) {
    if (users.empty()) {
        return std::nullopt;
    }
    std::vector<double> means;
    std::vector<double> squares;
    for (const auto& [user, jobs] : users) {
        const double mean = *mean_bounded_slowdown(jobs, tau);
        means.push_back(mean);
        squares.push_back(mean * mean);
    }
    const double all = sum(std::move(means));
    return all * all / (static_cast<double>(users.size()) * sum(std::move(squares)));
}

std::optional<double> wait_share_of_users(const JobsByUser& users, std::size_t percent) {
    assert(percent > 0 && percent <= 100);
    std::vector<Duration> waits;
    Duration all;
    for (const auto& [user, jobs] : users) {
        Duration& together = waits.emplace_back();
        for (const FinishedJob& job : jobs) {
            together = together + wait(job);
        }
        all = all + together;
    }
    if (all <= Duration()) {
        return std::nullopt;
    }
    std::sort(waits.begin(), waits.end(), std::greater<>());
    Duration of_first;
    for (std::size_t i = 0; i < (waits.size() * percent + 99) / 100; ++i) {
        of_first = of_first + waits[i];
    }
    return ratio(of_first, all);
}

}  // namespace batfill::analysis
