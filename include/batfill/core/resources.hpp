#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/dependency.hpp>
#include <batfill/core/request.hpp>
#include <batfill/core/shared.hpp>
#include <batfill/core/time.hpp>

// What a machine has besides processors that are all alike, and what jobs take of it: pools of the whole machine,
// capacities of hosts that jobs share, and partitions.
namespace batfill {

struct Host;

// The largest total of a pool, and of a capacity of all hosts: sums of what jobs take and lack do not overflow.
inline constexpr Amount max_total_amount = 1'000'000'000'000'000'000;

// What a job asks for besides its number of hosts, in the words of its workload.
struct StatedNeeds {
    using Amounts = std::vector<std::pair<std::string, Amount>>;
    Amounts pools;                         // of the machine, for its whole run
    std::optional<Amounts> per_host;       // of each of its hosts; none: whole hosts
    std::optional<std::string> partition;  // of its hosts, or several with commas; none: any
    std::vector<Dependency> after = {};    // all of them must hold before the job is eligible
    std::optional<Time> begin = {};        // nor is it eligible before this
    // It is a task of this array of its workload. With a limit, it is not eligible before fewer than so many of the
    // tasks before it are not over. A limit without an array means nothing.
    std::optional<std::string> array = {};
    std::optional<Amount> array_limit = {};
    std::optional<std::string> booking = {};  // it runs in a window for this name; none: outside such windows
    // The JSON of a `reservation` that is no name. Others have fields of this name, so it is an error only where a
    // window is for a booking: require_booking().
    std::optional<std::string> wrong_booking = {};
    Amounts in_all = {};  // of its hosts together, where that is more than per_host says of each

    // Whether it states a condition of being eligible, also one that always holds.
    bool has_conditions() const { return !after.empty() || begin || array_limit; }
    friend bool operator==(const StatedNeeds&, const StatedNeeds&) = default;
};

class Resources {
 public:
    struct Pool {
        std::string name;
        Amount total = 0;
    };
    // Hosts of one kind have the same capacities and are in the same partitions.
    struct HostKind {
        bool is_shared = false;               // jobs may share it; else it has one job at a time
        std::vector<Amount> capacity;         // by capacity; of an exclusive host all 0
        std::vector<std::size_t> partitions;  // increasing

        // Whether it is in one of these; true if there are none.
        bool is_in_one_of(const std::vector<std::size_t>& some) const { return some.empty() || has_one_of(some); }
        // Whether an empty host of this kind has what the job takes of each of its hosts, and is in its partition.
        bool suits(const Request& request) const { return !request.details || suits(*request.details); }

     private:
        bool has_one_of(const std::vector<std::size_t>& some) const;
        bool suits(const Request::Details& taken) const;
    };

    // A machine of equal processors.
    Resources() = default;
    // Reads these properties: of zones `pools` ("NAME:TOTAL,NAME:TOTAL"); of hosts `capacity` ("NAME:AMOUNT,...") and
    // `partitions` ("NAME,NAME").
    // With `names_hosts`, hosts have names also without such properties.
    // Throws: InputError, which names host or zone and property, for another form or for a pool of two zones.
    // Cost: O(hosts * log(kinds)).
    explicit Resources(std::span<const Host> hosts, bool names_hosts = false);

    // Whether hosts are planned by name: one of them has a capacity or is in a partition, or a window names hosts. Else
    // only their number is.
    bool has_named_hosts() const { return !kind_of_.empty(); }
    bool has_shared_hosts() const;
    bool empty() const { return pools_.empty() && !has_named_hosts(); }

    const std::vector<Pool>& pools() const { return pools_; }  // by name
    // In the order of the host with the lowest number that has a capacity; then those that only later hosts have.
    const std::vector<std::string>& capacities() const { return capacities_; }
    const std::vector<std::string>& partitions() const { return partitions_; }  // by name
    // What all hosts have together, by capacity.
    // Cost: O(kinds * capacities).
    std::vector<Amount> totals() const;
    const std::vector<HostKind>& kinds() const { return kinds_; }
    int named_hosts() const { return static_cast<int>(kind_of_.size()); }  // their number; 0 if hosts have no names
    // Requires: has_named_hosts(), 0 <= host < named_hosts().
    std::size_t kind_number_of(int host) const { return kind_of_[static_cast<std::size_t>(host)]; }
    const HostKind& kind_of(int host) const { return kinds_[kind_number_of(host)]; }
    // "debug or long".
    std::string names_of_partitions(const std::vector<std::size_t>& some) const;
    // What the hosts are called, by number. Empty if jobs share none of them.
    const std::vector<std::string>& host_names() const;

    // A request that has no details yet, with those of a job that states this, or null for nothing. Kinds of things
    // that the machine does not have at all are ignored. Or why the machine could not run it even if it were empty, as
    // a predicate ("asks for ..."). Cost: O(names of the job * log(names of the machine) + kinds).
    std::variant<Request, std::string> resolve(Request request, const StatedNeeds* stated) const;

 private:
    void read_hosts(std::span<const Host> hosts);
    // Parts of resolve(): each fills in a part of the details, or says why not.
    std::optional<std::string> resolve_pools(const StatedNeeds::Amounts& asked, Request::Details& details) const;
    std::optional<std::string> resolve_per_host(const StatedNeeds::Amounts& asked, Request::Details& details) const;
    std::optional<std::string> resolve_partitions(std::string_view asked, Request::Details& details) const;
    std::optional<std::string> lack_of_hosts(const Request& request) const;

    std::vector<Pool> pools_;
    std::vector<std::string> capacities_;
    std::vector<std::string> partitions_;
    std::vector<HostKind> kinds_;
    std::vector<int> hosts_of_kind_;    // their number, by kind
    std::vector<std::size_t> kind_of_;  // by host; empty: hosts have no names
    Shared<std::vector<std::string>> host_names_;
};

// The names in a job's `partition`: "debug,long". Blanks are a part of them. They may be empty.
std::vector<std::string_view> partitions_in(std::string_view text);

// The entries of "NAME:AMOUNT,NAME:AMOUNT", in their order. Blanks around entries do not count.
// Throws: InputError, which begins with `what`, for another form, a negative amount or a name that comes twice.
std::vector<std::pair<std::string, Amount>> parse_amounts(std::string_view text, const std::string& what);

}  // namespace batfill
