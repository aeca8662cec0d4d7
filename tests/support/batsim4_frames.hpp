#pragma once

#include <string>
#include <vector>

// Messages as Batsim 4 writes them.
namespace batfill::tests::batsim4 {

inline std::string event(const std::string& time, const std::string& type, const std::string& data) {
    return R"({"timestamp":)" + time + R"(,"type":")" + type + R"(","data":)" + data + "}";
}

inline std::string frame(const std::string& now, const std::vector<std::string>& events) {
    std::string list;
    for (const std::string& one : events) {
        list += (list.empty() ? "" : ",") + one;
    }
    return R"({"now":)" + now + R"(,"events":[)" + list + "]}";
}

inline std::string begins_data(int processors, const std::string& scheduler_configuration = "", int first_id = 0) {
    std::string resources;
    for (int i = 0; i < processors; ++i) {
        resources += std::string(i == 0 ? "" : ",") + R"({"id":)" + std::to_string(first_id + i) + R"(,"name":"node)" +
                     std::to_string(i) + R"(","state":"idle","properties":{},"zone_properties":{}})";
    }
    std::string quoted;
    for (const char c : scheduler_configuration) {
        quoted += c == '"' ? "\\\"" : std::string(1, c);
    }
    return R"({"config":{"redis-enabled":false,"sched-config":")" + quoted + R"("},"compute_resources":[)" + resources +
           R"(],"storage_resources":[],"workloads":{"w0":"own.json"},"profiles":{"w0":{}}})";
}

inline std::string begins(int processors, const std::string& scheduler_configuration = "") {
    return frame("0", {event("0", "SIMULATION_BEGINS", begins_data(processors, scheduler_configuration))});
}

// `walltime` is the text of the field. If it is empty, the field is missing.
inline std::string submitted(const std::string& time, const std::string& id, int processors,
                             const std::string& walltime) {
    return event(time, "JOB_SUBMITTED",
                 R"({"job_id":")" + id + R"(","job":{"id":")" + id + R"(","subtime":)" + time + R"(,"res":)" +
                     std::to_string(processors) + (walltime.empty() ? "" : R"(,"walltime":)" + walltime) +
                     R"(,"profile":"p"}})");
}

inline std::string completed(const std::string& time, const std::string& id,
                             const std::string& state = "COMPLETED_SUCCESSFULLY") {
    return event(time, "JOB_COMPLETED",
                 R"({"job_id":")" + id + R"(","job_state":")" + state + R"(","return_code":0,"alloc":"0"})");
}

inline std::string killed(const std::string& time, const std::string& id) {
    return event(time, "JOB_KILLED", R"({"job_ids":[")" + id + R"("],"job_progress":{}})");
}

inline std::string call(const std::string& time) {
    return event(time, "REQUESTED_CALL", "{}");
}

inline std::string machine(const std::string& time, const std::string& change, const std::string& processors) {
    return event(time, "NOTIFY", R"({"type":"event_machine_)" + change + R"(","resources":")" + processors + R"("})");
}

}  // namespace batfill::tests::batsim4
