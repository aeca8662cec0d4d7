#include "src/support/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <rapidjson/error/en.h>
#include <rapidjson/internal/dtoa.h>
#include <spdlog/spdlog.h>

#include "src/support/csv_text.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::size_t pool_size = std::size_t{64} << 10;  // enough for all messages but the first of a simulation
constexpr std::size_t chunk_size = std::size_t{1} << 20;  // large enough that free() returns it to the system
constexpr std::size_t max_warnings = 100;
constexpr std::size_t max_shown = 80;  // bytes of a name in a message
// Deeper nesting of arrays and objects is refused, because reading and writing are recursive.
constexpr int max_nesting = 128;

// Forwards a parser's events. Reads numbers itself, because RapidJSON's own exact reading is undefined for some of them
// (0e300). Stops at too deep nesting and at numbers beyond a double.
// With `plain`, strings need no check.
template <class Handler, bool plain>
class CheckedEvents : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, CheckedEvents<Handler, plain>> {
 public:
    explicit CheckedEvents(Handler& handler) : handler_(handler) {}

    const std::string& problem() const { return problem_; }

    bool Null() { return handler_.Null(); }
    bool Bool(bool value) { return handler_.Bool(value); }
    bool String(const char* text, unsigned length, bool copy) {
        return is_utf8({text, length}) && handler_.String(text, length, copy);
    }
    bool Key(const char* text, unsigned length, bool copy) {
        return is_utf8({text, length}) && handler_.Key(text, length, copy);
    }
    bool StartObject() { return enter() && handler_.StartObject(); }
    bool EndObject(unsigned members) {
        --depth_;
        return handler_.EndObject(members);
    }
    bool StartArray() { return enter() && handler_.StartArray(); }
    bool EndArray(unsigned elements) {
        --depth_;
        return handler_.EndArray(elements);
    }
    bool RawNumber(const char* text, unsigned length, bool) {
        const char* const end = text + length;
        if (const auto integer = number_in<std::int64_t>({text, length})) {
            return handler_.Int64(*integer);
        }
        if (const auto large = number_in<std::uint64_t>({text, length})) {
            return handler_.Uint64(*large);
        }
        double value = 0;
        if (std::from_chars(text, end, value).ec != std::errc()) {
            // strtod distinguishes too large numbers from too small ones. A program's own locale may have no point.
            static const locale_t plain_locale = newlocale(LC_ALL_MASK, "C", nullptr);
            value = strtod_l(std::string(text, end).c_str(), nullptr, plain_locale);
        }
        if (std::isinf(value)) {
            problem_ = "a number too large for a double";
            return false;
        }
        return handler_.Double(value);
    }

 private:
    // The parser validates the encoding, but decodes a lone low surrogate escape to three bytes.
    bool is_utf8(std::string_view text) {
        if constexpr (plain) {
            return true;
        }
        for (std::size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1)) {
            if (static_cast<unsigned char>(text[at + 1]) >= 0xA0) {
                problem_ = "a lone surrogate in a string";
                return false;
            }
        }
        return true;
    }
    bool enter() {
        if (++depth_ > max_nesting) {
            problem_ = "nested deeper than " + std::to_string(max_nesting);
        }
        return depth_ <= max_nesting;
    }

    Handler& handler_;
    int depth_ = 0;
    std::string problem_;
};

// Whether a text is ASCII and has no escapes.
bool is_plain(std::string_view text) {
    const auto join = [](unsigned char bits, char c) { return static_cast<unsigned char>(bits | c); };
    const unsigned char bits = std::accumulate(text.begin(), text.end(), static_cast<unsigned char>(0), join);
    return bits < 0x80 && text.find('\\') == std::string_view::npos;
}

void append(const JsonValue& value, JsonWriter& json, auto append_number) {
    if (value.IsObject()) {
        json.open_object();
        for (const auto& member : value.GetObject()) {
            append(member.value, json.key(view(member.name)), append_number);
        }
        json.close_object();
    } else if (value.IsArray()) {
        json.array(value.GetArray(), [&](const JsonValue& element) { append(element, json, append_number); });
    } else if (value.IsString()) {
        json.text(view(value));
    } else if (value.IsDouble()) {
        append_number(value.GetDouble(), json.value());
    } else if (value.IsNumber()) {
        value.IsInt64() ? json.integer(value.GetInt64()) : json.integer(value.GetUint64());
    } else {
        json.raw(value.IsNull() ? "null" : value.GetBool() ? "true" : "false");
    }
}

std::string describe(const JsonValue* value) {
    constexpr std::array names{"null", "false", "true", "an object", "an array"};  // in the order of rapidjson::Type
    if (value == nullptr) {
        return "none";
    }
    if (value->GetType() < names.size()) {
        return names[value->GetType()];
    }
    if (value->IsString()) {
        return "the text " + in_quotes(view(*value));
    }
    std::string number = "the number ";
    append_exact_json(*value, number);
    return number;
}

}  // namespace

JsonReader::JsonReader()
    : stream_(text_.data()),
      pool_(std::make_unique_for_overwrite<char[]>(pool_size)),
      allocator_(pool_.get(), pool_size, chunk_size),
      document_(&allocator_) {}

const JsonValue& JsonReader::parse(std::string_view text) {
    text_.assign(text);
    begin();
    const JsonValue& result = value();
    finish();
    return result;
}

void JsonReader::start(std::string text) {
    text_ = std::move(text);
    begin();
}

void JsonReader::begin() {
    size_ = text_.size();
    plain_ = is_plain(text_);
    text_.append(4, '\0');  // the parser may read a whole character past the end
    stream_ = rapidjson::InsituStringStream(text_.data());
}

char JsonReader::next() {
    rapidjson::SkipWhitespace(stream_);
    return stream_.Peek();
}

void JsonReader::expect(char sign, const char* expected) {
    if (next() != sign) {
        fail(stream_.Tell(), expected);
    }
    stream_.Take();
}

bool JsonReader::open(char bracket) {
    first_ = next() == bracket;
    if (first_) {
        stream_.Take();
    }
    return first_;
}

bool JsonReader::more(char closing_bracket) {
    const bool first = std::exchange(first_, false);
    if (next() == closing_bracket) {
        stream_.Take();
        return false;
    }
    if (!first) {
        expect(',', "expected a comma or a closing bracket");
    }
    return true;
}

std::string_view JsonReader::key() {
    if (next() != '"') {
        fail(stream_.Tell(), "expected a name in quotes");
    }
    const std::string_view name = view(value());
    expect(':', "expected a colon");
    return name;
}

const JsonValue& JsonReader::value() {
    document_.SetNull();
    allocator_.Clear();
    const auto parse_into = [this](Document& document) {
        parse_value(document);
        return true;
    };
    document_.Populate(parse_into);
    return document_;
}

void JsonReader::skip() {
    rapidjson::BaseReaderHandler<> nobody;
    parse_value(nobody);
}

void JsonReader::finish() {
    next();
    if (stream_.Tell() != size_) {
        fail(stream_.Tell(), "expected the end");
    }
}

template <class Handler>
void JsonReader::parse_value(Handler& handler) {
    plain_ ? parse_value<Handler, true>(handler) : parse_value<Handler, false>(handler);
}

template <class Handler, bool plain>
void JsonReader::parse_value(Handler& handler) {
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag |
                               rapidjson::kParseStopWhenDoneFlag |
                               (plain ? unsigned{0} : unsigned{rapidjson::kParseValidateEncodingFlag});
    CheckedEvents<Handler, plain> events(handler);
    const rapidjson::ParseResult result = reader_.Parse<flags>(stream_, events);
    if (result.IsError()) {
        fail(result.Offset(), result.Code() == rapidjson::kParseErrorTermination
                                  ? events.problem()
                                  : rapidjson::GetParseError_En(result.Code()));
    }
}

void JsonReader::fail(std::size_t at, const std::string& problem) {
    throw InputError("JSON at byte " + std::to_string(at) + ": " + problem);
}

void append_json(const JsonValue& value, std::string& out) {
    JsonWriter json(out);
    append(value, json, [](double number, std::string& text) { append_rounded(number, 6, text); });
}

void append_exact_json(const JsonValue& value, std::string& out) {
    JsonWriter json(out);
    append(value, json, [](double number, std::string& text) {
        std::array<char, 32> digits{};
        text.append(digits.data(), rapidjson::internal::dtoa(number, digits.data()));
    });
}

const JsonValue* member_of(const JsonValue* object, const char* name) {
    if (object == nullptr || !object->IsObject()) {
        return nullptr;
    }
    const auto found = object->FindMember(name);
    return found == object->MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::string_view text_in(const JsonValue* object, const char* name) {
    const JsonValue* const value = member_of(object, name);
    return value != nullptr && value->IsString() ? view(*value) : std::string_view();
}

void require_different_fields(const JsonValue& object) {
    std::vector<std::string_view> names;
    names.reserve(object.MemberCount());
    for (const auto& member : object.GetObject()) {
        names.push_back(view(member.name));
    }
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
        throw InputError("field " + in_quotes(*twice) + ": expected once");
    }
}

std::string in_quotes(std::string_view name) {
    std::size_t size = std::min(name.size(), max_shown);
    while (size > 0 && size < name.size() && (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U) {
        --size;  // do not cut a character in two
    }
    std::string result;
    append_json_string(name.substr(0, size), result);
    if (size < name.size()) {
        result += "...";
    }
    return one_line(result);
}

std::string shown(std::string_view name) {
    const bool harmless = !name.empty() && name.size() <= max_shown && one_line(name) == name;
    return harmless ? std::string(name) : in_quotes(name);
}

void WarnOnce::unknown(std::string_view what, std::string_view name) {
    if (said_.size() >= max_warnings) {
        return;
    }
    const std::string warning = "unknown " + std::string(what) + " " + in_quotes(name);
    if (said_.insert(warning).second) {
        spdlog::warn("{} (said once)", warning);
    }
}

const JsonValue* Fields::find(std::string_view name) {
    if ((names_ & bit_of(name)) == 0) {
        return nullptr;
    }
    std::size_t index = 0;
    for (const auto& member : object_.GetObject()) {
        const std::string_view other = view(member.name);
        if (other.size() == name.size() && other.front() == name.front() && other == name) {
            if (index < 64) {
                read_ |= std::uint64_t{1} << index;
            }
            return &member.value;
        }
        ++index;
    }
    return nullptr;
}

void Fields::fail(std::string_view name, std::string_view expected, const JsonValue* found,
                  const std::string& more) const {
    throw InputError(std::string("field \"").append(path_).append(name).append("\": expected ").append(expected) +
                     ", found " + describe(found) + more);
}

const JsonValue& Fields::required(std::string_view name, bool (JsonValue::*is_expected)() const,
                                  std::string_view expected) {
    const JsonValue* value = find(name);
    fail_if(value == nullptr || !(value->*is_expected)(), name, expected);
    return *value;
}

const JsonValue& Fields::any(std::string_view name) {
    const JsonValue* value = find(name);
    fail_if(value == nullptr, name, "a value");
    return *value;
}

Duration Fields::seconds(std::string_view name) {
    constexpr std::int64_t max = 1'000'000'000'000'000'000;
    const JsonValue* value = find(name);
    if (value != nullptr && value->IsInt64() && value->GetInt64() <= max && value->GetInt64() >= -max) {
        return Duration::seconds(value->GetInt64());
    }
    const auto duration =
        value != nullptr && value->IsDouble() ? Duration::from_seconds(value->GetDouble()) : std::optional<Duration>();
    fail_if(!duration, name, "a number of seconds, at most 1e18");
    return *duration;
}

ResourceSet Fields::resources(std::string_view name) {
    const JsonValue* value = find(name);
    auto set = value != nullptr && value->IsString() ? ResourceSet::parse(view(*value)) : std::optional<ResourceSet>();
    fail_if(!set, name, "resources such as \"0-3 7\"");
    return *std::move(set);
}

std::string Fields::rest() {
    JsonWriter json;
    for_each_unread([&](const auto& member) { append_json(member.value, json.key(view(member.name)).value()); });
    rest_read_ = true;
    return json.written().empty() ? "" : '{' + json.written() + '}';
}

void Fields::warn_of_unread(WarnOnce& warn) const {
    for_each_unread([&](const auto& member) { warn.unknown("field", std::string(path_).append(view(member.name))); });
}

std::string without_member(std::string_view members, std::string_view name) {
    JsonReader reader;
    std::string rest;
    for (const auto& member : reader.parse("{" + std::string(members) + "}").GetObject()) {
        if (view(member.name) != name) {
            rest += rest.empty() ? "" : ",";
            append_json_string(view(member.name), rest);
            rest += ':';
            append_exact_json(member.value, rest);
        }
    }
    return rest;
}

}  // namespace batfill
