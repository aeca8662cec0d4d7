#include "src/replay/explanation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/named_platform.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/escaped.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::size_t most_holders = 3;  // that a sentence names
constexpr std::size_t most_spans = 12;   // that are printed of a job
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
    std::string parts;
    const auto add = [&](long long number, const char* unit) {
        if (number > 0) {
            parts += (parts.empty() ? "" : " ") + std::to_string(number) + unit;
        }
    };
    add(whole / 86'400, " d");
    add(whole / 3600 % 24, " h");
    add(whole / 60 % 60, " min");
    add(whole % 60, " s");
    return parts;
}

constexpr auto reason_columns =
    std::to_array<std::string_view>({"job_id", "time", "reason", "rounds", "needed", "idle", "licence", "holders",
                                     "possible_start", "place", "waiting", "because", "lack", "windows"});

consteval std::size_t reason_column(std::string_view name) {
    return place_in(reason_columns, name);
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

std::vector<WaitReason::Holder> read_holders(const CsvRow& row) {
    constexpr std::size_t column = reason_column("holders");
    std::vector<WaitReason::Holder> holders;
    for (const std::string_view holder : split(row.text(column), ' ')) {
        if (holder.empty()) {
            continue;
        }
        const std::size_t end = holder.rfind(':');
        const std::size_t middle = end == std::string_view::npos ? end : holder.rfind(':', end - 1);
        const auto processors = middle == std::string_view::npos
                                    ? std::nullopt
                                    : number_in<int>(holder.substr(middle + 1, end - middle - 1));
        const auto until = processors ? Duration::parse(holder.substr(end + 1)) : std::nullopt;
        if (!until || *processors < 0 || middle == 0) {
            row.fail(column, "ID:PROCESSORS:END, with blanks between them");
        }
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
        if (reason.kind == WaitReason::Kind::rejected) {
            row.fail(reason_column("reason"), "a reason such as processors");
        }
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
    if (reason.kind == WaitReason::Kind::passed_over || reason.kind == WaitReason::Kind::window) {
        return "";
    }
    if (reason.possible.is_infinite()) {
        return " Too little would be free even if nothing else ran.";
    }
    if (reason.holders.empty()) {
        return "";  // it waits for a window
    }
    // What holders have of pools and named hosts, `lack` says.
    const bool is_named = reason.kind == WaitReason::Kind::pool || reason.kind == WaitReason::Kind::hosts;
    // Those with the most processors are the most interesting.
    std::vector<WaitReason::Holder> holders = reason.holders;
    std::ranges::stable_sort(holders, std::ranges::greater{}, &WaitReason::Holder::processors);
    std::vector<std::string> texts;
    for (const WaitReason::Holder& holder : std::span(holders).first(std::min(holders.size(), most_holders))) {
        texts.push_back(holder.job + (is_named ? "" : " (" + processors_text(holder.processors) + ")"));
    }
    if (holders.size() > most_holders) {
        texts.push_back(std::to_string(holders.size() - most_holders) + " more");
    }
    return std::string(holders.size() == 1 ? " Job " : " Jobs ") + enumeration(texts) +
           (holders.size() == 1 ? " is" : " are") + " expected to end by " + words.instant_text(reason.possible) +
           ", which would free enough" + (reason.windows.empty() ? "" : " without windows") + ".";
}

bool have_one_lack(std::span<const ExplainedReason> rounds) {
    return std::ranges::all_of(rounds,
                               [&](const ExplainedReason& reason) { return reason.lack == rounds.front().lack; });
}

// What the job lacked in these rounds, which have the same rule: "it needs 8 processors; 0 to 7 are idle."
// Requires: have_one_lack(rounds).
std::string lack_text(std::span<const ExplainedReason> rounds) {
    const ExplainedReason& last = rounds.back();
    if (!last.lack.empty()) {
        return last.lack + ".";
    }
    const auto all_are = [&](WaitReason::Kind kind) {
        return std::ranges::all_of(rounds, [&](const ExplainedReason& reason) { return reason.kind == kind; });
    };
    if (all_are(WaitReason::Kind::license)) {
        std::vector<std::string> licenses = mapped(rounds, &WaitReason::license);
        std::ranges::sort(licenses);
        licenses.erase(std::unique(licenses.begin(), licenses.end()), licenses.end());
        return "all copies of " + std::string(licenses.size() == 1 ? "its licence " : "one of its licences ") +
               enumeration(licenses) + " are in use.";
    }
    const auto [least, most] = std::ranges::minmax(rounds, {}, &WaitReason::idle);
    std::string text = "it needs " + processors_text(last.needed) + "; ";
    text += least.idle == most.idle ? std::to_string(most.idle)
                                    : std::to_string(least.idle) + " to " + std::to_string(most.idle);
    text += most.idle == 1 && least.idle == 1 ? " is idle" : " are idle";
    return text + (all_are(WaitReason::Kind::place)    ? ", but not as its placement wants them."
                   : all_are(WaitReason::Kind::window) ? ", but by its walltime it would run into a window."
                                                       : ".");
}

// Who holds what it lacks, its place in the queue, and what the algorithm says. Begins with a blank, or is empty for a
// job that is not eligible yet.
std::string details_of(const ExplainedReason& reason, const ReasonWords& words) {
    if (!is_in_queue(reason)) {
        return "";
    }
    return holders_text(reason, words) + (reason.windows.empty() ? "" : " Announced: " + reason.windows + ".") +
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

// What a job lacks: "too few processors are idle".
std::string kind_text(const ExplainedReason& reason) {
    switch (reason.kind) {
        case WaitReason::Kind::processors:
            return "too few processors are idle";
        case WaitReason::Kind::place:
            return "enough processors are idle, but not as its placement wants them";
        case WaitReason::Kind::license:
            return "all copies of its licence " + reason.license + " are in use";
        case WaitReason::Kind::pool:
            return "too little is left of a pool";
        case WaitReason::Kind::hosts:
            return "too few hosts have what it takes";
        case WaitReason::Kind::dependency:
            return "it is not eligible yet";
        case WaitReason::Kind::window:
            return "windows keep it from starting";
        case WaitReason::Kind::passed_over:
        case WaitReason::Kind::started:
        case WaitReason::Kind::rejected:
            break;
    }
    return reason.lack.empty() ? "enough processors are idle" : "enough is free";
}

// The spans with the same rule.
struct Total {
    const ExplainedReason* first;
    Duration length;
    bool has_one_kind = true;

    void add(const Span& span) {
        length = length + span.length;
        has_one_kind = has_one_kind && std::ranges::all_of(span.reasons, [this](const ExplainedReason& reason) {
                           return reason.kind == first->kind && reason.license == first->license;
                       });
    }
    // "behind the head, too few processors are idle"
    std::string text() const {
        const std::string& rule = first->rule;
        return !has_one_kind ? rule : rule + (rule.empty() ? "" : ", ") + kind_text(*first);
    }
};

// How long the job waited by which rule, the longest first.
std::string totals_text(const std::vector<Span>& spans) {
    std::vector<Total> totals;
    for (const Span& span : spans) {
        const auto same = [&](const Total& one) { return has_same_rule(*one.first, span.first()); };
        auto total = std::ranges::find_if(totals, same);
        if (total == totals.end()) {
            total = totals.insert(totals.end(), Total{&span.first(), Duration()});
        }
        total->add(span);
    }
    std::ranges::stable_sort(totals, std::ranges::greater{}, &Total::length);
    std::string text = "  in all";
    for (const Total& total : totals) {
        text += (&total == &totals.front() ? " " : "; ") + span_text(total.length) + ": " + total.text();
    }
    return text + '\n';
}

void append_span(const Span& span, Time submit, const ReasonWords& words, std::string& text) {
    std::uint64_t count = 0;
    for (const ExplainedReason& reason : span.reasons) {
        count += reason.rounds;
    }
    const Time begin = span.first().time;
    text += "  from " +
            (begin == submit ? "its submission on, for "
                             : span_text(begin - submit) + " on (" + words.instant_text(begin) + "), for ") +
            span_text(span.length) + ", " + counted(count, "round") + ":";
    const bool has_one_lack = have_one_lack(span.reasons);
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
    const Engine* const engine = outcome.engine();
    const bool has_named_hosts = engine != nullptr && engine->state().hosts.is_on();
    text += "job " + last.job + ": " +
            counted(static_cast<std::size_t>(last.needed), has_named_hosts ? "host" : "processor") +
            (job != nullptr && job->walltime ? " for at most " + span_text(*job->walltime) : "") + "; ";
    if (last.kind == WaitReason::Kind::rejected) {
        text += "rejected at " + words.instant_text(last.time) + ", as " + last.because + '\n';
    } else if (last.kind == WaitReason::Kind::started) {
        text += "submitted at " + words.instant_text(submit) + ", started " +
                (end == submit ? "at once" : "at " + words.instant_text(end) + " after " + span_text(end - submit)) +
                '\n';
    } else {
        text += "submitted at " + words.instant_text(submit) + ", still waits at the end, " + words.instant_text(end) +
                '\n';
    }
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
    if (reason.kind == WaitReason::Kind::started) {
        return "it starts.";
    }
    return reason.kind == WaitReason::Kind::rejected
               ? "it is rejected, as " + reason.because + "."
               : lack_text(std::span(&reason, 1)) + details_of(reason, ReasonWords());
}

ReasonColumns columns_of(std::span<const ExplainedReason> reasons) {
    return {std::ranges::any_of(reasons, [](const ExplainedReason& reason) { return !reason.lack.empty(); }),
            std::ranges::any_of(reasons, [](const ExplainedReason& reason) { return !reason.windows.empty(); })};
}

std::string wait_reasons_csv_header(const ReasonColumns& columns) {
    std::string header;
    for (const std::string_view column : reason_columns) {
        if ((columns.lack || column != "lack") && (columns.windows || column != "windows")) {
            header.append(header.empty() ? "" : ",").append(column);
        }
    }
    return header + '\n';
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
    std::string holders;
    for (const WaitReason::Holder& holder : reason.holders) {
        holders += (holders.empty() ? "" : " ") + without_blanks(holder.job) + ":" + std::to_string(holder.processors) +
                   ":" + holder.until.to_string();
    }
    return holders;
}

void append_csv(const ExplainedReason& reason, std::string& out, const ReasonColumns& columns) {
    const auto add = [&out](const std::string& value, char end = ',') {
        if (!value.empty()) {
            append_csv_field(value, out);
        }
        out += end;
    };
    const auto instant = [](Time time) { return time.is_infinite() ? "" : time.to_string(); };
    const bool waits = !is_end(reason);
    add(reason.job);
    add(reason.time.to_string());
    add(to_string(reason.kind));
    add(std::to_string(reason.rounds));
    add(std::to_string(reason.needed));
    add(std::to_string(reason.idle));
    add(reason.license);
    add(holders_of(reason));
    add(waits ? instant(reason.possible) : "");
    add(is_in_queue(reason) ? std::to_string(reason.place) : "");
    add(is_in_queue(reason) ? std::to_string(reason.waiting) : "");
    add(reason.because, columns.lack || columns.windows ? ',' : '\n');
    if (columns.lack) {
        add(reason.lack, columns.windows ? ',' : '\n');
    }
    if (columns.windows) {
        add(reason.windows, '\n');
    }
}

std::string explanation(const Outcome& outcome) {
    std::map<std::string, std::vector<ExplainedReason>> by_job;
    std::vector<std::string> order;
    const ReasonWords words = words_for(outcome);
    for (ExplainedReason& reason : explained(outcome.wait_reasons(), words)) {
        std::vector<ExplainedReason>& reasons = by_job[reason.job];
        if (reasons.empty()) {
            order.push_back(reason.job);
        }
        reasons.push_back(std::move(reason));
    }
    std::string text;
    for (const std::string& job : order) {
        append_job(outcome, by_job.at(job), words, text);
    }
    for (const std::string& job : outcome.explained()) {
        text += by_job.contains(job) ? "" : "job " + job + ": nobody submitted it\n";
    }
    return text;
}

}  // namespace batfill
