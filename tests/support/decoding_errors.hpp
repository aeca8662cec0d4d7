#pragma once

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/batsim4.hpp"

namespace batfill::tests {

// A message or reply of one event with this type and data.
inline std::string frame_of(std::string_view type, std::string_view data) {
    std::string frame = R"({"now":10,"events":[{"timestamp":5.5,"type":")";
    return frame.append(type).append(R"(","data":)").append(data).append("}]}");
}

// Why a frame is no message; "decoded" if it is one. Checks that a refused frame leaves no job ids.
inline std::string message_error(const std::string& frame) {
    const auto codec = protocol::make_codec("batsim4");
    try {
        codec->decode(frame);
    } catch (const InputError& error) {
        CHECK(codec->ids().size() == 0);
        return error.what();
    }
    return "decoded";
}

// Why a frame is no reply; "decoded" if it is one.
inline std::string reply_error(const std::string& frame) {
    try {
        protocol::ReplyReader().read(frame);
    } catch (const InputError& error) {
        return error.what();
    }
    return "decoded";
}

}  // namespace batfill::tests
