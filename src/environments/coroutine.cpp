#include "src/environments/coroutine.hpp"

#include <cassert>
#include <memory>
#include <utility>

#include <boost/context/protected_fixedsize_stack.hpp>

// AddressSanitizer must know which stack is in use. In programs without it these functions do not exist.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake, const void** bottom, std::size_t* size);
}

namespace batfill::environments {

namespace {

constexpr std::size_t stack_size = std::size_t{256} << 10;

// What unwinds the stack of a coroutine that is abandoned.
struct Abandoned {};

void leave_for(const void* bottom, std::size_t size, void** fake) {
    if (__sanitizer_start_switch_fiber != nullptr) {
        __sanitizer_start_switch_fiber(fake, bottom, size);
    }
}

void arrive_from(const void*& bottom, std::size_t& size, void* fake) {
    if (__sanitizer_finish_switch_fiber != nullptr) {
        __sanitizer_finish_switch_fiber(fake, &bottom, &size);
    }
}

}  // namespace

void Coroutine::Suspended::resume() {
    void* fake = nullptr;
    leave_for(bottom, size, &fake);
    place = std::move(place).resume();
    arrive_from(bottom, size, fake);
}

Coroutine::Coroutine(std::function<void(Coroutine&)> body) {
    boost::context::protected_fixedsize_stack allocator(stack_size);
    const boost::context::stack_context stack = allocator.allocate();
    body_.bottom = static_cast<char*>(stack.sp) - stack.size;
    body_.size = stack.size;
    body_.place = boost::context::fiber(std::allocator_arg, {stack.sp, stack.size, stack}, allocator,
                                        [this, body = std::move(body)](boost::context::fiber&& caller) {
                                            caller_.place = std::move(caller);
                                            arrive_from(caller_.bottom, caller_.size, nullptr);
                                            try {
                                                if (!is_abandoned_) {
                                                    body(*this);
                                                }
                                            } catch (...) {
                                                problem_ = std::current_exception();
                                            }
                                            leave_for(caller_.bottom, caller_.size, nullptr);
                                            return std::move(caller_.place);
                                        });
}

Coroutine::~Coroutine() {
    if (body_.place) {
        is_abandoned_ = true;
        body_.resume();
        assert(!body_.place);
    }
}

bool Coroutine::resume() {
    assert(body_.place);
    body_.resume();
    if (problem_) {
        std::rethrow_exception(std::exchange(problem_, nullptr));
    }
    return static_cast<bool>(body_.place);
}

void Coroutine::suspend() {
    caller_.resume();
    if (is_abandoned_) {
        throw Abandoned();
    }
}

}  // namespace batfill::environments
