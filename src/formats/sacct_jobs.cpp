#include "src/formats/sacct_jobs.hpp"

#include <algorithm>

#include "src/formats/tres.hpp"

namespace batfill {

namespace {

void add_fields(const auto& texts, const SacctResources& resources, LogBuilder& builder) {
    builder.add_field("account", texts.account);
    builder.add_field("qos", texts.qos);
    builder.add_field("name", texts.name);
    builder.add_field("reservation", texts.reservation);
    builder.add_field("gpus", resources.gpus);
    builder.add_field("nodes", resources.nodes);
    builder.add_field("memory", resources.memory);
}

// The sum of what is known, up to a limit.
std::optional<long long> sum_of(std::optional<long long> a, std::optional<long long> b) {
    if (!a || !b) {
        return a ? a : b;
    }
    return *a <= most_bytes - *b ? *a + *b : most_bytes;
}

}  // namespace

void SacctJobs::add(const SacctJob& added, std::size_t line) {
    if (added.component.empty()) {
        add_run(added, line);
        return;
    }
    std::vector<Run>& runs = heterogeneous_[std::string(added.job.id)];
    const std::size_t run = rows_of_component_[std::string(added.component)]++;
    if (run >= runs.size()) {
        runs.push_back({{},
                        std::string(added.account),
                        std::string(added.qos),
                        std::string(added.name),
                        std::string(added.reservation),
                        added.resources});
        runs.back().place = add_run(added, line);
    } else if (runs[run].place && (!added.job.start || times_of(added.job).missing != nullptr)) {
        builder_.leave_out("component of a heterogeneous job that never started");
    } else if (runs[run].place) {
        join(added, runs[run]);
    } else {
        builder_.leave_out("component of a heterogeneous job that is left out");
    }
}

std::optional<std::size_t> SacctJobs::add_run(const SacctJob& added, std::size_t line) {
    const AccountedJob& job = added.job;
    if (!job.start) {
        builder_.leave_out("never started");
        return std::nullopt;
    }
    if (!job.walltime && !builder_.has_limit(job.queue)) {
        builder_.note("time limit missing, UNLIMITED or Partition_Limit: unknown");
    }
    if (added.allocates_more) {
        builder_.note("GPUs or memory not in the request: those of the allocation");
    }
    add_fields(added, added.resources, builder_);
    return builder_.add(job, line);
}

void SacctJobs::join(const SacctJob& component, Run& run) {
    const SacctResources& more = component.resources;
    const SacctResources sum{sum_of(run.resources.gpus, more.gpus), sum_of(run.resources.nodes, more.nodes),
                             sum_of(run.resources.memory, more.memory)};
    add_fields(run, sum, builder_);
    builder_.join(*run.place, component.job);
    run.resources = sum;
}

}  // namespace batfill
