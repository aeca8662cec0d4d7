#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/shared.hpp>
#include <batfill/core/shared_text.hpp>
#include <batfill/core/window.hpp>
#include <batfill/formats/workload.hpp>

#include "src/support/json.hpp"

namespace batfill {

// What jobs of one workload share, as many are alike: their names, and with their other fields what they ask for in
// these. Not for use by several threads.
class JobsInCommon {
 public:
    SharedText text(std::string_view text) { return texts_.shared(text); }

    // The other fields of a job (JobDescription::other_fields), and its needs, all of which are in these fields.
    using Others = std::unordered_map<SharedText, Shared<StatedNeeds>, TextHash, std::equal_to<>>;
    // Those with this text: what was returned for it before, or what `read` returns.
    // Cost: O(length of the text), and for a new one that of `read`.
    template <class Read>
    const Others::value_type& others(std::string_view fields, Read read) {
        const auto known = others_.find(fields);
        return known != others_.end() ? *known : *others_.emplace(fields, read()).first;
    }

 private:
    TextPool texts_;
    Others others_;
};

// Whether a job object has a field of this name that read_job() knows.
bool is_known_field(std::string_view name);

// Reads a job object of a workload or message:
// - `id` (text or integer), `subtime`, `res`, `profile`
// - if present: `walltime` (negative: none)
// - if present, here or inside `extra_data`, where Batsim 5 wants them: `deadline` (seconds, absolute), `queue` and
//   `user` (text, or a number as its text), `licenses` (array of texts)
// - all other fields, as JobDescription::other_fields
// The id is taken unchanged: it has the workload's name only if `object` has it. With `common`, it shares what
// it has in common with the other jobs.
// Throws: InputError, which names the field, with `path` before its name, what was expected and what was found. The
// caller prefixes the place.
JobDescription read_job(const JsonValue& object, std::string_view path = "", JobsInCommon* common = nullptr);

// Reads Batsim 5's `extra_data` into `job`: `deadline`, `queue`, `user` and `licenses`. Returns its other fields, as
// JobDescription::other_fields. `extra_data` is an object, or the text of one. Anything else counts as another field.
// For `common` see read_job(). Throws: as read_job().
std::string read_extra_data(const JsonValue& extra_data, std::string_view path, JobDescription& job,
                            JobsInCommon* common = nullptr);

// Reads what the job asks for besides processors (JobDescription::needs) from its other fields.
// Throws: InputError as read_job().
void read_needs_of_other_fields(JobDescription& job);

// What a job takes and its partition as members of a job object, as JobDescription::other_fields: per_host, pools,
// partition, as far as they say something.
std::string members_of(const StatedNeeds& needs);

// Gives the job the conditions of `needs` instead of those that it has, also among its other fields: after, begin,
// array and array_limit.
void set_conditions(JobDescription& job, const StatedNeeds& needs);
// Gives it these conditions on other jobs.
void set_dependencies(JobDescription& job, std::vector<Dependency> after);

// What the job waits for names others by their ids in the workload, also where it is written "ok:w0!12": without the
// workload's name, as Dependency::job.
// Requires: the job's id has the workload's name.
void leave_out_workload(JobDescription& job);

// Throws: InputError, which names file and job, as require_booking(), if one of the windows is for a booking.
void require_bookings(const Workload& workload, std::span<const Window> windows);

// Appends to `out` the value that read_extra_data() reads. Appends nothing if `job` has none of these fields.
// Throws: InputError if `extra_data` was no object, and now has to hold other fields.
void append_extra_data(const JobDescription& job, std::string& out);

// Appends the job `object` to `out` as append_json() does, but with `id` as its id. Batsim passes on jobs of a workload
// in this form, where the id is "WORKLOAD!NAME".
void append_job(const JsonValue& object, std::string_view id, std::string& out);

// Appends `job` to `out` as a job object of this format that read_job() reads, but with `id` as its id. Times have no
// needless zeros, and optional fields appear only if they are set.
// Throws: InputError as append_extra_data(), in the format of Batsim 5.
void append_job(const JobDescription& job, std::string_view id, std::string& out,
                WorkloadFormat format = WorkloadFormat::batsim4);

// An object of different names and whole numbers from 0 on. `path` is that of its fields.
// Throws: InputError, which names the field.
StatedNeeds::Amounts read_amounts(const JsonValue& object, const std::string& path);

}  // namespace batfill
