#include "workload_jobs.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

#include <batfill/error.hpp>

#include "src/core/json.hpp"

namespace batfill::analysis {

namespace {

// An id "w0!17#2" taken apart.
struct Attempt {
    std::string_view first_id;
    int number;
};

// Nothing if the id does not end like that, with a number from 1 without zeros in front.
std::optional<Attempt> attempt_of(std::string_view id) {
    const std::size_t mark = id.rfind('#');
    if (mark == std::string_view::npos || mark + 1 == id.size() || id[mark + 1] == '0') {
        return std::nullopt;
    }
    int number = 0;
    const char* const end = id.data() + id.size();
    const auto [next, error] = std::from_chars(id.data() + mark + 1, end, number);
    return error == std::errc() && next == end && number > 0 ? std::optional(Attempt{id.substr(0, mark), number})
                                                             : std::nullopt;
}

std::string id_of(const Attempt& attempt) {
    return std::string(attempt.first_id) + (attempt.number == 0 ? "" : '#' + std::to_string(attempt.number));
}

}  // namespace

const JobProfile* IndexedJob::profile() const {
    const auto found = workload->profiles.find(description->profile);
    return found == workload->profiles.end() ? nullptr : &found->second;
}

WorkloadJobs::WorkloadJobs(const std::vector<Workload>& workloads) : workloads_(&workloads) {
    std::size_t jobs = 0;
    for (const Workload& workload : workloads) {
        firsts_.push_back(jobs);
        jobs += workload.jobs.size();
    }
    assert(jobs <= std::numeric_limits<std::uint32_t>::max());
    // First how many jobs each bucket has, then where it begins; each job that is put there makes that its end.
    ends_.resize(jobs + 2);
    std::vector<std::uint32_t> buckets;
    buckets.reserve(jobs);
    for (const Workload& workload : workloads) {
        for (const WorkloadJob& job : workload.jobs) {
            buckets.push_back(static_cast<std::uint32_t>(bucket_of(job.description.id)));
            ++ends_[buckets.back() + 1];
        }
    }
    std::uint32_t begin = 0;
    for (std::size_t bucket = 1; bucket < ends_.size(); ++bucket) {
        begin += std::exchange(ends_[bucket], begin);
    }
    numbers_.resize(jobs);
    for (std::size_t number = 0; number < jobs; ++number) {
        numbers_[ends_[buckets[number] + 1]++] = static_cast<std::uint32_t>(number);
    }
}

IndexedJob WorkloadJobs::job(std::size_t number) const {
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
    const auto place = static_cast<std::size_t>(after - firsts_.begin()) - 1;
    const Workload& workload = (*workloads_)[place];
    return {&workload, &workload.jobs[number - firsts_[place]].description, number};
}

std::optional<IndexedJob> WorkloadJobs::of_workload(std::string_view id) const {
    const std::size_t bucket = bucket_of(id);
    for (std::size_t i = ends_[bucket]; i < ends_[bucket + 1]; ++i) {
        if (const IndexedJob found = job(numbers_[i]); found.description->id == id) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<IndexedJob> WorkloadJobs::find(std::string_view id) const {
    std::optional<IndexedJob> found = of_workload(id);
    if (found) {
        return found;
    }
    if (const std::optional<Attempt> attempt = attempt_of(id)) {
        found = of_workload(attempt->first_id);
    }
    if (found) {
        found->is_later_run = true;
    }
    return found;
}

IndexedJob WorkloadJobs::require(std::string_view id, const std::string& path) const {
    const std::optional<IndexedJob> job = find(id);
    if (!job) {
        throw InputError(path + ": job " + shown(id) + " is in none of the workloads");
    }
    return *job;
}

std::optional<std::string> WorkloadJobs::earlier_run(std::string_view id) const {
    const std::optional<Attempt> attempt = attempt_of(id);
    if (!attempt || of_workload(id) || !of_workload(attempt->first_id)) {
        return std::nullopt;
    }
    return id_of({attempt->first_id, attempt->number - 1});
}

}  // namespace batfill::analysis
