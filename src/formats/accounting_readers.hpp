#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "log_builder.hpp"
#include "record_field.hpp"
#include "src/support/csv_reader.hpp"

namespace batfill {

// The readers of single files, which read_accounting() chooses from.
void read_sacct(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_philly(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_frontier(const std::string& path, const AccountingData& data, LogBuilder& builder);

// Reads a table in CSV by the mapping of `data`.
void read_table(const std::string& path, const AccountingData& data, LogBuilder& builder);

// Calls `add` with each row of a table. Errors get file and line.
template <class Add>
void for_each_row(const std::string& path, const CsvFormat& format, Add add) {
    read_csv(path, format, [&](const CsvRow& row) {
        try {
            add(row);
        } catch (const InputError& error) {
            row.fail(error.what());
        }
    });
}

// A size in bytes: "16G", "4000M", "2.5G", "16gb", "8388608kb", with or without a letter for bytes; a number without a
// unit counts `unit` bytes. No value if it is not a size, is above `most_bytes`, or is not a whole number of bytes.
std::optional<long long> read_bytes(std::string_view text, long long unit);

inline constexpr long long most_bytes = 9'000'000'000'000'000'000;

// The number of the item `name` in a list such as "billing=8,cpu=8,gres/gpu=2,mem=32G". None if it has no such item.
std::optional<std::string_view> item_of(std::string_view list, std::string_view name);

}  // namespace batfill
