#pragma once

#include <optional>
#include <string>

#include <batfill/core/job.hpp>

#include "src/support/json.hpp"

namespace batfill {

// The fields of a job that are texts or whole numbers, as texts: as they stand in its workload.
// Requires: the job outlives this object.
// Cost: O(1) for those that JobDescription has; once O(size of the others) for all others.
class JobFields {
 public:
    explicit JobFields(const JobDescription& job) : job_(job) {}
    // None: the job does not have it, or it is something else.
    std::optional<std::string> operator()(const std::string& name);

 private:
    const JobDescription& job_;
    std::optional<JsonReader> reader_;  // of the other fields, once somebody asks for one
    const JsonValue* others_ = nullptr;
};

}  // namespace batfill
