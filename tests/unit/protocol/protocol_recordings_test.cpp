#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/batsim4.hpp"
#include "src/support/json.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/recorded_run.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::protocol_recordings_test {

// Tests with messages between the real Batsim and real schedulers.

using namespace batfill::protocol;

namespace {

std::vector<std::filesystem::path> recordings() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(tests::test_data("batsim/captures"))) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::size_t number_of_events(const std::string& frame) {
    JsonReader reader;
    return Fields(reader.parse(frame), "").array("events").Size();
}

}  // namespace

TEST_CASE("Every recorded frame of Batsim and of real schedulers is read", "[outside]") {
    if (!tests::have_test_data("batsim/captures")) {
        return;
    }
    std::size_t recordings_read = 0;
    for (const auto& path : recordings()) {
        ++recordings_read;
        const tests::CaughtLog log;
        const auto codec = make_codec("batsim4");
        ReplyReader reader;
        std::size_t number = 0;
        for (const tests::RecordedFrame& frame : tests::read_recording(path.string())) {
            INFO(path << ", line " << ++number << ": " << frame.text.substr(0, 2000));
            if (frame.from_batsim) {
                CHECK(codec->decode(frame.text).events.size() == number_of_events(frame.text));
            } else {
                CHECK(reader.read(frame.text).events.size() == number_of_events(frame.text));
            }
        }
        CHECK(log.text().empty());
        CHECK(number > 1);
    }
    CHECK(recordings_read >= 24);
}

}  // namespace batfill::tests::protocol_recordings_test
