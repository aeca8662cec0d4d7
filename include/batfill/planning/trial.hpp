#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/planning/availability_profile.hpp>
#include <batfill/planning/delay.hpp>
#include <batfill/planning/reservation.hpp>

namespace batfill {

// What a round of the queue family tries on any machine: it reserves later starts, by the estimates, and starts jobs
// now that delay none of them. At its end, what is reserved is free again, and what it has started runs.
//
// Where processors are only counted, a trial of one reservation is a Reservation, and others count free processors
// over time. On other machines, it puts what it reserves into the state's Availability.
class Trial {
 public:
    // Requires: the algorithm looks ahead (Algorithm::looks_ahead).
    explicit Trial(Round& round) : round_(round), later_(round.state().later.get()) {}
    // For other numbers of reservations than one, on any machine. Where processors are only counted, `free` of them can
    // be used now, and those of `running` from their estimated ends on.
    // Requires: jobs need no block of processors, and no machine of a farm.
    Trial(Round& round, int free, std::span<const RunningJob> running);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    // Whether no other job can start now, whatever it takes.
    bool is_full() const { return profile_ && free_ == 0; }
    // Whether a waiting job could start beside what is reserved. With a Reservation, false is certain and true is not.
    bool may_start(JobIndex job);
    enum class Answer {
        yes,
        no,
        passed_over,  // only a pool that is not planned, or a limit, keeps the job from starting
    };
    // Starts a waiting job if it can start beside what is reserved.
    Answer start(JobIndex job);

    // Reserves the earliest start of a waiting job that cannot start now. A job without one reserves nothing.
    void reserve(JobIndex job);
    // When it is to start; infinite if it reserves nothing.
    Time start_of(JobIndex reserved);

    // ---- For explanations

    // The jobs that reserve something, in that order.
    std::span<const LaterJob> reserved();
    // Whom of them a start of this job would delay.
    // Requires: not a Reservation.
    Delay delay(JobIndex job);
    // Why a job has no start.
    Reason::Never never(JobIndex job) const;

 private:
    // Nobody looks at reservations before a job could start but for them, and in most rounds no job could.
    void make_reservations();
    Answer start_beside_later(JobIndex job);
    Answer start_in_profile(JobIndex job);

    Round& round_;
    Availability* later_;                         // null where processors are only counted; then:
    std::optional<Reservation> reservation_;      // of one
    std::optional<AvailabilityProfile> profile_;  // of another number, with the processors that are free now
    int free_ = 0;
    std::vector<JobIndex> to_reserve_;  // in this order
    std::vector<LaterJob> reserved_;
};

}  // namespace batfill
