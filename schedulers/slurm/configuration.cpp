#include "schedulers/slurm/configuration.hpp"

#include <charconv>
#include <limits>
#include <string_view>

#include <batfill/core/error.hpp>

namespace batfill::slurm {

namespace {

constexpr Amount most_memory_per_core = 1'000'000'000;

// The parts of a text between commas.
std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

// "high:10,low:1".
std::map<std::string, std::int64_t> numbers_by_name(const Parameters& parameters, const std::string& name) {
    std::map<std::string, std::int64_t> result;
    for (const std::string& part : parts_of(parameters.text(name))) {
        const std::size_t colon = std::min(part.rfind(':'), part.size());
        std::uint16_t number = 0;
        const char* const end = part.data() + part.size();
        const char* const digits = part.data() + std::min(colon + 1, part.size());
        const auto [behind, error] = std::from_chars(digits, end, number);
        refuse_if(colon == 0 || digits == end || error != std::errc() || behind != end, "parameter ", name, "=",
                  parameters.text(name),
                  ": expected PARTITION:NUMBER, with numbers from 0 to 65535 and commas between");
        refuse_if(!result.emplace(part.substr(0, colon), number).second, "parameter ", name, ": partition ",
                  part.substr(0, colon), " stands there twice");
    }
    return result;
}

}  // namespace

std::vector<Parameter> Configuration::parameters() {
    return joined(
        {{Parameter::choice("version", {"22.05", "26.11"}, "22.05", "the release of Slurm"),
          Parameter::choice("scheduler", {"backfill", "builtin"}, "backfill", "builtin: the main scheduler alone"),
          Parameter::choice("select", {"linear", "cons-tres"}, "",
                            "whole nodes, or cores, memory and GPUs of nodes; default: as the machine is"),
          Parameter::choice("priority", {"basic", "multifactor"}, "basic", "how jobs are ordered"),
          Parameter::choice("accounting", {"yes", "no"}, "yes",
                            "slurmdbd runs; without it, 22.05 computes priorities once, without ages")},
         Settings::parameters(),
         {Parameter::text("partition-tiers", "", "tier of partitions: \"high:10,low:1\"; others have 1"),
          Parameter::text("partition-priorities", "", "multifactor: PriorityJobFactor of partitions, likewise"),
          Parameter::text("exclusive-partitions", "", "partitions whose jobs take whole nodes, with commas between"),
          Parameter::text("default-partition", "", "of jobs that name none"),
          Parameter::whole_number("def-mem-per-node", "0", "memory of jobs that state none; 0: all of their nodes"),
          Parameter::whole_number("def-mem-per-cpu", "0", "likewise, for each core that they have on a node"),
          Parameter::boolean("kill-invalid-depend", "rejects jobs whose dependency can never hold"),
          Parameter::seconds("epilog", "0.5", "from the end of a job to the release of its nodes"),
          Parameter::seconds("launch-delay", "0", "from the start of a job to the beginning of its run time"),
          Parameter::seconds("timeout-check", "0", "time between looks at the limits of jobs; 0: all the time"),
          Parameter::number("daemon-start", "0", "when slurmctld started, from which its periods count, in seconds",
                            -1e9),
          Parameter::seconds("epoch", "0", "Unix time of 0: plans begin at multiples of bf-resolution")}});
}

Configuration::Configuration(const Parameters& parameters)
    : epilog(*parameters.seconds("epilog")),
      daemon_start(Time::at(*Duration::from_seconds(parameters.number("daemon-start")))),
      epoch(*parameters.seconds("epoch")),
      partition_tiers(numbers_by_name(parameters, "partition-tiers")),
      partition_priorities(numbers_by_name(parameters, "partition-priorities")),
      default_partition(parameters.text("default-partition")),
      kill_invalid_depend(parameters.boolean("kill-invalid-depend")),
      def_mem_per_node(static_cast<Amount>(*parameters.whole_number("def-mem-per-node"))),
      def_mem_per_core(static_cast<Amount>(*parameters.whole_number("def-mem-per-cpu"))) {
    settings.take_parameters(parameters);
    settings.version = parameters.choice<Version>("version");
    settings.scheduler = parameters.choice<SchedulerType>("scheduler");
    settings.priority = parameters.choice<PriorityType>("priority");
    settings.accounting = parameters.choice("accounting") == "yes";
    if (!parameters.choice("select").empty()) {
        select = parameters.choice<Select>("select");
    }
    run_limits = {*parameters.seconds("launch-delay"), Duration::seconds(settings.over_time_limit),
                  *parameters.seconds("timeout-check"), daemon_start};
    refuse_if(!run_limits.are_none() && epoch.count() % 1'000'000 != 0,
              "parameter epoch: expected whole seconds with launch-delay, timeout-check or over-time-limit");
    refuse_if(parameters.number("daemon-start") > 1e9, "parameter daemon-start: expected at most 1e9");
    refuse_if(settings.bf_topopt_enable && settings.version == Version::v22_05,
              "parameter bf-topopt-enable: expected version=26.11, 22.05 does not have it");
    refuse_if(def_mem_per_node > 0 && def_mem_per_core > 0,
              "parameters def-mem-per-node and def-mem-per-cpu: expected one of them, as in slurm.conf");
    refuse_if(def_mem_per_core > most_memory_per_core, "parameter def-mem-per-cpu: expected at most ",
              most_memory_per_core);
    for (std::string& name : parts_of(parameters.text("exclusive-partitions"))) {
        exclusive_partitions.insert(std::move(name));
    }
}

}  // namespace batfill::slurm
