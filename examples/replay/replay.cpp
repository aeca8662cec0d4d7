#include <exception>
#include <iostream>

#include <batfill/analysis/metrics.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/replay/replay.hpp>

// Replays a workload under each of the algorithms and prints the metrics of the schedules side by side.
int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: replay PLATFORM.xml WORKLOAD.json ALGORITHM...\n";
        return 2;
    }
    try {
        const batfill::Replay replay(batfill::read_platform(argv[1], "master_host"),
                                     batfill::read_workload(argv[2], "w0"));
        batfill::MetricsOptions options;
        options.processors = replay.machine().processors();
        std::vector<batfill::RunMetrics> runs;
        for (int i = 3; i < argc; ++i) {
            const batfill::Schedule schedule = replay.run({argv[i], {}}).schedule();
            runs.push_back({argv[i], batfill::compute_metrics(schedule, options)});
        }
        batfill::write_metrics(std::cout, runs, batfill::MetricsFormat::table);
        return 0;
    } catch (const std::exception& problem) {
        std::cerr << "replay: " << problem.what() << '\n';
        return 1;
    }
}
