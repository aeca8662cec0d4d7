#include <algorithm>
#include <array>
#include <utility>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/json.hpp"
#include "src/support/numbers.hpp"
#include "src/support/split.hpp"

namespace batfill {

namespace {

// Whether a text is a number of at most 15 digits, which every reader takes for the same number, and which a person
// would write so.
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

// Words for states, in lower case, and their status in SWF. Jobs that have not ended wait or run.
struct StateWords {
    int status;
    std::array<std::string_view, 7> words;  // rest: empty
};

// "CANCELLED by 1000" is a cancelled job.
int status_of(std::string_view state) {
    static constexpr std::array<StateWords, 4> known = {{
        {1, {"completed", "pass"}},
        {0, {"failed", "timeout", "node_fail", "out_of_memory", "preempted", "deadline", "boot_fail"}},
        {5, {"cancelled", "killed"}},
        {not_ended, {"running", "pending", "suspended", "completing", "configuring", "resizing", "queued"}},
    }};
    std::string word;
    for (const char c : state.substr(0, state.find(' '))) {
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const auto* const found = std::ranges::find_if(
        known, [&](const StateWords& group) { return std::ranges::find(group.words, word) != group.words.end(); });
    return word.empty() || found == known.end() ? -1 : found->status;
}

// Slurm writes texts in other encodings as they are.
std::string valid_text(std::string_view text) {
    std::string valid(text);
    std::ranges::replace_if(
        valid, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    return valid;
}

}  // namespace

long long LogBuilder::Names::number_of(std::string text) {
    const auto [known, is_new] = numbers_.try_emplace(std::move(text), static_cast<long long>(texts_.size()));
    if (is_new) {
        texts_.add(known->first);
    }
    return known->second;
}

LogBuilder::LogBuilder(const std::string& path, const std::string& time_zone) : zone_(time_zone) {
    log_.path = path;
    other_fields_.number_of("");
}

void LogBuilder::add_field(std::string_view name, std::string_view text) {
    if (text.empty()) {
        return;
    }
    fields_ += fields_.empty() ? "" : ",";
    append_json_string(name, fields_);
    fields_ += ':';
    if (const auto whole = number_in<long long>(text); whole && is_number(text)) {
        fields_ += text;
    } else if (is_number(text)) {
        append_exact_json(JsonValue(number_in<double>(text).value_or(0)), fields_);
    } else {
        append_json_string(valid_text(text), fields_);
    }
}

void LogBuilder::add_field(std::string_view name, long long number) {
    add_field(name, std::to_string(number));
}

std::optional<std::size_t> LogBuilder::add(const AccountedJob& job, std::size_t line) {
    std::string fields = std::exchange(fields_, {});
    if (job.id.empty() || job.id.find('!') != std::string_view::npos) {
        throw InputError("the id is " + in_quotes(job.id) + ", expected a text without '!'");
    }
    const int status = status_of(job.state);
    if (status == not_ended) {
        leave_out("has not ended yet, by its state");
        return std::nullopt;
    }
    SwfJob added;
    added.line = static_cast<std::uint32_t>(line);
    added.number = static_cast<long long>(log_.ids.add(valid_text(job.id)));
    added.submit = job.submit.value_or(Duration::seconds(-1));
    const auto between = [](const std::optional<Duration>& from, const std::optional<Duration>& to) {
        return from && to ? std::optional(*to - *from) : std::nullopt;
    };
    added.run_time = job.run_time.value_or(between(job.start, job.end).value_or(Duration::seconds(-1)));
    added.wait = job.wait.value_or(between(job.submit, job.start).value_or(Duration::seconds(-1)));
    added.requested_time = job.walltime.value_or(Duration::seconds(-1));
    added.requested_processors = job.requested;
    added.allocated_processors = job.allocated;
    added.status = status;
    added.user = job.user.empty() ? -1 : users_.number_of(valid_text(job.user));
    added.queue = job.queue.empty() ? -1 : queues_.number_of(valid_text(job.queue));
    added.other_fields = static_cast<std::uint32_t>(other_fields_.number_of(std::move(fields)));
    log_.jobs.push_back(added);
    return log_.jobs.size() - 1;
}

void LogBuilder::join(std::size_t job, const AccountedJob& component) {
    fields_.clear();
    SwfJob& whole = log_.jobs.at(job);
    const auto sum = [](long long& total, long long more) { total = more > 0 ? std::max(total, 0LL) + more : total; };
    sum(whole.requested_processors, component.requested);
    sum(whole.allocated_processors, component.allocated);
    whole.run_time = std::max(whole.run_time, component.run_time.value_or(Duration()));
    note("heterogeneous job: a component joined to the first one");
}

// Jobs with equal ids, which are runs of one job, get the number of the first. Hashes are compared first, because few
// ids are equal.
void LogBuilder::number_ids() {
    std::vector<std::pair<std::size_t, std::uint32_t>> hashes;
    hashes.reserve(log_.jobs.size());
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        hashes.emplace_back(std::hash<std::string_view>()(log_.ids[job]), job);
    }
    std::ranges::sort(hashes);
    for (std::size_t i = 1; i < hashes.size(); ++i) {
        const auto [hash, job] = hashes[i];
        for (std::size_t before = i; before-- > 0 && hashes[before].first == hash;) {
            if (const std::uint32_t other = hashes[before].second; log_.ids[job] == log_.ids[other]) {
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
    log_.zero = date_text(zero) + " UTC";
}

SwfLog LogBuilder::finish(bool from_midnight) {
    number_ids();
    if (from_midnight) {
        count_from_midnight();
    }
    log_.users = users_.take();
    log_.queues = queues_.take();
    log_.other_fields = other_fields_.take();
    for (const auto& [rule, jobs] : left_out_) {
        log_.left_out.push_back({rule, jobs});
    }
    for (const auto& [rule, jobs] : noted_) {
        log_.noted.push_back({rule, jobs});
    }
    return std::move(log_);
}

}  // namespace batfill
