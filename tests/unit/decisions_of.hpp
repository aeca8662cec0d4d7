#pragma once

#include <string>
#include <variant>

#include "protocol/message.hpp"

namespace batfill::tests {

// The short form of one decision; see decisions_of().
struct ShortDecision {
    std::string operator()(const protocol::ExecuteJob& start) const {
        return "start " + start.job_id + " " + start.allocation.to_string();
    }
    std::string operator()(const protocol::RejectJob& reject) const { return "reject " + reject.job_id; }
    std::string operator()(const protocol::KillJob& kill) const {
        std::string text = "kill";
        for (const std::string& id : kill.job_ids) {
            text += " " + id;
        }
        return text;
    }
    std::string operator()(const protocol::CallMeLater& later) const { return "call " + later.when.to_string(); }
    std::string operator()(const protocol::RegisterJob& registers) const {
        return "register " + registers.job.id + " " + registers.source;
    }
    std::string operator()(const protocol::RegisterProfile& registers) const {
        return "profile " + registers.workload_name + " " + registers.profile_name + " " + registers.profile;
    }
    std::string operator()(const protocol::Notify& notify) const { return to_string(notify.type); }
    template <class Other>
    std::string operator()(const Other&) const {
        return "something else";
    }
};

// The decisions of a reply in a short form: "start ID PROCESSORS", "reject ID", "kill ID", "call TIME", "register ID
// JOB", "profile WORKLOAD NAME PROFILE", or the type of a notification, separated by "; ".
inline std::string decisions_of(const protocol::Reply& reply) {
    std::string said;
    for (const protocol::ReplyEvent& event : reply.events) {
        said += (said.empty() ? "" : "; ") + std::visit(ShortDecision{}, event.data);
    }
    return said;
}

}  // namespace batfill::tests
