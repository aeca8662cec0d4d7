// The JSON of Batsim 4. Each event is here once: its name, and its members for both ends and both directions.
// docs/protocol.md explains each.

#include "protocol/batsim4.hpp"

#include <map>
#include <set>
#include <utility>
#include <variant>

#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"

namespace batfill::protocol {

namespace {

constexpr EventFieldNames batsim4_names{"type", "data"};

// ---- Parts of several events

// Reads the job of an event. Batsim reports it under the id of the event, whatever the job's object says.
JobDescription read_job_of(EventData& data) {
    const JsonValue& job = data.fields.object("job");
    const std::string id(data.fields.text("job_id"));
    JobDescription description =
        with_place_in_errors("job " + in_quotes(id), [&] { return read_job(job, "data.job."); });
    description.id = id;
    leave_out_workload(description);
    return description;
}

// The number of a pstate, which Batsim writes as a text.
template <class Wire>
void pstate(Wire& wire, auto& pstate) {
    if constexpr (Wire::reads) {
        const auto number = number_in<int>(wire.fields.text("state"));
        wire.fields.fail_if(!number || *number < 0, "state", "the number of a pstate, as text");
        pstate = *number;
    } else {
        wire.text("state", std::to_string(pstate));
    }
}

std::map<std::string, std::string> read_properties(Fields& fields, std::string_view name) {
    std::map<std::string, std::string> result;
    if (fields.find(name) == nullptr) {
        return result;
    }
    const JsonValue& properties = fields.object(name);
    for (const auto& member : properties.GetObject()) {
        if (!member.value.IsString()) {
            const std::string path = fields.path_of(name) + '.';
            Fields(properties, path).fail(view(member.name), "a text");
        }
        result.emplace(view(member.name), view(member.value));
    }
    return result;
}

void write_host(int id, const Host& host, JsonWriter& json) {
    const auto open_texts = [&](std::string_view name, const auto& texts) {
        json.key(name).open_object();
        for (const auto& [key, text] : texts) {
            json.key(key).text(text);
        }
    };
    json.key("id").integer(id);
    json.key("name").text(host.name);
    json.key("state").text("idle");
    open_texts("properties", host.properties);
    if (!host.properties.contains("role")) {
        json.key("role").text("");
    }
    json.close_object();
    open_texts("zone_properties", host.zone_properties);
    json.close_object();
}

// Writes the profiles of all jobs as Batsim announces them: an object of workloads, each an object of profiles by name.
void write_profiles(const std::vector<Workload>& workloads, JsonWriter& json) {
    json.open_object();
    for (const Workload& workload : workloads) {
        std::set<std::string_view> used;
        for (const WorkloadJob& job : workload.jobs) {
            used.insert(job.description.profile);
        }
        json.key(workload.name).open_object();
        for (const std::string_view name : used) {
            json.key(name).raw(workload.profiles.at(std::string(name)).source);
        }
        json.close_object();
    }
    json.close_object();
}

// Batsim's options for a simulation.
void options(auto& wire, auto& options) {
    wire.boolean("redis-enabled", options.redis_enabled);
    wire.constant("redis-hostname", R"("127.0.0.1")");
    wire.constant("redis-port", "6379");
    wire.constant("redis-prefix", R"("default")");
    wire.constant("profiles-forwarded-on-submission", "false");
    wire.boolean("dynamic-jobs-enabled", options.dynamic_jobs_enabled);
    wire.boolean("dynamic-jobs-acknowledged", options.dynamic_jobs_acknowledged);
    wire.boolean("profile-reuse-enabled", options.profile_reuse_enabled);
    wire.optional_text("sched-config", options.scheduler_configuration);
    wire.told("forward-unknown-events", [&](auto& json, auto&) { json.boolean(options.unknown_events_forwarded); });
}

// ---- The events: their names, and their members for a `wire` that reads or writes them

template <class Members>
struct Format {
    constexpr Format(std::string_view type, Members each) : name(type), members(each) {}
    std::string_view name;
    Members members;
};

template <class Data>
constexpr auto format = nullptr;

// -- Events of Batsim

template <>
constexpr auto format<SimulationBegins> = Format("SIMULATION_BEGINS", []<class Wire>(Wire& wire, auto& begins) {
    const auto number = [&](auto& json, auto&) { json.integer(begins.hosts.size()); };
    wire.told("nb_resources", number);
    wire.told("nb_compute_resources", number);
    wire.constant("nb_storage_resources", "0");
    wire.boolean("allow_compute_sharing", begins.options.compute_sharing_enabled);
    wire.constant("allow_storage_sharing", "true");
    if constexpr (Wire::reads) {
        Wire config{Fields(wire.fields.object("config"), "data.config."), wire.timestamp, wire.ids, wire.warn};
        options(config, begins.options);
        config.fields.warn_of_unread(wire.warn);
        const auto read_rest = [&](Fields& fields, Host& host) {
            host.properties = read_properties(fields, "properties");
            host.zone_properties = read_properties(fields, "zone_properties");
            fields.ignore("state");
            fields.warn_of_unread(wire.warn);
        };
        read_hosts(wire, "data", "compute_resources", "storage_resources", "resource", read_rest, begins);
    } else {
        wire.key("config").open_object();
        options(wire, begins.options);
        wire.close_object();
        wire.key("compute_resources").objects(begins.hosts, [&](const auto& host) {
            write_host(host.first, host.second, wire);
        });
        wire.constant("storage_resources", "[]");
    }
    wire.told("workloads", [](auto& json, auto& simulator) {
        json.open_object();
        for (const Workload& workload : simulator.workloads()) {
            json.key(workload.name).text(workload.path);
        }
        json.close_object();
    });
    wire.told("profiles", [](auto& json, auto& simulator) { write_profiles(simulator.workloads(), json); });
});

template <>
constexpr auto format<SimulationEnds> = Format("SIMULATION_ENDS", [](auto&, auto&) {});

template <>
constexpr auto format<JobSubmitted> = Format("JOB_SUBMITTED", []<class Wire>(Wire& wire, auto& submitted) {
    if constexpr (Wire::reads) {
        JobDescription description = read_job_of(wire);
        wire.fields.ignore("profile");
        submitted = {wire.ids.number_of(description.id), std::move(description)};
    } else {
        wire.job("job_id", submitted.job);
        wire.told("job", [&](auto& json, auto& simulator) { json.raw(simulator.job(submitted.job).source); });
    }
});

template <>
constexpr auto format<JobCompleted> = Format("JOB_COMPLETED", [](auto& wire, auto& completed) {
    wire.job("job_id", completed.job);
    wire.state("job_state", completed.state);
    wire.told("return_code", [&](auto& json, auto& simulator) { json.integer(simulator.return_code(completed.job)); });
    wire.told("alloc", [&](auto& json, auto& simulator) {  // the engine knows it
        json.text(simulator.allocation(completed.job).to_string());
    });
});

template <>
constexpr auto format<JobsKilled> = Format("JOB_KILLED", [](auto& wire, auto& killed) {
    wire.jobs("job_ids", killed.jobs);
    wire.told("job_progress", [&](auto& json, auto& simulator) {
        json.open_object();
        for (const JobNumber job : killed.jobs) {
            if (const std::optional<double> progress = simulator.progress(job)) {
                json.key(simulator.id(job)).open_object();
                json.key("profile_name").text(simulator.job(job).description.profile);
                json.key("progress").raw(rounded(*progress, 6));
                json.close_object();
            }
        }
        json.close_object();
    });
});

template <>
constexpr auto format<ResourceStateChanged> = Format("RESOURCE_STATE_CHANGED", [](auto& wire, auto& change) {
    wire.resources("resources", change.processors);
    pstate(wire, change.pstate);
});

template <>
constexpr auto format<RequestedCall> = Format("REQUESTED_CALL", [](auto&, auto&) {});

// -- Notifications, in both directions. Their type decides how they are read.

template <>
constexpr auto format<MachineChanged> = Format("NOTIFY", [](auto& wire, auto& change) {
    wire.text("type", to_string(change.available ? NotificationType::event_machine_available
                                                 : NotificationType::event_machine_unavailable));
    wire.resources("resources", change.processors);
});

template <>
constexpr auto format<Notification> = Format("NOTIFY", [](auto& wire, auto& said) {
    wire.text("type", said.type == NotificationType::other ? said.other_type : to_string(said.type));
    const std::string_view others = said.other_fields;  // an object, or empty
    wire.members(others.size() > 2 ? others.substr(1, others.size() - 2) : "");
});

Message::Event::Data batsim_notifies(EventData& data) {
    const NotificationType type = parse_notification_type(data.fields.text("type"));
    data.fields.ignore_rest();
    if (type == NotificationType::event_machine_available || type == NotificationType::event_machine_unavailable) {
        return MachineChanged{data.fields.resources("resources"), type == NotificationType::event_machine_available};
    }
    return Event::Data(Notification{type, {}, {}});
}

Message::Event::Data scheduler_notifies(EventData& data) {
    const NotificationType type = parse_notification_type(data.fields.text("type"));
    data.fields.ignore_rest();
    if (type == NotificationType::registration_finished || type == NotificationType::continue_registration) {
        return Decision(Notification{type, {}, {}});
    }
    return Ignored{};
}

// -- Events of a scheduler

template <>
constexpr auto format<StartJob> = Format("EXECUTE_JOB", []<class Wire>(Wire& wire, auto& start) {
    wire.job("job_id", start.job);
    wire.some_resources("alloc", start.allocation);
    if constexpr (Wire::reads) {
        wire.fields.ignore_rest();  // the simulator does not use them
    }
});

template <>
constexpr auto format<RejectJob> = Format("REJECT_JOB",
                                          [](auto& wire, auto& reject) { wire.job("job_id", reject.job); });

template <>
constexpr auto format<KillJobs> = Format("KILL_JOB", []<class Wire>(Wire& wire, auto& kill) {
    wire.jobs("job_ids", kill.jobs);
    if constexpr (Wire::reads) {
        wire.fields.fail_if(kill.jobs.empty(), "job_ids", "at least one job");
    }
});

template <>
constexpr auto format<CallMeLater> = Format("CALL_ME_LATER",
                                            [](auto& wire, auto& call) { wire.time("timestamp", call.time); });

template <>
constexpr auto format<RegisterProfile> = Format("REGISTER_PROFILE", [](auto& wire, auto& registers) {
    wire.text("workload_name", registers.workload);
    wire.text("profile_name", registers.name);
    wire.json("profile", registers.source);
});

template <>
constexpr auto format<RegisterJob> = Format("REGISTER_JOB", []<class Wire>(Wire& wire, auto& registers) {
    if constexpr (Wire::reads) {
        registers.description = read_job_of(wire);
        append_job(wire.fields.object("job"), registers.description.id, registers.source);
        wire.job("job_id", registers.job);
    } else {
        wire.job("job_id", registers.job);
        append_job(registers.description, JobIdParts(registers.description.id).name, wire.key("job").value());
    }
});

template <>
constexpr auto format<SetJobMetadata> = Format("SET_JOB_METADATA", [](auto& wire, auto& sets) {
    wire.job("job_id", sets.job);
    wire.text("metadata", sets.metadata);
});

template <>
constexpr auto format<SetResourceState> = Format("SET_RESOURCE_STATE", [](auto& wire, auto& sets) {
    wire.some_resources("resources", sets.processors);
    pstate(wire, sets.pstate);
});

// ---- Reading and writing

template <class Data>
Message::Event::Data read(EventData& data) {
    Data result;
    format<Data>.members(data, result);
    return result;
}

template <class Data>
constexpr EventType reads{format<Data>.name, read<Data>};

constexpr EventType happened[] = {reads<JobSubmitted>,         reads<JobCompleted>,         reads<RequestedCall>,
                                  {"NOTIFY", batsim_notifies}, reads<JobsKilled>,           reads<SimulationBegins>,
                                  reads<SimulationEnds>,       reads<ResourceStateChanged>, {"QUERY", ignored},
                                  {"ANSWER", ignored},         {"FROM_JOB_MSG", ignored}};

// All decisions but Notification come first.
constexpr std::size_t known_count = std::variant_size_v<Decision> - 1;
constexpr EventType decided[] = {reads<StartJob>,        reads<RejectJob>,        reads<KillJobs>,
                                 reads<CallMeLater>,     reads<RegisterProfile>,  reads<RegisterJob>,
                                 reads<SetJobMetadata>,  reads<SetResourceState>, {"NOTIFY", scheduler_notifies},
                                 {"QUERY", ignored},     {"ANSWER", ignored},     {"CHANGE_JOB_STATE", ignored},
                                 {"TO_JOB_MSG", ignored}};

template <class Data>
void write(std::string_view timestamp, const Data& data, auto& writer) {
    writer.begin_event(timestamp, format<Data>.name);
    format<Data>.members(writer, data);
}

// write_events(writer, now) writes the events of the frame.
void write_frame(Time now, const auto& sender, std::string& frame, const auto& write_events) {
    frame.clear();
    const std::string time = now.to_string();
    FrameWriter writer(frame, batsim4_names, time, sender);
    write_events(writer, time);
    writer.end();
}

class Batsim4Codec final : public Codec {
 public:
    Message& decode(std::string_view frame) override { return reader_.read(frame, ids_); }
    using Codec::encode;
    void encode(Time now, const std::vector<Decision>& decisions, std::string& frame) override {
        write_frame(now, ids_, frame, [&](auto& writer, const std::string& time) {
            for (const Decision& decision : decisions) {
                std::visit([&](const auto& data) { write(time, data, writer); }, decision);
            }
        });
    }
    void encode_refusal(const std::string& problem, std::string& frame) override {
        frame.clear();
        append_refusal(problem, batsim4_names, frame);
    }
    const char* peer() const override { return "Batsim 4"; }

 private:
    FrameReader reader_{happened, batsim4_names, true};
};

bool opens_batsim4(std::string_view frame) {
    return frame.find(R"("SIMULATION_BEGINS")") != std::string_view::npos &&
           (frame.find(R"("resources_data")") == std::string_view::npos ||
            frame.find(R"("compute_resources")") != std::string_view::npos);
}

const ProtocolRegistration batsim4(
    "batsim4", [] { return std::make_unique<Batsim4Codec>(); }, opens_batsim4);

}  // namespace

void write_beginning(const SimulationBegins& begins, const SimulatorEnd& simulator, std::string& frame) {
    write_frame(Time(), simulator, frame, [&](auto& writer, const std::string& time) { write(time, begins, writer); });
}

void write_message(Time now, std::span<const Event> events, const SimulatorEnd& simulator, std::string& frame) {
    write_frame(now, simulator, frame, [&](auto& writer, const std::string&) {
        for (const Event& event : events) {
            std::visit([&](const auto& data) { write(event.timestamp.to_string(), data, writer); }, event.data);
        }
    });
}

void write_end(Time now, std::string& frame) {
    write_frame(now, JobIds(), frame,
                [](auto& writer, const std::string& time) { write(time, SimulationEnds{}, writer); });
}

// Decisions need not be in order: Batsim applies one whose time has passed at once.
ReplyReader::ReplyReader() : reader_(decided, batsim4_names, false) {}

std::string known_decisions() {
    std::string names;
    for (std::size_t i = 0; i < known_count; ++i) {
        names.append(i == 0 ? "" : i + 1 == known_count ? " or " : ", ").append(decided[i].name);
    }
    return names;
}

}  // namespace batfill::protocol
