#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/formats/swf.hpp>

#include "src/support/calendar.hpp"

namespace batfill {

// What a row of accounting data says of a job. Instants count from 1970, or from the data's own time 0.
struct AccountedJob {
    std::string_view id;
    std::optional<Duration> submit;
    std::optional<Duration> start;
    std::optional<Duration> end;
    std::optional<Duration> wait;      // none: from submit and start
    std::optional<Duration> run_time;  // none: from start and end
    std::optional<Duration> walltime;
    long long requested = -1;  // processors; -1: unknown
    long long allocated = -1;
    std::string_view state;  // a word; empty: unknown
    std::string_view user;
    std::string_view queue;
};

// Collects the jobs of accounting data in a log.
class LogBuilder {
 public:
    // `path` is for messages.
    LogBuilder(const std::string& path, const std::string& time_zone);

    // Growing the list of jobs step by step would need twice the memory.
    void reserve(std::size_t jobs) { log_.jobs.reserve(jobs); }
    TimeZone& zone() { return zone_; }

    // Counts a row that is left out, or a job that was changed, under this rule.
    void leave_out(const char* rule) { ++left_out_[rule]; }
    void note(const char* rule) { ++noted_[rule]; }

    // A field that batfill does not know, of the next job; nothing if the text is empty. A text that is a number
    // becomes a number.
    void add_field(std::string_view name, std::string_view text);
    void add_field(std::string_view name, long long number);

    // Adds a job; leaves it out if it never started, or has not ended. Returns its place in the log.
    // Throws: InputError for an id without characters or with '!'. The caller names the place.
    std::optional<std::size_t> add(const AccountedJob& job, std::size_t line);
    // Adds the component of a heterogeneous job to its first component.
    void join(std::size_t job, const AccountedJob& component);

    // The log. With `from_midnight`, time 0 becomes the midnight before the first submission.
    SwfLog finish(bool from_midnight);

 private:
    // Gives each text a number.
    class Names {
     public:
        long long number_of(std::string_view name);
        TextList take() { return std::move(texts_); }

     private:
        struct Hash {
            using is_transparent = void;
            std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
        };
        TextList texts_;
        std::unordered_map<std::string, long long, Hash, std::equal_to<>> numbers_;
    };

    void number_ids();
    void count_from_midnight();

    SwfLog log_;
    TimeZone zone_;
    Names users_;
    Names queues_;
    Names other_fields_;
    std::string fields_;  // of the next job
    std::map<std::string, std::size_t> left_out_;
    std::map<std::string, std::size_t> noted_;
};

}  // namespace batfill
