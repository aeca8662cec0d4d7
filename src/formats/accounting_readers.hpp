#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "src/support/calendar.hpp"
#include "src/support/csv_reader.hpp"

namespace batfill {

// What a row of accounting data says of a job. Instants count from 1970, or from the data's own time 0.
struct AccountedJob {
    std::string_view id;
    std::optional<Duration> submit;
    std::optional<Duration> start;
    std::optional<Duration> end;
    std::optional<Duration> wait;      // none: from submit and start
    std::optional<Duration> run_time;  // none: from start and end
    std::optional<Duration> walltime;
    long long requested = -1;  // processors; -1: unknown
    long long allocated = -1;
    std::string_view state;  // a word; empty: unknown
    std::string_view user;
    std::string_view queue;
};

// Collects the jobs of accounting data in a log.
class LogBuilder {
 public:
    // `path` is for messages.
    // Requires: `data` outlives this object.
    LogBuilder(const std::string& path, const AccountingData& data);

    // Growing the list of jobs step by step would need twice the memory.
    void reserve(std::size_t jobs) { log_.jobs.reserve(jobs); }
    TimeZone& zone() { return zone_; }

    // Counts a row that is left out under this rule.
    void leave_out(const char* rule) { ++left_out_[rule]; }
    // Notes a peculiarity of the next job. It counts once, and only if the job is added.
    void note(const char* rule) { notes_.insert(rule); }

    // A field that batfill does not know, of the next job; nothing if the text is empty. A text that is a number
    // becomes a number.
    void add_field(std::string_view name, std::string_view text);
    void add_field(std::string_view name, long long number);

    // Reads a row with `work`. If that throws an InputError, drops the row, or adds to the error how to drop it.
    // `place` and `number` name the row for a message, such as "jobs.txt:" and 3.
    template <class Work>
    void read_row(const std::string& place, std::size_t number, Work work) {
        try {
            work();
        } catch (const InputError& error) {
            add_bad_row(place, number, error.what());
        }
    }
    // Drops a row that cannot be read.
    // Throws: InputError, unless the data say that such rows are dropped. The caller names the place.
    void add_bad_row(const std::string& place, std::size_t number, const std::string& problem);
    // Whether add_bad_row() drops rows.
    bool drops_bad_rows() const { return data_.drops_bad_rows; }

    // Number of jobs so far.
    std::size_t jobs() const { return log_.jobs.size(); }
    // Removes all jobs but the first `jobs`.
    void take_back(std::size_t jobs);

    // Whether a job of this queue gets a walltime if it has none.
    bool has_limit(std::string_view queue) const {
        return !data_.partition_limits.empty() && data_.partition_limits.contains(queue);
    }

    // Adds a job; leaves it out if it never started, or has not ended. Returns its place in the log.
    // Throws: InputError for an id that a workload cannot have, and for a size above `most_processors`. The caller
    // names the place.
    std::optional<std::size_t> add(const AccountedJob& job, std::size_t line);
    // Adds the component of a heterogeneous job to its first component. The fields that were added since the last job
    // become those of the whole.
    // Throws: InputError if the sizes exceed `most_processors` together. The caller names the place.
    void join(std::size_t job, const AccountedJob& component);

    // The log. With `from_midnight`, time 0 becomes the midnight before the first submission.
    SwfLog finish(bool from_midnight);

 private:
    // Gives each text a number.
    class Names {
     public:
        long long number_of(std::string text);
        TextList take() { return std::move(texts_); }

     private:
        TextList texts_;
        std::unordered_map<std::string, long long> numbers_;
    };

    // Begins the next field of the next job.
    void begin_field(std::string_view name);
    // The text in UTF-8. Slurm writes texts in other encodings as they are: bytes that are not UTF-8 become escapes, as
    // in "Andr\xE9", and are noted.
    std::string valid_text(std::string_view text);
    // Gives a job without a time limit that of its queue.
    void limit_by_queue(const AccountedJob& job, SwfJob& added);
    void number_ids();
    // Makes one job of the parts of each job that was resized while it ran: Slurm has a row for each part.
    // Requires: number_ids() was called.
    void join_resized_parts();
    void erase_jobs(const std::vector<bool>& erased);
    void count_from_midnight();

    struct BadRowsOfKind {
        std::string kind;
        BadRows rows;
    };

    const AccountingData& data_;
    SwfLog log_;
    TimeZone zone_;
    Names users_;
    Names queues_;
    Names other_fields_;
    std::string fields_;  // of the next job
    std::map<std::string, std::size_t> left_out_;
    std::set<const char*> notes_;  // on the next job
    std::map<std::string, std::vector<std::uint32_t>> noted_;
    std::vector<BadRowsOfKind> bad_rows_;
    std::vector<std::uint32_t> resized_parts_;  // places of jobs that are only parts, before the last one
};

// The readers of single files, which read_accounting() chooses from.
void read_sacct(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_philly(const std::string& path, const AccountingData& data, LogBuilder& builder);
void read_frontier(const std::string& path, const AccountingData& data, LogBuilder& builder);

// Reads a table in CSV by the mapping of `data`.
void read_table(const std::string& path, const AccountingData& data, LogBuilder& builder);

// A field of a record: its name in the source, and its text, which is empty if the record has no such field.
// Throws: InputError with the field, its text and what was expected. The caller names the place.
struct RecordField {
    std::string_view name;
    std::string_view text;

    // Whether the text is a word that programs write for a missing value.
    bool is_missing() const;
    // No value if the text is missing.
    std::optional<Duration> instant(TimeZone& zone, TimeFormat format = TimeFormat::automatic) const;
    // No value also if the text says that there is no limit.
    std::optional<Duration> length() const;
    // A number of processors or nodes. No value also for -1.
    std::optional<long long> number() const;

    [[noreturn]] void fail(std::string_view expected) const;
};

// Calls `begin` with the first row of a table, and `add` with each row. Errors get file and line. A row in which `add`
// throws an InputError, and one that cannot be split into fields, is a bad row of the builder.
template <class Begin, class Add>
void for_each_row(const std::string& path, CsvFormat format, LogBuilder& builder, Begin begin, Add add) {
    const std::string place = path + ":";
    format.resumes_after_bad_rows = builder.drops_bad_rows();
    const std::function<void(std::size_t, const std::string&)> on_bad_row = [&](std::size_t line,
                                                                                const std::string& problem) {
        try {
            builder.add_bad_row(place, line, problem);
        } catch (const InputError& error) {
            throw InputError(place + std::to_string(line) + ": " + error.what());
        }
    };
    format.on_bad_row = &on_bad_row;
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

// The largest number of processors that a job can have.
inline constexpr long long most_processors = 2'147'483'646;

}  // namespace batfill
