#include "src/engine/wait_reasons.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace batfill {

namespace {

// What is free while running jobs end one by one.
struct Free {
    ResourceSet processors;
    std::vector<long long> copies;

    bool has_copies_of(std::span<const LicenseIndex> licenses) const {
        return std::ranges::all_of(licenses, [this](LicenseIndex license) { return copies[license] > 0; });
    }

    // Processors on which a job with this request could start; empty if there are none.
    std::optional<ResourceSet> place_for(const Machine& machine, const Request& request) const {
        switch (request.placement) {
            case Placement::contiguous:
                return processors.lowest_block(request.processors);
            case Placement::machine:
                for (const Machine::Group& group : machine.groups()) {
                    if (group.has_all(request.licenses()) &&
                        processors.count_common(group.processors) >= request.processors) {
                        return group.processors;
                    }
                }
                return std::nullopt;
            case Placement::lowest:
            case Placement::best_effort_contiguous:
            case Placement::snug:
            case Placement::fullest:
                break;
        }
        return processors.size() >= request.processors ? std::optional(processors) : std::nullopt;
    }
};

bool holds_one_of(const Request& request, std::span<const LicenseIndex> licenses) {
    return std::ranges::any_of(licenses, [&](LicenseIndex license) {
        return std::ranges::find(request.licenses(), license) != request.licenses().end();
    });
}

// The answer is the same, but for when it began. How many jobs wait behind is no part of it, nor what is idle beyond
// what the job needs, nor since when it could start.
bool agree(const WaitReason& a, const WaitReason& b) {
    const bool fits = a.kind == WaitReason::Kind::passed_over;
    return a.kind == b.kind && (fits || (a.idle == b.idle && a.possible == b.possible)) && a.license == b.license &&
           a.holders == b.holders && a.place == b.place && a.because == b.because;
}

}  // namespace

std::string instant_text(Time time) {
    return time.is_infinite() ? "never" : time.since_zero().to_shortest_string();
}

const char* to_string(WaitReason::Kind kind) {
    constexpr std::array names{"processors", "place", "licence", "passed over", "started", "rejected"};
    return names.at(static_cast<std::size_t>(kind));
}

void WaitReasons::submitted(JobIndex index, const std::string& id) {
    if (ids_.contains(id)) {
        waiting_.push_back(index);
    }
}

void WaitReasons::rejected(const SchedulerState& state, JobIndex index, const std::string& reason) {
    const JobDescription& job = state.job(index).description();
    if (!ids_.contains(job.id)) {
        return;
    }
    std::erase(waiting_, index);
    WaitReason rejection;
    rejection.job = name(job.id);
    rejection.time = state.now;
    rejection.kind = WaitReason::Kind::rejected;
    rejection.needed = job.processors;
    rejection.idle = state.idle.count();
    rejection.because = "it " + reason;
    record(std::move(rejection));
}

void WaitReasons::end_round(const SchedulerState& state) {
    for (const JobIndex index : waiting_) {
        record(reason_of(state, index));
    }
    std::erase_if(waiting_, [&](JobIndex index) { return state.job(index).state != JobState::submitted; });
    because_.clear();
}

WaitReason WaitReasons::reason_of(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    WaitReason reason;
    reason.job = name(job.description().id);
    reason.time = state.now;
    reason.needed = job.processors();
    reason.idle = state.idle.count();
    if (job.state != JobState::submitted) {
        reason.kind = WaitReason::Kind::started;
        return reason;
    }
    const std::span<const JobIndex> queue = state.waiting.jobs();
    reason.place = static_cast<std::size_t>(std::ranges::find(queue, index) - queue.begin()) + 1;
    reason.waiting = queue.size();
    reason.because = because_[index];
    const auto lacking = std::ranges::find_if(job.request.licenses(),
                                              [&](LicenseIndex license) { return state.copies_left[license] == 0; });
    if (lacking != job.request.licenses().end()) {
        reason.kind = WaitReason::Kind::license;
        reason.license = state.machine.licenses()[*lacking].name;
    } else if (job.processors() > state.idle.count()) {
        reason.kind = WaitReason::Kind::processors;
    } else if (!state.can_start(job.request)) {
        reason.kind = WaitReason::Kind::place;
    } else {
        reason.possible = state.now;
        return reason;
    }
    find_holders(state, job.request, reason);
    return reason;
}

void WaitReasons::find_holders(const SchedulerState& state, const Request& request, WaitReason& reason) const {
    Free free{state.idle.set(), state.copies_left};
    const ResourceSet idle = free.processors;
    reason.possible = Time::infinity();
    auto end = state.running.begin();
    std::optional<ResourceSet> place;
    while (end != state.running.end() && reason.possible.is_infinite()) {
        const Time instant = std::max(end->end, state.now);
        for (; end != state.running.end() && end->end <= instant; ++end) {
            const Job& job = state.job(end->job);
            ResourceSet freed = job.allocation;
            freed.remove(state.unavailable);
            free.processors.insert(freed);
            for (const LicenseIndex license : job.request.licenses()) {
                ++free.copies[license];
            }
        }
        place = free.place_for(state.machine, request);
        if (place && free.has_copies_of(request.licenses())) {
            reason.possible = instant;
        }
    }
    std::vector<LicenseIndex> lacking;
    std::ranges::copy_if(request.licenses(), std::back_inserter(lacking),
                         [&](LicenseIndex license) { return state.copies_left[license] == 0; });
    const bool lacks_processors = !place || idle.count_common(*place) < request.processors;
    for (auto running = state.running.begin(); running != end; ++running) {
        const Job& job = state.job(running->job);
        const bool holds_processors =
            lacks_processors && running->processors > 0 && (!place || job.allocation.count_common(*place) > 0);
        if (holds_processors || holds_one_of(job.request, lacking)) {
            reason.holders.push_back({name(job.description().id), running->processors, running->end});
        }
    }
}

void WaitReasons::record(WaitReason reason) {
    const auto [last, is_first] = last_.try_emplace(reason.job, reasons_.size());
    if (!is_first) {
        if (WaitReason& before = reasons_[last->second]; agree(before, reason)) {
            ++before.rounds;
            return;
        }
        last->second = reasons_.size();
    }
    reasons_.push_back(std::move(reason));
}

}  // namespace batfill
