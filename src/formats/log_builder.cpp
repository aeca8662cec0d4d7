#include "src/formats/log_builder.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include <boost/locale/utf.hpp>

#include <batfill/core/error.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/logged_conditions.hpp"
#include "src/formats/record_field.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr Duration unknown = Duration::seconds(-1);

// Whether a text is a number as a person would write it, with at most 15 digits. Every reader takes such a text for the
// same number.
bool is_number(std::string_view text) {
    constexpr std::size_t most_digits = 15;
    if (text.starts_with('-')) {
        text.remove_prefix(1);
        if (text.find_first_of("123456789") == std::string_view::npos) {
            return false;
        }
    }
    const auto [whole, decimals] = cut(text, '.');
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return digits(whole) && (whole.size() == 1 || whole.front() != '0') &&
           whole.size() + decimals.size() <= most_digits && (whole.size() == text.size() || digits(decimals));
}

constexpr int not_ended = -2;
constexpr int ended_somehow = -1;
constexpr int resized = -3;  // the end of a part of the job, which went on with another size

// Words for states, and their status in SWF. Jobs that have not ended wait or run.
struct StateWords {
    int status;
    std::array<std::string_view, 9> words;  // rest: empty
};

// "CANCELLED by 1000" is a cancelled job. None for an unknown word.
std::optional<int> status_of(std::string_view state) {
    static constexpr std::array<StateWords, 6> known = {{
        {1, {"completed", "pass"}},
        {0,
         {"failed", "timeout", "node_fail", "out_of_memory", "preempted", "deadline", "boot_fail", "launch_failed",
          "reconfig_fail"}},
        {5, {"cancelled", "killed"}},
        {ended_somehow, {"requeued", "revoked"}},
        {not_ended, {"running", "pending", "suspended", "completing", "configuring", "queued"}},
        {resized, {"resizing"}},
    }};
    const std::string_view word = state.substr(0, state.find(' '));
    if (word.empty()) {
        return ended_somehow;
    }
    const auto* const found =
        std::ranges::find_if(known, [&](const StateWords& group) { return is_word_of(word, group.words); });
    return found == known.end() ? std::nullopt : std::optional(found->status);
}

// The rule by which a job is left out for what its record lacks; null: none.
const char* rule_without(std::optional<int> status, const JobTimes& times, bool has_size) {
    if (status == not_ended) {
        return "has not ended yet, by its state";
    }
    return times.missing != nullptr || has_size ? times.missing : host_rules::no_hosts;
}

// Whether the instants of a job are an hour off its run time, as those of local clocks that were set while it ran.
bool looks_like_set_clocks(const AccountedJob& job) {
    if (!job.start || !job.end) {
        return false;
    }
    const Duration interval = job.end->first - job.start->first;
    const Duration off = job.run_time ? interval - *job.run_time : Duration();
    const bool is_an_hour = off == Duration::seconds(3600) || off == Duration::seconds(-3600);
    return is_an_hour || (interval < Duration() && -interval < Duration::seconds(3600));
}

constexpr std::size_t most_kinds = 20;  // of rows that cannot be read

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

void require_possible_size(long long processors) {
    refuse_if<InputError>(processors > most_processors, "expected at most ", most_processors, " processors, found ",
                          processors);
}

}  // namespace

long long LogBuilder::Names::number_of(std::string text) {
    const auto [known, is_new] = numbers_.try_emplace(std::move(text), static_cast<long long>(texts_.size()));
    if (is_new) {
        texts_.add(known->first);
    }
    return known->second;
}

LogBuilder::LogBuilder(const std::string& path, const AccountingData& data) : data_(data), zone_(data.time_zone) {
    log_.path = path;
    log_.read_fields = data.fields;
    if (data.fields.per_host || data.fields.partition || data.fields.memory_pool || data.fields.licenses) {
        log_.needs.emplace_back();
    }
    log_.hosts.resize(data.keeps_hosts ? 1 : 0);
    log_.conditions.resize(data.fields.waits() ? 1 : 0);
    other_fields_.number_of("");
}

void LogBuilder::add_field(std::string_view name, std::optional<long long> number) {
    if (number) {
        JsonWriter::behind(fields_).key(name).integer(*number);
    }
}

void LogBuilder::add_field(std::string_view name, std::string_view text) {
    const RecordField field{name, text};
    if (name == "name" ? field.name_or_empty().empty() : field.is_missing()) {
        return;
    }
    JsonWriter json = JsonWriter::behind(fields_);
    json.key(name);
    if (const auto whole = number_in<long long>(text); whole && is_number(text)) {
        json.raw(text);
    } else if (is_number(text)) {
        append_exact_json(JsonValue(number_in<double>(text).value_or(0)), json.value());
    } else {
        json.text(valid_text(text));
    }
}

std::optional<std::size_t> LogBuilder::add(const AccountedJob& job, std::size_t line) {
    const std::uint32_t needs = add_needs(job);
    std::string fields = std::exchange(fields_, {});
    refuse_if<InputError>(job.id.empty(), "the id is empty, expected a text");
    require_possible_size(std::max(job.requested, job.allocated));
    const std::optional<int> status = status_of(job.state);
    if (!status) {
        note("state that batfill does not know: the job counts as ended");
    }
    const JobTimes times = times_of(job);
    const bool has_size = !data_.fields.per_host || std::max(job.requested, job.allocated) > 0;
    const char* const missing = rule_without(status, times, has_size);
    if (missing != nullptr) {
        leave_out(missing);
        forget_notes();
        return std::nullopt;
    }
    const auto place = static_cast<std::uint32_t>(log_.jobs.size());
    if (times.has_several_readings) {
        note(shown_twice);
        AccountedJob& record = shown_twice_[place];
        std::tie(record.submit, record.start, record.end) = std::tie(job.submit, job.start, job.end);
        std::tie(record.wait, record.run_time) = std::tie(job.wait, job.run_time);
    }
    if (times.shows_skipped_time) {
        ++skipped_times_;
    }
    if (data_.time_zone.empty() && looks_like_set_clocks(job)) {
        ++signs_of_zone_;
    }
    if (times.exceeds_its_interval) {
        note("run time longer than from start to end");
    }
    if (times.has_another_unit) {
        note("run time 60 or 3600 times shorter than from start to end");
    }
    SwfJob added;
    added.line = static_cast<std::uint32_t>(line);
    added.needs = needs;
    added.conditions = add_conditions(job);
    added.number = static_cast<long long>(log_.ids.add(valid_text(job.id)));
    added.requested_time = job.walltime.value_or(unknown);
    added.requested_processors = job.requested;
    added.allocated_processors = job.allocated;
    added.status = std::max(status.value_or(ended_somehow), ended_somehow);
    limit_by_queue(job, added);
    const auto number_of = [this](std::string_view text, Names& names) {
        const std::string_view name = RecordField{"", text}.name_or_empty();
        return name.empty() ? -1 : names.number_of(valid_text(name));
    };
    added.user = number_of(job.user, users_);
    added.queue = number_of(job.queue, queues_);
    added.other_fields = static_cast<std::uint32_t>(other_fields_.number_of(std::move(fields)));
    if (data_.keeps_hosts) {
        added.hosts = add_hosts(job.hosts);
    }
    keep_notes(log_.jobs.size());
    if (status == resized) {
        resized_parts_.push_back(static_cast<std::uint32_t>(log_.jobs.size()));
    }
    log_.jobs.push_back(added);
    set_times(place, job, times);
    return log_.jobs.size() - 1;
}

void LogBuilder::set_times(std::uint32_t job, const AccountedJob& record, const JobTimes& times) {
    SwfJob& added = log_.jobs[job];
    added.submit = times.submit.value_or(unknown);
    added.run_time = times.run_time.value_or(unknown);
    added.wait = times.wait.value_or(unknown);
    negative_waits_.erase(job);
    if (added.wait < Duration() && record.wait != unknown && times.wait) {
        negative_waits_.emplace(job, added.wait);
        added.wait = Duration();
    }
}

void LogBuilder::decide_submission(std::uint32_t job, Instant submit, const char* rule) {
    AccountedJob& record = shown_twice_.at(job);
    record.submit = submit;
    const JobTimes times = times_of(record);
    const Duration run_time = log_.jobs[job].run_time;  // of all components
    set_times(job, record, times);
    if (record.run_time) {
        log_.jobs[job].run_time = run_time;
    }
    noted_[rule].push_back(job);
    if (!times.has_several_readings) {
        std::erase(noted_[shown_twice], job);
    }
}

std::set<std::uint32_t> LogBuilder::decide_by_runs_before() {
    constexpr Duration at_once = Duration::seconds(60);
    std::set<std::uint32_t> later_runs;
    std::unordered_map<long long, std::vector<std::uint32_t>> runs;  // by the number of their job
    for (const auto& [job, record] : shown_twice_) {
        runs[log_.jobs[job].number];
    }
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        if (const auto found = runs.find(log_.jobs[job].number); found != runs.end()) {
            found->second.push_back(job);
        }
    }
    for (const auto& [job, record] : shown_twice_) {
        if (!record.submit || !record.submit->second) {
            continue;
        }
        const Duration earlier = record.submit->first;
        const Duration later = *record.submit->second;
        std::optional<Duration> last_end;  // of the runs before it
        for (const std::uint32_t other : runs.at(log_.jobs[job].number)) {
            const SwfJob& run = log_.jobs[other];
            const Duration end = run.submit + std::max(run.wait, Duration()) + std::max(run.run_time, Duration());
            if (run.submit >= Duration() && run.submit < earlier && end <= later) {
                last_end = std::max(last_end.value_or(end), end);
            }
        }
        if (!last_end) {
            continue;
        }
        later_runs.insert(job);
        if (*last_end > earlier || earlier - *last_end <= at_once) {
            decide_submission(job, *last_end > earlier ? later : earlier,
                              "hour that clocks showed twice: the end of the run before decides");
        }
    }
    return later_runs;
}

void LogBuilder::decide_hours_shown_twice() {
    const std::set<std::uint32_t> later_runs = decide_by_runs_before();
    std::map<Microseconds, std::vector<std::uint32_t>> by_day;  // clocks are set back once in a day at most
    for (const auto& [job, record] : shown_twice_) {
        if (record.submit && record.submit->second && !later_runs.contains(job)) {
            by_day[record.submit->first.count() / Duration::days(1).count()].push_back(job);
        }
    }
    for (auto& [day, jobs] : by_day) {
        decide_hour_shown_twice(std::move(jobs));
    }
    std::erase_if(noted_, [](const auto& rule) { return rule.second.empty(); });
}

void LogBuilder::decide_hour_shown_twice(std::vector<std::uint32_t> jobs) {
    const auto number_of = [this](std::uint32_t job) {
        const std::string_view id = log_.ids[static_cast<std::size_t>(log_.jobs[job].number)];
        return number_in<long long>(id.substr(0, id.find_first_not_of("0123456789")));
    };
    std::erase_if(jobs, [&](std::uint32_t job) { return !number_of(job); });
    const auto first_reading = [this](std::uint32_t job) { return shown_twice_.at(job).submit->first; };
    std::ranges::stable_sort(jobs, {},
                             [&](std::uint32_t job) { return std::pair(*number_of(job), first_reading(job)); });
    // Among ids that grow, local times fall where clocks were set back. Runs that were submitted again fall elsewhere.
    std::size_t falls = 0;
    std::size_t set_back = 0;
    Duration largest_fall;
    for (std::size_t i = 1; i < jobs.size(); ++i) {
        const Duration fall = first_reading(jobs[i - 1]) - first_reading(jobs[i]);
        falls += fall > Duration() ? 1U : 0U;
        if (fall > largest_fall) {
            largest_fall = fall;
            set_back = i;
        }
    }
    if (falls == 0 || (falls > 1 && largest_fall < Duration::seconds(1800))) {
        return;
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Instant& submit = *shown_twice_.at(jobs[i]).submit;
        decide_submission(jobs[i], i < set_back ? submit.first : *submit.second,
                          "hour that clocks showed twice: the order of ids decides which");
    }
}

void LogBuilder::add_bad_row(const std::string& place, std::size_t number, const std::string& problem) {
    fields_.clear();
    forget_notes();
    refuse_if<InputError>(!data_.drops_bad_rows, problem, "; --bad-rows drop leaves such rows out");
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

std::string LogBuilder::valid_text(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        return std::string(text);  // as almost all are
    }
    std::string valid;
    while (!text.empty()) {
        const char* rest = text.data();
        const auto code = boost::locale::utf::utf_traits<char>::decode(rest, text.data() + text.size());
        if (code == boost::locale::utf::illegal || code == boost::locale::utf::incomplete) {
            note(R"(text that is not UTF-8: its bytes are written as \x80 to \xFF)");
            rest = text.data() + 1;
            valid += one_line(text.substr(0, 1));
        } else {
            valid.append(text.data(), rest);
        }
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    }
    return valid;
}

void LogBuilder::join(std::size_t job, const AccountedJob& component, const HostAmounts& amounts,
                      std::string_view partition, std::optional<long long> hosts) {
    notes_.insert("heterogeneous job: a component joined to the first one");
    SwfJob& whole = log_.jobs.at(job);
    const auto sum = [](long long total, long long more) {
        require_possible_size(more);
        const long long result = more > 0 ? std::max(total, 0LL) + more : total;
        require_possible_size(result);
        return result;
    };
    const long long requested = hosts ? *hosts : sum(whole.requested_processors, component.requested);
    whole.allocated_processors = hosts ? *hosts : sum(whole.allocated_processors, component.allocated);
    whole.requested_processors = requested;
    AccountedJob joined = component;
    joined.amounts = amounts;
    joined.allocated = whole.allocated_processors;
    joined.partition = partition;
    const std::uint32_t needs = add_needs(joined);
    std::string fields = std::exchange(fields_, {});
    const Duration run_time = times_of(component).run_time.value_or(Duration());
    const Duration before = std::exchange(whole.run_time, std::max(whole.run_time, run_time));
    if (before != run_time) {
        for (const char* const name : {"cores", "gpus", "memory"}) {
            const Microseconds own = component.amounts.whole_of(name);
            log_.ended_early[static_cast<std::uint32_t>(job)][name] +=
                own * (whole.run_time - run_time).count() +
                (amounts.whole_of(name) - own) * (whole.run_time - std::max(before, Duration())).count();
        }
    }
    if (whole.requested_time > Duration() && component.walltime) {
        whole.requested_time = std::max(whole.requested_time, *component.walltime);
    }
    whole.other_fields = static_cast<std::uint32_t>(other_fields_.number_of(std::move(fields)));
    if (data_.keeps_hosts) {
        std::vector<LoggedHosts> groups = log_.hosts[whole.hosts];
        const auto state = [](LoggedHosts& group, const LoggedNeeds& of) {
            group.is_rounded_up = group.is_rounded_up || (!group.taken && is_rounded_up(of));
            group.taken = group.taken.value_or(of.taken);
            group.partition = group.partition.value_or(of.stated.partition.value_or(""));
        };
        std::ranges::for_each(groups, [&](LoggedHosts& group) { state(group, log_.needs[whole.needs]); });
        const LoggedNeeds own = needs_of(component);
        for (LoggedHosts group : component.hosts) {
            state(group, own);
            groups.push_back(std::move(group));
        }
        whole.hosts = add_hosts(std::move(groups));
    }
    whole.needs = needs;
    columns_of_joined_[static_cast<std::uint32_t>(job)] = std::exchange(columns_, {});
    keep_notes(job);
}

std::uint32_t LogBuilder::add_hosts(std::vector<LoggedHosts> hosts) {
    if (hosts.empty()) {
        return 0;
    }
    std::string text;
    for (LoggedHosts& group : hosts) {
        group.names = valid_text(group.names);
        text.append(group.names).append(group.taken ? " " + capacity_text(*group.taken) : "").append("\n");
        text.append(group.partition.value_or("\n")).append(group.is_rounded_up ? " \n" : "\n");
    }
    const auto [known, is_new] = hosts_.try_emplace(std::move(text), static_cast<std::uint32_t>(log_.hosts.size()));
    if (is_new) {
        log_.hosts.push_back(std::move(hosts));
    }
    return known->second;
}

void LogBuilder::count_columns_of_joined() {
    for (auto& [column, jobs] : jobs_of_column_) {
        if (column.first != "after") {
            std::erase_if(jobs, [this](std::uint32_t job) { return columns_of_joined_.contains(job); });
        }
    }
    for (const auto& [job, columns] : columns_of_joined_) {
        for (const auto& column : columns) {
            jobs_of_column_[column].push_back(job);
        }
    }
}

void LogBuilder::keep_notes(std::size_t job) {
    const auto place = static_cast<std::uint32_t>(job);
    for (const char* const rule : notes_) {
        noted_[rule].push_back(place);
    }
    for (const auto& column : columns_) {
        std::vector<std::uint32_t>& jobs = jobs_of_column_[column];
        if (jobs.empty() || jobs.back() != place) {
            jobs.push_back(place);
        }
    }
    forget_notes();
}

// Jobs with equal ids, which are runs of one job, get the number of the first. Hashes are compared first, because few
// ids are equal.
void LogBuilder::number_ids() {
    const auto id_of = [this](std::uint32_t job) { return log_.ids[static_cast<std::size_t>(log_.jobs[job].number)]; };
    std::vector<std::pair<std::size_t, std::uint32_t>> hashes;
    hashes.reserve(log_.jobs.size());
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        hashes.emplace_back(std::hash<std::string_view>()(id_of(job)), job);
    }
    std::ranges::sort(hashes);
    for (std::size_t i = 1; i < hashes.size(); ++i) {
        const auto [hash, job] = hashes[i];
        for (std::size_t before = i; before-- > 0 && hashes[before].first == hash;) {
            if (const std::uint32_t other = hashes[before].second; id_of(job) == id_of(other)) {
                log_.jobs[job].number = log_.jobs[other].number;
                break;
            }
        }
    }
}

void LogBuilder::count_from_midnight() {
    Duration first = Duration::infinity();
    for (const SwfJob& job : log_.jobs) {
        first = job.submit >= Duration() ? std::min(first, job.submit) : first;
    }
    if (first.is_infinite()) {
        return;
    }
    const Duration zero = zone_.midnight_before(first);
    for (SwfJob& job : log_.jobs) {
        job.submit = job.submit >= Duration() ? job.submit - zero : job.submit;
    }
    for (LoggedConditions& conditions : log_.conditions) {
        if (conditions.begin) {
            conditions.begin = *conditions.begin - zero;
        }
    }
    log_.zero = date_text(zero) + " UTC";
    log_.origin = Origin{zero, data_.time_zone};
    log_.time_zone = data_.time_zone;
}

// A run is known by id, submission and start. Files of neighbouring months both have the runs that cross their border.
void LogBuilder::leave_out_equal_runs() {
    if (std::ranges::is_sorted(log_.jobs, std::less_equal(), &SwfJob::number)) {
        return;  // each has a number of its own
    }
    std::vector<std::uint32_t> order(log_.jobs.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto run = [this](std::uint32_t job) {
        const SwfJob& of = log_.jobs[job];
        const auto negative = negative_waits_.find(job);
        return std::tuple(of.number, of.submit, negative == negative_waits_.end() ? of.wait : negative->second);
    };
    std::ranges::stable_sort(order, {}, run);
    std::vector<bool> is_repeated(order.size());
    for (auto first = order.begin(); first != order.end();) {
        const auto last = std::find_if(first, order.end(), [&](std::uint32_t job) { return run(job) != run(*first); });
        if (last - first > 1) {
            mark_repeated({first, last}, std::get<2>(run(*first)) != unknown, is_repeated);
        }
        first = last;
    }
    const auto repeated = static_cast<std::size_t>(std::ranges::count(is_repeated, true));
    if (repeated == 0) {
        return;
    }
    constexpr std::size_t share = 100;  // from here on, the rows may be jobs
    const bool are_many = repeated_.in_file * share > log_.jobs.size();
    const auto count = [this](const std::string& rule, std::size_t rows) {
        if (rows > 0) {
            left_out_[rule] += rows;
        }
    };
    count(std::string("same row again (all that is read is equal") +
              (are_many ? "; --equal-rows keep makes it a job)" : ")"),
          repeated_.in_file);
    count("same row again in another file (all that is read is equal)", repeated_.of_other_file);
    count("same run again in another file (id, submission and start): the longest counts",
          repeated - repeated_.in_file - repeated_.of_other_file);
    erase_jobs(is_repeated);
}

void LogBuilder::mark_repeated(std::vector<std::uint32_t> rows, bool start_is_known, std::vector<bool>& is_repeated) {
    const auto all = [this](std::uint32_t row) {
        const SwfJob& job = log_.jobs[row];
        return std::tuple(job.run_time, job.requested_time, job.requested_processors, job.allocated_processors,
                          job.status, job.user, job.queue, job.other_fields);
    };
    std::ranges::stable_sort(rows, {}, all);
    std::vector<std::uint32_t> different;
    for (auto first = rows.begin(); first != rows.end();) {
        const auto last = std::find_if(first, rows.end(), [&](std::uint32_t row) { return all(row) != all(*first); });
        keep_one_of_equal({first, last}, start_is_known && !data_.keeps_equal_rows, different, is_repeated);
        first = last;
    }
    std::set<std::size_t> files;
    for (const std::uint32_t row : different) {
        files.insert(file_of(row));
    }
    // Several different rows of one file are tasks of an array that share its id. One row in each file is one run: the
    // longest says when it really ended.
    if (start_is_known && files.size() == different.size()) {
        std::for_each(different.begin(), different.end() - 1, [&](std::uint32_t row) { is_repeated[row] = true; });
    }
}

void LogBuilder::keep_one_of_equal(const std::vector<std::uint32_t>& rows, bool are_one_run,
                                   std::vector<std::uint32_t>& different, std::vector<bool>& is_repeated) {
    std::map<std::size_t, std::size_t> rows_of_file;
    for (const std::uint32_t row : rows) {
        ++rows_of_file[file_of(row)];
    }
    // Another file may have the same runs.
    const auto most =
        std::ranges::max_element(rows_of_file, std::less<>(), &std::pair<const std::size_t, std::size_t>::second);
    const std::size_t file = are_one_run ? file_of(rows.front()) : most->first;
    std::size_t kept = 0;
    for (const std::uint32_t row : rows) {
        const bool is_in_file = file_of(row) == file;
        if (is_in_file && kept < (are_one_run ? 1 : most->second)) {
            ++kept;
            different.push_back(row);
        } else {
            is_repeated[row] = true;
            ++(is_in_file ? repeated_.in_file : repeated_.of_other_file);
        }
    }
}

std::size_t LogBuilder::file_of(std::uint32_t job) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_of_file_, job) - first_of_file_.begin());
}

void LogBuilder::change_unusable_ids() {
    const auto id_of = [this](const SwfJob& job) { return log_.ids[static_cast<std::size_t>(job.number)]; };
    if (std::ranges::all_of(log_.jobs, [&](const SwfJob& job) { return usable_id(id_of(job)) == id_of(job); })) {
        return;
    }
    std::vector<std::string> ids = mapped(log_.jobs, [&](const SwfJob& job) { return std::string(id_of(job)); });
    make_usable(ids);
    std::map<std::string, std::string, std::less<>> changed;
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        if (ids[job] != id_of(log_.jobs[job])) {
            noted_[changed_ids_rule].push_back(job);
            changed.emplace(id_of(log_.jobs[job]), ids[job]);
            log_.jobs[job].number = static_cast<long long>(log_.ids.add(ids[job]));
        }
    }
    change_ids_in_conditions(changed);
    number_ids();
}

void LogBuilder::change_ids_in_conditions(const std::map<std::string, std::string, std::less<>>& changed) {
    for (LoggedConditions& conditions : log_.conditions) {
        for (Dependency& dependency : conditions.after) {
            if (const auto other = changed.find(dependency.job); other != changed.end()) {
                dependency.job = other->second;
            }
        }
    }
}

void LogBuilder::limit_array(std::string_view id, std::string_view text) {
    const std::size_t bracket = data_.fields.array ? text.find('%') : std::string_view::npos;
    if (bracket == std::string_view::npos) {
        return;
    }
    const std::size_t bar = id.find("_[");
    const std::string array = bar == std::string_view::npos ? array_of(id) : std::string(id.substr(0, bar));
    const bool is_command = text.find(' ') != std::string_view::npos;
    const long long limit = array_limit_in(is_command ? value_in(text, SubmitOption::array) : text);
    if (!array.empty() && limit > 0) {
        log_.array_limits[array] = limit;
    }
}

std::uint32_t LogBuilder::add_conditions(const AccountedJob& job) {
    if (job.conditions.empty()) {
        return 0;
    }
    LoggedConditions& added = log_.conditions.emplace_back(job.conditions);
    for (Dependency& dependency : added.after) {
        dependency.job = valid_text(dependency.job);
    }
    added.array = valid_text(added.array);
    return static_cast<std::uint32_t>(log_.conditions.size() - 1);
}

void LogBuilder::leave_out_marked() {
    if (left_out_later_.empty()) {
        return;
    }
    std::vector<bool> erased(log_.jobs.size());
    for (const std::size_t job : left_out_later_) {
        erased[job] = true;
    }
    erase_jobs(erased);
}

SwfLog LogBuilder::finish(bool from_midnight) {
    number_ids();
    decide_hours_shown_twice();
    count_columns_of_joined();
    leave_out_marked();
    leave_out_equal_runs();
    join_resized_parts();
    change_unusable_ids();
    if (from_midnight) {
        count_from_midnight();
    }
    if (const auto unused = std::ranges::count_if(data_.partition_limits,
                                                  [&](const auto& limit) { return !queues_.knows(limit.first); });
        unused > 0) {
        log_.anomalies.push_back({"--partition-limit of a partition without jobs", static_cast<std::size_t>(unused)});
    }
    if (skipped_times_ > 0) {
        log_.anomalies.push_back({"time that clocks skipped: another time zone?", skipped_times_});
    }
    if (signs_of_zone_ > 0) {
        log_.anomalies.push_back(
            {"end before start, or an hour off the elapsed time: --time-zone missing?", signs_of_zone_});
    }
    if (!negative_waits_.empty()) {
        log_.anomalies.push_back({"start before the submission: waits 0 s", negative_waits_.size()});
    }
    log_.counts_hosts = data_.fields.per_host;
    log_.users = users_.take();
    log_.queues = queues_.take();
    log_.other_fields = other_fields_.take();
    log_.left_out = mapped(left_out_, [](const auto& rule) { return RuleCount{rule.first, rule.second}; });
    for (auto& [column, jobs] : jobs_of_column_) {
        std::ranges::sort(jobs);
        jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
        const std::string what = column.first + ": " + column.second;
        if (column.first == not_kept && !jobs.empty()) {
            noted_.emplace(what, std::move(jobs));
        } else if (!jobs.empty()) {
            log_.columns.push_back({what, std::move(jobs)});
        }
    }
    log_.noted = mapped(noted_, [](const auto& rule) { return NotedJobs{rule.first, rule.second}; });
    log_.bad_rows = mapped(bad_rows_, [](const BadRowsOfKind& kind) { return kind.rows; });
    return std::move(log_);
}

}  // namespace batfill
