#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include <batfill/core/dependency.hpp>
#include <batfill/core/error.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/run_limits.hpp>
#include <batfill/core/shared_text.hpp>
#include <batfill/core/time.hpp>
#include <batfill/core/window.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

#include "python/src/bindings.hpp"

// What users hold as bytes, for pickle: exact, and read by any batfill with the same `packing_version`.
namespace batfill::python {

// Change it with any of the lists of members.
inline constexpr std::string_view packing_version = "batfill-6;";

// Either a value to write or one to read.
template <class Value, class Kind>
concept Is = std::same_as<std::remove_const_t<Value>, Kind>;

// The members of each kind of value.
void pack(auto& all, Is<JobProfile> auto& profile) {
    all(profile.type, profile.type_name, profile.delay, profile.cpu, profile.com, profile.return_code, profile.source,
        profile.format);
}
void pack(auto& all, Is<Dependency> auto& dependency) {
    all(dependency.kind, dependency.job, dependency.delay);
}
void pack(auto& all, Is<StatedNeeds> auto& needs) {
    all(needs.pools, needs.per_host, needs.partition, needs.after, needs.begin, needs.array, needs.array_limit,
        needs.booking, needs.wrong_booking);
}
void pack(auto& all, Is<JobDescription> auto& job) {
    all(job.id, job.submit, job.processors, job.walltime, job.deadline, job.queue, job.user, job.licenses, job.profile,
        job.needs, job.other_fields);
}
void pack(auto& all, Is<WorkloadJob> auto& job) {
    all(job.description, job.source);
}
void pack(auto& all, Is<Workload> auto& workload) {
    all(workload.name, workload.path, workload.processors, workload.believes_walltimes, workload.jobs,
        workload.profiles, workload.format, workload.more_than_log, workload.origin);
}
void pack(auto& all, Is<Origin> auto& origin) {
    all(origin.since_1970, origin.time_zone);
}
void pack(auto& all, Is<Host> auto& host) {
    all(host.name, host.speed, host.properties, host.zone_properties, host.pstate_speeds, host.pstate);
}
void pack(auto& all, Is<Window> auto& window) {
    all(window.name, window.from, window.until, window.announced, window.running, window.booked_for, window.place,
        window.all_hosts, window.hosts, window.processors, window.pools);
}
void pack(auto& all, Is<Limit> auto& limit) {
    all(limit.of, limit.values, limit.most, limit.line, limit.place);
}
void pack(auto& all, Is<Platform> auto& platform) {
    all(platform.hosts, platform.windows, platform.limits);
}
void pack(auto& all, Is<ExternalEvent> auto& event) {
    all(event.time, event.kind, event.processors, event.type, event.other_fields);
}
void pack(auto& all, Is<ExecutionRecord> auto& execution) {
    all(execution.start, execution.length, execution.finish, execution.wait, execution.turnaround);
}
void pack(auto& all, Is<ScheduledJob> auto& job) {
    all(job.id, job.submit, job.walltime, job.execution, job.stretch, job.allocation, job.profile, job.metadata,
        job.processors, job.state, job.success, job.cores);
}
void pack(auto& all, Is<Schedule> auto& schedule) {
    all(schedule.path, schedule.jobs);
}
void pack(auto& all, Is<RunLimits> auto& limits) {
    all(limits.launch_delay, limits.over_time_limit, limits.timeout_check, limits.checks_from);
}
void pack(auto& all, Is<Guarantee> auto& guarantee) {
    all(guarantee.job_id, guarantee.guaranteed_start, guarantee.actual_start);
}
void pack(auto& all, Is<EligibleTime> auto& job) {
    all(job.job_id, job.eligible);
}
void pack(auto& all, Is<BrokenGuarantee> auto& broken) {
    all(broken.job_id, broken.lost_at, broken.guaranteed_start, broken.new_start, broken.cause, broken.window);
}

// Values of which all bytes count.
template <class Value>
concept Plain = std::is_arithmetic_v<Value> || std::is_enum_v<Value> || std::same_as<Value, Duration> ||
    std::same_as<Value, Time> || std::same_as<Value, ResourceSet::Interval> ||
    std::same_as<Value, SmallOptional<Duration>> || std::same_as<Value, SmallOptional<Time>>;

// Of packed bytes, at their end. Nothing checks the values that are read.
using Checksum = std::uint32_t;
inline Checksum checksum_of(std::string_view bytes) {
    return static_cast<Checksum>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Appends values to a text, and a checksum at the end.
class Packer {
 public:
    void operator()(const auto&... values) { (write(values), ...); }
    std::string take() {
        write(checksum_of(text_));
        return std::move(text_);
    }

 private:
    template <Plain Value>
    void write(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void write(const std::string& text) {
        write(text.size());
        text_ += text;
    }
    void write(const SharedText& text) { write(text.text()); }
    void write(const ResourceSet& set) { write(set.intervals()); }
    template <class Value>
    void write(const std::optional<Value>& value) {
        write(value.has_value());
        if (value) {
            write(*value);
        }
    }
    template <class Value>
    void write(const Shared<Value>& value) {
        write(value ? std::optional(*value) : std::nullopt);
    }
    template <class First, class Second>
    void write(const std::pair<First, Second>& pair) {
        write(pair.first);
        write(pair.second);
    }
    template <class Value>
    void write(const std::vector<Value>& values) {
        write_all(values);
    }
    template <class Key, class Value>
    void write(const std::map<Key, Value>& values) {
        write_all(values);
    }
    void write_all(const auto& values) {
        write(values.size());
        for (const auto& value : values) {
            look_for_interruption();
            write(value);
        }
    }
    void write(const auto& value) { pack(*this, value); }

    std::string text_{packing_version};
};

// Reads the values of a Packer.
// Throws: InputError for other bytes than take() gave.
class Unpacker {
 public:
    explicit Unpacker(std::string_view text) : text_(text) {
        refuse_if<InputError>(!text_.starts_with(packing_version),
                              "pickle: expected one of this version of batfill, found one of another");
        if (text_.size() < packing_version.size() + sizeof(Checksum)) {
            fail();
        }
        const std::string_view packed = text_.substr(0, text_.size() - sizeof(Checksum));
        Checksum checksum = 0;
        std::memcpy(&checksum, packed.data() + packed.size(), sizeof checksum);
        if (checksum != checksum_of(packed)) {
            fail();
        }
        text_ = packed.substr(packing_version.size());
    }
    void operator()(auto&... values) { (read(values), ...); }
    // Throws: InputError unless everything has been read.
    void require_end() const {
        if (!text_.empty()) {
            fail();
        }
    }

 private:
    [[noreturn]] static void fail() { throw InputError("pickle: expected one of batfill, found other bytes"); }
    std::string_view bytes(std::size_t size) {
        if (size > text_.size()) {
            fail();
        }
        const std::string_view taken = text_.substr(0, size);
        text_.remove_prefix(size);
        return taken;
    }
    template <Plain Value>
    void read(Value& value) {
        std::memcpy(static_cast<void*>(&value), bytes(sizeof value).data(), sizeof value);
    }
    void read(bool& value) { value = bytes(1).front() != 0; }
    std::string_view read_text() {
        std::size_t size = 0;
        read(size);
        return bytes(size);
    }
    void read(std::string& text) { text = read_text(); }
    void read(SharedText& text) { text = texts_.shared(read_text()); }
    void read(ResourceSet& set) {
        std::vector<ResourceSet::Interval> intervals;
        read(intervals);
        for (const ResourceSet::Interval interval : intervals) {
            set.insert(ResourceSet::range(interval.first, interval.last));
        }
    }
    template <class Value>
    void read(std::optional<Value>& value) {
        bool has_value = false;
        read(has_value);
        if (has_value) {
            read(value.emplace());
        }
    }
    template <class Value>
    void read(Shared<Value>& value) {
        std::optional<Value> held;
        read(held);
        value = held ? Shared<Value>(std::move(*held)) : Shared<Value>();
    }
    template <class First, class Second>
    void read(std::pair<First, Second>& pair) {
        read(pair.first);
        read(pair.second);
    }
    template <class Value>
    void read(std::vector<Value>& values) {
        std::size_t size = 0;
        read(size);
        for (std::size_t i = 0; i < size; ++i) {
            look_for_interruption();
            read(values.emplace_back());
        }
    }
    template <class Key, class Value>
    void read(std::map<Key, Value>& values) {
        std::size_t size = 0;
        read(size);
        for (std::size_t i = 0; i < size; ++i) {
            Key key{};
            read(key);
            read(values[std::move(key)]);
        }
    }
    void read(auto& value) { pack(*this, value); }

    std::string_view text_;
    TextPool texts_;
};

inline void pack(Packer& all, const Jobs& jobs) {
    all(*jobs.workload);
}
inline void pack(Unpacker& all, Jobs& jobs) {
    Workload workload;
    all(workload);
    jobs = keep(std::move(workload));
}

std::string packed(const auto&... values) {
    Packer packer;
    packer(values...);
    return packer.take();
}

// Throws: InputError for other bytes than packed() gave.
void unpack(std::string_view text, auto&... values) {
    Unpacker unpacker(text);
    unpacker(values...);
    unpacker.require_end();
}

inline std::string_view view_of(const nb::bytes& bytes) {
    return {bytes.c_str(), bytes.size()};
}

inline nb::bytes bytes_of(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

// Binds __getstate__ and __setstate__ to a class of which `parts_of` gives what can be packed.
template <class Held, class Class>
void bind_pickling(Class& bound, auto parts_of) {
    using Parts = std::remove_cvref_t<decltype(parts_of(std::declval<const Held&>()))>;
    bound
        .def(
            "__getstate__",
            [parts_of](const Held& held) {
                const auto& parts = parts_of(held);
                return bytes_of(interruptible([&] { return packed(parts); }));
            },
            nb::sig("def __getstate__(self) -> bytes"))
        .def(
            "__setstate__",
            [](Held& place, const nb::bytes& state) {
                const std::string_view text = view_of(state);
                new (&place) Held(interruptible([&] {
                    Parts parts{};
                    unpack(text, parts);
                    return parts;
                }));
            },
            nb::sig("def __setstate__(self, state: bytes) -> None"));
}

// The same, and the functions of `copy`, for a class whose objects never change.
template <class Held, class Class>
void bind_packing(Class& bound) {
    bind_pickling<Held>(bound, [](const Held& held) -> const Held& { return held; });
    bound.def("__copy__", [](nb::handle self) { return nb::borrow(self); })
        .def(
            "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, nb::arg("memo"),
            nb::sig("def __deepcopy__(self, memo: object) -> object"));
}

}  // namespace batfill::python
