#pragma once

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

namespace batfill::tests {

// Requires that the reasons of each job are in order, and that the last one tells what became of it.
inline void require_whole_reasons(const Outcome& outcome) {
    std::map<std::string, WaitReason> last;
    for (const WaitReason& reason : outcome.wait_reasons()) {
        const auto before = last.find(reason.job);
        REQUIRE((before == last.end() || before->second.time <= reason.time));
        const bool is_too_few = reason.kind == WaitReason::Kind::processors || reason.kind == WaitReason::Kind::hosts;
        REQUIRE((!is_too_few || reason.idle < reason.needed));
        const bool has_lack = reason.kind == WaitReason::Kind::pool || reason.kind == WaitReason::Kind::hosts ||
                              reason.kind == WaitReason::Kind::dependency;
        REQUIRE((reason.kind != WaitReason::Kind::window || !reason.windows.first.empty() ||
                 reason.lack != WaitReason::Lack()));
        REQUIRE((!has_lack || reason.lack != WaitReason::Lack()));
        REQUIRE((reason.kind != WaitReason::Kind::passed_over || reason.possible == reason.time));
        last[reason.job] = reason;
    }
    for (const WorkloadJob& job : outcome.scenario().workloads[0].jobs) {
        const std::string& id = job.description.id;
        const SimulatedJob& simulated = outcome.simulation().job(outcome.simulation().find_job(id).value());
        const WaitReason& reason = last.at(id.substr(id.find('!') + 1));
        REQUIRE((reason.kind == WaitReason::Kind::rejected) == (simulated.state == JobState::rejected));
        REQUIRE((reason.kind == WaitReason::Kind::rejected || reason.kind == WaitReason::Kind::started));
        REQUIRE((reason.kind != WaitReason::Kind::started || reason.time == simulated.start));
    }
}

}  // namespace batfill::tests
