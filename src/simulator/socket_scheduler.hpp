#pragma once

#include <memory>
#include <string>

#include <zmq.hpp>

#include <batfill/simulator/simulator.hpp>

#include "protocol/codec.hpp"
#include "protocol/connections.hpp"

namespace batfill {

// A scheduler at the other end of a ZeroMQ socket, driven as Batsim drives it: this side connects and asks (REQ).
// Of the scheduler's events it understands EXECUTE_JOB, REJECT_JOB, KILL_JOB, CALL_ME_LATER, REGISTER_JOB,
// SET_JOB_METADATA and the NOTIFYs about registration; others are an InputError.
class SocketScheduler : public SimulatedScheduler {
 public:
    // Throws UsageError if `endpoint` is not an endpoint of ZeroMQ, or there is no protocol of this name (see
    // make_codec()). Waits at most `timeout_seconds` for each answer, then throws InputError; at once if the scheduler
    // says that it stops, or the connection to it is lost. `server_key`, if it is not empty, is the public CURVE key of
    // the scheduler.
    SocketScheduler(const std::string& endpoint, unsigned timeout_seconds, const std::string& server_key = "",
                    const std::string& protocol = protocol::default_protocol);

    void begin(const Simulator& simulator, SchedulerReply& reply) override;
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override;
    // Tells the scheduler that the simulation has ended, also if an error ended it.
    void end(Time now) override;

 private:
    // Returns false if none came in time or the connection was lost before.
    bool receive(zmq::message_t& answer);
    void exchange(const protocol::Message& message, SchedulerReply& reply);
    std::string handshake_problem() const;

    std::string endpoint_;
    unsigned timeout_seconds_;
    bool has_key_;
    zmq::context_t context_;
    zmq::socket_t socket_;
    protocol::Connections connections_;
    std::unique_ptr<protocol::Codec> codec_;
    const Simulator* simulator_ = nullptr;
    std::string frame_;
    bool awaiting_reply_ = false;
};

}  // namespace batfill
