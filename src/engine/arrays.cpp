#include "src/engine/arrays.hpp"

#include <iterator>
#include <utility>

namespace batfill {

bool Arrays::add(JobNumber task, const std::string& array, std::optional<Amount> limit) {
    auto& [open, last_turns] = arrays_[array];
    const auto before = static_cast<Amount>(open.size());
    const bool has_turn = !limit || before < *limit;
    if (!has_turn) {
        const auto last = before == *limit ? std::prev(open.end()) : std::next(open.begin(), *limit - 1);
        last_turns.try_emplace(*limit, last->first);
    }
    open.emplace_hint(open.end(), next_place_, task);
    tasks_.emplace(task, Task{array, next_place_, limit});
    ++next_place_;
    return has_turn;
}

std::vector<JobNumber> Arrays::ended(JobNumber job) {
    std::vector<JobNumber> in_turn;
    const auto ended = tasks_.find(job);
    if (ended == tasks_.end()) {
        return in_turn;
    }
    const Task task = std::move(ended->second);
    tasks_.erase(ended);
    auto& [open, last_turns] = arrays_.at(task.array);
    for (auto one = last_turns.begin(); one != last_turns.end();) {
        auto& [limit, last] = *one;
        const auto next = task.place <= last ? open.upper_bound(last) : open.end();
        if (next != open.end()) {
            last = next->first;
            if (tasks_.at(next->second).limit == limit) {
                in_turn.push_back(next->second);
            }
        }
        one = task.place <= last && next == open.end() ? last_turns.erase(one) : std::next(one);
    }
    open.erase(task.place);
    if (open.empty()) {
        arrays_.erase(task.array);
    }
    return in_turn;
}

std::size_t Arrays::open_before(JobNumber task) const {
    const Task& known = tasks_.at(task);
    const auto& open = arrays_.at(known.array).open;
    return static_cast<std::size_t>(std::distance(open.begin(), open.find(known.place)));
}

bool Arrays::has_turn(JobNumber job) const {
    const auto task = tasks_.find(job);
    if (task == tasks_.end() || !task->second.limit) {
        return true;
    }
    const auto& last_turns = arrays_.at(task->second.array).last_turns;
    const auto last = last_turns.find(*task->second.limit);
    return last == last_turns.end() || task->second.place <= last->second;
}

}  // namespace batfill
