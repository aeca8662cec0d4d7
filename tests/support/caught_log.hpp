#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

namespace batfill::tests {

// Catches the log while it lives.
class CaughtLog {
 public:
    CaughtLog() : previous_(spdlog::default_logger()) {
        auto logger =
            std::make_shared<spdlog::logger>("caught", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
        logger->set_pattern("%l: %v");
        spdlog::set_default_logger(std::move(logger));
    }
    ~CaughtLog() { spdlog::set_default_logger(previous_); }
    CaughtLog(const CaughtLog&) = delete;
    CaughtLog& operator=(const CaughtLog&) = delete;

    std::string text() const { return text_.str(); }

 private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> previous_;
};

}  // namespace batfill::tests
