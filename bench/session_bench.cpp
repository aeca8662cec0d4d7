// Measures what one message costs the daemon: decoding, deciding and encoding, without the socket. Also what a question
// of WRENCH costs.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <spdlog/spdlog.h>

#include "protocol/codec.hpp"
#include "src/choice/batsched_choice.hpp"
#include "src/session/session.hpp"

namespace {

std::string frame(int now, const std::string& type, const std::string& data) {
    const std::string time = std::to_string(now) + ".000000";
    return "{\"now\":" + time + ",\"events\":[{\"timestamp\":" + time + ",\"type\":\"" + type + "\",\"data\":" + data +
           "}]}";
}

std::string beginning(int processors) {
    std::string resources;
    for (int i = 0; i < processors; ++i) {
        resources += std::string(i == 0 ? "" : ",") + "{\"id\":" + std::to_string(i) + ",\"name\":\"node" +
                     std::to_string(i) + "\",\"state\":\"idle\",\"properties\":{},\"zone_properties\":{}}";
    }
    const std::string count = std::to_string(processors);
    return frame(
        0, "SIMULATION_BEGINS",
        "{\"nb_resources\":" + count + ",\"nb_compute_resources\":" + count +
            ",\"nb_storage_resources\":0,\"allow_compute_sharing\":false,\"allow_storage_sharing\":true,\"config\":{},\"compute_resources\":[" +
            resources + "],\"storage_resources\":[],\"workloads\":{},\"profiles\":{}}");
}

// Each job asks for one processor and brings a submission and a completion; half of the machine is in use.
void messages(benchmark::State& state, const char* algorithm) {
    constexpr int in_use = 120;
    spdlog::set_level(spdlog::level::off);
    batfill::Session session({algorithm, {}}, batfill::protocol::make_codec("batsim4"));
    session.answer(beginning(2 * in_use));
    std::vector<std::string> batch;
    int job = 0;
    for (auto _ : state) {
        if (batch.empty()) {
            state.PauseTiming();
            for (int i = 0; i < 1000; ++i, ++job) {
                const std::string id = "\"w0!" + std::to_string(job) + "\"";
                const std::string submitted = "{\"job_id\":" + id + ",\"job\":{\"id\":" + id +
                                              ",\"subtime\":" + std::to_string(job) +
                                              ",\"res\":1,\"walltime\":3600,\"profile\":\"d\"}}";
                const std::string completed =
                    "{\"job_id\":\"w0!" + std::to_string(job - in_use) +
                    "\",\"job_state\":\"COMPLETED_SUCCESSFULLY\",\"return_code\":0,\"alloc\":\"0\"}";
                batch.push_back(frame(job, "JOB_SUBMITTED", submitted));
                if (job >= in_use) {
                    batch.push_back(frame(job, "JOB_COMPLETED", completed));
                }
            }
            std::reverse(batch.begin(), batch.end());
            state.ResumeTiming();
        }
        benchmark::DoNotOptimize(session.answer(batch.back()));
        batch.pop_back();
    }
}
BENCHMARK_CAPTURE(messages, fcfs, "fcfs");
BENCHMARK_CAPTURE(messages, easy, "easy");
BENCHMARK_CAPTURE(messages, conservative, "conservative");

std::string wrench_beginning(std::int64_t hosts) {
    std::string resources;
    for (std::int64_t i = 0; i < hosts; ++i) {
        const std::string number = std::to_string(i);
        resources += std::string(i == 0 ? "" : ",") + R"({"core":1,"id":")" + number + R"(","name":"host)" + number +
                     R"(","state":"idle"})";
    }
    return frame(0, "SIMULATION_BEGINS", "{\"resources_data\":[" + resources + "]}");
}

std::string wrench_job(const std::string& id, std::int64_t hosts) {
    return R"("job":{"id":")" + id + R"(","res":)" + std::to_string(hosts) + R"(,"walltime":3600},"job_id":")" + id +
           "\"";
}

// Questions of WRENCH, one in a message, to a variant of batsched on so many hosts. With `waiting` jobs in the queue,
// one job of all hosts runs; with 0, all hosts are idle after a job that has ended.
void questions(benchmark::State& state, const char* variant) {
    const std::int64_t hosts = state.range(0);
    spdlog::set_level(spdlog::level::off);
    batfill::BatschedOptions options;
    options.variant = variant;
    batfill::Session session(batfill::batsched_choice(options), batfill::protocol::make_codec("wrench"));
    session.decide_as_batsched(batfill::batsched_rules(options));
    session.answer(wrench_beginning(hosts));
    session.answer(frame(0, "JOB_SUBMITTED", "{" + wrench_job("first", hosts) + "}"));
    for (std::int64_t job = 0; job < state.range(1); ++job) {
        session.answer(frame(0, "JOB_SUBMITTED", "{" + wrench_job(std::to_string(job), 1 + job * 37 % hosts) + "}"));
    }
    if (state.range(1) == 0) {
        session.answer(frame(1, "JOB_COMPLETED", R"({"job_id":"first","job_state":"COMPLETED_SUCCESSFULLY"})"));
    }
    const std::string question =
        frame(1, "QUERY", R"({"requests":{"estimate_waiting_time":{)" + wrench_job("asked", hosts / 2) + "}}}");
    for (auto _ : state) {
        benchmark::DoNotOptimize(session.answer(question));
    }
}
constexpr std::int64_t many_hosts = 10'000;
BENCHMARK_CAPTURE(questions, conservative_bf, "conservative_bf")
    ->ArgNames({"hosts", "waiting"})
    ->ArgsProduct({{many_hosts}, {0, 100}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(questions, easy_bf, "easy_bf")
    ->ArgNames({"hosts", "waiting"})
    ->ArgsProduct({{many_hosts}, {0}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(questions, fcfs_fast, "fcfs_fast")
    ->ArgNames({"hosts", "waiting"})
    ->ArgsProduct({{many_hosts}, {0, 100}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
