#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "job_maker.hpp"
#include "modal_estimates.hpp"

namespace batfill {

namespace {

constexpr long long max_processors = std::numeric_limits<int>::max() - 1;

void count_if(bool holds, std::size_t& counter) {
    if (holds) {
        ++counter;
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
        if (std::find(partitions.begin(), partitions.end(), static_cast<long long>(i)) != partitions.end()) {
            chosen += max_procs[i];
        }
    }
    return total == max_procs.front() && chosen > 0 ? std::optional(chosen) : std::nullopt;
}

void choose_processors(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& result) {
    int& processors = result.processors;
    if (conversion.processors) {
        processors = *conversion.processors;
        result.processors_from = "as given";
        return;
    }
    const std::vector<long long> max_procs = header_numbers(selection.log->field("MaxProcs").value_or(""));
    if (const auto chosen = partition_processors(max_procs, conversion.partitions)) {
        processors = static_cast<int>(*chosen / conversion.unit);
        result.processors_from = "MaxProcs of partition " + list_of_numbers(conversion.partitions) + " in the header";
    } else if (!max_procs.empty()) {
        processors = static_cast<int>(max_procs.front() / conversion.unit);
        result.processors_from = "MaxProcs in the header";
        if (!conversion.partitions.empty()) {
            result.processors_from += ", which is the whole machine";
        }
    }
    if (processors <= 0) {
        for (const KeptJob& kept : selection.kept) {
            processors =
                std::max(processors, static_cast<int>(std::min(size_of(*kept.job, conversion), max_processors)));
        }
        result.processors_from = selection.log->ids.empty() ? "the widest job, for want of MaxProcs in the header"
                                                            : "the widest job; --processors N gives another size";
    }
}

// Whether the walltime was raised to the run time, because the job ran longer than it requested.
bool is_raised(const SwfJob& job, const SwfConversion& conversion) {
    return conversion.estimates == SwfConversion::Estimates::log &&
           conversion.short_estimates == SwfConversion::ShortEstimates::raise && longer_than_estimate(job);
}

}  // namespace

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

namespace {

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
std::vector<RuleCount> notes_on(const SwfSelection& selection, const SwfConversion& conversion, int processors) {
    const SwfLog& log = *selection.log;
    const std::vector<KeptJob>& kept = selection.kept;
    std::size_t without_request = 0;
    std::size_t without_estimate = 0;
    std::size_t cut = 0;
    std::size_t raised = 0;
    std::size_t instant = 0;
    std::size_t too_wide = 0;
    std::size_t copies = 0;
    for (const KeptJob& k : kept) {
        count_if(k.job->requested_processors <= 0, without_request);
        count_if(!has_estimate(*k.job), without_estimate);
        count_if(walltime_of(*k.job, conversion).value_or(Duration::infinity()) < k.job->run_time, cut);
        count_if(is_raised(*k.job, conversion), raised);
        count_if(k.job->run_time == Duration(), instant);
        count_if(size_of(*k.job, conversion) > processors, too_wide);
        count_if(k.copy > 1, copies);
    }
    std::vector<RuleCount> notes;
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
    note(conversion.short_estimates == SwfConversion::ShortEstimates::believe
             ? "run time > walltime: outlives the walltime when run"
             : "run time > walltime: stopped at the walltime when run",
         cut);
    note("run time > requested time: the run time is the walltime", raised);
    note("run time 0: runs for a microsecond", instant);
    note("wider than " + std::to_string(processors) + " processors: schedulers reject them", too_wide);
    note(log.ids.empty() ? "job number seen before: -2, -3, ... added to the id"
                         : "another run of a job: :2, :3, ... added to the id",
         copies);
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

JobMaker::JobMaker(const SwfSelection& selection, const SwfConversion& conversion)
    : selection_(selection), conversion_(conversion) {
    assert(conversion.unit > 0);
    summary_.kept = selection.kept.size();
    summary_.dropped = selection.dropped;
    choose_processors(selection, conversion, summary_);
    summary_.noted = selection.log->noted;
    for (RuleCount& note : notes_on(selection, conversion, summary_.processors)) {
        summary_.noted.push_back(std::move(note));
    }
    if (conversion.load) {
        summary_.scaled = scale_load(selection, conversion, summary_.processors);
    }
    if (conversion.shift && !selection.kept.empty()) {
        shift_ = selection.kept.front().job->submit;
    }
}

Workload JobMaker::frame() const {
    Workload workload;
    workload.name = "w0";
    workload.path = selection_.log->path;
    workload.processors = summary_.processors;
    workload.believes_walltimes = conversion_.short_estimates == SwfConversion::ShortEstimates::believe;
    return workload;
}

SharedText JobMaker::name(const TextList& names, long long number) {
    if (number < 0) {
        return {};
    }
    return names.empty() ? texts_.shared(std::to_string(number))
                         : texts_.shared(names[static_cast<std::size_t>(number)]);
}

WorkloadJob JobMaker::make(const KeptJob& kept) {
    const SwfLog& log = *selection_.log;
    const SwfJob& job = *kept.job;
    const long long size = size_of(job, conversion_);
    if (size > max_processors) {
        throw InputError(log.path + ":" + std::to_string(job.line) + ": expected at most " +
                         std::to_string(max_processors) + " processors, found " + std::to_string(size));
    }
    const Duration run_time = run_time_of(job);
    profile_ = "d";
    run_time.append_shortest_to(profile_);
    const auto [entry, is_new] = profiles_.try_emplace(profile_);
    if (is_new) {
        entry->second.type = JobProfile::Type::delay;
        entry->second.type_name = "delay";
        entry->second.delay = run_time;
    }
    const auto queue_name = conversion_.queue_names.find(job.queue);
    JobDescription description;
    description.id = "w0!" + selection_.id_of(kept);
    const bool scales_here = summary_.scaled && !conversion_.split;
    const Duration submit = scales_here ? summary_.scaled->submit(job.submit) : job.submit;
    description.submit = Time::at(submit - shift_);
    description.processors = static_cast<int>(size);
    description.walltime = walltime_of(job, conversion_);
    description.queue =
        queue_name == conversion_.queue_names.end() ? name(log.queues, job.queue) : texts_.shared(queue_name->second);
    description.user = name(log.users, job.user);
    description.profile = texts_.shared(profile_);
    if (!log.other_fields.empty()) {
        description.other_fields = texts_.shared(log.other_fields[job.other_fields]);
    }
    return {std::move(description), {}};
}

SwfWorkload convert(const SwfSelection& selection, JobMaker& maker) {
    SwfWorkload result;
    result.workload = maker.frame();
    result.workload.jobs.reserve(selection.kept.size());
    for (const KeptJob& kept : selection.kept) {
        result.workload.jobs.push_back(maker.make(kept));
        result.waits.push_back(kept.job->wait < Duration() ? std::nullopt : std::optional(kept.job->wait));
    }
    result.workload.profiles = maker.take_profiles();
    result.summary = maker.summary();
    return result;
}

SwfWorkload convert_swf(const SwfLog& log, const SwfConversion& conversion) {
    const SwfSelection selection = select_jobs(log, conversion);
    JobMaker maker(selection, conversion);
    return convert(selection, maker);
}

}  // namespace batfill
