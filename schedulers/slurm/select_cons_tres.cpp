#include "schedulers/slurm/select_cons_tres.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace batfill::slurm {

namespace {

bool wants_gres(const Job& job) {
    return std::any_of(job.amounts.begin() + (job.amounts.empty() ? 0 : 1), job.amounts.end(),
                       [](Amount amount) { return amount > 0; });
}

}  // namespace

bool ConsTres::choose(const Job& job, bool whole, const NodeSet& usable, const FreeNodes& free, EndKey at,
                      Choice& choice, const NodeSet* idle_now) {
    idle_now_ = job.nodes > 1 ? idle_now : nullptr;
    if (!find_usable(job, usable, free, at)) {
        return false;
    }
    if (job.nodes == 1 && version_ == Version::v26_11) {
        choice.nodes.clear();
        Wanted wanted = Wanted::of(job);
        take(usable_.next(0), whole, wanted, choice);
        note_cores(whole, free, at, choice);
        return true;
    }
    if (!try_usable(job, whole, choice) &&
        !(version_ == Version::v26_11 ? try_stronger(job, whole, choice) : try_stronger_22_05(job, whole, choice))) {
        return false;
    }
    note_cores(whole, free, at, choice);
    return true;
}

void ConsTres::note_cores(bool whole, const FreeNodes& free, EndKey at, Choice& choice) const {
    choice.cores.clear();
    choice.nodes.for_each([&](int node) {
        choice.cores.push_back(whole ? free.cores(node, at) : taken_[static_cast<std::size_t>(node)]);
    });
}

bool ConsTres::try_usable(const Job& job, bool whole, Choice& choice) {
    choice.nodes.clear();
    Wanted wanted = Wanted::of(job);
    if (idle_now_ != nullptr) {
        take_busy(job, whole, wanted, choice);
    } else {
        take_runs(whole, wanted, choice);
    }
    return wanted.is_found();
}

void ConsTres::take_busy(const Job& job, bool whole, Wanted& wanted, Choice& choice) {
    int nodes_left = job.nodes;
    for (const bool idle : {false, true}) {
        usable_.any_of([&](int node) {
            if (idle_now_->contains(node) != idle || !take(node, whole, wanted, choice)) {
                return false;
            }
            return wanted.is_found() || --nodes_left == 0;
        });
    }
}

bool ConsTres::find_usable(const Job& job, const NodeSet& usable, const FreeNodes& free, EndKey at) {
    usable_ = usable;
    usable_count_ = usable_.count();
    if (usable_count_ < job.nodes) {
        return false;
    }
    cores_.resize(static_cast<std::size_t>(usable_.size()));
    taken_.resize(cores_.size());
    with_cores_.assign(with_cores_.size(), 0);
    // A node that is enough may count no more than that.
    capped_ = job.nodes > 1 ? job.cores_each : wants_gres(job) ? job.tasks : 0;
    const auto count = [&](int cores, int nodes) {
        if (static_cast<std::size_t>(cores) >= with_cores_.size()) {
            with_cores_.resize(static_cast<std::size_t>(cores) + 1);
        }
        with_cores_[static_cast<std::size_t>(cores)] += nodes;
    };
    if (capped_ > 0) {
        count(capped_, usable_count_);
    } else {
        usable_.for_each([&](int node) {
            const int cores = at == end_key::now ? free.cores(node) : free.cores(node, at);
            cores_[static_cast<std::size_t>(node)] = cores;
            count(cores, 1);
        });
    }
    return job.nodes == 1 || may_find(job);
}

bool ConsTres::may_find(const Job& job) const {
    if (idle_now_ != nullptr) {
        return true;
    }
    std::int64_t most = 0;
    int nodes = 0;
    for (std::size_t cores = with_cores_.size(); cores-- > 0 && nodes < job.nodes;) {
        const int taken = std::min(with_cores_[cores], job.nodes - nodes);
        most += static_cast<std::int64_t>(cores) * taken;
        nodes += taken;
    }
    return most >= job.tasks;
}

void ConsTres::take_runs(bool whole, Wanted& wanted, Choice& choice) {
    runs_.clear();
    for (int begin = usable_.next(0); begin < usable_.size();) {
        Run run{begin, usable_.next_missing(begin), 0};
        run.cores = capped_ * (run.end - run.begin);
        for (int node = run.begin; capped_ == 0 && node < run.end; ++node) {
            run.cores += cores(node);
        }
        runs_.push_back(run);
        begin = usable_.next(run.end);
    }
    while (wanted.nodes > 0) {
        Run* const run = best_run(wanted);
        if (run == nullptr) {
            return;
        }
        take_run(*run, whole, wanted, choice);
        if (wanted.is_found()) {
            return;
        }
        run->is_empty = true;
    }
}

ConsTres::Run* ConsTres::best_run(const Wanted& wanted) {
    Run* best = nullptr;
    bool best_is_enough = false;
    for (Run& run : runs_) {
        if (run.is_empty) {
            continue;
        }
        const bool is_enough = run.cores >= wanted.cores && run.end - run.begin >= wanted.nodes;
        const bool is_better = best == nullptr || (is_enough && !best_is_enough) ||
                               (is_enough ? run.cores < best->cores : run.cores > best->cores);
        if (is_better) {
            best = &run;
            best_is_enough = is_enough;
        }
    }
    return best;
}

void ConsTres::take_run(Run& run, bool whole, Wanted& wanted, Choice& choice) {
    if (wanted.nodes <= 1) {
        int fitting = -1;
        for (int node = run.begin; node < run.end; ++node) {
            if (cores(node) >= wanted.cores && (fitting < 0 || cores(node) < cores(fitting))) {
                fitting = node;
            }
        }
        if (fitting >= 0) {
            run = {fitting, fitting + 1, cores(fitting)};
        }
    }
    for (int node = run.begin; node < run.end && wanted.nodes > 0 && !wanted.is_found(); ++node) {
        if (wanted.nodes > 1 || cores(node) >= wanted.cores) {
            take(node, whole, wanted, choice);
        }
    }
}

bool ConsTres::take(int node, bool whole, Wanted& wanted, Choice& choice) {
    const int taken = whole ? cores(node) : std::min(cores(node), wanted.spread - std::max(wanted.nodes - 1, 0));
    if (taken <= 0) {
        return false;
    }
    choice.nodes.insert(node);
    taken_[static_cast<std::size_t>(node)] = taken;
    wanted.cores -= taken;
    wanted.spread -= taken;
    --wanted.nodes;
    return true;
}

bool ConsTres::try_stronger(const Job& job, bool whole, Choice& choice) {
    by_cores_.clear();
    usable_.for_each([&](int node) { by_cores_.push_back(node); });
    std::sort(by_cores_.begin(), by_cores_.end(),
              [&](int a, int b) { return std::pair(cores(a), a) < std::pair(cores(b), b); });
    for (const int weakest : by_cores_) {
        if (usable_count_ <= job.nodes) {
            return false;
        }
        usable_.erase(weakest);
        --usable_count_;
        if (try_usable(job, whole, choice)) {
            return true;
        }
    }
    return false;
}

bool ConsTres::try_stronger_22_05(const Job& job, bool whole, Choice& choice) {
    int largest = static_cast<int>(with_cores_.size()) - 1;
    while (with_cores_[static_cast<std::size_t>(largest)] == 0) {
        --largest;
    }
    for (int most = 1; most < largest && usable_count_ > job.nodes; ++most) {
        if (with_cores_[static_cast<std::size_t>(most)] == 0) {
            continue;  // the nodes of the last try would be tried again
        }
        usable_.for_each([&](int node) {
            if (usable_count_ > job.nodes && cores(node) <= most) {
                usable_.erase(node);
                --usable_count_;
            }
        });
        if (try_usable(job, whole, choice)) {
            return true;
        }
    }
    return false;
}

}  // namespace batfill::slurm
