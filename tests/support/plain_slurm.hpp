#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/settings.hpp"

// A cycle of Slurm's backfill and its two selections of nodes, step by step, on sets of numbers.
namespace batfill::tests {

class PlainSlurm {
 public:
    using Seconds = slurm::Seconds;
    using Nodes = std::set<int>;

    struct Job {
        slurm::Job asks;
        // Of a job that runs, or has a start.
        bool runs = false;
        std::optional<Seconds> start;
        Nodes nodes;               // empty without a plan
        std::map<int, int> cores;  // that it holds
        Seconds end() const { return *start + asks.limit; }
    };
    struct Chosen {
        std::map<int, int> cores;  // of each node
        Nodes nodes() const {
            Nodes all;
            for (const auto& [node, taken] : cores) {
                all.insert(node);
            }
            return all;
        }
    };

    slurm::Settings settings;
    std::vector<slurm::Node> nodes;
    std::vector<slurm::Partition> partitions;
    std::vector<int> licenses;
    std::vector<Job> jobs;  // in the order of their ids

    bool is_whole(const Job& job) const {
        return settings.select == slurm::Select::linear || job.asks.whole_nodes ||
               partitions[static_cast<std::size_t>(job.asks.partitions.front())].whole_nodes;
    }

    // ---- Selections: among `candidates`, if only these jobs run.

    using Running = std::vector<const Job*>;
    Running running() const {
        Running all;
        for (const Job& job : jobs) {
            if (job.runs) {
                all.push_back(&job);
            }
        }
        return all;
    }
    int free_cores(int node, const Running& running) const {
        int cores = nodes[static_cast<std::size_t>(node)].cores;
        for (const Job* job : running) {
            cores -= job->cores.contains(node) ? job->cores.at(node) : 0;
        }
        return cores;
    }
    bool is_idle(int node, const Running& running) const {
        return free_cores(node, running) == nodes[static_cast<std::size_t>(node)].cores;
    }
    bool has_amounts(int node, const Job& job, const Running& running) const {
        for (std::size_t kind = 0; kind < job.asks.amounts.size(); ++kind) {
            Amount left = nodes[static_cast<std::size_t>(node)].amounts[kind];
            for (const Job* other : running) {
                left -=
                    other->nodes.contains(node) && kind < other->asks.amounts.size() ? other->asks.amounts[kind] : 0;
            }
            if (left < job.asks.amounts[kind]) {
                return false;
            }
        }
        return true;
    }

    std::optional<Chosen> linear(const Job& job, const Nodes& candidates, const Running& running) const {
        Nodes usable;
        for (const int node : candidates) {
            if (is_idle(node, running)) {
                usable.insert(node);
            }
        }
        if (static_cast<int>(usable.size()) < job.asks.nodes) {
            return std::nullopt;
        }
        Chosen chosen;
        while (static_cast<int>(chosen.cores.size()) < job.asks.nodes) {
            const std::size_t missing = static_cast<std::size_t>(job.asks.nodes) - chosen.cores.size();
            const std::vector<std::vector<int>> runs = runs_of(usable);
            const std::vector<int>* best = nullptr;
            for (const std::vector<int>& run : runs) {
                if (run.size() >= missing && (best == nullptr || run.size() < best->size())) {
                    best = &run;
                }
            }
            for (const std::vector<int>& run : runs) {
                if (best == nullptr || (best->size() < missing && run.size() > best->size())) {
                    best = &run;
                }
            }
            const std::vector<int> taken = *best;
            for (std::size_t i = 0; i < taken.size() && i < missing; ++i) {
                chosen.cores[taken[i]] = nodes[static_cast<std::size_t>(taken[i])].cores;
            }
            for (const int node : taken) {
                usable.erase(node);
            }
        }
        return chosen;
    }

    // `idle_now`: with bf_busy_nodes.
    std::optional<Chosen> cons_tres(const Job& job, bool whole, const Nodes& candidates, const Running& running,
                                    const Nodes* idle_now = nullptr) const {
        const int n = job.asks.nodes;
        std::map<int, int> c;
        for (const int node : candidates) {
            const int free = free_cores(node, running);
            if (free > 0 && (!whole || is_idle(node, running)) && has_amounts(node, job, running) &&
                (n > 1 || free >= job.asks.tasks)) {
                c[node] = n == 1 && has_gres(job) ? job.asks.tasks : free;
            }
        }
        std::optional<Chosen> chosen = cons_tres_of(job, whole, c, idle_now);
        if (chosen && whole) {
            for (auto& [node, cores] : chosen->cores) {
                cores = nodes[static_cast<std::size_t>(node)].cores;
            }
        }
        return chosen;
    }

    // ---- A cycle.

    void cycle(Seconds time) {
        now = time;
        for (Job& job : jobs) {
            if (!job.runs) {
                job.start.reset();
                job.nodes.clear();
            }
        }
        window_end = floor(now + settings.bf_window);
        Nodes all;
        for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
            all.insert(node);
        }
        table = {{floor(now), window_end, all, settings.bf_licenses ? licenses : std::vector<int>()}};
        records = 1;
        tested = starts = plans = 0;
        of_user.clear();
        of_partition.clear();
        of_both.clear();
        if (settings.bf_licenses || settings.bf_running_job_reserve) {
            for (const Job& job : jobs) {
                if (job.runs) {
                    enter(job);
                }
            }
        }
        std::vector<Job*> queue;
        for (Job& job : jobs) {
            if (!job.runs && job.asks.priority > 0) {
                queue.push_back(&job);
            }
        }
        std::stable_sort(queue.begin(), queue.end(), [](const Job* a, const Job* b) {
            return a->asks.priority != b->asks.priority ? a->asks.priority > b->asks.priority
                                                        : a->asks.submitted < b->asks.submitted;
        });
        for (Job* job : queue) {
            if (!look_at(*job)) {
                return;
            }
        }
    }

 private:
    struct Segment {
        Seconds begin;
        Seconds end;
        Nodes nodes;
        std::vector<int> licenses;
    };

    static bool has_gres(const Job& job) {
        return job.asks.amounts.size() > 1 &&
               *std::max_element(job.asks.amounts.begin() + 1, job.asks.amounts.end()) > 0;
    }
    static std::vector<std::vector<int>> runs_of(const Nodes& usable) {
        std::vector<std::vector<int>> runs;
        for (const int node : usable) {
            if (runs.empty() || runs.back().back() + 1 != node) {
                runs.emplace_back();
            }
            runs.back().push_back(node);
        }
        return runs;
    }
    bool is_22_05() const { return settings.version == slurm::Version::v22_05; }
    Seconds floor(Seconds time) const { return time / settings.bf_resolution * settings.bf_resolution; }
    Seconds ceil(Seconds time) const { return floor(time + settings.bf_resolution - 1); }

    std::optional<Chosen> cons_tres_of(const Job& job, bool whole, std::map<int, int> c, const Nodes* idle_now) const {
        const int n = job.asks.nodes;
        if (static_cast<int>(c.size()) < n) {
            return std::nullopt;
        }
        if (n == 1 && !is_22_05()) {
            return Chosen{{{c.begin()->first, job.asks.tasks}}};
        }
        const auto once = [&] {
            return n > 1 && idle_now != nullptr ? busy(job, whole, c, *idle_now) : by_runs(job, whole, c);
        };
        if (const std::optional<Chosen> chosen = once()) {
            return chosen;
        }
        std::vector<std::pair<int, int>> by_cores;
        for (const auto& [node, cores] : c) {
            by_cores.emplace_back(cores, node);
        }
        std::sort(by_cores.begin(), by_cores.end());
        for (std::size_t i = 0; i < by_cores.size();) {
            if (static_cast<int>(c.size()) <= n) {
                return std::nullopt;
            }
            if (!is_22_05()) {
                c.erase(by_cores[i++].second);
            } else if (by_cores[i].first == by_cores.back().first) {
                return std::nullopt;
            } else {
                const int k = by_cores[i].first;
                for (; i < by_cores.size() && by_cores[i].first <= k && static_cast<int>(c.size()) > n; ++i) {
                    c.erase(by_cores[i].second);
                }
            }
            if (const std::optional<Chosen> chosen = once()) {
                return chosen;
            }
        }
        return std::nullopt;
    }

    std::optional<Chosen> by_runs(const Job& job, bool whole, const std::map<int, int>& c) const {
        struct Run {
            std::map<int, int> c;
            bool is_empty = false;
            int cores() const {
                int sum = 0;
                for (const auto& [node, cores] : c) {
                    sum += cores;
                }
                return sum;
            }
        };
        Nodes usable;
        for (const auto& [node, cores] : c) {
            usable.insert(node);
        }
        std::vector<Run> runs;
        for (const std::vector<int>& of : runs_of(usable)) {
            runs.emplace_back();
            for (const int node : of) {
                runs.back().c[node] = c.at(node);
            }
        }
        int rc = job.asks.tasks;
        int rn = job.asks.nodes;
        int rm = job.asks.tasks;
        Chosen chosen;
        while (static_cast<int>(chosen.cores.size()) < job.asks.nodes) {
            const auto is_enough = [&](const Run& run) {
                return run.cores() >= rc && static_cast<int>(run.c.size()) >= rn;
            };
            Run* best = nullptr;
            for (Run& run : runs) {
                if (run.is_empty) {
                    continue;
                }
                if (best == nullptr || (is_enough(run) && !is_enough(*best)) ||
                    (is_enough(run) && run.cores() < best->cores()) ||
                    (!is_enough(run) && run.cores() > best->cores())) {
                    best = &run;
                }
            }
            if (best == nullptr) {
                return std::nullopt;
            }
            best->is_empty = true;
            std::map<int, int> counts = best->c;
            if (rn <= 1) {
                int single = -1;
                for (const auto& [node, cores] : counts) {
                    if (cores >= rc && (single < 0 || cores < counts.at(single))) {
                        single = node;
                    }
                }
                for (auto& [node, cores] : counts) {
                    cores = single < 0 || node == single ? cores : 0;
                }
            }
            for (const auto& [node, cores] : counts) {
                const int left = job.asks.nodes - static_cast<int>(chosen.cores.size());
                if (left == 0 || (rn <= 0 && rc <= 0)) {
                    break;
                }
                if (cores == 0 || (left == 1 && cores < rc)) {
                    continue;
                }
                const int taken = whole ? cores : std::min(cores, rm - std::max(rn - 1, 0));
                chosen.cores[node] = taken;
                rc -= taken;
                rm -= taken;
                rn -= 1;
            }
            if (rn <= 0 && rc <= 0) {
                return chosen;
            }
        }
        return std::nullopt;
    }

    std::optional<Chosen> busy(const Job& job, bool whole, const std::map<int, int>& c, const Nodes& idle_now) const {
        int rc = job.asks.tasks;
        int rn = job.asks.nodes;
        int rm = job.asks.tasks;
        int left = job.asks.nodes;
        Chosen chosen;
        for (const bool idle : {false, true}) {
            for (const auto& [node, cores] : c) {
                const int taken = whole ? cores : std::min(cores, rm - std::max(rn - 1, 0));
                if (idle_now.contains(node) != idle || taken <= 0) {
                    continue;
                }
                chosen.cores[node] = taken;
                rc -= taken;
                rm -= taken;
                rn -= 1;
                left -= 1;
                if ((rn <= 0 && rc <= 0) || left == 0) {
                    break;
                }
            }
        }
        return rn <= 0 && rc <= 0 ? std::optional(chosen) : std::nullopt;
    }

    void reserve(Seconds start, Seconds end, const Nodes& taken, const std::vector<slurm::LicenseCount>& counts) {
        start = std::max(start, table.front().begin);
        end = std::max(end, start + settings.bf_resolution);
        std::size_t cut = 0;
        while (cut < table.size() && table[cut].end < start) {
            ++cut;
        }
        if (cut == table.size()) {
            return;
        }
        if (table[cut].end > start) {
            split(cut, start);
        }
        std::size_t i = cut + 1;
        for (; i < table.size(); ++i) {
            if (end < table[i].end) {
                split(i, end);
            }
            for (const int node : taken) {
                table[i].nodes.erase(node);
            }
            for (const slurm::LicenseCount& count : counts) {
                int& left = table[i].licenses[static_cast<std::size_t>(count.license)];
                left = std::max(0, left - count.count);
            }
            if (table[i].end == end) {
                break;
            }
        }
        for (std::size_t k = cut == 0 ? 0 : cut - 1; k <= i && k + 1 < table.size(); ++k) {
            if (table[k].nodes == table[k + 1].nodes && table[k].licenses == table[k + 1].licenses) {
                table[k].end = table[k + 1].end;
                table.erase(table.begin() + static_cast<std::ptrdiff_t>(k) + 1);
                return;
            }
        }
    }
    void split(std::size_t i, Seconds at) {
        Segment later = table[i];
        table[i].end = at;
        later.begin = at;
        table.insert(table.begin() + static_cast<std::ptrdiff_t>(i) + 1, later);
        ++records;
    }
    static bool has(const Segment& segment, const std::vector<slurm::LicenseCount>& counts) {
        return std::all_of(counts.begin(), counts.end(), [&](const slurm::LicenseCount& count) {
            return segment.licenses[static_cast<std::size_t>(count.license)] >= count.count;
        });
    }
    bool conflict(Seconds start, Seconds end, const Nodes& wanted,
                  const std::vector<slurm::LicenseCount>& counts) const {
        for (const Segment& segment : table) {
            if (segment.end > start && segment.begin < end &&
                (!std::includes(segment.nodes.begin(), segment.nodes.end(), wanted.begin(), wanted.end()) ||
                 !has(segment, counts))) {
                return true;
            }
        }
        return false;
    }
    bool has_licenses_now(const Job& job) const {
        for (const slurm::LicenseCount& count : job.asks.licenses) {
            int left = licenses[static_cast<std::size_t>(count.license)];
            for (const Job& other : jobs) {
                for (const slurm::LicenseCount& held : other.asks.licenses) {
                    left -= other.runs && held.license == count.license ? held.count : 0;
                }
            }
            if (left < count.count) {
                return false;
            }
        }
        return true;
    }
    std::vector<slurm::LicenseCount> in_table(const Job& job) const {
        return settings.bf_licenses ? job.asks.licenses : std::vector<slurm::LicenseCount>();
    }
    int size() const {
        return settings.bf_node_space_size > 0 ? settings.bf_node_space_size : settings.bf_max_job_test;
    }

    void enter(const Job& job) {
        const bool takes_nodes = is_whole(job) && settings.select == slurm::Select::cons_tres;
        if ((!takes_nodes && job.asks.licenses.empty()) || records >= size()) {
            return;
        }
        reserve(0, is_22_05() ? floor(job.end()) : ceil(job.end()), takes_nodes ? job.nodes : Nodes(), in_table(job));
    }

    std::optional<Chosen> choose(const Job& job, bool whole, const Nodes& candidates, const Running& running,
                                 const Nodes* idle_now = nullptr) const {
        return settings.select == slurm::Select::linear ? linear(job, candidates, running)
                                                        : cons_tres(job, whole, candidates, running, idle_now);
    }
    bool start(Job& job, const Nodes& candidates) {
        if (!is_22_05() && !has_licenses_now(job)) {
            return false;
        }
        const std::optional<Chosen> chosen = choose(job, is_whole(job), candidates, running());
        if (!chosen) {
            return false;
        }
        job.runs = true;
        job.start = now;
        job.nodes = chosen->nodes();
        job.cores = chosen->cores;
        enter(job);
        ++starts;
        return true;
    }

    // When and where. `at` and `later` as in the try of the job.
    std::optional<std::pair<Seconds, Nodes>> when(const Job& job, const Nodes& candidates, Seconds at,
                                                  std::optional<Seconds> later, bool now_only) const {
        const bool whole = is_22_05() ? job.asks.whole_nodes : is_whole(job);
        Running left = running();
        std::stable_sort(left.begin(), left.end(), [](const Job* a, const Job* b) { return a->end() < b->end(); });
        const Running all = left;
        const bool linear = settings.select == slurm::Select::linear;
        const bool bounded = !linear && !is_22_05();
        if (!bounded || (at <= now && has_licenses_now(job))) {
            if (const auto chosen = choose(job, whole, candidates, left)) {
                return std::pair(now, chosen->nodes());
            }
        }
        if (now_only) {
            return std::nullopt;
        }
        if (bounded) {
            left.erase(std::remove_if(left.begin(), left.end(), [&](const Job* one) { return one->end() <= at; }),
                       left.end());
            if (const auto chosen = choose(job, whole, candidates, left)) {
                return std::pair(now, chosen->nodes());
            }
        }
        if (linear) {
            while (!left.empty()) {
                const Seconds end = left.front()->end();
                left.erase(left.begin());
                if (const auto chosen = choose(job, whole, candidates, left)) {
                    return std::pair(end > now ? end : now + 1, chosen->nodes());
                }
            }
            return std::nullopt;
        }

        Nodes idle_now;
        for (const int node : candidates) {
            if (is_idle(node, all)) {
                idle_now.insert(node);
            }
        }
        Running list = left;  // those to be imagined away, in their order
        Running away;
        Seconds window = 30;
        std::optional<Seconds> base;
        for (;;) {
            std::size_t batch = 0;
            bool is_last = false;
            for (;;) {
                if (list.empty() || (bounded && later && list.front()->end() > *later)) {
                    is_last = true;
                    break;
                }
                const Job* next = list.front();
                list.erase(list.begin());
                if (std::none_of(next->nodes.begin(), next->nodes.end(),
                                 [&](int node) { return candidates.contains(node); })) {
                    continue;
                }
                if (!base) {
                    base = next->end() + 30 - next->end() % 30;
                }
                left.erase(std::find(left.begin(), left.end(), next));
                away.push_back(next);
                ++batch;
                if (list.empty()) {
                    is_last = true;
                    break;
                }
                if (list.front()->end() > *base + window) {
                    break;
                }
            }
            if (batch == 0) {
                return std::nullopt;
            }
            const auto chosen = choose(job, whole, candidates, left, settings.bf_busy_nodes ? &idle_now : nullptr);
            if (chosen) {
                const Job* last = is_22_05() ? away.back() : nullptr;
                for (const Job* one : away) {
                    for (const int node : chosen->nodes()) {
                        last = !is_22_05() && one->nodes.contains(node) ? one : last;
                    }
                }
                if (last == nullptr) {  // bf_busy_nodes has found others, which are free
                    return std::pair(now, chosen->nodes());
                }
                Seconds time = last->end();
                if (time <= now) {
                    time += 30;
                }
                return std::pair(time <= now ? now + 1 : time, chosen->nodes());
            }
            do {
                window += settings.bf_window_linear > 0 ? settings.bf_window_linear : window;
            } while (window <= Seconds{365} * 86400 && !list.empty() && list.front()->end() > *base + window);
            if (is_last) {
                return std::nullopt;
            }
        }
    }

    bool refused(const Job& job) {
        const std::pair<int, int> both(job.asks.user, job.asks.partitions.front());
        if ((settings.bf_max_job_user_part > 0 && of_both[both] >= settings.bf_max_job_user_part) ||
            (settings.bf_max_job_part > 0 && of_partition[both.second] >= settings.bf_max_job_part) ||
            (settings.bf_max_job_user > 0 && of_user[both.first] >= settings.bf_max_job_user)) {
            return true;
        }
        ++of_both[both];
        ++of_partition[both.second];
        ++of_user[both.first];
        return false;
    }

    // Returns false if the cycle ends with this job.
    bool look_at(Job& job) {
        if (tested >= settings.bf_max_job_test || (!is_22_05() && window_end < now)) {
            return false;
        }
        const int most_plans = settings.bf_job_part_count_reserve;
        const bool now_only = job.asks.priority < settings.bf_min_prio_reserve ||
                              (job.asks.eligible && now - *job.asks.eligible < settings.bf_min_age_reserve) ||
                              (most_plans > 0 && plans >= most_plans);
        if (refused(job) || (!settings.bf_licenses && !has_licenses_now(job))) {
            return true;
        }
        const Seconds limit = job.asks.limit;
        const std::vector<slurm::LicenseCount> counts = in_table(job);
        bool counted = false;
        std::vector<std::pair<Seconds, Nodes>> slots;
        std::optional<Seconds> later = now;
        std::optional<Seconds> estimate;
        for (;;) {
            const auto give_up = [&] { return !later || now_only; };
            const Seconds at = *later;
            later.reset();
            if (!is_22_05() && window_end < at) {
                job.start = estimate;
                return true;
            }
            const Seconds until = at + limit;
            Nodes candidates;
            partitions[static_cast<std::size_t>(job.asks.partitions.front())].nodes.for_each(
                [&](int node) { candidates.insert(node); });
            bool lacks_licenses = false;
            for (std::size_t i = 0; i < table.size(); ++i) {
                const Segment& segment = table[i];
                const bool has_successor = i + 1 < table.size();
                if (segment.end > at && has_successor && !later &&
                    !std::includes(segment.nodes.begin(), segment.nodes.end(), table[i + 1].nodes.begin(),
                                   table[i + 1].nodes.end())) {
                    later = segment.end;
                }
                if (segment.end <= at) {
                    continue;
                }
                if (segment.begin > until) {
                    if (!is_22_05() && !later && i + 2 < table.size()) {
                        later = table[i + 1].end;
                    }
                    break;
                }
                std::erase_if(candidates, [&](int node) { return !segment.nodes.contains(node); });
                if (!has(segment, counts)) {
                    later = segment.end;
                    lacks_licenses = true;
                    break;
                }
            }
            if (lacks_licenses || static_cast<int>(candidates.size()) < job.asks.nodes) {
                if (give_up()) {
                    return true;
                }
                continue;
            }
            tested += counted ? 0 : 1;
            counted = true;
            const auto found = when(job, candidates, at, later, now_only);
            if (!found) {
                if (give_up()) {
                    return true;
                }
                continue;
            }
            Seconds s = std::max(found->first, at);
            Nodes chosen = found->second;
            estimate = s;
            const auto interval_end = [&] {
                return is_22_05() ? std::max(floor(s + limit), floor(s) + settings.bf_resolution)
                                  : floor(s + limit + settings.bf_resolution - 1);
            };
            if (!is_22_05() && s > now && conflict(floor(s), interval_end(), chosen, counts)) {
                later = s == at ? s + settings.bf_resolution : s;
                continue;
            }
            if (settings.bf_topopt_enable && !now_only) {
                const bool inside = s >= table.front().begin && s < table.back().end;
                if (static_cast<int>(slots.size()) < settings.bf_topopt_iterations && inside) {
                    slots.emplace_back(s, chosen);
                }
                if (later && static_cast<int>(slots.size()) < settings.bf_topopt_iterations) {
                    continue;
                }
                if (!slots.empty()) {
                    s = slots.front().first;
                    chosen = slots.front().second;
                    estimate = s;
                }
            }
            if (s <= now) {
                if (start(job, candidates)) {
                    return starts != settings.bf_max_job_start && (is_22_05() || tested < settings.bf_max_job_test);
                }
                later.reset();
            } else if (now_only) {
                job.start = s;
                return true;
            }
            if (later && s > *later) {
                continue;
            }
            if (s > now + settings.bf_window) {
                job.start = s;
                return true;
            }
            if (is_22_05() && s > now && conflict(floor(s), interval_end(), chosen, counts)) {
                later = s;
                continue;
            }
            job.start = s;
            if (most_plans > 0 && plans >= most_plans) {
                return true;
            }
            ++plans;
            if (is_22_05() || records < size()) {
                job.nodes = chosen;
            }
            if (records >= size()) {
                return false;
            }
            reserve(floor(s), interval_end(), chosen, counts);
            return true;
        }
    }

    Seconds now = 0;
    Seconds window_end = 0;
    std::vector<Segment> table;
    int records = 0;
    int tested = 0;
    int starts = 0;
    int plans = 0;
    std::map<int, int> of_user;
    std::map<int, int> of_partition;
    std::map<std::pair<int, int>, int> of_both;
};

}  // namespace batfill::tests
