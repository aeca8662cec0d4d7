#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>

#include "bindings.hpp"
#include "src/campaign/run_campaign.hpp"
#include "src/commands/parsers.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

// A scheduler of the calling program: its name, the object, and a hash of its code and state.
using OwnScheduler = std::tuple<std::string, nb::object, std::string>;

struct CampaignCounts {
    std::size_t made = 0;
    std::size_t kept = 0;
    std::vector<std::string> problems;
};

CampaignCounts campaign(const FileName& file, const FileName& folder, const std::vector<OwnScheduler>& schedulers,
                        const std::pair<std::size_t, std::size_t>& shard, unsigned threads,
                        const nb::object& progress) {
    Background work;
    campaign::CampaignRequest request;
    request.shard = {shard.first, shard.second};
    request.file = file;
    request.folder = folder;
    request.threads = threads_of(threads);
    for (const auto& [name, object, code] : schedulers) {
        request.own_algorithms[name] = {algorithm_of(object, name, true, work.failure, work.stop), code};
    }
    campaign::CampaignWatch watch;
    watch.progress = work.reporting_to(progress);
    watch.in_run = [&](std::size_t, Time) { work.require_not_stopped(); };
    CampaignCounts counts;
    work.run([&] {
        const campaign::RunsOutcome outcome = run_campaign(request, commands::makers(), watch).outcome;
        counts = {outcome.made, outcome.kept, outcome.problems};
    });
    return counts;
}

// What `batfill tune` finds with these arguments, and the policy without weights.
std::pair<TuneOutcome, std::string> tune(const std::vector<FileName>& given, unsigned threads,
                                         const nb::object& progress) {
    Background work;
    TuneRequest request =
        commands::parse_tune_options(mapped(given, &FileName::text), commands::OptionsFrom::file).value();
    request.threads = threads_of(threads);
    request.note = [](const std::string&) {};
    request.before_replay = [&] { work.require_not_stopped(); };
    const auto report = work.reporting_to(progress);
    TuneOutcome outcome;
    work.run([&] { outcome = batfill::tune(request, report); });
    std::string policy = request.policy.algorithm;
    for (const auto& [name, value] : request.policy.parameters) {
        policy.append(",").append(name).append("=").append(value);
    }
    return {std::move(outcome), std::move(policy)};
}

}  // namespace

void bind_campaigns(nb::module_& module) {
    using nb::arg;
    nb::class_<CampaignCounts>(module, "CampaignCounts")
        .def_ro("made", &CampaignCounts::made)
        .def_ro("kept", &CampaignCounts::kept)
        .def_ro("problems", &CampaignCounts::problems);
    module.def("campaign", &campaign, arg("file"), arg("folder"), arg("schedulers"), arg("shard"), arg("threads"),
               arg("progress").none());
    module.def(
        "merge_shards",
        [](const std::vector<FileName>& folders, const FileName& output) {
            return interruptible([&] { return campaign::merge_shards(mapped(folders, &FileName::text), output, {}); });
        },
        arg("folders"), arg("output"));
    nb::class_<TunedWeights>(module, "TunedWeights")
        .def_ro("workload", &TunedWeights::workload)
        .def_ro("value", &TunedWeights::value)
        .def_ro("weights", &TunedWeights::weights)
        .def_ro("found_at", &TunedWeights::found_at)
        .def_ro("evaluations", &TunedWeights::evaluations);
    nb::class_<TuneOutcome>(module, "TuneOutcome")
        .def_ro("best", &TuneOutcome::best)
        .def_ro("replays", &TuneOutcome::replays)
        .def_ro("written", &TuneOutcome::written);
    module.def("tune", &tune, arg("arguments"), arg("threads"), arg("progress").none());
    module.def("weights_text", &numbers_text, arg("weights"));
}

}  // namespace batfill::python
