#include "src/report/drawn_windows.hpp"

#include <algorithm>

#include "src/replay/reason_words.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::report {

namespace {

bool overlap(const Window& a, const Window& b) {
    return a.from < b.until && b.from < a.until;
}

// How many processors lie above those of this window, of a number, which comes after `others`.
int offset_of(const Window& window, const std::vector<std::pair<const Window*, int>>& others) {
    int offset = 0;
    for (bool is_moved = true; is_moved;) {
        is_moved = false;
        for (const auto& [other, above] : others) {
            if (overlap(*other, window) && offset < above + other->processors && above < offset + window.processors) {
                offset = above + other->processors;
                is_moved = true;
            }
        }
    }
    return offset;
}

}  // namespace

std::vector<DrawnWindow> drawn_windows(const std::vector<Window>& windows, int processors, const TimeSpan& span) {
    std::vector<DrawnWindow> drawn;
    std::vector<std::pair<const Window*, int>> counted;  // and how many processors lie above
    for (const Window& window : windows) {
        if (window.until <= span.first || window.from >= span.last) {
            continue;
        }
        drawn.push_back({&window, window.hosts});
        if (window.hosts.empty() && window.processors > 0) {
            const int offset = std::min(offset_of(window, counted), processors - window.processors);
            counted.emplace_back(&window, offset);
            drawn.back().processors =
                ResourceSet::range(processors - offset - window.processors, processors - offset - 1);
        }
    }
    return drawn;
}

std::string what_it_takes(const Window& window, const std::vector<std::string>& host_names) {
    if (!window.hosts.empty()) {
        return host_names.empty() ? "processors " + window.hosts.to_short_string()
                                  : named_hosts(window.hosts, host_names);
    }
    if (window.processors > 0) {
        return counted(static_cast<std::size_t>(window.processors), host_names.empty() ? "processor" : "host");
    }
    const auto text = [](const auto& pool) { return pool.first + ' ' + std::to_string(pool.second); };
    return window.pools.empty() ? "nothing" : list_of(mapped(window.pools, text));
}

}  // namespace batfill::report
