#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/resources.hpp>

#include "src/formats/tres.hpp"

namespace batfill {

// What a job took of each of its hosts, as its record tells. The setters take the amount of the whole job, and divide
// it by the hosts, rounded up.
class HostAmounts {
 public:
    enum class Source { allocation, request };

    // Amounts of GPUs and cores above this, and negative ones, are unknown.
    static constexpr long long most = 2'147'483'646;

    HostAmounts() = default;
    // Without a number of hosts above 0, all amounts stay unknown.
    explicit HostAmounts(long long hosts) : hosts_(hosts) {}

    // `column`: where the amount stands in the data; the text must outlive this object.
    void set_cores(std::optional<long long> number, std::string_view column, Source source = Source::allocation);
    void set_gpus(const GpuCount& gpus, std::string_view column, Source source = Source::allocation);
    void set_memory(std::optional<long long> bytes, std::string_view column, Source source = Source::allocation);
    // Generic resources, such as gres/shard, are amounts of hosts. Licences and burst buffers are amounts of pools, if
    // `keeps_pools`. What the job has of each already stays, and what becomes nothing is unkept().
    void set_further(const FurtherResources& resources, bool keeps_pools, Source source = Source::allocation);
    // What the whole job has, where it is not what the setters got: hosts that were joined are some of several.
    void set_whole(long long cores, long long gpus, long long bytes);
    bool has_cores() const { return cores_.has_value(); }
    bool has_gpus() const { return gpus_.has_value(); }
    bool has_memory() const { return memory_.has_value(); }

    // The log says that nobody else used its hosts.
    void take_whole_hosts() { takes_whole_ = true; }
    bool takes_whole_hosts() const { return takes_whole_; }
    // A peculiarity to be counted.
    void note(const char* rule);

    // Keeps the largest of each amount: hosts of one job may have different ones. Their memory adds up to that of the
    // job.
    void join(const HostAmounts& other);

    // What these took of one host together.
    static HostAmounts together(const std::vector<const HostAmounts*>& on_one_host);
    // Raises what it took of each host to what it took of this one. `differs`: it took something else of others, else
    // the same.
    void raise_to(const HostAmounts& of_one_host, bool differs);

    // Takes from `other` what is unknown here, and what that notes.
    void fill(const HostAmounts& other);

    // What it took of each host, without amounts of 0. In the order cores, gpus, gpus_TYPE, memory.
    StatedNeeds::Amounts amounts() const;
    // What the whole job has of pools, by name.
    const std::map<std::string, long long, std::less<>>& pools() const { return pools_; }
    // What is named in the data and is no amount here, such as "ic/ofed".
    const std::set<std::string>& unkept() const { return unkept_; }
    // Adds such a name.
    void leave_out(std::string what) { unkept_.insert(std::move(what)); }
    // The memory of the whole job, in MiB. None: unknown, or 0.
    std::optional<long long> whole_memory() const { return whole_memory_; }
    // What the whole job has of cores, gpus or memory (MiB) in the data. 0: unknown, or none.
    long long whole_of(std::string_view name) const;
    // How much more than the job had in the data it gets, if it gets amounts(), which are `of_each`, of so many hosts.
    // In the same order.
    StatedNeeds::Amounts surplus(const StatedNeeds::Amounts& of_each, long long hosts) const;
    // Whether that is because its hosts had different amounts, and not because they were rounded up.
    bool has_different_hosts() const { return has_different_hosts_; }
    // Forgets what it took of each host of this.
    void leave_out_memory() { memory_.reset(); }
    // Where the known ones of cores, gpus and memory stand.
    std::vector<std::pair<const char*, std::string_view>> columns() const;
    // What is to be counted, if the job gets these amounts, and was not yet. `of_pool`: its memory is no amount of its
    // hosts.
    std::vector<const char*> notes(bool of_pool) const;
    // These are counted now.
    void forget_notes(bool of_pool);

 private:
    // Keeps the largest amount of each host. Returns whether they differ.
    bool raise_each(const HostAmounts& other);
    void add_to_each(const HostAmounts& other);
    std::optional<long long> share(std::optional<long long> number);

    long long hosts_ = 0;
    bool takes_whole_ = false;
    std::optional<long long> cores_;
    std::optional<long long> gpus_;
    std::map<std::string, long long, std::less<>> gpus_of_type_;  // by name of the amount
    std::map<std::string, long long, std::less<>> further_;       // by name of the amount
    std::map<std::string, long long, std::less<>> pools_;         // of the whole job
    std::set<std::string> unkept_;
    std::optional<long long> memory_;        // MiB
    std::optional<long long> whole_memory_;  // MiB
    long long whole_cores_ = 0;              // 0: unknown, or none
    long long whole_gpus_ = 0;
    std::map<std::string, long long, std::less<>> whole_of_type_;  // GPUs
    bool has_different_hosts_ = false;
    std::string_view cores_column_;
    std::string_view gpus_column_;
    std::string_view memory_column_;
    std::vector<const char*> notes_;
    std::vector<const char*> counted_;
};

// Raises amounts of `largest` to those of `amounts`, and adds those that it lacks. Keeps the order of
// HostAmounts::amounts().
void raise_amounts(StatedNeeds::Amounts& largest, const StatedNeeds::Amounts& amounts);

// "cores:64,gpus:4", as the option --capacity takes it.
std::string capacity_text(const StatedNeeds::Amounts& amounts);

namespace host_rules {

inline constexpr const char* different = "hosts with different amounts: per_host has the largest";
inline constexpr const char* rounded = "does not divide by its hosts: per_host is rounded up";
inline constexpr const char* several_partitions = "several partitions: any of them";
inline constexpr const char* components_apart = "components in several partitions: any host";
inline constexpr const char* no_partition = "partition unknown: any host";
inline constexpr const char* queue_of_booking = "queue of a reservation: no partition, any host";
inline constexpr const char* shared_chunks = "chunks share hosts: their sum, divided by the hosts";
inline constexpr const char* no_unit = "memory without a unit: counted as MiB";
inline constexpr const char* no_pool_memory = "memory unknown: takes nothing of the pool memory";
inline constexpr const char* one_host = "hosts not in the data: one";
inline constexpr const char* no_hosts = "number of hosts unknown (--fields per-host)";

}  // namespace host_rules

}  // namespace batfill
