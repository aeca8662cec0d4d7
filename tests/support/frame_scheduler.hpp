#pragma once

#include <span>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <batfill/simulator/simulator.hpp>

#include "protocol/batsim4.hpp"
#include "src/remote/messages.hpp"

namespace batfill::tests {

// A scheduler that a simulation asks in frames of Batsim 4, as it asks a daemon, but without a socket.
class FrameScheduler : public SimulatedScheduler {
 public:
    void begin(const Simulator& simulator, SchedulerReply& reply) final {
        simulator_ = &simulator;
        number_jobs(simulator, reader_.ids());
        write_beginning(simulator, frame_);
        exchange(reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) final {
        write_message(*simulator_, now, events, frame_);
        exchange(reply);
    }
    void end(Time now) override {
        SchedulerReply ignored;
        protocol::write_end(now, frame_);
        exchange(ignored);
    }

 private:
    // Returns the reply to a frame. It is read before the next call.
    virtual std::string_view answer(const std::string& frame) = 0;

    void exchange(SchedulerReply& reply) {
        const auto refusal = take_reply(*simulator_, reader_.read(answer(frame_)), reader_.ids(), reply);
        REQUIRE_FALSE(refusal.has_value());
    }

    protocol::ReplyReader reader_;
    const Simulator* simulator_ = nullptr;
    std::string frame_;
};

}  // namespace batfill::tests
