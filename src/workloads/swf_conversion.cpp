#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <iterator>
#include <limits>

#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/job_json.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"
#include "src/workloads/modal_estimates.hpp"
#include "src/workloads/swf_selection.hpp"

namespace batfill {

namespace {

constexpr Duration unknown_wait = Duration::seconds(-1);
constexpr long long max_processors = std::numeric_limits<int>::max() - 1;

// Reads the integers of a header value such as "1664 (72, 1368, 224)": the total, then the parts. Text may follow. No
// parts if the parenthesis holds anything else. Empty if there is no total: "1.5", "12x", "1 024".
std::vector<long long> header_numbers(std::string_view text) {
    const auto number = [](std::string_view digits) {
        const std::string_view part = trimmed(digits);
        const auto grouped = number_with_groups(part);
        const auto value = grouped ? grouped : number_in<long long>(part);
        return value >= 0 && value <= max_processors ? value : std::nullopt;
    };
    const std::string_view first = text.substr(0, text.find_first_of(" \t(;"));
    const auto total = number(first.ends_with(',') ? first.substr(0, first.size() - 1) : first);
    text = trimmed(text.substr(first.size()));
    const bool goes_on = !text.empty() && text.front() >= '0' && text.front() <= '9';
    const bool is_product = text.starts_with("x ") || text.find('*') != std::string_view::npos;
    if (!total || goes_on || is_product) {
        return {};
    }
    std::vector<long long> numbers{*total};
    if (text.starts_with('(')) {
        const std::size_t end = text.find(')');
        for (const std::string_view part : split(text.substr(1, end - 1), ',')) {
            const auto size = number(part);
            if (!size || end == std::string_view::npos) {
                return {*total};
            }
            numbers.push_back(*size);
        }
    }
    return numbers;
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
        chosen += std::ranges::count(partitions, static_cast<long long>(i)) > 0 ? max_procs[i] : 0;
    }
    return total == max_procs.front() && chosen > 0 ? std::optional(chosen) : std::nullopt;
}

void choose_processors(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& result) {
    int& processors = result.processors;
    if (conversion.processors) {
        processors = *conversion.processors;
        result.processors_from = "as given";
        result.processors_are_known = true;
        return;
    }
    const std::vector<std::string> values = selection.log->fields("MaxProcs");
    const std::vector<long long> max_procs = header_numbers(values.empty() ? "" : values.front());
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
    const auto different = std::ranges::find_if(values, [&](const auto& value) { return value != values.front(); });
    if (different != values.end()) {
        result.processors_from += ", the first of several different ones";
    }
    result.processors_are_known = processors > 0;
    if (processors <= 0) {
        for (const KeptJob& kept : selection.kept) {
            processors =
                std::max(processors, static_cast<int>(std::min(size_of(*kept.job, conversion), max_processors)));
        }
        if (!values.empty()) {
            result.processors_from = "the widest job; MaxProcs in the header is " + excerpt(values.front()) +
                                     ", expected a number from " + std::to_string(conversion.unit) + " to " +
                                     std::to_string(max_processors);
        } else {
            result.processors_from = selection.log->ids.empty() ? "the widest job, for want of MaxProcs in the header"
                                                                : "the widest job; --processors N gives another size";
        }
    }
}

// Whether the walltime was raised to the run time, because the job ran longer than it requested.
bool is_raised(const SwfJob& job, const SwfConversion& conversion) {
    return conversion.estimates == SwfConversion::Estimates::log &&
           conversion.short_estimates == SwfConversion::ShortEstimates::raise && longer_than_estimate(job);
}

std::string missing_walltime_text(const SwfConversion& conversion) {
    if (conversion.missing_walltime == SwfConversion::MissingWalltime::exact) {
        return "the run time is the walltime";
    }
    return conversion.missing_walltime == SwfConversion::MissingWalltime::given
               ? "the walltime is " + conversion.given_walltime.to_shortest_string() + " s"
               : "no walltime";
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

std::size_t leading_digits(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
}

// Whether `a` comes before `b` when the numbers in them count as numbers: "7_9" before "7_10".
bool is_before_by_numbers(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        const bool are_numbers = leading_digits(a) > 0 && leading_digits(b) > 0;
        std::string_view x = a.substr(0, are_numbers ? leading_digits(a) : 1);
        std::string_view y = b.substr(0, are_numbers ? leading_digits(b) : 1);
        a.remove_prefix(x.size());
        b.remove_prefix(y.size());
        if (are_numbers) {
            x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
            y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
        }
        if (x != y) {
            return x.size() != y.size() ? x.size() < y.size() : x < y;
        }
    }
    return a.size() < b.size();
}

// How many jobs come, because ids are compared as texts, after a job of the same instant that has a larger number.
std::size_t jobs_out_of_order(const SwfSelection& selection) {
    const auto id = [&](const KeptJob& kept) { return selection.log->ids[static_cast<std::size_t>(kept.job->number)]; };
    std::size_t jobs = 0;
    for (std::size_t i = 1; i < selection.kept.size(); ++i) {
        const KeptJob& before = selection.kept[i - 1];
        const KeptJob& job = selection.kept[i];
        jobs += job.job->submit == before.job->submit && is_before_by_numbers(id(job), id(before)) ? 1U : 0U;
    }
    return jobs;
}

// As ConversionSummary::allocated_ratio.
std::optional<double> allocated_ratio(const SwfSelection& selection, const SwfConversion& conversion) {
    double requested = 0;
    double allocated = 0;
    for (const KeptJob& kept : selection.kept) {
        const SwfJob& job = *kept.job;
        if (job.requested_processors > 0 && job.allocated_processors > 0) {
            const double seconds = run_time_of(job).to_seconds();
            requested += seconds * static_cast<double>(job.requested_processors);
            allocated += seconds * static_cast<double>(job.allocated_processors);
        }
    }
    return conversion.size == SwfConversion::Size::requested && requested > 0 ? std::optional(allocated / requested)
                                                                              : std::nullopt;
}

// Adds a job to the counts whose rule holds for it.
void count_where(std::initializer_list<bool> rule_holds, std::vector<RuleCount>& counts) {
    std::size_t rule = 0;
    for (const bool holds : rule_holds) {
        counts[rule++].jobs += holds ? 1U : 0U;
    }
}

// Notes peculiarities of the kept jobs that matter to readers of results.
void add_notes(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& summary) {
    const bool by_log = conversion.estimates == SwfConversion::Estimates::log;
    std::vector<RuleCount> notes = {
        {"no requested processors: the allocated ones are the size"},
        {by_log ? "no requested time: " + missing_walltime_text(conversion)
                : "all estimates replaced by " + estimate_text(conversion)},
        {conversion.short_estimates == SwfConversion::ShortEstimates::believe
             ? "run time > walltime: outlives the walltime when run"
             : "run time > walltime: stopped at the walltime when run"},
        {"run time > requested time: the run time is the walltime"},
        {"run time 0: runs for a microsecond"},
        {"wider than " + std::to_string(summary.processors) + " processors: schedulers reject them"},
        {selection.log->ids.empty() ? "job number seen before: -2, -3, ... added to the id"
                                    : "another run of a job: :2, :3, ... added to the id"}};
    for (const KeptJob& kept : selection.kept) {
        const SwfJob& job = *kept.job;
        count_where({conversion.size == SwfConversion::Size::requested && job.requested_processors <= 0,
                     !by_log || !has_estimate(job), walltime_of(job, conversion).value_or(job.run_time) < job.run_time,
                     is_raised(job, conversion), job.run_time == Duration(),
                     size_of(job, conversion) > summary.processors, kept.copy > 1},
                    notes);
    }
    if (!selection.log->ids.empty()) {
        notes.push_back(
            {"submitted at one instant in the order of ids as texts, 10 before 9", jobs_out_of_order(selection)});
    }
    std::ranges::copy_if(notes, std::back_inserter(summary.noted), [](const RuleCount& note) { return note.jobs > 0; });
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
    if (conversion.missing_walltime == SwfConversion::MissingWalltime::exact) {
        return run_time_of(job);
    }
    return conversion.missing_walltime == SwfConversion::MissingWalltime::given
               ? std::optional(conversion.given_walltime)
               : std::nullopt;
}

std::vector<RuleCount> count_anomalies(const SwfLog& log) {
    std::vector<RuleCount> counts = {{"run time <= 0"},
                                     {"allocated processors < 0"},
                                     {"allocated > requested processors"},
                                     {"run time > requested time"},
                                     {"run time > requested time + 60 s"},
                                     {"requested processors unknown"},
                                     {"requested time unknown"},
                                     {"submitted before the job of the line above"}};
    const SwfJob* above = log.jobs.data();
    RuleCount early{"start before the submission: waits 0 s"};
    for (const SwfJob& job : log.jobs) {
        const bool has_request = job.requested_processors > 0;
        count_where({job.run_time <= Duration(), job.allocated_processors < 0,
                     has_request && job.allocated_processors > job.requested_processors, longer_than_estimate(job),
                     has_estimate(job) && job.run_time > job.requested_time + Duration::seconds(60), !has_request,
                     !has_estimate(job), job.submit < above->submit},
                    counts);
        early.jobs += job.wait < Duration() && job.wait != unknown_wait ? 1U : 0U;
        above = &job;
    }
    if (early.jobs > 0) {
        counts.push_back(early);
    }
    counts.insert(counts.end(), log.anomalies.begin(), log.anomalies.end());
    return counts;
}

JobMaker::JobMaker(const SwfSelection& selection, const SwfConversion& conversion)
    : selection_(selection), conversion_(conversion) {
    assert(conversion.unit > 0);
    summary_.kept = selection.kept.size();
    summary_.dropped = selection.dropped;
    choose_processors(selection, conversion, summary_);
    summary_.noted = counts_of_kept(selection, selection.log->noted);
    add_notes(selection, conversion, summary_);
    summary_.allocated_ratio = allocated_ratio(selection, conversion);
    needs_ = mapped(selection.log->needs, [](const LoggedNeeds& needs) {
        return needs.stated == StatedNeeds() ? Shared<StatedNeeds>() : Shared<StatedNeeds>(needs.stated);
    });
    add_machine_of_log(selection, conversion, summary_);
    conditions_ = conditions_of(selection, conversion);
    summary_.conditions = conditions_.counts;
    summary_.never_ok = conditions_.never_ok;
    if (const std::size_t longer = conditions_.longer_walltime.size(); longer > 0) {
        summary_.noted.push_back({"no requested time, and others wait for its success: a second more", longer});
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
    constexpr double from = 0.01;
    for (const AmountBalance& balance : summary_.balances) {
        if (balance.growth() >= from) {
            workload.more_than_log.emplace_back(balance.name, balance.growth());
        }
    }
    workload.believes_walltimes = conversion_.short_estimates == SwfConversion::ShortEstimates::believe;
    if (const auto& origin = selection_.log->origin; origin && !summary_.scaled) {
        workload.origin = Origin{origin->since_1970 + shift_, origin->time_zone};
    }
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
    refuse_if<InputError>(size > max_processors, log.path, ":", job.line, ": expected at most ", max_processors,
                          " processors, found ", size);
    const Duration run_time = run_time_of(job);
    profile_ = "d";
    run_time.append_shortest_to(profile_);
    if (!profiles_.contains(profile_)) {
        profiles_.emplace(profile_, JobProfile{JobProfile::Type::delay, "delay", run_time});
    }
    const auto queue_name = conversion_.queue_names.find(job.queue);
    JobDescription description;
    description.id = "w0!" + selection_.id_of(kept);
    const bool scales_here = summary_.scaled && !conversion_.split;
    const Duration submit = scales_here ? summary_.scaled->submit(job.submit) : job.submit;
    description.submit = Time::at(submit - shift_);
    description.processors = static_cast<int>(size);
    description.walltime = walltime_of(job, conversion_);
    if (conditions_.longer_walltime.contains(&job)) {
        description.walltime = run_time + Duration::seconds(1);
    }
    description.queue =
        queue_name == conversion_.queue_names.end() ? name(log.queues, job.queue) : texts_.shared(queue_name->second);
    description.user = name(log.users, job.user);
    description.profile = texts_.shared(profile_);
    if (!needs_.empty()) {
        description.needs = needs_[job.needs];
    } else if (log.read_fields.any()) {
        StatedNeeds needs = needs_of(log, job, conversion_).stated;
        description.other_fields = texts_.shared(members_of(needs));
        description.needs = needs == StatedNeeds() ? Shared<StatedNeeds>() : Shared<StatedNeeds>(std::move(needs));
    }
    if (!log.other_fields.empty()) {
        description.other_fields = texts_.shared(log.other_fields[job.other_fields]);
    }
    if (const auto found = conditions_.of_job.find(&job); found != conditions_.of_job.end()) {
        StatedNeeds conditions = found->second;
        if (conditions.begin) {  // counts from the submission until here
            conditions.begin = description.submit + conditions.begin->since_zero();
        }
        set_conditions(description, conditions);
    }
    return {std::move(description), {}};
}

SwfWorkload convert(const SwfSelection& selection, JobMaker& maker) {
    SwfWorkload result;
    result.workload = maker.frame();
    result.workload.jobs.reserve(selection.kept.size());
    for (const KeptJob& kept : selection.kept) {
        look_for_interruption();
        result.workload.jobs.push_back(maker.make(kept));
        const Duration wait = kept.job->wait;
        result.waits.push_back(wait == unknown_wait ? std::nullopt : std::optional(std::max(wait, Duration())));
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

std::size_t SwfSplit::period_of(Duration instant) const {
    assert(instant >= begin);
    return static_cast<std::size_t>((instant - begin).count() / period.count()) + 1;
}

void SwfSplit::count_from_first_job(const SwfLog& log) {
    Duration first = Duration::infinity();
    for (const SwfJob& job : log.jobs) {
        if (job.submit >= begin) {
            first = std::min(first, job.submit);
        }
    }
    if (first < Duration::infinity()) {
        begin = begin_of(period_of(first));
    }
}

std::vector<SwfPeriod> split_into_periods(const Workload& workload, const SwfSplit& split,
                                          const std::optional<LoadScaling>& scaled) {
    std::vector<SwfPeriod> periods;
    for (const WorkloadJob& job : workload.jobs) {
        look_for_interruption();
        const std::size_t number = split.period_of(job.description.submit.since_zero());
        if (periods.empty() || periods.back().number != number) {
            periods.push_back({number, workload.without_jobs(), 0, Time::at(split.begin_of(number))});
            if (std::optional<Origin>& origin = periods.back().workload.origin) {
                origin->since_1970 = origin->since_1970 + split.begin_of(number);
            }
        }
        Workload& of_period = periods.back().workload;
        WorkloadJob& moved = of_period.jobs.emplace_back(job);
        const Duration since_begin = moved.description.submit.since_zero() - split.begin_of(number);
        submit_at(moved.description, Time::at(scaled ? scaled->scaled(since_begin) : since_begin));
        of_period.profiles.insert(*workload.profiles.find(job.description.profile));
    }
    for (SwfPeriod& period : periods) {
        period.dropped_conditions = drop_unknown_dependencies(period.workload);
    }
    return periods;
}

}  // namespace batfill
