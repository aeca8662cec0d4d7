#include "src/formats/sacct_columns.hpp"

#include <algorithm>

#include <batfill/core/error.hpp>

#include "src/formats/record_field.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

bool can_be_read(const auto& read) {
    try {
        read();
        return true;
    } catch (const InputError&) {
        return false;
    }
}

bool is_instant(std::string_view text) {
    TimeZone utc("");
    return can_be_read([&] { RecordField{"", text}.instant(utc); });
}

bool is_length(std::string_view text) {
    return can_be_read([&] { RecordField{"", text}.length(); });
}

bool is_number_of_slurm(std::string_view text) {
    return text.find_first_not_of("0123456789.-+KMGTPnc?") == std::string_view::npos;
}

bool is_word(std::string_view text) {
    return text.find_first_of(" \t\"") == std::string_view::npos;
}

bool is_missing_word(std::string_view text) {
    return RecordField{"", text}.is_missing();
}

// "cpu=4,mem=8G", "gpu:2".
bool is_list_of_resources(std::string_view text) {
    return is_missing_word(text) || (is_word(text) && text.find_first_of("=:") != std::string_view::npos);
}

bool is_list_of_hosts(std::string_view text) {
    return can_be_read([&] { RecordField{"", text}.hosts(); });
}

// "12", "12_[1-3]", "12+0".
bool is_id(std::string_view text) {
    return is_word(text) && !text.empty() && text.front() >= '0' && text.front() <= '9';
}

bool is_state(std::string_view text) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const std::string_view word = text.substr(0, text.find_first_not_of(letters));
    return !word.empty() && (word == text || text.substr(word.size()).starts_with(" by ") || text.ends_with('+'));
}

// Commands with a path, too. Others have ways of their own to submit jobs.
bool is_command(std::string_view text) {
    constexpr auto commands = std::to_array<std::string_view>({"sbatch", "srun", "salloc", "scrontab"});
    const std::string_view command = text.substr(0, text.find_first_of(" \t"));
    return is_missing_word(text) || is_word_of(command.substr(command.rfind('/') + 1), commands);
}

bool is_path(std::string_view text) {
    return text.starts_with('/') || is_missing_word(text);
}

// What stands in columns of these names, in any letters.
struct Form {
    bool (*has)(std::string_view text);
    std::array<std::string_view, 16> columns;  // rest: empty
};

constexpr std::array<Form, 9> forms = {{
    {is_instant, {"submit", "start", "end", "eligible"}},
    {is_length,
     {"elapsed", "timelimit", "cputime", "totalcpu", "systemcpu", "usercpu", "suspended", "reserved", "planned",
      "resvcpu", "plannedcpu", "avecpu", "mincpu"}},
    {is_number_of_slurm,
     {"elapsedraw", "timelimitraw", "cputimeraw", "alloccpus", "ncpus", "reqcpus", "nnodes", "allocnodes", "reqmem",
      "ntasks", "uid", "gid", "priority", "qosraw", "associd", "restarts"}},
    {is_word,
     {"user", "group", "account", "partition", "qos", "cluster", "reservation", "exitcode", "derivedexitcode",
      "oversubscribe", "exclusive", "dependency"}},
    {is_id, {"jobid", "jobidraw"}},
    {is_list_of_resources, {"alloctres", "reqtres", "allocgres", "reqgres"}},
    {is_list_of_hosts, {"nodelist"}},
    {is_state, {"state"}},
    {is_path, {"workdir"}},
}};

}  // namespace

bool may_stand_in_sacct(std::string_view column, std::string_view text) {
    return std::ranges::all_of(forms,
                               [&](const Form& form) { return !is_word_of(column, form.columns) || form.has(text); });
}

bool usually_begins_in_sacct(std::string_view column, std::string_view text) {
    return !equal_in_any_case(column, "SubmitLine") || is_command(text);
}

}  // namespace batfill
