#include <cstdlib>
#include <stdexcept>

#include <batfill/engine/algorithm.hpp>

// Algorithms that end in forbidden ways, in their first round or in their construction.

namespace {

template <class Act>
class Misbehaved : public batfill::Algorithm {
 public:
    explicit Misbehaved(Act act) : act_(act) {}
    void decide(batfill::Round&) override { act_(); }

 private:
    Act act_;
};

template <class Act>
batfill::AlgorithmDescription described_as(const char* name, Act act) {
    return {name, "misbehaves", "none", {}, [act](const batfill::Parameters&) {
                return std::make_unique<Misbehaved<Act>>(act);
            }};
}

const batfill::Registration throws_text(described_as("throws-text",
                                                     [] { throw std::runtime_error("two\nlines \x1b[31mred"); }));
const batfill::Registration throws_number(described_as("throws-number", [] { throw 42; }));
const batfill::Registration exits(described_as("exits", [] { std::exit(0); }));
const batfill::Registration none({"none", "is not made", "none", {}, [](const batfill::Parameters&) {
                                      return std::unique_ptr<batfill::Algorithm>();
                                  }});
const batfill::Registration not_made(
    {"not-made", "is not made", "none", {}, [](const batfill::Parameters&) -> std::unique_ptr<batfill::Algorithm> {
         throw 42;
     }});

}  // namespace
