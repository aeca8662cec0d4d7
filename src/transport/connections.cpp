#include "src/transport/connections.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"

namespace batfill::transport {

namespace {

constexpr std::size_t key_length = 40;
using KeyText = std::array<char, key_length + 1>;

constexpr int failed_handshakes =
    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

// Writes a new key into a file that only its owner may read. The file appears whole. Keeps a file that another process
// has made meanwhile.
void make_secret_curve_key(const std::string& path) {
    const auto require = [&](bool success) {
        refuse_if<InputError>(!success, path, ": cannot be created: ", std::strerror(errno));
    };
    const std::string text = new_curve_keys().secret_key + '\n';
    TemporaryPath temporary;
    int descriptor = -1;
    require(temporary.create(path, [&](const std::string& beside) {
        descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        return descriptor >= 0;
    }));
    const bool written = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const bool closed = close(descriptor) == 0;
    require(written && closed);
    require(link(temporary.path().c_str(), path.c_str()) == 0 || errno == EEXIST);
}

// The text of a key in a file. Reading a pipe could wait for ever.
std::string read_key_text(const std::string& path) {
    constexpr std::size_t max_size = 4096;
    struct stat file {};
    if (stat(path.c_str(), &file) == 0 && !S_ISREG(file.st_mode)) {
        const char* const kind = S_ISDIR(file.st_mode) ? "folder" : S_ISFIFO(file.st_mode) ? "pipe" : "special file";
        throw InputError(path + ": expected a regular file with a CURVE key, found a " + kind);
    }
    return InputFile(path).read_all(max_size);
}

}  // namespace

zmq::context_t new_context() {
    std::jthread first([] {});
    std::jthread second([] {});
    return {};
}

void prepare_for_endpoint(zmq::socket_t& socket, const std::string& endpoint, const std::string& problem) {
    if (!endpoint.starts_with("tcp://") && !endpoint.starts_with("ipc://")) {
        const bool names_port = endpoint.find("://") == std::string::npos && endpoint.find(':') != std::string::npos;
        throw UsageError(problem + endpoint + ": expected tcp://ADDRESS:PORT or ipc://FILE" +
                         (names_port ? ", did you mean tcp://" + endpoint + "?" : ""));
    }
    const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
    const bool is_number =
        !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
    refuse_if(endpoint.starts_with("tcp://") && port != "*" && (!is_number || std::stoi(port) > 65535), problem,
              endpoint, ": expected a port from 0 to 65535, or *");
    socket.set(zmq::sockopt::ipv6, endpoint.starts_with("tcp://["));
}

Connections::Connections(zmq::context_t& context, zmq::socket_t& socket)
    : socket_(socket), events_(context, zmq::socket_type::pair) {
    static std::atomic<unsigned> names{0};  // each socket needs an endpoint of its own for its events
    const std::string name = "inproc://connections-" + std::to_string(++names);
    constexpr int awaited = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_CONNECT_DELAYED |
                            ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED | failed_handshakes;
    if (zmq_socket_monitor(socket.handle(), name.c_str(), awaited) != 0) {
        throw zmq::error_t();
    }
    events_.set(zmq::sockopt::rcvhwm, 0);  // events are few, and none must be lost
    events_.connect(name);
    update();  // ZeroMQ signals the descriptor only to a reader that has found nothing
}

Connections::~Connections() {
    zmq_socket_monitor(socket_.handle(), nullptr, 0);
}

void Connections::update() {
    zmq::message_t event;
    while (events_.recv(event, zmq::recv_flags::dontwait)) {
        std::uint16_t kind = 0;
        std::uint32_t value = 0;
        std::memcpy(&kind, event.data<char>(), sizeof(kind));
        std::memcpy(&value, event.data<char>() + sizeof(kind), sizeof(value));
        while (event.more()) {
            (void)events_.recv(event, zmq::recv_flags::none);  // the address, which comes with it
        }
        const auto descriptor = static_cast<int>(value);
        if (kind == ZMQ_EVENT_ACCEPTED || kind == ZMQ_EVENT_CONNECTED) {
            by_descriptor_[descriptor] = ++last_;
        } else if (kind == ZMQ_EVENT_DISCONNECTED) {
            by_descriptor_.erase(descriptor);
            any_lost_ = true;
            closing_.erase(descriptor);
        } else if (kind == ZMQ_EVENT_ACCEPT_FAILED) {
            lacks_descriptors_ = value == EMFILE || value == ENFILE;
        } else if ((kind & failed_handshakes) != 0) {
            handshake_failed_ = true;
        }
    }
}

void Connections::make_room(std::optional<Number> kept) {
    if (!std::exchange(lacks_descriptors_, false) || !closing_.empty()) {
        return;
    }
    std::map<Number, int> by_age;
    for (const auto& [descriptor, number] : by_descriptor_) {
        if (number != kept) {
            by_age.emplace(number, descriptor);
        }
    }
    // Many at once, since ZeroMQ tries to accept without a pause until there is room.
    std::size_t closed = (by_age.size() + 3) / 4;
    for (auto oldest = by_age.begin(); closed > 0; ++oldest, --closed) {
        const int descriptor = oldest->second;
        closing_.insert(descriptor);
        shutdown(descriptor, SHUT_RDWR);  // ZeroMQ, which owns it, finds it at its end
    }
}

std::optional<Connections::Number> Connections::number_of(zmq::message_t& message) const {
    const char* const descriptor = zmq_msg_gets(message.handle(), "__fd");
    if (descriptor == nullptr) {
        return std::nullopt;
    }
    constexpr int decimal = 10;
    const auto found = by_descriptor_.find(static_cast<int>(std::strtol(descriptor, nullptr, decimal)));
    return found == by_descriptor_.end() ? 0 : found->second;
}

bool Connections::lives(std::optional<Number> connection) const {
    return !connection ||
           std::ranges::any_of(by_descriptor_, [=](const auto& one) { return one.second == connection; });
}

CurveKeys new_curve_keys() {
    KeyText public_key{};
    KeyText secret_key{};
    refuse_if(zmq_curve_keypair(public_key.data(), secret_key.data()) != 0, "this ZeroMQ has no CURVE");
    return {public_key.data(), secret_key.data()};
}

std::string read_curve_key(const std::string& path) {
    std::string key = read_key_text(path);
    while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) {
        key.pop_back();
    }
    std::array<std::uint8_t, 32> bytes{};
    refuse_if<InputError>(key.size() != key_length || zmq_z85_decode(bytes.data(), key.c_str()) == nullptr, path,
                          ": expected one line with a CURVE key of 40 characters (Z85)");
    return key;
}

std::string read_or_make_secret_curve_key(const std::string& path) {
    struct stat file {};
    const bool is_name = !path.empty() && path != "-";  // InputFile refuses others
    if (is_name && stat(path.c_str(), &file) != 0 && errno == ENOENT) {
        make_secret_curve_key(path);
    } else if (S_ISREG(file.st_mode) && (file.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        throw InputError(path +
                         ": others than its owner may use this secret key, expected a file for its owner only: " +
                         "`chmod 600 " + path + "`");
    }
    return read_curve_key(path);
}

std::string curve_public_key(const std::string& secret_key) {
    KeyText public_key{};
    refuse_if(zmq_curve_public(public_key.data(), secret_key.c_str()) != 0, "this ZeroMQ has no CURVE");
    return public_key.data();
}

}  // namespace batfill::transport
