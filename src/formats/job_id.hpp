#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/formats/workload.hpp>

namespace batfill {

// The two parts of a job's id, "w0" and "17" of "w0!17". Files have them in separate columns.
struct JobIdParts {
    std::string_view workload;
    std::string_view name;

    explicit JobIdParts(std::string_view id)
        : workload(id.substr(0, id.rfind('!'))), name(id.substr(id.rfind('!') + 1)) {}
};

// Returns the id without the workload's name and `!` in front of it, if it has them.
std::string_view name_in_workload(std::string_view workload, std::string_view id);

// The id of a table, as a workload may have it: `w0`, the name of the workload, becomes `w_0`. These become `_`:
// - `!`, which separates the two parts of an id
// - characters that Batsim 4 cannot load in an id: , ( ) | } " \ and control characters
//
// Returns an empty text only for an empty id.
std::string usable_id(std::string_view id);

// How a table of what was changed calls this.
inline constexpr const char* changed_ids_rule = "id that Batsim would misread: changed";

// Makes the ids of a table usable. A changed id that another id equals gets `_2`, `_3`, ... behind it. Equal ids stay
// equal. Returns the number of changed ids.
std::size_t make_usable(std::vector<std::string>& ids);

// For an id without its workload's name, in a workload of Batsim 4's format.
// Throws: InputError, which does not name the job, if Batsim 4 cannot load a character of it; see usable_id().
void require_loadable_in_batsim4(std::string_view name);

// As above, for all jobs of a workload. Accepts all ids if the workload has Batsim 5's format.
// Throws: InputError, which names the job.
void require_loadable_ids(const Workload& workload);

}  // namespace batfill
