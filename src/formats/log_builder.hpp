#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>
#include <batfill/formats/swf.hpp>

#include "src/formats/job_times.hpp"
#include "src/support/calendar.hpp"

namespace batfill {

// Collects the jobs of accounting data in a log.
class LogBuilder {
 public:
    // `path` is for messages.
    // Requires: `data` outlives this object.
    LogBuilder(const std::string& path, const AccountingData& data);

    // Growing the list of jobs step by step would need twice the memory.
    void reserve(std::size_t jobs) { log_.jobs.reserve(jobs); }
    TimeZone& zone() { return zone_; }
    // The next jobs are those of another file.
    void begin_file() { first_of_file_.push_back(static_cast<std::uint32_t>(log_.jobs.size())); }

    // Counts a row that is left out under this rule.
    void leave_out(const char* rule) { ++left_out_[rule]; }
    // Leaves out a job that was added, under this rule. finish() does it: until then the job has its place.
    void leave_out_later(std::size_t job, const char* rule) {
        leave_out(rule);
        left_out_later_.push_back(job);
    }
    // Notes a peculiarity of the next job. It counts once, and only if the job is added.
    void note(const char* rule) { notes_.insert(rule); }

    // Counts a field of the next job as read from this column. As above.
    void read_from(const char* field, std::string_view column) { columns_.emplace(field, column); }

    // As the field in read_from(): the column is a resource that becomes nothing of the job.
    static constexpr const char* not_kept = "not kept";

    // A field that batfill does not know, of the next job; nothing if the text is empty or there is no number. A text
    // that is a number becomes a number.
    void add_field(std::string_view name, std::string_view text);
    void add_field(std::string_view name, std::optional<long long> number);

    // Reads a row with `work`. If that throws an InputError, drops the row, or adds to the error how to drop it.
    // `place` and `number` name the row for a message, such as "jobs.txt:" and 3.
    void read_row(const std::string& place, std::size_t number, auto work) {
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

    // Keeps how many tasks of an array may run at once, if jobs get arrays: as `text` says it, a command that submitted
    // jobs, or what array_limit_in() reads. The array is that of a task, or of what has not started of it: "12_3",
    // "12_[4-9%2]".
    void limit_array(std::string_view id, std::string_view text);

    // Whether a job of this queue gets a walltime if it has none.
    bool has_limit(std::string_view queue) const {
        return !data_.partition_limits.empty() && data_.partition_limits.contains(queue);
    }

    // Which fields for hosts and partitions jobs get.
    const ResourceFields& fields() const { return data_.fields; }

    // Adds a job; leaves it out if it never started, has not ended, or has an unknown number of hosts where jobs get
    // `per_host`. Returns its place in the log.
    // Throws: InputError for an empty id, and for a size above `most_processors`. The caller names the place.
    std::optional<std::size_t> add(const AccountedJob& job, std::size_t line);
    // Adds the component of a heterogeneous job to its first component. The fields that were added since the last job
    // become those of the whole, and so do `amounts` and `partition`. `hosts`: the number of hosts of the whole; none:
    // the sum of those of the components.
    // Throws: InputError if the sizes exceed `most_processors` together. The caller names the place.
    void join(std::size_t job, const AccountedJob& component, const HostAmounts& amounts, std::string_view partition,
              std::optional<long long> hosts);

    // The log. Of equal runs, which two files have, the first is kept. Ids that a workload cannot have are changed.
    // With `from_midnight`, time 0 becomes the midnight before the first submission.
    SwfLog finish(bool from_midnight);

 private:
    // Gives each text a number.
    class Names {
     public:
        long long number_of(std::string text);
        bool knows(const std::string& text) const { return numbers_.contains(text); }
        TextList take() { return std::move(texts_); }

     private:
        TextList texts_;
        std::unordered_map<std::string, long long> numbers_;
    };

    // The text in UTF-8. Slurm writes texts in other encodings as they are: bytes that are not UTF-8 become escapes, as
    // in "Andr\xE9", and are noted.
    std::string valid_text(std::string_view text);
    // Decides in which of the two hours that clocks showed alike jobs were submitted, where the order of their ids
    // does: those after the set back have larger ids.
    // Requires: number_ids() was called.
    void decide_hours_shown_twice();
    // Decides it for runs that were submitted again: not before the run before them had ended, and mostly just then.
    // Returns all such runs: their submissions are not in the order of ids.
    std::set<std::uint32_t> decide_by_runs_before();
    // The submission of a job becomes this, which `rule` notes.
    void decide_submission(std::uint32_t job, Instant submit, const char* rule);
    // Decides it for the jobs of one such hour.
    void decide_hour_shown_twice(std::vector<std::uint32_t> jobs);
    // The times of a job in the log become these.
    void set_times(std::uint32_t job, const AccountedJob& record, const JobTimes& times);
    void number_ids();
    void leave_out_equal_runs();
    // Leaves out what leave_out_later() got.
    void leave_out_marked();
    // Marks repeated ones among rows of one id, submission and start.
    void mark_repeated(std::vector<std::uint32_t> rows, bool start_is_known, std::vector<bool>& is_repeated);
    // Marks all but one of rows that are equal, or, if they are not one run, all but those of the file that has most.
    // Adds those that are not marked to `different`.
    void keep_one_of_equal(const std::vector<std::uint32_t>& rows, bool are_one_run,
                           std::vector<std::uint32_t>& different, std::vector<bool>& is_repeated);
    // The number of the job's file.
    std::size_t file_of(std::uint32_t job) const;
    // Makes one job of the parts of each job that was resized while it ran: Slurm has a row for each part.
    // Requires: number_ids() was called.
    void join_resized_parts();
    // Requires: one entry for each job.
    void erase_jobs(const std::vector<bool>& erased);
    // Gives a job without a time limit that of its queue.
    void limit_by_queue(const AccountedJob& job, SwfJob& added);
    void change_unusable_ids();
    // Conditions get the ids that their jobs have got.
    void change_ids_in_conditions(const std::map<std::string, std::string, std::less<>>& changed);
    // Returns the place of the job's conditions in SwfLog::conditions.
    std::uint32_t add_conditions(const AccountedJob& job);
    void count_from_midnight();
    // What the job gets for `per_host`, `memory_pool` and `partition`, also as fields. Returns its place in
    // SwfLog::needs.
    std::uint32_t add_needs(const AccountedJob& job);
    // What the job took of its hosts, without the memory that is of a pool. None: there is no such pool.
    std::optional<HostAmounts> without_memory_of_pool(const AccountedJob& job) const;
    // What the job gets for these fields.
    LoggedNeeds needs_of(const AccountedJob& job);
    // Returns their place in SwfLog::hosts.
    std::uint32_t add_hosts(std::vector<LoggedHosts> hosts);
    // The job of several components was read from the columns of its whole.
    void count_columns_of_joined();
    void note_columns(const AccountedJob& job);
    // The notes and columns of the next job become those of this one.
    void keep_notes(std::size_t job);
    void forget_notes() {
        notes_.clear();
        columns_.clear();
    }

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
    std::string fields_;                                    // of the next job
    std::unordered_map<std::string, std::uint32_t> needs_;  // their places by their text
    std::vector<std::uint32_t> first_of_file_;
    std::map<std::string, std::size_t> left_out_;
    std::vector<std::size_t> left_out_later_;                // places of jobs
    std::set<const char*> notes_;                            // on the next job
    std::set<std::pair<std::string, std::string>> columns_;  // of the next job: fields, and where they stand
    std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>> jobs_of_column_;
    std::map<std::uint32_t, std::set<std::pair<std::string, std::string>>> columns_of_joined_;  // by place of the job
    std::unordered_map<std::string, std::uint32_t> hosts_;                                      // by their text
    std::map<std::string, std::vector<std::uint32_t>> noted_;
    std::vector<BadRowsOfKind> bad_rows_;
    std::vector<std::uint32_t> resized_parts_;  // places of jobs that are only parts, before the last one
    struct Repeated {
        std::size_t in_file = 0;
        std::size_t of_other_file = 0;
    };
    Repeated repeated_;              // rows that are equal to others
    std::size_t skipped_times_ = 0;  // jobs with a time that no clock showed
    std::size_t signs_of_zone_ = 0;  // jobs whose times look as if clocks were set while they ran
    // The instants and lengths of jobs in an hour that clocks showed twice.
    std::map<std::uint32_t, AccountedJob> shown_twice_;
    // The jobs that started before their submission, with their waits. In the log they wait 0 s.
    std::map<std::uint32_t, Duration> negative_waits_;
};

}  // namespace batfill
