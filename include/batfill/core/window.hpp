#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// Announced maintenance, or a booking for some jobs: a time in which a part of the machine is taken.
struct Window {
    // What happens to the jobs that run at its beginning on what it takes.
    enum class Running { finish, kill, requeue };

    std::string name;
    Time from;       // it takes what it names during [from, until)
    Time until;      // > from
    Time announced;  // when schedulers learn of it; <= from
    Running running = Running::finish;
    std::vector<std::string> booked_for{};  // jobs with one of these in their field `reservation` run inside
    std::string place{};                    // file and line, for messages

    // What it takes, as stated: exactly one of these, or an amount of 0, which is nothing.
    bool all_hosts = false;
    ResourceSet hosts{};
    int processors = 0;
    StatedNeeds::Amounts pools{};

    // As above, in the numbers of a machine (Machine::windows()): also the hosts or the processors of all_hosts.
    std::vector<Amount> pool_amounts{};  // by pool; empty: nothing of any

    // Whether it changes what runs, or who may start, at its beginning, so that a round begins then.
    bool begins_a_round() const { return running != Running::finish || !booked_for.empty(); }
    bool is_for(std::string_view booking) const;
    // Whether a job inside takes of what the window takes: of its processors, or of this pool. If not, it takes of the
    // machine.
    bool names_processors() const { return processors > 0; }
    bool names_pool(std::size_t pool) const { return amount_of(pool) > 0; }
    // How many processors it takes, or how much of a pool.
    Amount amount_of(std::optional<std::size_t> pool) const {
        return !pool ? processors : pool_amounts.empty() ? 0 : pool_amounts[*pool];
    }
    // Whether a job inside may run on this host.
    bool allows_host(int host) const { return hosts.empty() || hosts.contains(host); }
    friend bool operator==(const Window&, const Window&) = default;
};

// Whether a machine with these windows has named hosts because of them: one names hosts.
bool name_hosts(std::span<const Window> windows);

// Whether one of them is for a booking.
bool are_for_bookings(std::span<const Window> windows);

// Throws: InputError for a job's `reservation` that is no name. Only where a window is for one, it has to be.
void require_booking(const StatedNeeds& stated);

// Whether jobs are submitted again after one of them killed them.
bool requeue_jobs(std::span<const Window> windows);

// The windows in the numbers of a machine with so many hosts. A window of all hosts is one of their number if hosts are
// only counted.
// Throws: InputError, which names the window's place, for a host or a pool that the machine does not have, more than it
// has, or a number of processors of a machine with named hosts.
std::vector<Window> resolved(std::vector<Window> windows, const Resources& resources, int hosts);

// The windows as a part of a workload sees them that begins at `begin` and counts its times from there. Without those
// that are over then. One that has begun begins at 0; one that is announced is announced at 0.
std::vector<Window> windows_since(std::vector<Window> windows, Time begin);

}  // namespace batfill
