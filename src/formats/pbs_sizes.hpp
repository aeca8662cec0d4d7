#pragma once

#include <algorithm>
#include <map>
#include <string_view>

#include "src/formats/accounting_readers.hpp"
#include "src/support/numbers.hpp"
#include "src/support/split.hpp"

// How many processors, nodes and GPUs a record of PBS, TORQUE or Cobalt gives its job.
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
    // 0 if it is not a number.
    long long number(std::string_view key) const { return number_in<long long>((*this)[key].text).value_or(0); }

 private:
    std::map<std::string_view, std::string_view> values_;
};

struct PbsSize {
    long long requested = -1;  // processors, or nodes; -1: unknown
    long long allocated = -1;
};

// The size of a job. With `counts_nodes`, requested and allocated are its number of nodes. docs/workloads.md has the
// precedence of the attributes.
// Throws: InputError, which names the part, for more than `most_processors`.
PbsSize size_of_record(const PbsAttributes& attributes, bool counts_nodes);

// The number of GPUs of a job; 0 if the record has none.
// Throws: as above.
long long gpus_of_record(const PbsAttributes& attributes);

}  // namespace batfill
