#include "schedulers/slurm/translation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"

namespace batfill::slurm {

namespace {

constexpr Seconds minute = 60;
constexpr Amount most_tasks = std::numeric_limits<int>::max();

// The fields of a job that only Slurm reads.
struct OwnFields {
    std::optional<int> tasks;
    bool whole = false;
    int nice = 0;
};

OwnFields own_fields(const JobDescription& job) {
    OwnFields fields;
    if (job.other_fields.empty()) {
        return fields;
    }
    JsonReader reader;
    const JsonValue& object = reader.parse("{" + job.other_fields.text() + "}");
    if (const JsonValue* const tasks = member_of(&object, "tasks")) {
        refuse_if<InputError>(!tasks->IsInt() || tasks->GetInt() < job.processors, "job ", shown(job.id),
                              ": field \"tasks\": expected a whole number, at least its res, ", job.processors);
        fields.tasks = tasks->GetInt();
    }
    if (const JsonValue* const whole = member_of(&object, "whole")) {
        refuse_if<InputError>(!whole->IsBool(), "job ", shown(job.id), ": field \"whole\": expected true or false");
        fields.whole = whole->GetBool();
    }
    if (const JsonValue* const nice = member_of(&object, "nice")) {
        refuse_if<InputError>(!nice->IsInt(), "job ", shown(job.id), ": field \"nice\": expected a whole number");
        fields.nice = nice->GetInt();
    }
    return fields;
}

Amount amount_in(const StatedNeeds::Amounts& amounts, std::string_view name) {
    const auto found = std::ranges::find(amounts, name, &StatedNeeds::Amounts::value_type::first);
    return found == amounts.end() ? 0 : found->second;
}

// A new name has the next number.
int number_of(const std::string& name, std::unordered_map<std::string, int>& numbers) {
    return numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second;
}

}  // namespace

Translation::Translation(const Configuration& configuration, const Machine& machine)
    : configuration_(configuration), machine_(machine) {
    select_ =
        machine.resources().has_shared_hosts() ? configuration.select.value_or(Select::cons_tres) : Select::linear;
    find_capacities();
    for (int host = 0; host < machine.processors(); ++host) {
        add_node(host);
    }
    find_partitions();
    find_weights();
    for (const Resources::Pool& pool : machine.resources().pools()) {
        refuse_if<InputError>(pool.total > most_tasks, "algorithm slurm: pool ", shown(pool.name), " has ", pool.total,
                              ", expected at most ", most_tasks, ": pools are licences");
        licenses_.push_back(static_cast<int>(pool.total));
    }
    for (const Window& window : machine.windows()) {
        refuse_if<InputError>(window.running != Window::Running::finish, "algorithm slurm: window ", shown(window.name),
                              " kills jobs, expected \"finish\"");
        refuse_if<InputError>(!window.all_hosts && window.names_processors(), "algorithm slurm: window ",
                              shown(window.name), " takes processors, expected hosts or pools");
        refuse_if<InputError>(configuration.settings.bf_licenses && !window.pool_amounts.empty(),
                              "algorithm slurm: window ", shown(window.name),
                              " takes pools, which bf-licenses=yes does not know");
        refuse_if<InputError>(configuration.settings.bf_topopt_enable && !window.booked_for.empty(),
                              "algorithm slurm: window ", shown(window.name),
                              " is for jobs, which bf-topopt-enable=yes does not know");
    }
}

void Translation::find_capacities() {
    const std::vector<std::string>& capacities = machine_.resources().capacities();
    const auto place_of = [&](const std::string& name) {
        const auto found = std::ranges::find(capacities, name);
        return found == capacities.end() ? std::nullopt
                                         : std::optional(static_cast<std::size_t>(found - capacities.begin()));
    };
    cores_ = place_of("cores");
    refuse_if(select_ == Select::cons_tres && !cores_,
              "parameter select=cons-tres: hosts have no capacity of the name cores, expected linear");
    kinds_.push_back(place_of("memory"));
    for (std::size_t place = 0; place < capacities.size(); ++place) {
        if (place != cores_ && place != kinds_.front()) {
            kinds_.emplace_back(place);
        }
    }
}

void Translation::add_node(int host) {
    Node& node = nodes_.emplace_back();
    node.amounts.resize(kinds_.size());
    if (!machine_.resources().has_shared_hosts()) {
        return;
    }
    const Resources::HostKind& kind = machine_.resources().kind_of(host);
    refuse_if<InputError>(select_ == Select::cons_tres && (!kind.is_shared || kind.capacity[*cores_] < 1),
                          "algorithm slurm: host ", host, " has no cores, expected a capacity of all hosts");
    const Amount cores = cores_ ? kind.capacity[*cores_] : 1;
    refuse_if<InputError>(cores > 1'000'000, "algorithm slurm: host ", host, " has ", cores,
                          " cores, expected at most 1000000");
    node.cores = std::max(static_cast<int>(cores), 1);
    for (std::size_t at = 0; at < kinds_.size(); ++at) {
        node.amounts[at] = kinds_[at] ? kind.capacity[*kinds_[at]] : 0;
    }
}

void Translation::find_partitions() {
    const Resources& resources = machine_.resources();
    std::vector<NodeSet> sets(resources.partitions().size(), NodeSet(machine_.processors()));
    for (int host = 0; host < machine_.processors() && !sets.empty(); ++host) {
        for (const std::size_t partition : resources.kind_of(host).partitions) {
            sets[partition].insert(host);
        }
    }
    for (std::size_t partition = 0; partition < sets.size(); ++partition) {
        add_partition(resources.partitions()[partition], std::move(sets[partition]));
    }
    if (sets.empty()) {
        add_partition("", NodeSet::all(machine_.processors()));
    }
    for (const auto& [name, tier] : configuration_.partition_tiers) {
        require_partition("partition-tiers", name);
    }
    for (const auto& [name, priority] : configuration_.partition_priorities) {
        require_partition("partition-priorities", name);
    }
    for (const std::string& name : configuration_.exclusive_partitions) {
        require_partition("exclusive-partitions", name);
    }
    if (!configuration_.default_partition.empty()) {
        require_partition("default-partition", configuration_.default_partition);
    }
}

// On a machine without partitions, their names mean nothing.
void Translation::require_partition(const char* parameter, const std::string& name) const {
    refuse_if(!machine_.resources().partitions().empty() &&
                  std::ranges::find(partition_names_, name) == partition_names_.end(),
              "parameter ", parameter, ": the machine has no partition ", shown(name));
}

void Translation::find_weights() {
    weights_.assign(nodes_.size(), 1);
    for (std::size_t host = 0; host < machine_.host_weights().size(); ++host) {
        const std::string& text = machine_.host_weights()[host];
        const char* const end = text.data() + text.size();
        const auto [behind, error] = std::from_chars(text.data(), end, weights_[host]);
        refuse_if<InputError>(error != std::errc() || behind != end || weights_[host] < 0, "algorithm slurm: host ",
                              host, ": property weight: ", shown(text), ", expected a whole number");
    }
}

void Translation::add_partition(const std::string& name, NodeSet nodes) {
    const auto number = [&](const std::map<std::string, std::int64_t>& numbers, std::int64_t otherwise) {
        const auto found = numbers.find(name);
        return found == numbers.end() ? otherwise : found->second;
    };
    Partition& partition = partitions_.emplace_back();
    partition.nodes = std::move(nodes);
    partition.whole_nodes = configuration_.exclusive_partitions.contains(name);
    partition.tier = static_cast<int>(number(configuration_.partition_tiers, 1));
    partition_names_.push_back(name);
    factors_.push_back(
        number(configuration_.partition_priorities, configuration_.partition_priorities.empty() ? 0 : 1));
}

Reservation Translation::reservation(const Window& window) {
    const Duration almost = Duration::microseconds(999'999);
    Reservation result{seconds_of(window.from), seconds_of(window.until + almost), NodeSet(machine_.processors()),
                       window.all_hosts || window.booked_for.empty()};
    result.first_inside = seconds_of(window.from + almost);
    result.last_inside = seconds_of(window.until);
    for (std::size_t pool = 0; pool < window.pool_amounts.size(); ++pool) {
        result.licenses.push_back({static_cast<int>(pool), static_cast<int>(window.pool_amounts[pool])});
    }
    for (const std::string& name : window.booked_for) {
        result.names.push_back(number_of(name, reservations_));
    }
    if (window.all_hosts) {
        result.nodes = NodeSet::all(machine_.processors());
    } else {
        for (const int host : window.hosts.numbers()) {
            result.nodes.insert(host);
        }
    }
    return result;
}

std::int64_t Translation::microseconds_of(Time time) const {
    const Duration since_epoch = time.since_zero() + configuration_.epoch;
    refuse_if<InputError>(since_epoch > Duration::seconds(end_key::latest / 2), "algorithm slurm: ", time.to_string(),
                          " s is too late for its clock, expected at most ", end_key::latest / 2, " s of Unix time");
    return static_cast<std::int64_t>(since_epoch.count());
}

Seconds Translation::seconds_of(Time time) const {
    return microseconds_of(time) / 1'000'000;
}

Time Translation::time_of(std::int64_t microseconds) const {
    return Time::at(Duration::microseconds(microseconds) - configuration_.epoch);
}

std::vector<Amount> Translation::amounts_of(const StatedNeeds::Amounts& stated) const {
    std::vector<Amount> amounts;
    for (const std::optional<std::size_t>& kind : kinds_) {
        amounts.push_back(kind ? amount_in(stated, machine_.resources().capacities()[*kind]) : 0);
    }
    return amounts;
}

std::vector<int> Translation::named_partitions(const StatedNeeds* needs) const {
    std::vector<int> result;
    const bool names_some = needs != nullptr && needs->partition;
    if (partitions_.size() == 1 && (machine_.resources().partitions().empty() || !names_some)) {
        return {0};
    }
    if (!names_some && configuration_.default_partition.empty()) {
        return result;
    }
    for (const std::string_view name :
         partitions_in(names_some ? *needs->partition : configuration_.default_partition)) {
        const auto found = std::ranges::find(partition_names_, name);
        if (found != partition_names_.end()) {
            result.push_back(static_cast<int>(found - partition_names_.begin()));
        }
    }
    return result;
}

// None: its nodes may differ in that, or the selection decides it.
std::optional<int> Translation::cores_on_each_node(const Asked& asked, int nodes, const Partition& partition) const {
    if (asked.whole || partition.whole_nodes) {
        const int cores = nodes_[static_cast<std::size_t>(partition.nodes.next(0))].cores;
        const auto differs = [&](int node) { return nodes_[static_cast<std::size_t>(node)].cores != cores; };
        return partition.nodes.any_of(differs) ? std::nullopt : std::optional(cores);
    }
    if (nodes == 1 || asked.tasks == nodes) {
        return asked.tasks / nodes;
    }
    return asked.cores_each > 0 ? std::optional(asked.cores_each) : std::nullopt;
}

// On each node, of a job that states none.
Amount Translation::default_memory(const JobDescription& job, const Asked& asked,
                                   const std::vector<int>& partitions) const {
    if (configuration_.def_mem_per_core == 0) {
        return configuration_.def_mem_per_node;
    }
    std::optional<int> cores;
    for (const int partition : partitions) {
        const std::optional<int> here =
            cores_on_each_node(asked, job.processors, partitions_[static_cast<std::size_t>(partition)]);
        refuse_if<InputError>(!here || cores.value_or(*here) != *here, "job ", shown(job.id),
                              " states no memory, and may have different numbers of cores on its nodes: expected "
                              "memory in its per_host, or no def-mem-per-cpu");
        cores = here;
    }
    return cores.value_or(0) * configuration_.def_mem_per_core;
}

const Translation::Asked& Translation::asked(const JobDescription& job) const {
    if (last_asked_ != &job || last_asked_id_ != job.id) {
        last_ = read(job);
        last_asked_ = &job;
        last_asked_id_ = job.id;
    }
    return last_;
}

Translation::Asked Translation::read(const JobDescription& job) const {
    const StatedNeeds* const needs = job.needs ? &*job.needs : nullptr;
    const StatedNeeds::Amounts none;
    const StatedNeeds::Amounts& stated = needs != nullptr && needs->per_host ? *needs->per_host : none;
    const std::vector<int> partitions = named_partitions(needs);
    Asked result;
    result.tasks = job.processors;
    const OwnFields own = own_fields(job);
    result.nice = own.nice;
    const Amount cores = amount_in(stated, "cores");
    if (machine_.resources().has_shared_hosts()) {
        result.amounts = amounts_of(stated);
    }
    if (select_ == Select::linear) {
        result.cores_each = cores_ ? static_cast<int>(std::min(cores, most_tasks)) : 0;
    } else {
        result.whole = own.whole;
        if (!own.whole && own.tasks) {
            result.tasks = *own.tasks;
        } else if (!own.whole && cores > 0) {
            refuse_if<InputError>(cores * job.processors > most_tasks, "job ", shown(job.id), " asks for ",
                                  cores * job.processors, " cores, expected at most ", most_tasks);
            result.cores_each = static_cast<int>(cores);
            result.tasks = result.cores_each * job.processors;
        }
        if (kinds_.front() && result.amounts.front() == 0) {
            result.amounts.front() = default_memory(job, result, partitions);
            result.all_memory = configuration_.def_mem_per_node == 0 && configuration_.def_mem_per_core == 0;
        }
    }
    for (const int partition : partitions) {
        if (has_nodes_for(result, job.processors, partitions_[static_cast<std::size_t>(partition)])) {
            result.partitions.push_back(partition);
        }
    }
    return result;
}

bool Translation::is_suitable(const Asked& asked, int node) const {
    const Node& one = nodes_[static_cast<std::size_t>(node)];
    return one.cores >= asked.cores_each &&
           (asked.amounts.empty() || std::ranges::equal(asked.amounts, one.amounts, std::less_equal()));
}

bool Translation::has_nodes_for(const Asked& asked, int nodes, const Partition& partition) const {
    std::vector<int> cores;
    partition.nodes.for_each([&](int node) {
        if (is_suitable(asked, node)) {
            cores.push_back(nodes_[static_cast<std::size_t>(node)].cores);
        }
    });
    if (cores.size() < static_cast<std::size_t>(nodes)) {
        return false;
    }
    std::partial_sort(cores.begin(), cores.begin() + nodes, cores.end(), std::greater());
    Amount sum = 0;
    for (int i = 0; i < nodes; ++i) {
        sum += cores[static_cast<std::size_t>(i)];
    }
    return select_ == Select::linear || sum >= asked.tasks;
}

StatedNeeds Translation::stated(const JobDescription& job) const {
    last_asked_ = nullptr;  // another job may lie where one was
    StatedNeeds result = job.needs ? *job.needs : StatedNeeds();
    if (!result.partition && !configuration_.default_partition.empty()) {
        result.partition = configuration_.default_partition;
    }
    if (select_ == Select::linear) {
        result.per_host.reset();
        return result;
    }
    const Asked& what = asked(job);
    StatedNeeds::Amounts least = result.per_host.value_or(StatedNeeds::Amounts());
    std::erase_if(least, [](const auto& one) { return one.first == "cores" || one.second == 0; });
    if (kinds_.front() && amount_in(least, "memory") < what.amounts.front()) {
        least.emplace_back("memory", what.amounts.front());
    }
    least.emplace_back("cores", std::max(what.cores_each, 1));
    result.per_host = std::move(least);
    Amount cores = what.tasks;
    Amount memory = 0;
    for (const Node& node : nodes_) {
        cores = what.whole ? std::max(cores, Amount{node.cores} * job.processors) : cores;
        memory = what.all_memory ? std::max(memory, node.amounts.front() * job.processors) : 0;
    }
    result.in_all.emplace_back("cores", cores);
    if (what.all_memory) {
        result.in_all.emplace_back("memory", memory);
    }
    return result;
}

std::optional<std::string> Translation::reason_to_refuse(const JobDescription& job) const {
    if (job.needs && job.needs->per_host && machine_.resources().has_shared_hosts()) {
        for (const auto& [name, amount] : *job.needs->per_host) {
            const auto& known = machine_.resources().capacities();
            if (amount > 0 && std::ranges::find(known, name) == known.end()) {
                return "asks for " + std::to_string(amount) + ' ' + shown(name) + " on each host, which no host has";
            }
        }
    }
    const std::vector<int> named = named_partitions(job.needs ? &*job.needs : nullptr);
    if (named.empty()) {
        return "names no partition, and default-partition is not set";
    }
    const Asked& what = asked(job);
    if (!what.partitions.empty()) {
        return std::nullopt;
    }
    std::string text = "asks for " + std::to_string(job.processors) + " nodes";
    if (select_ == Select::cons_tres) {
        text += " with " + std::to_string(what.tasks) + " cores";
    }
    return text + ", which no partition of it has";
}

slurm::Job Translation::job(const batfill::Job& waiting) {
    const JobDescription& description = waiting.description();
    Asked what = asked(description);
    slurm::Job job;
    job.name = description.id.substr(std::min(description.id.find('!') + 1, description.id.size()));
    job.nodes = description.processors;
    job.tasks = what.tasks;
    job.whole_nodes = what.whole;
    job.all_memory = what.all_memory;
    if (select_ == Select::linear) {
        auto suitable = std::make_shared<NodeSet>(machine_.processors());
        for (int node = 0; node < machine_.processors(); ++node) {
            if (is_suitable(what, node)) {
                suitable->insert(node);
            }
        }
        job.suitable = suitable->count() < machine_.processors() ? std::move(suitable) : nullptr;
    } else {
        job.cores_each = what.cores_each;
        job.amounts = std::move(what.amounts);
    }
    job.nice = what.nice;
    job.partitions = std::move(what.partitions);
    constexpr Microseconds per_minute = Microseconds{60} * 1'000'000;
    const Microseconds minutes = (waiting.walltime.count() + per_minute - 1) / per_minute;
    job.limit = static_cast<Seconds>(std::min<Microseconds>(minutes, end_key::latest / 2 / minute - 1)) * minute;
    job.user = number_of(description.user.text(), users_);
    for (std::size_t pool = 0; pool < waiting.request.pools().size(); ++pool) {
        if (waiting.request.of_pool(pool) > 0) {
            job.licenses.push_back({static_cast<int>(pool), static_cast<int>(waiting.request.of_pool(pool))});
        }
    }
    job.limits = waiting.request.limits();
    if (description.needs) {
        const StatedNeeds& needs = *description.needs;
        if (needs.begin) {
            job.begin = seconds_of(*needs.begin + Duration::microseconds(999'999));
        }
        if (needs.booking && machine_.has_bookings()) {
            job.reservation = number_of(*needs.booking, reservations_);
        }
        if (needs.array) {
            const std::string key = description.id.substr(0, description.id.find('!') + 1) + *needs.array;
            job.array = number_of(key, arrays_);
            job.array_limit = static_cast<int>(std::min<Amount>(needs.array_limit.value_or(most_tasks), most_tasks));
        }
    }
    return job;
}

std::vector<Amount> Translation::amounts(const slurm::Job& job, const RunningJob& running) const {
    if (select_ == Select::linear) {
        return {};
    }
    const std::size_t capacities = machine_.resources().capacities().size();
    std::vector<Amount> result;
    result.reserve(running.cores.size() * capacities);
    auto cores = running.cores.begin();
    running.nodes.for_each([&](int node) {
        const std::size_t begin = result.size();
        result.resize(begin + capacities);
        result[begin + *cores_] = *cores++;
        for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
            if (kinds_[kind]) {
                result[begin + *kinds_[kind]] = kind == 0 && job.all_memory
                                                    ? nodes_[static_cast<std::size_t>(node)].amounts.front()
                                                    : job.amounts[kind];
            }
        }
    });
    return result;
}

}  // namespace batfill::slurm
