#include "src/replay/explanation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::size_t most_holders = 3;  // that a sentence names

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
                                     "possible_start", "place", "waiting", "because"});

consteval std::size_t reason_column(std::string_view name) {
    return place_in(reason_columns, name);
}

// A number of a column; 0 if it is empty.
template <class Number>
Number number_of(const CsvRow& row, std::size_t column) {
    const std::string_view text = row.text(column);
    const auto number = text.empty() ? std::optional(Number{}) : number_in<Number>(text);
    if (!number) {
        row.fail(column, "a whole number");
    }
    return *number;
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
        if (!until) {
            row.fail(column, "ID:PROCESSORS:END, with blanks between them");
        }
        holders.push_back({std::string(holder.substr(0, middle)), *processors, Time::at(*until)});
    }
    return holders;
}

WaitReason read_reason(const CsvRow& row) {
    WaitReason reason;
    reason.kind = WaitReason::Kind::processors;
    reason.job = row.text(reason_column("job_id"));
    reason.time = row.time(reason_column("time"));
    const std::string_view kind = row.text(reason_column("reason"));
    while (kind != to_string(reason.kind)) {
        if (reason.kind == WaitReason::Kind::rejected) {
            row.fail(reason_column("reason"), "a reason such as processors");
        }
        reason.kind = static_cast<WaitReason::Kind>(static_cast<int>(reason.kind) + 1);
    }
    reason.rounds = number_of<std::uint64_t>(row, reason_column("rounds"));
    reason.needed = number_of<int>(row, reason_column("needed"));
    reason.idle = number_of<int>(row, reason_column("idle"));
    reason.license = row.text(reason_column("licence"));
    reason.holders = read_holders(row);
    reason.possible = row.optional_planned_time(reason_column("possible_start")).value_or(Time::infinity());
    reason.place = number_of<std::size_t>(row, reason_column("place"));
    reason.waiting = number_of<std::size_t>(row, reason_column("waiting"));
    reason.because = row.text(reason_column("because"));
    return reason;
}

// The rule of an algorithm's reason, without its numbers.
std::string_view rule_of(const WaitReason& reason) {
    return std::string_view(reason.because).substr(0, reason.because.find(':'));
}

bool is_end(const WaitReason& reason) {
    return reason.kind == WaitReason::Kind::started || reason.kind == WaitReason::Kind::rejected;
}

std::string holders_text(const WaitReason& reason) {
    if (reason.holders.empty()) {
        return "";
    }
    // Those with the most processors are the most interesting.
    std::vector<WaitReason::Holder> holders = reason.holders;
    std::ranges::stable_sort(holders, std::ranges::greater{}, &WaitReason::Holder::processors);
    std::vector<std::string> texts;
    for (const WaitReason::Holder& holder : std::span(holders).first(std::min(holders.size(), most_holders))) {
        texts.push_back(holder.job + " (" + std::to_string(holder.processors) + " until " + instant_text(holder.until) +
                        ")");
    }
    if (holders.size() > most_holders) {
        texts.push_back(std::to_string(holders.size() - most_holders) + " more");
    }
    return std::string(holders.size() == 1 ? " Job " : " Jobs ") + enumeration(texts) +
           (holders.size() == 1 ? " holds" : " hold") + " what it lacks, by the estimates until " +
           instant_text(reason.possible) + ".";
}

// What the job lacked in these rounds, which have the same rule.
std::string lack_text(std::span<const WaitReason> rounds) {
    const WaitReason& last = rounds.back();
    switch (last.kind) {
        case WaitReason::Kind::license:
            return "all copies of its licence " + last.license + " are in use";
        case WaitReason::Kind::place:
            return std::to_string(last.idle) + " processors are idle, but not " + std::to_string(last.needed) +
                   " as its placement wants them";
        case WaitReason::Kind::processors:
        case WaitReason::Kind::passed_over:
        case WaitReason::Kind::started:
        case WaitReason::Kind::rejected:
            break;
    }
    const auto [least, most] = std::ranges::minmax(rounds, {}, &WaitReason::idle);
    const std::string idle = least.idle == most.idle ? std::to_string(least.idle)
                                                     : std::to_string(least.idle) + " to " + std::to_string(most.idle);
    return "it needs " + counted(static_cast<std::size_t>(last.needed), "processor") + ", " + idle +
           (most.idle == 1 && least.idle == 1 ? " is idle" : " are idle");
}

// What holds for these rounds, which have the same rule.
std::string sentences_of(std::span<const WaitReason> rounds) {
    const WaitReason& last = rounds.back();
    return lack_text(rounds) + "." + holders_text(last) + " It is number " + std::to_string(last.place) + " of " +
           std::to_string(last.waiting) + " waiting jobs." +
           (last.because.empty() ? "" : " The algorithm says: " + last.because + ".");
}

void append_rounds(std::span<const WaitReason> rounds, Time submit, std::string& text) {
    const WaitReason& first = rounds.front();
    std::uint64_t count = 0;
    for (const WaitReason& reason : rounds) {
        count += reason.rounds;
    }
    text += "  from " +
            (first.time == submit ? "its submission on, "
                                  : span_text(first.time - submit) + " on (" + instant_text(first.time) + "), ") +
            counted(count, "round") + ": " + sentences_of(rounds) + '\n';
}

void append_job(const Outcome& outcome, const std::string& job, std::span<const WaitReason> reasons,
                std::string& text) {
    const WaitReason& last = reasons.back();
    text += "job " + job + ": ";
    if (last.kind == WaitReason::Kind::rejected) {
        text += "rejected at " + instant_text(last.time) + ", as " + last.because + "\n";
    } else if (last.kind == WaitReason::Kind::started) {
        const Time start = last.time;
        const Time submit = reasons.front().time;
        text += "submitted at " + instant_text(submit) + ", started at " + instant_text(start) + " after " +
                span_text(start - submit) + "\n";
    } else {
        text += "submitted at " + instant_text(reasons.front().time) + ", still waits at the end, " +
                instant_text(outcome.simulation().results().now) + "\n";
    }
    for (std::size_t begin = 0; begin < reasons.size() && !is_end(reasons[begin]);) {
        const auto same = [&](const WaitReason& reason) {
            return reason.kind == reasons[begin].kind && rule_of(reason) == rule_of(reasons[begin]);
        };
        const auto rest = reasons.subspan(begin);
        const auto end = std::ranges::find_if_not(rest, same);
        const auto size = static_cast<std::size_t>(end - rest.begin());
        append_rounds(rest.first(size), reasons.front().time, text);
        begin += size;
    }
}

}  // namespace

std::string sentences_of(const WaitReason& reason) {
    if (reason.kind == WaitReason::Kind::started) {
        return "it starts.";
    }
    return reason.kind == WaitReason::Kind::rejected ? "it is rejected, as " + reason.because + "."
                                                     : sentences_of(std::span(&reason, 1));
}

std::string wait_reasons_csv_header() {
    std::string header;
    for (const std::string_view column : reason_columns) {
        header.append(header.empty() ? "" : ",").append(column);
    }
    return header + '\n';
}

std::vector<WaitReason> read_wait_reasons(const std::string& path) {
    constexpr CsvFormat format{"explain.csv", "batfill simulate --explain", reason_columns};
    std::vector<WaitReason> reasons;
    read_csv(path, format, [&](const CsvRow& row) { reasons.push_back(read_reason(row)); });
    return reasons;
}

std::string holders_of(const WaitReason& reason) {
    std::string holders;
    for (const WaitReason::Holder& holder : reason.holders) {
        holders += (holders.empty() ? "" : " ") + holder.job + ":" + std::to_string(holder.processors) + ":" +
                   holder.until.to_string();
    }
    return holders;
}

void append_csv(const WaitReason& reason, std::string& out) {
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
    add(waits ? std::to_string(reason.place) : "");
    add(waits ? std::to_string(reason.waiting) : "");
    add(reason.because, '\n');
}

std::string explanation(const Outcome& outcome) {
    std::map<std::string, std::vector<WaitReason>> by_job;
    std::vector<std::string> order;
    for (const WaitReason& reason : outcome.wait_reasons()) {
        std::vector<WaitReason>& reasons = by_job[reason.job];
        if (reasons.empty()) {
            order.push_back(reason.job);
        }
        reasons.push_back(reason);
    }
    std::string text;
    for (const std::string& job : order) {
        append_job(outcome, job, by_job.at(job), text);
    }
    return text;
}

}  // namespace batfill
