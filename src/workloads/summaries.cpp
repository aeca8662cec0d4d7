#include "src/workloads/summaries.hpp"

#include <algorithm>
#include <ostream>

#include <batfill/core/error.hpp>

#include "src/support/csv_text.hpp"

namespace batfill {

void print_drawn_deadlines(const DrawnDeadlines& drawn, Duration floor, const std::string& factor,
                           const std::string& name, std::ostream& out) {
    out << one_line(name) << ": " << drawn.drawn << " of " << drawn.jobs << " jobs drawn, due after "
        << floor.to_shortest_string() << " s: " << drawn.at_floor << ", after " << factor
        << " walltimes: " << drawn.drawn - drawn.at_floor
        << " (without walltime, not drawn: " << drawn.jobs - drawn.with_walltime
        << "; deadlines removed: " << drawn.replaced << ")\n";
}

void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out) {
    const std::vector<WorkloadJob>& jobs = farm.workload.jobs;
    const auto per_cent = [&](auto holds) {
        const auto count = static_cast<double>(std::count_if(jobs.begin(), jobs.end(), holds));
        return rounded(100 * count / static_cast<double>(jobs.size()), 1) + " %";
    };
    out << one_line(platform_name) << ": " << model.machines << " machines with " << farm.workload.processors
        << " processors, " << model.licenses << " licences\n"
        << one_line(workload_name) << ": " << jobs.size() << " jobs, submitted over "
        << jobs.back().description.submit.since_zero().to_shortest_string() << " s\n"
        << "offered load " << rounded(offered_load(farm.workload), 4) << ", jobs with a deadline "
        << per_cent([](const WorkloadJob& job) { return job.description.deadline.has_value(); }) << ", with licences "
        << per_cent([](const WorkloadJob& job) { return !job.description.licenses.empty(); }) << '\n';
}

void print_lublin_workload(const Workload& workload, const std::string& name, std::ostream& out) {
    const auto per_cent = [&](auto holds) {
        const auto count = std::count_if(workload.jobs.begin(), workload.jobs.end(), [&](const WorkloadJob& job) {
            return holds(static_cast<unsigned>(job.description.processors));
        });
        return rounded(100 * (static_cast<double>(count) / static_cast<double>(workload.jobs.size())), 1) + " %";
    };
    const double days = workload.jobs.back().description.submit.to_seconds() / Duration::days(1).to_seconds();
    out << one_line(name) << ": " << workload.jobs.size() << " jobs for " << workload.processors
        << " processors, submitted over " << rounded(days, 2) << " days\noffered load "
        << rounded(offered_load(workload), 4) << ", serial jobs " << per_cent([](unsigned size) { return size == 1; })
        << ", sizes that are powers of two " << per_cent([](unsigned size) { return (size & (size - 1)) == 0; })
        << '\n';
}

}  // namespace batfill
