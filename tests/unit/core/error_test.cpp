#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/support/json.hpp"

namespace batfill::tests::error_test {

TEST_CASE("Text from outside is made fit for one line of a terminal") {
    for (const std::string plain : {"", "job w0!17: 'x' \"y\" \\n", "\u00e9\u20ac\U0001d11e\ufffd\U0010ffff"}) {
        CHECK(one_line(plain) == plain);
    }
    CHECK(one_line("a\nb\r\tc") == "a\\nb\\u000D\\u0009c");
    CHECK(one_line("\x1b[2J\x7f\x07") == "\\u001B[2J\\u007F\\u0007");
    CHECK(one_line(std::string(1, '\0')) == "\\u0000");
    CHECK(one_line("\u0085\u009b31m\u2028\u2029") == "\\u0085\\u009B31m\\u2028\\u2029");
    CHECK(one_line("a\u202eb\u2066\u200f") == "a\\u202Eb\\u2066\\u200F");
    // Not UTF-8: a single continuation byte, a truncated character, an overlong one, a surrogate, one beyond Unicode.
    CHECK(one_line("a\xff") == "a\\xFF");
    CHECK(one_line("\xe2\x82") == "\\xE2\\x82");
    CHECK(one_line("\xc0\xaf") == "\\xC0\\xAF");
    CHECK(one_line("\xe0\x80\xaf") == "\\xE0\\x80\\xAF");
    CHECK(one_line("\xed\xa0\x80") == "\\xED\\xA0\\x80");
    CHECK(one_line("\xf4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");
    CHECK(one_line(one_line("\xff\n")) == one_line("\xff\n"));
}

TEST_CASE("Every error is one line, whatever is put into it") {
    CHECK(std::string(InputError("job a\nb").what()) == "job a\\nb");
    CHECK(std::string(UsageError("-P \x1b]0;x\x07").what()) == "-P \\u001B]0;x\\u0007");
    CHECK(std::string(DecisionError("\xff").what()) == "\\xFF");
}

TEST_CASE("Names are shown as they are if they are harmless, else in quotes") {
    CHECK(shown("w0!17") == "w0!17");
    CHECK(shown("w0!a b") == "w0!a b");
    CHECK(shown("") == "\"\"");
    CHECK(shown("w0!a\nb") == "\"w0!a\\nb\"");
    CHECK(shown("\x7f") == "\"\\u007F\"");
    CHECK(shown(std::string(80, 'x')) == std::string(80, 'x'));
    CHECK(shown(std::string(81, 'x')) == '"' + std::string(80, 'x') + "\"...");
    CHECK(in_quotes("\u009b1m\xff") == "\"\\u009B1m\\xFF\"");
}

}  // namespace batfill::tests::error_test
