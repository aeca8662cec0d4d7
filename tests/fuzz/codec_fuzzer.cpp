#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "fuzzer.hpp"
#include "protocol/codec.hpp"

namespace batfill::tests::codec_fuzzer {

namespace {

using namespace batfill::protocol;

// Whatever decodes must encode to a frame that decodes to the same. Input numbers may have more decimals than are
// printed, so this starts from a printed frame.
template <class Decode, class Encode>
void check_round_trip(std::string_view input, Decode decode, Encode encode) {
    try {
        std::string frame;
        encode(decode(input), frame);
        try {
            const auto first = decode(frame);
            std::string again;
            encode(first, again);
            if (decode(again) != first || again.empty()) {
                std::abort();
            }
        } catch (const batfill::InputError&) {
            std::abort();  // the codec refuses its own frame
        }
    } catch (const batfill::InputError&) {
    }
}

}  // namespace

const Fuzzer fuzzer("codec", [](std::string_view input) {
    spdlog::set_level(spdlog::level::off);
    static const auto batsim4 = make_codec("batsim4");
    static const auto batsim5 = make_codec("batsim5");
    protocol_opened_by(input);
    for (Codec* codec : {batsim4.get(), batsim5.get()}) {
        check_round_trip(
            input, [=](std::string_view frame) { return codec->decode_message(frame); },
            [=](const Message& message, std::string& frame) { codec->encode_message(message, frame); });
        check_round_trip(
            input, [=](std::string_view frame) { return codec->decode_reply(frame); },
            [=](const Reply& reply, std::string& frame) { codec->encode_reply(reply, frame); });
    }
});

}  // namespace batfill::tests::codec_fuzzer
