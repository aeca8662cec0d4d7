#include <algorithm>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_events_size = std::size_t{256} << 20;

std::string fields_but_type(const JsonValue& object) {
    JsonWriter json;
    json.open_object();
    for (const auto& member : object.GetObject()) {
        if (member.name != "type") {
            append_json(member.value, json.key(view(member.name)).value());
        }
    }
    json.close_object();
    return json.written();
}

ExternalEvent read_event(JsonReader& json, std::string_view line, bool forward_unknown) {
    const JsonValue& value = json.parse(line);
    refuse_if<InputError>(!value.IsObject(), "expected one JSON object per line");
    Fields fields(value, "");
    ExternalEvent event;
    event.type = fields.text("type");
    event.time = fields.time("timestamp");
    fields.fail_if(event.time < Time(), "timestamp", "a number of seconds from 0");
    if (event.type == "machine_available" || event.type == "machine_unavailable") {
        event.kind = event.type == "machine_available" ? ExternalEvent::Kind::machine_available
                                                       : ExternalEvent::Kind::machine_unavailable;
        event.processors = fields.resources("resources");
        fields.fail_if(event.processors.empty(), "resources", "at least one processor");
    } else if (forward_unknown) {
        event.kind = ExternalEvent::Kind::other;
        event.other_fields = fields_but_type(value);
    } else {
        throw InputError("unknown event type " + in_quotes(event.type) +
                         ", known: machine_available, machine_unavailable (--forward-unknown-events passes others on)");
    }
    return event;
}

}  // namespace

std::vector<ExternalEvent> parse_external_events(std::string_view text, const std::string& path, bool forward_unknown) {
    std::vector<ExternalEvent> events;
    JsonReader json;
    for_each_line_in(text, path, max_events_size, [&](std::string_view line, std::size_t) {
        if (!trimmed(line).empty()) {
            events.push_back(read_event(json, line, forward_unknown));
        }
    });
    std::ranges::stable_sort(events, {}, [](const ExternalEvent& event) { return std::pair(event.time, event.kind); });
    return events;
}

std::vector<ExternalEvent> read_external_events(const std::string& path, bool forward_unknown) {
    const std::string text = read_file(path, max_events_size, "events, one JSON object per line",
                                       {FileKind::json, FileKind::workload, FileKind::empty});
    return parse_external_events(text, path, forward_unknown);
}

}  // namespace batfill
