#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/engine/state.hpp>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/configuration.hpp"

namespace batfill::slurm {

// The machine and the jobs of the engine in the words of Slurm: hosts are nodes, pools licences, announced windows
// reservations, and what a job asks for is tasks.
class Translation {
 public:
    // Chooses how nodes are selected, if the configuration leaves that open.
    // Requires: `machine` outlives this object.
    // Throws: UsageError for a parameter that does not suit the machine, InputError for a machine that Slurm does not
    // have.
    Translation(const Configuration& configuration, const Machine& machine);

    Select select() const { return select_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<Partition>& partitions() const { return partitions_; }
    const std::vector<int>& licenses() const { return licenses_; }
    const std::vector<std::int64_t>& weights() const { return weights_; }
    const std::vector<std::int64_t>& partition_factors() const { return factors_; }
    // The reservation that a window is, from its announcement on.
    Reservation reservation(const Window& window);

    // The seconds of Unix time in which an instant lies, and its microseconds.
    // Throws: InputError for an instant that Slurm could not name.
    Seconds seconds_of(Time time) const;
    std::int64_t microseconds_of(Time time) const;
    Time time_of(std::int64_t microseconds) const;

    // What a job states, as Algorithm::stated() gives it.
    StatedNeeds stated(const JobDescription& job) const;
    // Why it can never run, as Algorithm::refuse() says it.
    std::optional<std::string> reason_to_refuse(const JobDescription& job) const;
    // The job as it is submitted, without its dependencies.
    slurm::Job job(const batfill::Job& waiting);
    // What a running job holds of each of its hosts, by capacity. Empty: whole hosts.
    std::vector<Amount> amounts(const slurm::Job& job, const RunningJob& running) const;

 private:
    // What a job asks for.
    struct Asked {
        int tasks = 0;
        int cores_each = 0;
        bool whole = false;
        bool all_memory = false;
        int nice = 0;
        std::vector<Amount> amounts;  // as Job::amounts
        std::vector<int> partitions;  // those with nodes for it
    };
    Asked read(const JobDescription& job) const;
    // As read(), once for each job: it is asked for when a job is stated, refused or not, and submitted.
    const Asked& asked(const JobDescription& job) const;
    std::optional<int> cores_on_each_node(const Asked& asked, int nodes, const Partition& partition) const;
    Amount default_memory(const JobDescription& job, const Asked& asked, const std::vector<int>& partitions) const;
    bool is_suitable(const Asked& asked, int node) const;
    bool has_nodes_for(const Asked& asked, int nodes, const Partition& partition) const;
    std::vector<int> named_partitions(const StatedNeeds* needs) const;
    // Parts of the constructor.
    void find_capacities();
    void add_node(int host);
    void find_partitions();
    void add_partition(const std::string& name, NodeSet nodes);
    void require_partition(const char* parameter, const std::string& name) const;
    void find_weights();
    std::vector<Amount> amounts_of(const StatedNeeds::Amounts& stated) const;

    mutable const JobDescription* last_asked_ = nullptr;
    mutable std::string last_asked_id_;
    mutable Asked last_;
    const Configuration& configuration_;
    const Machine& machine_;
    Select select_ = Select::linear;
    std::optional<std::size_t> cores_;               // their place among the capacities
    std::vector<std::optional<std::size_t>> kinds_;  // likewise, of memory and then of GRES; none: the machine has none
    std::vector<Node> nodes_;
    std::vector<Partition> partitions_;
    std::vector<std::string> partition_names_;
    std::vector<std::int64_t> factors_;
    std::vector<int> licenses_;
    std::vector<std::int64_t> weights_;                  // of nodes
    std::unordered_map<std::string, int> users_;         // only looked up
    std::unordered_map<std::string, int> arrays_;        // likewise; by workload and array
    std::unordered_map<std::string, int> reservations_;  // likewise; by the names that jobs ask for
};

}  // namespace batfill::slurm
