#include "coroutine.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <new>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// g++ names its sanitizers by macros, clang by features. Only without them, and only g++, jumps between stacks.
#if defined(__SANITIZE_ADDRESS__)
#define BATFILL_ADDRESS_SANITIZER
#elif defined(__clang__)
#if __has_feature(address_sanitizer)
#define BATFILL_ADDRESS_SANITIZER
#endif
#elif !defined(__SANITIZE_THREAD__)
#define BATFILL_JUMPS
#endif
#if defined(BATFILL_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

namespace batfill::environments {

namespace {

constexpr std::size_t stack_size = std::size_t{256} << 10;

// The coroutine whose body begins now: makecontext() passes integers only.
thread_local Coroutine* beginning = nullptr;

#if defined(BATFILL_JUMPS)
// A place to jump back to. swapcontext() would also save the signal mask, which takes two calls of the kernel.
using Place = std::array<void*, 5>;

// The compiler requires that the jump is in another function than the place. It must assume that these functions change
// all registers that a function may change.
[[gnu::noipa, noreturn]] void jump(Place& to) {
    __builtin_longjmp(to.data(), 1);
}

// Returns when somebody jumps back to `from`.
[[gnu::noipa]] void jump_and_return(Place& from, Place& to) {
    if (__builtin_setjmp(from.data()) == 0) {
        jump(to);
    }
}

[[gnu::noipa]] void begin_and_return(Place& from, const ucontext_t& to) {
    if (__builtin_setjmp(from.data()) == 0) {
        setcontext(&to);
    }
}
#endif

}  // namespace

// Where the body and its caller stand, and the body's stack, which ends in a page that nobody may touch.
struct Coroutine::Contexts {
    Contexts() {
        guard = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        memory =
            mmap(nullptr, guard + stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::bad_alloc();
        }
        if (mprotect(memory, guard, PROT_NONE) != 0) {
            const int problem = errno;
            munmap(memory, guard + stack_size);
            throw std::system_error(problem, std::generic_category());
        }
    }
    Contexts(const Contexts&) = delete;
    Contexts& operator=(const Contexts&) = delete;
    ~Contexts() { munmap(memory, guard + stack_size); }

    // Switches from one to the other. AddressSanitizer must know which stack is in use.
    void switch_to_body() {
#if defined(BATFILL_ADDRESS_SANITIZER)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, static_cast<char*>(memory) + guard, stack_size);
        swapcontext(&caller, &body);
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#elif defined(BATFILL_JUMPS)
        if (has_body_place) {
            jump_and_return(caller_place, body_place);
        } else {
            begin_and_return(caller_place, body);
        }
#else
        swapcontext(&caller, &body);
#endif
    }
    void switch_to_caller([[maybe_unused]] bool for_ever) {
#if defined(BATFILL_ADDRESS_SANITIZER)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(for_ever ? nullptr : &fake, caller_stack, caller_stack_size);
        swapcontext(&body, &caller);
        __sanitizer_finish_switch_fiber(fake, &caller_stack, &caller_stack_size);
#elif defined(BATFILL_JUMPS)
        has_body_place = true;
        jump_and_return(body_place, caller_place);
#else
        swapcontext(&body, &caller);
#endif
    }

    ucontext_t body{};
#if defined(BATFILL_JUMPS)
    Place body_place{};
    Place caller_place{};
    bool has_body_place = false;
#else
    ucontext_t caller{};
#endif
    std::size_t guard = 0;
    void* memory = nullptr;
    const void* caller_stack = nullptr;
    std::size_t caller_stack_size = 0;
};

Coroutine::Coroutine(std::function<void(Coroutine&)> body)
    : body_(std::move(body)), contexts_(std::make_unique<Contexts>()) {
    getcontext(&contexts_->body);
    contexts_->body.uc_stack.ss_sp = static_cast<char*>(contexts_->memory) + contexts_->guard;
    contexts_->body.uc_stack.ss_size = stack_size;
    contexts_->body.uc_link = nullptr;
    makecontext(&contexts_->body, &Coroutine::enter, 0);
}

Coroutine::~Coroutine() {
    if (has_begun_ && !has_ended_) {
        is_abandoned_ = true;
        contexts_->switch_to_body();
        assert(has_ended_);
    }
}

void Coroutine::enter() {
    Coroutine* const self = beginning;
#if defined(BATFILL_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(nullptr, &self->contexts_->caller_stack, &self->contexts_->caller_stack_size);
#endif
    try {
        self->body_(*self);
    } catch (const Abandoned&) {
        // Nobody waits for a result.
    } catch (...) {
        self->problem_ = std::current_exception();
    }
    self->has_ended_ = true;
    self->contexts_->switch_to_caller(true);
}

bool Coroutine::resume() {
    assert(!has_ended_);
    has_begun_ = true;
    beginning = this;
    contexts_->switch_to_body();
    if (problem_) {
        std::rethrow_exception(std::exchange(problem_, nullptr));
    }
    return !has_ended_;
}

void Coroutine::suspend() {
    contexts_->switch_to_caller(false);
    if (is_abandoned_) {
        throw Abandoned();
    }
}

}  // namespace batfill::environments
