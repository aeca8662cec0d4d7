#include <memory>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

namespace {

class Rejecter : public Algorithm {
 public:
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Rejecter>(*this); }
    std::optional<std::string> refuse(const JobDescription&) const override { return "is rejected as every job is"; }
    void decide(Round&) override {}
};

const Registration registration({
    "rejecter",
    "rejects every job: only reads and writes, to measure speed",
    "none",
    {},
    [](const Parameters&) { return std::make_unique<Rejecter>(); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous},
});

}  // namespace

}  // namespace batfill
