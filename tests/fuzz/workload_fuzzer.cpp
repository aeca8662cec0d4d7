#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

#include "src/formats/job_json.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::workload_fuzzer {

namespace {

// Sources have six decimals. Inputs with half a microsecond may round either way.
bool same_instant(Duration a, Duration b) {
    const Duration microsecond = Duration::microseconds(1);
    return a - b <= microsecond && b - a <= microsecond;
}

void check_source(const WorkloadJob& job) {
    JsonReader reader;
    const JobDescription read = read_job(reader.parse(job.source));
    if (read.id != job.description.id || read.processors != job.description.processors ||
        read.profile != job.description.profile || read.licenses != job.description.licenses ||
        read.needs != job.description.needs ||
        !same_instant(read.submit.since_zero(), job.description.submit.since_zero())) {
        std::abort();
    }
}

// Deadlines that are added to the text read back, and nothing else changes.
void check_deadlines(const std::string& text, Workload workload) {
    std::vector<std::optional<Time>> deadlines(workload.jobs.size());
    for (std::size_t i = 0; i < deadlines.size(); ++i) {
        if (i % 2 == 0) {
            deadlines[i] = Time::seconds(static_cast<long long>(i));
        }
        workload.jobs[i].description.deadline = deadlines[i];
    }
    const Workload changed = parse_workload(with_deadlines(text, deadlines), "fuzz", "w0");
    for (std::size_t i = 0; i < deadlines.size(); ++i) {
        if (changed.jobs.at(i).description != workload.jobs[i].description) {
            std::abort();
        }
    }
}

// None if the text is refused.
std::optional<Workload> read(const std::string& text) {
    try {
        return parse_workload(text, "fuzz", "w0", true);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace

// Either InputError refuses the text, or it reads as a workload. Then the jobs' sources repeat what was read, and
// deadlines can be added.
const Fuzzer fuzzer("workload", [](std::string_view input) {
    const std::string text(input);
    const std::optional<Workload> workload = read(text);
    if (workload) {
        for (const WorkloadJob& job : workload->jobs) {
            check_source(job);
            if (!workload->profiles.contains(job.description.profile)) {
                std::abort();
            }
        }
        check_deadlines(text, *workload);
    }
});

}  // namespace batfill::tests::workload_fuzzer
