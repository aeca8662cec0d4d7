#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"

// Rows of accounting data that cannot be read.
namespace batfill {

namespace {

constexpr std::size_t most_kinds = 20;

// A problem without what differs between rows: numbers, and texts in quotes.
std::string kind_of_problem(std::string_view problem) {
    std::string kind;
    char quote = '\0';
    for (const char c : problem) {
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c < '0' || c > '9') {
            kind += c;
        }
    }
    return kind;
}

}  // namespace

void LogBuilder::add_bad_row(const std::string& place, std::size_t number, const std::string& problem) {
    fields_.clear();
    notes_.clear();
    if (!data_.drops_bad_rows) {
        throw InputError(problem + "; --bad-rows drop leaves such rows out");
    }
    leave_out("row that cannot be read (--bad-rows drop)");
    const std::string kind = kind_of_problem(problem);
    auto found = std::ranges::find(bad_rows_, kind, &BadRowsOfKind::kind);
    if (found == bad_rows_.end() && bad_rows_.size() == most_kinds) {
        found = bad_rows_.end() - 1;  // which has all further kinds
    }
    if (found == bad_rows_.end()) {
        found = bad_rows_.insert(found, {kind, {place + std::to_string(number) + ": " + problem, 0}});
    }
    ++found->rows.rows;
}

void LogBuilder::take_back(std::size_t jobs) {
    std::vector<bool> erased(log_.jobs.size());
    std::fill(erased.begin() + static_cast<std::ptrdiff_t>(jobs), erased.end(), true);
    erase_jobs(erased);
}

}  // namespace batfill
