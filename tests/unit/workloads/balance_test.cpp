#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/accounting.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/host_amounts.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/random.hpp"

// What records state, times their run times, is what jobs get, but for what has a cause.
namespace batfill::tests::balance_test {

namespace {

SwfWorkload import(const std::string& format, const std::string& text, const SwfConversion& conversion = {}) {
    const Folder folder;
    AccountingData data;
    data.format = format;
    data.paths = {folder.write("data", text)};
    data.fields = {.per_host = true};
    return convert_swf(read_accounting(data), conversion);
}

const AmountBalance& balance_of(const SwfWorkload& converted, const std::string& name) {
    for (const AmountBalance& balance : converted.summary.balances) {
        if (balance.name == name) {
            return balance;
        }
    }
    FAIL("no balance of " + name);
    throw;
}

double in_workload(const Workload& workload, const std::string& name) {
    double sum = 0;
    for (const WorkloadJob& job : workload.jobs) {
        const double seconds = workload.profiles.at(std::string(job.description.profile.text())).delay.to_seconds();
        for (const auto& [amount, each] : job.description.needs->per_host.value_or(StatedNeeds::Amounts())) {
            sum += amount == name ? static_cast<double>(each * job.description.processors) * seconds : 0;
        }
    }
    return sum;
}

std::map<std::string, double> changes_of(const AmountBalance& balance) {
    std::map<std::string, double> changes;
    double sum = balance.of_log;
    for (const AmountBalance::Change& change : balance.changes) {
        changes[change.why] = change.amount_seconds;
        sum += change.amount_seconds;
    }
    CHECK(sum == Approx(balance.of_workload));
    return changes;
}

}  // namespace

TEST_CASE("Drawn jobs of sacct and PBS: log, changes and workload agree with what was drawn", "[property]") {
    Random random(65);
    for (int round = 0; round < 60; ++round) {
        const bool is_pbs = round % 2 == 1;
        std::string text = is_pbs ? "" : "JobID|Submit|Start|End|State|NNodes|AllocTRES\n";
        double stated = 0;
        double dropped = 0;
        double rounded_up = 0;
        double of_different = 0;
        const int jobs = random.between(1, 20);
        for (int id = 0; id < jobs; ++id) {
            const int hosts = random.between(1, 4);
            const int seconds = random.one_in(6) ? 0 : random.between(1, 1000);
            const bool is_queued_out = random.one_in(5);
            std::vector<int> cores;
            int sum = 0;
            int largest = 0;
            for (int host = 0; host < hosts; ++host) {
                cores.push_back(random.between(1, 9));
                sum += cores.back();
                largest = std::max(largest, cores.back());
            }
            const int each = is_pbs ? largest : (sum + hosts - 1) / hosts;
            const std::string start = std::to_string(1000 + id);
            const std::string end = std::to_string(1000 + id + seconds);
            if (is_pbs) {
                std::string vnodes;
                for (int host = 0; host < hosts; ++host) {
                    vnodes += (host == 0 ? "(n" : "+(n") + std::to_string(host) +
                              ":ncpus=" + std::to_string(cores[static_cast<std::size_t>(host)]) + ")";
                }
                text += "01/01/2026 00:00:00;E;" + std::to_string(id) +
                        ".s;user=u queue=" + (is_queued_out ? "debug" : "q") + " ctime=1000 start=" + start +
                        " exec_vnode=" + vnodes + " end=" + end + "\n";
            } else {
                text += std::to_string(id) + "|1000|" + start + "|" + end + "|COMPLETED|" + std::to_string(hosts) +
                        "|cpu=" + std::to_string(sum) + "\n";
            }
            stated += static_cast<double>(sum) * seconds;
            const bool is_dropped = seconds == 0 || (is_pbs && is_queued_out);
            dropped += is_dropped ? static_cast<double>(sum) * seconds : 0;
            (is_pbs ? of_different : rounded_up) += is_dropped ? 0 : static_cast<double>(each * hosts - sum) * seconds;
        }
        SwfConversion conversion;
        conversion.excluded_queue_names = {"debug"};
        const SwfWorkload converted = import(is_pbs ? "pbs" : "sacct", text, conversion);
        if (stated == 0) {
            continue;
        }
        const AmountBalance& balance = balance_of(converted, "cores");
        CAPTURE(text);
        CHECK(balance.of_log == Approx(stated));
        CHECK(balance.of_workload == Approx(in_workload(converted.workload, "cores")).margin(1e-9));
        std::map<std::string, double> changes = changes_of(balance);
        CHECK(changes["queue is debug"] == Approx(-dropped).margin(1e-9));
        CHECK(changes[host_rules::rounded] == Approx(rounded_up).margin(1e-9));
        CHECK(changes[host_rules::different] == Approx(of_different).margin(1e-9));
        if (stated > dropped) {
            CHECK(balance.growth() == Approx((rounded_up + of_different) / (stated - dropped)).margin(1e-12));
        }
    }
}

TEST_CASE("A workload whose jobs have grown by one per cent says so in its file") {
    const auto grown = [](int cores) {
        const SwfWorkload converted =
            import("sacct", "JobID|Submit|Start|End|State|NNodes|AllocTRES\n1|0|0|10|COMPLETED|2|cpu=" +
                                std::to_string(cores) + ",mem=4G\n");
        const Folder folder;
        write_workload(converted.workload, folder.file("w.json"));
        const Workload again = read_workload(folder.file("w.json"), "w0");
        CHECK(again.more_than_log == converted.workload.more_than_log);
        return again.more_than_log;
    };
    CHECK(grown(100).empty());
    CHECK(grown(101).empty());  // 102 cores
    CHECK(grown(99) == std::vector<std::pair<std::string, double>>{{"cores", 100.0 / 99 - 1}});
}

}  // namespace batfill::tests::balance_test
