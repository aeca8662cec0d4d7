#include "src/formats/job_id.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

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
    const auto is_usable = [](const std::string& id) { return usable_id(id) == id; };
    if (std::ranges::all_of(ids, is_usable)) {
        return 0;
    }
    std::unordered_set<std::string> taken;
    std::ranges::copy_if(ids, std::inserter(taken, taken.end()), is_usable);
    std::unordered_map<std::string, std::string> changed;
    std::size_t count = 0;
    for (std::string& id : ids) {
        const std::string usable = usable_id(id);
        if (usable != id) {
            const auto [found, is_new] = changed.try_emplace(id, usable);
            for (std::size_t number = 2; is_new && !taken.insert(found->second).second; ++number) {
                found->second = usable + '_' + std::to_string(number);
            }
            id = found->second;
            ++count;
        }
    }
    return count;
}

void require_loadable_in_batsim4(std::string_view name) {
    const auto* const found = std::ranges::find_if_not(name, is_usable_in_ids);
    refuse_if<InputError>(found != name.end(), [&] {
        return "its id has " + in_quotes(std::string_view(found, 1)) +
               ", expected none of ! , ( ) | } \" \\ and control characters, which Batsim 4 cannot load in an "
               "id: rename the job, or write the workload in the format batsim5";
    });
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
