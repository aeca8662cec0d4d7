#include "src/formats/tres.hpp"

#include <cmath>

#include <batfill/core/error.hpp>

#include "src/formats/record_field.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr long long most_units = 2'147'483'646;  // GPUs, or hosts

// Whether the name, after a prefix, is that of GPUs. Slurm before 18.08 may write the number of its plug-in instead.
bool is_gpu(std::string_view name) {
    return name == "gpu" || name == "7696487";
}

// The name without "gres/", "gres:" or "gres=".
std::string_view without_prefix(std::string_view name) {
    constexpr std::string_view prefix = "gres";
    const bool has_prefix = name.starts_with(prefix) && name.size() > prefix.size() &&
                            std::string_view("/:=").find(name[prefix.size()]) != std::string_view::npos;
    return has_prefix ? name.substr(prefix.size() + 1) : name;
}

// Takes what Slurm writes around a resource off an item, "PER_NODE:gpu:2(IDX:0-1)". Returns how many times it counts.
long long unwrap(std::string_view& item, long long nodes) {
    constexpr std::string_view of_node = "PER_NODE:";
    constexpr std::string_view of_job = "PER_JOB:";
    item = trimmed(item.substr(0, item.find('(')));
    const long long times = item.starts_with(of_node) ? nodes : 1;
    item.remove_prefix(item.starts_with(of_node) ? of_node.size() : item.starts_with(of_job) ? of_job.size() : 0);
    return times;
}

// The end of the first item of a list. A comma in parentheses, as in "gpu:2(IDX:0,2)", separates no items.
std::size_t end_of_resource(std::string_view list) {
    std::size_t end = list.find_first_of(",(");
    if (end != std::string_view::npos && list[end] == '(') {
        end = list.find(',', std::min(list.find(')', end), list.size()));
    }
    return std::min(end, list.size());
}

void add_item(std::string_view item, long long nodes, GpuCount& gpus) {
    if (item.ends_with(":(null)")) {
        return;
    }
    const long long times = unwrap(item, nodes);
    item = without_prefix(item);
    const std::string_view kind = item.substr(0, item.find_first_of(":="));
    if (!is_gpu(kind)) {
        return;
    }
    const std::size_t last = item.find_last_of(":=");
    const bool has_number =
        last != std::string_view::npos &&
        (item[last] == '=' || (last + 1 < item.size() && number_in<long long>(item.substr(last + 1))));
    const auto number = has_number ? number_in<long long>(item.substr(last + 1)) : 1;
    refuse_if<InputError>(!number || *number < 0 || *number > most_units, [&] {
        return "found the GPUs " + excerpt(item) + ", expected a number of them, as in gres/gpu=4";
    });
    gpus.add(has_number ? item.substr(0, last) : item, *number * times);
}

// The end of the first item of a list. A comma in brackets separates no items.
std::size_t end_of_item(std::string_view list) {
    bool is_inside = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        is_inside = list[i] == '[' || (is_inside && list[i] != ']');
        if (list[i] == ',' && !is_inside) {
            return i;
        }
    }
    return list.size();
}

// The size of "1-4,07". None for another text, and for more than a job can have.
std::optional<long long> numbers_in(std::string_view ranges) {
    long long numbers = 0;
    for (const std::string_view range : split(ranges, ',')) {
        const auto [from, to] = cut(range, '-');
        const auto first = number_in<long long>(from);
        const auto last = range.size() == from.size() ? first : number_in<long long>(to);
        if (!first || !last || *first < 0 || *last < *first || *last - *first > most_units) {
            return std::nullopt;
        }
        numbers += *last - *first + 1;
    }
    return numbers <= most_units ? std::optional(numbers) : std::nullopt;
}

// The hosts of an item such as "r[1-2]n[1-8]".
std::optional<long long> hosts_of_item(std::string_view item) {
    long long hosts = 1;
    if (item.empty() || item.find_first_of(" ()") != std::string_view::npos) {
        return std::nullopt;  // "None assigned"
    }
    for (std::size_t open = item.find('['); open != std::string_view::npos; open = item.find('[')) {
        const std::size_t close = item.find(']', open);
        const bool is_closed = close != std::string_view::npos;
        const auto numbers = is_closed ? numbers_in(item.substr(open + 1, close - open - 1)) : std::nullopt;
        if (numbers.value_or(0) < 1 || hosts > most_units / *numbers) {
            return std::nullopt;
        }
        hosts *= *numbers;
        item.remove_prefix(close + 1);
    }
    return item.find(']') == std::string_view::npos ? std::optional(hosts) : std::nullopt;
}

// Adds the names of the hosts of such an item, each behind `before`.
void add_names(std::string_view item, const std::string& before, std::vector<std::string>& names) {
    const auto [text, rest] = cut(item, '[');
    const std::string beginning = before + std::string(text);
    if (text.size() == item.size()) {
        names.push_back(beginning);
        return;
    }
    const auto [ranges, behind] = cut(rest, ']');
    for (const std::string_view range : split(ranges, ',')) {
        const auto [from, to] = cut(range, '-');
        const long long first = number_in<long long>(from).value_or(0);
        const long long last = range.size() == from.size() ? first : number_in<long long>(to).value_or(0);
        for (long long number = first; number <= last; ++number) {
            std::string digits = std::to_string(number);
            digits.insert(0, from.size() - std::min(from.size(), digits.size()), '0');
            add_names(behind, beginning + digits, names);
        }
    }
}

}  // namespace

std::optional<long long> hosts_in(std::string_view list) {
    if (list.empty()) {
        return std::nullopt;
    }
    long long hosts = 0;
    while (!list.empty()) {
        const std::size_t end = end_of_item(list);
        const auto of_item = hosts_of_item(list.substr(0, end));
        if (!of_item || *of_item > most_units - hosts) {
            return std::nullopt;
        }
        hosts += *of_item;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return hosts;
}

std::vector<std::string> names_of_hosts(std::string_view list) {
    constexpr long long most_names = 100'000;
    std::vector<std::string> names;
    if (hosts_in(list).value_or(most_names + 1) > most_names) {
        return names;
    }
    while (!list.empty()) {
        const std::size_t end = end_of_item(list);
        add_names(list.substr(0, end), "", names);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return names;
}

std::optional<std::string_view> item_of(std::string_view list, std::string_view name) {
    std::optional<std::string_view> found;
    for (std::string_view rest = list; !rest.empty();) {
        const auto [item, behind] = cut(rest, ',');
        if (item.starts_with(name) && item.substr(name.size()).starts_with('=')) {
            refuse_if<InputError>(found.has_value(), [&] {
                return "found two amounts of " + std::string(name) + " in " + excerpt(list) + ", expected one";
            });
            found = item.substr(name.size() + 1);
        }
        rest = behind;
    }
    return found;
}

std::optional<long long> read_bytes(std::string_view text, long long unit) {
    constexpr std::string_view units = "kKmMgGtTpP";
    constexpr long long word = 8;  // of PBS
    if (text.ends_with('w')) {
        const auto words = read_bytes(std::string(text.substr(0, text.size() - 1)) + 'b', 1);
        return words && *words <= most_bytes / word ? std::optional(*words * word) : std::nullopt;
    }
    if (text.ends_with('b') || text.ends_with('B')) {
        text.remove_suffix(text.size() > 1 && text[text.size() - 2] == 'i' ? 2 : 1);
        unit = 1;
    }
    if (const std::size_t place = units.find(text.empty() ? ' ' : text.back()); place != std::string_view::npos) {
        text.remove_suffix(1);
        unit = 1LL << (10 * (place / 2 + 1));
    }
    const auto number = number_in<double>(trimmed(text));
    const double bytes = number.value_or(-1) * static_cast<double>(unit);
    if (!(bytes >= 0 && bytes <= static_cast<double>(most_bytes)) || (unit == 1 && std::trunc(bytes) != bytes)) {
        return std::nullopt;
    }
    return std::llround(bytes);
}

void GpuCount::add(std::string_view name, long long number) {
    name = without_prefix(name);
    const std::size_t colon = name.find(':');
    if (is_gpu(name.substr(0, colon))) {
        const bool has_type = colon != std::string_view::npos;
        std::optional<long long>& sum = has_type ? of_types_ : total_;
        sum = sum.value_or(0) + number;
        if (has_type) {
            types_[std::string(name.substr(colon + 1))] += number;
        }
    }
}

FurtherResources further_resources(std::string_view list, long long nodes) {
    constexpr auto counted_elsewhere = std::to_array<std::string_view>(
        {"cpu", "mem", "node", "billing", "energy", "vmem", "pages", "gres/gpu", "gres/7696487"});
    constexpr auto of_most_lists =
        std::to_array<std::string_view>({"billing=", "cpu=", "gres/gpu=", "gres/gpu:", "mem=", "node="});
    FurtherResources totals;
    FurtherResources of_types;
    while (!list.empty()) {
        // Skips what most lists have, fast.
        const auto* const usual = std::ranges::find_if(
            of_most_lists, [&](std::string_view beginning) { return list.starts_with(beginning); });
        if (usual != of_most_lists.end() && list.find('(') == std::string_view::npos) {
            list.remove_prefix(std::min(list.find(',', usual->size()), list.size() - 1) + 1);
            continue;
        }
        const std::size_t end = end_of_resource(list);
        std::string_view item = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        const long long times = unwrap(item, nodes);
        // "gres/shard:gb10=40" of TRES, "shard:gb10:40" or "shard" of --gres.
        const bool is_tres = item.find('=') != std::string_view::npos && !item.starts_with("gres=");
        const std::size_t last = is_tres ? item.rfind('=') : item.rfind(':');
        const auto number =
            last == std::string_view::npos ? std::optional<long long>(1) : read_bytes(item.substr(last + 1), 1);
        const std::string_view name = item.substr(0, last);
        const bool has_slash = name.find('/') != std::string_view::npos;
        const std::string_view plain = name.substr(0, name.find(':', has_slash                   ? 0
                                                                     : name.starts_with("gres:") ? 5
                                                                                                 : 0));
        const std::string kind = is_tres ? std::string(plain) : "gres/" + std::string(without_prefix(plain));
        const bool is_missing = last == std::string_view::npos && RecordField{"", item}.is_missing();
        const bool is_known = is_word_of(kind, counted_elsewhere) || plain.empty() || is_missing;
        if (is_known || number.value_or(0) <= 0 || *number > most_bytes / std::max(times, 1LL)) {
            continue;
        }
        long long& sum = (plain.size() < name.size() ? of_types : totals)[kind];
        sum = sum <= most_bytes - *number * times ? sum + *number * times : most_bytes;
    }
    totals.merge(of_types);
    return totals;
}

GpuCount count_gpus(std::string_view list, long long nodes) {
    GpuCount gpus;
    if (list.find("gpu") == std::string_view::npos && list.find("7696487") == std::string_view::npos) {
        return gpus;  // as in most rows
    }
    while (!list.empty()) {
        const std::size_t end = end_of_resource(list);
        add_item(list.substr(0, end), nodes, gpus);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return gpus;
}

}  // namespace batfill
