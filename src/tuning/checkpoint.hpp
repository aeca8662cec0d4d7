#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batfill {

// The values that the replays of a search have given so far, in a file to which a line is added for each. A run that
// was killed asks for the same replays again when it is repeated, and finds here those that were done; only those of
// the last moments are lost.
class Checkpoint {
 public:
    // Continues the file `path`, or begins it. `run` is one line that says what the values depend on. The evaluations
    // are numbered below `evaluations`, the workloads below `workloads`. Throws InputError if the file cannot be read
    // or written, is in use by another process, was written by a run that is described otherwise, or has lines that are
    // not as add() writes them; a last line that is incomplete is dropped.
    Checkpoint(const std::string& path, const std::string& run, std::size_t workloads, std::size_t evaluations);
    // Leaves the file, complete, for a later run; if there is no value in it, removes it.
    ~Checkpoint();
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    // The value that an earlier run added, if it did.
    std::optional<double> find(std::size_t workload, std::size_t evaluation) const;
    // How many values earlier runs added.
    std::size_t found() const { return found_; }

    // Adds a value; may be called from any thread. It reaches the file with the next call after 0.1 s, or at the end.
    // Throws InputError if it cannot be written.
    void add(std::size_t workload, std::size_t evaluation, double value);

    // To be called when the run is complete: the file will be removed.
    void finish() { keep_ = false; }

 private:
    void restore(std::string_view text, const std::string& header, std::size_t workloads, std::size_t evaluations);
    bool write_pending();
    [[noreturn]] void fail(const std::string& action) const;

    std::string path_;
    int file_ = -1;
    std::vector<std::vector<double>> restored_;  // the values of each workload; not a number where there is none
    std::size_t found_ = 0;
    bool keep_ = false;

    std::mutex mutex_;
    std::string pending_;
    std::chrono::steady_clock::time_point last_write_;
};

}  // namespace batfill
