#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <spdlog/spdlog.h>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>
#include <batfill/version.hpp>

#include "python/src/bindings.hpp"
#include "python/src/elsewhere.hpp"
#include "python/src/machines.hpp"
#include "src/formats/named_platform.hpp"
#include "src/program/program.hpp"
#include "src/server/server.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

void run_in_background(const std::function<void()>& call, const std::function<void(std::thread&)>& stop,
                       Failure& failure) {
    constexpr std::chrono::milliseconds between_looks{20};
    std::mutex mutex;  // guards `ended`
    std::condition_variable end;
    bool ended = false;
    std::exception_ptr problem;
    {
        const WithoutGil released;
        std::thread worker([&] {
            sigset_t stops;  // those of the process are for Python; `stop` may send this thread some
            sigemptyset(&stops);
            sigaddset(&stops, SIGINT);
            sigaddset(&stops, SIGTERM);
            pthread_sigmask(SIG_BLOCK, &stops, nullptr);
            try {
                call();
            } catch (...) {
                problem = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            ended = true;
            end.notify_one();
        });
        std::unique_lock lock(mutex);
        while (!end.wait_for(lock, between_looks, [&] { return ended; })) {
            lock.unlock();
            if (signal_raises(failure)) {
                stop(worker);
            }
            lock.lock();
        }
        lock.unlock();
        worker.join();
    }
    failure.rethrow();
    if (problem) {
        std::rethrow_exception(problem);
    }
}

void Background::require_not_stopped() const {
    if (*stop) {
        throw Interrupted();
    }
}

std::function<void(std::size_t, std::size_t)> Background::reporting_to(const nb::object& progress) const {
    if (progress.is_none()) {
        return [](std::size_t, std::size_t) {};
    }
    return [progress = share(progress), failure = failure, stop = stop](std::size_t done, std::size_t total) {
        const Gil gil;
        try {
            call_python(*progress, nb::int_(done), nb::int_(total));
        } catch (const nb::python_error&) {
            failure->keep();
            *stop = true;
        }
    };
}

void Background::run(const std::function<void()>& call) {
    run_in_background(
        [&] {
            const InterruptionLook looks([this] { require_not_stopped(); });
            call();
        },
        [this](std::thread&) { *stop = true; }, *failure);
}

void Background::run_here(const std::function<void()>& call) {
    SignalsSeen signals(*failure);
    raising(*failure, [&] {
        const WithoutGil released;
        const InterruptionLook looks([&] { signals(); });
        call();
    });
    failure->rethrow();
}

unsigned threads_of(unsigned threads) {
    return threads != 0 ? std::min(threads, 1024U) : std::max(1U, std::thread::hardware_concurrency());
}

void bind_errors(nb::module_& module) {
    static nb::object error = nb::exception<std::runtime_error>(module, "Error");
    error.attr("__doc__") = "Base class of batfill's errors. The text is the line that the program would print.";
    static nb::object usage = nb::exception<UsageError>(module, "UsageError", error);
    usage.attr("__doc__") = "An unknown name, or a wrong value of an argument or parameter.";
    static nb::object input = nb::exception<InputError>(module, "InputError", error);
    input.attr("__doc__") =
        "Data that cannot be used: a file, a row of a table, a job; also jobs that a scheduler never starts.";
    static nb::object decision = nb::exception<DecisionError>(module, "DecisionError", error);
    // Of a value from Python whose kind nobody checked.
    nb::register_exception_translator([](const std::exception_ptr& problem, void*) {
        try {
            std::rethrow_exception(problem);
        } catch (const std::bad_cast&) {
            if (PyErr_Occurred() == nullptr) {
                PyErr_SetString(PyExc_TypeError, "a value of another kind is expected");
            }
        }
    });
    decision.attr("__doc__") = "A scheduler decided what the machine cannot do. Nothing has changed.";
}

}  // namespace batfill::python

NB_MODULE(_core, module) {
    using namespace batfill;
    nanobind::set_leak_warnings(false);
    spdlog::set_level(spdlog::level::off);
    python::notice_end_of_python();
    module.attr("version") = version;
    module.attr("DEFAULT_TAU") = default_tau.to_seconds();
    module.attr("DEFAULT_SHORT_DEADLINE") = default_short_deadline.to_seconds();
    module.attr("DEFAULT_ENDPOINT") = ServerOptions().endpoint;
    module.def(
        "add_platform_folder", [](const python::FileName& folder) { add_platform_folder(folder); },
        nanobind::arg("folder"));
    module.def(
        "run_program",
        [](const std::vector<python::FileName>& arguments) {
            spdlog::set_level(spdlog::level::info);
            return run_program(mapped(arguments, &python::FileName::text));
        },
        nanobind::arg("arguments"));
    python::bind_errors(module);
    python::bind_workloads(module);
    python::bind_tables(module);
    python::bind_machines(module);
    python::bind_runs(module);
    python::bind_rounds(module);
    python::bind_charts(module);
    python::bind_comparisons(module);
    python::bind_campaigns(module);
    python::bind_elsewhere(module);
    python::bind_environments(module);
}
