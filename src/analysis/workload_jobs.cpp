#include "workload_jobs.hpp"

#include <charconv>

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

WorkloadJobs::WorkloadJobs(const std::vector<Workload>& workloads) {
    std::size_t jobs = 0;
    for (const Workload& workload : workloads) {
        jobs += workload.jobs.size();
    }
    jobs_.reserve(jobs);
    for (const Workload& workload : workloads) {
        for (const WorkloadJob& job : workload.jobs) {
            const auto profile = workload.profiles.find(job.description.profile);
            jobs_.emplace(
                job.description.id,
                IndexedJob{&job.description, profile == workload.profiles.end() ? nullptr : &profile->second});
        }
    }
}

const IndexedJob* WorkloadJobs::of_workload(std::string_view id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : &found->second;
}

const IndexedJob* WorkloadJobs::find(std::string_view id) const {
    if (const IndexedJob* job = of_workload(id)) {
        return job;
    }
    const std::optional<Attempt> attempt = attempt_of(id);
    return attempt ? of_workload(attempt->first_id) : nullptr;
}

const IndexedJob& WorkloadJobs::require(std::string_view id, const std::string& path) const {
    const IndexedJob* const job = find(id);
    if (job == nullptr) {
        throw InputError(path + ": job " + shown(id) + " is in none of the workloads");
    }
    return *job;
}

std::optional<std::string> WorkloadJobs::earlier_run(std::string_view id) const {
    const std::optional<Attempt> attempt = attempt_of(id);
    if (!attempt || of_workload(id) != nullptr || of_workload(attempt->first_id) == nullptr) {
        return std::nullopt;
    }
    return id_of({attempt->first_id, attempt->number - 1});
}

bool may_be_later_run(std::string_view id) {
    return attempt_of(id).has_value();
}

std::string later_run(std::string_view id, bool is_first) {
    const std::optional<Attempt> attempt = attempt_of(id);
    return !is_first && attempt ? id_of({attempt->first_id, attempt->number + 1}) : std::string(id) + "#1";
}

}  // namespace batfill::analysis
