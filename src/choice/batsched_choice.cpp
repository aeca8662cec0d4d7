#include "src/choice/batsched_choice.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/core/error.hpp>

#include "src/support/calendar.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

int number(Fields& options, std::string_view name, int otherwise) {
    const int given = options.integer(name, otherwise);
    options.fail_if(given < 0, name, "a number that is not negative");
    return given;
}

void follow_metadata(Fields& options, WrittenScheduler& choice) {
    if (options.boolean("set_job_metadata", false)) {
        choice.parameters.emplace_back("metadata", "yes");
    }
}

void follow_filler_options(Fields& options, WrittenScheduler& choice) {
    const JsonValue* const fraction = options.find("fraction_of_machines_to_use");
    options.fail_if(fraction != nullptr && !(fraction->IsNumber() && fraction->GetDouble() == 1),
                    "fraction_of_machines_to_use", "1, as a job gets all processors that it asks for");
    // Executor i of a job is on its processor i, which is what Batsim assumes without a mapping.
    options.boolean("custom_mapping", true);
    follow_metadata(options, choice);
}

void follow_killer_options(Fields& options, WrittenScheduler& choice) {
    if (options.find("delay_before_kill") != nullptr) {
        choice.parameters.emplace_back("delay", options.seconds("delay_before_kill").to_shortest_string());
    }
    // Batsim passes over a second kill of a job.
    if (number(options, "nb_kills_per_job", 1) == 0) {
        choice.algorithm = "fcfs";
        std::erase_if(choice.parameters, [](const auto& parameter) { return parameter.first == "delay"; });
    }
}

void follow_submitter_options(Fields& options, WrittenScheduler& choice) {
    if (options.find("nb_jobs_to_submit") != nullptr) {
        choice.parameters.emplace_back("jobs", std::to_string(number(options, "nb_jobs_to_submit", 0)));
    }
    const bool same_length = !options.boolean("increase_jobs_duration", true);
    if (same_length) {
        choice.parameters.emplace_back("same-length", "yes");
    }
    options.fail_if(options.boolean("send_profile_if_already_sent", false) && same_length,
                    "send_profile_if_already_sent", "false, as Batsim refuses a profile that is there already");
    options.fail_if(!options.boolean("send_profiles_in_separate_event", true), "send_profiles_in_separate_event",
                    "true, as Batsim 4 knows profiles in events of their own only");
    follow_metadata(options, choice);
}

// What becomes of the queue order of a variant.
enum class Order {
    ignored,    // by batsched, too
    only_fcfs,  // others are refused
    one,        // the parameter `order`
    of_both,    // the parameters `order` and `backfill-order`
    of_plan,    // the order of compressions: by submission, or the parameter `order`
};

struct Variant {
    const char* name;
    const char* algorithm;
    Order order;
    bool has_policy;  // or takes the lowest processors whatever the policy is
    Parameters::Given parameters = {};
    void (*follow)(Fields& options, WrittenScheduler& choice) = nullptr;  // its options, if it has any
};

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all{
        {"conservative_bf", "conservative", Order::of_plan, true},
        {"easy_bf", "easy", Order::of_both, true},
        // It backfills what ends by the shadow time, and knows no processors that are left over there.
        {"easy_bf_fast",
         "relaxed",
         Order::ignored,
         false,
         {{"alpha", "1"}, {"beta", "0"}, {"gamma", "0"}, {"r", "1"}, {"omega", "1"}}},
        {"fast_conservative_bf", "conservative", Order::of_plan, true},
        {"fcfs", "fcfs", Order::ignored, true},
        {"fcfs_fast", "fcfs", Order::ignored, false},
        {"filler", "filler", Order::one, true, {}, follow_filler_options},
        {"killer", "killer", Order::only_fcfs, true, {}, follow_killer_options},
        {"killer2", "killer2", Order::only_fcfs, true},
        {"random", "random", Order::ignored, false},
        {"rejecter", "rejecter", Order::ignored, false},
        {"sequencer", "sequencer", Order::one, false},
        {"submitter", "submitter", Order::only_fcfs, true, {}, follow_submitter_options},
    };
    return all;
}

constexpr std::array<const char*, 11> variants_without_equivalent{"crasher",
                                                                  "easy_bf_plot_liquid_load_horizon",
                                                                  "energy_bf",
                                                                  "energy_bf_dicho",
                                                                  "energy_bf_idle_sleeper",
                                                                  "energy_bf_monitoring",
                                                                  "energy_bf_monitoring_inertial",
                                                                  "energy_bf_subpart_sleeper",
                                                                  "energy_watcher",
                                                                  "sleeper",
                                                                  "waiting_time_estimator"};

struct NamePair {
    const char* name;  // of batsched
    const char* ours;
};

// batsched calls the wait alone a slowdown. Jobs that were submitted first then go first.
constexpr std::array<NamePair, 8> queue_orders{{{"fcfs", "fcfs"},
                                                {"lcfs", "lcfs"},
                                                {"desc_bounded_slowdown", "fcfs"},
                                                {"desc_slowdown", "fcfs"},
                                                {"asc_size", "sqf"},
                                                {"desc_size", "lqf"},
                                                {"asc_walltime", "spf"},
                                                {"desc_walltime", "lpf"}}};

constexpr std::array<NamePair, 2> policies{{{"basic", "lowest"}, {"contiguous", "contiguous"}}};

const auto& entry_named(const std::string& what, const auto& entries, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& entry : entries) {
        if (name == entry.name) {
            return entry;
        }
        known.emplace_back(entry.name);
    }
    const bool is_of_batsched =
        std::ranges::find(variants_without_equivalent, name) != variants_without_equivalent.end();
    throw UsageError(is_of_batsched
                         ? "batsched's variant '" + name + "' has no equivalent here, known: " + list_of(known)
                         : unknown_name(what, name, known));
}

void add_order(const Variant& variant, const std::string& name, Parameters::Given& parameters) {
    const std::string order = entry_named("queue order", queue_orders, name).ours;
    refuse_if(variant.order == Order::only_fcfs && order != "fcfs", "variant ", std::string(variant.name),
              " has the queue order fcfs only, found '", name, "'");
    if (variant.order == Order::of_plan) {
        parameters.emplace_back("compression", order == "fcfs" ? "submission" : "order");
    }
    if (variant.order == Order::of_plan && order != "fcfs") {
        parameters.emplace_back("order", order);
    }
    if (variant.order == Order::one || variant.order == Order::of_both) {
        parameters.emplace_back("order", order);
    }
    if (variant.order == Order::of_both) {
        parameters.emplace_back("backfill-order", order);
    }
}

void follow_options(const Variant& variant, const std::string& text, WrittenScheduler& choice) {
    try {
        JsonReader reader;
        const JsonValue& document = reader.parse(text);
        refuse_if<InputError>(!document.IsObject(), "expected a JSON object");
        Fields options(document, "");
        if (variant.follow != nullptr) {
            variant.follow(options, choice);
        }
        if (const std::string rest = options.rest(); !rest.empty()) {
            spdlog::warn("variant options that are not followed: {}", rest);
        }
    } catch (const InputError& problem) {
        throw UsageError(std::string("variant options: ") + problem.what());
    }
}

}  // namespace

BatschedRules batsched_rules(const BatschedOptions& options) {
    const Variant& variant = entry_named("variant", variants(), options.variant);
    const bool reserves = variant.order == Order::of_plan || variant.order == Order::of_both;
    // Consecutive hosts have no names here (docs/algorithms.md).
    return {variant.order != Order::ignored, reserves && options.selection_policy != "contiguous"};
}

WrittenScheduler batsched_choice(const BatschedOptions& options) {
    const Variant& variant = entry_named("variant", variants(), options.variant);
    WrittenScheduler choice{variant.algorithm, variant.parameters};
    add_order(variant, options.queue_order, choice.parameters);
    const std::string placement = entry_named("selection policy", policies, options.selection_policy).ours;
    if (variant.has_policy) {
        choice.parameters.emplace_back("placement", placement);
    }
    const Duration delay = seconds_of("rjms_delay", options.rjms_delay, Duration());
    choice.parameters.emplace_back("walltime-margin", delay.to_shortest_string());
    follow_options(variant, options.variant_options, choice);
    return choice;
}

}  // namespace batfill
