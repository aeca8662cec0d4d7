#include <algorithm>
#include <array>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/formats/job_json.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_windows_size = std::size_t{256} << 20;

constexpr const char* one_object_per_line = "expected one JSON object per line";
// In the order of the enumeration.
constexpr std::array<std::string_view, 3> running_words{"finish", "kill", "requeue"};
// Causes of broken guarantees other than windows, whose names stand in the same column.
constexpr std::array<std::string_view, 3> other_causes{"loss", "estimate", "parked"};

void read_times(Fields& fields, Window& window) {
    window.from = fields.time("from");
    window.until = fields.time("until");
    window.announced = fields.find("announced") != nullptr ? fields.time("announced") : Time();
    fields.fail_if(window.from < Time(), "from", "a time from 0 on");
    fields.fail_if(window.announced < Time(), "announced", "a time from 0 on");
    fields.fail_if(window.until <= window.from, "until", "a time after from");
    fields.fail_if(window.announced > window.from, "announced", "a time not after from");
}

void read_what_it_takes(Fields& fields, Window& window) {
    const JsonValue* const hosts = fields.find("hosts");
    const bool takes_processors = fields.find("processors") != nullptr;
    const bool takes_pools = fields.find("pools") != nullptr;
    if (const int given = (hosts != nullptr ? 1 : 0) + (takes_processors ? 1 : 0) + (takes_pools ? 1 : 0); given != 1) {
        throw InputError(R"(expected exactly one of the fields "hosts", "processors" and "pools", found )" +
                         (given == 0 ? std::string("none") : std::to_string(given)));
    }
    if (hosts != nullptr && hosts->IsString() && view(*hosts) == "all") {
        window.all_hosts = true;
    } else if (hosts != nullptr) {
        const auto numbers = hosts->IsString() ? ResourceSet::parse(view(*hosts)) : std::nullopt;
        fields.fail_if(!numbers || numbers->empty(), "hosts", R"("all", or numbers such as "0-63 70")");
        window.hosts = *numbers;
    } else if (takes_processors) {
        window.processors = fields.integer("processors");
        fields.fail_if(window.processors < 0, "processors", "an integer from 0");
    } else {
        window.pools = read_amounts(fields.object("pools"), "pools.");
        refuse_if<InputError>(window.pools.empty(), R"(field "pools": expected at least one amount, found none)");
    }
}

void read_bookings(Fields& fields, Window& window) {
    constexpr const char* names_expected =
        R"(field "for": expected an array of one or more names of reservations, such as ["course"])";
    if (fields.find("for") == nullptr) {
        return;
    }
    for (const auto& name : fields.array("for").GetArray()) {
        refuse_if<InputError>(!name.IsString() || view(name).empty(), names_expected);
        window.booked_for.emplace_back(view(name));
    }
    refuse_if<InputError>(window.booked_for.empty(), names_expected);
}

Window read_window(const JsonValue& value) {
    refuse_if<InputError>(!value.IsObject(), one_object_per_line);
    require_different_fields(value);
    Fields fields(value, "");
    Window window;
    window.name = fields.text("name");
    fields.fail_if(!can_name_window(window.name), "name", "a name other than loss, estimate and parked");
    read_times(fields, window);
    read_what_it_takes(fields, window);
    const auto* const running = std::ranges::find(running_words, fields.text("running", running_words.front()));
    fields.fail_if(running == running_words.end(), "running", "finish, kill or requeue");
    window.running = static_cast<Window::Running>(running - running_words.begin());
    read_bookings(fields, window);
    if (!fields.all_requested()) {
        throw InputError("unknown fields " + fields.rest() +
                         ", known: name, from, until, announced, hosts, processors, pools, running, for");
    }
    return window;
}

void append_what_it_takes(const Window& window, JsonWriter& json) {
    const bool takes_hosts = window.all_hosts || !window.hosts.empty();
    if (!takes_hosts && window.pools.empty()) {
        json.key("processors").integer(window.processors);
    } else if (!takes_hosts) {
        json.key("pools").integers(window.pools);
    } else {
        json.key("hosts").text(window.all_hosts ? "all" : window.hosts.to_string());
    }
}

}  // namespace

bool can_name_window(std::string_view name) {
    return !name.empty() && std::ranges::find(other_causes, name) == other_causes.end();
}

std::vector<Window> parse_windows(std::string_view text, const std::string& path) {
    std::vector<Window> windows;
    JsonReader json;
    for_each_line_in(text, path, max_windows_size, [&](std::string_view line, std::size_t number) {
        if (!trimmed(line).empty()) {
            refuse_if<InputError>(trimmed(line) == "{" || trimmed(line) == "[", one_object_per_line);
            windows.push_back(read_window(json.parse(line)));
            windows.back().place = path + ':' + std::to_string(number);
        }
    });
    return windows;
}

std::vector<Window> read_windows(const std::string& path) {
    return parse_windows(read_file(path, max_windows_size, "windows, one JSON object per line",
                                   {FileKind::json, FileKind::workload, FileKind::empty}),
                         path);
}

void append_json(const Window& window, std::string& out) {
    JsonWriter json(out);
    json.open_object();
    json.key("name").text(window.name);
    window.from.since_zero().append_shortest_to(json.key("from").value());
    window.until.since_zero().append_shortest_to(json.key("until").value());
    window.announced.since_zero().append_shortest_to(json.key("announced").value());
    append_what_it_takes(window, json);
    json.key("running").text(running_words[static_cast<std::size_t>(window.running)]);
    json.member_if_any("for", window.booked_for);
    json.close_object();
    out += '\n';
}

void write_windows(const std::vector<Window>& windows, const std::string& path) {
    std::string text;
    for (const Window& window : windows) {
        append_json(window, text);
    }
    write_file(path, text);
}

}  // namespace batfill
