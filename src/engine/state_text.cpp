#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/state.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

namespace {

// " takes power:3 each cores:4 in debug"
void append_needs(const StatedNeeds& needs, std::string& text) {
    for (const auto& [name, amount] : needs.pools) {
        text += " takes " + name + ':' + std::to_string(amount);
    }
    for (const auto& [name, amount] : needs.per_host.value_or(StatedNeeds::Amounts())) {
        text += " each " + name + ':' + std::to_string(amount);
    }
    text += needs.partition ? " in " + *needs.partition : "";
}

// "a 2x100 due 170 of ann with l since 5"
std::string text_of(const Job& job, bool with_needs) {
    const JobDescription& description = job.description();
    std::string text = description.id + ' ' + std::to_string(description.processors);
    if (description.walltime) {
        text += 'x' + description.walltime->to_shortest_string();
    }
    if (description.deadline) {
        text += " due " + instant_text(*description.deadline);
    }
    if (!description.user.empty()) {
        text += " of " + description.user.text();
    }
    for (const std::string& license : description.licenses) {
        text += " with " + license;
    }
    if (with_needs && description.needs) {
        append_needs(*description.needs, text);
    }
    return text + " since " + instant_text(job.submit());
}

}  // namespace

std::string to_string(const SchedulerState& state) {
    const bool has_resources = !state.machine.resources().empty();
    std::vector<const Job*> running;
    std::vector<std::string> arrivals;
    for (JobIndex index = 0; index < state.jobs.size(); ++index) {
        if (state.jobs.has(index) && state.job(index).state == JobState::running) {
            running.push_back(&state.job(index));
        } else if (state.jobs.has(index) && state.job(index).state == JobState::submitted) {
            arrivals.push_back(text_of(state.job(index), has_resources));
        }
    }
    std::ranges::stable_sort(running, {}, &Job::start);
    ResourceSet rest = ResourceSet::range(0, state.processors - 1);
    std::string text =
        has_resources
            ? "// for a machine with the same pools, capacities and partitions; jobs may start on other hosts\n"
            : "";
    text += instant_text(running.empty() ? state.now : running.front()->start) + ": lost " + rest.to_string() + '\n';
    for (const Job* job : running) {
        text += instant_text(job->start) + ": back " + job->allocation.to_string() + ", " +
                text_of(*job, has_resources) + '\n';
        rest.remove(job->allocation);
    }
    rest.remove(state.unavailable);
    std::string separator = instant_text(state.now) + ": ";
    const auto add = [&](const std::string& event) { text += std::exchange(separator, ", ") + event; };
    if (!rest.empty()) {
        add("back " + rest.to_string());
    }
    if (!state.unavailable.empty()) {
        add("lost " + state.unavailable.to_string());
    }
    std::ranges::for_each(arrivals, add);
    return text + '\n';
}

}  // namespace batfill
