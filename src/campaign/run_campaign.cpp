#include "run_campaign.hpp"

namespace batfill::campaign {

namespace {

template <class Function, class... Arguments>
void tell(const Function& heard, const Arguments&... arguments) {
    if (heard) {
        heard(arguments...);
    }
}

}  // namespace

MadeCampaign run_campaign(const CampaignRequest& request, const Makers& makers, const CampaignWatch& watch) {
    const auto& [number, count] = request.shard;
    const std::string& folder = request.folder;
    const std::string program = hash_of_program(request.plugins);
    MadeCampaign made;
    made.campaign = read_campaign(request.file, request.own_algorithms);
    made.workloads = make_workloads(made.campaign, folder, program, makers, watch.made);
    made.runs = runs_of(made.campaign, made.workloads, folder, program, makers);
    for (std::size_t i = number - 1; i < made.runs.size(); i += count) {
        made.of_shard.push_back(made.runs[i]);
    }
    made.size =
        estimated_size(made.campaign, made.of_shard, made.workloads, folder, made.campaign.reports && count == 1);
    tell(watch.begins, made);
    if (request.dry_run) {
        return made;
    }
    const RunList list = list_of_runs(made.campaign, made.runs);
    write_manifest(made.campaign, made.workloads, list, program, folder);
    made.outcome = replay_runs(made.campaign, made.of_shard, folder, request.threads, watch.progress, watch.in_run);
    if (count == 1 && made.outcome.problems.empty()) {
        made.results = results_of(made.runs, folder);
        write_results_table(list, made.results, folder);
    }
    tell(watch.replayed, made);
    if (!made.results.empty() && made.campaign.reports) {
        write_pages(made.campaign, made.runs, made.results, program, folder, watch.page);
    }
    return made;
}

}  // namespace batfill::campaign
