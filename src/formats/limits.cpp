#include <algorithm>
#include <optional>
#include <string>
#include <vector>

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

constexpr std::size_t max_limits_size = std::size_t{256} << 20;

constexpr const char* one_object_per_line = "expected one JSON object per line";

std::vector<std::string> read_fields(Fields& fields) {
    constexpr const char* expected = R"(a field of jobs, such as "user", or a list of them)";
    const JsonValue* const of = fields.find("of");
    if (of != nullptr && of->IsString()) {
        return {std::string(view(*of))};
    }
    fields.fail_if(of == nullptr || !of->IsArray() || of->Empty(), "of", expected);
    std::vector<std::string> names;
    for (const auto& name : of->GetArray()) {
        if (!name.IsString()) {
            fields.fail("of", expected, &name);
        }
        names.emplace_back(view(name));
    }
    return names;
}

// A text or a whole number, as a text; or null.
std::optional<std::string> read_value(Fields& fields, const JsonValue& value) {
    if (value.IsNull()) {
        return std::nullopt;
    }
    if (value.IsString()) {
        return std::string(view(value));
    }
    if (!value.IsInt64() && !value.IsUint64()) {
        fields.fail("value", "a text, a whole number, or a list of them and of null", &value);
    }
    return value.IsInt64() ? std::to_string(value.GetInt64()) : std::to_string(value.GetUint64());
}

std::vector<std::optional<std::string>> read_values(Fields& fields, std::size_t size) {
    std::vector<std::optional<std::string>> values;
    const JsonValue* const value = fields.find("value");
    if (value == nullptr || value->IsNull()) {
        values.resize(size);
    } else if (value->IsArray()) {
        for (const auto& one : value->GetArray()) {
            values.push_back(read_value(fields, one));
        }
    } else {
        values.push_back(read_value(fields, *value));
    }
    refuse_if<InputError>(values.size() != size, R"(field "value": expected )", size,
                          size == 1 ? " value" : " values, as many as fields in \"of\"", ", found ", values.size());
    return values;
}

Limit read_limit(const JsonValue& value) {
    refuse_if<InputError>(!value.IsObject(), one_object_per_line);
    require_different_fields(value);
    Fields fields(value, "");
    Limit limit;
    limit.of = read_fields(fields);
    limit.values = read_values(fields, limit.of.size());
    limit.most = read_amounts(fields.object("most"), "most.");
    refuse_if<InputError>(limit.most.empty(), R"(field "most": expected at least one amount, found none)");
    refuse_if<InputError>(!fields.all_requested(),
                          [&] { return "unknown fields " + fields.rest() + ", known: of, value, most"; });
    return limit;
}

}  // namespace

std::vector<Limit> parse_limits(std::string_view text, const std::string& path) {
    std::vector<Limit> limits;
    JsonReader json;
    for_each_line_in(text, path, max_limits_size, [&](std::string_view line, std::size_t number) {
        if (!trimmed(line).empty()) {
            refuse_if<InputError>(trimmed(line) == "{" || trimmed(line) == "[", one_object_per_line);
            limits.push_back(read_limit(json.parse(line)));
            limits.back().line = number;
            limits.back().place = path + ':' + std::to_string(number);
        }
    });
    return limits;
}

void append_json(const Limit& limit, std::string& out) {
    const auto names_value = [](const std::optional<std::string>& value) { return value.has_value(); };
    JsonWriter json(out);
    json.open_object();
    json.key("of").texts(limit.of);
    if (std::ranges::any_of(limit.values, names_value)) {
        json.key("value").array(limit.values, [&](const std::optional<std::string>& value) {
            value ? json.text(*value) : json.raw("null");
        });
    }
    json.key("most").integers(limit.most);
    json.close_object();
    out += '\n';
}

std::vector<Limit> read_limits(const std::string& path) {
    return parse_limits(read_file(path, max_limits_size, "limits, one JSON object per line",
                                  {FileKind::json, FileKind::workload, FileKind::empty}),
                        path);
}

}  // namespace batfill
