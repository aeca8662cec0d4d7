#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "src/support/json.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::session_fuzzer {

namespace {

// Frames, one per line, that can be decoded: what others do to a session is known, and ends it.
std::vector<std::string_view> usable_frames(std::string_view input) {
    const auto codec = protocol::make_codec("batsim4");
    std::vector<std::string_view> frames;
    while (!input.empty()) {
        const std::size_t end = input.find('\n');
        const std::string_view frame = input.substr(0, end);
        input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
        try {
            codec->decode(frame);
            frames.push_back(frame);
        } catch (const InputError&) {
        }
    }
    return frames;
}

// We need not be able to read it: after a job of 1e18 seconds, the next job may start later than any readable time.
void check_reply(std::string_view reply) {
    JsonReader reader;
    try {
        reader.parse(reply);
    } catch (const InputError&) {
        std::abort();
    }
}

// A problem must be one short line that can be sent.
void check_problem(const std::string& problem, protocol::Codec& codec) {
    if (problem.empty() || problem.size() > 2500 || problem.find('\n') != std::string::npos) {
        std::abort();
    }
    std::string refusal;
    codec.encode_refusal(problem, refusal);
    check_reply(refusal);
}

// Any messages are answered or refused. An algorithm's wrong decision (DecisionError) and all other exceptions go
// through.
void hold_session(const WrittenScheduler& scheduler, const std::vector<std::string_view>& frames) {
    Session session(scheduler, protocol::make_codec("batsim4"));
    for (const std::string_view frame : frames) {
        std::string_view reply;
        try {
            reply = session.answer(frame);
        } catch (const InputError& problem) {
            check_problem(problem.what(), session.codec());
            return;
        } catch (const UsageError& problem) {
            check_problem(problem.what(), session.codec());
            return;
        }
        check_reply(reply);
    }
}

}  // namespace

const Fuzzer fuzzer("session", [](std::string_view input) {
    spdlog::set_level(spdlog::level::off);
    const std::vector<std::string_view> frames = usable_frames(input);
    hold_session({}, frames);
    for (const AlgorithmDescription* algorithm : registered_algorithms()) {
        hold_session({algorithm->name, {}}, frames);
        hold_session({algorithm->name, {{"default-walltime", "7.5"}}}, frames);
    }
});

}  // namespace batfill::tests::session_fuzzer
