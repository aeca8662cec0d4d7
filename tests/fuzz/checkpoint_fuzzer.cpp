#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/tuning/checkpoint.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::checkpoint_fuzzer {

namespace {

constexpr std::size_t workloads = 3;
constexpr std::size_t evaluations = 50;

using Values = std::vector<std::optional<double>>;

// The values that a run finds in the file; none if it refuses the file. Adds one value if `adds`.
std::optional<Values> found(const std::string& path, bool adds) {
    try {
        Checkpoint checkpoint(path, "run", workloads, evaluations);
        Values values;
        std::size_t count = 0;
        for (std::size_t i = 0; i < workloads * evaluations; ++i) {
            values.push_back(checkpoint.find(i / evaluations, i % evaluations));
            count += values.back() ? 1U : 0U;
        }
        if (count != checkpoint.found()) {
            std::abort();
        }
        if (adds) {
            checkpoint.add(workloads - 1, evaluations - 1, 0.1);
        }
        return values;
    } catch (const InputError& problem) {
        if (std::string_view(problem.what()).substr(0, path.size()) != path) {
            std::abort();
        }
        return std::nullopt;
    }
}

}  // namespace

// Either the file is refused, or every later run finds the same values and those added since, however often it is
// killed.
const Fuzzer fuzzer("checkpoint", [](std::string_view input) {
    static const std::string path = std::filesystem::temp_directory_path() /
                                    ("batfill-checkpoint-fuzzer-" + std::to_string(getpid()) + ".checkpoint");
    std::ofstream(path, std::ios::binary) << input;
    if (std::optional<Values> values = found(path, false)) {
        if (found(path, true) != values) {
            std::abort();
        }
        values->back() = 0.1;
        if (found(path, false) != values) {
            std::abort();
        }
    }
    std::filesystem::remove(path);
});

}  // namespace batfill::tests::checkpoint_fuzzer
