// slurm_recording [--write] FOLDER...: lets the controller of schedulers/slurm/ decide what recorded clusters decided,
// with the events that were recorded. Prints the numbers of starts and of those that differ, the first of them in each
// run. Ends with 1 if one differs, and with 2 if a recording cannot be read. --write: prints the first run of each in
// the form of tests/unit/schedulers/slurm_recordings.txt, and decides nothing.
#include "tests/support/slurm_recording.hpp"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using batfill::tests::SlurmRecording;

struct Counts {
    std::size_t starts = 0;
    std::size_t differ = 0;
};

void compare(const std::string& folder, Counts& counts) {
    for (const SlurmRecording& run : batfill::tests::read_slurm_recordings(folder)) {
        const std::vector<std::string> differing = batfill::tests::differences(run, batfill::tests::replay(run));
        counts.starts += run.starts.size();
        counts.differ += differing.size();
        if (!differing.empty()) {
            std::cout << run.name << ": " << run.starts.size() << " starts, " << differing.size()
                      << " differ: " << differing.front() << '\n';
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> folders(argv + 1, argv + argc);
    const bool writes = std::erase(folders, "--write") > 0;
    if (folders.empty()) {
        std::cerr << "slurm-recording: expected folders of recordings\n";
        return 2;
    }
    Counts counts;
    bool are_read = true;
    for (const std::string& folder : folders) {
        try {
            if (writes) {
                std::cout << text_of(batfill::tests::read_slurm_recording(folder, 1));
            } else {
                compare(folder, counts);
            }
        } catch (const std::exception& error) {
            std::cerr << "slurm-recording: " << folder << ": " << error.what() << '\n';
            are_read = false;
        }
    }
    if (!writes) {
        std::cout << counts.starts << " starts, " << counts.differ << " differ\n";
    }
    return are_read ? (counts.differ > 0 ? 1 : 0) : 2;
}
