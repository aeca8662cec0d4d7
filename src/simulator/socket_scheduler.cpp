#include "socket_scheduler.hpp"

#include <variant>

#include <batfill/error.hpp>

#include "messages.hpp"

namespace batfill {

SocketScheduler::SocketScheduler(const std::string& endpoint, unsigned timeout_seconds, const std::string& protocol)
    : endpoint_(endpoint),
      timeout_seconds_(timeout_seconds),
      socket_(context_, zmq::socket_type::req),
      codec_(protocol::make_codec(protocol)) {
    // This is long enough for a last message to leave, and short enough not to keep the command from ending.
    socket_.set(zmq::sockopt::linger, 1000);
    try {
        socket_.connect(endpoint);
    } catch (const zmq::error_t& problem) {
        throw UsageError("cannot connect to " + endpoint + ": " + problem.what());
    }
}

void SocketScheduler::exchange(const protocol::Message& message, SchedulerReply& reply) {
    codec_->encode_message(message, frame_);
    socket_.send(zmq::buffer(frame_), zmq::send_flags::none);
    awaiting_reply_ = true;
    zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    if (zmq::poll(&item, 1, std::chrono::seconds(timeout_seconds_)) == 0) {
        throw InputError("no answer from the scheduler at " + endpoint_ + " within " +
                         std::to_string(timeout_seconds_) + " seconds");
    }
    zmq::message_t answer;
    (void)socket_.recv(answer, zmq::recv_flags::none);
    awaiting_reply_ = false;
    const protocol::Reply received = codec_->decode_reply(answer.to_string_view());
    for (const protocol::ReplyEvent& event : received.events) {
        const auto* unknown = std::get_if<protocol::UnknownEvent>(&event.data);
        if (unknown != nullptr && unknown->type == "SCHEDULER_ERROR") {
            awaiting_reply_ = true;  // it says so before it goes, and will not answer again
            throw InputError("the scheduler at " + endpoint_ + " stops: " + unknown->data);
        }
    }
    take_reply(*simulator_, received, reply);
}

void SocketScheduler::begin(const Simulator& simulator, SchedulerReply& reply) {
    simulator_ = &simulator;
    exchange(beginning_message(simulator.scenario()), reply);
}

void SocketScheduler::message(Time now, std::span<Event> events, SchedulerReply& reply) {
    exchange(message_of(*simulator_, now, events), reply);
}

void SocketScheduler::end(Time now) {
    if (simulator_ == nullptr || awaiting_reply_) {
        return;  // it was never greeted or does not answer, so nothing more can be said to it
    }
    SchedulerReply ignored;
    try {
        exchange({now, {{now, protocol::SimulationEnds{}}}}, ignored);
    } catch (const InputError&) {
        // The schedule is complete; what the scheduler says after it does not matter.
    }
}

}  // namespace batfill
