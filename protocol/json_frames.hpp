#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/codec.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"

// Shared code to read and write frames of JSON: {"now": ..., "events": [...]}. Each event has a timestamp, a
// type and data.
namespace batfill::protocol {

inline Json json_text(const JsonValue& value) {
    Json text;
    append_json(value, text);
    return text;
}

// ---- Decoding

// The data of an event while it is decoded. A protocol with two ends says once which members an event has: in a
// function for a `wire`, which is an EventData, or a FrameWriter that writes what the EventData reads. Throws:
// InputError for members that are missing or wrong.
struct EventData {
    static constexpr bool reads = true;

    void job(std::string_view name, JobNumber& job) { job = ids.number_of(fields.text(name)); }
    void jobs(std::string_view name, std::vector<JobNumber>& jobs) {
        for (const auto& id : fields.array(name).GetArray()) {
            fields.fail_if(!id.IsString(), name, "an array of texts");
            jobs.push_back(ids.number_of(view(id)));
        }
    }
    void state(std::string_view name, JobState& state) {
        const auto known = parse_job_state(fields.text(name));
        fields.fail_if(!known, name, "a job state such as \"COMPLETED_SUCCESSFULLY\"");
        state = *known;
    }
    void resources(std::string_view name, ResourceSet& resources) { resources = fields.resources(name); }
    void some_resources(std::string_view name, ResourceSet& resources) {
        resources = fields.resources(name);
        fields.fail_if(resources.empty(), name, "at least one resource");
    }
    void text(std::string_view name, std::string& text) { text = fields.text(name); }
    void time(std::string_view name, Time& time) { time = fields.time(name); }
    void json(std::string_view name, Json& object) { object = json_text(fields.object(name)); }
    // If they are missing, the value stays as it is.
    void optional_text(std::string_view name, std::string& text) { text = fields.text(name, text); }
    void boolean(std::string_view name, bool& value) { value = fields.boolean(name, value); }
    // Members that a scheduler does not need.
    void told(std::string_view name, const auto&) { fields.ignore(name); }
    void constant(std::string_view name, std::string_view) { fields.ignore(name); }

    Fields fields;
    Time timestamp;
    JobIds& ids;
    WarnOnce& warn;
};

// Reads all hosts. A simulation need not say that it has no storage. `event` is the path of the data; errors call a
// host `what`. read_rest(fields, host) reads what follows the name.
inline void read_hosts(EventData& data, const std::string& event, std::string_view computing, std::string_view storage,
                       const std::string& what, const auto& read_rest, SimulationBegins& begins) {
    std::set<int> ids;
    for (const std::string_view list : {computing, storage}) {
        if (list == storage && data.fields.find(list) == nullptr) {
            continue;
        }
        const std::string path = (event + '.').append(list).append(".");
        for (const auto& object : data.fields.array(list).GetArray()) {
            data.fields.fail_if(!object.IsObject(), list, "an array of objects");
            Fields fields(object, path);
            Host host;
            const int id = fields.integer("id");
            if (id < 0 || !ids.insert(id).second) {
                fields.fail("id", "a number that no other " + what + " has");
            }
            host.name = fields.text("name");
            read_rest(fields, host);
            if (list == computing) {
                begins.hosts.emplace_back(id, std::move(host));
            }
        }
    }
    begins.last_resource = ids.empty() ? -1 : *ids.rbegin();
}

// The decoder of one type of event.
struct EventType {
    std::string_view name;
    Message::Event::Data (*decode)(EventData& data);
    bool has_true_timestamp = true;  // otherwise it may be too early, and its order is not checked
};

inline Message::Event::Data ignored(EventData& data) {
    data.fields.ignore_rest();
    return Ignored{};
}

// Whether an event of this type refuses a message. The reason may follow behind a colon.
inline bool is_refusal(std::string_view type) {
    return type.substr(0, type.find(':')) == refusal_event;
}

// `data` may be null.
inline Refusal refusal_with(const JsonValue* data) {
    const JsonValue* const message = data != nullptr && data->IsObject() ? Fields(*data, "").find("message") : nullptr;
    if (message != nullptr && message->IsString()) {
        return {std::string(view(*message))};
    }
    return {data == nullptr ? "" : json_text(*data)};
}

// A protocol's names for the fields of an event.
struct EventFieldNames {
    std::string_view type;
    std::string_view data;
};

// Reads the messages or the replies of a protocol. It logs unknown event types and unknown fields once per name and
// instance.
class FrameReader {
 public:
    // With `in_order`, events must be in the order of time.
    // Requires: `types` and `names` outlive this object.
    FrameReader(std::span<const EventType> types, const EventFieldNames& names, bool in_order)
        : types_(types), names_(names), in_order_(in_order) {}

    // Returns what is in `frame`, valid until the next call. The caller may move out of it. An event whose timestamp is
    // not true gets the last time at which it can have happened.
    // Throws: as Codec::decode(); then `ids` has no new job.
    Message& read(std::string_view frame, JobIds& ids) {
        refuse_if<InputError>(frame.size() > max_frame_size, "a frame of ", frame.size(), " bytes, expected at most ",
                              max_frame_size);
        const JsonValue& root = json_.parse(frame);
        refuse_if<InputError>(!root.IsObject(), "expected a JSON object with now and events");
        Fields fields(root, "");
        message_.now = fields.time("now");
        exact_now_ = root["now"].GetDouble();
        std::vector<Message::Event>& decoded = message_.events;
        decoded.clear();
        last_.reset();
        const JsonValue& events = fields.array("events");
        const std::size_t ids_before = ids.size();
        std::size_t corrected = 0;
        for (const auto& event : events.GetArray()) {
            try {
                if (decode_event(event, decoded.emplace_back(), ids)) {
                    for (; corrected < decoded.size(); ++corrected) {
                        decoded[corrected].timestamp = decoded.back().timestamp;
                    }
                }
            } catch (const InputError& error) {
                ids.shrink(ids_before);
                throw InputError(place(static_cast<unsigned>(&event - events.Begin()), event) + ": " + error.what());
            }
        }
        for (; corrected < decoded.size(); ++corrected) {
            decoded[corrected].timestamp = message_.now;
        }
        fields.warn_of_unread(warn_);
        return message_;
    }
    // The `now` of the last frame. It may have more decimals than a Time.
    double exact_now() const { return exact_now_; }

 private:
    // An event as errors name it: by its number and type.
    std::string place(unsigned number, const JsonValue& event) const {
        const JsonValue* const type = event.IsObject() ? Fields(event, "").find(names_.type) : nullptr;
        const bool has_type = type != nullptr && type->IsString();
        return "event " + std::to_string(number) + (has_type ? " (" + in_quotes(view(*type)) + ")" : "");
    }

    // Returns whether the timestamp is true.
    bool decode_event(const JsonValue& value, Message::Event& event, JobIds& ids) {
        refuse_if<InputError>(!value.IsObject(), "expected an object");
        Fields fields(value, "");
        event.timestamp = fields.time("timestamp");
        if (event.timestamp > message_.now) {
            fields.fail("timestamp", "a time not after the message's now, " + message_.now.to_string());
        }
        const std::string_view name = fields.text(names_.type);
        const auto type = std::ranges::find(types_, name, &EventType::name);
        const bool has_true_timestamp = type == types_.end() || type->has_true_timestamp;
        if (has_true_timestamp) {
            if (in_order_ && last_ && event.timestamp < *last_) {
                fields.fail("timestamp", "a time not before that of the event before it, " + last_->to_string());
            }
            last_ = event.timestamp;
        }
        if (type == types_.end()) {
            const JsonValue* data = fields.find(names_.data);
            if (is_refusal(name)) {
                event.data = refusal_with(data);
            } else {
                event.data = Ignored{};
                warn_.unknown("event", name);
            }
        } else {
            const std::string path = std::string(names_.data) + '.';
            static const JsonValue nothing(rapidjson::kObjectType);
            const JsonValue* const given = fields.find(names_.data);
            const bool is_null = given != nullptr && given->IsNull();  // as WRENCH writes it, if there are no members
            EventData data{Fields(is_null ? nothing : fields.object(names_.data), path), event.timestamp, ids, warn_};
            event.data = type->decode(data);
            data.fields.warn_of_unread(warn_);
        }
        fields.warn_of_unread(warn_);
        return has_true_timestamp;
    }

    std::span<const EventType> types_;
    const EventFieldNames& names_;
    bool in_order_;
    JsonReader json_;
    WarnOnce warn_;
    Message message_;
    double exact_now_ = 0;
    std::optional<Time> last_;  // timestamp of the last event that has a true one
};

// ---- Encoding

// Writes a frame without white space, one event after another. `Sender` knows the id of each job, and what a scheduler
// is told although it does not need it.
template <class Sender>
class FrameWriter : public JsonWriter {
 public:
    static constexpr bool reads = false;

    // Appends to `out`. Call end() behind the last event.
    // Requires: the arguments outlive this object.
    FrameWriter(std::string& out, const EventFieldNames& names, std::string_view now, const Sender& sender)
        : JsonWriter(out), names_(names), now_(now), sender_(sender) {
        open_object();
        key("now").raw(now);
        key("events").open_array();
    }
    void end() {
        end_event();
        close_array();
        close_object();
    }

    // Begins an event, and ends the one before; its members follow. Without a timestamp, it happens now.
    void begin_event(std::string_view type) { begin_event(now_, type); }
    void begin_event(std::string_view timestamp, std::string_view type) {
        end_event();
        event_is_open_ = true;
        open_object();
        std::string& out = value();
        out.append(R"("timestamp":)").append(timestamp).append(",\"").append(names_.type).append("\":");
        append_json_string(type, out);
        key(names_.data).open_object();
    }

    // The members that an EventData reads.
    using JsonWriter::boolean;
    using JsonWriter::text;
    void job(std::string_view name, JobNumber job) { text(name, sender_.id(job)); }
    void jobs(std::string_view name, const std::vector<JobNumber>& jobs) {
        key(name).array(jobs, [this](JobNumber job) { text(sender_.id(job)); });
    }
    void state(std::string_view name, JobState state) { text(name, to_string(state)); }
    void resources(std::string_view name, const ResourceSet& resources) {
        std::string& out = key(name).value();
        out += '"';
        resources.append_to(out);
        out += '"';
    }
    void some_resources(std::string_view name, const ResourceSet& some) { resources(name, some); }
    void text(std::string_view name, std::string_view value) { key(name).text(value); }
    void optional_text(std::string_view name, std::string_view value) { key(name).text(value); }
    void time(std::string_view name, Time time) { time.append_to(key(name).value()); }
    void json(std::string_view name, std::string_view value) { key(name).raw(value); }
    void boolean(std::string_view name, bool value) { key(name).boolean(value); }
    void constant(std::string_view name, std::string_view json) { key(name).raw(json); }
    // write(json, sender) writes the value.
    void told(std::string_view name, const auto& write) { write(key(name), sender_); }

 private:
    void end_event() {
        if (std::exchange(event_is_open_, false)) {
            close_object();
            close_object();
        }
    }

    const EventFieldNames& names_;
    std::string_view now_;
    const Sender& sender_;
    bool event_is_open_ = false;
};

// Appends the reply that refuses a message. The type has the reason, too: Batsim prints only the type of an event that
// it does not know.
inline void append_refusal(const std::string& problem, const EventFieldNames& names, std::string& frame,
                           const std::string& now = "0.0") {
    const JobIds no_jobs;
    FrameWriter writer(frame, names, now, no_jobs);
    writer.begin_event(std::string(refusal_event).append(": ").append(one_line(problem)));
    writer.text("message", problem);
    writer.end();
}

}  // namespace batfill::protocol
