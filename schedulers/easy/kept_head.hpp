#pragma once

#include <optional>

#include <batfill/core/job.hpp>
#include <batfill/engine/parameters.hpp>

namespace batfill {

// The first job of `easy` that could not start, with head=kept: it goes first, with the start that it was promised,
// until it leaves the queue.
class KeptHead {
 public:
    // The parameter `head`.
    static Parameter parameter() {
        return Parameter::choice(
                   "head", {"best", "kept"}, "best",
                   "the first job: in each round anew, or one that keeps its place and reservation until it starts")
            .used_with({"extra=none"});
    }
    explicit KeptHead(const Parameters& parameters) : is_on_(parameters.choice("head") == "kept") {}

    bool is_on() const { return is_on_; }
    // The kept job; none if no job is kept now.
    std::optional<JobIndex> job() const { return job_; }
    // The shadow time of the kept job when it became the head.
    // Requires: a job is kept.
    Time start() const { return start_; }

    // Requires: is_on(); no job is kept.
    void keep(JobIndex job, Time start) {
        job_ = job;
        start_ = start;
    }
    // Notes that a job started or was withdrawn.
    void left_queue(JobIndex job) {
        if (job_ == job) {
            job_.reset();
        }
    }

 private:
    bool is_on_;
    std::optional<JobIndex> job_;
    Time start_;
};

}  // namespace batfill
