#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "protocol/batsim4.hpp"
#include "src/support/overloaded.hpp"

namespace batfill::tests {

// One decision in a short form; see below.
inline std::string short_form(const Decision& decision, const protocol::JobIds& ids) {
    return std::visit(
        Overloaded{
            [&](const StartJob& start) { return "start " + ids.id(start.job) + " " + start.allocation.to_string(); },
            [&](const RejectJob& reject) { return "reject " + ids.id(reject.job); },
            [&](const KillJobs& kill) {
                std::string text = "kill";
                for (const JobNumber job : kill.jobs) {
                    text += " " + ids.id(job);
                }
                return text;
            },
            [](const CallMeLater& later) { return "call " + later.time.to_string(); },
            [](const RegisterJob& registers) {
                return "register " + registers.description.id + " " + registers.source;
            },
            [](const RegisterProfile& registers) {
                return "profile " + registers.workload + " " + registers.name + " " + registers.source;
            },
            [](const Notification& notification) { return std::string(to_string(notification.type)); },
            [](const auto&) { return std::string("something else"); }},
        decision);
}

// The decisions of a reply in a short form: "start ID PROCESSORS", "reject ID", "kill ID", "call TIME", "register ID
// JOB", "profile WORKLOAD NAME PROFILE", or the type of a notification, separated by "; ". `reader` is a
// protocol::ReplyReader or a Batsim5ReplyReader.
template <class Reader>
std::string decisions_of(std::string_view frame, Reader& reader) {
    std::string said;
    for (const protocol::Message::Event& event : reader.read(frame).events) {
        const auto* const decision = std::get_if<Decision>(&event.data);
        said += (said.empty() ? "" : "; ") +
                (decision == nullptr ? std::string("something else") : short_form(*decision, reader.ids()));
    }
    return said;
}

}  // namespace batfill::tests
