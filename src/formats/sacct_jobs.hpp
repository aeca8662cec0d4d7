#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/formats/accounting_readers.hpp"

// Jobs of Slurm, whichever form sacct printed them in.
namespace batfill {

// Resources that stay with a job. None: unknown.
struct SacctResources {
    std::optional<long long> gpus;
    std::optional<long long> nodes;
    std::optional<long long> memory;  // bytes
};

struct SacctJob {
    AccountedJob job;                       // "10+1" is the id of a component of the heterogeneous job 10
    std::array<std::string_view, 4> texts;  // its account, qos, name and reservation
    std::string dependency;                 // what it waited for, as a text; empty if the job has its conditions
    SacctResources resources;
    bool allocates_more = false;     // GPUs or memory are not in its request, and come from the allocation
    bool has_unclear_texts = false;  // CsvRow::has_unclear_texts()
    bool lacks_eligible = false;     // submit_when_eligible() does not know when
};

// Adds jobs to a log, and joins the components of heterogeneous jobs.
class SacctJobs {
 public:
    // Requires: `builder` outlives this object.
    explicit SacctJobs(LogBuilder& builder) : builder_(builder) {}

    // Adds what `read` returns for the row of this id. If it cannot be read, the heterogeneous job that it is a
    // component of is left out.
    // Throws: InputError as `read`, LogBuilder::add() and LogBuilder::join().
    void add(std::string_view id, std::size_t line, const std::function<SacctJob()>& read);
    // As add() with a row that cannot be read.
    void lose(std::string_view id);

 private:
    struct Component {
        std::string hosts;  // their names, separated by blanks; empty: unknown
        HostAmounts amounts;
    };
    // A run of a heterogeneous job. A requeued job has several runs, and each of its components a row for each run.
    struct Run {
        std::optional<std::size_t> place;  // in the log; none: it was left out
        std::array<std::string, 4> texts;
        std::string dependency;
        SacctResources resources;
        HostAmounts amounts;
        std::string partition;  // empty: unknown, or several
        std::vector<Component> components;
    };

    void add_component(const SacctJob& added, std::vector<Run>& runs, std::size_t run, std::size_t line);
    void lose_run(std::vector<Run>& runs, std::size_t run);
    // Returns the place of the job in the log; none if it is left out.
    std::optional<std::size_t> add_run(const SacctJob& added, std::size_t line);
    void join(const SacctJob& component, Run& run);
    // Raises the amounts of the run where its components shared hosts, and returns the number of its hosts. None: its
    // components do not name them.
    static std::optional<long long> count_shared_hosts(Run& run);

    LogBuilder& builder_;
    std::unordered_map<std::string, std::vector<Run>> heterogeneous_;
    std::unordered_map<std::string, std::size_t> rows_of_component_;
};

// Reads what a job waited for: its dependency, or else the option --dependency of the command that submitted it. It
// becomes conditions, or without `as_conditions` the dependency a text.
// Requires: the job has its id.
void read_dependency(std::string_view dependency, std::string_view submit_line, bool as_conditions, SacctJob& added);

// Reads the instant that a job waited for, if it `is_wanted`: the option --begin of that command.
// Requires: the job has its submission.
void read_begin(std::string_view submit_line, bool is_wanted, TimeZone& zone, AccountedJob& job);

// The hosts of a list of Slurm. None of an empty one, and of one with more than 100,000 hosts.
// Requires: hosts_in(list), or it is empty.
std::vector<LoggedHosts> logged_hosts(std::string_view list);

// Reads the output of `sacct --json`. `path` is used in messages only.
void read_sacct_json(std::string text, const std::string& path, const AccountingData& data, LogBuilder& builder);

}  // namespace batfill
