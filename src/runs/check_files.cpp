#include "src/runs/check_files.hpp"

#include "src/formats/named_platform.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/mapped.hpp"

namespace batfill::runs {

CheckReport check_files(const CheckRequest& request, const Note& note) {
    std::optional<std::vector<Guarantee>> guarantees;
    std::optional<std::vector<BrokenGuarantee>> broken;
    if (request.guarantees) {
        guarantees = read_guarantees(*request.guarantees);
    }
    if (request.broken_guarantees) {
        broken = read_broken_guarantees(*request.broken_guarantees);
    }
    const auto read = [&](const auto& path) { return read_external_events(path, request.unknown_events_allowed); };
    const Platform platform = named_platform(request.platform, request.machine);
    const auto schedule = [&](const auto& use) { for_each_job(request.schedule, use, note); };
    return check_schedule(schedule, read_named_workloads(request.workloads, note), platform, request.options,
                          guarantees ? &*guarantees : nullptr, broken ? &*broken : nullptr,
                          mapped(request.events, read));
}

}  // namespace batfill::runs
