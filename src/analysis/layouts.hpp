#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <batfill/core/request.hpp>
#include <batfill/core/resource_set.hpp>

namespace batfill::analysis {

// Jobs that take cores of their hosts in whatever numbers: whether there is room for all of them at once. It keeps a
// maximum flow of cores from jobs to hosts, and changes it as little as necessary.
class Layouts {
 public:
    // `hosts`: how many the machine has.
    explicit Layouts(std::size_t hosts) : hosts_(hosts) {}

    // Sets how many cores of a host are left for these jobs; at least 0. Cost: O(1).
    void set_left(int host, Amount cores) { hosts_[static_cast<std::size_t>(host)].left = cores; }
    // A job comes, by its number, that takes so many cores of these hosts together; or it goes, if there is one.
    // Cost: O(hosts of the job * jobs there).
    void add(std::size_t job, const ResourceSet& hosts, Amount cores);
    void remove(std::size_t job);
    // Returns how many cores the jobs lack, whatever the layout; from then on, they do without these. `hosts`: those
    // of which fewer may be left than at the last call.
    // Cost: O(hosts and jobs that touch each other) for each time that a job gets cores somewhere.
    Amount settle(const ResourceSet& hosts);

 private:
    struct Job {
        std::map<std::size_t, Amount> given;  // of each of its hosts
        Amount lacks;
        std::size_t visit;  // the search that has been here last
    };
    struct Host {
        Amount left = 0;
        Amount given = 0;
        std::vector<std::size_t> jobs;
        std::size_t visit = 0;
        // In a search: the job that may take cores here. It gives up those of another host, unless it lacks them.
        std::size_t taker = 0;
        std::size_t instead_of = 0;
    };
    bool improve(std::size_t number);
    void move_cores(std::size_t number, std::size_t host);

    std::vector<Host> hosts_;
    std::map<std::size_t, Job> jobs_;
    std::vector<std::size_t> lacking_;  // jobs that may
    std::size_t visit_ = 0;
};

}  // namespace batfill::analysis
