#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <batfill/engine/parameters.hpp>

namespace batfill::slurm {

// Whole seconds of Unix time, or a number of seconds: Slurm decides by no finer clock.
using Seconds = std::int64_t;

// The release whose decisions to repeat.
enum class Version { v22_05, v26_11 };

// How nodes are selected.
enum class Select {
    linear,    // select/linear: whole nodes
    cons_tres  // select/cons_tres: cores, memory and other resources of nodes
};

// Which scheduler looks behind the first job that cannot start.
enum class SchedulerType { backfill, builtin };

// How jobs are ordered.
enum class PriorityType { basic, multifactor };

// The settings of slurm.conf that decide, by their names there. A limit of 0 is off.
struct Settings {
    Version version = Version::v22_05;
    SchedulerType scheduler = SchedulerType::backfill;
    Select select = Select::linear;

    Seconds bf_resolution = 60;
    Seconds bf_window = 1440 * Seconds{60};  // minutes in slurm.conf
    int bf_max_job_test = 500;
    int bf_node_space_size = 0;  // 0: the value of bf_max_job_test
    int bf_max_job_start = 0;
    int bf_max_job_user = 0;
    int bf_max_job_part = 0;
    int bf_max_job_user_part = 0;
    std::int64_t bf_min_prio_reserve = 0;
    Seconds bf_min_age_reserve = 0;
    bool bf_one_resv_per_job = false;
    int bf_job_part_count_reserve = 0;
    bool bf_licenses = false;
    bool bf_running_job_reserve = false;
    Seconds bf_window_linear = 0;
    bool bf_busy_nodes = false;
    bool bf_topopt_enable = false;
    int bf_topopt_iterations = 10;
    int bf_max_job_array_resv = 20;
    Seconds bf_interval = 30;

    Seconds sched_interval = 60;
    Seconds batch_sched_delay = 3;
    int default_queue_depth = 100;
    int partition_job_depth = 0;
    int sched_max_job_start = 0;
    bool defer = false;  // only of salloc and srun

    PriorityType priority = PriorityType::basic;
    bool accounting = true;  // slurmdbd runs; without it, 22.05 computes priorities only once, without ages
    std::int64_t priority_weight_age = 0;
    std::int64_t priority_weight_job_size = 0;
    std::int64_t priority_weight_partition = 0;
    Seconds priority_max_age = Seconds{7} * 24 * 3600;
    Seconds priority_calc_period = 300;
    bool priority_favor_small = false;

    Seconds kill_wait = 30;
    Seconds over_time_limit = 0;

    // Takes in the value of SchedulerParameters: settings with commas between them, a flag without a value.
    // Throws: InputError for a setting that is none of the above, or for a value that is no whole number of at least 0.
    void take_scheduler_parameters(std::string_view text);

    // The settings as parameters of an algorithm: bf_window is bf-window, with the unit that it has in slurm.conf. The
    // choices are not among them.
    static std::vector<Parameter> parameters();
    // Takes in these.
    // Throws: UsageError for a value that is not allowed.
    void take_parameters(const Parameters& parameters);

    // Whether priorities are computed again while jobs wait.
    bool computes_priorities() const { return priority == PriorityType::multifactor && accounting; }
    int node_space_size() const { return bf_node_space_size > 0 ? bf_node_space_size : bf_max_job_test; }
    bool reserves_running_jobs() const { return bf_running_job_reserve || bf_licenses; }
    // To a multiple of bf_resolution.
    Seconds floor(Seconds time) const { return time - time % bf_resolution; }
    Seconds ceil(Seconds time) const { return floor(time + bf_resolution - 1); }
};

}  // namespace batfill::slurm
