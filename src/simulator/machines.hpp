#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

// The machines of a simulation by number: the state of each, and the time that all spent in each state. A job that
// starts or ends changes all of its machines alike. With wide jobs, this is most of the work of a replay, so the
// machines lie in columns.
class Machines {
 public:
    enum class State : std::uint8_t { idle, computing, unavailable, sleeping, falling_asleep, waking };
    using Interval = ResourceSet::Interval;

    static const char* name_of(State state);

    // All are idle since time 0. `like_batsim5`: in the sums of times by state, a machine computes from the start of
    // its first job on, and its availability does not matter.
    Machines(std::size_t number, bool like_batsim5);
    // Several jobs may hold one of these at a time.
    void may_be_shared(ResourceSet machines);

    bool has(int machine) const { return machine >= 0 && machine < static_cast<int>(state_.size()); }
    State state(int machine) const { return state_[static_cast<std::size_t>(machine)]; }
    // The first machine of the interval that a job cannot take; -1 if it can take all: they are idle, or shared and
    // computing.
    int first_not_free(Interval machines) const;
    MachineTimes times() const;

    // A job takes, or leaves, these machines.
    // Requires, to take them: all are free.
    void take(Interval machines, Time now);
    void leave(Interval machines, Time now);
    // Requires: the machine's availability changes.
    void set_available(int machine, bool available, Time now);
    // Sets the state that the machines have while no job holds them. An unavailable machine shows it only when it is
    // available again.
    // Requires: no job holds a machine of them.
    void set_power(const ResourceSet& machines, State power, Time now);

 private:
    static constexpr std::size_t states = 6;

    // Requires: all of these machines are in the state `from`.
    void set_state(Interval machines, State from, State to, Time now);
    void count_time_like_batsim5(std::size_t machine, State to, Time now);
    void count_time(State state, Duration spent);

    bool like_batsim5_;
    std::vector<State> state_;
    std::vector<Time> since_;
    std::vector<std::uint8_t> busy_;  // 1: a job holds the machine, available or not
    ResourceSet shared_;
    std::vector<int> users_;       // how many jobs hold a shared machine; empty if there is none
    std::vector<State> power_;     // the state that an available machine has while no job holds it
    std::vector<State> counted_;   // the state for which its time counts; only `like_batsim5`
    std::size_t unavailable_ = 0;  // number of unavailable machines
    Duration times_[states];       // by state
};

}  // namespace batfill
