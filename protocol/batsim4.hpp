#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/formats/workload.hpp>

#include "protocol/json_frames.hpp"

// The end of a simulator in Batsim 4's place: it writes messages and reads replies. The scheduler's end is the codec.
namespace batfill::protocol {

// What messages say of a simulation beyond the events of the engine.
class SimulatorEnd {
 public:
    virtual ~SimulatorEnd() = default;
    // With their sources.
    virtual const std::vector<Workload>& workloads() const = 0;
    virtual const WorkloadJob& job(JobNumber number) const = 0;
    const std::string& id(JobNumber number) const { return job(number).description.id; }
    // Of a job that has ended.
    virtual int return_code(JobNumber number) const = 0;
    virtual const ResourceSet& allocation(JobNumber number) const = 0;
    // The share of its work that a killed job had done; none if it had ended before.
    virtual std::optional<double> progress(JobNumber number) const = 0;
};

// Each replaces the content of `frame` with a message: the first, any later one, and the last.
void write_beginning(const SimulationBegins& begins, const SimulatorEnd& simulator, std::string& frame);
void write_message(Time now, std::span<const Event> events, const SimulatorEnd& simulator, std::string& frame);
void write_end(Time now, std::string& frame);

// Reads replies. Events that the simulator cannot follow are Ignored.
class ReplyReader {
 public:
    ReplyReader();
    // As FrameReader::read(). The jobs of the decisions have the numbers of ids().
    Message& read(std::string_view frame) { return reader_.read(frame, ids_); }
    // The jobs that replies have named so far, behind those that the caller has entered.
    JobIds& ids() { return ids_; }

 private:
    FrameReader reader_;
    JobIds ids_;
};

// The names of the events that a ReplyReader reads, but for NOTIFY: "EXECUTE_JOB, REJECT_JOB or ...".
std::string known_decisions();

}  // namespace batfill::protocol
