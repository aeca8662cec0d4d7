// slurm_recording [--write] FOLDER...: lets the controller of schedulers/slurm/ decide what recorded clusters decided,
// with the events that were recorded. Prints the numbers of starts and of those that differ, the first of them in each
// run. Ends with 1 if one differs, and with 2 if a recording cannot be read. --write: prints the first run of each in
// the form of tests/unit/schedulers/slurm_recordings.txt, and decides nothing.
#include "tests/support/slurm_recording.hpp"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    std::vector<std::string> folders(argv + 1, argv + argc);
    const bool writes = std::erase(folders, "--write") > 0;
    if (folders.empty()) {
        std::cerr << "slurm-recording: expected folders of recordings\n";
        return 2;
    }
    try {
        std::size_t starts = 0;
        std::size_t differ = 0;
        for (const std::string& folder : folders) {
            if (writes) {
                std::cout << text_of(batfill::tests::read_slurm_recording(folder, 1));
                continue;
            }
            for (const batfill::tests::SlurmRecording& run : batfill::tests::read_slurm_recordings(folder)) {
                const std::vector<std::string> differing =
                    batfill::tests::differences(run, batfill::tests::replay(run));
                starts += run.starts.size();
                differ += differing.size();
                if (!differing.empty()) {
                    std::cout << run.name << ": " << run.starts.size() << " starts, " << differing.size()
                              << " differ: " << differing.front() << '\n';
                }
            }
        }
        if (writes) {
            return 0;
        }
        std::cout << starts << " starts, " << differ << " differ\n";
        return differ > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::cerr << "slurm-recording: " << error.what() << '\n';
        return 2;
    }
}
