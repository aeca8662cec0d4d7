#include "src/formats/named_values.hpp"

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

constexpr std::size_t max_size = std::size_t{1} << 20;

NamedValues read_summary(const std::string& path) {
    const std::string text = InputFile(path).read_all(max_size);
    const auto [header, rest] = cut(text, '\n');
    refuse_if<InputError>(header.size() == text.size(), path,
                          ":1: expected a line of values below the names of the columns");
    const std::vector<std::string_view> names = split(header, ',');
    const std::vector<std::string_view> values = split(cut(rest, '\n').first, ',');
    refuse_if<InputError>(names.size() != values.size(), path, ":2: expected ", names.size(),
                          " values as there are columns, found ", values.size());
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
    for_each_line_in(text, path, max_size, [&](std::string_view line, std::size_t number) {
        const std::vector<std::string_view> values = split(line, ',');
        refuse_if<InputError>(values.size() != 2, "expected a statistic and its value, found ", values.size(),
                              " values");
        if (number > 1) {
            named.emplace_back(values[0], values[1]);
        }
    });
    return named;
}

}  // namespace batfill
