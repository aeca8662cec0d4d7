#pragma once

#include <cstddef>
#include <iomanip>
#include <iostream>
#include <string>

#include <unistd.h>

namespace batfill::commands {

// A progress bar on the last line of the terminal. It shows nothing where standard error is not a terminal.
class ProgressBar {
 public:
    explicit ProgressBar(std::size_t total) : total_(total), visible_(total > 0 && isatty(STDERR_FILENO) == 1) {}
    ~ProgressBar() {
        if (visible_) {
            std::cerr << "\r\033[K" << std::flush;
        }
    }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(std::size_t done, const std::string& note) {
        const std::size_t percent = total_ == 0 ? 100 : done * 100 / total_;
        if (visible_ && percent != shown_) {
            shown_ = percent;
            const std::size_t width = percent * 40 / 100;
            std::cerr << "\r[" << std::string(width, '#') << std::string(40 - width, ' ') << "] " << std::setw(3)
                      << percent << " %  " << note << "\033[K" << std::flush;
        }
    }

 private:
    std::size_t total_;
    bool visible_;
    std::size_t shown_ = 101;
};

}  // namespace batfill::commands
