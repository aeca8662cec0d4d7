#include "src/workloads/same_jobs.hpp"

#include <algorithm>
#include <map>

#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

std::string hash_of_jobs(const Workload& workload) {
    std::map<std::string, std::string> run_times;  // by profile
    for (const auto& [name, profile] : workload.profiles) {
        run_times[name] = profile.type == JobProfile::Type::delay
                              ? profile.delay.to_shortest_string()
                              : profile.type_name + ' ' + exact(profile.cpu) + ' ' + exact(profile.com) + ' ' + name;
    }
    std::vector<const JobDescription*> jobs =
        mapped(workload.jobs, [](const WorkloadJob& job) { return &job.description; });
    std::ranges::sort(jobs, {}, [](const JobDescription* job) -> const std::string& { return job->id; });
    std::string text;
    for (const JobDescription* const job : jobs) {
        text.append(job->id).append(1, '\0').append(std::to_string(job->processors)).append(1, ' ');
        text.append(run_times[job->profile]).append(1, '\n');
    }
    return sha256(text);
}

std::vector<std::size_t> groups_of_equal(const std::vector<std::string>& hashes) {
    std::map<std::string, std::size_t> numbers;
    return mapped(hashes, [&](const std::string& hash) { return numbers.emplace(hash, numbers.size()).first->second; });
}

}  // namespace batfill
