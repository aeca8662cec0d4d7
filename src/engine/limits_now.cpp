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

std::uint32_t LimitsNow::number_of(const Limits::Bound& bound) {
    const auto [known, is_new] = numbers_.try_emplace(bound.key);
    if (!is_new) {
        return known->second;
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(in_use_.size()));
        in_use_.emplace_back();
    }
    known->second = free_.back();
    free_.pop_back();
    const Amount most = machine_->limits().most(bound);
    in_use_[known->second] = {bound.key, bound.limit, bound.name, most, most, 0};
    return known->second;
}

Request LimitsNow::enter(const JobDescription& job, Request request) {
    JobFields fields(job);
    const std::vector<Limits::Bound> bounds =
        machine_->limits().bounds_for(request, machine_->resources(), std::ref(fields));
    if (bounds.empty()) {
        return request;
    }
    Request::Details details = request.details_or_none();
    details.limits.reserve(bounds.size());
    for (const Limits::Bound& bound : bounds) {
        const std::uint32_t number = number_of(bound);
        ++in_use_[number].jobs;
        details.limits.push_back({number, bound.taken});
    }
    request.details = std::move(details);
    return request;
}

void LimitsNow::leave(const Request& request) {
    for (const LimitShare& share : request.limits()) {
        InUse& limit = in_use_[share.limit];
        if (--limit.jobs == 0) {
            numbers_.erase(limit.key);
            free_.push_back(share.limit);
        }
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
