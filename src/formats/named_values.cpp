#include "named_values.hpp"

#include <sstream>

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_size = std::size_t{1} << 20;

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

}  // namespace

NamedValues read_summary(const std::string& path) {
    const std::string text = InputFile(path).read_all(max_size);
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
    NamedValues summary;
    for (std::size_t i = 0; i < names.size(); ++i) {
        summary.emplace_back(names[i], values[i]);
    }
    return summary;
}

NamedValues read_statistics(const std::string& path) {
    return parse_named_values(InputFile(path).read_all(max_size), path);
}

NamedValues parse_named_values(const std::string& text, const std::string& path) {
    NamedValues named;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::vector<std::string> values = fields(line);
        if (values.size() != 2) {
            throw InputError(path + ":" + std::to_string(number) + ": expected a statistic and its value, found " +
                             std::to_string(values.size()) + " values");
        }
        if (number > 1) {
            named.emplace_back(values[0], values[1]);
        }
    }
    return named;
}

}  // namespace batfill
