#include <batfill/planning/plan_algorithm.hpp>

namespace batfill {

namespace {

// Every job gets the earliest start that delays no planned one. When a job ends early, the waiting jobs are placed
// again one by one, so planned starts only move earlier. With compression=start-now, jobs move only if they can then
// start at once; holes that begin later stay open.
//
// Cost of a compression: one pass over the waiting jobs, O(1) for each job that the freed processors cannot help.
class Conservative : public PlanAlgorithm {
 public:
    explicit Conservative(const Parameters& parameters)
        : PlanAlgorithm(parameters, parameters.boolean("count-events")),
          compression_(parameters.choice<Compression>("compression")) {}

    // With start-now, compresses even if all jobs ended on time: an open hole may begin now.
    void completed(Round& round, std::span<const Completion> completions) override {
        const bool early = give_back(round, completions);
        if (early || compression_ == Compression::start_now) {
            compress(round);
        }
    }

    std::vector<Statistic> statistics() const override {
        return with_profile_events({{"compressions", compressions_}, {"moves", moves_}});
    }

 protected:
    void compress(Round& round) override {
        if (compression_ == Compression::none) {
            return;
        }
        ++compressions_;
        if (compression_ == Compression::submission) {
            count_compression(round, round.state().waiting.jobs(), Scan::to_the_next);
            for (const JobIndex job : round.state().waiting.jobs()) {
                moves_ += plan().move_earlier(job) ? 1U : 0U;
            }
            return;
        }
        const bool only_now = compression_ == Compression::start_now;
        const Time than = only_now ? round.now() + Duration::microseconds(1) : Time::infinity();
        count_compression(round, plan().by_start(), Scan::pass, than);
        moves_ += plan().move_all_earlier(than);
    }

 private:
    enum class Compression { planned_start, submission, start_now, none };
    Compression compression_;
    std::uint64_t compressions_ = 0;
    std::uint64_t moves_ = 0;
};

const Registration registration({
    "conservative",
    "conservative backfilling: every waiting job has a planned start that is never delayed",
    "Mu'alem, Feitelson, IEEE TPDS 12(6), 2001; compression as in Lindsay et al., Backfilling with guarantees granted upon job submission, Euro-Par 2011, section 2",
    {Parameter::choice(
         "compression", {"planned-start", "submission", "start-now", "none"}, "planned-start",
         "order in which waiting jobs are placed again after an early completion; start-now: as planned-start, after any completion, and only for jobs that can start at once"),
     PlanAlgorithm::count_events(), PlannedTimeline::plan_pools()},
    [](const Parameters& parameters) { return std::make_unique<Conservative>(parameters); },
});

}  // namespace

}  // namespace batfill
