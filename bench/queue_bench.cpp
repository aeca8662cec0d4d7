// Measures what a submission and a completion cost beside a queue of constant length, on hosts that jobs share.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>

#include <batfill/core/machine.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/workloads/models.hpp>

namespace {

// A machine on which so many jobs wait, whatever ends. Each job runs for half of its walltime.
class Queue {
 public:
    Queue(const char* algorithm, int hosts, int cores, std::size_t waiting)
        : waiting_(waiting), engine_(algorithm, {}), workload_(generate_shared_hosts(model(hosts, waiting))) {
        batfill::SharedHostsModel host;
        host.cores = cores;
        host.gpus = cores / 8;
        host.memory = cores * 8;
        std::vector<batfill::Host> all(static_cast<std::size_t>(hosts));
        for (batfill::Host& one : all) {
            one.properties["capacity"] = capacity_of(host);
        }
        engine_.begin({}, batfill::Machine(all));
        engine_.decide();
        fill_up();
    }

    bool has_jobs() const { return next_ + 10 < workload_.jobs.size(); }

    // The first running job that ends does so. Returns the seconds of the round.
    double complete() {
        const auto first = std::ranges::min_element(running_, {}, &Running::end);
        const Running ended = *first;
        *first = running_.back();
        running_.pop_back();
        now_ = ended.end;
        return decide({now_, batfill::JobCompleted{ended.job}});
    }

    // One more job is submitted. Returns the seconds of the round.
    double submit() {
        const batfill::JobDescription& job = workload_.jobs[next_].description;
        return decide({now_, batfill::JobSubmitted{batfill::JobNumber{static_cast<std::uint32_t>(next_++)},
                                                   batfill::SharedJobDescription::kept_elsewhere(job)}});
    }

    bool is_full() const { return engine_.state().waiting.size() >= waiting_; }
    void fill_up() {
        while (!is_full()) {
            submit();
        }
    }
    std::size_t running() const { return running_.size(); }

 private:
    struct Running {
        batfill::Time end;
        batfill::JobNumber job;
    };

    // Enough jobs to fill the machine, to wait, and to follow.
    static batfill::SharedHostsModel model(int hosts, std::size_t waiting) {
        batfill::SharedHostsModel model;
        model.seed = 1;
        model.hosts = hosts;
        model.whole_host_jobs = 0;
        model.wide_jobs = 10;
        model.jobs = static_cast<int>(waiting) + 40 * hosts + 10'000;
        return model;
    }

    double decide(batfill::Event&& event) {
        const auto begin = std::chrono::steady_clock::now();
        engine_.arrive(now_);
        engine_.take_in(std::move(event));
        const std::vector<batfill::Decision>& decisions = engine_.decide();
        const auto end = std::chrono::steady_clock::now();
        for (const batfill::Decision& decision : decisions) {
            if (const auto* start = std::get_if<batfill::StartJob>(&decision)) {
                const auto& job = workload_.jobs[static_cast<std::size_t>(start->job)].description;
                running_.push_back({now_ + batfill::Duration::microseconds(job.walltime->count() / 2), start->job});
            }
        }
        return std::chrono::duration<double>(end - begin).count();
    }

    std::size_t waiting_;
    batfill::Engine engine_;
    batfill::Workload workload_;
    batfill::Time now_{};
    std::size_t next_ = 0;
    std::vector<Running> running_;
};

// Arguments: hosts, cores of each of them, waiting jobs.
void queue(benchmark::State& state, const char* algorithm, bool completions) {
    Queue queue(algorithm, static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                static_cast<std::size_t>(state.range(2)));
    for (auto _ : state) {
        if (!queue.has_jobs()) {
            state.SkipWithError("no job is left");
            break;
        }
        double seconds = 0;
        if (completions) {
            queue.fill_up();
            seconds = queue.complete();
        } else {
            while (queue.is_full()) {
                queue.complete();
            }
            seconds = queue.submit();
        }
        state.SetIterationTime(seconds);
    }
    state.counters["running"] = static_cast<double>(queue.running());
}

void sizes(benchmark::internal::Benchmark* one) {
    one->ArgNames({"hosts", "cores", "waiting"})->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (const int waiting : {625, 1250, 2500, 5000}) {
        one->Args({1000, 32, waiting});
    }
    for (const int hosts : {125, 250, 500}) {
        one->Args({hosts, 32, 1250});
    }
    for (const int cores : {64, 128, 256}) {
        one->Args({125, cores, 1250});
    }
}

BENCHMARK_CAPTURE(queue, submission_easy, "easy", false)->Apply(sizes)->Iterations(500);
BENCHMARK_CAPTURE(queue, completion_easy, "easy", true)->Apply(sizes)->Iterations(500);
BENCHMARK_CAPTURE(queue, submission_conservative, "conservative", false)->Apply(sizes)->Iterations(500);
BENCHMARK_CAPTURE(queue, completion_conservative, "conservative", true)->Apply(sizes)->Iterations(500);

}  // namespace
