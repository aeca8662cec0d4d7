#pragma once

#include <spdlog/spdlog.h>

namespace batfill::tests {

// Logs only errors while it lives.
class QuietLog {
 public:
    QuietLog() { spdlog::set_level(spdlog::level::err); }
    ~QuietLog() { spdlog::set_level(before_); }
    QuietLog(const QuietLog&) = delete;
    QuietLog& operator=(const QuietLog&) = delete;

 private:
    spdlog::level::level_enum before_ = spdlog::get_level();
};

}  // namespace batfill::tests
