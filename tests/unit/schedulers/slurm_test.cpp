#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "schedulers/slurm/backfill.hpp"
#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/job_queue.hpp"
#include "schedulers/slurm/select_cons_tres.hpp"
#include "schedulers/slurm/select_linear.hpp"
#include "schedulers/slurm/settings.hpp"
#include "src/support/files.hpp"
#include "tests/support/lines.hpp"
#include "tests/support/plain_slurm.hpp"
#include "tests/support/random.hpp"
#include "tests/support/slurm_cases.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::slurm_test {

namespace {

using slurm::Backfill;
using slurm::Choice;
using slurm::Cluster;
using slurm::ConsTres;
using slurm::CycleOutcome;
using slurm::FreeNodes;
using slurm::JobPlace;
using slurm::JobQueue;
using slurm::Linear;
using slurm::Node;
using slurm::NodeSet;
using slurm::Partition;
using slurm::PlannedStart;
using slurm::RunningJob;
using slurm::Seconds;
using slurm::Select;
using slurm::Settings;
using slurm::Version;

std::string text_of_file(const std::string& path) {
    return InputFile(path).read_all(std::size_t{1} << 28);
}

void compare(const SlurmCase& one) {
    INFO(one.name);
    const std::vector<std::vector<std::string>> decided = decide(one);
    for (std::size_t cycle = 0; cycle < decided.size(); ++cycle) {
        INFO("cycle at " << one.cycles[cycle].at << " s");
        CHECK(decided[cycle] == one.cycles[cycle].decisions);
    }
}

std::set<int> set_of(const NodeSet& nodes) {
    std::set<int> set;
    nodes.for_each([&](int node) { set.insert(node); });
    return set;
}

// A small cluster in both forms, with jobs that run and jobs that wait.
class RandomCluster {
 public:
    // `is_crowded`: more nodes and longer jobs, and settings that look at all jobs.
    RandomCluster(unsigned seed, bool several_partitions, bool is_crowded = false)
        : random_(seed), is_crowded_(is_crowded) {
        plain.settings = random_settings();
        const int size = is_crowded || random_.one_in(8) ? random_.between(60, 70) : random_.between(1, 12);
        const bool is_linear = plain.settings.select == Select::linear;
        const int cores = is_linear || random_.one_in(3) ? 1 : random_.between(2, 6);
        const bool are_equal = random_.one_in(2);
        kinds_ = is_linear ? 0 : random_.below(3);
        for (int node = 0; node < size; ++node) {
            Node made{are_equal ? cores : random_.between(1, cores), {}};
            for (int kind = 0; kind < kinds_; ++kind) {
                made.amounts.push_back(random_.between(0, 8));
            }
            plain.nodes.push_back(made);
        }
        const bool whole = random_.one_in(2);
        plain.partitions.push_back({NodeSet::all(size), whole});
        if (several_partitions) {
            Partition second{NodeSet(size), whole};
            for (int node = 0; node < size; ++node) {
                if (node == 0 || !random_.one_in(3)) {
                    second.nodes.insert(node);
                }
            }
            plain.partitions.push_back(second);
        }
        for (int license = random_.below(3); license > 0; --license) {
            plain.licenses.push_back(random_.between(1, 4));
        }
        cluster.emplace(plain.nodes, plain.partitions, plain.licenses);
        queue.emplace(plain.settings, *cluster);
    }

    // Adds jobs; some of them run since before `now`.
    void add_jobs(int number, Seconds now, bool may_run) {
        for (int i = 0; i < number; ++i) {
            PlainSlurm::Job job;
            job.asks = random_job(now);
            const JobPlace place = cluster->submit(job.asks);
            queue->add(place);
            plain.jobs.push_back(job);
            if (may_run && random_.one_in(2)) {
                start(place, now - random_.between(0, 4000));
            }
        }
    }

    void end_some() {
        for (JobPlace place = 0; place < plain.jobs.size(); ++place) {
            PlainSlurm::Job& job = plain.jobs[place];
            if (job.runs && random_.one_in(3)) {
                job.runs = false;
                job.asks.priority = 0;  // it waits no more
                cluster->end(place);
                cluster->release(place);
            }
        }
    }

    std::set<int> random_candidates() {
        std::set<int> nodes;
        for (int node = 0; node < cluster->size(); ++node) {
            if (!random_.one_in(5)) {
                nodes.insert(node);
            }
        }
        return nodes;
    }

    Random random_;
    PlainSlurm plain;
    std::optional<Cluster> cluster;
    std::optional<JobQueue> queue;

 private:
    Settings random_settings() {
        Settings settings;
        settings.version = random_.one_in(2) ? Version::v22_05 : Version::v26_11;
        settings.select = random_.one_in(4) ? Select::linear : Select::cons_tres;
        const auto maybe = [&](auto& setting, int low, int high) {
            if (!is_crowded_ && random_.one_in(6)) {
                setting = random_.between(low, high);
            }
        };
        const int resolutions[] = {60, 60, 1, 300, 600};
        settings.bf_resolution = resolutions[random_.below(5)];
        if (random_.one_in(3)) {
            settings.bf_window = random_.between(5, 120) * 60;
        }
        maybe(settings.bf_max_job_test, 1, 6);
        maybe(settings.bf_node_space_size, 1, 8);
        maybe(settings.bf_max_job_start, 1, 3);
        maybe(settings.bf_max_job_user, 1, 3);
        maybe(settings.bf_max_job_part, 1, 6);
        maybe(settings.bf_max_job_user_part, 1, 3);
        maybe(settings.bf_min_prio_reserve, 1, 6);
        maybe(settings.bf_min_age_reserve, 1, 600);
        maybe(settings.bf_job_part_count_reserve, 1, 4);
        maybe(settings.bf_window_linear, 1, 600);
        settings.bf_licenses = random_.one_in(3);
        settings.bf_running_job_reserve = random_.one_in(3);
        if (settings.version == Version::v26_11) {
            settings.bf_busy_nodes = random_.one_in(4);
            settings.bf_topopt_enable = random_.one_in(4);
            settings.bf_topopt_iterations = random_.between(1, 10);
        }
        return settings;
    }

    slurm::Job random_job(Seconds now) {
        slurm::Job job;
        job.id = static_cast<std::int64_t>(plain.jobs.size()) + 1;
        job.partitions = {random_.below(static_cast<int>(plain.partitions.size()))};
        const NodeSet& nodes = cluster->partition(job.partitions.front()).nodes;
        job.nodes = random_.one_in(3) ? 1 : random_.between(1, is_crowded_ ? 8 : nodes.count());
        int cores = 0;
        nodes.for_each([&](int node) { cores += plain.nodes[static_cast<std::size_t>(node)].cores; });
        job.tasks = plain.settings.select == Select::linear
                        ? job.nodes
                        : random_.between(job.nodes, std::max(job.nodes, cores / 2));
        if (job.nodes == 1) {
            job.tasks = random_.between(1, 3);
        }
        job.whole_nodes = random_.one_in(5);
        for (int kind = 0; kind < kinds_; ++kind) {
            job.amounts.push_back(random_.one_in(2) ? 0 : random_.between(1, 4));
        }
        for (int license = 0; license < static_cast<int>(plain.licenses.size()); ++license) {
            if (random_.one_in(4)) {
                job.licenses.push_back(
                    {license, random_.between(1, plain.licenses[static_cast<std::size_t>(license)])});
            }
        }
        job.limit =
            (is_crowded_ ? 600 : 60) * (random_.one_in(2) ? random_.between(1, 60) : 5 * random_.between(1, 12));
        job.priority = random_.between(0, 9);
        job.submitted = now - random_.between(0, 900);
        if (random_.one_in(2)) {
            job.eligible = job.submitted;
        }
        job.user = random_.below(3);
        return job;
    }

    void start(JobPlace place, Seconds start) {
        PlainSlurm::Job& job = plain.jobs[place];
        std::set<int> all = set_of(cluster->partition(job.asks.partitions.front()).nodes);
        const std::optional<PlainSlurm::Chosen> chosen =
            plain.cons_tres(job, plain.is_whole(job), all, plain.running());
        if (!chosen) {
            return;
        }
        job.runs = true;
        job.start = start;
        job.nodes = chosen->nodes();
        job.cores = chosen->cores;
        Choice choice{NodeSet(cluster->size()), {}};
        for (const auto& [node, cores] : chosen->cores) {
            choice.nodes.insert(node);
            choice.cores.push_back(cores);
        }
        cluster->start({place, job.asks.partitions.front()}, start, choice);
    }

    bool is_crowded_;
    int kinds_ = 0;
};

// What a job has got, as a line.
std::string line_of(JobPlace place, std::optional<Seconds> start, bool runs, const std::set<int>& nodes) {
    std::string line = std::to_string(place) + (runs ? " runs" : "");
    line += start ? " " + std::to_string(*start) : " none";
    for (const int node : nodes) {
        line += "," + std::to_string(node);
    }
    return line;
}

// Compares three cycles, each behind so many new jobs at most. Returns how many plans they made.
int compare_cycles(RandomCluster& both, int most_jobs) {
    int planned = 0;
    Backfill backfill(both.plain.settings, *both.cluster);
    Seconds now = 1'700'000'000 + both.random_.below(1000);
    for (int cycle = 0; cycle < 3; ++cycle) {
        both.add_jobs(both.random_.between(1, most_jobs), now, cycle == 0);
        const CycleOutcome& outcome = backfill.run(both.queue->eligible(now), now);
        both.plain.cycle(now);
        std::vector<std::string> expected;
        std::vector<std::string> decided;
        for (JobPlace place = 0; place < both.plain.jobs.size(); ++place) {
            const PlainSlurm::Job& job = both.plain.jobs[place];
            if (job.start) {
                expected.push_back(line_of(place, job.start, job.runs, job.nodes));
            }
        }
        for (const RunningJob& running : both.cluster->running()) {
            decided.push_back(line_of(running.job, running.start, true, set_of(running.nodes)));
        }
        for (const PlannedStart& plan : outcome.planned) {
            decided.push_back(
                line_of(plan.job, plan.start, false, plan.is_planned ? set_of(plan.nodes) : std::set<int>()));
            planned += plan.is_planned ? 1 : 0;
        }
        std::sort(expected.begin(), expected.end());
        std::sort(decided.begin(), decided.end());
        REQUIRE(decided == expected);
        both.end_some();
        now += both.random_.between(1, 600);
    }
    return planned;
}

}  // namespace

TEST_CASE("A cycle of Slurm's backfill decides as recorded", "[slurm]") {
    const std::vector<SlurmCase> cases =
        read_slurm_cases(text_of_file(BATFILL_SOURCE_DIR "/tests/unit/schedulers/slurm_cases.txt"));
    REQUIRE(cases.size() == 300);
    for (const SlurmCase& one : cases) {
        compare(one);
    }
}

TEST_CASE("A cycle of Slurm's backfill decides as recorded in all queues", "[slurm][outside]") {
    if (!have_test_data("slurm/pass")) {
        return;
    }
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(test_data("slurm/pass"))) {
        files.push_back(file.path().string());
    }
    std::sort(files.begin(), files.end());
    SlurmCaseReader reader;
    std::size_t cases = 0;
    for (const std::string& file : files) {
        for (const std::string& line : lines_of(text_of_file(file))) {
            compare(reader.read(line));
            ++cases;
        }
    }
    CHECK(cases >= 4759);
}

TEST_CASE("A cycle of Slurm's backfill decides as its plain form", "[slurm]") {
    int planned = 0;
    for (unsigned seed = 1; seed <= 3000; ++seed) {
        INFO("seed " << seed);
        RandomCluster both(seed, seed % 3 == 0);
        planned += compare_cycles(both, 12);
    }
    CHECK(planned > 10000);
}

TEST_CASE("A cycle of Slurm's backfill decides about long queues as its plain form", "[slurm]") {
    int planned = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        INFO("seed " << seed);
        RandomCluster both(seed, seed % 3 == 0, true);
        planned += compare_cycles(both, 60);
    }
    CHECK(planned > 300);
}

TEST_CASE("Both selections of Slurm choose as their plain forms", "[slurm]") {
    int found = 0;
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        INFO("seed " << seed);
        RandomCluster both(seed, false);
        both.add_jobs(20, 1'700'000'000, true);
        ConsTres cons_tres(both.plain.settings.version);
        Linear linear;
        slurm::UsableFrom usable_from(*both.cluster);
        Choice choice{NodeSet(both.cluster->size()), {}};
        for (JobPlace place = 0; place < both.plain.jobs.size(); ++place) {
            const PlainSlurm::Job& job = both.plain.jobs[place];
            const std::set<int> candidates = both.random_candidates();
            const std::set<int> idle_now = both.random_candidates();
            NodeSet candidate_bits(both.cluster->size());
            NodeSet idle_bits(both.cluster->size());
            for (const int node : candidates) {
                candidate_bits.insert(node);
            }
            for (const int node : idle_now) {
                idle_bits.insert(node);
            }
            const bool whole = both.random_.one_in(2);
            const bool is_busy = both.random_.one_in(3);
            const FreeNodes& free = both.cluster->free();
            const auto check = [&](bool chosen, const std::optional<PlainSlurm::Chosen>& expected) {
                REQUIRE(chosen == expected.has_value());
                if (chosen) {
                    ++found;
                    REQUIRE(set_of(choice.nodes) == expected->nodes());
                    std::vector<int> cores;
                    for (const auto& [node, count] : expected->cores) {
                        cores.push_back(count);
                    }
                    REQUIRE(choice.cores == cores);
                }
            };
            const auto usable_of = [&](int kind, bool takes_whole) {
                usable_from.look_at(kind, takes_whole);
                NodeSet usable = usable_from.at(slurm::end_key::now);
                usable &= candidate_bits;
                return usable;
            };
            NodeSet usable = usable_of(both.cluster->job(place).kind, whole);
            check(cons_tres.choose(job.asks, whole, usable, free, slurm::end_key::now, choice,
                                   is_busy ? &idle_bits : nullptr),
                  both.plain.cons_tres(job, whole, candidates, both.plain.running(), is_busy ? &idle_now : nullptr));
            usable = usable_of(slurm::KindOfJob::any, true);
            check(linear.choose(job.asks, usable, both.cluster->nodes(), choice),
                  both.plain.linear(job, candidates, both.plain.running()));
        }
    }
    CHECK(found > 10000);
}

TEST_CASE("SchedulerParameters that are none of Slurm's are refused", "[slurm]") {
    Settings settings;
    settings.take_scheduler_parameters("bf_window=60,bf_licenses,bf_max_job_test=7");
    CHECK(settings.bf_window == 3600);
    CHECK(settings.bf_licenses);
    CHECK(settings.node_space_size() == 7);
    for (const std::string wrong :
         {"bf_windw=60", "bf_window", "bf_window=", "bf_window=x", "bf_window=-1", "bf_window=0", "bf_licenses=1",
          "bf_resolution=0", "bf_window=99999999999999999999"}) {
        CHECK_THROWS_AS(settings.take_scheduler_parameters(wrong), InputError);
    }
}

}  // namespace batfill::tests::slurm_test
