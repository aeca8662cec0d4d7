#include <string>
#include <utility>

#include "src/formats/accounting_readers.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/text.hpp"

// What jobs take of hosts, and their partitions, as fields of a workload.
namespace batfill {

namespace {

void append_amounts(const StatedNeeds::Amounts& amounts, std::string_view name, JsonWriter& json) {
    json.key(name).open_object();
    for (const auto& [of, amount] : amounts) {
        json.key(of).integer(amount);
    }
    json.close_object();
}

}  // namespace

std::uint32_t LogBuilder::add_needs(const AccountedJob& job) {
    LoggedNeeds needs;
    if (data_.fields.per_host) {
        needs.taken = job.amounts.amounts();
        if (!job.amounts.takes_whole_hosts() && !needs.taken.empty()) {
            needs.stated.per_host = needs.taken;
        }
        for (const char* const rule : job.amounts.notes()) {
            note(rule);
        }
    }
    if (data_.fields.partition) {
        const auto [first, others] = cut(job.partition.value_or(job.queue), ',');
        if (!others.empty()) {
            note(host_rules::several_partitions);
        }
        if (const std::string name = valid_text(trimmed(first)); !name.empty()) {
            needs.stated.partition = name;
        } else if (!job.partition) {
            note(host_rules::no_partition);
        }
    }
    if (needs.stated == StatedNeeds() && needs.taken.empty()) {
        return 0;
    }
    std::string members;
    JsonWriter json = JsonWriter::behind(members);
    if (needs.stated.per_host) {
        append_amounts(*needs.stated.per_host, "per_host", json);
    }
    if (needs.stated.partition) {
        json.key("partition").text(*needs.stated.partition);
    }
    if (!members.empty()) {
        fields_ += (fields_.empty() ? "" : ",") + members;
    }
    append_amounts(needs.taken, "taken", json);  // only to tell different needs apart
    const auto [known, is_new] = needs_.try_emplace(std::move(members), static_cast<std::uint32_t>(log_.needs.size()));
    if (is_new) {
        log_.needs.push_back(std::move(needs));
    }
    return known->second;
}

}  // namespace batfill
