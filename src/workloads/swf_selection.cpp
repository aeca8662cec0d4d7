#include "src/workloads/swf_selection.hpp"

#include <functional>
#include <numeric>
#include <unordered_set>

#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr long long cancelled = 5;  // a job's status

bool contains(const auto& values, const auto& value) {
    return std::ranges::find(values, value) != values.end();
}

bool size_is_requested(const SwfJob& job, const SwfConversion& conversion) {
    return conversion.size == SwfConversion::Size::requested && job.requested_processors > 0;
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

std::vector<Rule> rules_of(const SwfLog& log, const SwfConversion& conversion) {
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
        {"submit time < 0 or unknown", [](const SwfJob& job) { return job.submit < Duration(); }},
    };
    const auto drop_if = [&](bool wanted, const std::string& what, const std::function<bool(const SwfJob&)>& drops) {
        if (wanted) {
            rules.push_back({what, drops});
        }
    };
    const auto is_in = [&log](const std::vector<std::string>& names, const SwfJob& job) {
        return job.queue >= 0 && contains(names, log.queues[static_cast<std::size_t>(job.queue)]);
    };
    drop_if(!conversion.excluded_queues.empty(), "queue is " + list_of_numbers(conversion.excluded_queues),
            [&](const SwfJob& job) { return contains(conversion.excluded_queues, job.queue); });
    drop_if(!conversion.excluded_queue_names.empty(), "queue is " + list_of(conversion.excluded_queue_names),
            [&, is_in](const SwfJob& job) { return is_in(conversion.excluded_queue_names, job); });
    drop_if(!conversion.kept_queue_names.empty(), "queue is not " + list_of(conversion.kept_queue_names),
            [&, is_in](const SwfJob& job) { return !is_in(conversion.kept_queue_names, job); });
    drop_if(!conversion.partitions.empty(), "partition is not " + list_of_numbers(conversion.partitions),
            [&](const SwfJob& job) { return !contains(conversion.partitions, job.partition); });
    drop_if(!conversion.excluded_statuses.empty(), "status is " + list_of_numbers(conversion.excluded_statuses),
            [&](const SwfJob& job) { return contains(conversion.excluded_statuses, job.status); });
    const auto seconds = [](const auto& time) { return time.value_or(Duration()).to_shortest_string() + " s"; };
    drop_if(conversion.from.has_value(), "submitted before " + seconds(conversion.from),
            [&](const SwfJob& job) { return job.submit < *conversion.from; });
    drop_if(conversion.until.has_value(), "submitted at or after " + seconds(conversion.until),
            [&](const SwfJob& job) { return job.submit >= *conversion.until; });
    drop_if(conversion.short_estimates == SwfConversion::ShortEstimates::drop, "run time > requested time",
            longer_than_estimate);
    drop_if(conversion.missing_walltime == SwfConversion::MissingWalltime::drop, "requested time unknown",
            [](const SwfJob& job) { return !has_estimate(job); });
    if (conversion.max_processors) {
        rules.push_back({"wider than " + std::to_string(*conversion.max_processors),
                         [&](const SwfJob& job) { return size_of(job, conversion) > *conversion.max_processors; }});
    }
    if (conversion.split) {
        add_rules_of_split(*conversion.split, rules);
    }
    return rules;
}

bool is_partial_run(const SwfJob& job) {
    return job.status >= 2 && job.status <= 4;
}

// The ids in the log that look like those of later runs of a job, such as "7:2". None in a log that numbers its jobs.
// Cost: O(size of the ids).
std::unordered_set<std::string_view> ids_like_later_runs(const SwfLog& log, const std::vector<KeptJob>& kept) {
    std::unordered_set<std::string_view> ids;
    if (!log.ids.empty()) {
        for (const KeptJob& job : kept) {
            const std::string_view id = log.ids[static_cast<std::size_t>(job.job->number)];
            if (id.find(':') != std::string_view::npos) {
                ids.insert(id);
            }
        }
    }
    return ids;
}

// The number of each job of the log among those with its job number, from 1, in the order of the log. Empty for a log
// of SWF, in which only kept lines count. Cost: O(n log n).
std::vector<std::uint32_t> numbers_of_runs(const SwfLog& log) {
    if (log.ids.empty()) {
        return {};
    }
    std::vector<std::uint32_t> order(log.jobs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t job) { return log.jobs[job].number; });
    std::vector<std::uint32_t> runs(log.jobs.size(), 1);
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (log.jobs[order[i]].number == log.jobs[order[i - 1]].number) {
            runs[order[i]] = runs[order[i - 1]] + 1;
        }
    }
    return runs;
}

// A checkpointed job has its own line and one per partial run, all with the same number. Drops such partial runs,
// numbers the rest, sorts by number, and returns how many were dropped. No number gives an id that the log has.
// Cost: O(n log n).
std::size_t resolve_equal_numbers(const SwfSelection& selection, std::vector<KeptJob>& kept) {
    const SwfLog& log = *selection.log;
    const std::unordered_set<std::string_view> taken = ids_like_later_runs(log, kept);
    const std::vector<std::uint32_t> runs = numbers_of_runs(log);
    std::ranges::stable_sort(kept, {}, [](const KeptJob& k) { return k.job->number; });
    std::vector<KeptJob> resolved;
    resolved.reserve(kept.size());
    for (auto first = kept.begin(); first != kept.end();) {
        const auto last =
            std::find_if(first, kept.end(), [&](const KeptJob& k) { return k.job->number != first->job->number; });
        const bool has_own_line = std::any_of(first, last, [](const KeptJob& k) { return !is_partial_run(*k.job); });
        std::uint32_t copies = 0;
        for (; first != last; ++first) {
            if (!has_own_line || !is_partial_run(*first->job)) {
                const std::uint32_t run =
                    runs.empty() ? 1 : runs[static_cast<std::size_t>(first->job - log.jobs.data())];
                copies = std::max(copies + 1, run);
                KeptJob& job = resolved.emplace_back(KeptJob{first->job, copies});
                while (copies > 1 && !taken.empty() && taken.contains(selection.id_of(job))) {
                    job.copy = ++copies;
                }
            }
        }
    }
    const std::size_t dropped = kept.size() - resolved.size();
    kept = std::move(resolved);
    return dropped;
}

}  // namespace

std::string list_of_numbers(const std::vector<long long>& numbers) {
    return list_of(mapped(numbers, [](long long number) { return std::to_string(number); }));
}

long long processors_of(const SwfJob& job, const SwfConversion& conversion) {
    return size_is_requested(job, conversion) ? job.requested_processors : job.allocated_processors;
}

std::vector<RuleCount> counts_of_kept(const SwfSelection& selection, const std::vector<NotedJobs>& noted) {
    if (noted.empty()) {
        return {};
    }
    const SwfLog& log = *selection.log;
    std::vector<bool> is_kept(log.jobs.size());
    for (const KeptJob& kept : selection.kept) {
        is_kept[static_cast<std::size_t>(kept.job - log.jobs.data())] = true;
    }
    std::vector<RuleCount> counts;
    for (const auto& [what, jobs] : noted) {
        const auto kept = std::ranges::count_if(jobs, [&](std::uint32_t job) { return is_kept[job]; });
        if (kept > 0) {
            counts.push_back({what, static_cast<std::size_t>(kept)});
        }
    }
    return counts;
}

std::vector<bool> jobs_noted(const SwfLog& log, std::string_view rule) {
    std::vector<bool> is_noted(log.jobs.size());
    if (const auto noted = std::ranges::find(log.noted, rule, &NotedJobs::what); noted != log.noted.end()) {
        for (const std::uint32_t job : noted->jobs) {
            is_noted[job] = true;
        }
    }
    return is_noted;
}

long long size_of(const SwfJob& job, const SwfConversion& conversion) {
    const long long processors = processors_of(job, conversion);
    return processors / conversion.unit + (processors % conversion.unit != 0 ? 1 : 0);
}

std::string SwfSelection::id_of(const KeptJob& job) const {
    const auto number = static_cast<std::size_t>(job.job->number);
    std::string id = log->ids.empty() ? padded(number, id_width) : std::string(log->ids[number]);
    if (job.copy > 1) {
        id += (log->ids.empty() ? '-' : ':') + std::to_string(job.copy);
    }
    return id;
}

SwfSelection select_jobs(const SwfLog& log, const SwfConversion& conversion) {
    SwfSelection result;
    result.log = &log;
    result.dropped = log.left_out;
    const std::vector<Rule> rules = rules_of(log, conversion);
    const std::size_t first_rule = result.dropped.size();
    for (const Rule& rule : rules) {
        result.dropped.push_back({rule.what, 0});
    }
    result.kept.reserve(log.jobs.size());
    for (const SwfJob& job : log.jobs) {
        look_for_interruption();
        const auto rule = std::ranges::find_if(rules, [&](const Rule& r) { return r.drops(job); });
        if (rule == rules.end()) {
            result.kept.push_back({&job});
        } else {
            const std::size_t place = first_rule + static_cast<std::size_t>(rule - rules.begin());
            ++result.dropped[place].jobs;
            if (log.counts_hosts) {
                result.left_out.emplace_back(&job, place);
            }
        }
    }
    const std::size_t partial_runs = resolve_equal_numbers(result, result.kept);
    if (log.ids.empty()) {
        result.dropped.push_back({"partial run (status 2, 3, 4) of a job that has its own line", partial_runs});
    }
    result.id_width = std::to_string(result.kept.empty() ? 0 : result.kept.back().job->number).size();
    const auto is_before = [&](const KeptJob& a, const KeptJob& b) {
        return a.job->submit != b.job->submit ? a.job->submit < b.job->submit : result.id_of(a) < result.id_of(b);
    };
    if (!std::ranges::is_sorted(result.kept, is_before)) {
        std::ranges::sort(result.kept, is_before);
    }
    return result;
}

}  // namespace batfill
