#include "src/report/stripes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "src/support/interruption.hpp"

namespace batfill::report {

namespace {

// The most rows of a host, and of a chart: much more than pixels, and numbers of rows stay integers.
constexpr Amount most_rows_of_host = 4096;
constexpr Amount most_rows = Amount{1} << 30;

std::size_t place_of(const std::string& capacity, const std::vector<std::string>& capacities) {
    return static_cast<std::size_t>(std::ranges::find(capacities, capacity) - capacities.begin());
}

// How many rows divide the capacity of every host evenly, as far as there may be so many.
int rows_of_host(const Resources& machine, std::size_t capacity, int hosts) {
    const Amount most = std::max(Amount{1}, std::min(most_rows_of_host, most_rows / hosts));
    Amount rows = 1;
    for (const Resources::HostKind& kind : machine.kinds()) {
        const Amount amount = kind.capacity[capacity];
        if (amount > most) {
            return static_cast<int>(most);
        }
        rows = amount > 0 ? std::lcm(rows, amount) : rows;
        if (rows > most) {
            return static_cast<int>(most);
        }
    }
    return static_cast<int>(rows);
}

void append(Rows& rows, int first, int last) {
    if (last < first) {
        return;
    }
    if (!rows.empty() && rows.back().last + 1 == first) {
        rows.back().last = last;
    } else {
        rows.push_back({first, last});
    }
}

// The rows that are free at an instant, and who gets which.
class Bands {
 public:
    Bands(const HostPanel& panel, const Resources& machine) : panel_(panel), machine_(machine) {
        for (std::size_t host = 0; host + 1 < panel.first_rows.size(); ++host) {
            free_.push_back(ResourceSet::range(panel.first_rows[host], panel.first_rows[host + 1] - 1));
        }
    }

    // Whether there are as many free rows as the job takes.
    bool fits(const ResourceSet& hosts, const Request& request) const {
        bool all = true;
        each_band(hosts, [&](int host, std::size_t at, int first, int last) {
            all = all && wanted(host, at, request, last - first + 1) <= free_[static_cast<std::size_t>(host)].size();
        });
        return all;
    }

    // The rows of a job, which are no longer free if it `keeps` them.
    Rows take(const ResourceSet& hosts, const Request& request, bool keeps) {
        Rows taken;
        each_band(hosts, [&](int host, std::size_t at, int first, int last) {
            const int count = wanted(host, at, request, last - first + 1);
            ResourceSet& free = free_[static_cast<std::size_t>(host)];
            ResourceSet placed = place(free, first, last, count);
            for (const auto& [from, until] : placed.intervals()) {
                append(taken, from, until);
            }
            if (keeps) {
                free.remove(placed);
            }
        });
        return taken;
    }

    void give_back(const ResourceSet& hosts, const Rows& rows) {
        std::size_t next = 0;
        each_band(hosts, [&](int host, std::size_t, int first, int last) {
            while (next < rows.size() && rows[next].last < first) {
                ++next;
            }
            for (std::size_t i = next; i < rows.size() && rows[i].first <= last; ++i) {
                free_[static_cast<std::size_t>(host)].insert(
                    ResourceSet::range(std::max(first, rows[i].first), std::min(last, rows[i].last)));
            }
        });
    }

 private:
    // Calls visit(HOST, ITS PLACE AMONG THESE, FIRST ROW, LAST ROW) for each host that has rows.
    void each_band(const ResourceSet& hosts, auto visit) const {
        std::size_t place = 0;
        for (const auto& [from, until] : hosts.intervals()) {
            for (int host = from; host <= until && static_cast<std::size_t>(host) < free_.size(); ++host, ++place) {
                const int first = panel_.first_rows[static_cast<std::size_t>(host)];
                const int behind = panel_.first_rows[static_cast<std::size_t>(host) + 1];
                if (first < behind) {
                    visit(host, place, first, behind - 1);
                }
            }
        }
    }

    // The number of rows that the job has in a band of so many. `place`: of the host among its hosts.
    int wanted(int host, std::size_t place, const Request& request, int band) const {
        const Resources::HostKind& kind = machine_.kind_of(host);
        if (!kind.is_shared || request.takes_whole_hosts()) {
            return band;
        }
        const Amount amount = request.of_host(place)[panel_.number];
        const Amount capacity = kind.capacity[panel_.number];
        if (amount <= 0 || amount >= capacity) {
            return amount <= 0 ? 0 : band;
        }
        const double rows = static_cast<double>(amount) * band / static_cast<double>(capacity);
        return std::max(1, static_cast<int>(std::floor(rows)));
    }

    static ResourceSet place(const ResourceSet& free, int first, int last, int count) {
        if (count == 0) {
            return {};
        }
        if (count > free.size()) {
            return ResourceSet::range(first, std::min(last, first + count - 1));
        }
        if (std::optional<ResourceSet> block = free.lowest_block(count)) {
            return std::move(*block);
        }
        ResourceSet rest = free;
        return rest.take_lowest(count);
    }

    const HostPanel& panel_;
    const Resources& machine_;
    std::vector<ResourceSet> free_;  // by host
};

}  // namespace

Rows HostPanel::bands_of(const ResourceSet& hosts) const {
    Rows rows;
    for (const auto& [first, last] : hosts.intervals()) {
        append(rows, first_rows[static_cast<std::size_t>(first)], first_rows[static_cast<std::size_t>(last) + 1] - 1);
    }
    return rows;
}

std::vector<HostPanel> host_panels(const Resources& machine, int hosts) {
    std::vector<HostPanel> panels;
    if (!machine.has_shared_hosts()) {
        return panels;
    }
    const std::vector<std::string>& capacities = machine.capacities();
    const std::size_t cores = place_of("cores", capacities) % capacities.size();
    HostPanel& by_host = panels.emplace_back(HostPanel{capacities[cores], cores, true, {0}});
    const int rows = rows_of_host(machine, cores, hosts);
    for (int host = 1; host <= hosts; ++host) {
        by_host.first_rows.push_back(host * rows);
    }
    const std::size_t gpus = place_of("gpus", capacities);
    if (gpus == capacities.size() || gpus == cores || machine.totals()[gpus] == 0 ||
        machine.totals()[gpus] > most_rows) {
        return panels;
    }
    HostPanel& of_gpus = panels.emplace_back(HostPanel{capacities[gpus], gpus, false, {0}});
    for (int host = 0; host < hosts; ++host) {
        of_gpus.first_rows.push_back(of_gpus.rows() + static_cast<int>(machine.kind_of(host).capacity[gpus]));
    }
    return panels;
}

std::vector<Rows> stripes_of(const MeasuredSchedule& schedule, const HostPanel& panel, const Resources& machine,
                             const std::vector<Request>& requests) {
    const std::vector<FinishedJob>& jobs = schedule.finished();
    struct Change {
        Time at;
        bool is_start;  // ends come first
        std::size_t job;
    };
    // Programs round times: a job that starts a microsecond before the end of another has its place.
    constexpr Duration rounding = Duration::microseconds(1);
    std::vector<Change> changes;
    changes.reserve(2 * jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        changes.push_back({jobs[i].start, true, i});
        if (jobs[i].run > rounding) {
            changes.push_back({jobs[i].start + (jobs[i].run - rounding), false, i});
        }
    }
    std::ranges::sort(changes, {},
                      [](const Change& change) { return std::tuple(change.at, change.is_start, change.job); });
    std::vector<Rows> rows(jobs.size());
    std::vector<bool> keeps(jobs.size());  // its rows until its end
    Bands bands(panel, machine);
    for (const auto& [at, is_start, job] : changes) {
        look_for_interruption();
        const ResourceSet& hosts = schedule.hosts()[job];
        const Request& taken = requests[job];
        if (is_start) {
            keeps[job] = jobs[job].run > rounding && bands.fits(hosts, taken);
            rows[job] = bands.take(hosts, taken, keeps[job]);
        } else if (keeps[job]) {
            bands.give_back(hosts, rows[job]);
        }
    }
    return rows;
}

}  // namespace batfill::report
