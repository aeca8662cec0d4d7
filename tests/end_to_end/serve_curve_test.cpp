#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <zmq.hpp>

#include "tests/end_to_end/daemon.hpp"

namespace batfill::tests::serve_curve_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

constexpr const char* one_job = R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                R"({"id":"1","subtime":0,"res":1,"walltime":30,"profile":"p"}]})";

}  // namespace

TEST_CASE("With a CURVE key the daemon hears only those who know the public one") {
    const Folder folder;
    const std::string key = folder.file("key");
    std::string public_key;
    for (int run = 0; run < 2; ++run) {
        Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--curve-secret-key", key});
        const std::string mark = "public CURVE key, which peers have to know: ";
        const std::string log = daemon.errors();
        REQUIRE_THAT(log, Contains(mark));
        const std::string told = log.substr(log.find(mark) + mark.size(), 40);
        CHECK((run == 0 || told == public_key));
        public_key = told;
        Peer stranger(daemon.endpoint());
        stranger.send(beginning);
        CHECK_FALSE(stranger.hears_within(std::chrono::milliseconds(300)));
        Peer(daemon.endpoint(), zmq::socket_type::req, public_key).play_simulation();
        CHECK(daemon.wait() == 0);
    }
    using std::filesystem::perms;
    CHECK(std::filesystem::status(key).permissions() == (perms::owner_read | perms::owner_write));

    folder.write("no-key", "secret\n");
    std::filesystem::permissions(folder.file("no-key"), perms::owner_read);
    Process refused(folder, {"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", folder.file("no-key")});
    CHECK(refused.wait() == 1);
    CHECK_THAT(refused.errors(), Contains("no-key: expected one line with a CURVE key"));
}

TEST_CASE("A secret CURVE key that others may use is refused with the command that corrects it") {
    using std::filesystem::perms;
    const Folder folder;
    const std::string key = folder.file("key");
    std::ofstream(key) << "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6\n";
    for (const perms more : {perms::group_read, perms::others_read, perms::others_write}) {
        std::filesystem::permissions(key, perms::owner_read | perms::owner_write | more);
        Process refused(folder, {"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", key});
        CHECK(refused.wait() == 1);
        CHECK_THAT(refused.errors(), Contains("key: others than its owner may use this secret key") &&
                                         EndsWith("`chmod 600 " + key + "`\n"));
    }
    std::filesystem::permissions(key, perms::owner_read);
    const Daemon accepted(folder, {"-a", "fcfs", "-s", any_port, "--curve-secret-key", key});
}

TEST_CASE("A CURVE key that is no regular file is refused, and nobody waits for a pipe") {
    const Folder folder;
    REQUIRE(mkfifo(folder.file("pipe").c_str(), S_IRUSR | S_IWUSR) == 0);
    std::filesystem::create_symlink("pipe", folder.file("link"));
    std::filesystem::create_directory(folder.file("folder"));
    const auto check_refused = [&](const std::vector<std::string>& arguments, const std::string& words) {
        Process refused(folder, arguments);
        CHECK(refused.wait() == 1);
        CHECK_THAT(refused.errors(), Contains(words));
        CHECK(std::ranges::count(refused.errors(), '\n') == 1);
    };
    for (const auto& [name, kind] : std::map<std::string, std::string>{{folder.file("pipe"), "pipe"},
                                                                       {folder.file("link"), "pipe"},
                                                                       {folder.file("folder"), "folder"},
                                                                       {"/dev/null", "special file"}}) {
        const std::string words = name + ": expected a regular file with a CURVE key, found a " + kind + '\n';
        check_refused({"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", name}, words);
        check_refused({"simulate", "-p", "1", "-w", folder.write("w.json", one_job), "-e", folder.file("out"), "-s",
                       "tcp://127.0.0.1:1", "--curve-server-key", name},
                      words);
    }
    check_refused({"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", "-"}, "-: expected the name of a file");
    check_refused({"serve", "-s", any_port, "--plugin", folder.file("pipe")}, "pipe: it is not a shared object\n");
}

TEST_CASE("Daemons that make the same CURVE key at once have the same key") {
    constexpr int daemons = 8;
    const Folder folder;
    const std::string mark = "public CURVE key, which peers have to know: ";
    std::vector<std::unique_ptr<Folder>> logs;
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < daemons; ++i) {
        logs.push_back(std::make_unique<Folder>());
        processes.push_back(std::make_unique<Process>(
            *logs.back(),
            std::vector<std::string>{"serve", "-a", "fcfs", "-s", any_port, "--curve-secret-key", folder.file("key")}));
    }
    std::set<std::string> keys;
    for (const auto& process : processes) {
        const std::string log = process->wait_for_error_text("listening");
        keys.insert(log.substr(log.find(mark) + mark.size(), 40));
    }
    CHECK(keys.size() == 1);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file(".")), {}) == 1);
}

TEST_CASE("A simulation with a wrong CURVE key, or none, gets the error that the key may be wrong") {
    const Folder folder;
    Daemon daemon(folder, {"-a", "fcfs", "-s", any_port, "--curve-secret-key", folder.file("key")});
    folder.write("w.json", one_job);
    folder.write("wrong", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\n");
    const auto errors_of = [&](const std::vector<std::string>& more) {
        const Folder own;
        Process simulation(own, with({"simulate", "-p", "1", "-w", folder.file("w.json"), "-e", own.file("out"), "-s",
                                      daemon.endpoint()},
                                     more));
        CHECK(simulation.wait() == 1);
        return simulation.errors();
    };
    CHECK_THAT(errors_of({"--curve-server-key", folder.file("wrong")}),
               Contains("perhaps --curve-server-key is not its public key"));
    CHECK_THAT(errors_of({}), Contains("wants a CURVE key (--curve-server-key)"));
}

}  // namespace batfill::tests::serve_curve_test
