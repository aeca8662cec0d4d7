#include "python/src/interpreter.hpp"

#include <atomic>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace batfill::python {

namespace {

// Whether Python has ended. Until then, its main thread may use it.
std::atomic<bool> has_ended = false;

// The text, or nothing if Python cannot make it.
std::string text_or_empty(PyObject* text) {
    const nb::object owned = nb::steal(text);
    const nb::object bytes =
        owned ? nb::steal(PyUnicode_AsEncodedString(owned.ptr(), "utf-8", "backslashreplace")) : nb::object();
    if (!bytes) {
        PyErr_Clear();
        return {};
    }
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

// The name of the type of a value.
std::string name_of_type(nb::handle value) {
    const std::string_view name = Py_TYPE(value.ptr())->tp_name;
    return std::string(name.substr(name.rfind('.') + 1));
}

}  // namespace

void wait_for_end_of_process() {
    while (true) {
        pause();
    }
}

Gil::Gil() {
    const bool ends = Py_IsInitialized() == 0;
    if (has_ended || (ends && PyGILState_Check() == 0)) {
        wait_for_end_of_process();
    }
    state_ = surviving_end([] { return PyGILState_Ensure(); });
}

WithoutGil::~WithoutGil() {
    surviving_end([&] { PyEval_RestoreThread(thread_); });
}

void notice_end_of_python() {
    Py_AtExit([] { has_ended = true; });
}

nb::object attribute(nb::handle object, const char* name) {
    PyObject* const result = surviving_end([&] { return PyObject_GetAttrString(object.ptr(), name); });
    if (result == nullptr) {
        nb::raise_python_error();
    }
    return nb::steal(result);
}

std::string text_of(const nb::python_error& problem) {
    const std::string what = text_or_empty(PyObject_Str(problem.value().ptr()));
    return name_of_type(problem.value()) + (what.empty() ? "" : ": " + what);
}

std::string utf8_of(nb::handle text) {
    // No __str__() of a class of the user's: a text is itself.
    return text_or_empty(PyUnicode_Check(text.ptr()) != 0 ? nb::borrow(text).release().ptr()
                                                          : PyObject_Str(text.ptr()));
}

std::string shown_value(nb::handle value) {
    PyObject* const shown = PyObject_Repr(value.ptr());
    if (shown == nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) {
        nb::raise_python_error();
    }
    const std::string text = text_or_empty(shown);
    return text.empty() ? "a value of type " + name_of_type(value) : text;
}

void clear_refusal() {
    if (PyErr_Occurred() == nullptr) {
        return;
    }
    nb::python_error problem;  // takes it
    const bool is_of_kind =
        problem.matches(PyExc_TypeError) || problem.matches(PyExc_ValueError) || problem.matches(PyExc_OverflowError);
    // Without a traceback no code in Python has run.
    const bool refuses =
        is_of_kind && (!problem.traceback().is_valid() ||
                       nb::cast<bool>(call_python(attribute(nb::module_::import_("batfill._arguments"), "is_refusal"),
                                                  problem.value())));
    if (!refuses) {
        throw std::move(problem);
    }
}

void Failure::keep() {
    const std::lock_guard lock(mutex_);
    if (!first_) {
        first_ = std::current_exception();
    }
}

void Failure::rethrow() const {
    const std::lock_guard lock(mutex_);
    if (first_) {
        std::rethrow_exception(first_);
    }
}

bool Failure::is_kept() const {
    const std::lock_guard lock(mutex_);
    return first_ != nullptr;
}

bool signal_raises(Failure& failure) {
    const Gil gil;
    try {
        if (surviving_end([] { return PyErr_CheckSignals(); }) != 0) {
            throw nb::python_error();
        }
    } catch (const nb::python_error&) {
        failure.keep();
        return true;
    }
    return false;
}

void SignalsSeen::operator()() {
    constexpr std::chrono::milliseconds between_looks{20};
    if (std::this_thread::get_id() != thread_) {
        return;
    }
    if (const auto now = std::chrono::steady_clock::now(); now - last_ >= between_looks) {
        last_ = now;
        if (signal_raises(failure_)) {
            throw Interrupted();
        }
    }
}

SharedObject share(nb::object object) {
    return {new nb::object(std::move(object)), [](nb::object* shared) {
                if (has_ended) {
                    return;
                }
                const Gil gil;
                delete shared;
            }};
}

}  // namespace batfill::python
