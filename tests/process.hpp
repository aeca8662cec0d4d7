#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace batfill::tests {

// This is longer than anything here takes, also on a busy machine under a sanitizer.
constexpr std::chrono::seconds patience{60};

// An empty folder that is removed at the end.
class Folder {
 public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
    std::filesystem::path path_;
};

std::string contents(const std::string& path);

// What the system lets a process have; 0: anything.
struct Limits {
    std::size_t memory = 0;     // that its addresses may cover, in bytes
    std::size_t file_size = 0;  // of each file that it writes, in bytes: what a full disk does, without one
};

// A run of batfill. Killed at the end if it still runs. Throws std::runtime_error if it takes longer than `patience`.
class Process {
 public:
    // The two output streams of the process go to files in `folder`, which must outlive it; the standard output to
    // `output` instead, if it is given. `called` is the name that the program is told it was called by; empty: its own.
    // What a program that was built with --coverage runs under limits is not counted.
    Process(const Folder& folder, const std::vector<std::string>& arguments, const Limits& limits = {},
            const std::string& output = "", const std::string& called = "");
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Waits for the end and returns the exit status; 128 + the signal's number if a signal ended the process.
    int wait();
    void signal(int number) const;
    // Waits until `text` has been written to the standard error stream, and returns all of the stream so far. Throws
    // if the process ends without it.
    std::string wait_for_error_text(const std::string& text);

    // The most memory that the process, which runs, has had at one time; bytes.
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

// The least memory limit, of 20, 30, ... megabytes, under which the system can load the program. Depends on the build.
std::size_t megabytes_to_load(const Folder& folder);

}  // namespace batfill::tests
