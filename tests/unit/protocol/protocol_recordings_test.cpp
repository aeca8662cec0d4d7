#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "recorded_run.hpp"
#include "same_json.hpp"
#include "src/support/json.hpp"
#include "test_data.hpp"

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

}  // namespace

TEST_CASE("Every recorded frame decodes, and encodes to what was recorded up to the format of numbers", "[outside]") {
    if (!tests::have_test_data("batsim/captures")) {
        return;
    }
    const auto codec = make_codec("batsim4");
    std::string encoded;
    std::size_t recordings_read = 0;
    for (const auto& path : recordings()) {
        ++recordings_read;
        std::size_t number = 0;
        for (const tests::RecordedFrame& frame : tests::read_recording(path.string())) {
            INFO(path << ", line " << ++number << ": " << frame.text.substr(0, 2000));
            if (frame.from_batsim) {
                const Message message = codec->decode_message(frame.text);
                codec->encode_message(message, encoded);
                REQUIRE(codec->decode_message(encoded) == message);
            } else {
                const Reply reply = codec->decode_reply(frame.text);
                codec->encode_reply(reply, encoded);
                REQUIRE(codec->decode_reply(encoded) == reply);
            }
            INFO("encoded again: " << encoded.substr(0, 2000));
            REQUIRE(tests::same_json(frame.text, encoded));
        }
        CHECK(number > 1);
    }
    CHECK(recordings_read >= 24);
}

TEST_CASE("Messages of Batsim encode to the very bytes that Batsim sent", "[outside]") {
    if (!tests::have_test_data("batsim/captures")) {
        return;
    }
    const auto codec = make_codec("batsim4");
    std::string encoded;
    for (const auto& path : recordings()) {
        for (const tests::RecordedFrame& frame : tests::read_recording(path.string())) {
            if (!frame.from_batsim) {
                continue;
            }
            const Message message = codec->decode_message(frame.text);
            codec->encode_message(message, encoded);
            // For large times, Batsim prints more digits than their doubles have.
            if (message.now < Time::seconds(1'000'000'000)) {
                INFO(path << ": " << frame.text.substr(0, 2000));
                CHECK(encoded == frame.text);
            }
        }
    }
}

}  // namespace batfill::tests::protocol_recordings_test
