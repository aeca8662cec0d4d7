#include <algorithm>

#include <batfill/core/error.hpp>
#include <batfill/core/window.hpp>

namespace batfill {

bool Window::is_for(std::string_view booking) const {
    return std::ranges::find(booked_for, booking) != booked_for.end();
}

bool name_hosts(std::span<const Window> windows) {
    return std::ranges::any_of(windows, [](const Window& window) { return !window.hosts.empty(); });
}

bool are_for_bookings(std::span<const Window> windows) {
    return std::ranges::any_of(windows, [](const Window& window) { return !window.booked_for.empty(); });
}

void require_booking(const StatedNeeds& stated) {
    refuse_if<InputError>(stated.wrong_booking.has_value(),
                          R"(field "reservation": expected a name such as those that windows are for, found )",
                          stated.wrong_booking.value_or(""));
}

bool requeue_jobs(std::span<const Window> windows) {
    return std::ranges::any_of(windows,
                               [](const Window& window) { return window.running == Window::Running::requeue; });
}

namespace {

std::vector<Amount> amounts_of(const Window& window, const std::vector<Resources::Pool>& pools) {
    std::vector<Amount> amounts(window.pools.empty() ? 0 : pools.size());
    for (const auto& [name, amount] : window.pools) {
        const auto pool = std::ranges::find(pools, name, &Resources::Pool::name);
        refuse_if<InputError>(pool == pools.end(), window.place, ": field \"pools\": the machine has no pool '", name,
                              "'");
        refuse_if<InputError>(amount > pool->total, window.place, ": field \"pools\": it takes ",
                              std::to_string(amount), " of pool ", name, ", the machine has ",
                              std::to_string(pool->total));
        amounts[static_cast<std::size_t>(pool - pools.begin())] = amount;
    }
    return amounts;
}

}  // namespace

std::vector<Window> resolved(std::vector<Window> windows, const Resources& resources, int hosts) {
    for (Window& window : windows) {
        window.pool_amounts = amounts_of(window, resources.pools());
        refuse_if<InputError>(!window.hosts.empty() && window.hosts.last() >= hosts, window.place,
                              ": field \"hosts\": it takes host ",
                              std::to_string(window.hosts.empty() ? 0 : window.hosts.last()),
                              ", the last of the machine is ", std::to_string(hosts - 1));
        refuse_if<InputError>(window.processors > hosts, window.place, ": field \"processors\": it takes ",
                              std::to_string(window.processors), ", the machine has ", std::to_string(hosts));
        refuse_if<InputError>(window.processors > 0 && resources.has_named_hosts(), window.place,
                              ": field \"processors\": hosts have names (capacities, partitions, or windows that name "
                              "hosts), expected \"hosts\"");
        if (window.all_hosts && resources.has_named_hosts()) {
            window.hosts = ResourceSet::range(0, hosts - 1);
        } else if (window.all_hosts) {
            window.processors = hosts;
        }
    }
    return windows;
}

std::vector<Window> windows_since(std::vector<Window> windows, Time begin) {
    std::erase_if(windows, [begin](const Window& window) { return window.until <= begin; });
    for (Window& window : windows) {
        for (Time* const instant : {&window.from, &window.until, &window.announced}) {
            *instant = std::max(Time::at(*instant - begin), Time());
        }
    }
    return windows;
}

}  // namespace batfill
