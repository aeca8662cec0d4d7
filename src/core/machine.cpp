#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>

#include "src/core/properties.hpp"

namespace batfill {

namespace {

using Copies = std::map<std::string, long long, std::less<>>;

void add_copies(Copies& copies, std::string_view text) {
    for (const std::string_view part : names_in(text)) {
        const std::size_t colon = part.rfind(':');
        long long number = -1;
        if (colon != std::string_view::npos && colon > 0) {
            const char* const end = part.data() + part.size();
            if (std::from_chars(part.data() + colon + 1, end, number).ptr != end) {
                number = -1;
            }
        }
        refuse_if<InputError>(number < 0, "platform: zone property licenses has '", std::string(part),
                              "', expected name:copies");
        const std::string name(part.substr(0, colon));
        const auto [known, added] = copies.emplace(name, number);
        refuse_if<InputError>(!added && known->second != number, "platform: zone property licenses gives both ",
                              std::to_string(known->second), " and ", std::to_string(number), " copies of ", name);
    }
}

// Flops per second; 0 if unknown.
double speed_of(const Host& host) {
    const std::string_view text = property(host.properties, "speed");
    if (host.speed > 0 || text.empty()) {
        return host.speed;
    }
    double speed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
    refuse_if<InputError>(
        error != std::errc() || end != text.data() + text.size() || !std::isfinite(speed) || speed <= 0,
        "platform: host ", host.name, ": property speed is '", std::string(text),
        "', expected a positive number of flops per second");
    return speed;
}

Copies copies_stated_by_zones(std::span<const Host> hosts) {
    Copies copies;
    std::string_view previous;
    for (const Host& host : hosts) {
        const std::string_view text = property(host.zone_properties, "licenses");
        // Hosts of one zone have the same text. It is read once.
        if (text != previous) {
            add_copies(copies, text);
            previous = text;
        }
    }
    return copies;
}

// In the order of the enumeration.
constexpr std::array placement_names{"lowest", "contiguous", "best-effort-contiguous", "machine", "snug", "fullest"};

}  // namespace

const char* to_string(Placement placement) {
    return placement_names[static_cast<std::size_t>(placement)];
}

std::optional<Placement> placement_named(std::string_view name) {
    const auto* const found = std::find(placement_names.begin(), placement_names.end(), name);
    return found == placement_names.end() ? std::nullopt
                                          : std::optional(static_cast<Placement>(found - placement_names.begin()));
}

std::optional<SleepPstates> sleep_pstates_of(const Host& host) {
    const std::string_view all = property(host.properties, "sleep_pstates");
    const std::vector<std::string_view> several = names_in(all);
    if (several.empty()) {
        return std::nullopt;
    }
    SleepPstates pstates;
    const char* at = several.front().data();
    const char* const end = at + several.front().size();
    bool is_good = true;
    for (int* const pstate : {&pstates.sleep, &pstates.falling_asleep, &pstates.waking}) {
        const auto [next, error] = std::from_chars(at, end, *pstate);
        const bool is_last = pstate == &pstates.waking;
        is_good =
            is_good && error == std::errc() && *pstate >= 0 && (is_last ? next == end : next != end && *next == ':');
        refuse_if<InputError>(!is_good, "platform: host ", host.name, ": property sleep_pstates is '", std::string(all),
                              "', expected three numbers of pstates, SLEEP:OFF:ON");
        at = next + (is_last ? 0 : 1);
    }
    return pstates;
}

bool Machine::Group::has_all(std::span<const LicenseIndex> required) const {
    return std::includes(licenses.begin(), licenses.end(), required.begin(), required.end());
}

Machine::Machine(int processors) : processors_(processors) {
    assert(processors >= 0);
    if (processors > 0) {
        groups_.push_back({{}, 0, ResourceSet::range(0, processors - 1), {}, processors});
    }
}

Machine::Machine(std::span<const Host> hosts, std::vector<Window> windows, std::vector<Limit> limits)
    : Machine(static_cast<int>(hosts.size())) {
    try {
        read_groups(hosts);
    } catch (const InputError& problem) {
        *this = Machine(processors_);
        problem_of_groups_ = problem.what();
    }
    index_groups();
    read_sleep_states(hosts);
    if (std::ranges::any_of(hosts, [](const Host& host) { return host.properties.contains("weight"); })) {
        for (const Host& host : hosts) {
            const auto weight = host.properties.find("weight");
            host_weights_.push_back(weight != host.properties.end() ? weight->second : "1");
        }
    }
    try {
        resources_ = Resources(hosts, name_hosts(windows));
        windows_ = resolved(std::move(windows), resources_, processors_);
        has_bookings_ = are_for_bookings(windows_);
        if (!limits.empty()) {
            limits_ = Limits(std::move(limits), resources_);
        }
    } catch (const InputError& problem) {
        problem_of_resources_ = problem.what();
    }
}

void Machine::require_groups() const {
    refuse_if<InputError>(!problem_of_groups_.empty(), problem_of_groups_);
}

void Machine::require_resources() const {
    refuse_if<InputError>(!problem_of_resources_.empty(), problem_of_resources_);
}

void Machine::require_sleep_states() const {
    refuse_if<InputError>(!problem_of_sleep_states_.empty(), problem_of_sleep_states_);
}

void Machine::read_groups(std::span<const Host> hosts) {
    groups_.clear();
    Copies copies = copies_stated_by_zones(hosts);
    const bool counts_licenses = !copies.empty();
    if (counts_licenses) {
        for (const Host& host : hosts) {
            for (const std::string_view name : names_in(property(host.properties, "licenses"))) {
                copies.emplace(name, 0);  // unless a zone has set its copies
            }
        }
    }
    for (const auto& [name, number] : copies) {
        licenses_.push_back({name, number});
    }

    // The key orders groups as groups() does, except for equal speeds.
    using Likeness = std::tuple<double, std::string_view, std::vector<LicenseIndex>>;
    std::map<Likeness, ResourceSet> alike;
    std::map<std::string_view, std::vector<LicenseIndex>> installed;  // by the text of the property
    for (int number = 0; number < processors_; ++number) {
        const Host& host = hosts[static_cast<std::size_t>(number)];
        const std::string_view licenses = counts_licenses ? property(host.properties, "licenses") : std::string_view();
        auto [known, is_new] = installed.try_emplace(licenses);
        if (is_new) {
            known->second = licenses_named(licenses);
        }
        alike[{-speed_of(host), property(host.properties, "machine"), known->second}].insert(
            ResourceSet::range(number, number));
    }
    for (const auto& [likeness, processors] : alike) {
        const auto& [negative_speed, name, licenses] = likeness;
        groups_.push_back({std::string(name), -negative_speed, processors, licenses, processors.size()});
    }
    refuse_machines_of_several_kinds();
    std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
        const int lowest_of_a = a.processors.intervals().front().first;
        const int lowest_of_b = b.processors.intervals().front().first;
        return a.speed != b.speed ? a.speed > b.speed : lowest_of_a < lowest_of_b;
    });
}

// Fills group_of_ and groups_with_.
void Machine::index_groups() {
    if (groups_.size() > 1) {
        group_of_.resize(static_cast<std::size_t>(processors_));
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            for (const ResourceSet::Interval& interval : groups_[i].processors.intervals()) {
                std::fill(group_of_.begin() + interval.first, group_of_.begin() + interval.last + 1, i);
            }
        }
    }
    groups_with_.assign(licenses_.size(), std::vector<std::uint64_t>((groups_.size() + 63) / 64));
    for (GroupIndex i = 0; i < groups_.size(); ++i) {
        for (const LicenseIndex license : groups_[i].licenses) {
            groups_with_[license][i / 64] |= std::uint64_t{1} << (i % 64);
        }
    }
}

void Machine::read_sleep_states(std::span<const Host> hosts) {
    std::map<int, ResourceSet> by_pstate;
    for (int number = 0; number < processors_; ++number) {
        try {
            const auto pstates = sleep_pstates_of(hosts[static_cast<std::size_t>(number)]);
            if (pstates && pstates->sleep != computing_pstate) {
                by_pstate[pstates->sleep].insert(ResourceSet::range(number, number));
            }
        } catch (const InputError& problem) {
            problem_of_sleep_states_ = problem.what();
        }
    }
    for (auto& [pstate, processors] : by_pstate) {
        can_sleep_.insert(processors);
        sleep_states_.push_back({pstate, std::move(processors)});
    }
}

// The numbers of the listed licences, increasing and unique. Requires: all are known.
std::vector<LicenseIndex> Machine::licenses_named(std::string_view licenses) const {
    std::set<LicenseIndex> numbers;
    for (const std::string_view license : names_in(licenses)) {
        numbers.insert(*find_license(license));
    }
    return {numbers.begin(), numbers.end()};
}

void Machine::refuse_machines_of_several_kinds() const {
    std::map<std::string_view, const Group*> by_name;
    for (const Group& group : groups_) {
        const auto [other, is_new] = by_name.emplace(group.name, &group);
        if (!is_new && !group.name.empty()) {
            throw InputError("platform: hosts " + std::to_string(other->second->processors.intervals().front().first) +
                             " and " + std::to_string(group.processors.intervals().front().first) + " of machine " +
                             group.name + " differ in " + (other->second->speed != group.speed ? "speed" : "licences") +
                             ", expected that all hosts of a machine agree");
        }
    }
}

std::optional<LicenseIndex> Machine::find_license(std::string_view name) const {
    const auto found = std::ranges::lower_bound(licenses_, name, {}, &License::name);
    if (found == licenses_.end() || found->name != name) {
        return std::nullopt;
    }
    return static_cast<LicenseIndex>(found - licenses_.begin());
}

GroupIndex Machine::group_number_of(int processor) const {
    assert(processor >= 0 && processor < processors_);
    return group_of_.empty() ? 0 : group_of_[static_cast<std::size_t>(processor)];
}

// Whether the window alone has what such a job takes.
bool Machine::can_hold(const Window& window, const Request& request) const {
    for (std::size_t pool = 0; pool < request.pools().size(); ++pool) {
        if (window.names_pool(pool) && request.of_pool(pool) > window.pool_amounts[pool]) {
            return false;
        }
    }
    if (!resources_.has_named_hosts() || window.hosts.empty()) {
        return !window.names_processors() || request.processors <= window.processors;
    }
    const ResourceSet::Numbers numbers = window.hosts.numbers();
    return std::ranges::count_if(numbers, [&](int host) { return resources_.kind_of(host).suits(request); }) >=
           request.processors;
}

std::variant<Request, std::string> Machine::resolve(const JobDescription& job, Placement placement) const {
    return resolve(job, placement, job.needs ? &*job.needs : nullptr);
}

std::variant<Request, std::string> Machine::resolve(const JobDescription& job, Placement placement,
                                                    const StatedNeeds* stated) const {
    Request request{job.processors, placement};
    if (placement == Placement::machine && !job.licenses.empty()) {
        std::set<LicenseIndex> licenses;
        for (const std::string& name : job.licenses) {
            const std::optional<LicenseIndex> known = find_license(name);
            if (!known) {
                return "asks for licence " + name + ", of which there are no copies";
            }
            licenses.insert(*known);
        }
        request.details = Request::Details{.licenses = {licenses.begin(), licenses.end()}};
    }
    if (resources_.empty()) {
        return request;
    }
    return resources_.resolve(std::move(request), stated);
}

std::variant<Request, std::string> Machine::with_windows(Request request, const StatedNeeds& stated, Duration walltime,
                                                         Time now) const {
    if (!has_bookings_ || !stated.booking) {
        return request;
    }
    Request::Details details = request.details ? *request.details : Request::Details();
    details.windows.clear();
    details.length_inside = walltime;
    bool is_possible = false;
    for (std::size_t window = 0; window < windows_.size(); ++window) {
        if (windows_[window].is_for(*stated.booking)) {
            details.windows.push_back(window);
            is_possible |= std::max(now, windows_[window].from) + walltime <= windows_[window].until &&
                           can_hold(windows_[window], request);
        }
    }
    const std::string name = "reservation " + clear_name(*stated.booking);
    if (details.windows.empty()) {
        return "asks for " + name + ", for which the machine has no window";
    }
    if (!is_possible) {
        return "asks for " + name + ", and no window for it can hold the job from " +
               now.since_zero().to_shortest_string() + " on";
    }
    request.details = std::move(details);
    return request;
}

std::optional<std::string> Machine::reason_to_refuse(const Request& request) const {
    if (request.processors < 1) {
        return "asks for " + std::to_string(request.processors) + " processors";
    }
    if (request.processors > processors_) {
        return "asks for " + std::to_string(request.processors) + " processors, the machine has " +
               std::to_string(processors_);
    }
    for (const LicenseIndex license : request.licenses()) {
        assert(license < licenses_.size());
        if (licenses_[license].copies < 1) {
            return "asks for licence " + licenses_[license].name + ", of which there are no copies";
        }
    }
    if (request.placement == Placement::machine &&
        std::none_of(groups_.begin(), groups_.end(), [&](const Group& group) {
            return group.size >= request.processors && group.has_all(request.licenses());
        })) {
        return "asks for " + std::to_string(request.processors) + " processors of one machine" +
               (request.licenses().empty() ? "" : " with its licences") + ", no machine has them";
    }
    return std::nullopt;
}

}  // namespace batfill
