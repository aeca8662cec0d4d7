#pragma once

#include <algorithm>
#include <string>

#include <batfill/core/time.hpp>

#include "src/support/json.hpp"

// Compares JSON texts by content.
namespace batfill::tests {

// Numbers are equal if they are the same double or the same number of microseconds.
inline bool same_number(const JsonValue& a, const JsonValue& b) {
    const auto a_seconds = Duration::from_seconds(a.GetDouble());
    return a.GetDouble() == b.GetDouble() || (a_seconds && a_seconds == Duration::from_seconds(b.GetDouble()));
}

inline bool same_json(const JsonValue& a, const JsonValue& b) {
    if (a.IsNumber() && b.IsNumber()) {
        return same_number(a, b);
    }
    if (a.GetType() != b.GetType()) {
        return false;
    }
    if (a.IsArray()) {
        return std::equal(a.Begin(), a.End(), b.Begin(), b.End(), same_json);
    }
    if (a.IsObject()) {
        return a.MemberCount() == b.MemberCount() &&
               std::all_of(a.MemberBegin(), a.MemberEnd(), [&](const auto& member) {
                   const auto other = b.FindMember(member.name);
                   return other != b.MemberEnd() && same_json(member.value, other->value);
               });
    }
    return a == b;
}

inline bool same_json(const std::string& a, const std::string& b) {
    JsonReader a_reader;
    JsonReader b_reader;
    return same_json(a_reader.parse(a), b_reader.parse(b));
}

}  // namespace batfill::tests
