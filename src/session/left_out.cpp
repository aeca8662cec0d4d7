#include "src/session/left_out.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"
#include "src/support/overloaded.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

using protocol::Codec;
using protocol::DecisionKind;

const char* to_string(DecisionKind kind) {
    constexpr std::array<const char*, protocol::decision_kinds> names{
        "kills",
        "calls",
        "registered jobs",
        "registered profiles",
        "metadata of jobs",
        "changes of the state of processors",
    };
    return names[static_cast<std::size_t>(kind)];
}

void require(const Codec& codec, const std::string& who, std::initializer_list<DecisionKind> needed) {
    std::vector<std::string> missing;
    for (const DecisionKind kind : needed) {
        if (!codec.follows(kind)) {
            missing.emplace_back(to_string(kind));
        }
    }
    refuse_if<InputError>(!missing.empty(), who, " needs ", enumeration(missing), ", which ", codec.peer(),
                          " does not follow, expected a peer that does, as Batsim 4");
}

std::optional<DecisionKind> kind_of(const Decision& decision) {
    using Kind = std::optional<DecisionKind>;
    return std::visit(Overloaded{[](const StartJob&) { return Kind(); }, [](const RejectJob&) { return Kind(); },
                                 [](const KillJobs&) { return Kind(DecisionKind::kill); },
                                 [](const CallMeLater&) { return Kind(DecisionKind::call); },
                                 [](const RegisterJob&) { return Kind(DecisionKind::registered_job); },
                                 [](const RegisterProfile&) { return Kind(DecisionKind::registered_profile); },
                                 [](const SetJobMetadata&) { return Kind(DecisionKind::metadata); },
                                 [](const SetResourceState&) { return Kind(DecisionKind::state); },
                                 [](const Notification&) { return Kind(); }},
                      decision);
}

}  // namespace

void require_followed(const Codec& codec, const Engine& engine, std::span<const Window> windows) {
    const Algorithm& algorithm = engine.algorithm();
    const std::string name = "algorithm " + engine.choice().algorithm();
    if (algorithm.kills_jobs()) {
        require(codec, name, {DecisionKind::kill});
    }
    if (algorithm.registers_jobs()) {
        require(codec, name, {DecisionKind::registered_job, DecisionKind::registered_profile});
    }
    if (algorithm.switches_processors()) {
        require(codec, name, {DecisionKind::state});
    }
    for (const Window& window : windows) {
        const std::string who = window.place + ": window " + in_quotes(window.name);
        switch (window.running) {
            case Window::Running::finish:
                require(codec, who, {DecisionKind::call});
                break;
            case Window::Running::kill:
                require(codec, who, {DecisionKind::kill, DecisionKind::call});
                break;
            case Window::Running::requeue:
                require(codec, who, {DecisionKind::kill, DecisionKind::call, DecisionKind::registered_job});
                break;
        }
    }
    switch (engine.choice().common().on_failure) {
        case OnFailure::proceed:
            break;
        case OnFailure::kill:
            require(codec, "on-failure=kill", {DecisionKind::kill});
            break;
        case OnFailure::requeue:
            require(codec, "on-failure=requeue", {DecisionKind::kill, DecisionKind::registered_job});
            break;
    }
}

void LeftOut::look_at(const Decision& decision, Time now, const Codec& codec) {
    const std::optional<DecisionKind> kind = kind_of(decision);
    if (!kind || codec.follows(*kind) || is_said_[static_cast<std::size_t>(*kind)]) {
        return;
    }
    is_said_[static_cast<std::size_t>(*kind)] = true;
    spdlog::warn("at {}: {} does not follow {}; only the first is logged", now.to_string(), codec.peer(),
                 to_string(*kind));
}

}  // namespace batfill
