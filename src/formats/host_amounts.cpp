#include "src/formats/host_amounts.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr const char* whole_rule = "whole hosts, by the log: no per_host";
constexpr const char* unknown_rule = "nothing known of what it took of its hosts: whole hosts";
constexpr const char* no_cores_rule = "cores unknown: not in per_host";
constexpr const char* no_memory_rule = "memory unknown: not in per_host";
constexpr const char* requested_rule = "per_host by the request, where no allocation is known";

constexpr std::string_view type_prefix = "gpus_";

long long divided(long long number, long long by) {
    return number / by + (number % by > 0 ? 1 : 0);
}

// Where an amount stands among others.
int order_of(std::string_view name) {
    return name == "cores" ? 0 : name == "gpus" ? 1 : name.starts_with(type_prefix) ? 2 : 3;
}

// A name for an amount or a pool. Characters that separate entries of a capacity become '_'.
std::string amount_name(std::string_view prefix, std::string_view text) {
    std::string name(prefix);
    for (const char c : text) {
        const bool is_separator = c == ':' || c == ',' || c == '=' || c == ' ' || c == '\t';
        name += is_separator ? '_' : c;
    }
    return name;
}

void keep_largest(std::optional<long long>& largest, std::optional<long long> other, bool& differs) {
    differs = differs || largest.value_or(0) != other.value_or(0);
    largest = std::max(largest, other);
}

}  // namespace

std::optional<long long> HostAmounts::share(std::optional<long long> number) {
    if (hosts_ <= 0 || !number || *number < 0 || *number > most) {
        return std::nullopt;
    }
    if (*number % hosts_ > 0) {
        note(host_rules::rounded);
    }
    return divided(*number, hosts_);
}

void HostAmounts::set_cores(std::optional<long long> number, std::string_view column, Source source) {
    cores_column_ = column;
    cores_ = number > 0 ? share(number) : std::nullopt;
    whole_cores_ = cores_ ? *number : 0;
    if (cores_ && source == Source::request) {
        note(requested_rule);
    }
}

void HostAmounts::set_gpus(const GpuCount& gpus, std::string_view column, Source source) {
    gpus_column_ = column;
    gpus_ = share(gpus.total());
    whole_gpus_ = gpus_ ? *gpus.total() : 0;
    gpus_of_type_.clear();
    whole_of_type_.clear();
    for (const auto& [type, number] : gpus.types()) {
        if (const std::optional<long long> each = share(number); gpus_ && each) {
            std::string name = amount_name(type_prefix, type);
            whole_of_type_[name] += number;
            gpus_of_type_[std::move(name)] += *each;
        }
    }
    if (gpus_.value_or(0) > 0 && source == Source::request) {
        note(requested_rule);
    }
}

void HostAmounts::set_further(const FurtherResources& resources, bool keeps_pools, Source source) {
    constexpr auto own_names = std::to_array<std::string_view>({"cores", "gpus", "memory"});
    for (const auto& [resource, number] : resources) {
        const auto [kind, rest] = cut(resource, '/');
        const bool is_pool = keeps_pools && (kind == "license" || kind == "bb") && !rest.empty();
        std::string name = amount_name(kind == "bb" ? "bb_" : "", rest);
        if (is_word_of(name, own_names)) {
            name.insert(0, "_").insert(0, kind);
        }
        if (is_pool) {
            pools_.try_emplace(std::move(name), number);
        } else if (const auto each = kind == "gres" && !further_.contains(name) ? share(number) : std::nullopt) {
            further_.emplace(std::move(name), *each);
            if (source == Source::request) {
                note(requested_rule);
            }
        } else if (kind != "gres" || !further_.contains(name)) {
            leave_out(resource);
        }
    }
}

void HostAmounts::set_memory(std::optional<long long> bytes, std::string_view column, Source source) {
    memory_column_ = column;
    whole_memory_ = bytes > 0 ? std::optional(divided(*bytes, mebibyte)) : std::nullopt;
    memory_ = hosts_ > 0 && bytes > 0 ? std::optional(divided(divided(*bytes, hosts_), mebibyte)) : std::nullopt;
    if (memory_ && source == Source::request) {
        note(requested_rule);
    }
}

void HostAmounts::set_whole(long long cores, long long gpus, long long bytes) {
    whole_cores_ = cores_ ? cores : 0;
    whole_gpus_ = gpus_ ? gpus : 0;
    whole_memory_ = memory_ && bytes > 0 ? std::optional(divided(bytes, mebibyte)) : std::nullopt;
}

long long HostAmounts::whole_of(std::string_view name) const {
    if (const auto type = whole_of_type_.find(name); type != whole_of_type_.end()) {
        return type->second;
    }
    return name == "cores"    ? whole_cores_
           : name == "gpus"   ? whole_gpus_
           : name == "memory" ? whole_memory_.value_or(0)
                              : 0;
}

StatedNeeds::Amounts HostAmounts::surplus(const StatedNeeds::Amounts& of_each, long long hosts) const {
    StatedNeeds::Amounts surplus;
    for (const auto& [name, each] : of_each) {
        const long long whole = whole_of(name);
        if (whole > 0 && each <= most_bytes / std::max(hosts, 1LL) && each * hosts > whole) {
            surplus.emplace_back(name, each * hosts - whole);
        }
    }
    return surplus;
}

void HostAmounts::note(const char* rule) {
    if (std::ranges::find(notes_, rule) == notes_.end()) {
        notes_.push_back(rule);
    }
}

bool HostAmounts::raise_each(const HostAmounts& other) {
    bool differs = gpus_of_type_ != other.gpus_of_type_ || further_ != other.further_;
    keep_largest(cores_, other.cores_, differs);
    keep_largest(gpus_, other.gpus_, differs);
    keep_largest(memory_, other.memory_, differs);
    const auto raise = [](auto& largest, const auto& numbers) {
        for (const auto& [name, number] : numbers) {
            largest[name] = std::max(largest[name], number);
        }
    };
    raise(gpus_of_type_, other.gpus_of_type_);
    raise(further_, other.further_);
    return differs;
}

void HostAmounts::join(const HostAmounts& other) {
    takes_whole_ = takes_whole_ || other.takes_whole_;
    const auto take = [](std::string_view& column, bool is_known, std::string_view other_column) {
        column = is_known ? column : other_column;
    };
    take(cores_column_, cores_.has_value(), other.cores_column_);
    take(gpus_column_, gpus_ > 0, other.gpus_column_);
    take(memory_column_, memory_ || whole_memory_, other.memory_column_);
    const bool differs = raise_each(other);
    whole_cores_ += other.whole_cores_;
    whole_gpus_ += other.whole_gpus_;
    for (const auto& [name, number] : other.whole_of_type_) {
        whole_of_type_[name] += number;
    }
    if (other.whole_memory_) {
        whole_memory_ = whole_memory_.value_or(0) + *other.whole_memory_;
    }
    for (const auto& [name, number] : other.pools_) {
        pools_[name] += number;
    }
    unkept_.insert(other.unkept_.begin(), other.unkept_.end());
    std::ranges::for_each(other.notes_, [this](const char* rule) { note(rule); });
    has_different_hosts_ = has_different_hosts_ || other.has_different_hosts_ || differs;
    if (differs) {
        note(host_rules::different);
    }
}

void HostAmounts::add_to_each(const HostAmounts& other) {
    const auto add = [](std::optional<long long>& total, std::optional<long long> more) {
        total = total || more ? std::optional(total.value_or(0) + more.value_or(0)) : std::nullopt;
    };
    add(cores_, other.cores_);
    add(gpus_, other.gpus_);
    add(memory_, other.memory_);
    for (const auto& [name, number] : other.gpus_of_type_) {
        gpus_of_type_[name] += number;
    }
    for (const auto& [name, number] : other.further_) {
        further_[name] += number;
    }
}

HostAmounts HostAmounts::together(const std::vector<const HostAmounts*>& on_one_host) {
    HostAmounts sum;
    for (const HostAmounts* const part : on_one_host) {
        sum.add_to_each(*part);
    }
    return sum;
}

void HostAmounts::raise_to(const HostAmounts& of_one_host, bool differs) {
    raise_each(of_one_host);
    has_different_hosts_ = differs;
    if (differs) {
        note(host_rules::different);
    } else {
        std::erase(notes_, host_rules::different);
    }
}

void HostAmounts::fill(const HostAmounts& other) {
    const auto take = [](std::optional<long long>& unknown, std::optional<long long> known) {
        const bool takes = !unknown && known;
        unknown = takes ? known : unknown;
        return takes;
    };
    const bool takes_cores = take(cores_, other.cores_);
    const bool takes_memory = take(memory_, other.memory_);
    const bool takes_gpus = take(gpus_, other.gpus_);
    has_different_hosts_ = has_different_hosts_ || other.has_different_hosts_;
    if (takes_cores) {
        cores_column_ = other.cores_column_;
        whole_cores_ = other.whole_cores_;
    }
    if (takes_memory || (!whole_memory_ && other.whole_memory_)) {
        memory_column_ = other.memory_column_;
        whole_memory_ = other.whole_memory_;
    }
    if (takes_gpus) {
        gpus_of_type_ = other.gpus_of_type_;
        whole_of_type_ = other.whole_of_type_;
        gpus_column_ = other.gpus_column_;
        whole_gpus_ = other.whole_gpus_;
    }
    if (takes_cores || takes_memory || takes_gpus) {
        std::ranges::for_each(other.notes_, [this](const char* rule) { note(rule); });
    }
}

StatedNeeds::Amounts HostAmounts::amounts() const {
    StatedNeeds::Amounts amounts;
    const auto add = [&amounts](const std::string& name, std::optional<long long> amount) {
        if (amount.value_or(0) > 0) {
            amounts.emplace_back(name, *amount);
        }
    };
    add("cores", cores_);
    add("gpus", gpus_);
    for (const auto& [name, number] : gpus_of_type_) {
        add(name, number);
    }
    const auto others = static_cast<std::ptrdiff_t>(amounts.size());
    for (const auto& [name, number] : further_) {
        add(name, number);
    }
    add("memory", memory_);
    std::sort(amounts.begin() + others, amounts.end());
    return amounts;
}

std::vector<std::pair<const char*, std::string_view>> HostAmounts::columns() const {
    std::vector<std::pair<const char*, std::string_view>> columns;
    if (cores_) {
        columns.emplace_back("cores", cores_column_);
    }
    if (gpus_.value_or(0) > 0) {
        columns.emplace_back("gpus", gpus_column_);
    }
    if (memory_ || whole_memory_) {
        columns.emplace_back("memory", memory_column_);
    }
    return columns;
}

std::vector<const char*> HostAmounts::notes(bool of_pool) const {
    std::vector<const char*> notes = notes_;
    if (!cores_) {
        notes.push_back(no_cores_rule);
    }
    if (!memory_ && !of_pool) {
        notes.push_back(no_memory_rule);
    }
    if (takes_whole_) {
        notes = {whole_rule};
    } else if (amounts().empty()) {
        notes = {unknown_rule};
    }
    if (of_pool && !whole_memory_) {
        notes.push_back(host_rules::no_pool_memory);
    }
    std::erase_if(notes, [this](const char* rule) { return std::ranges::find(counted_, rule) != counted_.end(); });
    return notes;
}

void HostAmounts::forget_notes(bool of_pool) {
    const std::vector<const char*> counted = notes(of_pool);
    counted_.insert(counted_.end(), counted.begin(), counted.end());
}

void raise_amounts(StatedNeeds::Amounts& largest, const StatedNeeds::Amounts& amounts) {
    for (const auto& [name, amount] : amounts) {
        const auto order = [](const std::string& of) { return std::tuple(order_of(of), std::string_view(of)); };
        const auto place = std::ranges::lower_bound(largest, order(name), {},
                                                    [&order](const auto& entry) { return order(entry.first); });
        if (place == largest.end() || place->first != name) {
            largest.emplace(place, name, amount);
        } else {
            place->second = std::max(place->second, amount);
        }
    }
}

std::string capacity_text(const StatedNeeds::Amounts& amounts) {
    return list_of(mapped(amounts, [](const auto& one) { return one.first + ':' + std::to_string(one.second); }), ",");
}

}  // namespace batfill
