#include "lines.hpp"

#include <cstring>
#include <utility>

#include <batfill/core/error.hpp>

#include "files.hpp"

namespace batfill {

void for_each_line(const std::string& path, std::size_t max_line_size, const std::function<void(std::string_view)>& use,
                   const std::function<void(std::string_view, std::size_t)>& handle) {
    InputFile file(path);
    std::string buffer(std::size_t{256} << 10, '\0');
    std::size_t number = 0;
    std::size_t kept = 0;  // size of the incomplete line at the end of the previous piece
    for (bool at_beginning = true;; at_beginning = false) {
        const std::size_t got = file.read(buffer.data() + kept, buffer.size() - kept);
        std::string_view text(buffer.data(), kept + got);
        if (at_beginning) {
            use(text);
        }
        for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
            handle(text.substr(0, end), ++number);
            text.remove_prefix(end + 1);
        }
        if (got == 0) {
            if (!text.empty()) {
                handle(text, ++number);
            }
            return;
        }
        if (text.size() > max_line_size) {
            throw InputError(path + ":" + std::to_string(number + 1) + ": expected a line of at most " +
                             std::to_string(max_line_size >> 10) + " KiB");
        }
        kept = text.size();
        std::memmove(buffer.data(), text.data(), kept);
        if (kept > buffer.size() / 2) {
            buffer.resize(2 * buffer.size());
        }
    }
}

}  // namespace batfill
