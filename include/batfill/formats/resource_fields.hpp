#pragma once

namespace batfill {

// Fields of a workload that schedulers look at, beyond sizes and times.
struct ResourceFields {
    // A job's size is its number of hosts, and `per_host` is what it takes of each of them: `cores`, `gpus`,
    // `gpus_TYPE`, `memory` (MiB), and generic resources of Slurm such as `shard`.
    bool per_host = false;
    bool partition = false;  // the job's partition or queue; of SWF column 16
    // The memory of the whole job (MiB) is an amount of the pool `memory`, and none of its hosts. Of SWF column 10, KiB
    // for each processor.
    bool memory_pool = false;
    // What AllocTRES of sacct names of licences and burst buffers: amounts of pools of these names.
    bool licenses = false;
    // The jobs that a job waited for (SwfLog::conditions): of sacct the option --dependency, of pbs the attribute
    // `depend`, of a table the field `dependency`, as Slurm writes it; of SWF columns 17 and 18.
    bool after = false;
    // The instant that a job waited for: of sacct the option --begin, of a table the field `begin`.
    bool begin = false;
    // The array whose task a job was, by its id or by the field `array` of a table; and how many tasks ran at once: the
    // number behind % in Slurm's --array, or the field `array_limit`.
    bool array = false;
    // What the data do not have is left out, and no error. The memory of jobs whose hosts are unknown is of the pool.
    bool as_far_as_known = false;

    // Whether jobs wait for something.
    bool waits() const { return after || begin || array; }
    bool any() const { return per_host || partition || memory_pool || licenses || waits(); }
};

}  // namespace batfill
