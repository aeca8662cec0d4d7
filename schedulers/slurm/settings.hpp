#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

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

// The settings of slurm.conf that decide about a cycle of backfill, by their names there. A limit of 0 is off.
struct Settings {
    Version version = Version::v22_05;
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
    int bf_job_part_count_reserve = 0;
    bool bf_licenses = false;
    bool bf_running_job_reserve = false;
    Seconds bf_window_linear = 0;
    bool bf_busy_nodes = false;
    bool bf_topopt_enable = false;
    int bf_topopt_iterations = 10;

    Seconds kill_wait = 30;
    Seconds over_time_limit = 0;

    // Takes in the value of SchedulerParameters: settings with commas between them, a flag without a value.
    // Throws: InputError for a setting that is none of the above, or for a value that is no whole number of at least 0.
    void take_scheduler_parameters(std::string_view text);

    int node_space_size() const { return bf_node_space_size > 0 ? bf_node_space_size : bf_max_job_test; }
    bool reserves_running_jobs() const { return bf_running_job_reserve || bf_licenses; }
    // To a multiple of bf_resolution.
    Seconds floor(Seconds time) const { return time - time % bf_resolution; }
    Seconds ceil(Seconds time) const { return floor(time + bf_resolution - 1); }
};

}  // namespace batfill::slurm
