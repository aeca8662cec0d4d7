#include "socket_scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

#include <batfill/core/error.hpp>

#include "messages.hpp"
#include "src/support/json.hpp"

namespace batfill {

namespace {

// What the scheduler says before it stops (see Codec::encode_refusal()): its message or, if there is none, all of its
// data.
std::string problem_of(const protocol::UnknownEvent& error) {
    JsonReader reader;
    const JsonValue& data = reader.parse(error.data.empty() ? "{}" : error.data);
    if (data.IsObject()) {
        if (const auto message = data.FindMember("message"); message != data.MemberEnd() && message->value.IsString()) {
            return std::string(view(message->value));
        }
    }
    return error.data;
}

zmq::context_t make_context() {
    protocol::require_threads();
    return {};
}

}  // namespace

SocketScheduler::SocketScheduler(const std::string& endpoint, unsigned timeout_seconds, const std::string& server_key,
                                 const std::string& protocol)
    : endpoint_(endpoint),
      timeout_seconds_(timeout_seconds),
      has_key_(!server_key.empty()),
      context_(make_context()),
      socket_(context_, zmq::socket_type::req),
      connections_(context_, socket_),
      codec_(protocol::make_codec(protocol)) {
    // Long enough for a last message to leave, and short enough not to delay the end of the command.
    socket_.set(zmq::sockopt::linger, 1000);
    socket_.set(zmq::sockopt::maxmsgsize, protocol::max_received_frame);
    if (!server_key.empty()) {
        const protocol::CurveKeys own = protocol::new_curve_keys();
        socket_.set(zmq::sockopt::curve_serverkey, server_key);
        socket_.set(zmq::sockopt::curve_publickey, own.public_key);
        socket_.set(zmq::sockopt::curve_secretkey, own.secret_key);
    }
    protocol::require_endpoint(endpoint, "cannot connect to ");
    try {
        socket_.connect(endpoint);
    } catch (const zmq::error_t& problem) {
        throw UsageError("cannot connect to " + endpoint + ": " + problem.what());
    }
}

bool SocketScheduler::receive(zmq::message_t& answer) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds_);
    while (true) {
        zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}, {connections_.handle(), 0, ZMQ_POLLIN, 0}};
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
        if (zmq::poll(items, 2, std::max(left, std::chrono::milliseconds(0))) == 0) {
            throw InputError("no answer from the scheduler at " + endpoint_ + " within " +
                             std::to_string(timeout_seconds_) + " seconds");
        }
        connections_.update();
        // What the scheduler said before it left has arrived by now.
        if (socket_.recv(answer, zmq::recv_flags::dontwait)) {
            return true;
        }
        if (connections_.any_lost()) {
            return false;
        }
    }
}

// Why the scheduler may have left without a message.
std::string SocketScheduler::handshake_problem() const {
    if (!connections_.handshake_failed()) {
        return "";
    }
    return has_key_ ? ": the handshake failed, perhaps --curve-server-key is not its public key"
                    : ": the handshake failed, perhaps it has ended or wants a CURVE key (--curve-server-key)";
}

void SocketScheduler::exchange(const protocol::Message& message, SchedulerReply& reply) {
    codec_->encode_message(message, frame_);
    socket_.send(zmq::buffer(frame_), zmq::send_flags::none);
    awaiting_reply_ = true;
    zmq::message_t answer;
    if (!receive(answer)) {
        throw InputError("the scheduler at " + endpoint_ + " has gone without an answer" + handshake_problem());
    }
    awaiting_reply_ = false;
    const protocol::Reply received = codec_->decode_reply(answer.to_string_view());
    for (const protocol::ReplyEvent& event : received.events) {
        const auto* unknown = std::get_if<protocol::UnknownEvent>(&event.data);
        if (unknown != nullptr && unknown->type == protocol::refusal_event) {
            awaiting_reply_ = true;  // it says so before it leaves, and will not answer again
            throw InputError("the scheduler at " + endpoint_ + " stops: " + problem_of(*unknown));
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
        return;  // it was never greeted or does not answer, so nothing can be said to it
    }
    SchedulerReply ignored;
    try {
        exchange({now, {{now, protocol::SimulationEnds{}}}}, ignored);
    } catch (const InputError&) {
        // The schedule is complete; what the scheduler says after it does not matter.
    }
}

}  // namespace batfill
