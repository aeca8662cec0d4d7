#include "src/replay/explanation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "src/formats/named_platform.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::size_t most_spans = 12;  // that are printed of a job
constexpr Time latest_time = Time::seconds(1'000'000'000'000);

bool is_end(const Waiting& reason) {
    return reason.kind == WaitReason::Kind::started || reason.kind == WaitReason::Kind::rejected;
}

// Whether the job has a place among the waiting jobs.
bool is_in_queue(const Waiting& reason) {
    return !is_end(reason) && reason.kind != WaitReason::Kind::dependency;
}

// "2 h 45 min 30 s"
std::string span_text(Duration duration) {
    const auto whole = static_cast<long long>(duration.to_seconds());
    if (whole < 60) {
        return duration.to_shortest_string() + " s";
    }
    std::vector<std::string> parts;
    for (const auto& [number, unit] : {std::pair(whole / 86'400, " d"), std::pair(whole / 3600 % 24, " h"),
                                       std::pair(whole / 60 % 60, " min"), std::pair(whole % 60, " s")}) {
        if (number > 0) {
            parts.push_back(std::to_string(number) + unit);
        }
    }
    return list_of(parts, " ");
}

constexpr auto reason_columns =
    std::to_array<std::string_view>({"job_id", "time", "reason", "rounds", "needed", "idle", "licence", "holders",
                                     "possible_start", "place", "waiting", "because", "lack", "windows"});

consteval std::size_t reason_column(std::string_view name) {
    return place_in(reason_columns, name);
}

// Appends those of the cells that have columns.
void append_line(const auto& cells, const ReasonColumns& columns, std::string& out) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        if (columns.has(reason_columns[column])) {
            out += column == 0 ? "" : ",";
            if (!cells[column].empty()) {
                append_csv_field(cells[column], out);
            }
        }
    }
    out += '\n';
}

// A number of a column.
template <class Number>
Number number_of(const CsvRow& row, std::size_t column, Number least) {
    const auto number = number_in<Number>(row.text(column));
    if (!number || *number < least) {
        row.fail(column, "a whole number from " + std::to_string(least) + " on");
    }
    return *number;
}

// A blank stands between two holders; one in an id is written as a URL has it.
std::string without_blanks(std::string_view id) {
    return escaped(id, {{'%', "%25"}, {' ', "%20"}});
}
std::string with_blanks(std::string_view text) {
    std::string id;
    for (; !text.empty(); text.remove_prefix(1)) {
        const bool is_blank = text.starts_with("%20");
        id += is_blank ? ' ' : text.front();
        text.remove_prefix(is_blank || text.starts_with("%25") ? 2 : 0);
    }
    return id;
}

std::vector<Share> read_holders(const CsvRow& row) {
    constexpr std::size_t column = reason_column("holders");
    std::vector<Share> holders;
    for (const std::string_view holder : split(row.text(column), ' ')) {
        if (holder.empty()) {
            continue;
        }
        const std::size_t end = holder.rfind(':');
        const std::size_t middle = holder.substr(0, end).rfind(':');
        const auto processors =
            middle < end ? number_in<int>(holder.substr(middle + 1, end - middle - 1)) : std::nullopt;
        const auto until = processors ? Duration::parse(holder.substr(end + 1)) : std::nullopt;
        row.fail_if(!until || *processors < 0 || middle == 0, column, "ID:PROCESSORS:END, with blanks between them");
        holders.push_back({with_blanks(holder.substr(0, middle)), *processors, Time::at(*until)});
    }
    return holders;
}

ExplainedReason read_reason(const CsvRow& row) {
    ExplainedReason reason;
    reason.kind = WaitReason::Kind::processors;
    reason.job = row.text(reason_column("job_id"));
    reason.time = row.time(reason_column("time"));
    if (reason.time < Time() || reason.time > latest_time) {
        row.fail(reason_column("time"), "a number of seconds from 0 to " + instant_text(latest_time));
    }
    const std::string_view kind = row.text(reason_column("reason"));
    while (kind != to_string(reason.kind)) {
        row.fail_if(reason.kind == WaitReason::Kind::rejected, reason_column("reason"), "a reason such as processors");
        reason.kind = static_cast<WaitReason::Kind>(static_cast<int>(reason.kind) + 1);
    }
    reason.rounds = number_of<std::uint64_t>(row, reason_column("rounds"), 1);
    reason.needed = number_of(row, reason_column("needed"), 0);
    reason.idle = number_of(row, reason_column("idle"), 0);
    reason.license = row.text(reason_column("licence"));
    if (!is_end(reason)) {
        reason.holders = read_holders(row);
        reason.possible = row.optional_planned_time(reason_column("possible_start")).value_or(Time::infinity());
    }
    if (is_in_queue(reason)) {
        reason.place = number_of<std::size_t>(row, reason_column("place"), 1);
        reason.waiting = number_of(row, reason_column("waiting"), reason.place);
    }
    reason.because = row.text(reason_column("because"));
    const auto text_of = [&](std::size_t column) { return row.has(column) ? std::string(row.text(column)) : ""; };
    reason.lack = text_of(reason_column("lack"));
    reason.windows = text_of(reason_column("windows"));
    return reason;
}

// Whether two reasons give the same answer but for its numbers. The rule counts, if there is one: under a rule such as
// "behind the head" it does not matter what else is lacking.
bool has_same_rule(const ExplainedReason& a, const ExplainedReason& b) {
    return a.rule == b.rule && (!a.because.empty() || a.kind == b.kind);
}

std::string holders_text(const ExplainedReason& reason, const ReasonWords& words) {
    if (reason.holders.empty()) {  // it could start, or waits for a window; or it can never start
        const bool is_never = reason.possible.is_infinite() && reason.kind != WaitReason::Kind::window;
        return is_never ? " Too little would be free even if nothing else ran." : "";
    }
    // What holders have of pools, limits and named hosts, `lack` says.
    const bool is_named = reason.kind == WaitReason::Kind::pool || reason.kind == WaitReason::Kind::limit ||
                          reason.kind == WaitReason::Kind::hosts;
    // Those with the most processors are the most interesting.
    std::vector<Share> holders = reason.holders;
    std::ranges::stable_sort(holders, std::ranges::greater{}, &Share::amount);
    const auto text_of = [&](const Share& holder) {
        return holder.name + (is_named ? "" : " (" + processors_text(holder.amount) + ")");
    };
    return std::string(holders.size() == 1 ? " Job " : " Jobs ") +
           enumeration(texts_of(some_of(holders), text_of, " more")) + (holders.size() == 1 ? " is" : " are") +
           " expected to end by " + words.instant_text(reason.possible) + ", which would free enough" +
           (reason.windows.empty() ? "" : " without windows") + ".";
}

// What the job lacked in these rounds, which have the same rule: "it needs 8 processors; 0 to 7 are idle."
// Requires: they have the same `lack`.
std::string lack_text(std::span<const ExplainedReason> rounds) {
    const ExplainedReason& last = rounds.back();
    if (!last.lack.empty()) {
        return last.lack + ".";
    }
    const auto all_are = [&](WaitReason::Kind kind) {
        return std::ranges::all_of(rounds, [&](const ExplainedReason& reason) { return reason.kind == kind; });
    };
    if (all_are(WaitReason::Kind::license)) {
        const std::vector<std::string> all = mapped(rounds, &WaitReason::license);
        const std::set<std::string> licenses(all.begin(), all.end());
        return "all copies of " + std::string(licenses.size() == 1 ? "its licence " : "one of its licences ") +
               enumeration({licenses.begin(), licenses.end()}) + " are in use.";
    }
    const auto [least, most] = std::ranges::minmax(rounds, {}, &WaitReason::idle);
    return idle_text(last.needed, least.idle, most.idle) +
           (all_are(WaitReason::Kind::place)    ? ", but not as its placement wants them."
            : all_are(WaitReason::Kind::window) ? ", but by its walltime it would run into a window."
                                                : ".");
}

// Who holds what it lacks, its place in the queue, and what the algorithm says. Begins with a blank, or is empty for a
// job that is not eligible yet.
std::string details_of(const ExplainedReason& reason, const ReasonWords& words) {
    return !is_in_queue(reason)
               ? ""
               : holders_text(reason, words) + (reason.windows.empty() ? "" : " Announced: " + reason.windows + ".") +
                     " It is number " + std::to_string(reason.place) + " of " + std::to_string(reason.waiting) +
                     " waiting jobs, by submission." +
                     (reason.because.empty() ? "" : " The algorithm says: " + reason.because + ".");
}

// Reasons one after another with the same rule, of a job that waits. Not empty.
struct Span {
    std::span<const ExplainedReason> reasons;
    Duration length;

    const ExplainedReason& first() const { return reasons.front(); }
};

// The reasons of a job until its wait ends, at `end` if they do not say when.
std::vector<Span> spans_of(std::span<const ExplainedReason> reasons, Time end) {
    std::vector<Span> spans;
    while (!reasons.empty() && !is_end(reasons.front())) {
        const auto next = std::ranges::find_if_not(
            reasons, [&](const ExplainedReason& reason) { return has_same_rule(reason, reasons.front()); });
        const auto size = static_cast<std::size_t>(next - reasons.begin());
        const Time until = next == reasons.end() ? end : next->time;
        spans.push_back({reasons.first(size), until - reasons.front().time});
        reasons = reasons.subspan(size);
    }
    return spans;
}

// What a job lacks.
std::string kind_text(const ExplainedReason& reason) {
    constexpr std::array texts{
        "too few processors are idle",    "enough processors are idle, but not as its placement wants them",
        "all copies of its licence ",     "too little is left of a pool",
        "a limit keeps it from starting", "too few hosts have what it takes",
        "it is not eligible yet",         "windows keep it from starting"};
    if (const auto kind = static_cast<std::size_t>(reason.kind); kind < texts.size()) {
        return texts.at(kind) + (reason.license.empty() ? "" : reason.license + " are in use");
    }
    return reason.lack.empty() ? "enough processors are idle" : "enough is free";
}

// How long the job waited by which rule, the longest first: "2 h: behind the head, too few processors are idle".
std::string totals_text(const std::vector<Span>& spans) {
    std::vector<std::pair<Duration, std::string>> totals;
    for (const Span& span : spans) {
        const ExplainedReason& first = span.first();
        const auto is_same = [&](const Span& other) { return has_same_rule(other.first(), first); };
        if (&*std::ranges::find_if(spans, is_same) != &span) {
            continue;  // counted with that one
        }
        Duration length;
        bool has_one_kind = true;
        for (const Span& other : spans) {
            if (is_same(other)) {
                length = length + other.length;
                has_one_kind = has_one_kind && std::ranges::all_of(other.reasons, [&](const ExplainedReason& reason) {
                                   return reason.kind == first.kind && reason.license == first.license;
                               });
            }
        }
        const std::string kind = has_one_kind ? (first.rule.empty() ? "" : ", ") + kind_text(first) : "";
        totals.emplace_back(length, span_text(length) + ": " + first.rule + kind);
    }
    std::ranges::stable_sort(totals, std::ranges::greater{}, &std::pair<Duration, std::string>::first);
    return "  in all " + list_of(mapped(totals, &std::pair<Duration, std::string>::second), "; ") + '\n';
}

void append_span(const Span& span, Time submit, const ReasonWords& words, std::string& text) {
    const std::vector<std::uint64_t> rounds = mapped(span.reasons, &ExplainedReason::rounds);
    const std::uint64_t count = std::accumulate(rounds.begin(), rounds.end(), std::uint64_t{0});
    const Time begin = span.first().time;
    text += "  from " +
            (begin == submit ? "its submission on, for "
                             : span_text(begin - submit) + " on (" + words.instant_text(begin) + "), for ") +
            span_text(span.length) + ", " + counted(count, "round") + ":";
    const bool has_one_lack = std::ranges::all_of(
        span.reasons, [&](const ExplainedReason& reason) { return reason.lack == span.first().lack; });
    text += has_one_lack ? " " + lack_text(span.reasons) : "";
    const auto shown = [&](const ExplainedReason& reason) {
        return (has_one_lack ? "" : " " + lack_text(std::span(&reason, 1))) + details_of(reason, words);
    };
    const std::string first = shown(span.first());
    const std::string last = shown(span.reasons.back());
    text += first == last ? first + '\n' : "\n    first:" + first + "\n    last: " + last + '\n';
}

// The description of an explained job, if the workload or the algorithm has such a job.
const JobDescription* find_job(const Outcome& outcome, const std::string& name) {
    const std::vector<Workload>& workloads = outcome.scenario().workloads;
    const Simulator& simulation = outcome.simulation();
    const std::string prefix = workloads.size() == 1 ? workloads.front().name + '!' : "";
    std::optional<JobNumber> number = simulation.find_job(prefix + name);
    number = number ? number : simulation.find_job(name);
    return number ? &simulation.job(*number).job->description : nullptr;
}

void append_job(const Outcome& outcome, std::span<const ExplainedReason> reasons, const ReasonWords& words,
                std::string& text) {
    const ExplainedReason& last = reasons.back();
    const JobDescription* const job = find_job(outcome, last.job);
    const Time submit = job != nullptr ? job->submit : reasons.front().time;
    const Time end = is_end(last) ? last.time : outcome.simulation().results().now;
    const bool has_named_hosts = outcome.engine()->state().machine.resources().has_named_hosts();
    text += "job " + last.job + ": " +
            counted(static_cast<std::size_t>(last.needed), has_named_hosts ? "host" : "processor") +
            (job != nullptr && job->walltime ? " for at most " + span_text(*job->walltime) : "") + "; ";
    const std::string submitted = "submitted at " + words.instant_text(submit);
    text +=
        last.kind == WaitReason::Kind::rejected
            ? "rejected at " + words.instant_text(last.time) + ", as " + last.because + '\n'
        : last.kind == WaitReason::Kind::started
            ? submitted + ", started " +
                  (end == submit ? "at once" : "at " + words.instant_text(end) + " after " + span_text(end - submit)) +
                  '\n'
            : submitted + ", still waits at the end, " + words.instant_text(end) + '\n';
    const std::vector<Span> spans = spans_of(reasons, end);
    if (spans.size() > 1) {
        text += totals_text(spans);
    }
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans.size() > most_spans && i == most_spans / 2) {
            const std::size_t left_out = spans.size() - most_spans + 1;
            text += "  ... " + std::to_string(left_out) + " more changes of the rule are left out here\n";
            i += left_out;
        }
        append_span(spans[i], submit, words, text);
    }
}

}  // namespace

std::string sentences_of(const ExplainedReason& reason) {
    return reason.kind == WaitReason::Kind::started ? "it starts."
           : reason.kind == WaitReason::Kind::rejected
               ? "it is rejected, as " + reason.because + "."
               : lack_text(std::span(&reason, 1)) + details_of(reason, ReasonWords());
}

ReasonColumns columns_of(std::span<const ExplainedReason> reasons) {
    return {std::ranges::any_of(reasons, [](const ExplainedReason& reason) { return !reason.lack.empty(); }),
            std::ranges::any_of(reasons, [](const ExplainedReason& reason) { return !reason.windows.empty(); })};
}

std::string wait_reasons_csv_header(const ReasonColumns& columns) {
    std::string header;
    append_line(reason_columns, columns, header);
    return header;
}

std::vector<ExplainedReason> read_wait_reasons(const std::string& path) {
    constexpr CsvFormat format{"file explain.csv", "batfill simulate --explain", reason_columns, 2};
    std::vector<ExplainedReason> reasons;
    read_csv(path, format, [&](const CsvRow& row) { reasons.push_back(read_reason(row)); });
    return reasons;
}

ReasonWords words_for(const Outcome& outcome) {
    const std::vector<Host>& hosts = outcome.scenario().platform.hosts;
    std::vector<std::string> names = mapped(hosts, &Host::name);
    const Platform numbered = homogeneous_platform(static_cast<int>(hosts.size()));
    return ReasonWords(
        std::ranges::equal(names, numbered.hosts, {}, {}, &Host::name) ? std::vector<std::string>() : std::move(names),
        outcome.instants());
}

std::vector<ExplainedReason> explained(std::span<const WaitReason> reasons, const ReasonWords& words) {
    return mapped(reasons, [&](const WaitReason& reason) {
        return ExplainedReason{reason, ReasonWords::rule(reason.because), words.because(reason), words.lack(reason),
                               words.windows(reason)};
    });
}

std::string holders_of(const Waiting& reason) {
    const auto text = [](const Share& holder) {
        return without_blanks(holder.name) + ":" + std::to_string(holder.amount) + ":" + holder.until.to_string();
    };
    return list_of(mapped(reason.holders, text), " ");
}

void append_csv(const ExplainedReason& reason, std::string& out, const ReasonColumns& columns) {
    const auto number = [](std::size_t value) { return value == 0 ? "" : std::to_string(value); };
    const bool has_start = !is_end(reason) && !reason.possible.is_infinite();
    const std::array<std::string, reason_columns.size()> cells{
        reason.job,
        reason.time.to_string(),
        to_string(reason.kind),
        std::to_string(reason.rounds),
        std::to_string(reason.needed),
        std::to_string(reason.idle),
        reason.license,
        holders_of(reason),
        has_start ? reason.possible.to_string() : "",
        number(reason.place),
        number(reason.waiting),
        reason.because,
        reason.lack,
        reason.windows,
    };
    append_line(cells, columns, out);
}

std::string explanation(const Outcome& outcome) {
    const ReasonWords words = words_for(outcome);
    const std::vector<ExplainedReason> reasons = explained(outcome.wait_reasons(), words);
    std::map<std::string, std::vector<ExplainedReason>> by_job;
    for (const ExplainedReason& reason : reasons) {
        by_job[reason.job].push_back(reason);
    }
    std::string text;
    for (const ExplainedReason& reason : reasons) {
        if (const auto job = by_job.extract(reason.job)) {  // its first reason
            append_job(outcome, job.mapped(), words, text);
        }
    }
    for (const std::string& job : outcome.explained()) {
        const bool is_submitted = std::ranges::find(reasons, job, &ExplainedReason::job) != reasons.end();
        text += is_submitted ? "" : "job " + job + ": nobody submitted it\n";
    }
    return text;
}

}  // namespace batfill
