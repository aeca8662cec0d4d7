#pragma once

#include <string>

#include <zmq.hpp>

#include <batfill/core/time.hpp>
#include <batfill/simulator/simulator.hpp>

#include "protocol/batsim4.hpp"
#include "src/transport/connections.hpp"

namespace batfill {

// A scheduler behind a ZeroMQ socket, driven as Batsim drives it: this side connects and asks (REQ). It understands
// what protocol::ReplyReader reads.
// Throws: InputError from begin() and message(), if the scheduler
// - sends another event
// - has not answered within `timeout`
// - says that it stops, or its connection is lost (at once)
class SocketScheduler : public SimulatedScheduler {
 public:
    // Connects to `endpoint`. `server_key`, if not empty, is the scheduler's public CURVE key.
    // Throws: UsageError if `endpoint` is not a ZeroMQ endpoint.
    SocketScheduler(const std::string& endpoint, Duration timeout, const std::string& server_key = "");

    void begin(const Simulator& simulator, SchedulerReply& reply) override;
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override;
    // Tells the scheduler that the simulation has ended, also after an error.
    void end(Time now) override;

 private:
    // Calls `attempt` until it returns true, and waits for `event` (ZMQ_POLLIN or ZMQ_POLLOUT) in between.
    // Returns false if the connection is lost before.
    // Throws: InputError if that takes too long.
    bool persist(short event, auto attempt);
    // Sends `frame_`, and reads the answer.
    void exchange(SchedulerReply& reply);

    std::string endpoint_;
    Duration timeout_;
    bool has_key_;
    zmq::context_t context_;
    zmq::socket_t socket_;
    transport::Connections connections_;
    protocol::ReplyReader reader_;
    const Simulator* simulator_ = nullptr;
    std::string frame_;
    bool awaiting_reply_ = false;
};

}  // namespace batfill
