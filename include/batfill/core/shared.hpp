#pragma once

#include <memory>
#include <utility>

namespace batfill {

// A value that never changes and that copies share; or nothing.
// Cost: O(1) to copy.
template <class Value>
class Shared {
 public:
    Shared() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): as std::optional
    Shared(Value value) : value_(std::make_shared<const Value>(std::move(value))) {}
    explicit operator bool() const { return value_ != nullptr; }
    const Value& operator*() const { return *value_; }
    const Value* operator->() const { return value_.get(); }
    friend bool operator==(const Shared& a, const Shared& b) {
        return a.value_ == b.value_ || (a.value_ && b.value_ && *a.value_ == *b.value_);
    }

 private:
    std::shared_ptr<const Value> value_;
};

}  // namespace batfill
