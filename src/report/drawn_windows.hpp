#pragma once

#include <string>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/window.hpp>

#include "src/report/figures.hpp"

// The windows of a machine as Gantt charts show them.
namespace batfill::report {

// The processors where a window is drawn. None: it takes of pools only.
struct DrawnWindow {
    const Window* window = nullptr;
    ResourceSet processors{};
};

// The windows that overlap this time, in their order. One of hosts is drawn there. One that takes a number of
// processors is drawn at the highest, below those that it overlaps in time.
// Requires: windows of a machine (Machine::windows()) with so many processors, which outlive the result.
// Cost: O(n^2) for n windows that take numbers of processors.
std::vector<DrawnWindow> drawn_windows(const std::vector<Window>& windows, int processors, const TimeSpan& span);

// "processors 2-3 8", "4 processors", or "power 400, burst_buffer 10". With the names of hosts, which jobs share:
// "hosts n2 to n3, n8", or "4 hosts".
std::string what_it_takes(const Window& window, const std::vector<std::string>& host_names = {});

}  // namespace batfill::report
