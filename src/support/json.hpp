#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include <rapidjson/document.h>
#include <rapidjson/reader.h>

#include <batfill/core/error.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

// Reads JSON from untrusted input.
namespace batfill {

// The memory of parsed values. RapidJSON's own allocator returns null when memory is exhausted, and its callers do not
// check.
class JsonMemory {
 public:
    static const bool kNeedFree = true;
    static void* Malloc(std::size_t size) { return size == 0 ? nullptr : checked(std::malloc(size)); }
    static void* Realloc(void* memory, std::size_t, std::size_t size) {
        if (size == 0) {
            std::free(memory);
            return nullptr;
        }
        return checked(std::realloc(memory, size));
    }
    static void Free(void* memory) { std::free(memory); }

 private:
    static void* checked(void* memory) {
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return memory;
    }
};

using JsonPool = rapidjson::MemoryPoolAllocator<JsonMemory>;
using JsonValue = rapidjson::GenericValue<rapidjson::UTF8<>, JsonPool>;

// Parses JSON texts one after another in the same buffers: as one value, or piece by piece. A large text then needs no
// tree.
// Throws, from all functions:
// - InputError, which says what is wrong at which byte, if the text is not JSON in UTF-8, a number does not fit into a
//   double, or the nesting is too deep
// - std::bad_alloc if there is not enough memory
// Cost: O(bytes read or skipped).
class JsonReader {
 public:
    JsonReader();

    // Reads `text` as one value.
    const JsonValue& parse(std::string_view text);

    // To read piece by piece, call start(); then open(), more() in a loop, key(), value() and skip() in the order of
    // the text; and finish() at the end.
    void start(std::string text);
    // Skips `bracket` if the next value begins with it. Returns whether it does.
    bool open(char bracket);
    // Whether the object or array from open() has another element. If not, skips its closing bracket.
    bool more(char closing_bracket);
    // The key of the next member of an object. Valid until the next start().
    std::string_view key();
    // Reads the next value. Valid until the next call of any function.
    const JsonValue& value();
    void skip();
    // Number of bytes read or skipped so far.
    std::size_t position() { return stream_.Tell(); }
    // Number of bytes of the text.
    std::size_t size() const { return size_; }
    // Checks that the text ends here.
    void finish();

 private:
    using Document = rapidjson::GenericDocument<rapidjson::UTF8<>, JsonPool, JsonMemory>;

    void begin();
    template <class Handler>
    void parse_value(Handler& handler);
    template <class Handler, bool plain>
    void parse_value(Handler& handler);
    // The next character that is not white space.
    char next();
    void expect(char sign, const char* expected);
    [[noreturn]] static void fail(std::size_t at, const std::string& problem);

    std::string text_;  // strings are decoded in place, so values point into it
    std::size_t size_ = 0;
    bool plain_ = false;  // the text is ASCII without escapes, as almost all are: its strings need no check
    rapidjson::InsituStringStream stream_;
    bool first_ = false;  // the next element is the first of its object or array
    std::unique_ptr<char[]> pool_;
    JsonPool allocator_;
    Document document_;
    rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonMemory> reader_;
};

// Appends `value` to `out` as Batsim prints JSON: no white space, integers as they are, other numbers with six
// decimals.
// Cost: O(size of the value).
void append_json(const JsonValue& value, std::string& out);

// As above, but numbers have the fewest digits that read back as the same number.
void append_exact_json(const JsonValue& value, std::string& out);

// The members of a JSON object without that of this name.
// Requires: `members` are such members.
std::string without_member(std::string_view members, std::string_view name);

// The text of a JSON string, without a copy.
// Requires: value.IsString().
inline std::string_view view(const JsonValue& value) {
    assert(value.IsString());
    return {value.GetString(), value.GetStringLength()};
}

// The member of an object. Null if it is missing or null, or if `object` is none.
const JsonValue* member_of(const JsonValue* object, const char* name);

// As above, for a text. "" if the member is none.
std::string_view text_in(const JsonValue* object, const char* name);

// Throws: InputError for a field that the object has twice: whoever asks for it would see only the first.
// Cost: O(fields * log(fields)).
void require_different_fields(const JsonValue& object);

// Prepares a foreign name for one line of a log: puts it in quotes, escapes it as one_line() does, and cuts a long one.
std::string in_quotes(std::string_view name);

// As above, for a name that is almost always harmless, such as the id of a job: in quotes only if it is empty, long, or
// must be escaped.
std::string shown(std::string_view name);

// Gives each warning once, although its cause may come with every message.
class WarnOnce {
 public:
    // Logs "unknown WHAT NAME", unless it has logged this before or has logged a hundred other warnings.
    void unknown(std::string_view what, std::string_view name);

 private:
    std::set<std::string, std::less<>> said_;
};

// The fields of a JSON object, read by name. Messages put `path` before the names of fields.
// Requires: `object` and `path` outlive this object.
// Throws, from the getters: InputError with the field, what was expected and what was found.
class Fields {
 public:
    // Requires: object.IsObject().
    Fields(const JsonValue& object, std::string_view path) : object_(object), path_(path) {
        assert(object.IsObject());
        for (const auto& member : object.GetObject()) {
            names_ |= bit_of(view(member.name));
        }
    }

    // Returns null if there is no such field.
    // Requires: a name that is not empty.
    const JsonValue* find(std::string_view name);
    const JsonValue& any(std::string_view name);
    const JsonValue& object(std::string_view name) { return required(name, &JsonValue::IsObject, "an object"); }
    const JsonValue& array(std::string_view name) { return required(name, &JsonValue::IsArray, "an array"); }
    std::string_view text(std::string_view name) { return view(required(name, &JsonValue::IsString, "a text")); }
    bool boolean(std::string_view name) { return required(name, &JsonValue::IsBool, "true or false").GetBool(); }
    int integer(std::string_view name) { return required(name, &JsonValue::IsInt, "an integer of 32 bits").GetInt(); }
    double number(std::string_view name) { return required(name, &JsonValue::IsNumber, "a number").GetDouble(); }
    Duration seconds(std::string_view name);
    Time time(std::string_view name) { return Time::at(seconds(name)); }
    ResourceSet resources(std::string_view name);

    // If there is no such field, `otherwise`.
    bool boolean(std::string_view name, bool otherwise) { return find(name) != nullptr ? boolean(name) : otherwise; }
    int integer(std::string_view name, int otherwise) { return find(name) != nullptr ? integer(name) : otherwise; }
    std::string_view text(std::string_view name, std::string_view otherwise) {
        return find(name) != nullptr ? text(name) : otherwise;
    }

    [[noreturn]] void fail(std::string_view name, std::string_view expected) { fail(name, expected, find(name)); }
    void fail_if(bool is_wrong, std::string_view name, std::string_view expected) {
        if (is_wrong) {
            fail(name, expected);
        }
    }
    // As above, for a part of the field: null if it is missing. `more` follows what was found.
    [[noreturn]] void fail(std::string_view name, std::string_view expected, const JsonValue* found,
                           const std::string& more = "") const;
    // A field as messages call it.
    std::string path_of(std::string_view name) const { return std::string(path_).append(name); }

    // Whether calls above have requested all fields.
    bool all_requested() const { return static_cast<unsigned>(std::popcount(read_)) == object_.MemberCount(); }
    // The fields that no call above has requested, as the text of an object; empty if there are none. They then count
    // as requested.
    std::string rest();
    // If true, no two fields have the same name. If false, nothing is known.
    bool surely_differ() const { return static_cast<unsigned>(std::popcount(names_)) == object_.MemberCount(); }
    // Counts all fields as requested, or the fields with these names.
    void ignore_rest() { rest_read_ = true; }
    template <class... Names>
    void ignore(const Names&... names) {
        (static_cast<void>(find(names)), ...);
    }
    // Calls f(member) for every member that no call has requested, in their order.
    void for_each_unread(auto f) const {
        if (rest_read_ || all_requested()) {
            return;
        }
        std::size_t index = 0;
        for (const auto& member : object_.GetObject()) {
            if (index >= 64 || (read_ >> index & 1U) == 0) {
                f(member);
            }
            ++index;
        }
    }
    // Warns once about every field that no call has requested.
    void warn_of_unread(WarnOnce& warn) const;

 private:
    const JsonValue& required(std::string_view name, bool (JsonValue::*is_expected)() const, std::string_view expected);
    // Most names differ in length or first letter, and then mostly in this bit.
    static std::uint64_t bit_of(std::string_view name) {
        const std::size_t first = name.empty() ? 0 : static_cast<unsigned char>(name.front());
        return std::uint64_t{1} << ((first + 13 * name.size()) % 64);
    }

    const JsonValue& object_;
    std::string_view path_;
    std::uint64_t names_ = 0;  // the bits of all names
    // Bit i: member i was requested. Members from 64 on never count as requested.
    std::uint64_t read_ = 0;
    bool rest_read_ = false;
};

}  // namespace batfill
