#include "src/analysis/layouts.hpp"

#include <algorithm>
#include <utility>

namespace batfill::analysis {

void Layouts::add(std::size_t job, const ResourceSet& hosts, Amount cores) {
    Job& added = jobs_.try_emplace(job, Job{{}, cores, 0}).first->second;
    for (const int host : hosts.numbers()) {
        const auto at = static_cast<std::size_t>(host);
        added.given.emplace(at, 0);
        hosts_[at].jobs.push_back(job);
    }
    lacking_.push_back(job);
}

void Layouts::remove(std::size_t job) {
    const auto removed = jobs_.find(job);
    if (removed == jobs_.end()) {
        return;
    }
    for (const auto& [host, cores] : removed->second.given) {
        hosts_[host].given -= cores;
        std::erase(hosts_[host].jobs, job);
    }
    jobs_.erase(removed);
}

Amount Layouts::settle(const ResourceSet& hosts) {
    for (const int number : hosts.numbers()) {
        Host& host = hosts_[static_cast<std::size_t>(number)];
        for (auto job = host.jobs.begin(); host.given > host.left; ++job) {
            Job& loser = jobs_.at(*job);
            Amount& given = loser.given.at(static_cast<std::size_t>(number));
            const Amount lost = std::min(given, host.given - host.left);
            given -= lost;
            host.given -= lost;
            loser.lacks += lost;
            lacking_.push_back(*job);
        }
    }
    Amount lack = 0;
    for (const std::size_t job : lacking_) {
        while (jobs_.at(job).lacks > 0 && improve(job)) {
        }
        lack += std::exchange(jobs_.at(job).lacks, 0);
    }
    lacking_.clear();
    return lack;
}

// Looks for a host with cores left, where the job can take some of what it lacks: itself, or because other jobs move
// theirs from host to host. Returns false if there is none.
bool Layouts::improve(std::size_t number) {
    ++visit_;
    std::vector<std::size_t> queue;
    const auto reach_hosts_of = [&](std::size_t taker, std::size_t instead_of) {
        Job& job = jobs_.at(taker);
        if (job.visit == visit_) {
            return;
        }
        job.visit = visit_;
        for (const auto& [at, cores] : job.given) {
            if (Host& host = hosts_[at]; host.visit != visit_) {
                host.visit = visit_;
                host.taker = taker;
                host.instead_of = instead_of;
                queue.push_back(at);
            }
        }
    };
    reach_hosts_of(number, 0);
    std::size_t next = 0;
    while (next < queue.size()) {
        const std::size_t at = queue[next++];
        if (hosts_[at].left > hosts_[at].given) {
            move_cores(number, at);
            return true;
        }
        for (const std::size_t job : hosts_[at].jobs) {
            if (jobs_.at(job).given.at(at) > 0) {
                reach_hosts_of(job, at);
            }
        }
    }
    return false;
}

// As many as can move at once, along the way by which the search has reached `host`.
void Layouts::move_cores(std::size_t number, std::size_t host) {
    Amount cores = std::min(jobs_.at(number).lacks, hosts_[host].left - hosts_[host].given);
    for (std::size_t at = host; hosts_[at].taker != number; at = hosts_[at].instead_of) {
        cores = std::min(cores, jobs_.at(hosts_[at].taker).given.at(hosts_[at].instead_of));
    }
    hosts_[host].given += cores;
    jobs_.at(number).lacks -= cores;
    for (std::size_t at = host;; at = hosts_[at].instead_of) {
        Job& taker = jobs_.at(hosts_[at].taker);
        taker.given.at(at) += cores;
        if (hosts_[at].taker == number) {
            return;
        }
        taker.given.at(hosts_[at].instead_of) -= cores;
    }
}

}  // namespace batfill::analysis
