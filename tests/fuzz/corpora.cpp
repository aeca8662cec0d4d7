#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzzer.hpp"

using batfill::tests::Fuzzer;

namespace {

// Runs the fuzzer on every file of the folder. Returns false if there is none.
bool run_corpus(const Fuzzer& fuzzer, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
        std::cout << path.filename().string() << std::endl;  // flushed: it is the last line after a crash
        std::ifstream file(path, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(file), {}};
        fuzzer.run(content);
    }
    return !paths.empty();
}

}  // namespace

// corpora FOLDER [NAME]...: runs each fuzzer, or those of these names, on its corpus FOLDER/NAME.
int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: " << argv[0] << " FOLDER [NAME]...\n";
        return 2;
    }
    const std::vector<std::string> names(argv + 2, argv + argc);
    std::size_t done = 0;
    for (const Fuzzer& fuzzer : Fuzzer::all()) {
        if (!names.empty() && std::find(names.begin(), names.end(), fuzzer.name) == names.end()) {
            continue;
        }
        std::cout << "Fuzzer corpus: " << fuzzer.name << std::endl;
        if (!run_corpus(fuzzer, std::filesystem::path(argv[1]) / fuzzer.name)) {
            std::cerr << "the corpus of " << fuzzer.name << " is empty\n";
            return 1;
        }
        ++done;
    }
    if (done != (names.empty() ? Fuzzer::all().size() : names.size()) || done == 0) {
        std::cerr << "there is no fuzzer of one of these names\n";
        return 2;
    }
    return 0;
}
