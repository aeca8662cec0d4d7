#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include <batfill/engine/state.hpp>

#include "src/support/json.hpp"

namespace batfill {

namespace {

// The index in [from, values.size()] of the first value that passes the test.
template <class Value, class Test>
std::size_t find_from(std::size_t from, const std::vector<Value>& values, Test test) {
    const Value* const end = values.data() + values.size();
    const Value* at = values.data() + from;
    if (at != end && test(*at)) {
        return from;
    }
    // A fixed trip count lets the compiler vectorise this loop. A loop that stops at the first fit is not vectorised,
    // and neither is a shorter one.
    for (constexpr int many = 64; end - at >= many; at += many) {
        int found = 0;
        for (int i = 0; i < many; ++i) {
            found |= test(at[i]) ? 1 : 0;
        }
        if (found != 0) {
            break;
        }
    }
    return static_cast<std::size_t>(std::find_if(at, end, test) - values.data());
}

constexpr std::uint32_t no_limit_class = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::size_t WaitingQueue::next_fitting(std::size_t from, int processors) const {
    return find_from(first_ + from, processors_, [=](int needed) { return needed <= processors; }) - first_;
}

std::size_t WaitingQueue::next_allowed(std::size_t from, int processors, const LimitsNow& limits) const {
    follow(limits);
    return find_from(first_ + from, within_limits_,
                     [=](int needed) { return static_cast<unsigned>(needed) <= static_cast<unsigned>(processors); }) -
           first_;
}

std::size_t WaitingQueue::next_not_passed_over(std::size_t from, int processors, const LimitsNow& limits) const {
    follow(limits);
    return find_from(first_ + from, within_limits_, [=](int needed) { return !is_held_within(needed, processors); }) -
           first_;
}

void WaitingQueue::follow(const LimitsNow& limits) const {
    limits.for_each_change([&](std::uint32_t limit_class) {
        std::size_t left = limit_class < jobs_of_class_.size() ? jobs_of_class_[limit_class] : 0;
        const int sign = limits.holds(limit_class) ? -1 : 0;
        const auto is_of_class = [=](std::uint32_t other) { return other == limit_class; };
        constexpr std::size_t few = 32;  // one of so many: it costs less to search each than to write all
        if (left * few < size()) {
            for (std::size_t at = first_; left > 0; ++at, --left) {
                at = find_from(at, limit_classes_, is_of_class);
                within_limits_[at] = processors_[at] ^ sign;
            }
            return;
        }
        for (std::size_t at = first_; at < jobs_.size(); ++at) {
            within_limits_[at] = is_of_class(limit_classes_[at]) ? processors_[at] ^ sign : within_limits_[at];
        }
    });
}

Duration WaitingQueue::shortest_walltime() const {
    return *std::min_element(walltimes_.begin() + static_cast<std::ptrdiff_t>(first_), walltimes_.end());
}

std::size_t WaitingQueue::position_of(JobIndex index, const JobTable& jobs) const {
    const auto before = [&](JobIndex a, JobIndex b) { return jobs.submitted_before(a, b); };
    if (empty() || before(jobs_.back(), index)) {
        return jobs_.size();
    }
    const auto first = jobs_.begin() + static_cast<std::ptrdiff_t>(first_);
    return static_cast<std::size_t>(std::lower_bound(first, jobs_.end(), index, before) - jobs_.begin());
}

template <class Change>
void WaitingQueue::change_arrays(Change change) {
    change(jobs_);
    change(processors_);
    change(walltimes_);
    if (!limit_classes_.empty()) {
        change(limit_classes_);
        change(within_limits_);
    }
}

void WaitingQueue::insert(JobIndex index, const JobTable& jobs, const LimitsNow* limits) {
    const Job& job = jobs[index];
    const auto at = static_cast<std::ptrdiff_t>(position_of(index, jobs));
    jobs_.insert(jobs_.begin() + at, index);
    processors_.insert(processors_.begin() + at, job.processors());
    walltimes_.insert(walltimes_.begin() + at, job.walltime);
    if (limits != nullptr && limits->is_on()) {
        const Request& request = job.request;
        const bool has_class = request.details && !request.details->limits.empty();
        const std::uint32_t limit_class = has_class ? request.details->limit_class : no_limit_class;
        limit_classes_.insert(limit_classes_.begin() + at, limit_class);
        if (has_class) {
            jobs_of_class_.resize(std::max(jobs_of_class_.size(), std::size_t{limit_class} + 1));
            ++jobs_of_class_[limit_class];
        }
        within_limits_.insert(within_limits_.begin() + at,
                              limits->allow(request) ? job.processors() : ~job.processors());
    }
}

void WaitingQueue::remove(JobIndex index, const JobTable& jobs) {
    const auto at = static_cast<std::ptrdiff_t>(position_of(index, jobs));
    const auto first = static_cast<std::ptrdiff_t>(first_);
    if (!limit_classes_.empty() && limit_classes_[static_cast<std::size_t>(at)] != no_limit_class) {
        --jobs_of_class_[limit_classes_[static_cast<std::size_t>(at)]];
    }
    if (static_cast<std::size_t>(at - first) >= size() / 2) {
        change_arrays([=](auto& values) { values.erase(values.begin() + at); });
        return;
    }
    change_arrays([=](auto& values) {
        std::move_backward(values.begin() + first, values.begin() + at, values.begin() + at + 1);
    });
    ++first_;
    // Unused entries never outnumber waiting jobs, and each removal pays for dropping one entry.
    if (first_ > size()) {
        change_arrays([=](auto& values) { values.erase(values.begin(), values.begin() + first + 1); });
        first_ = 0;
    }
}

void IdleByGroup::reset(const Machine& machine, const ResourceSet& idle) {
    int largest_size = 0;
    for (const Machine::Group& group : machine.groups()) {
        largest_size = std::max(largest_size, group.size);
    }
    counts_.assign(machine.groups().size(), 0);
    groups_with_.assign(static_cast<std::size_t>(largest_size), 0);
    has_idle_.assign(static_cast<std::size_t>(largest_size),
                     std::vector<std::uint64_t>((machine.groups().size() + 63) / 64));
    add(machine, idle, 1);
}

void IdleByGroup::add(const Machine& machine, const ResourceSet& processors, int sign) {
    for (const ResourceSet::Interval& interval : processors.intervals()) {
        for (int first = interval.first; first <= interval.last;) {
            const GroupIndex group = machine.group_number_of(first);
            int next = first + 1;
            while (next <= interval.last && machine.group_number_of(next) == group) {
                ++next;
            }
            change(group, counts_[group] + sign * (next - first));
            first = next;
        }
    }
}

void IdleByGroup::change(GroupIndex group, int count) {
    const int before = std::exchange(counts_[group], count);
    const std::uint64_t bit = std::uint64_t{1} << (group % 64);
    for (int i = std::min(before, count); i < std::max(before, count); ++i) {
        const auto level = static_cast<std::size_t>(i);
        has_idle_[level][group / 64] ^= bit;
        groups_with_[level] += before < count ? 1 : -1;
    }
}

int IdleByGroup::largest() const {
    const auto end = std::ranges::partition_point(groups_with_, [](int groups) { return groups > 0; });
    return static_cast<int>(end - groups_with_.begin());
}

std::optional<GroupIndex> IdleByGroup::first_with(const Machine& machine, int processors,
                                                  std::span<const LicenseIndex> licenses, GroupIndex from) const {
    if (processors > static_cast<int>(has_idle_.size())) {
        return std::nullopt;
    }
    const std::vector<std::uint64_t>& has_idle = has_idle_[static_cast<std::size_t>(processors) - 1];
    std::uint64_t mask = ~std::uint64_t{0} << (from % 64);
    for (std::size_t word = from / 64; word < has_idle.size(); ++word) {
        std::uint64_t groups = has_idle[word] & mask;
        mask = ~std::uint64_t{0};
        for (auto license = licenses.begin(); groups != 0 && license != licenses.end(); ++license) {
            groups &= machine.groups_with(*license)[word];
        }
        if (groups != 0) {
            return word * 64 + static_cast<std::size_t>(std::countr_zero(groups));
        }
    }
    return std::nullopt;
}

void IdleProcessors::reset(const Machine& machine, Placement placement, ResourceSet processors) {
    set_ = std::move(processors);
    count_ = set_.size();
    if (placement == Placement::machine) {
        machine_ = &machine;
        by_group_.reset(machine, set_);
    }
}

void IdleProcessors::count_in(const ResourceSet& processors, int sign) {
    count_ += sign * processors.size();
    if (machine_ != nullptr) {
        by_group_.add(*machine_, processors, sign);
    }
}

void IdleProcessors::insert(const ResourceSet& processors) {
    set_.insert(processors);
    count_in(processors, 1);
}

void IdleProcessors::remove(const ResourceSet& processors) {
    set_.remove(processors);
    count_in(processors, -1);
}

ResourceSet IdleProcessors::take_lowest(int count) {
    ResourceSet taken = set_.take_lowest(count);
    count_in(taken, -1);
    return taken;
}

int SchedulerState::most_for_one_job() const {
    if (hosts.are_named() || machine.has_bookings()) {
        return processors;
    }
    switch (placement) {
        case Placement::contiguous:
            return idle.set().longest_block();
        case Placement::machine:
            return idle.by_group().largest();
        case Placement::lowest:
        case Placement::best_effort_contiguous:
        case Placement::snug:
        case Placement::fullest:
            break;
    }
    return idle.count();
}

bool SchedulerState::has_of_some_pools(const Request& request) const {
    if (!request.is_booked()) {
        return has_of_pools(request, std::nullopt);
    }
    return std::ranges::any_of(request.windows(), [&](std::size_t window) {
        return windows.is_open(window) && has_of_pools(request, window);
    });
}

bool SchedulerState::has_of_pools(const Request& request, std::optional<std::size_t> window) const {
    if (!limits.allow(request)) {
        return false;
    }
    if (!request.details) {
        return true;
    }
    const std::vector<Amount>& needed = request.details->pools;
    for (std::size_t pool = 0; pool < needed.size(); ++pool) {
        Amount left = pools_left[pool];
        if (window && machine.windows()[*window].names_pool(pool)) {
            const Amount rest = windows.left_inside(*window, pool);
            left = std::min(rest, left + rest);
        }
        if (needed[pool] > 0 && needed[pool] > left) {
            return false;
        }
    }
    return true;
}

bool SchedulerState::host_fits(const Request& request, int host, std::optional<std::size_t> window) const {
    if (!window) {
        return hosts.fits(request, host);
    }
    return machine.windows()[*window].allows_host(host) && !unavailable.contains(host) &&
           !windows.is_taken_by_another(host, *window) && hosts.fits_if_available(request, host);
}

ResourceSet SchedulerState::hosts_inside(const Request& request, std::size_t window, const ResourceSet& without) const {
    ResourceSet fitting;
    for (int host = 0; host < processors && fitting.size() < request.processors; ++host) {
        if (!without.contains(host) && host_fits(request, host, window)) {
            fitting.insert(ResourceSet::range(host, host));
        }
    }
    return fitting;
}

bool SchedulerState::is_during(const Request& request, std::size_t window) const {
    return windows.is_open(window) && now + request.length_inside() <= machine.windows()[window].until;
}

std::optional<std::size_t> SchedulerState::window_now(const Request& request) const {
    for (const std::size_t window : request.windows()) {
        if (is_during(request, window) && has_of_pools(request, window) &&
            (hosts.are_named() ? hosts_inside(request, window).size() == request.processors
                               : has_processors_in(request, {{}, window}))) {
            return window;
        }
    }
    return std::nullopt;
}

bool SchedulerState::has_processors_in(const Request& request, const Place& place) const {
    if (hosts.are_named()) {
        const ResourceSet::Numbers numbers = place.hosts.numbers();
        return std::ranges::all_of(numbers, [&](int host) { return host_fits(request, host, place.window); });
    }
    if (place.window && !windows.is_open(*place.window)) {
        return false;
    }
    if (place.window && machine.windows()[*place.window].names_processors()) {
        return request.processors <= free_inside(*place.window).size();
    }
    return request.processors <= idle.count() &&
           (request.placement != Placement::contiguous || idle.set().lowest_block(request.processors));
}

bool SchedulerState::can_start(const Request& request) const {
    if (request.is_booked()) {
        return window_now(request).has_value();
    }
    return (!request.details || has_of_pools(request)) && has_free_processors(request);
}

bool SchedulerState::has_free_processors(const Request& request) const {
    if (hosts.are_named()) {
        return hosts.fits(request);
    }
    if (request.processors > idle.count()) {
        return false;
    }
    switch (request.placement) {
        case Placement::contiguous:
            return idle.set().lowest_block(request.processors).has_value();
        case Placement::machine:
            return can_start_on_a_machine(request.processors, request.licenses());
        case Placement::lowest:
        case Placement::best_effort_contiguous:
        case Placement::snug:
        case Placement::fullest:
            break;
    }
    return true;
}

std::optional<ResourceSet> SchedulerState::processors_for(const Request& request) const {
    if (!can_start(request)) {
        return std::nullopt;
    }
    if (hosts.are_named()) {
        return hosts.choose(request);
    }
    if (request.placement == Placement::machine) {
        const GroupIndex group = *idle.by_group().first_with(machine, request.processors, request.licenses());
        return idle.set().intersection(machine.groups()[group].processors).take_lowest(request.processors);
    }
    std::optional<ResourceSet> block;
    if (request.placement == Placement::contiguous || request.placement == Placement::best_effort_contiguous) {
        block = idle.set().lowest_block(request.processors);
    }
    return block ? block : ResourceSet(idle.set()).take_lowest(request.processors);
}

namespace {

// What `read` makes of the value of a field; none if the job does not have the field.
template <class Value>
std::optional<Value> field(const JobDescription& job, std::string_view name,
                           std::optional<Value> (*read)(const JsonValue&)) {
    if (job.other_fields.empty()) {
        return std::nullopt;
    }
    JsonReader reader;
    const JsonValue& object = reader.parse("{" + job.other_fields.text() + "}");
    const auto found = std::find_if(object.MemberBegin(), object.MemberEnd(),
                                    [&](const auto& member) { return view(member.name) == name; });
    return found == object.MemberEnd() ? std::nullopt : read(found->value);
}

}  // namespace

std::optional<double> number_field(const JobDescription& job, std::string_view name) {
    return field<double>(job, name, [](const JsonValue& value) {
        return value.IsNumber() ? std::optional(value.GetDouble()) : std::nullopt;
    });
}

std::optional<std::string> text_field(const JobDescription& job, std::string_view name) {
    return field<std::string>(job, name, [](const JsonValue& value) {
        return value.IsString() ? std::optional<std::string>(view(value)) : std::nullopt;
    });
}

}  // namespace batfill
