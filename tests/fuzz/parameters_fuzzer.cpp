#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <batfill/algorithm.hpp>
#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/scheduler_choice.hpp>

namespace {

using namespace batfill;

void check_line(const UsageError& problem) {
    const std::string_view line = problem.what();
    if (line.empty() || line.find('\n') != std::string_view::npos) {
        std::abort();
    }
}

// Makes the algorithm with these parameters, or is refused.
void make(const SchedulerChoice& choice) {
    try {
        const Engine engine(choice.algorithm, choice.parameters);
    } catch (const UsageError& problem) {
        check_line(problem);
    }
}

}  // namespace

// A file of parameters is read or refused in one line, and so is what it says, by the algorithm that it names and by
// all others.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const SchedulerChoice choice = parse_scheduler_configuration(text);
        if (!choice.algorithm.empty()) {
            make(choice);
        }
        for (const AlgorithmDescription* algorithm : registered_algorithms()) {
            make({algorithm->name, choice.parameters});
        }
    } catch (const UsageError& problem) {
        check_line(problem);
    }
    return 0;
}
