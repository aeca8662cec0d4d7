#pragma once

#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/codec.hpp"
#include "src/session/session.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/decisions_of.hpp"

namespace batfill::tests {

// A session, and the decisions of its replies in a short form.
class Dialogue {
 public:
    explicit Dialogue(const std::string& algorithm, const Parameters::Given& parameters = {})
        : session({algorithm, parameters}, protocol::make_codec("batsim4")) {}

    std::string answer(const std::string& frame) {
        const std::string reply(session.answer(frame));
        const protocol::Message& read = reader_.read(reply);
        for (const protocol::Message::Event& event : read.events) {
            CHECK(event.timestamp <= read.now);
        }
        return tests::decisions_of(reply, reader_);
    }

    std::string log() const { return log_.text(); }

 private:
    CaughtLog log_;
    protocol::ReplyReader reader_;

 public:
    Session session;
};

inline std::string problem_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& problem) {
        return problem.what();
    }
    return {};
}

}  // namespace batfill::tests
