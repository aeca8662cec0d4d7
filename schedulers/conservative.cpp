#include <batfill/plan_algorithm.hpp>

namespace batfill {

namespace {

// Every job gets the earliest start that delays no planned one. When a job ends early, the waiting jobs are placed
// again one by one, so that planned starts only ever move earlier. A compression costs one pass over the waiting jobs,
// O(1) for each that the freed processors cannot help.
class Conservative : public PlanAlgorithm {
 public:
    explicit Conservative(const Parameters& parameters) : compression_(parameters.choice("compression")) {}

 protected:
    void compress(Round& round) override {
        if (compression_ == "planned-start") {
            move_all_earlier(round);
        } else if (compression_ == "submission") {
            for (const JobIndex job : round.state().waiting.jobs()) {
                round.plan().move_earlier(job, round.now());
            }
        }
    }

 private:
    std::string compression_;
};

const Registration registration({
    "conservative",
    "conservative backfilling: every waiting job has a planned start that is never delayed",
    "Mu'alem, Feitelson, IEEE TPDS 12(6), 2001; compression as in Lindsay et al., Backfilling with guarantees granted "
    "upon job submission, Euro-Par 2011, section 2",
    {Parameter::choice("compression", {"planned-start", "submission", "none"}, "planned-start",
                       "order in which waiting jobs are placed again after an early completion")},
    [](const Parameters& parameters) { return std::make_unique<Conservative>(parameters); },
});

}  // namespace

}  // namespace batfill
