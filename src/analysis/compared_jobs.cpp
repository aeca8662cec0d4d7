#include <string_view>
#include <unordered_map>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

using FinishedById = std::unordered_map<std::string_view, const FinishedJob*>;

FinishedById finished_by_id(const MeasuredSchedule& schedule) {
    FinishedById result;
    result.reserve(schedule.finished().size());
    for (const FinishedJob& job : schedule.finished()) {
        result.emplace(job.id, &job);
    }
    return result;
}

// The job in every run, in the order of the runs. Empty if some run did not finish it.
std::vector<const FinishedJob*> in_all(const std::vector<FinishedById>& runs, std::string_view id) {
    std::vector<const FinishedJob*> result;
    for (const FinishedById& run : runs) {
        const auto found = run.find(id);
        if (found == run.end()) {
            return {};
        }
        result.push_back(found->second);
    }
    return result;
}

std::string header(const std::vector<std::string>& labels) {
    std::string line = "job_id,kind,counted";
    for (const std::string& label : labels) {
        line += ',' + csv_text(label + "_wait") + ',' + csv_text(label + "_stretch");
    }
    return line + '\n';
}

}  // namespace

JobIds jobs_that_waited(const std::vector<MeasuredSchedule>& schedules) {
    JobIds result;
    for (const MeasuredSchedule& schedule : schedules) {
        analysis::require_same_jobs(schedules.front(), schedule);
        for (const FinishedJob& job : schedule.finished()) {
            if (analysis::wait(job) > Duration()) {
                result.insert(job.id);
            }
        }
    }
    return result;
}

void analysis::require_same_jobs(const MeasuredSchedule& one, const MeasuredSchedule& other) {
    const FinishedById finished = finished_by_id(one);
    for (const FinishedJob& job : other.finished()) {
        const auto found = finished.find(job.id);
        if (found != finished.end() && !is_same_job(job, found->second->submit, found->second->processors)) {
            throw InputError(other.path() + ": job " + shown(job.id) + ' ' + request_text(job.submit, job.processors) +
                             ", in " + one.path() + " it " +
                             request_text(found->second->submit, found->second->processors) +
                             ": expected schedules of one workload");
        }
    }
}

void analysis::require_same_finished_jobs(const MeasuredSchedule& baseline, const MeasuredSchedule& run) {
    require_same_jobs(baseline, run);
    const auto require_all = [](const MeasuredSchedule& from, const MeasuredSchedule& in) {
        const FinishedById finished = finished_by_id(in);
        for (const FinishedJob& job : from.finished()) {
            if (!finished.contains(job.id)) {
                const std::string_view id = job.id;
                const std::string_view first = id.substr(0, id.rfind('#'));
                throw InputError(in.path() + ": job " + shown(id) + " did not finish, but did in " + from.path() +
                                 (first != id && finished.contains(first)
                                      ? ", where job " + shown(first) + " was killed and submitted again"
                                      : std::string()) +
                                 ": expected the same jobs, to compare their waits");
            }
        }
    };
    require_all(baseline, run);
    require_all(run, baseline);
}

void write_compared_jobs(const std::string& path, const std::vector<std::string>& labels,
                         const std::vector<MeasuredSchedule>& schedules, const std::vector<Workload>& workloads,
                         const JobIds* counted_regular) {
    for (const MeasuredSchedule& schedule : schedules) {
        analysis::require_same_jobs(schedules.front(), schedule);
    }
    const std::vector<FinishedById> runs = mapped(schedules, finished_by_id);
    OutputFile file(path);
    file.write(header(labels));
    for (const Workload& workload : workloads) {
        for (const auto& [description, source] : workload.jobs) {
            const std::vector<const FinishedJob*> jobs = in_all(runs, description.id);
            if (jobs.empty()) {
                continue;
            }
            const bool regular = !description.deadline;
            const bool counted = !regular || counted_regular == nullptr || counted_regular->contains(description.id);
            std::string line = csv_text(description.id);
            line.append(regular ? ",regular" : ",deadline").append(counted ? ",1" : ",0");
            for (const FinishedJob* const job : jobs) {
                const std::optional<double> stretch = analysis::measure(*job, analysis::JobMeasure::stretch, {});
                line += ',' + exact(analysis::wait(*job).to_seconds());
                line += ',' + (stretch ? exact(*stretch) : "");
            }
            file.write(line + '\n');
        }
    }
    file.commit();
}

}  // namespace batfill
