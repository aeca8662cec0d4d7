#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "protocol/batsim4.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::codec_fuzzer {

namespace {

// Writes the decisions of a reply as a scheduler does, with the ids that the reply has.
std::string written(const protocol::Message& reply, const protocol::JobIds& ids) {
    const auto codec = protocol::make_codec("batsim4");
    for (JobIndex job = 0; job < ids.size(); ++job) {
        codec->ids().number_of(ids.id(JobNumber{job}));
    }
    std::vector<Decision> decisions;
    for (const protocol::Message::Event& event : reply.events) {
        if (const auto* decision = std::get_if<Decision>(&event.data)) {
            decisions.push_back(*decision);
        }
    }
    std::string frame;
    codec->encode(reply.now, decisions, frame);
    return frame;
}

// Decisions that were read must be written as they were. Numbers of the input may have more decimals than are printed,
// so the frame to begin with is one that has been printed.
void check_reply(std::string_view input) {
    protocol::ReplyReader reader;
    try {
        const std::string frame = written(reader.read(input), reader.ids());
        try {
            if (written(reader.read(frame), reader.ids()) != frame) {
                std::abort();
            }
        } catch (const InputError&) {
            std::abort();  // our own frame was refused
        }
    } catch (const InputError&) {
    }
}

// A message that is refused names no new jobs; one that is read again names none.
void check_message(std::string_view input, protocol::Codec& codec) {
    const std::size_t known = codec.ids().size();
    try {
        codec.decode(input);
    } catch (const InputError&) {
        if (codec.ids().size() != known) {
            std::abort();
        }
        return;
    }
    const std::size_t named = codec.ids().size();
    const std::size_t events = codec.decode(input).events.size();
    if (codec.decode(input).events.size() != events || codec.ids().size() != named) {
        std::abort();
    }
    codec.ids().shrink(known);
}

}  // namespace

const Fuzzer fuzzer("codec", [](std::string_view input) {
    spdlog::set_level(spdlog::level::off);
    static const auto batsim4 = protocol::make_codec("batsim4");
    static const auto batsim5 = protocol::make_codec("batsim5");
    static const auto wrench = protocol::make_codec(protocol::wrench_protocol);
    protocol::protocol_opened_by(input);
    check_message(input, *batsim4);
    check_message(input, *batsim5);
    check_message(input, *wrench);
    check_reply(input);
});

}  // namespace batfill::tests::codec_fuzzer
