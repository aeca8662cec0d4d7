#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// What the windows of a machine take of it at this instant, which jobs run inside, and when windows change something.
// The engine calls begin() and end(); whether a scheduler knows of a window, its time `announced` says.
class WindowsNow {
 public:
    // No windows, and no instants.
    WindowsNow() = default;
    // Requires: `machine` outlives this object.
    explicit WindowsNow(const Machine& machine);

    // The first instant after `after` at which a round begins: a window is announced or ends, or one begins that
    // changes what runs or who may start.
    Time next_round(Time after) const;
    bool begins_a_round_at(Time now) const;
    // Numbers of windows (Machine::windows()) that are announced, begin or end in (after, until], by that instant, then
    // line; or at an instant.
    std::vector<std::size_t> announced(Time after, Time until) const {
        return in_span(by_announcement_, &Window::announced, after, until);
    }
    std::vector<std::size_t> beginning(Time after, Time until) const {
        return in_span(by_begin_, &Window::from, after, until);
    }
    std::vector<std::size_t> ending(Time after, Time until) const {
        return in_span(by_end_, &Window::until, after, until);
    }
    std::vector<std::size_t> beginning(Time at) const { return beginning(at - Duration::microseconds(1), at); }
    std::vector<std::size_t> ending(Time at) const { return ending(at - Duration::microseconds(1), at); }

    // A window begins. It takes its hosts, or of the idle processors those with the highest numbers. Returns what it
    // takes of the idle ones.
    ResourceSet begin(std::size_t number, const ResourceSet& idle);
    // A window ends, and no job is inside any more. Returns what no window takes any more.
    ResourceSet end(std::size_t number);
    // Processors have become free. Windows that lack some take the highest, in the order in which they began. Returns
    // the others.
    ResourceSet take_of(ResourceSet freed) {
        if (open_.empty() && closed_.empty()) {
            return freed;
        }
        return take_what_lacks(std::move(freed));
    }
    // What windows take now: hosts that are named, used or not, or processors that nobody uses.
    const ResourceSet& closed() const { return closed_; }
    // Those that have begun and not ended, in the order in which they began, then of lines.
    std::vector<std::size_t> open() const;
    bool is_open(std::size_t window) const { return find(window) != nullptr; }
    // Whether another open window takes this host.
    bool is_taken_by_another(int host, std::size_t window) const;

    // ---- Booked jobs

    // The window in which a running job runs. None: outside bookings.
    std::optional<std::size_t> window_of(JobIndex job) const;
    // A job begins or ends inside, on these processors if the window takes processors, with these amounts of pools.
    // Requires, as all below: the window is open.
    void enter(std::size_t window, JobIndex job, const ResourceSet& processors, const std::vector<Amount>& pools);
    void leave(std::size_t window, JobIndex job, const ResourceSet& processors, const std::vector<Amount>& pools);
    // Processors that the window has taken, and no job inside uses, lost or not.
    ResourceSet free_inside(std::size_t window) const;
    // What jobs inside have not taken of a pool that the window names.
    Amount left_inside(std::size_t window, std::size_t pool) const;

 private:
    ResourceSet take_what_lacks(ResourceSet freed);
    struct Open {
        std::size_t window;
        ResourceSet taken;
        int lacking;                   // counted processors
        std::set<JobIndex> jobs{};     // inside
        ResourceSet used{};            // by these
        std::vector<Amount> inside{};  // what they take, by pool
    };
    const Open* find(std::size_t window) const;
    std::vector<std::size_t> in_span(const std::vector<std::size_t>& order, Time Window::*instant, Time after,
                                     Time until) const;
    void find_closed();

    const Machine* machine_ = nullptr;
    std::vector<Time> round_instants_;  // increasing
    std::vector<std::size_t> by_announcement_;
    std::vector<std::size_t> by_begin_;
    std::vector<std::size_t> by_end_;
    std::vector<Open> open_;
    ResourceSet closed_;
};

}  // namespace batfill
