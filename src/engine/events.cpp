#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include <batfill/engine/events.hpp>

namespace batfill {

namespace {

// In the order of the enumeration; `other`, the last, has no name.
constexpr std::array<const char*, 6> notification_names{
    "no_more_static_job_to_submit", "no_more_external_event_to_occur", "event_machine_available",
    "event_machine_unavailable",    "registration_finished",           "continue_registration",
};
static_assert(notification_names.size() == static_cast<std::size_t>(NotificationType::other));

}  // namespace

const char* to_string(NotificationType type) {
    assert(type != NotificationType::other);
    return notification_names[static_cast<std::size_t>(type)];
}

NotificationType parse_notification_type(std::string_view name) {
    return static_cast<NotificationType>(std::find(notification_names.begin(), notification_names.end(), name) -
                                         notification_names.begin());
}

}  // namespace batfill
