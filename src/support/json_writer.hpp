#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace batfill {

// Appends `text` (UTF-8) to `out` as a JSON string, with quotes.
void append_json_string(std::string_view text, std::string& out);

// Writes JSON to the end of a text, value by value, with the commas between them. The one writer of JSON: numbers and
// escapes look the same everywhere. Without open(), it writes members for an object that somebody else opens.
class JsonWriter {
 public:
    // With `indent`, each member and each element is on its own line, with this many blanks for each level.
    // Requires: `out` outlives this object. Others may append to it only where this class says so.
    explicit JsonWriter(std::string& out, unsigned indent = 0) : out_(out), indent_(indent) {}
    // Writes to a text of its own.
    explicit JsonWriter(unsigned indent = 0) : out_(own_), indent_(indent) {}
    const std::string& written() const { return out_; }
    // Continues `members`, which may be empty.
    static JsonWriter behind(std::string& members) { return {members, members.empty() ? Place::first : Place::next}; }
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void open_object() { open('{'); }
    void close_object() { close('}'); }
    void open_array() { open('['); }
    void close_array() { close(']'); }

    // Its value comes next.
    JsonWriter& key(std::string_view name) {
        append_json_string(name, value());
        out_ += indent_ == 0 ? ":" : ": ";
        place_ = Place::value;
        return *this;
    }
    // Begins a value, which the caller appends to the result.
    std::string& value() {
        if (place_ == Place::next) {
            out_ += ',';
        }
        if (place_ != Place::value && (breaks_line_ || (indent_ != 0 && level_ != 0))) {
            break_line();
        }
        place_ = Place::next;
        return out_;
    }
    void raw(std::string_view json) { value() += json; }
    void text(std::string_view text) { append_json_string(text, value()); }
    // With the fewest digits that read back as the same number, and never an exponent. Null if there is none.
    void number(std::optional<double> number);
    void integer(auto number) { value() += std::to_string(number); }
    void boolean(bool truth) { raw(truth ? "true" : "false"); }
    // Writes what a writer without open() wrote, into the object that is open.
    void members(std::string_view members) {
        if (!members.empty()) {
            raw(members);
        }
    }
    // A member, unless the text, the list of texts, the flag or the optional text is empty, or does not hold.
    void member_if_any(std::string_view name, const auto& value) {
        if constexpr (requires { std::string_view(value); }) {
            if (!std::string_view(value).empty()) {
                key(name).text(value);
            }
        } else if constexpr (requires { value.empty(); }) {
            if (!value.empty()) {
                key(name).texts(value);
            }
        } else if (value) {
            if constexpr (requires { *value; }) {
                key(name).text(*value);
            } else {
                key(name).boolean(true);
            }
        }
    }
    // An object with these members, pairs of a name and a whole number.
    void integers(const auto& members) {
        open_object();
        for (const auto& [name, number] : members) {
            key(name).integer(number);
        }
        close_object();
    }

    // What follows, a value or a closing bracket, begins a line.
    void new_line() { breaks_line_ = true; }

    // An array for which `write` writes each of the values.
    void array(const auto& values, auto write) {
        open_array();
        for (const auto& value : values) {
            write(value);
        }
        close_array();
    }
    // As above, of objects whose members `write` writes.
    void objects(const auto& values, auto write) {
        array(values, [&](const auto& value) {
            open_object();
            write(value);
            close_object();
        });
    }
    void texts(const auto& values) {
        array(values, [this](const auto& value) { text(value); });
    }

 private:
    // What comes next: the first element behind a bracket, the value behind a key, or a further element.
    enum class Place { first, value, next };

    JsonWriter(std::string& out, Place place) : out_(out), place_(place) {}
    void open(char bracket) {
        value() += bracket;
        ++level_;
        place_ = Place::first;
    }
    void close(char bracket) {
        --level_;
        if (breaks_line_ || (indent_ != 0 && place_ == Place::next)) {
            break_line();
        }
        out_ += bracket;
        place_ = Place::next;
    }
    void break_line();

    std::string own_;
    std::string& out_;
    unsigned indent_ = 0;
    unsigned level_ = 0;
    Place place_ = Place::first;
    bool breaks_line_ = false;
};

}  // namespace batfill
