#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/support/files.hpp"

namespace batfill {

// A file with one line per value that the replays of a search gave. If a killed run is repeated, it requests the same
// replays and finds the finished ones here. Only the last moments are lost.
class Checkpoint {
 public:
    // Continues the file `path`, or begins it. `run` is one line that describes what the values depend on. Evaluations
    // are numbered below `evaluations`, workloads below `workloads`. Drops an incomplete last line.
    // Throws: InputError if the file
    // - cannot be read or written
    // - is in use by another process
    // - was written by a run with another description
    // - has lines that add() does not write
    Checkpoint(const std::string& path, const std::string& run, std::size_t workloads, std::size_t evaluations);
    // Leaves the file, complete, for a later run. Removes it if it has no value.
    ~Checkpoint();
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    // Returns the value that an earlier run added, if any.
    std::optional<double> find(std::size_t workload, std::size_t evaluation) const;
    // Number of values that earlier runs added.
    std::size_t found() const { return found_; }

    // Adds a value; any thread may call it. The value reaches the file with the next call after 0.1 s, or at the end.
    // Throws: InputError if the file cannot be written.
    void add(std::size_t workload, std::size_t evaluation, double value);

    // Call this when the run is complete: the file will be removed.
    void finish() { keep_ = false; }

 private:
    void restore(std::string_view text, const std::string& header, std::size_t workloads, std::size_t evaluations);
    bool write_pending();
    [[noreturn]] void fail(const std::string& action) const;

    std::string path_;
    OpenFile file_;
    std::vector<std::vector<double>> restored_;  // the values of each workload; NaN where there is none
    std::size_t found_ = 0;
    bool keep_ = false;

    std::mutex mutex_;
    std::string pending_;
    std::chrono::steady_clock::time_point last_write_;
};

}  // namespace batfill
