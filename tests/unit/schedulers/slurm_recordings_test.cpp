#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schedulers/slurm/settings.hpp"
#include "tests/support/slurm_recording.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::slurm_recordings_test {

namespace {

std::vector<SlurmRecording> recordings() {
    return read_slurm_recordings_text(
        slurm_recordings::read_text(BATFILL_SOURCE_DIR "/tests/unit/schedulers/slurm_recordings.txt"));
}

bool is_run(const SlurmRecording::Event& event) {
    return event.kind.starts_with("main") || event.kind == "backfill";
}

std::vector<std::string> differences_of(const SlurmRecording& run) {
    return differences(run, replay(run));
}

}  // namespace

TEST_CASE("Slurm's schedulers decide as recorded on real clusters", "[slurm]") {
    const std::vector<SlurmRecording> runs = recordings();
    REQUIRE(runs.size() == 6);
    for (const SlurmRecording& run : runs) {
        INFO(run.name);
        CHECK(run.starts.size() >= 75);
        CHECK(differences_of(run) == std::vector<std::string>());
    }
}

TEST_CASE("Slurm's schedulers decide otherwise if a recorded event is moved", "[slurm]") {
    for (const SlurmRecording& run : recordings()) {
        INFO(run.name);
        // The first run of a scheduler that starts a job comes three seconds late.
        SlurmRecording late = run;
        const auto first =
            std::find_if(late.events.begin(), late.events.end(), [&](const SlurmRecording::Event& event) {
                return is_run(event) && std::any_of(run.starts.begin(), run.starts.end(), [&](const auto& start) {
                           return start.second.start.at == static_cast<slurm::Seconds>(event.time);
                       });
            });
        REQUIRE(first != late.events.end());
        first->time += 3;
        CHECK(!differences_of(late).empty());

        // A node is released after the run that starts a job there, and the next run is too late for it.
        SlurmRecording swapped = run;
        std::vector<SlurmRecording::Event>& events = swapped.events;
        bool is_swapped = false;
        for (auto next = events.begin() + 1; next != events.end() && !is_swapped; ++next) {
            const SlurmRecording::Event& release = *(next - 1);
            const auto starts_there = [&](const auto& start) {
                return start.second.start.at == static_cast<slurm::Seconds>(next->time) &&
                       start.second.start.nodes.contains(release.node);
            };
            const auto following = std::find_if(next + 1, events.end(), is_run);
            is_swapped = release.kind == "release" && is_run(*next) &&
                         std::any_of(run.starts.begin(), run.starts.end(), starts_there) &&
                         (following == events.end() || following->time > next->time + 2);
            if (is_swapped) {
                std::iter_swap(next - 1, next);
            }
        }
        REQUIRE(is_swapped);
        CHECK(!differences_of(swapped).empty());
    }
}

TEST_CASE("Slurm's schedulers decide as recorded in all recordings", "[slurm][outside]") {
    if (!have_test_data("slurm/recordings")) {
        return;
    }
    std::vector<std::filesystem::path> folders;
    for (const auto& folder : std::filesystem::directory_iterator(test_data("slurm/recordings"))) {
        // Without the factor of fair share.
        if (folder.path().filename() != "mf-fairshare") {
            folders.push_back(folder.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    std::size_t starts = 0;
    for (const std::filesystem::path& folder : folders) {
        for (const SlurmRecording& run : read_slurm_recordings(folder)) {
            INFO(run.name);
            CHECK(differences_of(run) == std::vector<std::string>());
            starts += run.starts.size();
        }
    }
    CHECK(starts >= 4476);
}

}  // namespace batfill::tests::slurm_recordings_test
