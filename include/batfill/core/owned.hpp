#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace batfill {

// A pointer to an object that it owns, or null. A copy owns a copy of the object: what its copy() returns, if it has
// that function, which may be null.
template <class Object>
class Owned {
 public:
    Owned() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands where the pointer would stand.
    Owned(std::unique_ptr<Object> object) : object_(std::move(object)) {}
    Owned(const Owned& other) : object_(other ? copy_of(*other) : nullptr) {}
    Owned(Owned&&) noexcept = default;
    Owned& operator=(Owned other) noexcept {
        object_ = std::move(other.object_);
        return *this;
    }
    ~Owned() = default;

    explicit operator bool() const { return object_ != nullptr; }
    Object* get() const { return object_.get(); }
    Object& operator*() const { return *object_; }
    Object* operator->() const { return object_.get(); }
    friend bool operator==(const Owned& owned, std::nullptr_t) { return owned.object_ == nullptr; }

 private:
    static std::unique_ptr<Object> copy_of(const Object& object) {
        if constexpr (requires { object.copy(); }) {
            return object.copy();
        } else {
            return std::make_unique<Object>(object);
        }
    }

    std::unique_ptr<Object> object_;
};

}  // namespace batfill
