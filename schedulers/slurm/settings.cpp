#include "schedulers/slurm/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>

namespace batfill::slurm {

namespace {

constexpr Seconds minute = 60;
constexpr Seconds day = Seconds{24} * 60 * minute;

// A setting, by its name in slurm.conf and by its place in Settings.
struct Setting {
    std::string_view name;
    std::variant<int Settings::*, std::int64_t Settings::*, bool Settings::*> member;
    std::string_view description;
    Seconds unit = 0;  // of a duration: the seconds in a plain number; 0: no duration
    std::int64_t least = 0;
    bool is_of_scheduler = true;  // in SchedulerParameters, not a line of its own

    bool is_flag() const { return std::holds_alternative<bool Settings::*>(member); }
    std::string parameter() const {
        std::string result(name);
        std::replace(result.begin(), result.end(), '_', '-');
        return result;
    }
    // In seconds, if it is a duration.
    std::int64_t value_in(const Settings& settings) const {
        return std::visit([&](auto at) { return static_cast<std::int64_t>(settings.*at); }, member);
    }
    void set(Settings& settings, std::int64_t value) const {
        std::visit([&](auto at) { settings.*at = static_cast<std::decay_t<decltype(settings.*at)>>(value); }, member);
    }
    std::int64_t most() const {
        return std::holds_alternative<int Settings::*>(member) ? std::numeric_limits<int>::max()
               : unit > 0                                      ? Seconds{1000} * 365 * day
                                                               : std::numeric_limits<std::uint32_t>::max();
    }
    std::string expected() const {
        return "expected a whole number from " + std::to_string(least) + " to " +
               std::to_string(most() / std::max(unit, Seconds{1})) +
               (unit == 0        ? ""
                : unit == minute ? " (minutes), or with a unit, such as 90s or 2d"
                                 : " (seconds), or with a unit, such as 15m or 2d");
    }
};

constexpr auto no_line = false;
constexpr std::array settings_by_name{
    Setting{"bf_interval", &Settings::bf_interval, "time between cycles of backfill", 1, 1},
    Setting{"bf_resolution", &Settings::bf_resolution, "plans begin and end at multiples of this", 1, 1},
    Setting{"bf_window", &Settings::bf_window, "how far backfill plans", minute, 1},
    Setting{"bf_max_job_test", &Settings::bf_max_job_test, "jobs that a cycle tries", 0, 1},
    Setting{"bf_node_space_size", &Settings::bf_node_space_size, "size of the table of plans; 0: bf-max-job-test"},
    Setting{"bf_max_job_start", &Settings::bf_max_job_start, "jobs that a cycle starts; 0: any number"},
    Setting{"bf_max_job_user", &Settings::bf_max_job_user, "jobs of a user in a cycle; 0: any number"},
    Setting{"bf_max_job_part", &Settings::bf_max_job_part, "jobs of a partition in a cycle; 0: any number"},
    Setting{"bf_max_job_user_part", &Settings::bf_max_job_user_part,
            "jobs of a user in a partition in a cycle; 0: any number"},
    Setting{"bf_max_job_array_resv", &Settings::bf_max_job_array_resv, "tasks of an array that a cycle plans"},
    Setting{"bf_min_age_reserve", &Settings::bf_min_age_reserve, "younger jobs get no plan", 1},
    Setting{"bf_min_prio_reserve", &Settings::bf_min_prio_reserve, "jobs with a lower priority get no plan"},
    Setting{"bf_job_part_count_reserve", &Settings::bf_job_part_count_reserve,
            "plans that a cycle makes for a partition; 0: any number"},
    Setting{"bf_one_resv_per_job", &Settings::bf_one_resv_per_job, "a job in several partitions gets one plan"},
    Setting{"bf_running_job_reserve", &Settings::bf_running_job_reserve, "running whole-node jobs are in the table"},
    Setting{"bf_licenses", &Settings::bf_licenses, "backfill plans licences"},
    Setting{"bf_busy_nodes", &Settings::bf_busy_nodes, "later starts prefer nodes that are in use"},
    Setting{"bf_window_linear", &Settings::bf_window_linear,
            "the search of later starts widens its window by this; 0: it doubles it", 1},
    Setting{"bf_topopt_enable", &Settings::bf_topopt_enable, "26.11: compares starts"},
    Setting{"bf_topopt_iterations", &Settings::bf_topopt_iterations, "26.11: how many starts", 0, 1},
    Setting{"sched_interval", &Settings::sched_interval, "time between full runs of the main scheduler", 1, 1},
    Setting{"batch_sched_delay", &Settings::batch_sched_delay, "least time between its other runs", 1},
    Setting{"default_queue_depth", &Settings::default_queue_depth, "jobs that such a run looks at"},
    Setting{"partition_job_depth", &Settings::partition_job_depth, "jobs of a partition in a run; 0: any number"},
    Setting{"sched_max_job_start", &Settings::sched_max_job_start, "jobs that a run starts; 0: any number"},
    Setting{"defer", &Settings::defer, "no start at a submission; sbatch has none anyway"},
    Setting{"priority_weight_age", &Settings::priority_weight_age, "multifactor: weight of the age", 0, 0, no_line},
    Setting{"priority_weight_job_size", &Settings::priority_weight_job_size, "multifactor: weight of the size", 0, 0,
            no_line},
    Setting{"priority_weight_partition", &Settings::priority_weight_partition, "multifactor: weight of the partition",
            0, 0, no_line},
    Setting{"priority_max_age", &Settings::priority_max_age, "age that counts most", minute, 1, no_line},
    Setting{"priority_calc_period", &Settings::priority_calc_period, "time between computations of priorities", minute,
            1, no_line},
    Setting{"priority_favor_small", &Settings::priority_favor_small, "small jobs have the larger size factor", 0, 0,
            no_line},
    Setting{"over_time_limit", &Settings::over_time_limit, "time that a job may run behind its limit", minute, 0,
            no_line},
    Setting{"kill_wait", &Settings::kill_wait, "time that a job has to end behind its limit", 1, 0, no_line},
};

// A whole number of seconds, which may have a unit; a plain number has `unit` seconds. None: it is something else.
std::optional<std::int64_t> read_number(std::string_view text, Seconds unit) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || value < 0) {
        return std::nullopt;
    }
    const std::string_view rest(behind, static_cast<std::size_t>(end - behind));
    constexpr std::array<std::pair<std::string_view, Seconds>, 4> units{
        {{"s", 1}, {"m", minute}, {"h", 60 * minute}, {"d", day}}};
    const auto* const found =
        std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == rest; });
    if (!rest.empty() && (unit == 0 || found == units.end())) {
        return std::nullopt;
    }
    const Seconds factor = !rest.empty() ? found->second : std::max(unit, Seconds{1});
    return value > std::numeric_limits<std::int64_t>::max() / factor ? std::nullopt : std::optional(value * factor);
}

std::optional<std::int64_t> read_value(const Setting& setting, std::string_view text) {
    const std::optional<std::int64_t> value = read_number(text, setting.unit);
    return value && *value >= setting.least && *value <= setting.most() ? value : std::nullopt;
}

void take_setting(Settings& to, std::string_view text) {
    const std::size_t sign = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, sign);
    const auto* const setting = std::find_if(settings_by_name.begin(), settings_by_name.end(), [&](const Setting& one) {
        return one.is_of_scheduler && one.name == name;
    });
    if (setting == settings_by_name.end()) {
        throw InputError("SchedulerParameters: unknown setting '" + std::string(name) + "'");
    }
    if (setting->is_flag()) {
        if (sign < text.size()) {
            throw InputError("SchedulerParameters: " + std::string(text) + ": expected " + std::string(name) +
                             " without a value");
        }
        setting->set(to, 1);
        return;
    }
    const std::optional<std::int64_t> value = read_value(*setting, text.substr(std::min(sign + 1, text.size())));
    if (!value) {
        throw InputError("SchedulerParameters: " + std::string(text) + ": " + setting->expected());
    }
    setting->set(to, *value);
}

}  // namespace

void Settings::take_scheduler_parameters(std::string_view text) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        take_setting(*this, text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

std::vector<Parameter> Settings::parameters() {
    const Settings defaults;
    std::vector<Parameter> result;
    for (const Setting& setting : settings_by_name) {
        const std::string description(setting.description);
        const std::string value = std::to_string(setting.value_in(defaults) / std::max(setting.unit, Seconds{1}));
        if (setting.is_flag()) {
            result.push_back(Parameter::boolean(setting.parameter(), description));
        } else if (setting.unit == 0) {
            result.push_back(Parameter::whole_number(setting.parameter(), value, description));
        } else {
            const char* const unit = setting.unit == minute ? "; a number without a unit is minutes" : "";
            result.push_back(Parameter::seconds(setting.parameter(), value, description + unit));
        }
    }
    return result;
}

void Settings::take_parameters(const Parameters& parameters) {
    for (const Setting& setting : settings_by_name) {
        const std::string name = setting.parameter();
        if (setting.is_flag()) {
            setting.set(*this, parameters.boolean(name) ? 1 : 0);
            continue;
        }
        const std::string& text = parameters.as_text(name);
        const std::optional<std::int64_t> value = read_value(setting, text);
        refuse_if(!value, "parameter ", name, "=", text, ": ", setting.expected());
        setting.set(*this, *value);
    }
}

}  // namespace batfill::slurm
