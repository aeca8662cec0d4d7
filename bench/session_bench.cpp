// Measures what one message costs the daemon: decoding, deciding and encoding, without the socket.

#include <algorithm>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <spdlog/spdlog.h>

#include "protocol/codec.hpp"
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

}  // namespace
