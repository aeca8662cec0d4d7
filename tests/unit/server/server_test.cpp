#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/server/server.hpp"
#include "src/transport/request_socket.hpp"
#include "tests/support/folder.hpp"

namespace batfill::tests::server_test {

TEST_CASE("Nobody begins to speak a protocol that there is not", "[session]") {
    ServerOptions options;
    options.endpoint = "tcp://127.0.0.1:*";
    options.protocol = "batsim";
    CHECK_THROWS_WITH(run_server(options), "unknown protocol 'batsim', known: batsim4, batsim5, wrench");
}

TEST_CASE("A socket at which somebody listens is in use, also when no more may wait there", "[session]") {
    const Folder folder;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    folder.file("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    std::vector<int> sockets{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    REQUIRE(bind(sockets[0], name, sizeof(address)) == 0);
    REQUIRE(listen(sockets[0], 0) == 0);
    do {
        sockets.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    } while (connect(sockets.back(), name, sizeof(address)) == 0);
    const std::string endpoint = "ipc://" + folder.file("socket");
    CHECK_THROWS_WITH(transport::RequestSocket(endpoint, ""),
                      "cannot listen on " + endpoint + ": it is in use, perhaps by another scheduler");
    for (const int one : sockets) {
        close(one);
    }
}

}  // namespace batfill::tests::server_test
