#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "csv_text.hpp"

namespace batfill {

// Writes JSON, member by member. Writer is one of rapidjson's.
template <class Writer>
class JsonWriter {
 public:
    JsonWriter() = default;
    // With this many blanks for each level.
    explicit JsonWriter(unsigned indent) { writer_.SetIndent(' ', indent); }

    void open_object() { writer_.StartObject(); }
    void close_object() { writer_.EndObject(); }
    JsonWriter& key(const char* name) {
        writer_.Key(name);
        return *this;
    }
    void text(std::string_view value) { writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size())); }
    // Null if there is none.
    void number(std::optional<double> value) {
        if (value && std::isfinite(*value)) {
            raw(exact(*value), rapidjson::kNumberType);
        } else {
            null();
        }
    }
    void integer(std::uint64_t value) { writer_.Uint64(value); }
    void boolean(bool value) { writer_.Bool(value); }
    void null() { writer_.Null(); }
    void raw(std::string_view json, rapidjson::Type type) { writer_.RawValue(json.data(), json.size(), type); }

    // An array for which `write` writes each of the values.
    template <class Range, class Write>
    void array(const Range& values, Write write) {
        writer_.StartArray();
        for (const auto& value : values) {
            write(value);
        }
        writer_.EndArray();
    }
    // As above, of objects whose members `write` writes.
    template <class Range, class Write>
    void objects(const Range& values, Write write) {
        array(values, [&](const auto& value) {
            open_object();
            write(value);
            close_object();
        });
    }
    template <class Range>
    void texts(const Range& values) {
        array(values, [this](const auto& value) { text(value); });
    }

    std::string_view view() const { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
    rapidjson::StringBuffer buffer_;
    Writer writer_{buffer_};
};

using CompactJson = JsonWriter<rapidjson::Writer<rapidjson::StringBuffer>>;
using PrettyJson = JsonWriter<rapidjson::PrettyWriter<rapidjson::StringBuffer>>;

}  // namespace batfill
