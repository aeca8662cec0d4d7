#include <algorithm>
#include <limits>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/core/limit.hpp>

#include "src/core/properties.hpp"

namespace batfill {

namespace {

// Appends a value so that different lists of values have different texts.
void append_to_key(std::string_view value, std::string& key) {
    key.append(std::to_string(value.size())).append(":").append(value);
}

// At most the largest amount.
Amount product(Amount a, Amount b) {
    constexpr Amount largest = std::numeric_limits<Amount>::max();
    return a > 0 && b > largest / a ? largest : a * b;
}

}  // namespace

Limits::Name Limits::name_in(const Resources& resources, const Limit& limit, const std::string& name) {
    if (name == "jobs") {
        return {Counted::jobs};
    }
    if (name == "processors") {
        return {Counted::processors};
    }
    const auto pool = std::ranges::find(resources.pools(), name, &Resources::Pool::name);
    if (pool != resources.pools().end()) {
        return {Counted::pool, static_cast<std::size_t>(pool - resources.pools().begin())};
    }
    const auto capacity = std::ranges::find(resources.capacities(), name);
    refuse_if<InputError>(capacity == resources.capacities().end(), limit.place,
                          ": field \"most\": the machine has no ", clear_name(name),
                          ", expected jobs, processors, or the name of a pool or a capacity");
    return {Counted::capacity, static_cast<std::size_t>(capacity - resources.capacities().begin())};
}

Limits::Limits(std::vector<Limit> all, const Resources& resources) : all_(std::move(all)) {
    for (std::size_t number = 0; number < all_.size(); ++number) {
        const Limit& limit = all_[number];
        std::vector<Name>& names = names_.emplace_back();
        for (const auto& [name, most] : limit.most) {
            names.push_back(name_in(resources, limit, name));
            const auto known = std::ranges::find(least_, names.back(), &std::pair<Name, Amount>::first);
            if (known == least_.end()) {
                least_.emplace_back(names.back(), most);
            } else {
                known->second = std::min(known->second, most);
            }
        }
        auto group = std::ranges::find(groups_, limit.of, &Group::of);
        group = group == groups_.end() ? groups_.insert(group, Group{limit.of, {}}) : group;
        std::string key;
        std::vector<bool> is_named;
        for (const std::optional<std::string>& value : limit.values) {
            is_named.push_back(value.has_value());
            if (value) {
                append_to_key(*value, key);
            }
        }
        auto pattern = std::ranges::find(group->patterns, is_named, &Pattern::is_named);
        if (pattern == group->patterns.end()) {
            const auto named = static_cast<std::size_t>(std::ranges::count(is_named, true));
            const auto place =
                std::ranges::find_if(group->patterns, [=](const Pattern& other) { return other.named < named; });
            pattern = group->patterns.insert(place, Pattern{is_named, named, {}});
        }
        pattern->limits[key].push_back(number);
    }
}

Amount Limits::taken_of(const Name& name, const Request& request, const Resources& resources) {
    switch (name.counted) {
        case Counted::jobs:
            return 1;
        case Counted::processors:
            return request.processors;
        case Counted::pool:
            return request.of_pool(name.number);
        case Counted::capacity:
            break;
    }
    Amount of_each = 0;
    if (!request.details_or_none().in_all.empty()) {
        return request.details->in_all[name.number];
    }
    if (!request.takes_whole_hosts()) {
        of_each = request.per_host()[name.number];
    } else {
        for (const Resources::HostKind& kind : resources.kinds()) {
            if (kind.is_in_one_of(request.partitions())) {
                of_each = std::max(of_each, kind.capacity[name.number]);
            }
        }
    }
    return product(request.processors, of_each);
}

void Limits::add_bounds(const Group& group, const std::vector<std::string>& values, const Request& request,
                        const Resources& resources, std::vector<Bound>& bounds) const {
    std::string all_values;
    std::ranges::for_each(values, [&](const std::string& value) { append_to_key(value, all_values); });
    std::vector<std::pair<Name, std::size_t>> known;  // names of patterns so far, and how many values these name
    for (const Pattern& pattern : group.patterns) {
        std::string key;
        for (std::size_t field = 0; field < values.size(); ++field) {
            if (pattern.is_named[field]) {
                append_to_key(values[field], key);
            }
        }
        const auto found = pattern.limits.find(key);
        if (found == pattern.limits.end()) {
            continue;
        }
        for (const std::size_t limit : found->second) {
            for (std::size_t name = 0; name < names_[limit].size(); ++name) {
                const Name& counted = names_[limit][name];
                const auto before = std::ranges::find(known, counted, &std::pair<Name, std::size_t>::first);
                if (before == known.end()) {
                    known.emplace_back(counted, pattern.named);
                } else if (before->second > pattern.named) {
                    continue;
                }
                if (const Amount taken = taken_of(counted, request, resources); taken > 0) {
                    bounds.push_back(
                        {limit, name, std::to_string(limit) + ',' + std::to_string(name) + ',' + all_values, taken});
                }
            }
        }
    }
}

std::vector<Limits::Bound> Limits::bounds_for(const Request& request, const Resources& resources,
                                              const FieldText& field) const {
    std::vector<Bound> bounds;
    for (const Group& group : groups_) {
        std::vector<std::string> values;
        for (const std::string& name : group.of) {
            std::optional<std::string> value = field(name);
            if (!value) {
                break;
            }
            values.push_back(*std::move(value));
        }
        if (values.size() == group.of.size()) {
            add_bounds(group, values, request, resources, bounds);
        }
    }
    return bounds;
}

bool Limits::may_refuse(const Request& request, const Resources& resources) const {
    return std::ranges::any_of(
        least_, [&](const auto& least) { return taken_of(least.first, request, resources) > least.second; });
}

std::optional<std::string> Limits::reason_to_refuse(const Request& request, const Resources& resources,
                                                    const FieldText& field) const {
    if (!may_refuse(request, resources)) {
        return std::nullopt;
    }
    for (const Bound& bound : bounds_for(request, resources, field)) {
        if (bound.taken > most(bound)) {
            const std::string& counted = all_[bound.limit].most[bound.name].first;
            return "asks for " + std::to_string(bound.taken) + ' ' + (counted == "jobs" ? "job" : clear_name(counted)) +
                   ", of which " + name_of(bound.limit, field) + " allows " + std::to_string(most(bound));
        }
    }
    return std::nullopt;
}

std::string Limits::name_of(std::size_t limit, const FieldText& field) const {
    std::string text = "limit " + std::to_string(all_[limit].line);
    for (const std::string& name : all_[limit].of) {
        text += ", " + clear_name(name) + ' ' + clear_name(field(name).value_or(""));
    }
    return text;
}

}  // namespace batfill
