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

#include "python/src/bindings.hpp"
#include "python/src/elsewhere.hpp"
#include "python/src/keywords.hpp"
#include "python/src/machines.hpp"
#include "src/campaign/run_campaign.hpp"
#include "src/formats/named_platform.hpp"
#include "src/formats/workload_writer.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"
#include "src/tuning/tune.hpp"

namespace batfill::python {

namespace {

// A scheduler of the calling program: its name, the object, and a hash of its code and state.
using OwnScheduler = std::tuple<std::string, nb::object, std::string>;

campaign::RunsOutcome campaign(const FileName& file, const FileName& folder,
                               const std::vector<OwnScheduler>& schedulers,
                               const std::pair<std::size_t, std::size_t>& shard, unsigned threads,
                               const nb::object& progress, const nb::object& elsewhere) {
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
    request.elsewhere = made_elsewhere(elsewhere, *work.failure);
    campaign::RunsOutcome outcome;
    const auto run = [&] { outcome = run_campaign(request, watch).outcome; };
    elsewhere.is_none() ? work.run(run) : work.run_here(run);
    return outcome;
}

// What a search by these keywords finds, and the policy without weights.
std::pair<TuneOutcome, std::string> tune(const std::vector<std::pair<FileName, Jobs>>& workloads,
                                         const NamedMachine& machine, const std::optional<FileName>& prefix,
                                         unsigned threads, const nb::object& progress, const Keywords& keywords) {
    Background work;
    TuneOptions read;
    options::Options options(options::Writing::keywords);
    add_tune_options(options, read);
    set_keywords(options, keywords);
    TuneRequest& request = read.request;
    if (prefix) {
        request.prefix = prefix->text;
    }
    request.threads = threads_of(threads);
    request.before_replay = [&] { work.require_not_stopped(); };
    TuneInputs inputs(machine.word.value(), machine.details);
    for (const auto& [name, jobs] : workloads) {
        inputs.add(name, *jobs.workload, prefix ? sha256(text_of(*jobs.workload)) : "");
    }
    const auto report = work.reporting_to(progress);
    TuneOutcome outcome;
    work.run([&] { outcome = batfill::tune(request, inputs, report); });
    std::string policy = request.policy.algorithm;
    for (const auto& [name, value] : request.policy.parameters) {
        policy.append(",").append(name).append("=").append(value);
    }
    return {std::move(outcome), std::move(policy)};
}

}  // namespace

void bind_campaigns(nb::module_& module) {
    using nb::arg;
    nb::class_<campaign::RunsOutcome>(module, "RunsOutcome")
        .def_ro("made", &campaign::RunsOutcome::made)
        .def_ro("kept", &campaign::RunsOutcome::kept)
        .def_ro("problems", &campaign::RunsOutcome::problems);
    module.def("campaign", &campaign, arg("file"), arg("folder"), arg("schedulers"), arg("shard"), arg("threads"),
               arg("progress").none(), arg("elsewhere").none());
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
    module.def("tune", &tune, arg("workloads"), arg("machine"), arg("prefix").none(), arg("threads"),
               arg("progress").none(), arg("keywords"));
    module.def("weights_text", &numbers_text, arg("weights"));
}

}  // namespace batfill::python
