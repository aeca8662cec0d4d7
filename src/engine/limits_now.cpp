#include <algorithm>
#include <functional>
#include <utility>

#include <batfill/engine/limits_now.hpp>

#include "src/support/job_fields.hpp"

namespace batfill {

LimitsNow::LimitsNow(const Machine& machine) : machine_(machine.limits().empty() ? nullptr : &machine) {}

std::optional<std::string> LimitsNow::reason_to_refuse(const JobDescription& job, const Request& request) const {
    JobFields fields(job);
    return machine_->limits().reason_to_refuse(request, machine_->resources(), std::ref(fields));
}

namespace {

// A number for something new: one that nobody uses any more, or the next one.
template <class Value>
std::uint32_t take_number(std::vector<std::uint32_t>& free, std::vector<Value>& values) {
    if (free.empty()) {
        values.emplace_back();
        return static_cast<std::uint32_t>(values.size() - 1);
    }
    const std::uint32_t number = free.back();
    free.pop_back();
    return number;
}

}  // namespace

std::uint32_t LimitsNow::number_of(const Limits::Bound& bound) {
    const auto [known, is_new] = numbers_.try_emplace(bound.key);
    if (is_new) {
        known->second = take_number(free_, in_use_);
        const Amount most = machine_->limits().most(bound);
        in_use_[known->second] = {bound.key, bound.limit, bound.name, most, most};
    }
    return known->second;
}

std::uint32_t LimitsNow::class_of(const std::vector<LimitShare>& shares) {
    const LimitShare& rarest = *std::ranges::min_element(
        shares, {}, [this](const LimitShare& share) { return in_use_[share.limit].classes.size(); });
    const auto& known = in_use_[rarest.limit].classes;
    for (auto one = std::ranges::lower_bound(known, std::pair(rarest.amount, std::uint32_t{0}));
         one != known.end() && one->first == rarest.amount; ++one) {
        if (classes_[one->second].details->limits == shares) {
            return one->second;
        }
    }
    const std::uint32_t number = take_number(free_classes_, classes_);
    Class& added = classes_[number];
    Request::Details details;
    details.limits = shares;
    details.limit_class = number;
    added.details = std::move(details);
    added.lacking = 0;
    for (const LimitShare& share : shares) {
        InUse& limit = in_use_[share.limit];
        const std::pair<Amount, std::uint32_t> one{share.amount, number};
        limit.classes.insert(std::ranges::lower_bound(limit.classes, one), one);
        added.lacking += share.amount > limit.left ? 1 : 0;
    }
    return number;
}

Request LimitsNow::enter(const JobDescription& job, Request request) {
    JobFields fields(job);
    const std::vector<Limits::Bound> bounds =
        machine_->limits().bounds_for(request, machine_->resources(), std::ref(fields));
    if (bounds.empty()) {
        return request;
    }
    std::vector<LimitShare> shares;
    shares.reserve(bounds.size());
    for (const Limits::Bound& bound : bounds) {
        shares.push_back({number_of(bound), bound.taken});
    }
    const std::uint32_t number = class_of(shares);
    ++classes_[number].jobs;
    if (!request.details) {
        request.details = classes_[number].details;
        return request;
    }
    Request::Details details = *request.details;
    details.limits = std::move(shares);
    details.limit_class = number;
    request.details = std::move(details);
    return request;
}

void LimitsNow::leave(const Request& request) {
    if (request.limits().empty()) {
        return;
    }
    const std::uint32_t number = request.details->limit_class;
    if (--classes_[number].jobs > 0) {
        return;
    }
    for (const LimitShare& share : request.limits()) {
        InUse& limit = in_use_[share.limit];
        const std::pair<Amount, std::uint32_t> one{share.amount, number};
        limit.classes.erase(std::ranges::lower_bound(limit.classes, one));
        if (limit.classes.empty()) {
            numbers_.erase(limit.key);
            free_.push_back(share.limit);
        }
    }
    free_classes_.push_back(number);
}

void LimitsNow::change(const Request& request, int sign) {
    for (const LimitShare& share : request.limits()) {
        InUse& limit = in_use_[share.limit];
        const Amount before = std::exchange(limit.left, limit.left + sign * share.amount);
        const auto [less, more] = std::minmax(before, limit.left);
        if (limit.classes.back().first <= less) {
            continue;
        }
        const auto amount = &std::pair<Amount, std::uint32_t>::first;
        for (auto one = std::ranges::upper_bound(limit.classes, less, {}, amount);
             one != limit.classes.end() && one->first <= more; ++one) {
            count(one->second, -sign);
        }
    }
}

void LimitsNow::count(std::uint32_t limit_class, int sign) {
    Class& counted = classes_[limit_class];
    const bool was_held = counted.lacking > 0;
    counted.lacking += static_cast<std::uint32_t>(sign);
    if (was_held != (counted.lacking > 0) && !std::exchange(counted.is_changed, true)) {
        changed_.push_back(limit_class);
    }
}

const std::string& LimitsNow::counted(const LimitShare& share) const {
    const InUse& limit = in_use_[share.limit];
    return machine_->limits().all()[limit.limit].most[limit.name].first;
}

std::string LimitsNow::name(const LimitShare& share, const JobDescription& job) const {
    JobFields fields(job);
    return machine_->limits().name_of(in_use_[share.limit].limit, std::ref(fields));
}

}  // namespace batfill
