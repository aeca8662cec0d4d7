#include "schedulers/slurm/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <batfill/core/error.hpp>

namespace batfill::slurm {

namespace {

// Where the value of a setting goes.
struct Setting {
    std::string_view name;
    void (*set)(Settings&, std::int64_t);
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<int>::max();
    bool is_flag = false;
};

constexpr std::array settings_by_name{
    Setting{"bf_resolution", [](Settings& to, std::int64_t value) { to.bf_resolution = value; }, 1},
    Setting{"bf_window", [](Settings& to, std::int64_t value) { to.bf_window = value * 60; }, 1},
    Setting{"bf_max_job_test", [](Settings& to, std::int64_t value) { to.bf_max_job_test = static_cast<int>(value); },
            1},
    Setting{"bf_node_space_size",
            [](Settings& to, std::int64_t value) { to.bf_node_space_size = static_cast<int>(value); }},
    Setting{"bf_max_job_start",
            [](Settings& to, std::int64_t value) { to.bf_max_job_start = static_cast<int>(value); }},
    Setting{"bf_max_job_user", [](Settings& to, std::int64_t value) { to.bf_max_job_user = static_cast<int>(value); }},
    Setting{"bf_max_job_part", [](Settings& to, std::int64_t value) { to.bf_max_job_part = static_cast<int>(value); }},
    Setting{"bf_max_job_user_part",
            [](Settings& to, std::int64_t value) { to.bf_max_job_user_part = static_cast<int>(value); }},
    Setting{"bf_min_prio_reserve", [](Settings& to, std::int64_t value) { to.bf_min_prio_reserve = value; }, 0,
            std::numeric_limits<std::uint32_t>::max()},
    Setting{"bf_min_age_reserve", [](Settings& to, std::int64_t value) { to.bf_min_age_reserve = value; }},
    Setting{"bf_job_part_count_reserve",
            [](Settings& to, std::int64_t value) { to.bf_job_part_count_reserve = static_cast<int>(value); }},
    Setting{"bf_window_linear", [](Settings& to, std::int64_t value) { to.bf_window_linear = value; }},
    Setting{"bf_topopt_iterations",
            [](Settings& to, std::int64_t value) { to.bf_topopt_iterations = static_cast<int>(value); }, 1},
    Setting{"bf_max_job_array_resv",
            [](Settings& to, std::int64_t value) { to.bf_max_job_array_resv = static_cast<int>(value); }},
    Setting{"bf_interval", [](Settings& to, std::int64_t value) { to.bf_interval = value; }, 1},
    Setting{"sched_interval", [](Settings& to, std::int64_t value) { to.sched_interval = value; }, 1},
    Setting{"batch_sched_delay", [](Settings& to, std::int64_t value) { to.batch_sched_delay = value; }},
    Setting{"default_queue_depth",
            [](Settings& to, std::int64_t value) { to.default_queue_depth = static_cast<int>(value); }},
    Setting{"partition_job_depth",
            [](Settings& to, std::int64_t value) { to.partition_job_depth = static_cast<int>(value); }},
    Setting{"sched_max_job_start",
            [](Settings& to, std::int64_t value) { to.sched_max_job_start = static_cast<int>(value); }},
    Setting{"defer", [](Settings& to, std::int64_t) { to.defer = true; }, 0, 0, true},
    Setting{"bf_licenses", [](Settings& to, std::int64_t) { to.bf_licenses = true; }, 0, 0, true},
    Setting{"bf_running_job_reserve", [](Settings& to, std::int64_t) { to.bf_running_job_reserve = true; }, 0, 0, true},
    Setting{"bf_busy_nodes", [](Settings& to, std::int64_t) { to.bf_busy_nodes = true; }, 0, 0, true},
    Setting{"bf_topopt_enable", [](Settings& to, std::int64_t) { to.bf_topopt_enable = true; }, 0, 0, true},
};

void take_setting(Settings& to, std::string_view text) {
    const std::size_t sign = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, sign);
    const auto* const setting = std::find_if(settings_by_name.begin(), settings_by_name.end(),
                                             [&](const Setting& one) { return one.name == name; });
    if (setting == settings_by_name.end()) {
        throw InputError("SchedulerParameters: unknown setting '" + std::string(name) + "'");
    }
    if (setting->is_flag) {
        if (sign < text.size()) {
            throw InputError("SchedulerParameters: " + std::string(text) + ": expected " + std::string(name) +
                             " without a value");
        }
        setting->set(to, 1);
        return;
    }
    const std::string_view digits = text.substr(std::min(sign + 1, text.size()));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value < setting->least ||
        value > setting->most) {
        throw InputError("SchedulerParameters: " + std::string(text) + ": expected a whole number from " +
                         std::to_string(setting->least) + " to " + std::to_string(setting->most));
    }
    setting->set(to, value);
}

}  // namespace

void Settings::take_scheduler_parameters(std::string_view text) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        take_setting(*this, text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

}  // namespace batfill::slurm
