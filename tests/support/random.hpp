#pragma once

#include <random>

namespace batfill::tests {

// Uniform draws of small numbers. std::uniform_int_distribution would differ between standard libraries.
class Random {
 public:
    explicit Random(unsigned seed) : generator_(seed) {}
    int below(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool one_in(int n) { return below(n) == 0; }

 private:
    std::mt19937 generator_;
};

}  // namespace batfill::tests
