#include <cstdint>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <batfill/core/error.hpp>

#include "report.hpp"
#include "src/support/files.hpp"
#include "src/support/sha256.hpp"

namespace batfill::report {

namespace {

constexpr std::size_t max_summary_size = 1 << 20;

// The file of the same run with `kind` instead of "jobs" in its name. None if it does not exist.
std::optional<std::string> file_beside(std::string jobs_path, const std::string& kind) {
    const std::size_t at = jobs_path.rfind("jobs.csv");
    if (at == std::string::npos) {
        return std::nullopt;
    }
    jobs_path.replace(at, 4, kind);
    return std::filesystem::is_regular_file(jobs_path) ? std::optional(jobs_path) : std::nullopt;
}

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> result;
    std::size_t from = 0;
    for (std::size_t comma = line.find(','); comma != std::string::npos; comma = line.find(',', from)) {
        result.push_back(line.substr(from, comma - from));
        from = comma + 1;
    }
    result.push_back(line.substr(from));
    return result;
}

// The names and values of a schedule.csv, which has one line of values.
std::vector<std::pair<std::string, std::string>> read_summary(const std::string& path) {
    const std::string text = InputFile(path).read_all(max_summary_size);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) {
        throw InputError(path + ":1: expected a line of values below the names of the columns");
    }
    const std::vector<std::string> names = fields(text.substr(0, end));
    const std::vector<std::string> values = fields(text.substr(end + 1, text.find('\n', end + 1) - end - 1));
    if (names.size() != values.size()) {
        throw InputError(path + ":2: expected " + std::to_string(names.size()) +
                         " values as there are columns, found " + std::to_string(values.size()));
    }
    std::vector<std::pair<std::string, std::string>> summary;
    for (std::size_t i = 0; i < names.size(); ++i) {
        summary.emplace_back(names[i], values[i]);
    }
    return summary;
}

// The lines of a statistics.csv after its header.
std::vector<std::pair<std::string, std::string>> read_statistics(const std::string& path) {
    std::vector<std::pair<std::string, std::string>> statistics;
    std::istringstream text(InputFile(path).read_all(max_summary_size));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        const std::vector<std::string> values = fields(line);
        if (values.size() != 2) {
            throw InputError(path + ":" + std::to_string(number) + ": expected a statistic and its value, found " +
                             std::to_string(values.size()) + " values");
        }
        if (number > 1) {
            statistics.emplace_back(values[0], values[1]);
        }
    }
    return statistics;
}

}  // namespace

SourceFile source_file(const std::string& path) {
    std::error_code is_no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, is_no_file);
    return {path, is_no_file ? 0 : size, sha256_of_file(path)};
}

void read_files_beside(const std::string& jobs_path, Run& run, std::vector<SourceFile>& files) {
    files.push_back(source_file(jobs_path));
    const auto take = [&](const char* kind, auto read, auto& into) {
        if (const auto path = file_beside(jobs_path, kind)) {
            into = read(*path);
            files.push_back(source_file(*path));
        }
    };
    take("schedule", read_summary, run.summary);
    take("statistics", read_statistics, run.statistics);
    take("guarantees", read_guarantees, run.guarantees);
    take("broken_guarantees", read_broken_guarantees, run.broken_guarantees);
}

}  // namespace batfill::report
