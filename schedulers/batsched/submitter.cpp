#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <batfill/engine/algorithm.hpp>

#include "schedulers/batsched/some_metadata.hpp"

namespace batfill {

namespace {

// Submits jobs of its own while the simulation runs. Each needs one processor, and is submitted as soon as no job waits
// and a processor is idle. In each round the algorithm starts one waiting job and registers one job of its own.
// Batsched's submitter does the same in each message.
//
// Cost of a round: O(log n).
class Submitter : public Algorithm {
 public:
    explicit Submitter(const Parameters& parameters)
        : jobs_(parameters.whole_number("jobs").value()),
          same_length_(parameters.boolean("same-length")),
          writes_metadata_(parameters.boolean("metadata")),
          rejects_too_small_(parameters.choice("when-too-small") == "reject") {}

    bool registers_jobs() const override { return registered_ < jobs_; }
    bool reuses_profiles() const override { return same_length_ && jobs_ > 1; }

    void submitted(Round& round, JobIndex job) override { write_metadata(round, job); }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        start_first(round);
        if (rejects_too_small_ && nobody_could_run(state)) {
            register_rejected(round);
        }
        if (!registers_jobs() || !state.waiting.empty() || state.idle.count() == 0) {
            return;
        }
        // Starts the registered job, unless Batsim must acknowledge it first.
        write_metadata(round, register_next(round));
        start_first(round);
    }

    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Submitter>(*this); }

    std::vector<Statistic> statistics() const override { return {{"jobs_registered", registered_}}; }

 private:
    // All processors are lost, and no job holds one any more. They may never return.
    static bool nobody_could_run(const SchedulerState& state) {
        return state.unavailable.size() == state.processors && state.running.empty();
    }

    // Registers jobs as long as they are rejected at once, like those of users.
    void register_rejected(Round& round) {
        bool goes_on = round.state().waiting.empty();
        while (goes_on && registers_jobs()) {
            goes_on = round.state().job(register_next(round)).state == JobState::rejected;
        }
    }

    static void start_first(Round& round) {
        const WaitingQueue& waiting = round.state().waiting;
        if (!waiting.empty()) {
            round.start_if_possible(waiting.job(0));
        }
    }

    void write_metadata(Round& round, JobIndex job) const {
        if (writes_metadata_) {
            round.set_metadata(job, some_metadata(round.state().job(job)));
        }
    }

    JobIndex register_next(Round& round) {
        const auto number = static_cast<std::int64_t>(registered_);
        const Duration length = Duration::seconds(same_length_ ? 1 : 1 + 10 * number);
        JobDescription job;
        job.id = "dynamic!" + std::to_string(number);
        job.submit = round.now();
        job.processors = 1;
        job.walltime = length + Duration::seconds(5);
        job.profile = "delay_" + length.to_string();
        if (!same_length_ || number == 0) {
            round.register_profile("dynamic", job.profile,
                                   R"({"type":"delay","delay":)" + length.to_shortest_string() + "}");
        }
        const JobIndex index = round.register_job(std::move(job));
        ++registered_;
        return index;
    }

    std::uint64_t jobs_;
    bool same_length_;
    bool writes_metadata_;
    bool rejects_too_small_;
    std::uint64_t registered_ = 0;
};

const Registration registration({
    "submitter",
    "submits jobs of its own while the simulation runs",
    "none; the algorithm of this name of batsched",
    {Parameter::whole_number("jobs", "10", "how many jobs it submits"),
     Parameter::boolean("same-length", "all run for 1 s with one profile; otherwise for 1, 11, 21, ... s"),
     Parameter::boolean("metadata", "writes a text into the column metadata of jobs.csv")},
    [](const Parameters& parameters) { return std::make_unique<Submitter>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous},
});

}  // namespace

}  // namespace batfill
