#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/support/text.hpp"

// End records of PBS, TORQUE and Cobalt, and what they say of the size of a job.
namespace batfill {

// The attributes of an E record: KEY=VALUE, separated by blanks. A value may be in quotes. The text must outlive this
// object.
class PbsAttributes {
 public:
    explicit PbsAttributes(std::string_view text) {
        while (!text.empty()) {
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
            const std::size_t equals = text.find('=');
            const std::size_t blank = text.find(' ');
            if (equals == std::string_view::npos || blank < equals) {
                text.remove_prefix(std::min(blank, text.size()));  // a word of a job's name, which is not quoted
                continue;
            }
            const std::string_view key = text.substr(0, equals);
            text.remove_prefix(equals + 1);
            const bool begins_quoted = text.starts_with('"') || text.starts_with('\'');
            const bool is_quoted = begins_quoted && text.find(text.front(), 1) != std::string_view::npos;
            const auto [value, rest] = is_quoted ? cut(text.substr(1), text.front()) : cut(text, ' ');
            values_.emplace(key, value);
            text = rest;
        }
    }

    RecordField operator[](std::string_view key) const {
        const auto found = values_.find(key);
        return {key, found == values_.end() ? std::string_view() : found->second};
    }
    // Calls `use` with the key and the value of each attribute.
    void for_each(const auto& use) const {
        for (const auto& [key, value] : values_) {
            use(key, value);
        }
    }
    void erase(std::string_view key) { values_.erase(key); }
    // 0 without it.
    // Throws: InputError if it is not a number of processors or hosts.
    long long number(std::string_view key) const { return (*this)[key].number().value_or(0); }

 private:
    std::map<std::string_view, std::string_view> values_;
};

// Calls `use` with the parts of a list such as exec_host.
void for_each_part(std::string_view list, char separator, const auto& use) {
    while (!list.empty()) {
        const auto [part, rest] = cut(list, separator);
        use(part);
        list = rest;
    }
}

// A request without the rule on sharing that may follow, "4:ppn=2#shared", and without alternatives behind it,
// "1:ppn=4|2:ppn=2".
inline std::string_view first_request(std::string_view request) {
    return request.substr(0, request.find_first_of("#|"));
}

// Calls `use` with each vnode of exec_vnode: "(n1:ncpus=8+n2:ncpus=4)+(n3:ncpus=8)". A chunk in parentheses may be on
// several vnodes.
void for_each_vnode(std::string_view exec_vnode, const auto& use) {
    for_each_part(exec_vnode, '+', [&](std::string_view part) {
        part.remove_prefix(part.starts_with('(') ? 1 : 0);
        part.remove_suffix(part.ends_with(')') ? 1 : 0);
        use(part);
    });
}

// The number of processors in a part of a list; 0 if it is negative. Lists of parts within this limit have sums that do
// not overflow.
// Throws: InputError for more than a job can have.
long long checked(Microseconds processors, std::string_view part);

// What a part such as "2:ppn=8:gpus=1" gives to `name`. None if it does not name it.
// Throws: InputError if it gives another thing than a number; for a size of memory, in bytes.
std::optional<long long> number_of(std::string_view part, std::string_view name);
std::optional<long long> bytes_of(std::string_view part, std::string_view name);
// The processors of each node of a part of Resource_List.nodes. None if it does not say them.
std::optional<long long> processors_of_node(std::string_view part);

// Slots in exec_host: "node/0*4+node2/0*4" (PBS), "node/0-7,9+node2/0-3" or "node/0+node/1" (TORQUE); "n[1-2]/0-7" has
// 8 on each of two hosts. 0 if no part of the list has slots: Cobalt names a partition of the machine.
// Throws: InputError, which names the part, for other slots, and for more than a job can have.
long long slots_in(std::string_view exec_host);
// The hosts that a name stands for: "n1" and "n2" for "n[1-2]", itself for a name without brackets.
// Throws: InputError if its brackets do not list numbers.
std::vector<std::string> hosts_of_name(std::string_view name);

// Leaves out what a job of Cray's ALPS has on the node that starts it, which is none of its hosts.
void leave_out_login_node(PbsAttributes& attributes);

// What a record says of the whole job; docs/workloads.md has the precedence of the attributes.
// Throws: InputError, which names the part, for more than `most_processors`.
long long requested_processors(const PbsAttributes& attributes);
long long allocated_processors(const PbsAttributes& attributes, long long requested);
long long nodes_of(const PbsAttributes& attributes);
long long gpus_of_record(const PbsAttributes& attributes);  // 0 if the record has none

// The hosts of a job, and what it took of each of them.
struct PbsHosts {
    long long hosts = 0;  // 0 or less: unknown
    HostAmounts amounts;
};
PbsHosts hosts_of(const PbsAttributes& attributes);
// The hosts, as exec_vnode or exec_host lists them, with what it took of each where that differs. `amounts`: as
// hosts_of() has them. Empty: nothing lists them.
std::vector<LoggedHosts> logged_hosts_of(const PbsAttributes& attributes, const HostAmounts& amounts);

}  // namespace batfill
