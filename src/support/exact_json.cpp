#include "exact_json.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace batfill {

void append_exact_json(const JsonValue& value, std::string& out) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    value.Accept(writer);
    out.append(text.GetString(), text.GetSize());
}

void append_exact_json(double number, std::string& out) {
    append_exact_json(JsonValue(number), out);
}

}  // namespace batfill
