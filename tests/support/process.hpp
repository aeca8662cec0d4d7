#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/folder.hpp"

namespace batfill::tests {

// Longer than anything takes here, even under a sanitizer on a busy machine.
constexpr std::chrono::seconds patience{60};

std::string contents(const std::string& path);

using Arguments = std::vector<std::string>;

// The arguments, and more behind them.
inline Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// Resource limits of a process; 0: no limit.
struct Limits {
    std::size_t memory = 0;     // address space in bytes
    std::size_t file_size = 0;  // of each written file, in bytes: acts like a full disk
    std::size_t files = 0;      // open at a time
};

// A run of batfill. It is killed at the end if it still runs. Throws std::runtime_error if it takes longer than
// `patience`.
class Process {
 public:
    // The output streams of the process go to files in `folder`, which must outlive it. With `output`, the standard
    // output goes there. `called` is the program's argv[0]; empty: its own path. Coverage under limits is not counted.
    Process(const Folder& folder, const std::vector<std::string>& arguments, const Limits& limits = {},
            const std::string& output = "", const std::string& called = "");
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Waits for the end and returns the exit status; 128 + the signal's number if a signal ended the process.
    int wait();
    void signal(int number) const;
    // Waits until `text` appears on the standard error stream. Returns all of the stream so far. Throws if the process
    // ends first.
    std::string wait_for_error_text(const std::string& text);

    // The peak memory of the running process in bytes.
    long long peak_memory() const;

    std::string output() const { return contents(output_); }
    std::string errors() const { return contents(errors_); }

 private:
    bool has_ended();

    std::string output_;
    std::string errors_;
    pid_t id_ = -1;
    bool ended_ = false;
    int status_ = 0;
};

// The smallest memory limit of 20, 30, ... megabytes under which the system can load the program. Depends on the build.
std::size_t megabytes_to_load(const Folder& folder);

}  // namespace batfill::tests
