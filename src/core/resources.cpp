#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include <batfill/core/error.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/resources.hpp>

#include "src/core/properties.hpp"

namespace batfill {

namespace {

using Stated = StatedNeeds::Amounts;

std::string pools_of_zones(std::span<const Host> hosts, std::vector<Resources::Pool>& pools) {
    std::set<std::string_view> texts;
    for (const Host& host : hosts) {
        const std::string_view text = property(host.zone_properties, "pools");
        if (text.empty() || !texts.insert(text).second) {
            continue;
        }
        for (const auto& [name, total] : parse_amounts(text, "platform: zone property pools")) {
            pools.push_back({name, total});
        }
    }
    std::ranges::sort(pools, {}, &Resources::Pool::name);
    const auto twice = std::ranges::adjacent_find(pools, {}, &Resources::Pool::name);
    return twice == pools.end() ? "" : twice->name;
}

std::optional<std::size_t> position_in(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

}  // namespace

std::vector<std::pair<std::string, Amount>> parse_amounts(std::string_view text, const std::string& what) {
    Stated amounts;
    for (const std::string_view part : names_in(text)) {
        const std::size_t colon = part.rfind(':');
        Amount amount = -1;
        if (colon != std::string_view::npos && colon > 0) {
            const char* const end = part.data() + part.size();
            if (std::from_chars(part.data() + colon + 1, end, amount).ptr != end) {
                amount = -1;
            }
        }
        const std::string name(part.substr(0, colon));
        const bool is_amount = amount >= 0 && amount <= max_total_amount && name.find(':') == std::string::npos;
        refuse_if<InputError>(!is_amount, what, " has '", std::string(part),
                              "', expected NAME:AMOUNT with a whole number from 0 to 10^18");
        const bool is_known = std::ranges::find(amounts, name, &Stated::value_type::first) != amounts.end();
        refuse_if<InputError>(is_known, what, " names ", name, " twice");
        amounts.emplace_back(name, amount);
    }
    return amounts;
}

std::vector<std::string_view> partitions_in(std::string_view text) {
    std::vector<std::string_view> names;
    while (true) {
        const std::size_t comma = text.find(',');
        names.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) {
            return names;
        }
        text.remove_prefix(comma + 1);
    }
}

bool Resources::HostKind::has_one_of(const std::vector<std::size_t>& some) const {
    return std::ranges::any_of(
        some, [this](std::size_t partition) { return std::ranges::binary_search(partitions, partition); });
}

bool Resources::HostKind::suits(const Request::Details& taken) const {
    return is_in_one_of(taken.partitions) &&
           (taken.per_host.empty() ||
            (is_shared && std::ranges::equal(taken.per_host, capacity, std::ranges::less_equal{})));
}

std::vector<Amount> Resources::totals() const {
    std::vector<Amount> totals(capacities_.size());
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        for (std::size_t capacity = 0; capacity < totals.size(); ++capacity) {
            const Amount of_each = kinds_[kind].capacity[capacity];
            refuse_if<InputError>(of_each > (max_total_amount - totals[capacity]) / hosts_of_kind_[kind],
                                  "platform: the hosts have more than 10^18 ", capacities_[capacity], " in all");
            totals[capacity] += of_each * hosts_of_kind_[kind];
        }
    }
    return totals;
}

bool Resources::has_shared_hosts() const {
    return std::ranges::any_of(kinds_, &HostKind::is_shared);
}

const std::vector<std::string>& Resources::host_names() const {
    static const std::vector<std::string> none;
    return host_names_ ? *host_names_ : none;
}

Resources::Resources(std::span<const Host> hosts, bool names_hosts) {
    const std::string twice = pools_of_zones(hosts, pools_);
    refuse_if<InputError>(!twice.empty(), "platform: two zones have a pool ", twice, ", expected one");
    const bool is_named = names_hosts || std::ranges::any_of(hosts, [](const Host& host) {
                              return host.properties.contains("capacity") || host.properties.contains("partitions");
                          });
    if (is_named) {
        read_hosts(hosts);
    }
    const auto both = std::ranges::find_if(
        pools_, [this](const Pool& pool) { return position_in(capacities_, pool.name).has_value(); });
    refuse_if<InputError>(both != pools_.end(), "the machine has a pool ", both == pools_.end() ? "" : both->name,
                          " and hosts have a capacity of this name, expected different names");
}

void Resources::read_hosts(std::span<const Host> hosts) {
    using Texts = std::pair<std::optional<std::string_view>, std::string_view>;
    const auto texts_of = [](const Host& host) {
        const auto capacity = host.properties.find("capacity");
        return Texts(
            capacity == host.properties.end() ? std::nullopt : std::optional<std::string_view>(capacity->second),
            property(host.properties, "partitions"));
    };
    // Hosts with the same texts are of one kind. The amounts of a kind are complete once all names are known.
    std::map<Texts, std::size_t> numbers;
    std::vector<Stated> stated;
    std::vector<std::vector<std::string_view>> partitions;
    std::set<std::string_view> all_partitions;
    for (const Host& host : hosts) {
        const Texts texts = texts_of(host);
        const auto [known, is_new] = numbers.try_emplace(texts, numbers.size());
        kind_of_.push_back(known->second);
        if (!is_new) {
            continue;
        }
        kinds_.push_back({texts.first.has_value(), {}, {}});
        stated.push_back(
            parse_amounts(texts.first.value_or(""), "platform: host " + host.name + ": property capacity"));
        for (const auto& [name, amount] : stated.back()) {
            if (!position_in(capacities_, name)) {
                capacities_.push_back(name);
            }
        }
        partitions.push_back(names_in(texts.second));
        all_partitions.insert(partitions.back().begin(), partitions.back().end());
    }
    partitions_.assign(all_partitions.begin(), all_partitions.end());
    hosts_of_kind_.assign(kinds_.size(), 0);
    for (const std::size_t kind : kind_of_) {
        ++hosts_of_kind_[kind];
    }
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        kinds_[kind].capacity.assign(capacities_.size(), 0);
        for (const auto& [name, amount] : stated[kind]) {
            kinds_[kind].capacity[*position_in(capacities_, name)] = amount;
        }
        std::set<std::size_t> members;
        for (const std::string_view name : partitions[kind]) {
            members.insert(*position_in(partitions_, name));
        }
        kinds_[kind].partitions.assign(members.begin(), members.end());
    }
    totals();  // refuses too much
    if (has_shared_hosts()) {
        std::vector<std::string> names;
        names.reserve(hosts.size());
        std::ranges::transform(hosts, std::back_inserter(names), &Host::name);
        host_names_ = std::move(names);
    }
}

std::optional<std::string> Resources::resolve_pools(const StatedNeeds::Amounts& asked,
                                                    Request::Details& details) const {
    for (const auto& [name, amount] : asked) {
        if (amount == 0) {
            continue;
        }
        const auto pool = std::ranges::find(pools_, name, &Pool::name);
        if (pool == pools_.end() || amount > pool->total) {
            return "asks for " + std::to_string(amount) + " of pool " + clear_name(name) +
                   (pool == pools_.end() ? ", which the machine does not have"
                                         : ", the machine has " + std::to_string(pool->total));
        }
        details.pools.resize(pools_.size());
        details.pools[static_cast<std::size_t>(pool - pools_.begin())] = amount;
    }
    return std::nullopt;
}

std::optional<std::string> Resources::resolve_per_host(const StatedNeeds::Amounts& asked,
                                                       Request::Details& details) const {
    Amount most = 0;
    details.per_host.assign(capacities_.size(), 0);
    for (const auto& [name, amount] : asked) {
        const auto capacity = position_in(capacities_, name);
        if (amount > 0 && !capacity) {
            return "asks for " + std::to_string(amount) + " " + clear_name(name) + " on each host, which no host has";
        }
        if (capacity) {
            details.per_host[*capacity] = amount;
        }
        most = std::max(most, amount);
    }
    return most == 0 ? std::optional<std::string>("asks for nothing on its hosts") : std::nullopt;
}

std::optional<std::string> Resources::resolve_partitions(std::string_view asked, Request::Details& details) const {
    for (const std::string_view name : partitions_in(asked)) {
        const auto partition = position_in(partitions_, name);
        if (!partition) {
            return "asks for partition " + clear_name(name) + ", which the machine does not have";
        }
        details.partitions.push_back(*partition);
    }
    std::ranges::sort(details.partitions);
    details.partitions.erase(std::unique(details.partitions.begin(), details.partitions.end()),
                             details.partitions.end());
    return std::nullopt;
}

std::string Resources::names_of_partitions(const std::vector<std::size_t>& some) const {
    std::string names;
    for (const std::size_t partition : some) {
        names.append(names.empty() ? "" : " or ").append(clear_name(partitions_[partition]));
    }
    return names;
}

std::optional<std::string> Resources::lack_of_hosts(const Request& request) const {
    int suitable = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        suitable += kinds_[kind].suits(request) ? hosts_of_kind_[kind] : 0;
    }
    if (request.processors <= suitable) {
        return std::nullopt;
    }
    std::string text =
        "asks for " + std::to_string(request.processors) + (request.processors == 1 ? " host" : " hosts");
    const char* before = " with ";
    for (std::size_t capacity = 0; capacity < request.per_host().size(); ++capacity) {
        if (request.per_host()[capacity] > 0) {
            text.append(std::exchange(before, ", ")).append(std::to_string(request.per_host()[capacity]));
            text.append(" ").append(clear_name(capacities_[capacity]));
        }
    }
    if (!request.partitions().empty()) {
        text.append(" in partition ").append(names_of_partitions(request.partitions()));
    }
    return text.append(", the machine has ").append(std::to_string(suitable));
}

std::variant<Request, std::string> Resources::resolve(Request request, const StatedNeeds* stated) const {
    static const StatedNeeds nothing;
    const StatedNeeds& asked = stated != nullptr ? *stated : nothing;
    Request::Details details;
    std::optional<std::string> lack;
    if (!pools_.empty()) {
        lack = resolve_pools(asked.pools, details);
    }
    if (!lack && asked.per_host && has_shared_hosts()) {
        lack = resolve_per_host(*asked.per_host, details);
        for (const auto& [name, amount] : asked.in_all) {
            if (const auto capacity = position_in(capacities_, name)) {
                details.in_all = details.per_host;
                std::ranges::for_each(details.in_all, [&](Amount& each) { each *= request.processors; });
                details.in_all[*capacity] = amount;
            }
        }
    }
    if (!lack && !partitions_.empty() && asked.partition) {
        lack = resolve_partitions(*asked.partition, details);
    }
    if (details != Request::Details()) {
        request.details = std::move(details);
    }
    if (!lack && has_named_hosts()) {
        lack = lack_of_hosts(request);
    }
    if (lack) {
        return *std::move(lack);
    }
    return request;
}

}  // namespace batfill
