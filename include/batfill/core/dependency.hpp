#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <batfill/core/time.hpp>

namespace batfill {

// What has to happen to another job of the same workload before a job is eligible.
struct Dependency {
    enum class Kind {
        ok,     // it has completed successfully
        any,    // it is over in any way, rejection included
        start,  // it has started
    };
    Kind kind{};
    std::string job;   // its id, without the workload's name
    Duration delay{};  // after that; >= 0

    // Reads "ok:12" or "any:12+600": the kind ends at the first colon, a delay in seconds begins at the last plus sign.
    // No value for anything else, also for a delay of more than six decimals.
    static std::optional<Dependency> parse(std::string_view text);
    std::string to_string() const;
    // The other's id with the workload's name, as in that of the job that waits: "w0!12" for "w0!17".
    std::string full_id(const std::string& waiting) const;
    friend bool operator==(const Dependency&, const Dependency&) = default;
};

// "ok", "any" or "start".
const char* to_string(Dependency::Kind kind);

}  // namespace batfill
