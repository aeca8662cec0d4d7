#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <batfill/core/error.hpp>

#include "src/support/interruption.hpp"

// How C++ code enters and leaves the interpreter. While a process ends, CPython ends each thread that asks for the GIL
// by unwinding its stack, which C++ code does not survive. So no source uses nb::gil_scoped_acquire and
// nb::gil_scoped_release, and C++ code without the GIL calls Python only by call_python() and attribute().
namespace batfill::python {

namespace nb = nanobind;

// Waits until the process ends.
[[noreturn]] void wait_for_end_of_process();

// Called once, when the module is made.
void notice_end_of_python();

// Calls `call`. If CPython ends the thread meanwhile, waits until the process ends instead.
decltype(auto) surviving_end(auto call) {
    try {
        return call();
    } catch (const abi::__forced_unwind&) {
        wait_for_end_of_process();
    }
}

// Holds the GIL. In a process that ends, waits for its end instead.
class Gil {
 public:
    Gil();
    ~Gil() { PyGILState_Release(state_); }
    Gil(const Gil&) = delete;
    Gil& operator=(const Gil&) = delete;

 private:
    PyGILState_STATE state_;
};

// Gives the GIL up until the end of the scope. In a process that ends, the scope does not end.
class WithoutGil {
 public:
    WithoutGil() : thread_(PyEval_SaveThread()) {}
    ~WithoutGil();
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

 private:
    PyThreadState* thread_;
};

// Calls a function of Python.
// Throws: nb::python_error.
template <class... Arguments>
nb::object call_python(nb::handle function, const Arguments&... arguments) {
    PyObject* const result = surviving_end(
        [&] { return PyObject_CallFunctionObjArgs(function.ptr(), nb::handle(arguments).ptr()..., nullptr); });
    if (result == nullptr) {
        nb::raise_python_error();
    }
    return nb::steal(result);
}
// An attribute of an object of Python, which may be a property.
// Throws: nb::python_error.
nb::object attribute(nb::handle object, const char* name);

// The text of an exception of Python: its type, and what it says if that can be read. Throws nothing of Python.
// nb::python_error::what() does not survive an exception whose text is not UTF-8 or cannot be made: no such exception
// may reach code that catches std::exception.
std::string text_of(const nb::python_error& problem);
// A text of Python in UTF-8, with escapes for what UTF-8 cannot have. Throws nothing of Python.
std::string utf8_of(nb::handle text);
// A value as errors show it.
// Throws: nb::python_error, only for what is no Exception of Python, such as KeyboardInterrupt.
std::string shown_value(nb::handle value);
// Called after a conversion of a value has failed. Clears the exception if the conversion refuses the value.
// Throws: nb::python_error, if code that the value brings along has raised it, such as the user's own __index__().
void clear_refusal();

// The first exception of Python code that C++ code called. It is raised again, with its traceback, at the end of the
// call from Python.
class Failure {
 public:
    // Keeps the exception that is being handled, unless there is one already.
    void keep();
    // Rethrows the kept exception, if there is one. It can reach Python only once.
    void rethrow() const;
    bool is_kept() const;

 private:
    mutable std::mutex mutex_;
    std::exception_ptr first_;
};

// Calls `call`, which calls code of the scheduler `name`, with the GIL. `failure` keeps an exception of Python.
// It also keeps a UsageError, about what that code returned.
// Throws: DecisionError for an exception of Python.
auto call_scheduler(const std::string& name, Failure& failure, auto call) {
    const Gil gil;
    try {
        return call();
    } catch (const nb::python_error& problem) {
        failure.keep();
        throw DecisionError("algorithm " + name + " fails: " + text_of(problem));
    } catch (const UsageError&) {
        failure.keep();
        throw;
    }
}

// Calls `call`, and raises the exception that `failure` keeps, if there is one, instead of what `call` throws.
auto raising(const Failure& failure, auto call) {
    try {
        return call();
    } catch (...) {
        failure.rethrow();
        throw;
    }
}

// Whether Python raises an exception for a signal that has arrived, such as KeyboardInterrupt; `failure` keeps it.
// Requires: not the GIL; the thread that handles Python's signals.
bool signal_raises(Failure& failure);

// Called for each item of a long loop that holds the GIL, with its number.
// Throws: nb::python_error, if Python raises an exception for a signal.
inline void require_no_signal(std::size_t number) {
    constexpr std::size_t between_looks = 1024;
    if (number % between_looks == 0 && PyErr_CheckSignals() != 0) {
        nb::raise_python_error();
    }
}

// Looks for signals from time to time, for as long as the thread with Python's signal handlers computes.
class SignalsSeen {
 public:
    explicit SignalsSeen(Failure& failure) : failure_(failure) {}
    // Does nothing in other threads than that of the constructor.
    // Throws: Interrupted, if Python raises an exception, which the failure keeps.
    void operator()();

 private:
    Failure& failure_;
    std::thread::id thread_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Calls `call` without the GIL. Signals interrupt it where it looks for them.
auto interruptible(auto call) {
    Failure failure;
    SignalsSeen signals(failure);
    return raising(failure, [&] {
        const WithoutGil released;
        const InterruptionLook looks([&] { signals(); });
        return call();
    });
}

// An object of Python that C++ code without the GIL may copy and destroy.
using SharedObject = std::shared_ptr<nb::object>;
SharedObject share(nb::object object);

}  // namespace batfill::python
