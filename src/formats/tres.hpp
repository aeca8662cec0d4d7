#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Resources as batch systems write them: sizes of memory, and lists of trackable resources (TRES) of Slurm.
namespace batfill {

// A size in bytes: "16G", "4000M", "2.5G", "16 GB", "8388608kb", "16GiB", with or without a letter for bytes, or in
// words of 8 bytes, "2gw"; a number without a
// unit counts `unit` bytes. No value if it is not a size, is above `most_bytes`, or is not a whole number of bytes.
std::optional<long long> read_bytes(std::string_view text, long long unit);

inline constexpr long long most_bytes = 9'000'000'000'000'000'000;
inline constexpr long long mebibyte = 1 << 20;

// The number of the item `name` in a list such as "billing=8,cpu=8,gres/gpu=2,mem=32G". None if it has no such item.
// Throws: InputError if it has two.
std::optional<std::string_view> item_of(std::string_view list, std::string_view name);

// Adds up the GPUs of a list of resources. Types of GPUs (gres/gpu:a100) add up, unless the list has the total
// (gres/gpu), which then counts.
class GpuCount {
 public:
    // Adds an item: "gres/gpu" and 4, or "gres/gpu:1g.5gb" and 2. The prefix may be missing. Ignores other resources.
    void add(std::string_view name, long long number);
    // None if there was no item of GPUs.
    std::optional<long long> total() const { return total_ ? total_ : of_types_; }
    // By type, as far as items have one.
    const std::map<std::string, long long, std::less<>>& types() const { return types_; }

 private:
    std::optional<long long> total_;
    std::optional<long long> of_types_;
    std::map<std::string, long long, std::less<>> types_;
};

// The number of hosts in a list of Slurm, such as "n[1-4,07],login1" or "r[1-2]n[1-8]". None if it is not such a list.
std::optional<long long> hosts_in(std::string_view list);

// Their names, in the order of the list, with the zeros before numbers: "n001" and "n002" of "n[001-002]". Empty if it
// is not such a list, or has more than 100,000 hosts.
std::vector<std::string> names_of_hosts(std::string_view list);

// Amounts of a job by name, such as "gres/shard", "license/abaqus" and "bb/cray".
using FurtherResources = std::map<std::string, long long, std::less<>>;

// What a list, as count_gpus() reads it, names beside processors, memory, hosts, GPUs, and what nobody asks for:
// energy, pages, virtual memory and the bill. Types (gres/shard:gb10) add up, unless the list has the total. Items with
// an amount of 0, or with a text, are left out.
FurtherResources further_resources(std::string_view list, long long nodes = 1);

// Counts the GPUs in a list of TRES, "cpu=8,gres/gpu:a100=4", or of generic resources as --gres has them, "gpu:a100:4",
// "gres:gpu:2", "gpu:2(IDX:0-1)". An item without a number is one GPU.
// Slurm may write for each what it is: "PER_NODE:gpu:2" counts for each of `nodes`, "PER_JOB:gpu:2" for the job.
// Throws: InputError, which names the item, for a number that is none.
GpuCount count_gpus(std::string_view list, long long nodes = 1);
// Their total.
inline std::optional<long long> gpus_in(std::string_view list, long long nodes = 1) {
    return count_gpus(list, nodes).total();
}

}  // namespace batfill
