#include "python/src/elsewhere.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <batfill/replay/replay.hpp>
#include <batfill/version.hpp>

#include "python/src/run.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

std::string packed_jobs(const StartedInLog& jobs) {
    std::vector<std::string> ids(jobs.begin(), jobs.end());
    std::ranges::sort(ids);
    return packed(ids);
}

// Adds the parts of a scenario: its workload, and its machine with what happens to it.
void add_parts(Elsewhere& work, const std::function<std::shared_ptr<const Replay>()>& replay) {
    work.parts.emplace_back([replay] { return packed(replay()->scenario().workloads.front()); });
    work.parts.emplace_back([replay] {
        const std::shared_ptr<const Replay> kept = replay();
        return packed(kept->scenario().platform, kept->scenario().event_lists);
    });
}

// A scenario as a worker keeps it, from one task to the next.
struct PreparedScenario {
    Replay replay;
    std::optional<StartedInLog> counted;
};

PreparedScenario prepared_scenario(const std::vector<nb::bytes>& parts) {
    const std::vector<std::string_view> texts = mapped(parts, view_of);
    return interruptible([&] {
        Scenario scenario;
        unpack(texts.at(0), scenario.workloads.emplace_back());
        unpack(texts.at(1), scenario.platform, scenario.event_lists);
        PreparedScenario made{Replay(std::move(scenario)), std::nullopt};
        if (texts.size() > 2) {
            std::vector<std::string> ids;
            unpack(texts[2], ids);
            made.counted.emplace(ids.begin(), ids.end());
        }
        return made;
    });
}

// How to measure, as it is packed.
struct How {
    bool is_of_campaign = false;
    std::optional<std::string> metric;  // of a comparison; none: all
    bool with_files = false;            // of a campaign, as is what follows but for the first two
    campaign::RunMeasure measure;
};
void pack(auto& all, Is<How> auto& how) {
    all(how.is_of_campaign, how.metric, how.with_files, how.measure.metrics.tau, how.measure.metrics.short_deadline,
        how.measure.warm_up, how.measure.cool_down, how.measure.waits_from_eligible);
}

std::string compared(const PreparedScenario& scenario, const NamedScheduler& scheduler, const How& how,
                     const Simulator::Progress& in_run) {
    ComparisonRequest request;
    request.metrics = how.measure.metrics;
    request.run.progress = in_run;
    if (how.metric) {
        request.metric.emplace(*how.metric, request.metrics.tau);
    }
    const MeasuredReplay made =
        measure_replay({&scenario.replay, &scheduler, scenario.counted ? &*scenario.counted : nullptr}, request);
    return packed(made.metrics ? std::optional(made.metrics->values()) : std::nullopt,
                  made.metrics ? made.metrics->resources() : std::vector<std::string>(),
                  std::vector<std::string>(made.rejected.ids.begin(), made.rejected.ids.end()), made.rejected.first);
}

MeasuredReplay measured_replay(std::string_view text) {
    std::optional<std::vector<std::optional<double>>> values;
    std::vector<std::string> resources;
    std::vector<std::string> rejected;
    MeasuredReplay measured;
    unpack(text, values, resources, rejected, measured.rejected.first);
    if (values) {
        measured.metrics.emplace(std::move(*values), std::move(resources));
    }
    measured.rejected.ids.insert(rejected.begin(), rejected.end());
    return measured;
}

// The schedule without what the caller has already.
Run files_alone(const Outcome& outcome) {
    Run run = run_of(outcome, {});
    run.platform = {};
    run.workloads.clear();
    run.events.clear();
    return run;
}

std::string run_of_campaign(const PreparedScenario& scenario, const SchedulerChoice& choice, const How& how,
                            const std::string& place, const Simulator::Progress& in_run) {
    std::string made;
    campaign::measure_run(scenario.replay, scenario.counted ? &*scenario.counted : nullptr, choice, how.measure, place,
                          in_run, [&](const NamedValues& values, const Outcome& outcome) {
                              made =
                                  packed(values, how.with_files ? std::optional(files_alone(outcome)) : std::nullopt);
                          });
    return made;
}

// Makes one replay, in a worker.
nb::bytes replay(const PreparedScenario& scenario, const nb::object& scheduler, const std::string& name,
                 const std::string& algorithm, const Parameters::Given& parameters, const nb::bytes& how_packed,
                 const std::string& place) {
    const auto failure = std::make_shared<Failure>();
    How how;
    unpack(view_of(how_packed), how);
    SignalsSeen signals(*failure);
    const auto in_run = [&](std::size_t, Time) { signals(); };
    return bytes_of(raising(*failure, [&] {
        WrittenScheduler written{algorithm, parameters};
        if (!scheduler.is_none()) {
            written.own = algorithm_of(scheduler, algorithm, true, failure, nullptr);
        }
        const NamedScheduler named{name, choice_of(written)};
        const WithoutGil released;
        return how.is_of_campaign ? run_of_campaign(scenario, named.choice, how, place, in_run)
                                  : compared(scenario, named, how, in_run);
    }));
}

// What tells builds apart that may give other results.
std::string build() {
    static const std::string text = std::string(version) + " (" + sha256_of_file(library_file()).substr(0, 12) + ')';
    return text;
}

// Throws: Interrupted, if `progress` has raised an exception, which the end of the call raises.
void require_none(const Failure& failure) {
    if (failure.is_kept()) {
        throw Interrupted();
    }
}

nb::tuple tuple_of(const Elsewhere::Task& task) {
    const SchedulerChoice& choice = task.scheduler->choice;
    return nb::make_tuple(task.parts, task.jobs, task.scheduler->name, choice.algorithm(), choice.parameters().given(),
                          task.own, task.place);
}

}  // namespace

void Elsewhere::run(const std::shared_ptr<Elsewhere>& work, const nb::object& make, Failure& failure) {
    const Gil gil;
    try {
        call_python(make, nb::cast(work));
    } catch (const nb::python_error&) {
        failure.keep();
        *work = {};
        throw Interrupted();
    }
    *work = {};  // what it refers to ends with the call
}

ReplaysElsewhere compared_elsewhere(const nb::object& make, const ComparisonRequest& request,
                                    const std::vector<bool>& is_own, Failure& failure) {
    if (make.is_none()) {
        return {};
    }
    return [&](const std::vector<ReplayToMeasure>& replays, const auto& take) {
        if (replays.empty()) {
            return;
        }
        const auto work = std::make_shared<Elsewhere>();
        How how;
        how.metric = request.metric ? std::optional(request.metric->name()) : std::nullopt;
        how.measure.metrics = request.metrics;
        work->how = packed(how);
        const ReplayToMeasure* before = nullptr;
        std::vector<std::size_t> parts;
        for (const ReplayToMeasure& one : replays) {
            if (before == nullptr || before->replay != one.replay) {
                parts = {work->parts.size(), work->parts.size() + 1};
                // It belongs to the caller.
                add_parts(*work, [replay = one.replay] {
                    return std::shared_ptr<const Replay>(replay, [](const Replay*) {});
                });
                if (one.counted != nullptr) {
                    parts.push_back(work->parts.size());
                    work->parts.emplace_back([counted = one.counted] { return packed_jobs(*counted); });
                }
            }
            before = &one;
            const auto column = static_cast<std::size_t>(one.scheduler - request.schedulers.data());
            work->tasks.push_back({parts, one.replay->scenario().workloads.front().jobs.size(), one.scheduler,
                                   is_own.at(column) ? std::to_string(column) : ""});
        }
        work->take = [&](std::size_t task, std::string_view text) {
            take(task, measured_replay(text));
            require_none(failure);
        };
        work->fail = [](std::size_t, const std::string&) { return false; };
        Elsewhere::run(work, make, failure);
    };
}

campaign::MakeElsewhere made_elsewhere(const nb::object& make, Failure& failure) {
    if (make.is_none()) {
        return {};
    }
    return [&](const campaign::RunsToMake& runs) {
        const auto work = std::make_shared<Elsewhere>();
        How how;
        how.is_of_campaign = true;
        how.with_files = runs.with_files;
        how.measure = runs.measure;
        work->how = packed(how);
        std::shared_ptr<const campaign::PreparedRun> last;  // the runs of a workload follow each other
        const campaign::CampaignRun* last_run = nullptr;
        const auto prepare = [&](const campaign::CampaignRun* run) {
            if (last_run == nullptr || !is_beside(*last_run, *run)) {
                last.reset();
                last = runs.prepare(*run);
                last_run = run;
            }
            return last;
        };
        const campaign::CampaignRun* before = nullptr;
        std::vector<std::size_t> parts;
        for (const campaign::CampaignRun* const run : runs.runs) {
            if (before == nullptr || !is_beside(*before, *run)) {
                parts = {work->parts.size(), work->parts.size() + 1};
                add_parts(*work, [&prepare, run] {
                    const auto prepared = prepare(run);
                    return std::shared_ptr<const Replay>(prepared, &prepared->replay);
                });
                if (!run->workload->own_schedule.empty()) {
                    parts.push_back(work->parts.size());
                    work->parts.emplace_back([&prepare, run] { return packed_jobs(prepare(run)->started); });
                }
            }
            before = run;
            const NamedScheduler& scheduler = run->scheduler->scheduler;
            work->tasks.push_back({parts, run->workload->jobs, &scheduler,
                                   run->scheduler->code.empty() ? "" : scheduler.choice.algorithm(), run->prefix});
        }
        work->take = [&](std::size_t task, std::string_view text) {
            NamedValues values;
            std::optional<Run> run;
            unpack(text, values, run);
            const std::optional<RunFiles> files = run ? std::optional(run->files()) : std::nullopt;
            runs.take(task, std::move(values), files ? &*files : nullptr);
            require_none(failure);
        };
        work->fail = [&](std::size_t task, const std::string& problem) {
            runs.fail(task, problem);
            require_none(failure);
            return true;
        };
        Elsewhere::run(work, make, failure);
    };
}

void bind_elsewhere(nb::module_& module) {
    using nb::arg;
    nb::class_<Elsewhere>(module, "Elsewhere")
        .def(
            "tasks",
            [](const Elsewhere& work) {
                nb::list tasks;
                for (const Elsewhere::Task& task : work.tasks) {
                    tasks.append(tuple_of(task));
                }
                return tasks;
            },
            nb::sig("def tasks(self) -> list[tuple[list[int], int, str, str, list[tuple[str, str]], str, str]]"))
        .def_prop_ro("how", [](const Elsewhere& work) { return bytes_of(work.how); })
        .def(
            "packed", [](const Elsewhere& work, std::size_t part) { return bytes_of(work.parts.at(part)()); },
            arg("part"))
        .def(
            "take",
            [](const Elsewhere& work, std::size_t task, const nb::bytes& made) { work.take(task, view_of(made)); },
            arg("task"), arg("made"))
        .def(
            "fail",
            [](const Elsewhere& work, std::size_t task, const std::string& problem) {
                return work.fail(task, problem);
            },
            arg("task"), arg("problem"));
    nb::class_<PreparedScenario>(module, "PreparedScenario").def(nb::new_(&prepared_scenario), arg("parts"));
    module.def("replay", &replay, arg("scenario"), arg("scheduler").none(), arg("name"), arg("algorithm"),
               arg("parameters"), arg("how"), arg("place"));
    module.def("build", &build);
}

}  // namespace batfill::python
