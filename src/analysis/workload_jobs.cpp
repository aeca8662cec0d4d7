#include "src/analysis/workload_jobs.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include <batfill/core/error.hpp>

#include "src/support/interruption.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill::analysis {

namespace {

// The parts of an id like "w0!17#2".
struct Attempt {
    std::string_view first_id;
    int number;
};

// None if the id does not end in "#" and a number from 1 without leading zeros.
std::optional<Attempt> attempt_of(std::string_view id) {
    const std::size_t mark = id.rfind('#');
    if (mark == std::string_view::npos || mark + 1 == id.size() || id[mark + 1] == '0') {
        return std::nullopt;
    }
    const std::optional<int> number = number_in<int>(id.substr(mark + 1));
    return number > 0 ? std::optional(Attempt{id.substr(0, mark), *number}) : std::nullopt;
}

}  // namespace

bool is_same_job(const FinishedJob& job, Time submit, int processors) {
    if (attempt_of(job.id)) {
        return job.processors == processors;
    }
    const Duration between = job.submit < submit ? submit - job.submit : job.submit - submit;
    return between <= Duration::microseconds(1) && job.processors == processors;
}

std::string request_text(Time submit, int processors) {
    return "asks for " + std::to_string(processors) + (processors == 1 ? " processor at " : " processors at ") +
           submit.to_string();
}

WorkloadJobs::WorkloadJobs(const std::vector<Workload>& workloads) : workloads_(&workloads) {
    for (const Workload& workload : workloads) {
        firsts_.push_back(count_);
        count_ += workload.jobs.size();
    }
    assert(count_ < no_job);
    places_.assign(std::bit_ceil(2 * count_ + 1), no_job);
    std::uint32_t number = 0;
    for (const Workload& workload : workloads) {
        for (const WorkloadJob& job : workload.jobs) {
            look_for_interruption();
            std::size_t place = first_place(job.description.id);
            while (places_[place] != no_job) {
                place = (place + 1) & (places_.size() - 1);
            }
            places_[place] = number++;
        }
    }
}

IndexedJob WorkloadJobs::job(std::size_t number) const {
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
    const auto place = static_cast<std::size_t>(after - firsts_.begin()) - 1;
    return {&(*workloads_)[place].jobs[number - firsts_[place]].description, place, number};
}

std::optional<IndexedJob> WorkloadJobs::of_workload(std::string_view id) const {
    for (std::size_t place = first_place(id); places_[place] != no_job; place = (place + 1) & (places_.size() - 1)) {
        if (const IndexedJob found = job(places_[place]); found.description->id == id) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<IndexedJob> WorkloadJobs::find(std::string_view id) const {
    std::optional<IndexedJob> found = of_workload(id);
    if (const std::optional<Attempt> attempt = found ? std::nullopt : attempt_of(id)) {
        found = of_workload(attempt->first_id);
        if (found) {
            found->is_later_run = true;
        }
    }
    return found;
}

IndexedJob WorkloadJobs::require(std::string_view id, const std::string& path) const {
    const std::optional<IndexedJob> job = find(id);
    refuse_if<InputError>(!job, [&] { return path + ": job " + shown(id) + " is in none of the workloads"; });
    return *job;
}

IndexedJob WorkloadJobs::require(const FinishedJob& job, const std::string& path) const {
    const IndexedJob found = require(job.id, path);
    const JobDescription& description = *found.description;
    refuse_if<InputError>(!is_same_job(job, description.submit, description.processors), [&] {
        return path + ": job " + shown(job.id) + ' ' + request_text(job.submit, job.processors) + ", in " +
               (*workloads_)[found.workload].path + " it " + request_text(description.submit, description.processors) +
               ": expected the workload of the schedule";
    });
    return found;
}

std::optional<std::string> WorkloadJobs::earlier_run(std::string_view id) const {
    const std::optional<Attempt> attempt = attempt_of(id);
    if (!attempt || of_workload(id) || !of_workload(attempt->first_id)) {
        return std::nullopt;
    }
    const std::string first_id(attempt->first_id);
    return attempt->number == 1 ? first_id : first_id + '#' + std::to_string(attempt->number - 1);
}

}  // namespace batfill::analysis
