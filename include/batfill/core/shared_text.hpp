#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace batfill {

// An immutable text that copies of this object share: the name of a user, a queue or a profile, which a million jobs
// may have in common. It takes 8 bytes, and no other memory if the text is empty. Several threads may use copies.
// Cost: O(1) for a copy.
class SharedText {
 public:
    SharedText() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands where a text would stand.
    SharedText(std::string text) : kept_(text.empty() ? nullptr : keep(std::move(text))) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    SharedText(const char* text) : SharedText(std::string(text)) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    SharedText(std::string_view text) : SharedText(std::string(text)) {}
    SharedText(const SharedText& other) noexcept : kept_(other.kept_) {
        if (kept_ != nullptr) {
            kept_->sharers.fetch_add(1, std::memory_order_relaxed);
        }
    }
    SharedText(SharedText&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
    SharedText& operator=(SharedText other) noexcept {
        std::swap(kept_, other.kept_);
        return *this;
    }
    ~SharedText() {
        if (kept_ != nullptr && kept_->sharers.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            drop(kept_);
        }
    }

    const std::string& text() const {
        static const std::string empty_text;
        return kept_ == nullptr ? empty_text : kept_->text;
    }
    // NOLINTNEXTLINE(google-explicit-constructor)
    operator const std::string&() const { return text(); }
    // NOLINTNEXTLINE(google-explicit-constructor)
    operator std::string_view() const { return text(); }
    bool empty() const { return kept_ == nullptr; }

    friend bool operator==(const SharedText& a, const SharedText& b) {
        return a.kept_ == b.kept_ || a.text() == b.text();
    }
    friend bool operator==(const SharedText& a, std::string_view b) { return a.text() == b; }
    friend bool operator==(const SharedText& a, const std::string& b) { return a.text() == b; }
    friend bool operator==(const SharedText& a, const char* b) { return a.text() == b; }

 private:
    struct Kept {
        explicit Kept(std::string kept) : text(std::move(kept)) {}
        const std::string text;
        std::atomic<std::size_t> sharers = 1;
    };
    static Kept* keep(std::string text);
    static void drop(const Kept* kept);
    Kept* kept_ = nullptr;
};

// For containers whose texts are found by a std::string_view.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Makes equal texts share their memory. Not for use by several threads.
class TextPool {
 public:
    // A text equal to `text`: the one returned for it before, or a new one.
    // Cost: O(length of the text).
    SharedText shared(std::string_view text) {
        if (text.empty()) {
            return {};
        }
        const auto known = texts_.find(text);
        return known != texts_.end() ? *known : *texts_.insert(SharedText(text)).first;
    }

 private:
    std::unordered_set<SharedText, TextHash, std::equal_to<>> texts_;
};

}  // namespace batfill
