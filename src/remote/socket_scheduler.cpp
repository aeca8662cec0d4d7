#include "src/remote/socket_scheduler.hpp"

#include <algorithm>
#include <chrono>

#include <batfill/core/error.hpp>

#include "src/remote/messages.hpp"

namespace batfill {

SocketScheduler::SocketScheduler(const std::string& endpoint, Duration timeout, const std::string& server_key)
    : endpoint_(endpoint),
      timeout_(timeout),
      has_key_(!server_key.empty()),
      context_(transport::new_context()),
      socket_(context_, zmq::socket_type::req),
      connections_(context_, socket_) {
    // Long enough for a last message to leave, and short enough not to delay the end of the command.
    socket_.set(zmq::sockopt::linger, 1000);
    socket_.set(zmq::sockopt::maxmsgsize, transport::max_received_frame);
    if (!server_key.empty()) {
        const transport::CurveKeys own = transport::new_curve_keys();
        socket_.set(zmq::sockopt::curve_serverkey, server_key);
        socket_.set(zmq::sockopt::curve_publickey, own.public_key);
        socket_.set(zmq::sockopt::curve_secretkey, own.secret_key);
    }
    transport::prepare_for_endpoint(socket_, endpoint, "cannot connect to ");
    try {
        socket_.connect(endpoint);
    } catch (const zmq::error_t& problem) {
        throw UsageError("cannot connect to " + endpoint + ": " + problem.what());
    }
}

bool SocketScheduler::persist(short event, auto attempt) {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<long long>(timeout_.count()));
    while (true) {
        connections_.update();
        // The scheduler's last message before it left has arrived by now.
        if (attempt()) {
            return true;
        }
        if (connections_.any_lost()) {
            return false;
        }
        zmq::pollitem_t items[] = {{socket_.handle(), 0, event, 0}, {connections_.handle(), 0, ZMQ_POLLIN, 0}};
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
        refuse_if<InputError>(zmq::poll(items, 2, std::max(left, std::chrono::milliseconds(0))) == 0,
                              "no answer from the scheduler at ", endpoint_, " within ", timeout_.to_shortest_string(),
                              " seconds");
    }
}

void SocketScheduler::exchange(SchedulerReply& reply) {
    awaiting_reply_ = true;
    zmq::message_t answer;
    // After a failed handshake, ZeroMQ gives the connection up, and a send that waits would wait for ever.
    if (!persist(ZMQ_POLLOUT,
                 [&] { return socket_.send(zmq::buffer(frame_), zmq::send_flags::dontwait).has_value(); }) ||
        !persist(ZMQ_POLLIN, [&] { return socket_.recv(answer, zmq::recv_flags::dontwait).has_value(); })) {
        const std::string perhaps = has_key_ ? "--curve-server-key is not its public key"
                                             : "it has ended or wants a CURVE key (--curve-server-key)";
        throw InputError("the scheduler at " + endpoint_ + " has gone without an answer" +
                         (connections_.handshake_failed() ? ": the handshake failed, perhaps " + perhaps : ""));
    }
    awaiting_reply_ = false;
    protocol::Message& received = reader_.read(answer.to_string_view());
    if (const auto problem = take_reply(*simulator_, received, reader_.ids(), reply)) {
        awaiting_reply_ = true;  // it says so before it leaves, and will not answer again
        throw InputError("the scheduler at " + endpoint_ + " stops: " + *problem);
    }
}

void SocketScheduler::begin(const Simulator& simulator, SchedulerReply& reply) {
    simulator_ = &simulator;
    number_jobs(simulator, reader_.ids());
    write_beginning(simulator, frame_);
    exchange(reply);
}

void SocketScheduler::message(Time now, std::span<Event> events, SchedulerReply& reply) {
    write_message(*simulator_, now, events, frame_);
    exchange(reply);
}

void SocketScheduler::end(Time now) {
    if (simulator_ == nullptr || awaiting_reply_) {
        return;  // it was never greeted or does not answer, so nothing can be said to it
    }
    SchedulerReply ignored;
    try {
        protocol::write_end(now, frame_);
        exchange(ignored);
    } catch (const InputError&) {
        // The schedule is complete. Later messages of the scheduler do not matter.
    }
}

}  // namespace batfill
