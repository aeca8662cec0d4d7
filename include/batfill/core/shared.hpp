#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace batfill {

// A value that never changes and that copies share; or nothing. It takes 8 bytes: a million jobs have one. Several
// threads may use copies.
// Cost: O(1) to copy.
template <class Value>
class Shared {
 public:
    Shared() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): as std::optional
    Shared(Value value) : kept_(new Kept{std::move(value)}) {}
    Shared(const Shared& other) noexcept : kept_(other.kept_) {
        if (kept_ != nullptr) {
            kept_->sharers.fetch_add(1, std::memory_order_relaxed);
        }
    }
    Shared(Shared&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
    Shared& operator=(Shared other) noexcept {
        std::swap(kept_, other.kept_);
        return *this;
    }
    ~Shared() {
        if (kept_ != nullptr && kept_->sharers.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete kept_;
        }
    }
    explicit operator bool() const { return kept_ != nullptr; }
    const Value& operator*() const { return kept_->value; }
    const Value* operator->() const { return &kept_->value; }
    friend bool operator==(const Shared& a, const Shared& b) {
        return a.kept_ == b.kept_ || (a.kept_ != nullptr && b.kept_ != nullptr && *a == *b);
    }

 private:
    struct Kept {
        const Value value;
        std::atomic<std::size_t> sharers{1};
    };
    Kept* kept_ = nullptr;
};

}  // namespace batfill
