#pragma once

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

}  // namespace batfill::analysis
