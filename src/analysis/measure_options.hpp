#pragma once

#include <string>

#include <batfill/analysis/metrics.hpp>

#include "src/options/options.hpp"

// The options that say how to measure.
namespace batfill {

// Declares --tau, the bound of the bounded slowdown.
inline void add_tau_option(options::Options& options, Duration& tau) {
    options.add("tau", options::length(tau, "SECONDS", Duration::microseconds(1)).otherwise_as_declared(),
                "bound of the bounded slowdown");
}

// Declares --tau and --short-deadline.
inline void add_measure_options(options::Options& options, Duration& tau, Duration& short_deadline) {
    add_tau_option(options, tau);
    options.add("short-deadline", options::length(short_deadline, "SECONDS").otherwise_as_declared(),
                "a deadline is short if it is at most this long after the submission");
}

// Declares --wait-from.
inline void add_wait_from_option(options::Options& options, bool& from_eligible, const std::string& where) {
    options.add(
        "wait-from",
        options::word(from_eligible, "INSTANT", {{"submission", false}, {"eligible", true}}).otherwise_as_declared(),
        "where waits begin: submission, or eligible (" + where +
            "); waits, stretches, slowdowns, queues, system usage and lost capacity then count from there, "
            "utilisation, makespan and deadlines do not");
}

}  // namespace batfill
