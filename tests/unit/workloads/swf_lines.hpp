#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <batfill/workloads/swf_conversion.hpp>

// Logs in the Standard Workload Format, line by line.
namespace batfill::tests::swf_lines {

// A valid line of a log; the defaults give a job that is kept.
struct Line {
    std::string number = "1";
    std::string submit = "0";
    std::string run = "100";
    std::string allocated = "4";
    std::string requested = "4";
    std::string estimate = "200";
    std::string status = "1";
    std::string user = "3";
    std::string queue = "1";
    std::string partition = "1";
};

inline std::string text_of(const std::vector<Line>& lines) {
    std::string text;
    for (const Line& l : lines) {
        text += l.number + " " + l.submit + " 0 " + l.run + " " + l.allocated + " -1 -1 " + l.requested + " " +
                l.estimate + " -1 " + l.status + " " + l.user + " -1 -1 " + l.queue + " " + l.partition + " -1 -1\n";
    }
    return text;
}

inline SwfLog log_of(const std::vector<Line>& lines, const std::string& header = "; MaxProcs: 64\n") {
    return parse_swf(header + text_of(lines), "some.swf");
}

inline std::vector<std::string> ids(const SwfWorkload& converted) {
    std::vector<std::string> found;
    for (const WorkloadJob& job : converted.workload.jobs) {
        found.push_back(job.description.id);
    }
    return found;
}

inline std::size_t count_of(const std::vector<RuleCount>& counts, const std::string& start) {
    for (const auto& [what, jobs] : counts) {
        if (what.starts_with(start)) {
            return jobs;
        }
    }
    return 0;
}

using Ids = std::vector<std::string>;

}  // namespace batfill::tests::swf_lines
