#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/request.hpp>
#include <batfill/core/resources.hpp>

namespace batfill::analysis {

// What a job took of a machine, in its numbers, as Resources::resolve() gives it. `cores`: how many of each of its
// hosts, in their order, where the scheduler has decided that; none: as the job states.
std::variant<Request, std::string> resolve_as_run(const JobDescription& job, const Resources& machine,
                                                  const Shared<std::vector<Amount>>& cores);

// The field `tasks` of a job that a scheduler may lay out unevenly on its hosts. None: it has none, or whole hosts.
std::optional<Amount> tasks_of(const JobDescription& job);
// What such a job takes at least, whatever the layout: a core of each host.
std::variant<Request, std::string> resolve_with_a_core_each(const JobDescription& job, const Resources& machine);

}  // namespace batfill::analysis
