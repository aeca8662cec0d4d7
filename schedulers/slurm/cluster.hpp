#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/slurm/node_set.hpp"
#include "schedulers/slurm/settings.hpp"

// The cluster as Slurm's schedulers see it: nodes, partitions, licences, jobs, and what is free now.
namespace batfill::slurm {

// An amount of memory, or of another resource of nodes that jobs share (GRES, such as GPUs).
using Amount = std::int64_t;

struct Node {
    int cores = 1;
    std::vector<Amount> amounts;  // memory, then each kind of GRES; all nodes have the same kinds
};

struct Partition {
    NodeSet nodes;
    bool whole_nodes = false;  // OverSubscribe=EXCLUSIVE
};

struct LicenseCount {
    int license;
    int count;
};

// What a job asks for, and what decides about its place in the queue.
struct Job {
    std::int64_t id = 0;  // in the order of submission
    int nodes = 1;
    int tasks = 1;                // cores in all, at least `nodes`
    bool whole_nodes = false;     // asks for whole nodes itself (--exclusive)
    std::vector<Amount> amounts;  // on each node, by the kinds that nodes have; empty: none
    std::vector<LicenseCount> licenses;
    Seconds limit = 60;
    Seconds submitted = 0;
    std::optional<Seconds> eligible;
    std::int64_t priority = 1;  // 0: held
    int user = 0;
    int partition = 0;
};

// A job's place in Cluster::job(), in the order of their ids.
using JobPlace = std::size_t;

struct RunningJob {
    JobPlace job;
    Seconds start;
    Seconds end;  // by its limit
    bool whole_nodes;
    NodeSet nodes;
    std::vector<int> cores;  // that it holds, of each of its nodes in their order
};

// What is free on each node: now, or after jobs that a selection imagines away.
class FreeNodes {
 public:
    explicit FreeNodes(std::span<const Node> nodes);

    // Free cores of a node. Cost: O(1).
    int cores(int node) const { return cores_[static_cast<std::size_t>(node)]; }
    // Nodes without a core in use, and those with a free core.
    const NodeSet& idle() const { return idle_; }
    const NodeSet& with_cores() const { return with_cores_; }
    // Takes those out of `nodes` on which less than `amounts` is free.
    // Cost: O(nodes) for each amount above 0.
    void keep_those_with(const std::vector<Amount>& amounts, NodeSet& nodes) const;

    // A job takes what it holds, or gives it back.
    // Requires: `amounts` are those of the job.
    // Cost: O(nodes of the job * amounts).
    void take(const RunningJob& job, const std::vector<Amount>& amounts) { change(job, amounts, 1); }
    void give_back(const RunningJob& job, const std::vector<Amount>& amounts) { change(job, amounts, -1); }

 private:
    void change(const RunningJob& job, const std::vector<Amount>& amounts, int taken);

    std::span<const Node> nodes_;
    std::vector<int> cores_;
    std::vector<std::vector<Amount>> amounts_;  // of each kind, on each node
    NodeSet idle_;
    NodeSet with_cores_;
};

// What a selection of nodes found.
struct Choice {
    NodeSet nodes;
    std::vector<int> cores;  // taken of each of them, in their order
};

// Nodes, partitions, licences and jobs. Schedulers read it, and start jobs in it.
class Cluster {
 public:
    // `licenses`: the number of copies of each.
    Cluster(std::vector<Node> nodes, std::vector<Partition> partitions, std::vector<int> licenses);
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    int size() const { return static_cast<int>(nodes_.size()); }
    const std::vector<Node>& nodes() const { return nodes_; }
    const Partition& partition_of(const Job& job) const { return partitions_[static_cast<std::size_t>(job.partition)]; }
    bool holds_whole_nodes(const Job& job) const { return job.whole_nodes || partition_of(job).whole_nodes; }
    std::size_t partitions() const { return partitions_.size(); }
    const NodeSet& all_nodes() const { return all_nodes_; }

    // Adds a job, which waits. Requires: its id is above those of all jobs before it.
    JobPlace submit(Job job);
    const Job& job(JobPlace place) const { return jobs_[place]; }
    // The job starts on these nodes. Cost: O(running jobs + nodes of the job).
    const RunningJob& start(JobPlace job, Seconds now, const Choice& choice);
    // A running job ends. Cost: as start().
    void end(JobPlace job);
    // The running job. Requires: it runs. Cost: O(running jobs).
    const RunningJob& running(JobPlace job) const;

    // By their ends, those with equal ends by their places.
    const std::vector<RunningJob>& running() const { return running_; }
    const FreeNodes& free() const { return free_; }
    const std::vector<int>& licenses() const { return licenses_; }
    // Whether the licences that a job asks for are free now.
    bool has_licenses(const Job& job) const;

 private:
    void take_licenses(const Job& job, int taken);

    std::vector<Node> nodes_;
    std::vector<Partition> partitions_;
    std::vector<int> licenses_;
    NodeSet all_nodes_;
    std::vector<Job> jobs_;
    std::vector<RunningJob> running_;
    FreeNodes free_;
    std::vector<int> free_licenses_;
};

}  // namespace batfill::slurm
