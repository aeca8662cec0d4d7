#include <string>

#include <catch2/catch.hpp>

#include <batfill/engine/events.hpp>

namespace batfill::tests::notification_test {

TEST_CASE("Each notification of Batsim has a name, which is read as it; every other name is the user's",
          "[notification]") {
    for (int number = 0; number < static_cast<int>(NotificationType::other); ++number) {
        const auto type = static_cast<NotificationType>(number);
        CHECK(parse_notification_type(to_string(type)) == type);
    }
    CHECK(to_string(NotificationType::no_more_static_job_to_submit) == std::string("no_more_static_job_to_submit"));
    CHECK(to_string(NotificationType::event_machine_unavailable) == std::string("event_machine_unavailable"));
    CHECK(to_string(NotificationType::continue_registration) == std::string("continue_registration"));
    CHECK(parse_notification_type("flood") == NotificationType::other);
    CHECK(parse_notification_type("") == NotificationType::other);
}

}  // namespace batfill::tests::notification_test
