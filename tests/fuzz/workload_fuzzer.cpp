#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <batfill/error.hpp>
#include <batfill/workload.hpp>

#include "protocol/job_json.hpp"

namespace {

using namespace batfill;

// Sources have six decimals, which may round the other way where the input is half a microsecond.
bool same_instant(Duration a, Duration b) {
    const Duration microsecond = Duration::microseconds(1);
    return a - b <= microsecond && b - a <= microsecond;
}

void check_source(const WorkloadJob& job) {
    protocol::JsonReader reader;
    const JobDescription read = protocol::read_job(reader.parse(job.source));
    if (read.id != job.description.id || read.processors != job.description.processors ||
        read.profile != job.description.profile || read.licenses != job.description.licenses ||
        !same_instant(read.submit.since_zero(), job.description.submit.since_zero())) {
        std::abort();
    }
}

}  // namespace

// A text reads as a workload whose jobs' sources say what was read, or is refused with InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Workload workload = parse_workload({reinterpret_cast<const char*>(data), size}, "fuzz", "w0", true);
        for (const WorkloadJob& job : workload.jobs) {
            check_source(job);
            if (!workload.profiles.contains(job.description.profile)) {
                std::abort();
            }
        }
    } catch (const InputError&) {
    }
    return 0;
}
