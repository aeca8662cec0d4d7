#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>

#include "src/formats/log_builder.hpp"
#include "src/formats/record_field.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/place_in_errors.hpp"

namespace batfill {

// The readers of single files, which read_accounting() chooses from.
void read_sacct(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_philly(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_frontier(const std::string& path, const AccountingData& data, LogBuilder& builder);

// Reads a table in CSV by the mapping of `data`.
void read_table(const std::string& path, const AccountingData& data, LogBuilder& builder);

// Calls `begin` with the first row of a table, and `add` with each row. Errors get file and line. A row in which `add`
// throws an InputError is a bad row of the builder, and so is one that cannot be split into fields: `lose` gets it.
void for_each_row(const std::string& path, CsvFormat format, LogBuilder& builder, auto begin, auto add, auto lose) {
    const std::string place = path + ":";
    format.resumes_after_bad_rows = builder.drops_bad_rows();
    const std::function<void(const CsvRow&, const std::string&)> on_bad_row = [&](const CsvRow& row,
                                                                                  const std::string& problem) {
        const std::size_t line = row.line();
        with_place_in_errors(place + std::to_string(line), [&] { builder.add_bad_row(place, line, problem); });
        lose(row);
    };
    format.on_bad_row = &on_bad_row;
    const std::function<void()> on_names_again = [&] { builder.leave_out("line of column names again"); };
    format.on_names_again = &on_names_again;
    bool is_first = true;
    read_csv(path, format, [&](const CsvRow& row) {
        if (std::exchange(is_first, false)) {
            begin(row);
        }
        try {
            builder.read_row(place, row.line(), [&] { add(row); });
        } catch (const InputError& error) {
            row.fail(error.what());
        }
    });
}

}  // namespace batfill
