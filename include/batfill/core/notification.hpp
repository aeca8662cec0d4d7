#pragma once

#include <cstdint>
#include <string_view>

namespace batfill {

// What a NOTIFY of Batsim's protocol says. The first four come from Batsim, the next two from a scheduler. Any other is
// an external event of the user's own, which Batsim only passes on to the scheduler.
enum class NotificationType : std::uint8_t {
    no_more_static_job_to_submit,
    no_more_external_event_to_occur,
    event_machine_available,
    event_machine_unavailable,
    registration_finished,
    continue_registration,
    other,
};

// Batsim's name of a type, such as "registration_finished". Requires: `type` is not `other`.
const char* to_string(NotificationType type);
// The type that Batsim's `name` denotes; `other` for every name that is not Batsim's.
NotificationType parse_notification_type(std::string_view name);

}  // namespace batfill
