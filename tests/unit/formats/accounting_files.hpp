#pragma once

#include <string>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "tests/support/folder.hpp"

// Accounting data in small files.
namespace batfill::tests::accounting_files {

inline SwfLog read(const std::string& format, const std::string& text, AccountingData data = {}) {
    const Folder folder;
    folder.write("data", text);
    data.format = format;
    data.paths = {folder.file("data")};
    return read_accounting(data);
}

inline SwfLog read_csv_table(const std::string& text, ColumnMapping mapping, AccountingData data = {}) {
    data.mapping = std::move(mapping);
    return read("csv", text, std::move(data));
}

inline std::string problem_with(const std::string& format, const std::string& text) {
    try {
        read(format, text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

inline std::string id_of(const SwfLog& log, std::size_t job) {
    return std::string(log.ids[static_cast<std::size_t>(log.jobs.at(job).number)]);
}

inline std::string user_of(const SwfLog& log, std::size_t job) {
    return std::string(log.users[static_cast<std::size_t>(log.jobs.at(job).user)]);
}

inline std::string queue_of(const SwfLog& log, std::size_t job) {
    return std::string(log.queues[static_cast<std::size_t>(log.jobs.at(job).queue)]);
}

inline std::string fields_of(const SwfLog& log, std::size_t job) {
    return std::string(log.other_fields[log.jobs.at(job).other_fields]);
}

inline std::size_t count_of(const std::vector<RuleCount>& counts, const std::string& start) {
    for (const auto& [what, rows] : counts) {
        if (what.starts_with(start)) {
            return rows;
        }
    }
    return 0;
}

inline std::size_t count_of(const std::vector<NotedJobs>& notes, const std::string& start) {
    for (const auto& [what, jobs] : notes) {
        if (what.starts_with(start)) {
            return jobs.size();
        }
    }
    return 0;
}

}  // namespace batfill::tests::accounting_files
