#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <batfill/formats/swf.hpp>

#include "src/formats/accounting_readers.hpp"

// Jobs that changed their size while they ran.
namespace batfill {

namespace {

constexpr const char* joined_rule = "resized: one job of the last size, from first start to last end";
constexpr const char* left_rule = "part of a resized job that has no last part";

Duration start_of(const SwfJob& job) {
    return job.submit + std::max(job.wait, Duration());
}

// Lets the job begin with its first part.
void join_parts(const SwfJob& first, SwfJob& last) {
    last.run_time = start_of(last) + last.run_time - start_of(first);
    last.submit = first.submit;
    last.wait = first.wait;
}

}  // namespace

void LogBuilder::join_resized_parts() {
    if (resized_parts_.empty()) {
        return;
    }
    std::vector<bool> is_part(log_.jobs.size());
    std::map<long long, std::vector<std::uint32_t>> runs_of;  // jobs that have parts
    for (const std::uint32_t part : resized_parts_) {
        is_part[part] = true;
        runs_of.try_emplace(log_.jobs[part].number);
    }
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        if (const auto runs = runs_of.find(log_.jobs[job].number); runs != runs_of.end()) {
            runs->second.push_back(job);
        }
    }
    for (auto& [number, runs] : runs_of) {
        std::ranges::stable_sort(
            runs, {}, [&](std::uint32_t run) { return std::tuple(start_of(log_.jobs[run]), !is_part[run]); });
        std::vector<std::uint32_t> parts;  // since the last run that ended
        for (const std::uint32_t run : runs) {
            if (is_part[run]) {
                parts.push_back(run);
            } else if (!parts.empty()) {
                join_parts(log_.jobs[parts.front()], log_.jobs[run]);
                noted_[joined_rule].push_back(run);
                parts.clear();
            }
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            leave_out(left_rule);
        }
    }
    erase_jobs(is_part);
}

void LogBuilder::erase_jobs(const std::vector<bool>& erased) {
    std::vector<std::uint32_t> place(log_.jobs.size());  // after the others are erased
    std::uint32_t kept = 0;
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        place[job] = kept;
        if (!erased[job]) {
            log_.jobs[kept++] = log_.jobs[job];
        }
    }
    log_.jobs.resize(kept);
    const auto move = [&](std::vector<std::uint32_t>& jobs) {
        std::erase_if(jobs, [&](std::uint32_t job) { return erased[job]; });
        std::ranges::transform(jobs, jobs.begin(), [&](std::uint32_t job) { return place[job]; });
    };
    for (auto& [rule, jobs] : noted_) {
        move(jobs);
    }
    std::erase_if(noted_, [](const auto& rule) { return rule.second.empty(); });
    for (auto& [column, jobs] : jobs_of_column_) {
        move(jobs);
    }
    move(resized_parts_);
    const auto move_map = [&](auto& by_job) {
        std::remove_reference_t<decltype(by_job)> moved;
        for (auto& [job, value] : by_job) {
            if (!erased[job]) {
                moved.emplace(place[job], std::move(value));
            }
        }
        by_job = std::move(moved);
    };
    move_map(negative_waits_);
    move_map(shown_twice_);
    move_map(log_.ended_early);
}

void LogBuilder::limit_by_queue(const AccountedJob& job, SwfJob& added) {
    if (data_.partition_limits.empty() || added.requested_time > Duration()) {
        return;
    }
    if (const auto limit = data_.partition_limits.find(job.queue); limit != data_.partition_limits.end()) {
        added.requested_time = limit->second;
        note("no time limit: that of its partition is the walltime (--partition-limit)");
    }
}

}  // namespace batfill
