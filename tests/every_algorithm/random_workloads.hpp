#pragma once

#include <algorithm>
#include <string>

#include <batfill/core/time.hpp>
#include <batfill/formats/workload.hpp>

#include "tests/support/machine_events.hpp"
#include "tests/support/random.hpp"
#include "tests/support/random_farm.hpp"

namespace batfill::tests {

// What makes a workload hard, besides bursts and wrong estimates.
enum class Trouble {
    none,
    odd_jobs,  // jobs that no sane user submits
    no_time,   // jobs that last 0 s or less than the 10 microseconds shown for them; and failures
    failures,  // processors fail and return; jobs on them, and jobs that no longer fit, are handled in all ways
};

// A profile that lasts 0 s or a few microseconds. Processors compute 1e9 flops per second.
inline std::string random_profile_of_no_time(Random& random) {
    const std::string microseconds = std::to_string(random.between(1, 12));
    switch (random.between(0, 4)) {
        case 0:
            return R"({"type":"delay","delay":1e-7})";
        case 1:
            return R"({"type":"delay","delay":)" + microseconds + "e-6}";
        case 2:
            return R"({"type":"parallel_homogeneous","com":0,"cpu":)" + microseconds + "e3}";
        case 3:
            return R"({"type":"parallel_homogeneous","com":0,"cpu":)" + microseconds + "}";
        default:
            return R"({"type":"parallel_homogeneous","com":0,"cpu":0})";
    }
}

// The text of a job. Half of the workloads are coarse: many events coincide.
inline std::string random_job(Random& random, int number, Duration submit, int processors, bool coarse, Trouble trouble,
                              bool farm, std::string& profiles) {
    const auto time = [&](int most) {
        return coarse ? Duration::seconds(10 * random.between(1, (most + 9) / 10))
                      : Duration::microseconds(random.between(1, most * 1000) * 1000LL);
    };
    const std::string id = std::to_string(number);
    Duration walltime = time(random.one_in(4) ? 400 : 60);
    const Duration delays[] = {walltime, walltime + time(30), time(60), time(60)};
    Duration delay = delays[random.between(0, 3)];
    int size = random.one_in(4) ? random.between(1, processors + 1) : random.between(1, (processors + 3) / 4);
    std::string more;
    if (random.one_in(3)) {
        more += R"(,"deadline":)" + (submit + walltime + time(200)).to_string();
    }
    if (trouble == Trouble::odd_jobs) {
        switch (random.between(0, 7)) {
            case 0:
                size = 0;
                break;
            case 1:
                size = 2147483646;
                break;
            case 2:
                walltime = Duration::days(36'500);
                break;
            case 3:
                walltime = Duration::microseconds(1);
                break;
            case 4:
                delay = Duration::microseconds(1);
                break;
            case 5:
                more = R"(,"deadline":-5)";
                break;
            case 6:
                more += R"(,"queue":"none such","licenses":["unheard of"],"user":"","nodes":[1,{"x":null}])";
                break;
            default:
                break;
        }
    }
    if (farm) {
        std::string licenses;
        for (const std::string& license : random_licenses(random)) {
            licenses += (licenses.empty() ? "\"" : ",\"") + license + "\"";
        }
        more += R"(,"licenses":[)" + licenses + "]";
        more += random.one_in(2) ? "" : R"(,"queue":"urgent")";
    }
    if (!random.one_in(16)) {
        more += R"(,"walltime":)" + walltime.to_string();
    }
    const std::string profile = trouble == Trouble::no_time && random.one_in(2)
                                    ? random_profile_of_no_time(random)
                                    : R"({"type":"delay","delay":)" + delay.to_string() + "}";
    profiles += (profiles.empty() ? "\"" : ",\"") + id + "\":" + profile;
    return R"({"id":")" + id + R"(","subtime":)" + submit.to_string() + R"(,"res":)" + std::to_string(size) +
           R"(,"profile":")" + id + "\"" + more + "}";
}

inline Workload random_workload(Random& random, int processors, Trouble trouble, bool farm = false) {
    const bool coarse = random.between(0, 1) == 1;
    std::string jobs;
    std::string profiles;
    Duration submit;
    for (int i = random.between(1, 40); i > 0; --i) {
        if (random.one_in(3)) {
            submit = submit + (coarse ? Duration::seconds(10 * random.between(1, 12))
                                      : Duration::microseconds(random.between(1, 120'000) * 1000LL));
        }
        jobs += (jobs.empty() ? "" : ",") +
                random_job(random, 100 + i, submit, processors, coarse, trouble, farm, profiles);
    }
    return parse_workload(R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{)" + profiles + "}}", "/random.json",
                          "w0", true);
}

// Processors fail and are repaired, alone or with their neighbours, so many may be away at once. At the end all are
// back. Half of the lists are coarse: losses and returns coincide with each other and with jobs.
inline std::string random_failures(Random& random, int processors) {
    const bool coarse = random.between(0, 1) == 1;
    const auto time = [&](int most) { return coarse ? 10 * random.between(1, most) : random.between(1, 10 * most); };
    std::string events;
    for (int first = 0; first < processors;) {
        const int last = random.between(first, std::min(first + 3, processors - 1));
        int now = 0;
        for (int i = random.between(0, 5); i > 0; --i) {
            for (const auto& change : {lost, back}) {
                now += time(15);
                events += change(std::to_string(now), std::to_string(first) + "-" + std::to_string(last));
            }
        }
        first = last + 1;
    }
    return events;
}

}  // namespace batfill::tests
