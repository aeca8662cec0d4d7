#include <string_view>

#include <batfill/simulator/simulator.hpp>

#include "src/simulator/simulation.hpp"

namespace batfill {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Removes the leading digits from `text`, and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
    const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

// Whether a host comes before another when digits in names compare as numbers. Names that are equal then compare as
// texts.
bool comes_before(const Host& one, const Host& other) {
    std::string_view a = one.name;
    std::string_view b = other.name;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view x = take_number(a);
            const std::string_view y = take_number(b);
            if (x != y) {
                return x.size() != y.size() ? x.size() < y.size() : x < y;
            }
        } else if (a.front() != b.front()) {
            return a.front() < b.front();
        } else {
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.empty() != b.empty() ? a.empty() : one.name < other.name;
}

}  // namespace

SimulatorRules simulator_rules(const std::string& like) {
    refuse_if(like != "batsim4" && like != "batsim5", "like: unknown simulator '", like, "', known: batsim4, batsim5");
    return like == "batsim4" ? SimulatorRules::batsim4 : SimulatorRules::batsim5;
}

void number_hosts(Platform& platform, SimulatorRules rules) {
    if (rules == SimulatorRules::batsim5) {
        std::ranges::sort(platform.hosts, comes_before);
    }
}

Simulator::Simulator(const Scenario& scenario) : simulation_(std::make_unique<Simulation>(scenario)) {}
Simulator::Simulator(const Simulator& other) : simulation_(std::make_unique<Simulation>(*other.simulation_)) {}
Simulator::Simulator(Simulator&& other) noexcept = default;
Simulator::~Simulator() = default;

void Simulator::run(SimulatedScheduler& scheduler, const Progress& progress) {
    simulation_->run(*this, scheduler, progress);
}
std::optional<JobNumber> Simulator::find_job(const std::string& id) const {
    return simulation_->find_job(id);
}
const Scenario& Simulator::scenario() const {
    return simulation_->scenario();
}
const SimulationResults& Simulator::results() const {
    return simulation_->results();
}
bool Simulator::has_dependencies() const {
    return simulation_->has_dependencies();
}
std::string Simulator::waits_for() const {
    return simulation_->waits_for();
}
MachineTimes Simulator::machine_times() const {
    return simulation_->machine_times();
}

}  // namespace batfill
