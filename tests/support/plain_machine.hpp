#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/time.hpp>

#include "tests/support/engine_rounds.hpp"

// A machine as one row of processors, for exhaustive search: no groups, no kept counts, no bit sets.

namespace batfill::tests {

// The processors that a job gets, increasing.
using Place = std::vector<int>;

inline ResourceSet set_of(const Place& place) {
    ResourceSet set;
    for (const int processor : place) {
        set.insert(ResourceSet::range(processor, processor));
    }
    return set;
}

class PlainMachine {
 public:
    // What is free at an instant.
    struct Free {
        Place processors;
        std::map<std::string, int> copies;

        bool has_copies(const JobDescription& job) const {
            return std::all_of(job.licenses.begin(), job.licenses.end(), [this](const std::string& license) {
                const auto found = copies.find(license);
                return found != copies.end() && found->second > 0;
            });
        }
    };

    struct Running {
        JobDescription job;
        Time end;  // the estimate
    };

    explicit PlainMachine(int processors) : PlainMachine(std::vector<Host>(static_cast<std::size_t>(processors))) {}
    explicit PlainMachine(const std::vector<Host>& hosts) {
        for (const Host& host : hosts) {
            for (const std::string& copies : words(host.zone_properties, "licenses")) {
                copies_[copies.substr(0, copies.find(':'))] = std::stoi(copies.substr(copies.find(':') + 1));
            }
        }
        for (const Host& host : hosts) {
            // Licences count only if a zone states copies.
            const std::set<std::string> licenses =
                copies_.empty() ? std::set<std::string>() : words(host.properties, "licenses");
            // Hosts without a machine name form a machine if they are equal.
            std::string machine = host.properties.count("machine") != 0 ? host.properties.at("machine") + "!" : "?";
            machine += std::to_string(host.speed);
            for (const std::string& license : licenses) {
                machine += " " + license;
            }
            processors_.push_back({machine, host.speed, licenses, true, std::nullopt});
        }
    }

    // Applies ends of jobs and changes of processors.
    void take_in(const Message& message) {
        for (const JobIndex job : message.ended) {
            running_.erase(job);
            for (Processor& processor : processors_) {
                if (processor.user == job) {
                    processor.user.reset();
                }
            }
        }
        for (const auto& [changed, available] : message.machine_changes) {
            for (std::size_t i = 0; i < processors_.size(); ++i) {
                if (changed.contains(static_cast<int>(i))) {
                    processors_[i].available = available;
                }
            }
        }
    }

    // `end` is the estimated end.
    void start(JobIndex index, const JobDescription& job, const Place& place, Time end) {
        running_[index] = {job, end};
        for (const int processor : place) {
            processors_[static_cast<std::size_t>(processor)].user = index;
        }
    }

    // Updates the estimated ends of the running jobs, except those that `ended`.
    template <typename EndOf>
    void estimate_ends(const std::vector<JobIndex>& ended, EndOf end_of) {
        for (auto& [index, running] : running_) {
            if (std::count(ended.begin(), ended.end(), index) == 0) {
                running.end = end_of(index);
            }
        }
    }

    Free now() const {
        return free_if([](JobIndex) { return false; });
    }
    Free by_estimates_at(Time time) const {
        return free_if([&](JobIndex job) { return running_.at(job).end <= time; });
    }
    // What is free when these jobs alone have ended.
    Free after(const std::set<JobIndex>& jobs) const {
        return free_if([&](JobIndex job) { return jobs.contains(job); });
    }

    // All free places that a job can have, in order of preference. Of places that differ only in the processors of
    // one machine, it lists only the lowest.
    std::vector<Place> places(const JobDescription& job, Placement placement, const Free& free) const {
        const auto needed = static_cast<std::size_t>(job.processors);
        std::vector<Place> found;
        if (placement == Placement::machine) {
            for (const auto& [name, processors] : machines_among(free.processors)) {
                const std::set<std::string>& licenses = at(processors.front()).licenses;
                if (processors.size() >= needed && free.has_copies(job) &&
                    std::all_of(job.licenses.begin(), job.licenses.end(),
                                [&](const std::string& license) { return licenses.count(license) != 0; })) {
                    found.emplace_back(processors.begin(), processors.begin() + job.processors);
                }
            }
            return found;
        }
        for (auto from = free.processors.begin(); free.processors.end() - from >= job.processors; ++from) {
            const auto to = from + job.processors - 1;
            if (placement == Placement::lowest || *to - *from == job.processors - 1) {
                found.emplace_back(from, to + 1);
            }
        }
        if (placement == Placement::best_effort_contiguous && found.empty() && free.processors.size() >= needed) {
            found.emplace_back(free.processors.begin(), free.processors.begin() + job.processors);
        }
        return found;
    }

    // Whether the job can run on the empty machine.
    bool has_room_for(const JobDescription& job, Placement placement) const {
        Free all{{}, copies_};
        for (std::size_t i = 0; i < processors_.size(); ++i) {
            all.processors.push_back(static_cast<int>(i));
        }
        return !places(job, placement, all).empty();
    }

    // The first time, not before `now`, at which the job has a place by the estimates, and the first such place. None
    // if it never has one.
    std::optional<std::pair<Time, Place>> earliest(const JobDescription& job, Placement placement, Time now) const {
        std::set<Time> times;
        for (const auto& [index, running] : running_) {
            times.insert(std::max(running.end, now));
        }
        for (const Time time : times) {
            const std::vector<Place> found = places(job, placement, by_estimates_at(time));
            if (!found.empty()) {
                return std::pair(time, found.front());
            }
        }
        return std::nullopt;
    }

    bool are_of_one_machine(int a, int b) const { return at(a).machine == at(b).machine; }
    int processors() const { return static_cast<int>(processors_.size()); }
    // The processors of a running job.
    Place place_of(JobIndex job) const {
        Place place;
        for (std::size_t i = 0; i < processors_.size(); ++i) {
            if (processors_[i].user == job) {
                place.push_back(static_cast<int>(i));
            }
        }
        return place;
    }
    const std::map<JobIndex, Running>& running() const { return running_; }
    int copies_of(const std::string& license) const { return copies_.at(license); }

 private:
    struct Processor {
        std::string machine;
        double speed;
        std::set<std::string> licenses;
        bool available;
        std::optional<JobIndex> user;
    };
    static std::set<std::string> words(const std::map<std::string, std::string>& properties, const std::string& name) {
        std::set<std::string> words;
        const auto found = properties.find(name);
        std::istringstream text(found == properties.end() ? "" : found->second);
        for (std::string word; std::getline(text >> std::ws, word, ',');) {
            words.insert(word);
        }
        return words;
    }

    const Processor& at(int processor) const { return processors_[static_cast<std::size_t>(processor)]; }

    template <typename HasEnded>
    Free free_if(HasEnded has_ended) const {
        Free free{{}, copies_};
        for (std::size_t i = 0; i < processors_.size(); ++i) {
            if (processors_[i].available && (!processors_[i].user || has_ended(*processors_[i].user))) {
                free.processors.push_back(static_cast<int>(i));
            }
        }
        for (const auto& [index, running] : running_) {
            const std::set<std::string> licenses(running.job.licenses.begin(), running.job.licenses.end());
            for (const std::string& license : licenses) {
                free.copies[license] -= has_ended(index) ? 0 : 1;
            }
        }
        return free;
    }

    // The processors by machine, the most powerful machine first.
    std::vector<std::pair<std::string, Place>> machines_among(const Place& processors) const {
        std::map<std::string, int> lowest;  // of the machine, whether free or not
        for (std::size_t i = processors_.size(); i > 0; --i) {
            lowest[processors_[i - 1].machine] = static_cast<int>(i - 1);
        }
        std::map<std::string, Place> by_name;
        for (const int processor : processors) {
            by_name[at(processor).machine].push_back(processor);
        }
        std::vector<std::pair<std::string, Place>> machines(by_name.begin(), by_name.end());
        std::sort(machines.begin(), machines.end(), [&](const auto& a, const auto& b) {
            return std::pair(-at(a.second.front()).speed, lowest[a.first]) <
                   std::pair(-at(b.second.front()).speed, lowest[b.first]);
        });
        return machines;
    }

    std::vector<Processor> processors_;
    std::map<std::string, int> copies_;  // total of each licence
    std::map<JobIndex, Running> running_;
};

}  // namespace batfill::tests
