#pragma once

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/json_frames.hpp"
#include "src/formats/job_id.hpp"

namespace batfill::tests {

// Reads replies to Batsim 5, with what a simulator can do with them; all other events are Ignored. Use it as a
// protocol::ReplyReader. The program itself never stands in Batsim 5's place.
class Batsim5ReplyReader {
 public:
    protocol::Message& read(std::string_view frame) {
        if (frame.starts_with(std::string_view("\2\0\0\0", 4))) {
            frame.remove_prefix(4);
        }
        return reader_.read(frame.substr(0, frame.find_last_not_of('\0') + 1), ids_);
    }
    protocol::JobIds& ids() { return ids_; }

 private:
    using Data = protocol::Message::Event::Data;
    using EventData = protocol::EventData;

    static JobNumber job_number(EventData& data) {
        JobNumber job{};
        data.job("job_id", job);
        return job;
    }
    static Data start_job(EventData& data) {
        data.fields.ignore_rest();
        Fields allocation(data.fields.object("allocation"), "event.allocation.");
        return Decision(StartJob{job_number(data), allocation.resources("host_allocation")});
    }
    static Data reject_job(EventData& data) { return Decision(RejectJob{job_number(data), {}, {}}); }
    static Data kill_jobs(EventData& data) {
        KillJobs kill;
        data.jobs("job_ids", kill.jobs);
        return Decision(std::move(kill));
    }
    static Data call_me_later(EventData& data) {
        data.fields.ignore_rest();
        if (data.fields.text("when_type") != "OneShot") {
            return protocol::Ignored{};
        }
        Fields when(data.fields.object("when"), "event.when.");
        const Duration unit = Duration::microseconds(when.text("time_unit") == "Second" ? 1'000'000 : 1'000);
        return Decision(CallMeLater{Time::at(unit * when.any("time").GetInt64())});
    }
    static Data register_job(EventData& data) {
        Fields job(data.fields.object("job"), "event.job.");
        JobDescription description;
        description.id = data.fields.text("job_id");
        description.processors = job.integer("resource_request");
        if (const JsonValue* walltime = job.find("walltime"); walltime != nullptr && !walltime->IsNull()) {
            description.walltime = job.seconds("walltime");
        }
        description.profile = job.text("profile_id");
        return Decision(
            RegisterJob{job_number(data), std::move(description), protocol::json_text(data.fields.object("job"))});
    }
    static Data register_profile(EventData& data) {
        const JsonValue& profile = data.fields.object("profile");
        const JobIdParts id(Fields(profile, "event.profile.").text("id"));
        return Decision(RegisterProfile{std::string(id.workload), std::string(id.name), protocol::json_text(profile)});
    }
    static Data finish_registration(EventData&) {
        return Decision(Notification{NotificationType::registration_finished, {}, {}});
    }

    static constexpr protocol::EventFieldNames names{"event_type", "event"};
    static constexpr std::array<protocol::EventType, 14> types{{
        {"ExecuteJobEvent", start_job},
        {"RejectJobEvent", reject_job},
        {"KillJobsEvent", kill_jobs},
        {"CallMeLaterEvent", call_me_later},
        {"RegisterJobEvent", register_job},
        {"RegisterProfileEvent", register_profile},
        {"FinishRegistrationEvent", finish_registration},
        {"EDCHelloEvent", protocol::ignored},
        {"StopCallMeLaterEvent", protocol::ignored},
        {"ForceSimulationStopEvent", protocol::ignored},
        {"ChangeHostsPStateEvent", protocol::ignored},
        {"TurnOnOffHostsEvent", protocol::ignored},
        {"CreateProbeEvent", protocol::ignored},
        {"StopProbeEvent", protocol::ignored},
    }};

    protocol::FrameReader reader_{types, names, true};
    protocol::JobIds ids_;
};

}  // namespace batfill::tests
