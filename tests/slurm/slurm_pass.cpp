// slurm_pass FILE...: puts the queues of files through a cycle of backfill, and compares what it decides with what the
// files say. Prints the number of cases and of those that differ, and the first of these in full. Ends with 1 if one
// differs, and with 2 if a file cannot be read.
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "src/support/files.hpp"
#include "tests/support/slurm_cases.hpp"

namespace {

using batfill::tests::SlurmCase;

struct Counts {
    std::size_t cases = 0;
    std::size_t differ = 0;
};

void show(const SlurmCase& one, const std::vector<std::vector<std::string>>& decided, std::string_view line) {
    std::cout << one.name << ": " << line << '\n';
    for (std::size_t cycle = 0; cycle < decided.size(); ++cycle) {
        std::cout << "cycle at " << one.cycles[cycle].at << " s\n";
        const std::vector<std::string>& expected = one.cycles[cycle].decisions;
        for (std::size_t i = 0; i < std::max(expected.size(), decided[cycle].size()); ++i) {
            const std::string left = i < expected.size() ? expected[i] : "";
            const std::string right = i < decided[cycle].size() ? decided[cycle][i] : "";
            std::cout << (left == right ? "    " : "  ! ") << left << (left == right ? "" : "   decided: " + right)
                      << '\n';
        }
    }
}

Counts compare(const std::string& file, bool show_first) {
    Counts counts;
    const std::string text = batfill::InputFile(file).read_all(std::size_t{1} << 30);
    batfill::tests::SlurmCaseReader reader;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        if (line.empty()) {
            continue;
        }
        const SlurmCase one = reader.read(line);
        const std::vector<std::vector<std::string>> decided = batfill::tests::decide(one);
        bool differs = false;
        for (std::size_t cycle = 0; cycle < decided.size(); ++cycle) {
            differs |= decided[cycle] != one.cycles[cycle].decisions;
        }
        ++counts.cases;
        counts.differ += differs ? 1 : 0;
        if (differs && show_first && counts.differ == 1) {
            show(one, decided, line);
        }
    }
    return counts;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) {
        std::cerr << "slurm-pass: expected files with a case on each line\n";
        return 2;
    }
    try {
        Counts all;
        for (const std::string& file : files) {
            const Counts counts = compare(file, all.differ == 0);
            all.cases += counts.cases;
            all.differ += counts.differ;
            if (counts.differ > 0) {
                std::cout << file << ": " << counts.cases << " cases, " << counts.differ << " differ\n";
            }
        }
        std::cout << all.cases << " cases, " << all.differ << " differ\n";
        return all.differ > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::cerr << "slurm-pass: " << error.what() << '\n';
        return 2;
    }
}
