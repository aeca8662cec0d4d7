#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/server/server.hpp"

namespace batfill::tests::server_test {

TEST_CASE("Nobody begins to speak a protocol that there is not", "[session]") {
    ServerOptions options;
    options.endpoint = "tcp://127.0.0.1:*";
    options.protocol = "batsim";
    CHECK_THROWS_WITH(run_server(options), "unknown protocol 'batsim', known: batsim4, batsim5");
}

}  // namespace batfill::tests::server_test
