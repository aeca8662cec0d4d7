#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/json_frames.hpp"

// Batsim's end of the protocol of Batsim 4, for a simulator that stands in its place: how it writes messages, and reads
// the replies of a scheduler.
namespace batfill::protocol {

// Names and values in the order of the message.
using Properties = std::vector<std::pair<std::string, std::string>>;

// Writes one message, as Batsim prints it: a function for each event, in the order of time, and end().
class MessageWriter : private FrameWriter {
 public:
    // Replaces the content of `frame`.
    MessageWriter(Time now, std::string& frame);
    using FrameWriter::end;

    // `workloads`: name ("w0") and file of each. `profiles`: object, workload name -> profile name -> profile.
    void begins(const Options& options, const std::vector<Host>& hosts, const Properties& workloads,
                const Json& profiles);
    void ends(Time timestamp);
    // `source`: the job object, with fields unknown to this program.
    void submitted(Time timestamp, const std::string& id, const Json& source);
    void completed(Time timestamp, const std::string& id, JobState state, int return_code,
                   const ResourceSet& allocation);
    // The answer to KILL_JOB. `progress`: object, job id -> how far it was.
    void killed(Time timestamp, const std::vector<std::string>& ids, const Json& progress);
    void called(Time timestamp);
    void notification(Time timestamp, const Notification& notification);
    void machine_changed(Time timestamp, const MachineChanged& change);
    void resource_state_changed(Time timestamp, const ResourceStateChanged& change);

 private:
    void begin(Time timestamp, std::string_view type);
    // Leaves the object open.
    template <class Pairs>
    void open_pairs(std::string_view field, const Pairs& pairs);
};

// Reads replies. It logs unknown event types and unknown fields once per name and instance. Events that the simulator
// cannot follow are Ignored.
class ReplyReader {
 public:
    // Returns the reply in `frame`, valid until the next call. The caller may move out of it. The jobs in its decisions
    // have the numbers of ids(), which hold for this reply alone.
    // Throws: as Codec::decode().
    Reply& read(std::string_view frame);
    const JobIds& ids() const { return ids_; }

 private:
    ReaderState state_;
    JobIds ids_;
    Reply reply_;
};

}  // namespace batfill::protocol
