#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include <batfill/choice/written_scheduler.hpp>
#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>

#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::parameters_fuzzer {

namespace {

void check_line(const UsageError& problem) {
    const std::string_view line = problem.what();
    if (line.empty() || line.find('\n') != std::string_view::npos) {
        std::abort();
    }
}

// Makes a choice, unless it is refused.
void make(const WrittenScheduler& written) {
    try {
        const SchedulerChoice choice = choice_of(written);
    } catch (const UsageError& problem) {
        check_line(problem);
    }
}

}  // namespace

// A file of parameters is read, or refused in one line. Then its algorithm and all others accept its parameters, or
// refuse them in one line.
const Fuzzer fuzzer("parameters", [](std::string_view input) {
    const std::string text(input);
    try {
        const WrittenScheduler written = parse_scheduler_configuration(text);
        if (!written.algorithm.empty()) {
            make(written);
        }
        for (const AlgorithmDescription* algorithm : registered_algorithms()) {
            make({algorithm->name, written.parameters});
        }
    } catch (const UsageError& problem) {
        check_line(problem);
    }
});

}  // namespace batfill::tests::parameters_fuzzer
