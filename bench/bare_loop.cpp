// What a scheduler costs that does nothing but talk: a ZeroMQ REP loop that answers with prepared replies. `replays.py
// --serve --bare` measures the daemon against it.
//
//   bare_loop record ENDPOINT SCHEDULER FILE   passes frames on to the scheduler behind SCHEDULER, and its replies
//   back,
//                                              which it writes to FILE
//   bare_loop answer ENDPOINT FILE             answers with the replies in FILE, and ends after the last of them
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <zmq.hpp>

namespace {

// Whether a frame says that it is the last of a simulation.
bool is_last(const zmq::message_t& frame) {
    return frame.to_string_view().find("\"SIMULATION_ENDS\"") != std::string_view::npos;
}

void receive(zmq::socket_t& socket, zmq::message_t& frame) {
    if (!socket.recv(frame)) {
        throw std::runtime_error("no frame was received");
    }
}

// A reply is its length, four bytes in the order of this machine, and its text.
void record(const std::string& endpoint, const std::string& scheduler, const std::string& file) {
    zmq::context_t context;
    zmq::socket_t peer(context, zmq::socket_type::rep);
    peer.bind(endpoint);
    zmq::socket_t behind(context, zmq::socket_type::req);
    behind.connect(scheduler);
    std::ofstream out(file, std::ios::binary);
    for (bool last = false; !last;) {
        zmq::message_t frame;
        receive(peer, frame);
        last = is_last(frame);
        behind.send(frame, zmq::send_flags::none);
        receive(behind, frame);
        const auto size = static_cast<std::uint32_t>(frame.size());
        out.write(reinterpret_cast<const char*>(&size), sizeof size);
        out.write(frame.data<char>(), size);
        peer.send(frame, zmq::send_flags::none);
    }
    if (!out.flush()) {
        throw std::runtime_error("cannot write " + file);
    }
}

void answer(const std::string& endpoint, const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<std::string> replies;
    for (std::uint32_t size = 0; in.read(reinterpret_cast<char*>(&size), sizeof size);) {
        in.read(replies.emplace_back(size, '\0').data(), size);
    }
    zmq::context_t context;
    zmq::socket_t peer(context, zmq::socket_type::rep);
    peer.bind(endpoint);
    zmq::message_t frame;
    for (const std::string& reply : replies) {
        receive(peer, frame);
        peer.send(zmq::buffer(reply), zmq::send_flags::none);
    }
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> arguments(words + 1, words + count);
    try {
        if (arguments.size() == 4 && arguments[0] == "record") {
            record(arguments[1], arguments[2], arguments[3]);
        } else if (arguments.size() == 3 && arguments[0] == "answer") {
            answer(arguments[1], arguments[2]);
        } else {
            std::fputs("usage: bare_loop record ENDPOINT SCHEDULER FILE | answer ENDPOINT FILE\n", stderr);
            return 2;
        }
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "bare_loop: %s\n", problem.what());
        return 1;
    }
    return 0;
}
