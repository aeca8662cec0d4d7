#include "src/formats/job_id.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"

namespace batfill {

namespace {

// Batsim 4 replaces the id in the text of a job by an expression that stops at some of these, and does not escape the
// others. `!` separates the two parts of an id.
bool is_usable_in_ids(char c) {
    constexpr std::string_view refused = "!,()|}\"\\";
    return static_cast<unsigned char>(c) >= ' ' && refused.find(c) == std::string_view::npos;
}

}  // namespace

std::string_view name_in_workload(std::string_view workload, std::string_view id) {
    if (id.starts_with(workload) && id.substr(workload.size()).starts_with('!')) {
        id.remove_prefix(workload.size() + 1);
    }
    return id;
}

std::string usable_id(std::string_view id) {
    std::string usable;
    usable.reserve(id.size() + 1);
    for (const char c : id) {
        if (c == '0' && usable.ends_with('w')) {
            usable += '_';
        }
        usable += is_usable_in_ids(c) ? c : '_';
    }
    return usable;
}

std::size_t make_usable(std::vector<std::string>& ids) {
    std::unordered_map<std::string, std::string> changed;
    for (const std::string& id : ids) {
        if (std::string usable = usable_id(id); usable != id) {
            changed.emplace(id, std::move(usable));
        }
    }
    if (changed.empty()) {
        return 0;
    }
    std::unordered_set<std::string> taken;
    for (const std::string& id : ids) {
        if (!changed.contains(id)) {
            taken.insert(id);
        }
    }
    std::size_t count = 0;
    std::unordered_set<std::string> done;
    for (std::string& id : ids) {
        const auto found = changed.find(id);
        if (found == changed.end()) {
            continue;
        }
        ++count;
        if (done.insert(id).second) {
            const std::string usable = found->second;
            for (std::size_t number = 2; !taken.insert(found->second).second; ++number) {
                found->second = usable + '_' + std::to_string(number);
            }
        }
        id = found->second;
    }
    return count;
}

void require_loadable_in_batsim4(std::string_view name) {
    const auto* const found = std::ranges::find_if_not(name, is_usable_in_ids);
    if (found != name.end()) {
        throw InputError(
            "its id has " + in_quotes(std::string_view(found, 1)) +
            ", expected none of ! , ( ) | } \" \\ and control characters, which Batsim 4 cannot load in an "
            "id: rename the job, or write the workload in the format batsim5");
    }
}

void require_loadable_ids(const Workload& workload) {
    if (workload.format != WorkloadFormat::batsim4) {
        return;
    }
    for (const WorkloadJob& job : workload.jobs) {
        try {
            require_loadable_in_batsim4(name_in_workload(workload.name, job.description.id));
        } catch (const InputError& error) {
            throw InputError("job " + in_quotes(job.description.id) + ": " + error.what());
        }
    }
}

}  // namespace batfill
