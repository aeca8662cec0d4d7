#include <batfill/engine/algorithm.hpp>

// Registers a new algorithm, and one whose name is taken.

namespace {

class StartsNothing : public batfill::Algorithm {
 public:
    void decide(batfill::Round&) override {}
};

batfill::AlgorithmDescription described_as(const char* name) {
    return {name, "starts nothing", "none", {}, [](const batfill::Parameters&) {
                return std::make_unique<StartsNothing>();
            }};
}

const batfill::Registration fresh(described_as("starts-nothing"));
const batfill::Registration taken(described_as("easy"));

}  // namespace
