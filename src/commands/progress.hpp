#pragma once

#include <chrono>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <ostream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace batfill::commands {

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
    explicit Progress(std::size_t total, const ProgressDisplay& display = {})
        : total_(total), display_(display), begin_(Clock::now()), last_line_(begin_) {}
    ~Progress() {
        if (display_.terminal && shown_ != nothing) {
            display_.out << "\r\033[K" << std::flush;
        }
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Reports that `done` of the total is done; `note` describes it in the words of the work. Call it often: it writes
    // only when there is something new to see.
    void show(std::size_t done, const std::string& note) {
        const std::size_t percent = total_ == 0 ? 100 : done * 100 / total_;
        const Clock::time_point now = Clock::now();
        if (display_.terminal && total_ > 0 && percent != shown_) {
            shown_ = percent;
            const std::size_t width = percent * 40 / 100;
            display_.out << "\r[" << std::string(width, '#') << std::string(40 - width, ' ') << "] " << std::setw(3)
                         << percent << " %  " << note << time_left(done, now) << "\033[K" << std::flush;
        } else if (!display_.terminal && now - last_line_ >= display_.between_lines) {
            last_line_ = now;
            display_.out << "batfill: " << percent << " %, " << note << time_left(done, now) << '\n' << std::flush;
        }
    }

 private:
    using Clock = std::chrono::steady_clock;

    static constexpr std::size_t nothing = 101;  // percent

    // Assumes that the rest continues at the average speed so far.
    std::string time_left(std::size_t done, Clock::time_point now) const {
        if (done == 0 || done >= total_) {
            return "";
        }
        const double spent = std::chrono::duration<double>(now - begin_).count();
        const double seconds = spent / static_cast<double>(done) * static_cast<double>(total_ - done);
        std::ostringstream text;
        text << ", about ";
        if (seconds < 120) {
            text << std::fixed << std::setprecision(0) << seconds << " s";
        } else {
            text << std::fixed << std::setprecision(0) << seconds / 60 << " min";
        }
        text << " left";
        return text.str();
    }

    std::size_t total_;
    ProgressDisplay display_;
    Clock::time_point begin_;
    Clock::time_point last_line_;
    std::size_t shown_ = nothing;
};

}  // namespace batfill::commands
