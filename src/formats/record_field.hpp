#pragma once

#include <optional>
#include <string_view>

#include <batfill/formats/accounting.hpp>

#include "src/support/calendar.hpp"

namespace batfill {

// A field of a record: its name in the source, and its text, which is empty if the record has no such field.
// Throws: InputError with the field, its text and what was expected. The caller names the place.
struct RecordField {
    std::string_view name;
    std::string_view text;

    // Whether the text is a word that programs write for a missing value.
    bool is_missing() const;
    // As above, for a name: fewer words, because people and queues have short names.
    std::string_view name_or_empty() const;
    // No value if the text is missing.
    std::optional<Instant> instant(TimeZone& zone, TimeFormat format = TimeFormat::automatic) const;
    // A number counts `unit`, as in read_length(). No value also if the text says that there is no limit.
    std::optional<Duration> length(Duration unit = Duration::seconds(1)) const;
    // As above, for a time limit: the numbers that Slurm writes for INFINITE and NO_VAL are none, either.
    std::optional<Duration> limit(Duration unit = Duration::seconds(1)) const;
    // A number of processors or nodes, also with separators between thousands. No value also for -1.
    std::optional<long long> number() const;
    // A size of memory in bytes, without an ending of this many characters; a number without a unit counts `unit`
    // bytes. No value also for "16?" and numbers near 2^63 and 2^64, by which Slurm says that it knows none.
    std::optional<long long> bytes(long long unit, std::size_t ending = 0) const;
    // A list of hosts of Slurm. Empty also for "None assigned", and for the blocks of Blue Gene, "bg[000x111]".
    std::string_view hosts() const;

    [[noreturn]] void fail(std::string_view expected) const;
    void fail_if(bool is_wrong, std::string_view expected) const {
        if (is_wrong) {
            fail(expected);
        }
    }
};

// From here on, the numbers of 32 bits that Slurm writes for INFINITE and NO_VAL.
inline constexpr long long slurm_no_number = 4'294'967'294;

// The largest number of processors that a job can have.
inline constexpr long long most_processors = 2'147'483'646;

}  // namespace batfill
