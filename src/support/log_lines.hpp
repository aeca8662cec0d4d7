#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <batfill/core/error.hpp>

namespace batfill {

// The form of the program's log: a line for each message, whatever names are in it, as one_line() writes them.
inline std::unique_ptr<spdlog::formatter> log_lines() {
    class Message : public spdlog::custom_flag_formatter {
     public:
        void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
            const std::string text = one_line(std::string_view(message.payload.data(), message.payload.size()));
            line.append(text.data(), text.data() + text.size());
        }
        std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<Message>(); }
    };
    auto lines = std::make_unique<spdlog::pattern_formatter>();
    lines->add_flag<Message>('*').set_pattern("batfill: %l: %*");
    return lines;
}

// Hands the log to another sink, and, while somebody holds it, as one message: all texts, separated by "; ", with the
// highest of their levels.
class JoinedLogLines : public spdlog::sinks::base_sink<std::mutex> {
 public:
    // Holds the log until the end of the scope.
    class Held {
     public:
        // Null: holds nothing.
        explicit Held(JoinedLogLines* lines) : lines_(lines) {
            if (lines_ != nullptr) {
                const std::lock_guard lock(lines_->mutex_);
                lines_->holds_ = true;
            }
        }
        ~Held() {
            if (lines_ != nullptr) {
                lines_->release();
            }
        }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

     private:
        JoinedLogLines* lines_;
    };

    explicit JoinedLogLines(spdlog::sink_ptr to) : to_(std::move(to)) {}

 protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (!holds_) {
            to_->log(message);
            return;
        }
        level_ = text_.empty() ? message.level : std::max(level_, message.level);
        text_.append(text_.empty() ? "" : "; ").append(message.payload.data(), message.payload.size());
    }
    void flush_() override { to_->flush(); }
    void set_pattern_(const std::string& pattern) override { to_->set_pattern(pattern); }
    void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
        to_->set_formatter(std::move(formatter));
    }

 private:
    void release() {
        const std::lock_guard lock(mutex_);
        holds_ = false;
        if (const std::string text = std::exchange(text_, {}); !text.empty()) {
            to_->log({"", level_, text});
        }
    }

    spdlog::sink_ptr to_;
    bool holds_ = false;
    std::string text_;
    spdlog::level::level_enum level_ = spdlog::level::off;
};

}  // namespace batfill
