#pragma once

#include <string>
#include <string_view>

#include <rapidjson/document.h>

#include <batfill/core/job.hpp>
#include <batfill/core/shared_text.hpp>

#include "src/support/json.hpp"

namespace batfill {

// Reads a job object as workloads and messages have it: `id` (text or integer), `subtime`, `res`, `profile`, and where
// present `walltime` (negative: none), `deadline` (seconds, absolute), `queue` and `user` (text, or a number as its
// text), `licenses` (array of texts). These four may also be inside `extra_data`, where Batsim 5 wants them. Other
// fields are the user's own and left alone. The id is taken as it stands: it has the workload's name only if it is
// there. With `texts`, its names share the memory of those. Throws InputError naming the field, with `path` before its
// name, what was expected and what was found; the caller prefixes the place.
JobDescription read_job(const JsonValue& object, std::string_view path = "", TextPool* texts = nullptr);

// Reads `deadline`, `queue`, `user` and `licenses` into `job`, where `extra_data` has them: an object, or the text of
// one. Anything else is the user's own. `texts` and what is thrown are as of read_job().
void read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job,
                     TextPool* texts = nullptr);

// Appends the object that read_extra_data() reads to `out`; nothing if `job` has none of these.
void append_extra_data(const JobDescription& job, std::string& out);

// Appends the job `object` to `out` as append_json() does, but with `id` as its id: the form in which Batsim passes a
// job of a workload on, where its id is "WORKLOAD!NAME".
void append_job(const JsonValue& object, std::string_view id, std::string& out);

// Appends `job` to `out` as a job object that read_job() reads, but with `id` as its id: times without needless zeros,
// optional fields only where they are set.
void append_job(const JobDescription& job, std::string_view id, std::string& out);

}  // namespace batfill
