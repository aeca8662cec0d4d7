#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/tuning/checkpoint.hpp"
#include "src/tuning/tuning_run.hpp"
#include "src/tuning/weight_search.hpp"
#include "tests/support/process.hpp"
#include "tests/unit/tuning/distance.hpp"

namespace batfill::tests::checkpoint_test {

namespace {

// A checkpoint's file. It does not exist at first.
struct CheckpointFile : Folder {
    std::string path() const { return file("checkpoint.csv"); }
    std::string text() const { return contents(path()); }
    bool exists() const { return std::filesystem::exists(path()); }
};

// Searches over five workloads with different best weights: one search per workload, or one for the sum of all.
std::vector<TuningTask> five_workloads(bool each) {
    std::vector<TuningTask> tasks;
    for (std::size_t workload = 0; workload < 5; ++workload) {
        if (each || tasks.empty()) {
            tasks.push_back({xnes_search(MixedFeatures::three, 150, 1, 3), {}});
        }
        tasks.back().workloads.push_back(workload);
    }
    return tasks;
}

double value_of(std::size_t workload, const MixedWeights& weights) {
    const double x = 0.1 * static_cast<double>(workload + 1);
    return distance_to({x, -0.2, 0.8 - x, 0, 0, 0})(weights);
}

// The best weights of each search.
std::vector<MixedWeights> best_of(const std::vector<TuningTask>& tasks) {
    std::vector<MixedWeights> best;
    for (const TuningTask& task : tasks) {
        best.push_back(task.search->best().weights);
    }
    return best;
}

}  // namespace

TEST_CASE("Searches run side by side give what each gives alone, on any number of threads") {
    std::vector<MixedWeights> alone;
    for (std::size_t workload = 0; workload < 5; ++workload) {
        const auto search = xnes_search(MixedFeatures::three, 150, 1, 3);
        alone.push_back(
            minimise(*search, [&](const MixedWeights& weights) { return value_of(workload, weights); }).weights);
    }
    const auto sum = xnes_search(MixedFeatures::three, 150, 1, 3);
    minimise(*sum, [](const MixedWeights& weights) {
        double total = 0;
        for (std::size_t workload = 0; workload < 5; ++workload) {
            total += value_of(workload, weights);
        }
        return total;
    });
    for (const unsigned threads : {1U, 2U, 7U}) {
        const CheckpointFile file;
        Checkpoint checkpoint(file.path(), "run", 5, 150);
        std::vector<TuningTask> each = five_workloads(true);
        std::size_t evaluated = 0;
        std::size_t last_done = 0;
        const auto progress = [&](std::size_t done, std::size_t total) {
            CHECK(done == ++last_done);
            CHECK(total == 5 * 150);
        };
        const auto heard = [&](std::size_t, std::size_t evaluation, const MixedWeights&, double) {
            ++evaluated;
            CHECK((evaluation >= 1 && evaluation <= 150));
        };
        run_searches(each, {value_of, progress, heard}, &checkpoint, threads);
        CHECK(best_of(each) == alone);
        CHECK(evaluated == 5 * 150);
        CHECK(last_done == 5 * 150);

        const CheckpointFile another;
        Checkpoint checkpoint_of_sum(another.path(), "run", 5, 150);
        std::vector<TuningTask> one = five_workloads(false);
        run_searches(one, {value_of, {}, {}}, &checkpoint_of_sum, threads);
        CHECK(best_of(one).front() == sum->best().weights);
    }
}

TEST_CASE("A run that ended early resumes from its checkpoint and measures nothing twice") {
    for (const bool each : {true, false}) {
        std::vector<TuningTask> whole = five_workloads(each);
        {
            const CheckpointFile file;
            Checkpoint checkpoint(file.path(), "run", 5, 150);
            run_searches(whole, {value_of, {}, {}}, &checkpoint, 2);
        }
        const CheckpointFile file;
        std::atomic<std::size_t> measured = 0;
        std::size_t interruptions = 0;
        for (bool ended = false; !ended;) {
            std::vector<TuningTask> tasks = five_workloads(each);
            Checkpoint checkpoint(file.path(), "run", 5, 150);
            CHECK(checkpoint.found() == measured);
            const std::size_t before = measured;
            const auto measure = [&](std::size_t workload, const MixedWeights& weights) {
                if (measured >= before + 200) {
                    throw std::runtime_error("interrupted");
                }
                ++measured;
                return value_of(workload, weights);
            };
            try {
                run_searches(tasks, {measure, {}, {}}, &checkpoint, 1);
                checkpoint.finish();
                ended = true;
                CHECK(best_of(tasks) == best_of(whole));
            } catch (const std::runtime_error&) {
                ++interruptions;
            }
        }
        CHECK(measured == 5 * 150);
        CHECK(interruptions == 3);
        CHECK(!file.exists());
    }
}

TEST_CASE("A checkpoint gives back every bit of what was added") {
    const CheckpointFile file;
    const std::vector<double> values{0.1, 1.0 / 3, 1e300, 5e-324, -0.0, std::numeric_limits<double>::infinity()};
    {
        Checkpoint checkpoint(file.path(), "run", 2, 10);
        for (std::size_t i = 0; i < values.size(); ++i) {
            checkpoint.add(1, i + 3, values[i]);
        }
    }
    const Checkpoint checkpoint(file.path(), "run", 2, 10);
    CHECK(checkpoint.found() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(checkpoint.find(1, i + 3) == values[i]);
        CHECK(!checkpoint.find(0, i + 3));
    }
    CHECK(std::signbit(*checkpoint.find(1, 7)));
    CHECK(!checkpoint.find(1, 2));
    CHECK(!checkpoint.find(1, 9));
}

TEST_CASE("A checkpoint with an incomplete last line loses this line only") {
    const CheckpointFile file;
    const std::string complete = "run\n0,0,1.5\n1,3,2.5\n";
    for (const std::string torn : {"", "1", "1,4", "1,4,", "1,4,2.5", "x"}) {
        file.write("checkpoint.csv", complete + torn);
        const Checkpoint checkpoint(file.path(), "run", 2, 5);
        CHECK(checkpoint.found() == 2);
        CHECK(checkpoint.find(0, 0) == 1.5);
        CHECK(checkpoint.find(1, 3) == 2.5);
        CHECK(!checkpoint.find(1, 4));
        CHECK(file.text() == complete);
    }
    for (const std::string torn : {"", "r", "run", "run\n"}) {
        file.write("checkpoint.csv", torn);
        Checkpoint checkpoint(file.path(), "run", 2, 5);
        CHECK(checkpoint.found() == 0);
        CHECK(file.text() == "run\n");
    }
}

TEST_CASE("A checkpoint refuses what it has not written, and leaves it as it is") {
    const CheckpointFile file;
    const auto problem_with = [&](const std::string& text) -> std::string {
        file.write("checkpoint.csv", text);
        std::string problem = "none";
        try {
            const Checkpoint checkpoint(file.path(), "run", 2, 5);
        } catch (const InputError& error) {
            problem = error.what();
        }
        CHECK(file.text() == text);
        return problem;
    };
    for (const std::string other : {"another run\n0,0,1\n", "run 2\n", "\n", "0,0,1"}) {
        CHECK(
            problem_with(other) ==
            file.path() +
                ": line 1: expected a checkpoint of this program with the same options, platform and workloads; remove it to start anew");
    }
    for (const std::string line : {"", "x", "0,0", "0,0,1,", "0,0,1,1", "0,0,nan", "2,0,1", "0,5,1", "-1,0,1", "0, 0,1",
                                   "0,0,1e999", "99999999999999999999,0,1"}) {
        CHECK(problem_with("run\n0,0,1\n" + line + "\n") ==
              file.path() + ": line 3: expected workload,evaluation,value; remove the file to start anew");
    }
}

TEST_CASE("A checkpoint is for one run at a time") {
    const CheckpointFile file;
    const Checkpoint checkpoint(file.path(), "run", 2, 5);
    CHECK_THROWS_WITH(Checkpoint(file.path(), "run", 2, 5), file.path() + ": in use by another run");
    CHECK_THROWS_AS(Checkpoint("/nowhere/checkpoint.csv", "run", 2, 5), InputError);
}

}  // namespace batfill::tests::checkpoint_test
