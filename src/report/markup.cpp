#include "markup.hpp"

namespace batfill::report {

std::string markup_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            default:
                result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
    }
    return result;
}

}  // namespace batfill::report
