#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/codec.hpp"
#include "src/support/json.hpp"

// Code shared by the codecs whose frames are JSON: {"now": ..., "events": [...]}. Each event has a timestamp, a type
// and data.
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
    WarnOnce& warn;
};

inline std::string job_id(EventData& data) {
    return std::string(data.fields.text("job_id"));
}

inline std::vector<std::string> job_ids(EventData& data) {
    std::vector<std::string> ids;
    for (const auto& id : data.fields.array("job_ids").GetArray()) {
        if (!id.IsString()) {
            data.fields.fail("job_ids", "an array of texts");
        }
        ids.emplace_back(view(id));
    }
    return ids;
}

inline std::vector<std::string> some_job_ids(EventData& data) {
    std::vector<std::string> ids = job_ids(data);
    if (ids.empty()) {
        data.fields.fail("job_ids", "at least one job");
    }
    return ids;
}

inline JobState job_state(EventData& data, std::string_view name) {
    const auto state = parse_job_state(data.fields.text(name));
    if (!state) {
        data.fields.fail(name, "a job state such as \"COMPLETED_SUCCESSFULLY\"");
    }
    return *state;
}

inline ResourceSet some_resources(Fields& fields, std::string_view name) {
    ResourceSet set = fields.resources(name);
    if (set.empty()) {
        fields.fail(name, "at least one resource");
    }
    return set;
}

// The decoder of one type of event.
template <class Data>
struct EventType {
    std::string_view name;
    Data (*decode)(EventData& data);
    bool has_true_timestamp = true;  // otherwise it may be too early, and its order is not checked
};

template <class Data, auto decode>
Data as(EventData& data) {
    return decode(data);
}

template <class Data, class Empty>
Data empty(EventData&) {
    return Empty{};
}

// A protocol's names for the fields of an event.
struct EventFieldNames {
    std::string_view type;
    std::string_view data;
};

// An event as errors name it: by its number and type.
inline std::string place(unsigned number, const JsonValue& event, std::string_view type_field) {
    std::string text = "event " + std::to_string(number);
    if (event.IsObject()) {
        const auto type = event.FindMember(JsonValue(rapidjson::StringRef(type_field.data(), type_field.size())));
        if (type != event.MemberEnd() && type->value.IsString()) {
            text += " (" + in_quotes(view(type->value)) + ")";
        }
    }
    return text;
}

// Requires: nobody reads anything else with `reader` while the result is used.
inline const JsonValue& parse_frame(std::string_view frame, JsonReader& reader) {
    if (frame.size() > max_frame_size) {
        throw InputError("a frame of " + std::to_string(frame.size()) + " bytes, expected at most " +
                         std::to_string(max_frame_size));
    }
    const JsonValue& root = reader.parse(frame);
    if (!root.IsObject()) {
        throw InputError("expected a JSON object with now and events");
    }
    return root;
}

// Decodes the messages or the replies of a protocol: an `Envelope` of `OneEvent`s.
template <class Envelope, class OneEvent, std::size_t count>
class EnvelopeDecoder {
 public:
    using Types = std::array<EventType<typename OneEvent::Data>, count>;

    // With `in_order`, events must be in the order of time.
    // Requires: all arguments outlive this object.
    EnvelopeDecoder(const Types& types, const EventFieldNames& names, bool in_order, WarnOnce& warn)
        : types_(types), names_(names), in_order_(in_order), warn_(warn) {}

    // Requires: `root` is an object.
    Envelope decode(const JsonValue& root) {
        Fields fields(root, "");
        Envelope envelope;
        envelope.now = fields.time("now");
        const JsonValue& events = fields.array("events");
        envelope.events.reserve(events.Size());
        for (const auto& event : events.GetArray()) {
            try {
                envelope.events.push_back(decode_event(event, envelope.now));
            } catch (const InputError& error) {
                throw InputError(place(static_cast<unsigned>(&event - events.Begin()), event, names_.type) + ": " +
                                 error.what());
            }
        }
        fields.warn_of_unread(warn_);
        return envelope;
    }

 private:
    OneEvent decode_event(const JsonValue& value, Time now) {
        if (!value.IsObject()) {
            throw InputError("expected an object");
        }
        Fields fields(value, "");
        OneEvent event;
        event.timestamp = fields.time("timestamp");
        if (event.timestamp > now) {
            fields.fail("timestamp", "a time not after the message's now, " + now.to_string());
        }
        const std::string_view name = fields.text(names_.type);
        const auto type =
            std::find_if(types_.begin(), types_.end(), [&](const auto& known) { return known.name == name; });
        if (type == types_.end() || type->has_true_timestamp) {
            if (in_order_ && last_ && event.timestamp < *last_) {
                fields.fail("timestamp", "a time not before that of the event before it, " + last_->to_string());
            }
            last_ = event.timestamp;
        }
        if (type == types_.end()) {
            if (name != refusal_event) {
                warn_.unknown("event", name);
            }
            const JsonValue* data = fields.find(names_.data);
            event.data = UnknownEvent{std::string(name), data == nullptr ? Json() : json_text(*data)};
        } else {
            const std::string path = std::string(names_.data) + '.';
            EventData data{Fields(fields.object(names_.data), path), warn_};
            event.data = type->decode(data);
            data.fields.warn_of_unread(warn_);
        }
        fields.warn_of_unread(warn_);
        return event;
    }

    const Types& types_;
    const EventFieldNames& names_;
    bool in_order_;
    WarnOnce& warn_;
    std::optional<Time> last_;  // timestamp of the last event that has a true one
};

// ---- Encoding

// Appends JSON without white space to a text.
class JsonWriter {
 public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    std::string& out() { return out_; }

    // Writes a comma, unless the previous output opened an object or an array.
    void separate() {
        if (out_.back() != '{' && out_.back() != '[') {
            out_ += ',';
        }
    }
    // Writes a key.
    // Requires: `field` needs no escapes.
    void name(std::string_view field) {
        separate();
        out_ += '"';
        out_ += field;
        out_ += "\":";
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
    void boolean(std::string_view field, bool value) {
        name(field);
        out_ += value ? "true" : "false";
    }
    template <class Integer>
    void integer(std::string_view field, Integer value) {
        name(field);
        out_ += std::to_string(value);
    }
    void json(std::string_view field, const Json& value) {
        name(field);
        out_ += value;
    }
    void resources(std::string_view field, const ResourceSet& value) {
        open(field, '"');
        value.append_to(out_);
        out_ += '"';
    }
    void texts(std::string_view field, const std::vector<std::string>& values) {
        open(field, '[');
        for (const std::string& value : values) {
            separate();
            append_json_string(value, out_);
        }
        out_ += ']';
    }
    // Writes the fields of `object`, which is empty or an object, into the object that is open.
    void fields_of(const Json& object) {
        if (object.size() > 2) {
            separate();
            out_.append(object, 1, object.size() - 2);
        }
    }

 private:
    std::string& out_;
};

// What the encoders of the protocols derive from. `Own` has a function operator() for each type of event that its
// protocol has words for; it calls begin() with the name of the type, and writes the fields of the data. With
// `using EventEncoder::operator();` all other events are left out. It may have a write_time() of its own.
template <class Own>
class EventEncoder : protected JsonWriter {
 public:
    // A message or a reply. Appends.
    template <class Envelope>
    void envelope(const Envelope& content) {
        out() += R"({"now":)";
        own().write_time(content.now);
        out() += R"(,"events":[)";
        for (const auto& event : content.events) {
            const std::size_t end = out().size();
            separate();
            out() += R"({"timestamp":)";
            own().write_time(event.timestamp);
            std::visit([this](const auto& data) { this->event(data); }, event.data);
            close('}');
            if (std::exchange(left_out_, false)) {
                out().resize(end);
            }
        }
        out() += "]}";
    }

    // An event of other protocols alone.
    template <class Other>
    void operator()(const Other&) {
        leave_out();
    }

    void write_time(Time time) { time.append_to(out()); }

 protected:
    EventEncoder(std::string& out, const EventFieldNames& names) : JsonWriter(out), names_(names) {}

    // Requires a type that needs no escapes.
    void begin(std::string_view type) {
        open(names_.type, '"');
        out() += type;
        close('"');
        open(names_.data, '{');
    }
    void leave_out() { left_out_ = true; }

 private:
    Own& own() { return static_cast<Own&>(*this); }
    void event(const UnknownEvent& event) {
        text(names_.type, event.type);
        if (!event.data.empty()) {
            json(names_.data, event.data);
        }
    }
    template <class Data>
    void event(const Data& data) {
        own()(data);
        close('}');
    }

    const EventFieldNames& names_;
    bool left_out_ = false;
};

// Appends the reply that refuses a message.
inline void append_refusal(const std::string& problem, const EventFieldNames& names, std::string& frame) {
    frame += R"({"now":0.0,"events":[{"timestamp":0.0)";
    JsonWriter writer(frame);
    writer.text(names.type, refusal_event);
    writer.open(names.data, '{');
    writer.text("message", problem);
    frame += "}}]}";
}

}  // namespace batfill::protocol
