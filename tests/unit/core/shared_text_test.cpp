#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/shared_text.hpp>

namespace batfill::tests::shared_text_test {

using batfill::SharedText;
using batfill::TextPool;

TEST_CASE("a shared text is used as a text is") {
    const SharedText text = "night";
    CHECK(text == "night");
    CHECK(text == std::string("night"));
    CHECK(text == std::string_view("night"));
    CHECK(text == SharedText("night"));
    CHECK_FALSE(text == "day");
    const std::string& as_text = text;
    CHECK(as_text == "night");
    CHECK_FALSE(text.empty());
    CHECK(sizeof text == sizeof(void*));
}

TEST_CASE("an empty shared text is empty, however it came to be") {
    CHECK(SharedText().empty());
    CHECK(SharedText("").empty());
    CHECK(SharedText(std::string()).empty());
    CHECK(SharedText() == "");
    CHECK(SharedText("") == SharedText());
    SharedText moved_from = "night";
    const SharedText moved_to = std::move(moved_from);
    CHECK(moved_from.empty());  // NOLINT(bugprone-use-after-move): a text that was moved from is defined
    CHECK(moved_to == "night");
}

TEST_CASE("copies of a shared text have the same memory, and keep it when others go") {
    SharedText last;
    const std::string* memory = nullptr;
    {
        const SharedText first = std::string(100, 'x');
        memory = &first.text();
        std::vector<SharedText> copies(10, first);
        copies[3] = "other";
        copies[4] = copies[5];
        SharedText& self = copies[6];
        copies[6] = self;
        last = copies[6];
    }
    CHECK(&last.text() == memory);
    CHECK(last == std::string(100, 'x'));
}

TEST_CASE("a pool gives equal texts the same memory, and outlives nothing") {
    std::mt19937 random(7);
    std::vector<std::pair<std::string, SharedText>> given;
    std::unordered_set<std::string> expected;
    {
        TextPool pool;
        for (int i = 0; i < 500; ++i) {
            const std::string text = random() % 10 == 0 ? "" : "user " + std::to_string(random() % 40);
            given.emplace_back(text, pool.shared(text));
            if (!text.empty()) {
                expected.insert(text);
            }
        }
    }
    std::unordered_set<const std::string*> memory;
    for (const auto& [text, shared] : given) {
        REQUIRE(shared == text);
        if (!shared.empty()) {
            memory.insert(&shared.text());
        }
    }
    CHECK(memory.size() == expected.size());
}

TEST_CASE("copies of a shared text may come and go in several threads") {
    const SharedText text = "common";
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([text] {
            for (int round = 0; round < 1000; ++round) {
                const std::vector<SharedText> copies(5, text);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(text == "common");
}

}  // namespace batfill::tests::shared_text_test
