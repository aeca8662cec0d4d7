#include "job_id.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace batfill {

namespace {

// Batsim 4 replaces the id in the text of a job by an expression that stops at some of these, and does not escape the
// others.
bool is_usable_in_ids(char c) {
    constexpr std::string_view refused = "!,()|}\"\\";
    return static_cast<unsigned char>(c) >= ' ' && refused.find(c) == std::string_view::npos;
}

}  // namespace

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

}  // namespace batfill
