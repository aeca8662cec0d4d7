#pragma once

#include <cmath>
#include <cstdint>

#include <boost/random/gamma_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace batfill {

// A stream of random numbers. Streams of one seed and different purposes are independent of each other. Boost's
// distributions, unlike those of the standard library, give the same draws everywhere.
class Draws {
 public:
    Draws(std::uint64_t seed, std::uint32_t purpose) {
        boost::random::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                                         purpose};
        engine_.seed(sequence);
    }

    // Draws a number in [0, 1).
    double uniform() { return boost::random::uniform_01<double>()(engine_); }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    // Draws one of the integers from `low` to `high`.
    // Requires: low <= high.
    int integer(int low, int high) { return boost::random::uniform_int_distribution<int>(low, high)(engine_); }

    // Returns true with this probability. A draw that is true would also be true with a greater one.
    bool holds(int percent) { return integer(0, 99) < percent; }

    // Draws from the exponential distribution with mean 1.
    double exponential() { return -std::log1p(-uniform()); }

    double gamma_at_most(double shape, double scale, double limit) {
        boost::random::gamma_distribution<double> distribution(shape, scale);
        for (;;) {
            const double value = distribution(engine_);
            if (value <= limit) {
                return value;
            }
        }
    }

 private:
    boost::random::mt19937_64 engine_;
};

}  // namespace batfill
