#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>

#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/support/csv_text.hpp"

namespace batfill {

// Where progress is written, and how often a line appears without a terminal.
struct ProgressDisplay {
    std::ostream& out = std::cerr;
    bool terminal = isatty(STDERR_FILENO) == 1;
    std::chrono::steady_clock::duration between_lines = std::chrono::minutes(1);
};

// Shows the progress of long work on the standard error stream: a bar on the last line of a terminal. Without a
// terminal, as in a batch job, writes one line per minute.
class Progress {
 public:
    explicit Progress(const ProgressDisplay& display = {})
        : display_(display), begin_(Clock::now()), last_line_(begin_) {}
    ~Progress() {
        if (display_.terminal && shown_ != nothing) {
            display_.out << "\r\033[K" << std::flush;
        }
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Reports that `done` of `total` is done; `note` describes it in the words of the work. Call it often: it writes
    // only when there is something new to see.
    void show(std::size_t done, std::size_t total, const std::string& note) {
        show(done, total, note, time_left(done, total, Clock::now()));
    }
    // As above, for work that waits: nobody knows for how long. On a terminal, `note` appears at most once per second.
    void show_waiting(std::size_t done, std::size_t total, const std::string& note) {
        if (display_.terminal && Clock::now() - last_drawn_ >= std::chrono::seconds(1)) {
            shown_ = nothing;
        }
        show(done, total, note, "");
    }

 private:
    using Clock = std::chrono::steady_clock;

    static constexpr std::size_t nothing = 101;  // percent

    void show(std::size_t done, std::size_t total, const std::string& note, const std::string& left) {
        const std::size_t percent = total == 0 ? 100 : done * 100 / total;
        const Clock::time_point now = Clock::now();
        if (display_.terminal && total > 0 && percent != shown_) {
            shown_ = percent;
            last_drawn_ = now;
            const std::size_t width = percent * 40 / 100;
            display_.out << "\r[" << std::string(width, '#') << std::string(40 - width, ' ') << "] " << std::setw(3)
                         << percent << " %  " << one_line(note) << left << "\033[K" << std::flush;
        } else if (!display_.terminal && now - last_line_ >= display_.between_lines) {
            last_line_ = now;
            display_.out << "batfill: " << percent << " %, " << one_line(note) << left << '\n' << std::flush;
        }
    }

    // Assumes that the rest continues at the average speed so far.
    std::string time_left(std::size_t done, std::size_t total, Clock::time_point now) const {
        if (done == 0 || done >= total) {
            return "";
        }
        const double spent = std::chrono::duration<double>(now - begin_).count();
        const double seconds = spent / static_cast<double>(done) * static_cast<double>(total - done);
        return ", about " + (seconds < 120 ? rounded(seconds, 0) + " s" : rounded(seconds / 60, 0) + " min") + " left";
    }

    ProgressDisplay display_;
    Clock::time_point begin_;
    Clock::time_point last_line_;
    Clock::time_point last_drawn_{};
    std::size_t shown_ = nothing;
};

// Returns a callback that shows progress as "3 of 9 replays". The bar disappears with the callback.
inline std::function<void(std::size_t, std::size_t)> show_progress(const std::string& what) {
    return [what, progress = std::make_shared<Progress>()](std::size_t done, std::size_t total) {
        progress->show(done, total, std::to_string(done) + " of " + std::to_string(total) + ' ' + what);
    };
}

}  // namespace batfill
