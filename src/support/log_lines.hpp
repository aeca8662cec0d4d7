#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <spdlog/pattern_formatter.h>

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

}  // namespace batfill
