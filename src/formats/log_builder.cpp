#include "log_builder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/exact_json.hpp"
#include "src/support/json.hpp"
#include "src/support/numbers.hpp"

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
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return digits(whole) && (whole.size() == 1 || whole.front() != '0') &&
           whole.size() + decimals.size() <= most_digits && (point == text.size() || digits(decimals));
}

struct StateWord {
    std::string_view word;  // in lower case
    int status;             // of SWF; not_ended: the job waits or runs
};

constexpr int not_ended = -2;

constexpr std::array state_words = {
    StateWord{"completed", 1},
    StateWord{"pass", 1},
    StateWord{"failed", 0},
    StateWord{"timeout", 0},
    StateWord{"node_fail", 0},
    StateWord{"out_of_memory", 0},
    StateWord{"preempted", 0},
    StateWord{"deadline", 0},
    StateWord{"boot_fail", 0},
    StateWord{"cancelled", 5},
    StateWord{"killed", 5},
    StateWord{"running", not_ended},
    StateWord{"pending", not_ended},
    StateWord{"suspended", not_ended},
    StateWord{"completing", not_ended},
    StateWord{"configuring", not_ended},
    StateWord{"resizing", not_ended},
    StateWord{"queued", not_ended},
};

// "CANCELLED by 1000" is a cancelled job.
int status_of(std::string_view state) {
    std::string word;
    for (const char c : state.substr(0, state.find(' '))) {
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const auto* const known = std::find_if(state_words.begin(), state_words.end(),
                                           [&](const StateWord& candidate) { return candidate.word == word; });
    return known == state_words.end() ? -1 : known->status;
}

// Slurm writes texts in other encodings as they are.
std::string valid_text(std::string_view text) {
    std::string valid(text);
    std::replace_if(
        valid.begin(), valid.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    return valid;
}

}  // namespace

long long LogBuilder::Names::number_of(std::string_view name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) {
        return known->second;
    }
    const auto number = static_cast<long long>(texts_.add(name));
    numbers_.emplace(name, number);
    return number;
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
        append_exact_json(number_in<double>(text).value_or(0), fields_);
    } else {
        append_json_string(valid_text(text), fields_);
    }
}

void LogBuilder::add_field(std::string_view name, long long number) {
    add_field(name, std::to_string(number));
}

std::optional<std::size_t> LogBuilder::add(const AccountedJob& job, std::size_t line) {
    const std::string fields = std::exchange(fields_, {});
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
    added.other_fields = static_cast<std::uint32_t>(other_fields_.number_of(fields));
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
        hashes.emplace_back(std::hash<std::string_view>()(log_.ids[static_cast<std::size_t>(log_.jobs[job].number)]),
                            job);
    }
    std::sort(hashes.begin(), hashes.end());
    for (std::size_t i = 1; i < hashes.size(); ++i) {
        for (std::size_t before = i; before-- > 0 && hashes[before].first == hashes[i].first;) {
            SwfJob& job = log_.jobs[hashes[i].second];
            const SwfJob& other = log_.jobs[hashes[before].second];
            if (log_.ids[static_cast<std::size_t>(job.number)] == log_.ids[static_cast<std::size_t>(other.number)]) {
                job.number = other.number;
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
    const auto counts = [](const std::map<std::string, std::size_t>& rules) {
        std::vector<RuleCount> result(rules.size());
        std::transform(rules.begin(), rules.end(), result.begin(), [](const auto& rule) {
            return RuleCount{rule.first, rule.second};
        });
        return result;
    };
    log_.left_out = counts(left_out_);
    log_.noted = counts(noted_);
    return std::move(log_);
}

}  // namespace batfill
