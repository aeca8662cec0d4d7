#include <algorithm>
#include <string>
#include <utility>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/job_json.hpp"
#include "src/formats/logged_conditions.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

// What jobs take of hosts, and their partitions, as fields of a workload.
namespace batfill {

namespace {

// Empty: unknown.
std::string_view partition_of(const AccountedJob& job) {
    return RecordField{"", job.partition.value_or(job.queue)}.name_or_empty();
}

}  // namespace

void LogBuilder::note_columns(const AccountedJob& job) {
    const ResourceFields& fields = data_.fields;
    for (const auto& [amount, column] : job.amounts.columns()) {
        const bool is_memory = std::string_view(amount) == "memory";
        if (is_memory && fields.memory_pool) {
            read_from("memory of the pool", column);
        } else if (fields.per_host) {
            read_from(amount, column);
        }
    }
    if (fields.partition && !partition_of(job).empty() && !job.partition_column.empty()) {
        read_from("partition", job.partition_column);
    }
    const auto is_of_after = [](const char* kind) { return kind != condition_rules::unreadable_begin; };
    if (fields.after && (!job.conditions.after.empty() || std::ranges::any_of(job.conditions.left_out, is_of_after))) {
        read_from("after", job.conditions_column);
    }
    if (job.conditions.begin) {
        read_from("begin", job.begin_column);
    }
}

std::optional<HostAmounts> LogBuilder::without_memory_of_pool(const AccountedJob& job) const {
    std::optional<HostAmounts> amounts;
    if (data_.fields.memory_pool) {
        amounts = job.amounts;
        amounts->leave_out_memory();
    }
    return amounts;
}

LoggedNeeds LogBuilder::needs_of(const AccountedJob& job) {
    LoggedNeeds needs;
    const ResourceFields& fields = data_.fields;
    if (fields.per_host) {
        const std::optional<HostAmounts> copy = without_memory_of_pool(job);
        const HostAmounts& amounts = copy ? *copy : job.amounts;
        needs.taken = amounts.amounts();
        if (!job.amounts.takes_whole_hosts() && !needs.taken.empty()) {
            needs.stated.per_host = needs.taken;
            needs.surplus = amounts.surplus(needs.taken, job.allocated);
            needs.has_different_hosts = !needs.surplus.empty() && amounts.has_different_hosts();
        }
    }
    if (fields.memory_pool && job.amounts.whole_memory()) {
        needs.stated.pools.emplace_back("memory", *job.amounts.whole_memory());
    }
    for (const auto& [name, amount] : job.amounts.pools()) {
        needs.stated.pools.emplace_back(name, amount);
    }
    if (fields.partition) {
        std::vector<std::string_view> names = mapped(split(partition_of(job), ','), trimmed);
        std::erase(names, "");
        if (names.size() > 1) {
            note(host_rules::several_partitions);
        }
        if (!names.empty()) {
            needs.stated.partition = valid_text(list_of({names.begin(), names.end()}, ","));
        } else if (!job.partition) {
            note(host_rules::no_partition);
        }
    }
    return needs;
}

std::uint32_t LogBuilder::add_needs(const AccountedJob& job) {
    note_columns(job);
    if (data_.fields.per_host) {
        const std::optional<HostAmounts> copy = without_memory_of_pool(job);
        for (const char* const rule : (copy ? *copy : job.amounts).notes(data_.fields.memory_pool)) {
            note(rule);
        }
    } else if (data_.fields.memory_pool && !job.amounts.whole_memory()) {
        note(host_rules::no_pool_memory);
    }
    for (const std::string& what : job.amounts.unkept()) {
        read_from(not_kept, what);
    }
    LoggedNeeds needs = needs_of(job);
    if (needs.stated == StatedNeeds() && needs.taken.empty()) {
        return 0;
    }
    std::string members = members_of(needs.stated);
    if (!members.empty()) {
        fields_ += (fields_.empty() ? "" : ",") + members;
    }
    // Only to tell different needs apart.
    if (!needs.stated.per_host) {
        members.append(" ").append(capacity_text(needs.taken));
    }
    if (!needs.surplus.empty()) {
        members.append(needs.has_different_hosts ? "  " : " ").append(capacity_text(needs.surplus));
    }
    const auto [known, is_new] = needs_.try_emplace(std::move(members), static_cast<std::uint32_t>(log_.needs.size()));
    if (is_new) {
        log_.needs.push_back(std::move(needs));
    }
    return known->second;
}

}  // namespace batfill
