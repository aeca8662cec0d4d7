#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/codec.hpp"
#include "src/support/json.hpp"

// Shared code to read and write frames of JSON: {"now": ..., "events": [...]}. Each event has a timestamp, a
// type and data.
namespace batfill::protocol {

inline Json json_text(const JsonValue& value) {
    Json text;
    append_json(value, text);
    return text;
}

// ---- Decoding

// The data of an event while it is decoded.
struct EventData {
    Fields fields;
    Time timestamp;
    JobIds& ids;
    WarnOnce& warn;
};

inline JobNumber job_number(EventData& data) {
    return data.ids.number_of(data.fields.text("job_id"));
}

inline std::vector<JobNumber> job_numbers(EventData& data) {
    std::vector<JobNumber> jobs;
    for (const auto& id : data.fields.array("job_ids").GetArray()) {
        if (!id.IsString()) {
            data.fields.fail("job_ids", "an array of texts");
        }
        jobs.push_back(data.ids.number_of(view(id)));
    }
    return jobs;
}

inline JobState job_state(EventData& data, std::string_view name) {
    const auto state = parse_job_state(data.fields.text(name));
    if (!state) {
        data.fields.fail(name, "a job state such as \"COMPLETED_SUCCESSFULLY\"");
    }
    return *state;
}

// How a protocol writes the hosts of a simulation.
struct HostFormat {
    std::string_view data;  // the field of an event with its data
    std::string_view computing;
    std::string_view storage;
    std::string_view name;  // in errors
    std::map<std::string, std::string> (*properties)(Fields& fields, std::string_view name);
    void (*read_rest)(Fields& fields, Host& host, WarnOnce& warn);
};

// Reads all hosts. A simulation need not say that it has no storage.
inline void read_hosts(EventData& data, const HostFormat& format, SimulationBegins& begins) {
    std::set<int> ids;
    for (const std::string_view list : {format.computing, format.storage}) {
        if (list == format.storage && data.fields.find(list) == nullptr) {
            continue;
        }
        const std::string path = std::string(format.data).append(".").append(list).append(".");
        for (const auto& object : data.fields.array(list).GetArray()) {
            if (!object.IsObject()) {
                data.fields.fail(list, "an array of objects");
            }
            Fields fields(object, path);
            Host host;
            const int id = fields.integer("id");
            if (id < 0 || !ids.insert(id).second) {
                fields.fail("id", std::string("a number that no other ").append(format.name).append(" has"));
            }
            host.name = fields.text("name");
            host.properties = format.properties(fields, "properties");
            host.zone_properties = format.properties(fields, "zone_properties");
            format.read_rest(fields, host, data.warn);
            if (list == format.computing) {
                begins.hosts.emplace_back(id, std::move(host));
            }
        }
    }
    begins.last_resource = ids.empty() ? -1 : *ids.rbegin();
}

// The decoder of one type of event.
template <class Data>
struct EventType {
    std::string_view name;
    Data (*decode)(EventData& data);
    bool has_true_timestamp = true;  // otherwise it may be too early, and its order is not checked
};

template <class Data>
Data ignored(EventData& data) {
    data.fields.ignore_rest();
    return Ignored{};
}

// Whether an event of this type refuses a message. The reason may follow behind a colon.
inline bool is_refusal(std::string_view type) {
    return type.starts_with(refusal_event) &&
           (type.size() == refusal_event.size() || type[refusal_event.size()] == ':');
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

// Reads the messages or the replies of a protocol: an `Envelope` is a Message or a Reply. It logs unknown event types
// and unknown fields once per name and instance.
template <class Envelope>
class FrameReader {
 public:
    using OneEvent = typename decltype(Envelope::events)::value_type;
    using Types = std::span<const EventType<typename OneEvent::Data>>;

    // With `in_order`, events must be in the order of time.
    // Requires: `types` and `names` outlive this object.
    FrameReader(Types types, const EventFieldNames& names, bool in_order)
        : types_(types), names_(names), in_order_(in_order) {}

    // Returns what is in `frame`, valid until the next call. The caller may move out of it. An event whose timestamp is
    // not true gets the last time at which it can have happened.
    // Throws: as Codec::decode(); then `ids` has no new job.
    Envelope& read(std::string_view frame, JobIds& ids) {
        if (frame.size() > max_frame_size) {
            throw InputError("a frame of " + std::to_string(frame.size()) + " bytes, expected at most " +
                             std::to_string(max_frame_size));
        }
        const JsonValue& root = json_.parse(frame);
        if (!root.IsObject()) {
            throw InputError("expected a JSON object with now and events");
        }
        Fields fields(root, "");
        envelope_.now = fields.time("now");
        exact_now_ = root["now"].GetDouble();
        std::vector<OneEvent>& decoded = envelope_.events;
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
            decoded[corrected].timestamp = envelope_.now;
        }
        fields.warn_of_unread(warn_);
        return envelope_;
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
    bool decode_event(const JsonValue& value, OneEvent& event, JobIds& ids) {
        if (!value.IsObject()) {
            throw InputError("expected an object");
        }
        Fields fields(value, "");
        event.timestamp = fields.time("timestamp");
        if (event.timestamp > envelope_.now) {
            fields.fail("timestamp", "a time not after the message's now, " + envelope_.now.to_string());
        }
        const std::string_view name = fields.text(names_.type);
        const auto type = std::ranges::find(types_, name, &Types::value_type::name);
        const bool has_true_timestamp = type == types_.end() || type->has_true_timestamp;
        if (has_true_timestamp) {
            if (in_order_ && last_ && event.timestamp < *last_) {
                fields.fail("timestamp", "a time not before that of the event before it, " + last_->to_string());
            }
            last_ = event.timestamp;
        }
        if (type == types_.end()) {
            const JsonValue* data = fields.find(names_.data);
            event.data = Ignored{};
            if (!is_refusal(name)) {
                warn_.unknown("event", name);
            } else if constexpr (std::is_same_v<OneEvent, ReplyEvent>) {
                event.data = refusal_with(data);
            }
        } else {
            const std::string path = std::string(names_.data) + '.';
            EventData data{Fields(fields.object(names_.data), path), event.timestamp, ids, warn_};
            event.data = type->decode(data);
            data.fields.warn_of_unread(warn_);
        }
        fields.warn_of_unread(warn_);
        return has_true_timestamp;
    }

    Types types_;
    const EventFieldNames& names_;
    bool in_order_;
    JsonReader json_;
    WarnOnce warn_;
    Envelope envelope_;
    double exact_now_ = 0;
    std::optional<Time> last_;  // timestamp of the last event that has a true one
};

// ---- Encoding

// Writes a frame without white space, one event after another.
class FrameWriter {
 public:
    // Appends to `out`. Call end() behind the last event.
    FrameWriter(std::string& out, const EventFieldNames& names, std::string_view now) : out_(out), names_(names) {
        out_ += R"({"now":)";
        out_ += now;
        out_ += R"(,"events":[)";
    }
    void end() { out_ += event_is_open_ ? "}}]}" : "]}"; }

    // Begins an event, and ends the one before; its fields follow.
    // Requires: `type` needs no escapes.
    void begin_event(std::string_view timestamp, std::string_view type) {
        out_ += std::exchange(event_is_open_, true) ? "}}" : "";
        separate();
        out_ += R"({"timestamp":)";
        out_ += timestamp;
        out_.append(",\"").append(names_.type).append("\":\"").append(type);
        out_.append("\",\"").append(names_.data).append("\":{");
    }

    // Writes a comma, unless the previous output opened an object or an array.
    void separate() {
        if (out_.back() != '{' && out_.back() != '[') {
            out_ += ',';
        }
    }
    // Writes a key.
    void name(std::string_view field) {
        separate();
        append_json_string(field, out_);
        out_ += ':';
    }
    void open(std::string_view field, char bracket) {
        name(field);
        out_ += bracket;
    }
    void close(char bracket) { out_ += bracket; }
    void text(std::string_view field, std::string_view value) {
        name(field);
        append_json_string(value, out_);
    }
    void boolean(std::string_view field, bool value) { json(field, value ? "true" : "false"); }
    template <class Integer>
    void integer(std::string_view field, Integer value) {
        json(field, std::to_string(value));
    }
    void json(std::string_view field, std::string_view value) {
        name(field);
        out_ += value;
    }
    void resources(std::string_view field, const ResourceSet& value) {
        open(field, '"');
        value.append_to(out_);
        out_ += '"';
    }
    // Writes the array of the ids of `jobs`; id_of(job) is the id.
    template <class IdOf>
    void job_ids(const std::vector<JobNumber>& jobs, IdOf id_of) {
        open("job_ids", '[');
        for (const JobNumber job : jobs) {
            separate();
            append_json_string(id_of(job), out_);
        }
        close(']');
    }
    // Writes the fields of `object`, which is empty or an object, into the object that is open.
    void fields_of(const Json& object) {
        if (object.size() > 2) {
            separate();
            out_.append(object, 1, object.size() - 2);
        }
    }
    std::string& out() { return out_; }

 private:
    std::string& out_;
    const EventFieldNames& names_;
    bool event_is_open_ = false;
};

// The base of the writers of replies. They have an operator() for each kind of decision. It writes an event, or nothing
// if the protocol does not know the decision.
class ReplyWriter : public FrameWriter {
 public:
    // All events have the time `now`.
    // Requires: the arguments outlive this object.
    ReplyWriter(std::string& out, const EventFieldNames& names, std::string_view now, const JobIds& ids)
        : FrameWriter(out, names, now), now_(now), ids_(ids) {}

    void begin(std::string_view type) { begin_event(now_, type); }
    void begin(std::string_view type, JobNumber job) {
        begin(type);
        text("job_id", ids_.id(job));
    }
    void begin(std::string_view type, const std::vector<JobNumber>& jobs) {
        begin(type);
        job_ids(jobs, [this](JobNumber job) -> const std::string& { return ids_.id(job); });
    }

 private:
    std::string_view now_;
    const JobIds& ids_;
};

template <class Writer>
void write_reply(Writer writer, const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
        std::visit(writer, decision);
    }
    writer.end();
}

// Appends the reply that refuses a message. The type has the reason, too: Batsim prints only the type of an event that
// it does not know.
inline void append_refusal(const std::string& problem, const EventFieldNames& names, std::string& frame) {
    FrameWriter writer(frame, names, "0.0");
    std::string type;
    append_json_string(std::string(refusal_event).append(": ").append(one_line(problem)), type);
    writer.begin_event("0.0", std::string_view(type).substr(1, type.size() - 2));
    writer.text("message", problem);
    writer.end();
}

}  // namespace batfill::protocol
