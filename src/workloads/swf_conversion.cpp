#include <algorithm>
#include <cassert>
#include <charconv>
#include <functional>
#include <limits>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "modal_estimates.hpp"

namespace batfill {

namespace {

constexpr long long max_processors = std::numeric_limits<int>::max() - 1;
constexpr Duration shortest_run_time = Duration::microseconds(1);
constexpr long long cancelled = 5;  // a job's status

template <typename Values, typename Value>
bool contains(const Values& values, Value value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

std::string join(const std::vector<long long>& numbers) {
    std::string text;
    for (const long long number : numbers) {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return text;
}

bool has_estimate(const SwfJob& job) {
    return job.requested_time > Duration();
}

bool longer_than_estimate(const SwfJob& job) {
    return has_estimate(job) && job.run_time > job.requested_time;
}

// The run time that a kept job gets.
Duration run_time_of(const SwfJob& job) {
    return std::max(job.run_time, shortest_run_time);
}

bool size_is_requested(const SwfJob& job, const SwfConversion& conversion) {
    return conversion.size == SwfConversion::Size::requested && job.requested_processors > 0;
}

// The size of a job in units of processors, without any limit.
long long size_of(const SwfJob& job, const SwfConversion& conversion) {
    const long long processors =
        size_is_requested(job, conversion) ? job.requested_processors : job.allocated_processors;
    return processors / conversion.unit + (processors % conversion.unit != 0 ? 1 : 0);
}

void count_if(bool holds, std::size_t& counter) {
    if (holds) {
        ++counter;
    }
}

// Intervals are half open: a job that ends exactly at the end of a period is still in it.
bool ends_in_another_period(const SwfJob& job, const SwfSplit& split) {
    const Duration start = job.submit + std::max(job.wait, Duration());
    return split.period_of(start) != split.period_of(start + run_time_of(job) - Duration::microseconds(1));
}

struct Rule {
    std::string what;
    std::function<bool(const SwfJob&)> drops;
};

void add_rules_of_split(const SwfSplit& split, std::vector<Rule>& rules) {
    if (split.skipped > 0) {
        rules.push_back({"submitted in period 1 to " + std::to_string(split.skipped),
                         [&](const SwfJob& job) { return split.period_of(job.submit) <= split.skipped; }});
    }
    if (split.periods) {
        const std::size_t last = split.skipped + *split.periods;
        rules.push_back({"submitted after period " + std::to_string(last),
                         [&, last](const SwfJob& job) { return split.period_of(job.submit) > last; }});
    }
    if (!split.keep_crossing) {
        rules.push_back({"started in one period and ended in another",
                         [&](const SwfJob& job) { return ends_in_another_period(job, split); }});
    }
}

std::vector<Rule> rules_of(const SwfConversion& conversion) {
    const char* const no_processors =
        conversion.keep_unallocated ? "processors <= 0 or unknown" : "allocated processors <= 0 or unknown";
    std::vector<Rule> rules = {
        {conversion.keep_zero_run_times ? "run time unknown, or 0 and cancelled" : "run time <= 0 or unknown",
         [&](const SwfJob& job) {
             const bool keep_zero = conversion.keep_zero_run_times && job.status != cancelled;
             return job.run_time < Duration() || (job.run_time == Duration() && !keep_zero);
         }},
        {no_processors,
         [&](const SwfJob& job) {
             return job.allocated_processors <= 0 &&
                    !(conversion.keep_unallocated && size_is_requested(job, conversion));
         }},
        {"submit time unknown", [](const SwfJob& job) { return job.submit < Duration(); }},
    };
    if (!conversion.excluded_queues.empty()) {
        rules.push_back({"queue is " + join(conversion.excluded_queues),
                         [&](const SwfJob& job) { return contains(conversion.excluded_queues, job.queue); }});
    }
    if (!conversion.partitions.empty()) {
        rules.push_back({"partition is not " + join(conversion.partitions),
                         [&](const SwfJob& job) { return !contains(conversion.partitions, job.partition); }});
    }
    if (!conversion.excluded_statuses.empty()) {
        rules.push_back({"status is " + join(conversion.excluded_statuses),
                         [&](const SwfJob& job) { return contains(conversion.excluded_statuses, job.status); }});
    }
    if (conversion.from) {
        rules.push_back({"submitted before " + conversion.from->to_shortest_string() + " s",
                         [&](const SwfJob& job) { return job.submit < *conversion.from; }});
    }
    if (conversion.until) {
        rules.push_back({"submitted at or after " + conversion.until->to_shortest_string() + " s",
                         [&](const SwfJob& job) { return job.submit >= *conversion.until; }});
    }
    if (conversion.short_estimates == SwfConversion::ShortEstimates::drop) {
        rules.push_back({"run time > requested time", longer_than_estimate});
    }
    if (conversion.missing_walltime == SwfConversion::MissingWalltime::drop) {
        rules.push_back({"requested time unknown", [](const SwfJob& job) { return !has_estimate(job); }});
    }
    if (conversion.max_processors) {
        rules.push_back({"wider than " + std::to_string(*conversion.max_processors),
                         [&](const SwfJob& job) { return size_of(job, conversion) > *conversion.max_processors; }});
    }
    if (conversion.split) {
        add_rules_of_split(*conversion.split, rules);
    }
    return rules;
}

// A kept job. `copy` numbers the kept lines with its job number, from 1.
struct Kept {
    const SwfJob* job;
    std::size_t copy = 1;
    std::string id;
};

bool is_partial_run(const SwfJob& job) {
    return job.status >= 2 && job.status <= 4;
}

// A checkpointed job has its own line and one per partial run, all with the same number. Drops such
// partial runs, numbers the rest, and returns how many were dropped.
// Cost: O(n log n).
std::size_t resolve_equal_numbers(std::vector<Kept>& kept) {
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Kept& a, const Kept& b) { return a.job->number < b.job->number; });
    std::vector<Kept> resolved;
    resolved.reserve(kept.size());
    for (auto first = kept.begin(); first != kept.end();) {
        const auto last =
            std::find_if(first, kept.end(), [&](const Kept& k) { return k.job->number != first->job->number; });
        const bool has_own_line = std::any_of(first, last, [](const Kept& k) { return !is_partial_run(*k.job); });
        std::size_t copies = 0;
        for (; first != last; ++first) {
            if (!has_own_line || !is_partial_run(*first->job)) {
                resolved.push_back({first->job, ++copies, {}});
            }
        }
    }
    const std::size_t dropped = kept.size() - resolved.size();
    kept = std::move(resolved);
    return dropped;
}

void give_ids(std::vector<Kept>& kept) {
    long long largest = 0;
    for (const Kept& k : kept) {
        largest = std::max(largest, k.job->number);
    }
    const std::size_t width = std::to_string(largest).size();
    for (Kept& k : kept) {
        const std::string number = std::to_string(k.job->number);
        k.id = std::string(width - number.size(), '0') + number;
        if (k.copy > 1) {
            k.id += "-" + std::to_string(k.copy);
        }
    }
}

// Reads the integers at the start of a header value such as "1664 (72, 1368, 224)": the total, then the parts. No parts
// if the parenthesis holds anything else. Empty if there is no total.
std::vector<long long> header_numbers(std::string_view text) {
    std::vector<long long> numbers;
    const auto read_number = [&] {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        long long value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || value < 0 || value > max_processors) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        numbers.push_back(value);
        return true;
    };
    if (!read_number()) {
        return {};
    }
    const long long total = numbers.front();
    if (!text.starts_with('(')) {
        return numbers;
    }
    do {
        text.remove_prefix(1);
        if (!read_number()) {
            return {total};
        }
    } while (text.starts_with(','));
    return text.starts_with(')') ? numbers : std::vector<long long>{total};
}

// The number of processors of these partitions. None unless the header lists the sizes of all partitions in its
// MaxProcs: "total (a, b)".
std::optional<long long> partition_processors(const std::vector<long long>& max_procs,
                                              const std::vector<long long>& partitions) {
    if (max_procs.size() < 2) {
        return std::nullopt;
    }
    long long total = 0;
    long long chosen = 0;
    for (std::size_t i = 1; i < max_procs.size(); ++i) {
        total += max_procs[i];
        if (contains(partitions, static_cast<long long>(i))) {
            chosen += max_procs[i];
        }
    }
    return total == max_procs.front() && chosen > 0 ? std::optional(chosen) : std::nullopt;
}

void choose_processors(const SwfLog& log, const SwfConversion& conversion, SwfWorkload& result) {
    int& processors = result.workload.processors;
    if (conversion.processors) {
        processors = *conversion.processors;
        result.processors_from = "as given";
        return;
    }
    const std::vector<long long> max_procs = header_numbers(log.field("MaxProcs").value_or(""));
    if (const auto chosen = partition_processors(max_procs, conversion.partitions)) {
        processors = static_cast<int>(*chosen / conversion.unit);
        result.processors_from = "MaxProcs of partition " + join(conversion.partitions) + " in the header";
    } else if (!max_procs.empty()) {
        processors = static_cast<int>(max_procs.front() / conversion.unit);
        result.processors_from = "MaxProcs in the header";
        if (!conversion.partitions.empty()) {
            result.processors_from += ", which is the whole machine";
        }
    }
    if (processors <= 0) {
        for (const WorkloadJob& job : result.workload.jobs) {
            processors = std::max(processors, job.description.processors);
        }
        result.processors_from = "the widest job, for want of MaxProcs in the header";
    }
}

// Whether the walltime was raised to the run time, because the job ran longer than it requested.
bool is_raised(const SwfJob& job, const SwfConversion& conversion) {
    return conversion.estimates == SwfConversion::Estimates::log &&
           conversion.short_estimates == SwfConversion::ShortEstimates::raise && longer_than_estimate(job);
}

std::optional<Duration> walltime_of(const SwfJob& job, const SwfConversion& conversion) {
    switch (conversion.estimates) {
        case SwfConversion::Estimates::log:
            break;
        case SwfConversion::Estimates::exact:
            return run_time_of(job);
        case SwfConversion::Estimates::factor:
            return conversion.estimate_factor.times(run_time_of(job));
        case SwfConversion::Estimates::modal:
            return modal_estimate(run_time_of(job));
    }
    if (has_estimate(job)) {
        return is_raised(job, conversion) ? job.run_time : job.requested_time;
    }
    switch (conversion.missing_walltime) {
        case SwfConversion::MissingWalltime::exact:
            return run_time_of(job);
        case SwfConversion::MissingWalltime::given:
            return conversion.given_walltime;
        case SwfConversion::MissingWalltime::omit:
        case SwfConversion::MissingWalltime::drop:
            break;
    }
    return std::nullopt;
}

std::string known_text(long long number) {
    return number < 0 ? std::string() : std::to_string(number);
}

std::string queue_of(const SwfJob& job, const SwfConversion& conversion) {
    const auto name = conversion.queue_names.find(job.queue);
    return name == conversion.queue_names.end() ? known_text(job.queue) : name->second;
}

void add_job(const SwfLog& log, const SwfConversion& conversion, const Kept& kept, Duration shift, TextPool& texts,
             Workload& workload) {
    const SwfJob& job = *kept.job;
    const long long size = size_of(job, conversion);
    if (size > max_processors) {
        throw InputError(log.path + ":" + std::to_string(job.line) + ": expected at most " +
                         std::to_string(max_processors) + " processors, found " + std::to_string(size));
    }
    const Duration run_time = run_time_of(job);
    const std::string profile = "d" + run_time.to_shortest_string();
    const auto [entry, is_new] = workload.profiles.try_emplace(profile);
    if (is_new) {
        entry->second.type = JobProfile::Type::delay;
        entry->second.type_name = "delay";
        entry->second.delay = run_time;
    }
    JobDescription description;
    description.id = workload.name + "!" + kept.id;
    description.submit = Time::at(job.submit - shift);
    description.processors = static_cast<int>(size);
    description.walltime = walltime_of(job, conversion);
    description.queue = texts.shared(queue_of(job, conversion));
    description.user = texts.shared(known_text(job.user));
    description.profile = texts.shared(profile);
    workload.jobs.push_back({std::move(description), {}});
}

std::string missing_walltime_text(const SwfConversion& conversion) {
    switch (conversion.missing_walltime) {
        case SwfConversion::MissingWalltime::exact:
            return "the run time is the walltime";
        case SwfConversion::MissingWalltime::given:
            return "the walltime is " + conversion.given_walltime.to_shortest_string() + " s";
        case SwfConversion::MissingWalltime::omit:
        case SwfConversion::MissingWalltime::drop:
            break;
    }
    return "no walltime";
}

// Names the estimates that replace those of the log.
std::string estimate_text(const SwfConversion& conversion) {
    if (conversion.estimates == SwfConversion::Estimates::factor) {
        return Duration::microseconds(conversion.estimate_factor.millionths()).to_shortest_string() +
               " times the run time";
    }
    return conversion.estimates == SwfConversion::Estimates::modal ? "the run time rounded up to a modal one"
                                                                   : "the run time";
}

// Counts peculiarities of the kept jobs that matter to readers of results.
std::vector<SwfWorkload::Count> notes_on(const std::vector<Kept>& kept, const SwfConversion& conversion,
                                         int processors) {
    std::size_t without_request = 0;
    std::size_t without_estimate = 0;
    std::size_t cut = 0;
    std::size_t raised = 0;
    std::size_t instant = 0;
    std::size_t too_wide = 0;
    std::size_t copies = 0;
    for (const Kept& k : kept) {
        count_if(k.job->requested_processors <= 0, without_request);
        count_if(!has_estimate(*k.job), without_estimate);
        count_if(walltime_of(*k.job, conversion).value_or(Duration::infinity()) < k.job->run_time, cut);
        count_if(is_raised(*k.job, conversion), raised);
        count_if(k.job->run_time == Duration(), instant);
        count_if(size_of(*k.job, conversion) > processors, too_wide);
        count_if(k.copy > 1, copies);
    }
    std::vector<SwfWorkload::Count> notes;
    const auto note = [&](const std::string& what, std::size_t jobs) {
        if (jobs > 0) {
            notes.push_back({what, jobs});
        }
    };
    if (conversion.size == SwfConversion::Size::requested) {
        note("no requested processors: the allocated ones are the size", without_request);
    }
    if (conversion.estimates == SwfConversion::Estimates::log) {
        note("no requested time: " + missing_walltime_text(conversion), without_estimate);
    } else {
        note("all estimates replaced by " + estimate_text(conversion), kept.size());
    }
    note("run time > walltime: stopped at the walltime when run", cut);
    note("run time > requested time: the run time is the walltime", raised);
    note("run time 0: runs for a microsecond", instant);
    note("wider than " + std::to_string(processors) + " processors: schedulers reject them", too_wide);
    note("job number seen before: -2, -3, ... added to the id", copies);
    return notes;
}

}  // namespace

SwfAnomalies count_anomalies(const SwfLog& log) {
    SwfAnomalies counts;
    const Duration minute = Duration::seconds(60);
    const SwfJob* previous = nullptr;
    for (const SwfJob& job : log.jobs) {
        count_if(job.run_time <= Duration(), counts.no_run_time);
        count_if(job.allocated_processors < 0, counts.no_processors);
        count_if(job.requested_processors > 0 && job.allocated_processors > job.requested_processors,
                 counts.more_than_requested);
        count_if(longer_than_estimate(job), counts.over_requested_time);
        count_if(has_estimate(job) && job.run_time > job.requested_time + minute, counts.over_requested_time_60s);
        count_if(job.requested_processors <= 0, counts.no_requested_processors);
        count_if(!has_estimate(job), counts.no_requested_time);
        count_if(previous != nullptr && job.submit < previous->submit, counts.out_of_order);
        previous = &job;
    }
    return counts;
}

SwfWorkload convert_swf(const SwfLog& log, const SwfConversion& conversion) {
    assert(conversion.unit > 0);
    SwfWorkload result;
    result.workload.name = "w0";
    result.workload.path = log.path;

    const std::vector<Rule> rules = rules_of(conversion);
    for (const Rule& rule : rules) {
        result.dropped.push_back({rule.what, 0});
    }
    std::vector<Kept> kept;
    kept.reserve(log.jobs.size());
    for (const SwfJob& job : log.jobs) {
        const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.drops(job); });
        if (rule == rules.end()) {
            kept.push_back({&job, 1, {}});
        } else {
            ++result.dropped[static_cast<std::size_t>(rule - rules.begin())].jobs;
        }
    }
    result.dropped.push_back(
        {"partial run (status 2, 3, 4) of a job that has its own line", resolve_equal_numbers(kept)});

    give_ids(kept);
    std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
        return a.job->submit != b.job->submit ? a.job->submit < b.job->submit : a.id < b.id;
    });
    const Duration shift = conversion.shift && !kept.empty() ? kept.front().job->submit : Duration();
    result.workload.jobs.reserve(kept.size());
    TextPool texts;
    for (const Kept& k : kept) {
        add_job(log, conversion, k, shift, texts, result.workload);
        result.waits.push_back(k.job->wait < Duration() ? std::nullopt : std::optional(k.job->wait));
    }
    choose_processors(log, conversion, result);
    result.noted = notes_on(kept, conversion, result.workload.processors);
    return result;
}

}  // namespace batfill
