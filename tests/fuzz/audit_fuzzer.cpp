#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>

#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::audit_fuzzer {

namespace {

// Splits the input at lines of "====" into a jobs.csv, a guarantees.csv, a broken_guarantees.csv and an events file.
// Missing ones are empty.
std::array<std::string_view, 4> files_in(std::string_view input) {
    constexpr std::string_view mark = "\n====\n";
    std::array<std::string_view, 4> files;
    for (std::string_view& file : files) {
        const std::size_t end = input.find(mark);
        file = input.substr(0, end);
        input.remove_prefix(end == std::string_view::npos ? input.size() : end + mark.size());
    }
    return files;
}

// The result of `read`; none if it refuses the text with an error of one line.
template <class Read>
auto accepted(Read read, std::string_view text) -> std::optional<decltype(read(text))> {
    try {
        return read(text);
    } catch (const InputError& problem) {
        const std::string_view line = problem.what();
        if (line.empty() || line.find('\n') != std::string_view::npos) {
            std::abort();
        }
        return std::nullopt;
    }
}

bool same(const ScheduledJob& a, const ScheduledJob& b) {
    const bool same_times =
        a.execution.has_value() == b.execution.has_value() &&
        (!a.execution || (a.execution->start == b.execution->start && a.execution->length == b.execution->length &&
                          a.execution->finish == b.execution->finish && a.execution->wait == b.execution->wait &&
                          a.execution->turnaround == b.execution->turnaround && a.allocation == b.allocation));
    return a.id == b.id && a.submit == b.submit && a.walltime == b.walltime && a.processors == b.processors &&
           a.state == b.state && a.success == b.success && same_times;
}

// Checks that a schedule reads back after it was written.
void check_round_trip(const Schedule& schedule) {
    std::string text = schedule_csv_header();
    for (const ScheduledJob& job : schedule.jobs) {
        append_csv(job, text);
    }
    const Schedule again = read_schedule("again", text);
    if (again.jobs.size() != schedule.jobs.size()) {
        std::abort();
    }
    for (std::size_t i = 0; i < again.jobs.size(); ++i) {
        if (!same(again.jobs[i], schedule.jobs[i])) {
            std::abort();
        }
    }
}

void check_round_trip(const std::vector<Guarantee>& guarantees) {
    std::string text = guarantees_csv_header();
    for (const Guarantee& guarantee : guarantees) {
        append_csv(guarantee, text);
    }
    const std::vector<Guarantee> again = read_guarantees("again", text);
    for (std::size_t i = 0; i < guarantees.size(); ++i) {
        if (again.at(i).job_id != guarantees[i].job_id || again[i].actual_start != guarantees[i].actual_start ||
            again[i].guaranteed_start != guarantees[i].guaranteed_start) {
            std::abort();
        }
    }
}

Platform platform() {
    Platform platform;
    for (int i = 0; i < 6; ++i) {
        const char* const machine = i < 3 ? "a" : "b";
        platform.hosts.push_back(
            {"h" + std::to_string(i), 1e9, {{"machine", machine}, {"licenses", "l"}}, {{"licenses", "l:1"}}});
    }
    return platform;
}

// Jobs of every kind that the audit distinguishes. Short ids make hits likely.
std::vector<Workload> workloads() {
    return {parse_workload(
        R"({"nb_res":6,"jobs":[{"id":"1","subtime":0,"res":2,"walltime":20,"profile":"d"},)"
        R"({"id":"2","subtime":1,"res":6,"profile":"d"},)"
        R"({"id":"3","subtime":1,"res":1,"walltime":5,"profile":"d","after":["start:1+1"]},)"
        R"({"id":"4","subtime":2,"res":1,"walltime":5,"profile":"z","after":["ok:1","any:3+4","any:9"]},{"id":"5","subtime":2,"res":7,"profile":"c"},)"
        R"({"id":"6","subtime":3,"res":1,"walltime":9,"profile":"o","licenses":["l"],"deadline":12,"after":["any:4"]},)"
        R"({"id":"","subtime":3,"res":1,"profile":"c","licenses":["l"]}],"profiles":{"d":{"type":"delay","delay":10},)"
        R"("z":{"type":"parallel_homogeneous","cpu":0,"com":0},"c":{"type":"parallel_homogeneous","cpu":4e9,"com":0},)"
        R"("o":{"type":"parallel","cpu":[1],"com":[0]}}})",
        "fuzz", "w0")};
}

}  // namespace

// Each file is read, or refused in one line. What was read reads back after it was written. The audit accepts anything
// that was read, and each violation is one line.
const Fuzzer fuzzer("audit", [](std::string_view input) {
    static const Platform machine = platform();
    static const std::vector<Workload> submitted = workloads();
    const auto files = files_in(input);
    const auto schedule = accepted([](std::string_view text) { return read_schedule("fuzz", text); }, files[0]);
    const auto guarantees = accepted([](std::string_view text) { return read_guarantees("fuzz", text); }, files[1]);
    const auto broken = accepted([](std::string_view text) { return read_broken_guarantees("fuzz", text); }, files[2]);
    const auto events =
        accepted([](std::string_view text) { return parse_external_events(text, "fuzz", true); }, files[3]);
    if (guarantees) {
        check_round_trip(*guarantees);
    }
    if (!schedule) {
        return;
    }
    check_round_trip(*schedule);
    for (const Placement placement : {Placement::lowest, Placement::contiguous, Placement::machine}) {
        CheckOptions options;
        options.placement = placement;
        options.deadlines_bind = placement != Placement::lowest;
        options.jobs_survive_losses = placement == Placement::lowest;
        const auto audit = [&](std::string_view) {
            return check_schedule(*schedule, submitted, machine, options, guarantees ? &*guarantees : nullptr,
                                  guarantees && broken ? &*broken : nullptr,
                                  events ? std::vector(1, *events) : std::vector<std::vector<ExternalEvent>>());
        };
        const auto report = accepted(audit, "");
        for (std::size_t i = 0; report && i < report->violations.size(); ++i) {
            if (report->violations[i].text.find('\n') != std::string::npos) {
                std::abort();
            }
        }
    }
});

}  // namespace batfill::tests::audit_fuzzer
