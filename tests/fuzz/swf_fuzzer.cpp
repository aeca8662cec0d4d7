#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::swf_fuzzer {

// The SWF reader and converter accept any text or refuse it with InputError, and lose no job.
const Fuzzer fuzzer("swf", [](std::string_view input) {
    try {
        const batfill::SwfLog log = batfill::parse_swf(input, "fuzz");
        batfill::count_anomalies(log);
        batfill::SwfConversion conversion;
        conversion.partitions = {1, 2};
        conversion.unit = 3;
        conversion.shift = true;
        const batfill::SwfWorkload converted = batfill::convert_swf(log, conversion);
        std::size_t jobs = converted.workload.jobs.size();
        for (const auto& rule : converted.summary.dropped) {
            jobs += rule.jobs;
        }
        if (jobs != log.jobs.size()) {
            std::abort();
        }
    } catch (const batfill::InputError&) {
    }
});

}  // namespace batfill::tests::swf_fuzzer
