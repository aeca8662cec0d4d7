#include <cstdint>
#include <map>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/run_time_predictor.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/round_view.hpp"
#include "src/choice/named_scheduler.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

// Deletes a round without the GIL's owner knowing: its cache holds an object.
SharedRound make_round() {
    return {new RoundView, [](RoundView* view) {
                const Gil gil;
                delete view;
            }};
}

nb::object base_class() {
    return nb::module_::import_("batfill._scheduler").attr("Scheduler");
}

// Whether the class of the scheduler has its own function of this name.
bool implements(nb::handle scheduler, const char* function) {
    return !attribute(scheduler.type(), function).is(attribute(base_class(), function));
}

// The counts that statistics() returned.
// Throws: UsageError, which shows the entry, for others.
std::vector<Statistic> statistics_of(nb::handle counts, const std::string& name) {
    const auto refuse = [&](const std::string& found) {
        throw UsageError("statistics() of " + name + ": expected a dict of names and whole numbers from 0, found " +
                         found);
    };
    if (!nb::isinstance<nb::dict>(counts)) {
        refuse(shown_value(counts));
    }
    std::map<std::string, std::uint64_t> read;
    for (const auto& [key, value] : entries_of(nb::borrow<nb::dict>(counts))) {
        const bool is_text = nb::isinstance<nb::str>(key) && PyUnicode_AsUTF8(key.ptr()) != nullptr;
        const nb::object number = is_text ? nb::steal(PyNumber_Index(value.ptr())) : nb::object();
        const unsigned long long count = number ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
        if (!number || PyErr_Occurred() != nullptr) {
            clear_refusal();
            refuse(shown_value(value) + " for " + shown_value(key));
        }
        read[utf8_of(key)] = count;
    }
    return mapped(read, [](const auto& count) { return Statistic{count.first, count.second}; });
}

// A deep copy of the scheduler.
// Throws: UsageError if it has what cannot be copied, and if its own way to copy makes no scheduler.
SharedObject copy_of(nb::handle scheduler, const std::string& name) {
    try {
        const nb::object copy = call_python(attribute(nb::module_::import_("copy"), "deepcopy"), scheduler);
        if (!nb::isinstance(copy, base_class())) {
            throw UsageError(name + ": its deep copy is " + shown_value(copy) +
                             ", expected an instance of batfill.Scheduler");
        }
        return share(copy);
    } catch (const nb::python_error& problem) {
        const std::string text = utf8_of(problem.value());
        refuse_if(problem.matches(PyExc_TypeError) && text.starts_with("cannot pickle "), name,
                  " cannot be copied for each replay: ", text);
        throw;
    }
}

// The algorithm that asks an object of Python.
class PythonAlgorithm : public Algorithm {
 public:
    PythonAlgorithm(SharedObject scheduler, std::string name, std::shared_ptr<Failure> failure,
                    std::shared_ptr<std::atomic<bool>> stop)
        : scheduler_(std::move(scheduler)),
          name_(std::move(name)),
          failure_(std::move(failure)),
          stop_(std::move(stop)),
          view_(make_round()) {
        call_scheduler(name_, *failure_, [&] {
            decide_ = share(attribute(*scheduler_, "decide"));
            round_ = share(nb::cast(view_));
            registers_jobs_ = implements(*scheduler_, "registers_jobs");
            reuses_profiles_ = answer("reuses_profiles");
            understands_resources_ = answer("understands_resources");
            switches_processors_ = answer("switches_processors");
            gives_guarantees_ = answer("gives_guarantees");
        });
    }

    void begin(Round& round) override {
        in_round(round, [&] {
            call_python(attribute(*scheduler_, "begin"), *round_);
            ask_for_registrations();
        });
    }
    void completed(Round&, std::span<const Completion> completions) override { view_->note_ended(completions); }
    void machine_changed(Round&, std::span<const Completion> completions) override { view_->note_ended(completions); }
    void withdrawn(const SchedulerState& state, JobIndex job) override {
        if (has_completed(state.job(job).state)) {
            view_->note_ended(job);
        }
    }
    void decide(Round& round) override {
        in_round(round, [&] {
            call_python(*decide_, *round_);
            ask_for_registrations();
        });
    }
    bool registers_jobs() const override { return registers_jobs_; }
    bool reuses_profiles() const override { return reuses_profiles_; }
    bool understands_resources() const override { return understands_resources_; }
    bool switches_processors() const override { return switches_processors_; }
    bool gives_guarantees() const override { return gives_guarantees_; }
    // What was promised, which the engine keeps.
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override {
        const Time promised = state.job(job).guaranteed_start;
        return promised.is_infinite() ? std::nullopt : std::optional(promised);
    }
    Time next_wake(Time after) const override { return view_->next_wake(after); }
    std::vector<Statistic> statistics() const override {
        return call_scheduler(name_, *failure_, [&] {
            const nb::object counts = call_python(attribute(*scheduler_, "statistics"));
            return statistics_of(counts, name_);
        });
    }

 private:
    // The round is open to Python until the end of the scope.
    class OpenRound {
     public:
        OpenRound(RoundView& view, Round& round) : view_(view) {
            view_.open(round);
            view_.forget_wakes();
        }
        ~OpenRound() { view_.close(); }
        OpenRound(const OpenRound&) = delete;
        OpenRound& operator=(const OpenRound&) = delete;

     private:
        RoundView& view_;
    };

    // What a function without arguments returns, or an attribute in its place.
    bool answer(const char* question) const {
        nb::object answer = attribute(*scheduler_, question);
        if (PyCallable_Check(answer.ptr()) != 0) {
            answer = call_python(answer);
        }
        const int truth = surviving_end([&] { return PyObject_IsTrue(answer.ptr()); });
        if (truth < 0) {
            nb::raise_python_error();
        }
        return truth != 0;
    }
    // Before begin() the state of the scheduler may be that of an earlier run, so nobody asks it.
    void ask_for_registrations() {
        if (registers_jobs_) {
            registers_jobs_ = answer("registers_jobs");
        }
    }

    void in_round(Round& round, auto call) {
        if (stop_ && *stop_) {
            throw Interrupted();
        }
        call_scheduler(name_, *failure_, [&] {
            const OpenRound open(*view_, round);
            call();
        });
    }

    SharedObject scheduler_;
    std::string name_;
    std::shared_ptr<Failure> failure_;
    std::shared_ptr<std::atomic<bool>> stop_;
    SharedRound view_;
    SharedObject decide_;
    SharedObject round_;
    bool registers_jobs_ = false;  // it may still
    bool reuses_profiles_ = false;
    bool understands_resources_ = false;
    bool switches_processors_ = false;
    bool gives_guarantees_ = false;
};

}  // namespace

std::shared_ptr<const AlgorithmDescription> algorithm_of(const nb::object& scheduler, const std::string& name,
                                                         bool copies, const std::shared_ptr<Failure>& failure,
                                                         const std::shared_ptr<std::atomic<bool>>& stop) {
    AlgorithmDescription description;
    description.name = name;
    description.summary = "a scheduler in Python";
    description.parameters = RunTimePredictor::parameters();
    description.placements.push_back(Placement::machine);
    description.make = [shared = share(scheduler), name, failure, stop, copies](const Parameters&) {
        SharedObject own = shared;
        if (copies) {
            own = call_scheduler(name, *failure, [&] { return copy_of(*shared, name); });
        }
        return std::make_unique<PythonAlgorithm>(std::move(own), name, failure, stop);
    };
    return std::make_shared<const AlgorithmDescription>(with_common_parameters(std::move(description)));
}

WrittenScheduler written_scheduler(const nb::object& scheduler, const std::string& name,
                                   const Parameters::Given& parameters, bool copies,
                                   const std::shared_ptr<Failure>& failure) {
    WrittenScheduler written;
    written.algorithm = name;
    if (nb::isinstance<nb::str>(scheduler)) {
        written = read_choice(utf8_of(scheduler), {});
    } else {
        written.own = algorithm_of(scheduler, name, copies, failure, nullptr);
    }
    add_parameters(written, parameters, "a keyword");
    return written;
}

}  // namespace batfill::python
