#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace batfill::python {

namespace nb = nanobind;

// Numbers that become a NumPy array. Their memory comes from arrays that Python has released, if there are any: to get
// as much from the system costs more than a step.
template <class Value>
class Arrays {
 public:
    using Memory = std::unique_ptr<Value[]>;
    explicit Arrays(std::size_t size) : free_(std::make_shared<Free>()), size_(size) {}

    Memory take() {
        if (free_->empty()) {
            return std::make_unique_for_overwrite<Value[]>(size_);
        }
        Memory taken = std::move(free_->back());
        free_->pop_back();
        return taken;
    }
    template <class... Sizes>
    nb::object give(Memory memory, Sizes... sizes) const {
        auto lent = std::make_unique<Lent>(Lent{std::move(memory), free_});
        Value* const values = lent->memory.get();
        const nb::capsule owner(lent.release(), [](void* all) noexcept {
            const std::unique_ptr<Lent> back(static_cast<Lent*>(all));
            back->free->push_back(std::move(back->memory));
        });
        return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<sizeof...(Sizes)>>(values, {sizes...}, owner));
    }

 private:
    using Free = std::vector<Memory>;
    struct Lent {
        Memory memory;
        std::shared_ptr<Free> free;
    };

    std::shared_ptr<Free> free_;  // the GIL guards it
    std::size_t size_;
};

}  // namespace batfill::python
