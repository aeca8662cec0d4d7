#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "tests/support/machine_events.hpp"
#include "tests/support/process.hpp"

namespace batfill::tests::replay_test {

namespace {

const std::string platform = std::string(BATFILL_SOURCE_DIR) + "/platforms/kth-sp2.xml";

void run(const Folder& folder, const std::vector<std::string>& arguments) {
    Process process(folder, arguments);
    const int status = process.wait();
    INFO(process.errors());
    REQUIRE(status == 0);
}

// A third of the jobs have deadlines. Some deadlines cannot be met.
std::string generated_workload(const Folder& folder) {
    run(folder, {"generate", "lublin", "--jobs", "400", "--processors", "100", "--load", "0.9", "--seed", "7", "-o",
                 folder.file("regular.json")});
    run(folder, {"deadlines", folder.file("regular.json"), "--share", "0.33", "--seed", "7", "--floor", "7200",
                 "--factor", "1.5", "-o", folder.file("workload.json")});
    return folder.file("workload.json");
}

std::vector<std::string> algorithms(const Folder& folder) {
    Process process(folder, {"algorithms", "--json"});
    REQUIRE(process.wait() == 0);
    rapidjson::Document document;
    const std::string text = process.output();
    document.Parse(text.data(), text.size());
    REQUIRE(document.IsArray());
    std::vector<std::string> names;
    for (const auto& algorithm : document.GetArray()) {
        names.emplace_back(algorithm["name"].GetString());
    }
    return names;
}

// Replays by the daemon and by the embedded scheduler, and compares the files. Both get the options `common`; only the
// first gets `for_daemon`.
void compare_replays(const Folder& folder, const std::vector<std::string>& scheduler,
                     const std::vector<std::string>& common, const std::vector<std::string>& for_daemon = {}) {
    const std::string endpoint = "ipc://" + folder.file("socket");
    Process daemon(folder, with({"serve", "-s", endpoint}, scheduler));
    run(folder, with({"simulate", "-s", endpoint, "-e", folder.file("daemon")}, with(common, for_daemon)));
    REQUIRE(daemon.wait() == 0);
    run(folder, with(with({"simulate", "-e", folder.file("embedded")}, common), scheduler));
    for (const std::string name : {"_jobs.csv", "_schedule.csv"}) {
        const std::string by_daemon = contents(folder.file("daemon" + name));
        REQUIRE(by_daemon.size() > 100);
        REQUIRE((by_daemon == contents(folder.file("embedded" + name))));
    }
}

}  // namespace

TEST_CASE("The daemon and the embedded scheduler give one schedule, for every algorithm") {
    const Folder folder;
    const std::string workload = generated_workload(folder);
    const std::vector<std::string> names = algorithms(folder);
    REQUIRE(names.size() >= 4);
    for (const std::string& name : names) {
        INFO(name);
        // Batsim must know beforehand that a daemon will register jobs.
        const bool registers = name == "submitter";
        compare_replays(folder, {"-a", name}, {"-p", platform, "-w", workload},
                        registers ? std::vector<std::string>{"--enable-dynamic-jobs"} : std::vector<std::string>{});
    }
}

TEST_CASE("The daemon and the embedded scheduler give one schedule on hosts that jobs share") {
    const Folder folder;
    run(folder, {"generate", "shared", "--jobs", "300", "--seed", "3", "--hosts", "20", "-o", folder.file("w.json")});
    run(folder, {"platform", "--group", "20:cores=32,gpus=4,memory=256", "-o", folder.file("m.xml")});
    for (const std::string name : {"fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"}) {
        INFO(name);
        compare_replays(folder, {"-a", name}, {"-p", folder.file("m.xml"), "-w", folder.file("w.json")});
    }
    REQUIRE(contents(folder.file("embedded_jobs.csv")).find("REJECTED") == std::string::npos);
}

TEST_CASE("The daemon and the embedded scheduler give one schedule of jobs that wait for others") {
    const Folder folder;
    run(folder, {"generate", "shared", "--jobs", "300", "--seed", "3", "--hosts", "20", "-o", folder.file("w.json")});
    rapidjson::Document workload;
    const std::string text = contents(folder.file("w.json"));
    workload.Parse(text.data(), text.size());
    REQUIRE(workload.IsObject());
    auto& memory = workload.GetAllocator();
    auto& jobs = workload["jobs"];
    const std::vector<std::string> kinds{"ok:", "any:", "start:", "any:", "start:"};
    for (rapidjson::SizeType i = 3; i < jobs.Size(); ++i) {
        rapidjson::Value after(rapidjson::kArrayType);
        for (rapidjson::SizeType before = 1; before <= i % 3; ++before) {
            const std::string condition =
                kinds[i % kinds.size()] + jobs[i - before * 2 + 1]["id"].GetString() + (i % 7 == 0 ? "+1000.25" : "");
            after.PushBack(rapidjson::Value(condition.c_str(), memory), memory);
        }
        jobs[i].AddMember("after", after, memory);
    }
    rapidjson::StringBuffer buffer;
    rapidjson::Writer writer(buffer);
    workload.Accept(writer);
    folder.write("w.json", buffer.GetString());
    for (const std::string name : {"fcfs", "easy", "conservative", "dbf", "filler", "random"}) {
        INFO(name);
        compare_replays(folder, {"-a", name}, {"-p", "640", "-w", folder.file("w.json")});
    }
    REQUIRE(contents(folder.file("embedded_jobs.csv")).find("COMPLETED_SUCCESSFULLY") != std::string::npos);
    REQUIRE(contents(folder.file("embedded_eligible.csv")).find("job_id,eligible_time") == 0);
}

TEST_CASE("The daemon and the embedded scheduler give one schedule beside windows") {
    const Folder folder;
    const std::string workload = generated_workload(folder);
    std::ofstream windows(folder.file("windows"));
    for (int day = 1; day < 20; ++day) {
        const int from = day * 20000;
        windows << R"({"name": "day )" << day << R"(", "from": )" << from << R"(, "until": )" << from + 6000
                << R"(, "announced": )" << from - 500 * day << R"(, "processors": )" << 10 * (1 + day % 9)
                << R"(, "running": ")"
                << (day % 3 == 0   ? "finish"
                    : day % 3 == 1 ? "kill"
                                   : "requeue")
                << "\"}\n";
    }
    windows.close();
    for (const std::string name : {"fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"}) {
        INFO(name);
        compare_replays(folder, {"-a", name, "--windows", folder.file("windows")}, {"-p", platform, "-w", workload},
                        {"--enable-dynamic-jobs", "--enable-profile-reuse"});
    }
    REQUIRE(contents(folder.file("embedded_jobs.csv")).find("#1,") != std::string::npos);
}

TEST_CASE("The daemon and the embedded scheduler give one schedule under limits, with arrays and begin times") {
    const Folder folder;
    run(folder, {"generate", "shared", "--jobs", "300", "--seed", "4", "--hosts", "20", "-o", folder.file("w.json")});
    run(folder, {"platform", "--group", "10:cores=32,gpus=4,memory=256,partition=a", "--group",
                 "10:cores=32,gpus=4,memory=256,partition=b", "-o", folder.file("m.xml")});
    std::string text = contents(folder.file("w.json"));
    int job = 0;
    for (std::size_t at = 0; (at = text.find(R"("subtime":)", at)) != std::string::npos; ++job) {
        const std::string user = R"("user":"u)" + std::to_string(job % 5) + R"(",)";
        const std::string more = job % 3 == 0   ? R"("partition":"a,b",)"
                                 : job % 3 == 1 ? R"("array":"x","array_limit":)" + std::to_string(1 + job % 4) + ","
                                                : R"("begin":)" + std::to_string(1000 * (job % 50)) + ",";
        text.insert(at, user + more);
        at += user.size() + more.size() + 1;
    }
    folder.write("w.json", text);
    folder.write("limits", R"({"of": "user", "most": {"processors": 6, "cores": 96}}
{"of": ["user", "array"], "value": ["u1", null], "most": {"jobs": 1}}
)");
    for (const std::string name : {"fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"}) {
        INFO(name);
        compare_replays(folder, {"-a", name, "--limits", folder.file("limits")},
                        {"-p", folder.file("m.xml"), "-w", folder.file("w.json")});
    }
    const auto starts = [&](const std::vector<std::string>& more) {
        run(folder, with({"simulate", "-q", "-p", folder.file("m.xml"), "-w", folder.file("w.json"), "-a", "easy", "-e",
                          folder.file("other")},
                         more));
        return contents(folder.file("other_jobs.csv"));
    };
    REQUIRE((starts({}) != starts({"--limits", folder.file("limits")})));
}

TEST_CASE("The daemon and the embedded scheduler give one schedule when processors come and go") {
    const Folder folder;
    const std::string workload = generated_workload(folder);
    std::ofstream events(folder.file("events"));
    for (int hour = 1; hour < 40; ++hour) {
        const int first = hour * 37 % 90;
        const std::string processors = std::to_string(first) + "-" + std::to_string(first + 9);
        events << lost(std::to_string(hour * 3600), processors) << back(std::to_string(hour * 3600 + 5000), processors);
    }
    events.close();
    for (const std::string name : {"fcfs", "easy", "conservative", "dbf"}) {
        INFO(name);
        compare_replays(folder, {"-a", name}, {"-p", platform, "-w", workload, "--events", folder.file("events")});
    }
}

TEST_CASE("The daemon and the embedded scheduler give one schedule when processors sleep") {
    const Folder folder;
    const std::string workload = generated_workload(folder);
    std::ofstream file(folder.file("sleepers.xml"));
    file << R"(<platform version="4.1"><zone id="z" routing="Vivaldi">)"
         << R"(<host id="master_host" coordinates="0 0 0" speed="1Gf"/>)";
    for (int host = 100; host < 200; ++host) {
        file << R"(<host id="n)" << host << R"(" coordinates="0 0 0" speed="1Gf,1e-9f,0.16f,0.0066f">)"
             << R"(<prop id="sleep_pstates" value="1:2:3"/></host>)";
    }
    file << "</zone></platform>\n";
    file.close();
    compare_replays(folder, {"-a", "easy-sleeper", "-P", "idle-time=300"},
                    {"-p", folder.file("sleepers.xml"), "-w", workload});
    const std::string statistics = contents(folder.file("embedded_statistics.csv"));
    CHECK(statistics.find("woken,") != std::string::npos);
    CHECK(statistics.find("woken,0") == std::string::npos);
}

TEST_CASE("The daemon and the embedded scheduler give one schedule when weights are tuned at work") {
    const Folder folder;
    const std::string workload = generated_workload(folder);
    folder.write("policy.json",
                 R"({"algorithm":"easy","params":{"order":"mixed","weights":[0,0,1,0,0,0],"backfill-order":"spf"}})");
    compare_replays(folder, {"-P", folder.file("policy.json"), "-P", "period=43200", "-P", "evaluations=20"},
                    {"-p", platform, "-w", workload});
    CHECK(contents(folder.file("embedded_statistics.csv")).find("tunings") != std::string::npos);
}

TEST_CASE("The daemon and the embedded scheduler give one schedule when --sched-cfg chooses the algorithm") {
    const Folder folder;
    const std::string workload = generated_workload(folder);
    compare_replays(folder, {},
                    {"-p", platform, "-w", workload, "--sched-cfg",
                     R"({"algorithm":"conservative","params":{"compression":"submission"}})"});
}

}  // namespace batfill::tests::replay_test
