#include <algorithm>
#include <optional>
#include <vector>

#include "src/analysis/audit.hpp"
#include "src/support/interruption.hpp"

// Windows: who runs into one that was announced before, who stays in one that ends jobs, and where jobs with a
// booking run.
namespace batfill::analysis {

namespace {

const std::string* booking_of(const Ran& job) {
    const Shared<StatedNeeds>& needs = job.description->needs;
    return needs && needs->booking ? &*needs->booking : nullptr;
}

// When the job is over as far as a scheduler knows at its start.
Time estimated_end(const Ran& job, const CheckOptions& options) {
    if (!job.description->walltime) {
        return job.held_until();
    }
    const Microseconds start = job.start.since_zero().count();
    const Microseconds behind = options.decided_by_seconds ? start % 1'000'000 : 0;
    return job.start - Duration::microseconds(behind) + *job.description->walltime;
}

}  // namespace

// Requires: ran_ is sorted by start.
void Audit::check_windows() {
    const std::vector<Window>& windows = machine_.windows();
    if (windows.empty()) {
        return;
    }
    are_sure_.assign(ran_.size(), true);
    for (std::size_t job = 0; job < ran_.size(); ++job) {
        inside_.push_back(check_booking(job));
    }
    for (std::size_t window = 0; window < windows.size(); ++window) {
        look_for_interruption();
        if (!windows[window].hosts.empty()) {
            check_window_of_hosts(window);
        }
        if (windows[window].running != Window::Running::finish) {
            check_kills(window);
        }
    }
    check_amounts_beside_windows();
}

// The window in which the job runs: the first that has room beside those that started before it, else the first. None
// if it has no booking, or is outside all windows for it.
std::optional<std::size_t> Audit::check_booking(std::size_t at) {
    const Ran& job = ran_[at];
    const std::string* const name = machine_.has_bookings() ? booking_of(job) : nullptr;
    if (name == nullptr) {
        return std::nullopt;
    }
    std::optional<std::size_t> first;
    std::optional<std::size_t> with_room;
    bool has_clear_room = false;
    const Window* on_other_hosts = nullptr;
    int candidates = 0;
    for (std::size_t number = 0; number < machine_.windows().size(); ++number) {
        const Window& window = machine_.windows()[number];
        if (!window.is_for(*name) || window.from > job.start + options_.tolerance ||
            estimated_end(job, options_) > window.until + options_.tolerance) {
            continue;
        }
        if (!window.hosts.empty() && !window.hosts.contains_all(job.allocation)) {
            on_other_hosts = &window;
        } else {
            ++candidates;
            const bool is_clear = is_clear_of_others(number, job);
            if ((!with_room || (is_clear && !has_clear_room)) && has_room_inside(number, at)) {
                with_room = number;
                has_clear_room = is_clear;
            }
            first = first ? first : number;
        }
    }
    are_sure_[at] = candidates < 2;
    if (first) {
        return with_room ? with_room : first;
    }
    if (on_other_hosts != nullptr) {
        violation(job.start, job, "runs on hosts {}, which window {} for its reservation {} does not have",
                  job.allocation, shown(on_other_hosts->name), shown(*name));
    } else {
        violation(job.start, job, "runs until {} by its walltime, in no window for its reservation {}",
                  estimated_end(job, options_), shown(*name));
    }
    return std::nullopt;
}

// Whether the job, if it is inside this window, holds no host of another one that it knew of.
bool Audit::is_clear_of_others(std::size_t inside, const Ran& job) const {
    const std::vector<Window>& windows = machine_.windows();
    for (std::size_t number = 0; number < windows.size(); ++number) {
        const Window& window = windows[number];
        if (number != inside && window.announced <= job.start && job.start + options_.tolerance < window.until &&
            estimated_end(job, options_) > window.from + options_.tolerance &&
            job.allocation.count_common(window.hosts) > 0) {
            return false;
        }
    }
    return true;
}

bool Audit::has_room_inside(std::size_t window, std::size_t at) const {
    for (std::size_t column = 0; column <= machine_.resources().pools().size(); ++column) {
        const Amount most = amount_of(machine_.windows()[window], column);
        Amount taken = amount_of(ran_[at], window, column, true);
        for (std::size_t other = 0; other < at && most > 0; ++other) {
            if (inside_[other] == window && ran_[other].held_until() > ran_[at].start) {
                taken += amount_of(ran_[other], window, column, true);
            }
        }
        if (taken > most) {
            return false;
        }
    }
    return true;
}

// Nobody starts on these hosts who would still run there when the window begins, once it is announced.
void Audit::check_window_of_hosts(std::size_t number) {
    const Window& window = machine_.windows()[number];
    const auto first = std::ranges::lower_bound(ran_, window.announced, {}, &Ran::start);
    for (auto job = first; job != ran_.end() && job->start + options_.tolerance < window.until; ++job) {
        const bool is_inside = inside_[static_cast<std::size_t>(job - ran_.begin())] == number;
        if (!is_inside && estimated_end(*job, options_) > window.from + options_.tolerance &&
            job->allocation.count_common(window.hosts) > 0) {
            violation(job->start, *job, "may run until {} on hosts of window {}, which begins at {}",
                      estimated_end(*job, options_), shown(window.name), window.from);
        }
    }
}

// Whoever a window kills at its beginning is gone then.
void Audit::check_kills(std::size_t number) {
    const Window& window = machine_.windows()[number];
    std::vector<std::size_t> running;
    for (std::size_t job = 0; job < ran_.size() && ran_[job].start < window.from; ++job) {
        if (ran_[job].held_until() > window.from + options_.tolerance) {
            running.push_back(job);
        }
    }
    if (window.all_hosts || !window.hosts.empty()) {
        for (const std::size_t job : running) {
            expect(!window.hosts.empty() && ran_[job].allocation.count_common(window.hosts) == 0, window.from,
                   ran_[job], "still runs in window {}, which ends what runs there at {}", shown(window.name),
                   window.from);
        }
        return;
    }
    if (!std::ranges::all_of(running, [this](std::size_t job) { return are_sure_[job]; })) {
        return;
    }
    for (std::size_t column = 0; column <= machine_.resources().pools().size(); ++column) {
        if (amount_of(window, column) > 0) {
            check_kills_of_column(number, column, running);
        }
    }
}

void Audit::check_kills_of_column(std::size_t number, std::size_t column, const std::vector<std::size_t>& running) {
    const Window& window = machine_.windows()[number];
    Amount taken = amount_of(window, column);
    for (std::size_t other = 0; other < machine_.windows().size(); ++other) {
        const Window& before = machine_.windows()[other];
        const bool is_before = before.from < window.from || (before.from == window.from && other < number);
        taken += is_before && before.until > window.from ? amount_of(before, column) : 0;
    }
    const Ran* last = nullptr;
    for (const std::size_t job : running) {
        const Amount held = amount_of(ran_[job], inside_[job], column);
        taken += held;
        last = held > 0 && !inside_[job] ? &ran_[job] : last;
    }
    if (taken > total_of(column) && last != nullptr) {
        violation(window.from, *last, "still runs in window {}, which ends jobs at {} until it has what it takes",
                  shown(window.name), window.from);
    }
}

Amount Audit::total_of(std::size_t column) const {
    return column == 0 ? processors() : machine_.resources().pools()[column - 1].total;
}

// Column 0 is the number of processors, if hosts are only counted; then the pools.
Amount Audit::amount_of(const Window& window, std::size_t column) {
    return window.amount_of(column == 0 ? std::nullopt : std::optional(column - 1));
}

// What a job takes of the machine outside its window, or with `of_window` of that.
Amount Audit::amount_of(const Ran& job, std::optional<std::size_t> inside, std::size_t column, bool of_window) const {
    if (column == 0 && machine_.resources().has_named_hosts()) {
        return 0;
    }
    const bool is_of_window = inside && amount_of(machine_.windows()[*inside], column) > 0;
    if (is_of_window != of_window) {
        return 0;
    }
    if (column == 0) {
        return job.description->processors;
    }
    return request_of(job).of_pool(column - 1);
}

// At each start beside known windows: what runs, by the walltimes, and the windows leave enough for the new job as long
// as it may run.
void Audit::check_amounts_beside_windows() {
    const std::vector<Window>& windows = machine_.windows();
    const std::size_t columns = machine_.resources().pools().size() + 1;
    const bool count = std::ranges::any_of(windows, [&](const Window& window) { return window.hosts.empty(); });
    if (!count) {
        return;
    }
    std::vector<std::size_t> running;
    for (std::size_t number = 0; number < ran_.size(); ++number) {
        const Ran& job = ran_[number];
        std::erase_if(running, [&](std::size_t other) { return ran_[other].held_until() <= job.start; });
        running.push_back(number);
        // A scheduler need not plan pools: of them, only what is left at the start counts.
        const std::vector<Time> now{job.start};
        std::vector<Time> instants{job.start};
        for (const Window& window : windows) {
            if (window.announced <= job.start && window.from > job.start &&
                window.from < estimated_end(job, options_)) {
                instants.push_back(window.from);
            }
        }
        const auto is_beside = [&](const Window& window) {
            return window.announced <= job.start && window.from < estimated_end(job, options_) &&
                   window.until > job.start;
        };
        if (std::ranges::none_of(windows, is_beside)) {
            continue;
        }
        // Of several windows for one booking, the schedule does not say which one a job is in.
        const bool are_sure = std::ranges::all_of(running, [this](std::size_t other) { return are_sure_[other]; });
        for (std::size_t column = 0; column < columns && are_sure; ++column) {
            check_column_beside_windows(number, column, running, column == 0 ? instants : now);
        }
    }
}

void Audit::check_column_beside_windows(std::size_t number, std::size_t column, const std::vector<std::size_t>& running,
                                        const std::vector<Time>& instants) {
    const Ran& job = ran_[number];
    const std::optional<std::size_t> own = inside_[number];
    const bool takes_of_window = amount_of(job, own, column, true) > 0;
    if (!takes_of_window && amount_of(job, own, column) == 0) {
        return;
    }
    const char* const what = column == 0 ? "processors" : machine_.resources().pools()[column - 1].name.c_str();
    for (const Time instant : instants) {
        // In its own window, a job takes of what the window has, and the window's share counts only as far as it is
        // used.
        Amount taken = taken_by_windows(job.start, instant, column, takes_of_window ? own : std::nullopt);
        const bool are_windows_there = taken > 0;
        Amount of_window = 0;
        for (const std::size_t other : running) {
            if (instant != job.start && estimated_end(ran_[other], options_) <= instant) {
                continue;
            }
            taken += amount_of(ran_[other], inside_[other], column);
            of_window += inside_[other] == own ? amount_of(ran_[other], inside_[other], column, true) : 0;
        }
        of_window = takes_of_window ? of_window : 0;
        if (takes_of_window && of_window > amount_of(machine_.windows()[*own], column)) {
            violation(job.start, job, "jobs inside window {} take {} of {}, of which it has {}",
                      shown(machine_.windows()[*own].name), of_window, what,
                      amount_of(machine_.windows()[*own], column));
            return;
        }
        if (taken + of_window > total_of(column) && (are_windows_there || takes_of_window)) {
            const auto takes_then = [&](const Window& window) {
                return window.from <= instant && instant < window.until && amount_of(window, column) > 0;
            };
            const auto window = std::ranges::find_if(machine_.windows(), takes_then);
            violation(job.start, job, "at {}, jobs and windows{} would take {} {} of {}", instant,
                      window == machine_.windows().end() ? "" : ", such as " + shown(window->name) + ",",
                      taken + of_window, what, total_of(column));
            return;
        }
    }
}

// What the windows take at an instant that a scheduler knew of at `known`, but for one of them.
Amount Audit::taken_by_windows(Time known, Time instant, std::size_t column, std::optional<std::size_t> without) const {
    Amount taken = 0;
    for (std::size_t number = 0; number < machine_.windows().size(); ++number) {
        const Window& window = machine_.windows()[number];
        if (window.announced <= known && window.from <= instant && instant < window.until && number != without) {
            taken += amount_of(window, column);
        }
    }
    return taken;
}

}  // namespace batfill::analysis
