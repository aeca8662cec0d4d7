#include "src/support/json_writer.hpp"

#include <algorithm>
#include <cmath>

#include <batfill/core/error.hpp>

#include "src/support/csv_text.hpp"

namespace batfill {

void append_json_string(std::string_view text, std::string& out) {
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
    out += '"';
    if (std::ranges::all_of(text, is_plain)) {  // as almost all are
        out.append(text).append(1, '"');
        return;
    }
    constexpr std::string_view named = "\"\\\b\f\n\r\t";
    constexpr std::string_view names = "\"\\bfnrt";
    for (const char c : text) {
        if (const std::size_t at = named.find(c); at != std::string_view::npos) {
            out.append(1, '\\').append(1, names[at]);
        } else {
            out += is_plain(c) ? std::string(1, c) : one_line({&c, 1});  // \u001B
        }
    }
    out += '"';
}

void JsonWriter::number(std::optional<double> number) {
    raw(number && std::isfinite(*number) ? exact(*number) : "null");
}

void JsonWriter::break_line() {
    breaks_line_ = false;
    out_.append(1, '\n').append(std::size_t{indent_} * level_, ' ');
}

}  // namespace batfill
