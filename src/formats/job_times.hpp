#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/formats/swf.hpp>

#include "src/formats/host_amounts.hpp"
#include "src/support/calendar.hpp"

namespace batfill {

// What a row of accounting data says of a job. Instants count from 1970, or from the data's own time 0.
struct AccountedJob {
    std::string_view id;
    std::optional<Instant> submit;
    std::optional<Instant> start;
    std::optional<Instant> end;
    std::optional<Duration> wait;      // none: from submit and start
    std::optional<Duration> run_time;  // none: from start and end
    std::optional<Duration> walltime;
    long long requested = -1;  // processors; -1: unknown
    long long allocated = -1;
    std::string_view state;  // a word; empty: unknown
    std::string_view user;
    std::string_view queue;
    std::optional<std::string_view> partition;  // none: that of the queue; empty: unknown, and counted
    std::string_view partition_column = {};     // where that stands in the data
    HostAmounts amounts;                        // only read for `per_host` and `memory_pool`
    LoggedConditions conditions;                // only read for `after`, `begin` and `array`
    std::string_view conditions_column = {};
    std::string_view begin_column = {};
    std::vector<LoggedHosts> hosts;  // only read with AccountingData::keeps_hosts
};

// The times of a job, as far as its record tells.
struct JobTimes {
    std::optional<Duration> submit;
    std::optional<Duration> wait;  // negative if the job started before its submission
    std::optional<Duration> run_time;
    const char* missing = nullptr;      // the rule by which the job is left out; null: it ran
    bool has_several_readings = false;  // more than one reading of its instants agrees with everything else
    bool shows_skipped_time = false;    // an instant that no clock of the time zone showed
    bool has_another_unit = false;      // from start to end is 60 or 3600 times the run time
    bool exceeds_its_interval = false;  // the run time is more than a minute longer than from start to end
};

// Decides which of its instants a record knows, and which of two readings each has.
// - Programs write 0, -1, 2038-01-19 or the year 9999 for an instant that is not known. On an absolute clock (from 1980
//   on) an instant is unknown near these words, and more than ten years from the submission. On a relative clock only
//   -1 is unknown, and 0 is an instant.
// - An instant in an hour that clocks showed twice has two readings. The chosen one keeps submission, start and end in
//   this order, and agrees with wait and run time. If both do, it is the earlier one.
JobTimes times_of(const AccountedJob& record);

// What is noted of such a job, if nothing decides.
inline constexpr const char* shown_twice = "instant in an hour that clocks showed twice: taken as the first";

// Makes the instant at which the job became eligible its submission. Returns whether it is known.
bool submit_when_eligible(const std::optional<Instant>& eligible, AccountedJob& job);

}  // namespace batfill
