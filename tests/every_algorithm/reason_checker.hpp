#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/wait_reason.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/machine_by_hand.hpp"
#include "tests/every_algorithm/watched_algorithm.hpp"

namespace batfill::tests {

// Holds a reason against what a round has left, with nothing but a MachineByHand.
class ReasonChecker {
 public:
    using Rows = std::map<JobIndex, const WaitReason*>;  // of all jobs that wait after the round

    ReasonChecker(const Moment& moment, const Rows& rows, const DrawnAlgorithm& algorithm)
        : moment_(moment), state_(moment.state), rows_(rows), algorithm_(algorithm) {
        for (const JobIndex job : state_.waiting.jobs()) {
            by_name_[name(job)] = job;
        }
        for (const RunningJob& running : state_.running) {
            by_name_[name(running.job)] = running.job;
            ends_[running.job] = running.end;
        }
        const std::string planned = parameter("plan-pools", "all");
        for (const Resources::Pool& pool : state_.machine.resources().pools()) {
            planned_.push_back(planned == "all" || planned == pool.name);
        }
        all_.assign(planned_.size(), true);
    }

    // What is false of it; empty if nothing is. `before`: what was said before of the same job, if anything.
    std::string falsehood(JobIndex job, const WaitReason& reason, const WaitReason* before) const {
        try {
            check_numbers(job, reason);
            check_kind(job, reason);
            check_holders(job, reason);
            check_pools(job, reason);
            check_hosts(job, reason);
            check_next_window(job, reason);
            check_windows(job, reason);
            check_rule(job, reason, before);
        } catch (const False& found) {
            return found.what();
        }
        return {};
    }

 private:
    struct False : std::logic_error {
        using std::logic_error::logic_error;
    };
    static void claim(bool holds, const std::string& text) {
        if (!holds) {
            throw False(text);
        }
    }

    std::string name(JobIndex job) const {
        const std::string& id = state_.job(job).description().id;
        return id.substr(id.find('!') + 1);
    }
    JobIndex named(const std::string& name) const {
        const auto found = by_name_.find(name);
        claim(found != by_name_.end(), "no job " + name + " waits or runs");
        return found->second;
    }
    std::string parameter(const std::string& key, const std::string& otherwise) const {
        std::string value = otherwise;
        for (const auto& [one, given] : algorithm_.parameters) {
            value = one == key ? given : value;
        }
        return value;
    }
    const Request& request(JobIndex job) const { return state_.job(job).request; }
    const std::vector<Amount>& pools_of(JobIndex job) const { return request(job).pools(); }
    bool is_outside(JobIndex job) const { return MachineByHand::is_outside(request(job)); }
    bool has_named_hosts() const { return state_.hosts.are_named(); }
    bool is_plain() const { return state_.machine.is_plain(); }
    static constexpr Duration moment_length() { return Duration::microseconds(1); }
    MachineByHand machine(const std::vector<bool>& pools) const { return {state_, pools}; }

    // What is left of a pool for a job now.
    bool lacks_pool_now(JobIndex job, const std::vector<bool>& which) const {
        const MachineByHand all = machine(all_);
        if (is_outside(job)) {
            for (std::size_t pool = 0; pool < pools_of(job).size(); ++pool) {
                if (which[pool] && pools_of(job)[pool] > 0 &&
                    pools_of(job)[pool] > all.pool_at(pool, state_.now, std::nullopt)) {
                    return true;
                }
            }
            return false;
        }
        return !machine(which).fits(request(job), moment_length(), state_.now);
    }
    // Whether a job could start now and run for so long, but for other waiting jobs.
    bool fits_alone(JobIndex job, Duration length) const {
        return place_fits(job) && machine(planned_).fits(request(job), length, state_.now) &&
               machine(all_).fits(request(job), moment_length(), state_.now);
    }
    // Placements that MachineByHand does not know: a block, or one of several machines and licences.
    bool place_fits(JobIndex job) const { return knows_place(job) || state_.can_start(request(job)); }
    bool knows_place(JobIndex job) const {
        return request(job).placement != Placement::contiguous && request(job).placement != Placement::machine;
    }

    void check_numbers(JobIndex job, const WaitReason& reason) const {
        claim(reason.needed == request(job).processors, "needed");
        const MachineByHand all = machine(all_);
        if (has_named_hosts()) {
            claim(
                reason.idle == (is_outside(job) ? all.hosts_for(request(job), state_.now, moment_length(), std::nullopt)
                                                : state_.idle.count()),
                "hosts that fit");
        } else {
            claim(reason.idle == std::max(Amount{0}, all.processors_at(state_.now, std::nullopt)), "idle");
        }
        std::size_t place = 1;
        for (const JobIndex other : state_.waiting.jobs()) {
            place += state_.jobs.submitted_before(other, job) ? 1U : 0U;
        }
        claim(reason.place == place && reason.waiting == state_.waiting.jobs().size(), "place in the queue");
    }

    WaitReason::Kind kind_of(JobIndex job) const {
        using Kind = WaitReason::Kind;
        const MachineByHand all = machine(all_);
        const Duration walltime = state_.job(job).walltime;
        if (!is_outside(job)) {
            return all.fits(request(job), walltime, state_.now) ? Kind::passed_over : Kind::window;
        }
        if (!state_.has_copies_of(request(job).licenses())) {
            return Kind::license;
        }
        if (lacks_pool_now(job, all_)) {
            return Kind::pool;
        }
        if (!all.fits(request(job), moment_length(), state_.now)) {
            return has_named_hosts() ? Kind::hosts : Kind::processors;
        }
        return !place_fits(job)                               ? Kind::place
               : all.fits(request(job), walltime, state_.now) ? Kind::passed_over
                                                              : Kind::window;
    }
    // Where windows together want more processors than there are, the first has its due: only the engine knows who has
    // what, and a plan counts on the worst.
    bool is_overfull() const { return machine(all_).processors_at(state_.now, std::nullopt) < 0; }
    void check_kind(JobIndex job, const WaitReason& reason) const {
        const WaitReason::Kind kind = is_outside(job) || !is_overfull() ? kind_of(job) : reason.kind;
        claim(reason.kind == kind, std::string("it is ") + to_string(kind) + " that it lacks");
        using Of = WaitReason::Lack::OfReservation;
        const bool one_is_open = std::ranges::any_of(request(job).windows(), [&](std::size_t number) {
            const Window& window = state_.machine.windows()[number];
            return window.from <= state_.now && state_.now < window.until;
        });
        claim(reason.lack.of_reservation == (is_outside(job)                         ? Of::nothing
                                             : kind == WaitReason::Kind::passed_over ? Of::has_room
                                             : one_is_open                           ? Of::no_room
                                                                                     : Of::no_open_window),
              "windows of its reservation");
    }

    // Whether the job could start if these had ended and there were no windows.
    bool fits_without(JobIndex job, const std::set<JobIndex>& ended) const {
        const MachineByHand all(state_, all_, Duration::microseconds(1), ended, false);
        if (knows_place(job)) {
            return all.fits_in(request(job), moment_length(), state_.now, std::nullopt);
        }
        ResourceSet free = ResourceSet::range(0, state_.processors - 1);
        free.remove(state_.unavailable);
        std::vector<long long> copies;
        for (const Machine::License& license : state_.machine.licenses()) {
            copies.push_back(license.copies);
        }
        for (const MachineByHand::Use& use : all.uses()) {
            free.remove(use.hosts);
            for (const LicenseIndex license : request(use.job).licenses()) {
                --copies[license];
            }
        }
        if (request(job).placement == Placement::contiguous) {
            return free.lowest_block(request(job).processors).has_value();
        }
        return std::ranges::all_of(request(job).licenses(), [&](LicenseIndex one) { return copies[one] > 0; }) &&
               std::ranges::any_of(state_.machine.groups(), [&](const Machine::Group& group) {
                   return group.has_all(request(job).licenses()) &&
                          free.count_common(group.processors) >= request(job).processors;
               });
    }
    // When it could start if nothing else did and there were no windows.
    Time possible(JobIndex job, std::set<JobIndex> ended = {}) const {
        if (fits_without(job, ended)) {
            return state_.now;
        }
        for (auto running = state_.running.begin(); running != state_.running.end();) {
            const Time end = std::max(running->end, state_.now);
            for (; running != state_.running.end() && running->end <= end; ++running) {
                ended.insert(running->job);
            }
            if (fits_without(job, ended)) {
                return end;
            }
        }
        return Time::infinity();
    }
    void check_holders(JobIndex job, const WaitReason& reason) const {
        if (reason.kind == WaitReason::Kind::window || reason.kind == WaitReason::Kind::passed_over) {
            claim(reason.possible == (reason.kind == WaitReason::Kind::window ? Time::infinity() : state_.now),
                  "possible start");
            claim(reason.holders.empty(), "holders");
            return;
        }
        claim(reason.possible == possible(job), "possible start");
        std::set<JobIndex> holders;
        for (const Share& holder : reason.holders) {
            const JobIndex running = named(holder.name);
            claim(ends_.contains(running) && ends_.at(running) == holder.until, "end of holder " + holder.name);
            claim(std::max(holder.until, state_.now) <= reason.possible, "holder " + holder.name + " ends later");
            claim(holders.insert(running).second, "holder " + holder.name + " twice");
        }
        if (reason.possible.is_infinite()) {
            claim(holders.empty(), "holders, and it can never start");
            return;
        }
        claim(fits_without(job, holders), "the end of the holders is not enough");
        for (const JobIndex one : holders) {
            std::set<JobIndex> others = holders;
            others.erase(one);
            claim(!fits_without(job, others), "the end of holder " + name(one) + " is not needed");
        }
    }

    // Whether these are the largest of all, and the others' number and sum.
    static void check_shares(const Shares& said, std::vector<Share> all, const std::string& what) {
        std::ranges::stable_sort(all, std::ranges::greater(), &Share::amount);
        claim(said.first.size() == std::min(all.size(), Shares::most), what + ": how many are named");
        for (const Share& share : said.first) {
            claim(std::ranges::count(all, share) == 1, what + ": what " + share.name + " has");
        }
        Amount rest = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            rest += all[i].amount;
            rest -= i < said.first.size() ? said.first[i].amount : 0;
        }
        claim(said.others == all.size() - said.first.size() && said.rest == rest, what + ": the others");
    }
    Share share(JobIndex job, Amount amount) const { return {name(job), amount, ends_.at(job), false}; }

    void check_pools(JobIndex job, const WaitReason& reason) const {
        if (!is_outside(job)) {
            claim(reason.lack.pools.first.empty() && !reason.lack.hosts, "what it lacks outside");
            return;
        }
        const MachineByHand all = machine(all_);
        std::vector<std::size_t> lacking;
        for (std::size_t pool = 0; pool < pools_of(job).size(); ++pool) {
            if (pools_of(job)[pool] > 0 && pools_of(job)[pool] > all.pool_at(pool, state_.now, std::nullopt)) {
                lacking.push_back(pool);
            }
        }
        claim(reason.lack.pools.first.size() == std::min<std::size_t>(lacking.size(), 3) &&
                  reason.lack.pools.others == lacking.size() - reason.lack.pools.first.size(),
              "number of pools");
        for (std::size_t i = 0; i < reason.lack.pools.first.size(); ++i) {
            const std::size_t pool = lacking[i];
            const WaitReason::Pool& said = reason.lack.pools.first[i];
            const Resources::Pool& whole = state_.machine.resources().pools()[pool];
            claim(said.name == whole.name && said.total == whole.total, "pool " + said.name);
            claim(said.needed == pools_of(job)[pool], "what it takes of " + said.name);
            claim(said.free == std::max(Amount{0}, all.pool_at(pool, state_.now, std::nullopt)),
                  "free of " + said.name);
            std::vector<Share> shares;
            Amount left = whole.total;
            for (const MachineByHand::Use& use : all.uses()) {
                const bool is_of_window = use.window && state_.machine.windows()[*use.window].names_pool(pool);
                const Amount held = pools_of(use.job).empty() ? 0 : pools_of(use.job)[pool];
                if (held > 0 && !is_of_window) {
                    shares.push_back(share(use.job, held));
                    left -= held;
                }
            }
            // Windows have what is left, in the order in which they began.
            for (const std::size_t number : state_.windows.open()) {
                const Window& window = state_.machine.windows()[number];
                const Amount has = window.names_pool(pool) ? std::clamp(left, Amount{0}, window.pool_amounts[pool]) : 0;
                if (has > 0) {
                    shares.push_back({window.name, has, window.until, true});
                    left -= has;
                }
            }
            claim(left == said.free, "the sum of " + said.name);
            check_shares(said.held, std::move(shares), "pool " + said.name);
        }
    }

    void check_hosts(JobIndex job, const WaitReason& reason) const {
        if (!reason.lack.hosts) {
            claim(reason.kind != WaitReason::Kind::hosts, "which hosts");
            return;
        }
        const WaitReason::Hosts& said = *reason.lack.hosts;
        const Request::Details& needs = request(job).details_or_none();
        const MachineByHand all = machine(all_);
        std::size_t suitable = 0;
        std::size_t unavailable = 0;
        std::vector<int> used;
        std::map<std::size_t, Amount> closed;  // by window
        int fitting = 0;
        for (int host = 0; host < state_.processors; ++host) {
            if (!state_.machine.resources().kind_of(host).suits(request(job))) {
                continue;
            }
            ++suitable;
            if (all.host_fits_at(request(job), host, state_.now, std::nullopt)) {
                ++fitting;
            } else if (state_.unavailable.contains(host)) {
                ++unavailable;
            } else if (all.is_closed_at(host, state_.now, std::nullopt)) {
                for (const std::size_t number : state_.windows.open()) {
                    if (state_.machine.windows()[number].hosts.contains(host)) {
                        ++closed[number];
                        break;
                    }
                }
            } else {
                used.push_back(host);
            }
        }
        claim(reason.idle == fitting && said.suitable == suitable, "hosts in all");
        claim(said.are_whole == needs.per_host.empty(), "whole hosts");
        if (fitting >= request(job).processors) {
            return;
        }
        claim(said.unavailable == unavailable, "unavailable hosts");
        std::vector<Share> shares;
        for (const MachineByHand::Use& use : all.uses()) {
            const auto hosts = std::ranges::count_if(used, [&](int host) { return use.hosts.contains(host); });
            if (said.are_whole && hosts > 0) {
                shares.push_back(share(use.job, hosts));
            }
        }
        for (const auto& [number, hosts] : closed) {
            const Window& window = state_.machine.windows()[number];
            shares.push_back({window.name, hosts, window.until, true});
        }
        check_shares(said.held, std::move(shares), "hosts");
        if (!said.capacity.empty()) {
            check_capacity(job, said, used);
        } else {
            claim(said.are_whole || used.empty(), "which capacity");
        }
    }
    void check_capacity(JobIndex job, const WaitReason::Hosts& said, const std::vector<int>& used) const {
        const MachineByHand all = machine(all_);
        const std::vector<std::string>& names = state_.machine.resources().capacities();
        const Request::Details& needs = request(job).details_or_none();
        std::size_t most = 0;
        for (std::size_t capacity = 0; capacity < names.size(); ++capacity) {
            const auto lacks = [&](int host) {
                return needs.per_host[capacity] > all.capacity_at(host, capacity, state_.now);
            };
            const auto lacking = static_cast<std::size_t>(std::ranges::count_if(used, lacks));
            most = std::max(most, lacking);
            if (names[capacity] != said.capacity) {
                continue;
            }
            claim(said.lacking == lacking && said.host == *std::ranges::find_if(used, lacks), "hosts that lack it");
            claim(said.of_host == state_.machine.resources().kind_of(said.host).capacity[capacity],
                  "what the host has");
            std::vector<Share> shares;
            for (const MachineByHand::Use& use : all.uses()) {
                const std::vector<Amount>& own = request(use.job).per_host();
                const Amount held = own.empty() ? said.of_host : own[capacity];
                if (use.hosts.contains(said.host) && held > 0) {
                    shares.push_back(share(use.job, held));
                }
            }
            check_shares(said.held_there, std::move(shares), "the host");
        }
        claim(said.lacking == most, "the capacity that is short on the most hosts");
    }

    void check_next_window(JobIndex job, const WaitReason& reason) const {
        const bool runs_into = is_outside(job) && reason.kind == WaitReason::Kind::window;
        claim(reason.lack.next_window.empty() == !runs_into, "which window it would run into");
        if (!runs_into) {
            return;
        }
        const Shortage& then = reason.lack.then;
        const auto known = std::ranges::find_if(state_.machine.windows(), [&](const Window& window) {
            return window.name == reason.lack.next_window && window.from == then.at;
        });
        claim(known != state_.machine.windows().end() && known->announced <= state_.now &&
                  known->from < state_.now + state_.job(job).walltime,
              "the window that it would run into");
        // Of hosts, until then: the window closes them.
        check_shortage(machine(all_), job, then, then.at + moment_length() - state_.now, std::nullopt);
    }

    void check_shortage(const MachineByHand& by_hand, JobIndex job, const Shortage& said, Duration length,
                        std::optional<std::size_t> inside) const {
        claim(said.at >= state_.now && said.at < state_.now + length, "when it is short");
        Amount left = 0;
        switch (said.of) {
            case Shortage::Of::processors:
                claim(said.needed == request(job).processors, "processors that it needs");
                left = by_hand.processors_at(said.at, inside);
                break;
            case Shortage::Of::hosts:
                claim(said.needed == request(job).processors, "hosts that it needs");
                left = by_hand.hosts_for(request(job), state_.now, length, inside);
                break;
            case Shortage::Of::pool: {
                const auto& pools = state_.machine.resources().pools();
                const auto pool = std::ranges::find(pools, said.name, &Resources::Pool::name);
                claim(pool != pools.end(), "pool " + said.name);
                const auto number = static_cast<std::size_t>(pool - pools.begin());
                claim(said.needed == pools_of(job)[number], "what it takes of " + said.name);
                left = by_hand.pool_at(number, said.at, inside);
                break;
            }
            case Shortage::Of::licence:
            case Shortage::Of::block:
                return;
        }
        claim(said.left == std::max(left, Amount{0}), "what would be left");
        claim(said.left < said.needed, "too little would be left");
    }

    void check_windows(JobIndex job, const WaitReason& reason) const {
        Time until = (reason.possible.is_infinite() ? state_.now : reason.possible) + state_.job(job).walltime;
        const std::vector<std::size_t>& own = request(job).windows();
        const std::vector<Window>& windows = state_.machine.windows();
        for (const std::size_t number : own) {
            until = windows[number].announced <= state_.now ? std::max(until, windows[number].until) : until;
        }
        std::size_t found = 0;
        for (std::size_t number = 0; number < windows.size(); ++number) {
            const Window& window = windows[number];
            const bool is_own = std::ranges::find(own, number) != own.end();
            std::vector<std::pair<std::string, Amount>> pools;
            for (std::size_t pool = 0; pool < pools_of(job).size(); ++pool) {
                if (pools_of(job)[pool] > 0 && window.names_pool(pool)) {
                    pools.emplace_back(state_.machine.resources().pools()[pool].name, window.pool_amounts[pool]);
                }
            }
            const ResourceSet::Numbers hosts = window.hosts.numbers();
            const bool takes = window.processors > 0 || !pools.empty() || std::ranges::any_of(hosts, [&](int host) {
                                   return state_.machine.resources().kind_of(host).suits(request(job));
                               });
            if (window.announced > state_.now || window.until <= state_.now || window.from >= until ||
                !(takes || is_own)) {
                continue;
            }
            if (found++ < reason.windows.first.size()) {
                const WaitReason::Window& said = reason.windows.first[found - 1];
                claim(said.name == window.name && said.from == window.from && said.until == window.until &&
                          said.is_own == is_own,
                      "window " + window.name);
                claim(is_own || (said.processors == window.processors && (said.pools == pools) &&
                                 (said.hosts.empty() || said.hosts == window.hosts)),
                      "what window " + window.name + " takes");
            }
        }
        claim(reason.windows.first.size() == std::min<std::size_t>(found, 3) &&
                  reason.windows.others == found - reason.windows.first.size(),
              "number of windows");
    }

    // ---- What algorithms say.

    // The jobs of the queue of this one: those of the same reservation, or of none.
    std::vector<JobIndex> queue_of(JobIndex job) const {
        std::vector<JobIndex> queue;
        for (const JobIndex other : state_.waiting.jobs()) {
            const bool is_same = is_outside(job) ? is_outside(other)
                                                 : !is_outside(other) && reservation_of(other) == reservation_of(job);
            if (is_same) {
                queue.push_back(other);
            }
        }
        return queue;
    }
    std::string reservation_of(JobIndex job) const { return state_.job(job).description().needs->booking.value(); }

    // The jobs with reservations, in the order in which they got them.
    std::vector<JobIndex> reserved_jobs() const {
        std::vector<JobIndex> jobs;
        for (const JobIndex job : state_.waiting.jobs()) {
            const Reason& reason = rows_.at(job)->because;
            if ((reason.rule == Reason::Rule::head || reason.rule == Reason::Rule::reserved) &&
                !reason.start.is_infinite()) {
                jobs.push_back(job);
            }
        }
        std::ranges::stable_sort(
            jobs, {}, [&](JobIndex job) { return is_outside(job) ? std::string() : "1" + reservation_of(job); });
        return jobs;
    }
    void reserve(MachineByHand& by_hand, JobIndex job, const Reason& reason) const {
        const Time until = reason.start + state_.estimate(job);
        by_hand.add({job, reason.start, until, reason.hosts,
                     by_hand.window_for(request(job), state_.estimate(job), reason.start)});
    }

    void check_rule(JobIndex job, const WaitReason& row, const WaitReason* before) const {
        using Rule = Reason::Rule;
        const Reason& reason = row.because;
        switch (reason.rule) {
            case Rule::none:
            case Rule::own_words:
            case Rule::no_decision:
                return;
            case Rule::first:
            case Rule::behind_first: {
                const JobIndex first = queue_of(job).front();
                claim((job == first) == (reason.rule == Rule::first), "who is first");
                claim(job == first || named(reason.job) == first, "whom it is behind");
                claim(!fits_alone(first, state_.estimate(first)), "the first could start");
                return;
            }
            case Rule::head:
            case Rule::behind_head:
            case Rule::not_tried_behind_head:
            case Rule::would_delay_head:
            case Rule::reserved:
            case Rule::without_reservation:
            case Rule::behind_others:
            case Rule::would_delay_reservation:
            case Rule::not_tried:
            case Rule::head_without_reservation:
                is_plain() && parameter("reservations", "1") == "1" ? check_plain_easy(job, reason)
                                                                    : check_easy(job, reason);
                return;
            case Rule::passed_over:
            case Rule::parked: {
                std::vector<bool> unplanned = planned_;
                unplanned.flip();
                claim(lacks_pool_now(job, unplanned), "a pool that is not planned has enough left");
                return;
            }
            case Rule::top:
            case Rule::behind_top:
            case Rule::too_late:
                check_relaxed(job, reason);
                return;
            case Rule::planned:
            case Rule::tentative:
            case Rule::hopeless:
                check_plan(job, reason, before);
                return;
        }
    }

    // One reservation on a machine of equal processors.
    void check_plain_easy(JobIndex job, const Reason& reason) const {
        using Rule = Reason::Rule;
        const bool is_head = reason.rule == Rule::head;
        const JobIndex head = is_head ? job : named(reason.job);
        claim(rows_.at(head)->because.rule == Rule::head, "who is the head");
        claim(reason.start == possible(head), "shadow time");
        const Time now = state_.now;
        const bool is_counted = knows_place(job);
        const auto left_of = [&](const ResourceSet& processors) {
            ResourceSet left = processors;
            left.remove(state_.unavailable);
            for (const RunningJob& running : state_.running) {
                if (std::max(running.end, now) > reason.start) {
                    left.remove(state_.job(running.job).allocation);
                }
            }
            return std::max(left.size() - request(head).processors, 0);
        };
        if (!reason.start.is_infinite() && is_counted) {
            claim(reason.extra_processors == left_of(ResourceSet::range(0, state_.processors - 1)), "extra processors");
        } else if (!reason.start.is_infinite() && request(job).placement == Placement::machine) {
            // Several groups may be of one machine.
            claim(std::ranges::any_of(state_.machine.groups(),
                                      [&](const Machine::Group& group) {
                                          return group.name == reason.machine &&
                                                 group.has_all(request(head).licenses()) &&
                                                 reason.extra_processors == left_of(group.processors);
                                      }),
                  "extra processors");
        }
        if (is_head) {
            claim(!place_fits(job) || !fits_alone(job, state_.estimate(job)), "the head could start");
            return;
        }
        claim(reason.processors == request(head).processors, "processors of the head");
        const bool fits = fits_alone(job, state_.estimate(job));
        claim(fits == (reason.rule != Rule::behind_head), "whether it could start");
        if (reason.rule == Rule::not_tried_behind_head) {
            claim(parameter("test-limit", "all") != "all", "there is no limit of tests");
        }
        if (reason.rule == Rule::would_delay_head) {
            claim(reason.estimate == state_.estimate(job), "its estimate");
            claim(now + reason.estimate > reason.start, "it would end in time");
            claim(reason.shortage.left < reason.shortage.needed, "too little would be left");
            if (is_counted) {
                claim(reason.shortage.needed == request(job).processors, "processors that it needs");
                claim(reason.shortage.left == *reason.extra_processors, "what would be left");
            }
        }
    }

    // A number of reservations, on a machine where others are on a timeline.
    void check_easy(JobIndex job, const Reason& reason) const {
        using Rule = Reason::Rule;
        const std::vector<JobIndex> reserved = reserved_jobs();
        const Duration length = state_.estimate(job);
        MachineByHand by_hand = machine(planned_);
        switch (reason.rule) {
            case Rule::head:
            case Rule::reserved:
            case Rule::without_reservation:
                for (const JobIndex other : reserved) {
                    if (other == job) {
                        break;
                    }
                    // Those that have none come after it, or before it in its queue.
                    if (reason.start.is_infinite() && !is_before(other, job)) {
                        break;
                    }
                    reserve(by_hand, other, rows_.at(other)->because);
                }
                claim(by_hand.earliest(request(job), length) == reason.start, "its reservation");
                if (!reason.start.is_infinite() && has_named_hosts()) {
                    check_place(by_hand, job, reason, length);
                }
                return;
            case Rule::head_without_reservation:
                claim(parameter("reservations", "1") == "0", "it has a reservation");
                claim(!fits_alone(job, length), "the head could start");
                return;
            case Rule::behind_others:
            case Rule::behind_head:
                claim(!fits_alone(job, length), "it could start");
                break;
            case Rule::not_tried:
            case Rule::not_tried_behind_head:
                claim(fits_alone(job, length), "it could not start");
                claim(parameter("test-limit", "all") != "all", "there is no limit of tests");
                break;
            default:
                check_delay(job, reason, reserved, length, by_hand,
                            [&](JobIndex other) { reserve(by_hand, other, rows_.at(other)->because); });
                claim(reason.estimate == length, "its estimate");
        }
        if (reason.rule == Rule::behind_head || reason.rule == Rule::not_tried_behind_head ||
            reason.rule == Rule::would_delay_head) {
            const Reason& head = rows_.at(named(reason.job))->because;
            claim(head.rule == Rule::head && head.start == reason.start && head.hosts == reason.hosts, "the head");
        } else if (reason.rule == Rule::would_delay_reservation) {
            claim(rows_.at(named(reason.job))->because.start == reason.delayed_start, "the start that it would delay");
        }
    }
    bool is_before(JobIndex other, JobIndex job) const {
        const std::string other_queue = is_outside(other) ? "" : "1" + reservation_of(other);
        const std::string queue = is_outside(job) ? "" : "1" + reservation_of(job);
        return other_queue != queue ? other_queue < queue : state_.jobs.submitted_before(other, job);
    }
    void check_place(const MachineByHand& by_hand, JobIndex job, const Reason& reason, Duration length) const {
        claim(reason.hosts.size() == request(job).processors, "number of its hosts");
        MachineByHand narrow = by_hand;
        const std::optional<std::size_t> inside =
            is_outside(job) ? std::nullopt : by_hand.window_for(request(job), length, reason.start);
        for (const int host : reason.hosts.numbers()) {
            Time at = reason.start;
            for (const Time instant : by_hand.instants()) {
                at = std::max(at, instant);
                claim(at >= reason.start + length || by_hand.host_fits_at(request(job), host, at, inside), "its hosts");
            }
        }
    }

    // The first of these with which the job does not fit any more is the one that is named, and the shortage is true.
    void check_delay(JobIndex job, const Reason& reason, const std::vector<JobIndex>& others, Duration length,
                     const MachineByHand& by_hand, const std::function<void(JobIndex)>& add) const {
        claim(fits_alone(job, length), "it could not start anyway");
        const JobIndex delayed = named(reason.job);
        for (const JobIndex other : others) {
            add(other);
            if (other == delayed) {
                break;
            }
            claim(by_hand.fits(request(job), length, state_.now), "it would delay " + name(other));
        }
        claim(std::ranges::find(others, delayed) != others.end(), "whom it would delay");
        claim(!by_hand.fits(request(job), length, state_.now), "it would not delay it");
        std::optional<std::size_t> inside;
        for (const std::size_t number : request(job).windows()) {
            const Window& window = state_.machine.windows()[number];
            const bool is_in_time = window.announced <= state_.now && window.from <= state_.now &&
                                    state_.now + request(job).length_inside() <= window.until;
            inside = is_in_time && !inside ? std::optional(number) : inside;
        }
        check_shortage(by_hand, job, reason.shortage, length, inside);
    }

    void check_relaxed(JobIndex job, const Reason& reason) const {
        using Rule = Reason::Rule;
        const JobIndex top = reason.rule == Rule::top ? job : named(reason.job);
        claim(rows_.at(top)->because.rule == Rule::top, "who is the top job");
        const Reason& of_top = rows_.at(top)->because;
        claim(reason.start == of_top.start && reason.latest_end == of_top.latest_end, "the top job's start");
        const double omega = std::stod(parameter("omega", "1"));
        claim(reason.all_wait == (omega <= 0), "whether all wait");
        if (std::isfinite(omega)) {
            check_start_of_top(top, reason.start);
            const Time latest =
                reason.start.is_infinite() || omega <= 0
                    ? Time::infinity()
                    : state_.now + Duration::microseconds(static_cast<Microseconds>(
                                       std::floor(omega * static_cast<double>((reason.start - state_.now).count()))));
            claim(reason.latest_end == latest, "when the others must end");
        }
        const bool fits = fits_alone(job, state_.estimate(job));
        if (reason.rule == Rule::too_late) {
            claim(fits, "it could not start anyway");
            claim(reason.end == state_.now + state_.estimate(job) && reason.end > reason.latest_end,
                  "it would end in time");
        } else {
            claim(!fits || reason.all_wait, "it could start");
        }
    }
    // It was found after the jobs before the top one had started, and before those behind it.
    void check_start_of_top(JobIndex top, Time start) const {
        std::set<JobIndex> later(moment_.started.begin(), moment_.started.end());
        for (std::size_t i = 0;; ++i) {
            const MachineByHand by_hand(state_, planned_, Duration::microseconds(1), later);
            if ((is_plain() ? possible(top, later) : by_hand.earliest(request(top), state_.estimate(top))) == start) {
                return;
            }
            claim(i < moment_.started.size(), "when the top job could start");
            later.erase(moment_.started[i]);
        }
    }

    void check_plan(JobIndex job, const Reason& reason, const WaitReason* before) const {
        using Rule = Reason::Rule;
        const auto planned = std::ranges::find(moment_.plan, job, &Plan::PlannedJob::job);
        claim(planned != moment_.plan.end() && planned->start == reason.start && planned->place.hosts == reason.hosts,
              "its planned start");
        claim(reason.has_passed == (reason.start < state_.now), "whether its start has passed");
        claim(reason.rule == Rule::planned || state_.job(job).description().deadline.has_value(), "its deadline");
        const bool was_planned =
            before != nullptr && before->because.rule >= Rule::planned && before->because.rule < Rule::parked;
        Reason::Moves moves = was_planned ? before->because.moves : Reason::Moves();
        if (was_planned && before->because.start != reason.start) {
            moves = {moves.number + 1, before->because.start, state_.now, reason.moves.events};
        }
        claim(moves == reason.moves, "its moves");
        const Duration length = state_.job(job).walltime;
        std::vector<JobIndex> others;
        for (const Plan::PlannedJob& other : moment_.plan) {
            if (other.job != job && other.start < state_.now + length) {
                others.push_back(other.job);
            }
        }
        MachineByHand by_hand = machine(planned_);
        const auto add = [&](JobIndex other) {
            const auto place = std::ranges::find(moment_.plan, other, &Plan::PlannedJob::job);
            by_hand.add({other, place->start, place->start + state_.job(other).walltime, place->place.hosts,
                         place->place.window});
        };
        if (!reason.job.empty()) {
            check_delay(job, reason, others, length, by_hand, add);
            const auto delayed = std::ranges::find(moment_.plan, named(reason.job), &Plan::PlannedJob::job);
            claim(delayed->start == reason.delayed_start, "the start that it would delay");
        } else if (reason.start > state_.now && fits_alone(job, length)) {
            std::ranges::for_each(others, add);
            claim(by_hand.fits(request(job), length, state_.now), "it would delay a planned job");
        }
    }

    const Moment& moment_;
    const SchedulerState& state_;
    const Rows& rows_;
    const DrawnAlgorithm& algorithm_;
    std::map<std::string, JobIndex> by_name_;
    std::map<JobIndex, Time> ends_;
    std::vector<bool> planned_;
    std::vector<bool> all_;
};

}  // namespace batfill::tests
