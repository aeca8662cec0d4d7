#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/batsim4.hpp"
#include "src/session/session.hpp"
#include "src/support/files.hpp"
#include "tests/support/caught_log.hpp"
#include "tests/support/quiet_log.hpp"

namespace batfill::tests::protocol_table_test {

// Tests of the tables in docs/protocol.md: what happens to each message, and statements that no other test covers.

namespace {

std::string text_of_file(const std::filesystem::path& path) {
    return InputFile(path.string()).read_all(std::size_t{1} << 24);
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The cells of the table below a heading of docs/protocol.md, without its two header rows.
std::vector<std::vector<std::string>> table_below(const std::string& heading) {
    const std::string page = text_of_file(std::filesystem::path(BATFILL_SOURCE_DIR) / "docs" / "protocol.md");
    const std::size_t at = page.find("\n" + heading + "\n");
    REQUIRE(at != std::string::npos);
    std::istringstream lines(page.substr(page.find("\n|", at) + 1));
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(lines, line) && line.starts_with('|');) {
        std::istringstream cells(line.substr(1));
        std::vector<std::string>& row = rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, '|');) {
            row.push_back(trimmed(cell));
        }
    }
    REQUIRE(rows.size() > 2);
    rows.erase(rows.begin(), rows.begin() + 2);
    return rows;
}

// The names of the tests in our sources.
std::set<std::string> names_of_tests() {
    const std::string mark = "TEST_CASE(\"";
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(BATFILL_SOURCE_DIR "/tests")) {
        if (entry.path().extension() != ".cpp") {
            continue;
        }
        const std::string text = text_of_file(entry.path());
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
            at += mark.size();
            names.insert(text.substr(at, text.find('"', at) - at));
        }
    }
    return names;
}

// Whether something reads a frame with an event of this type without calling it unknown.
template <class Read>
bool is_known(const std::string& type, Read read) {
    const CaughtLog log;
    try {
        read(R"({"now":0,"events":[{"timestamp":0,"type":")" + type + R"(","data":{}}]})");
    } catch (const InputError&) {
        return true;  // it wants more of the event
    }
    return log.text().empty();
}

// The words before the first blank of the first column, where tables of events have the names.
std::set<std::string> first_words(const std::vector<std::vector<std::string>>& rows) {
    std::set<std::string> names;
    for (const std::vector<std::string>& row : rows) {
        names.insert(row.at(0).substr(0, row.at(0).find(' ')));
    }
    return names;
}

// ---- A session in conversation with Batsim

// The start of a simulation with four processors. `profiles` has a JSON object per workload.
std::string beginning(const std::string& profiles) {
    std::string resources;
    for (const char* number : {"0", "1", "2", "3"}) {
        resources +=
            std::string(resources.empty() ? "" : ",") + R"({"id":)" + number + R"(,"name":"node)" + number + "\"}";
    }
    return R"({"now":0,"events":[{"timestamp":0,"type":"SIMULATION_BEGINS","data":{"config":{)"
           R"("profiles-forwarded-on-submission":true},"compute_resources":[)" +
           resources + R"(],"workloads":{},"profiles":)" + profiles + "}}]}";
}

std::string submission(int now, const std::string& id, const std::string& profile) {
    const std::string time = std::to_string(now);
    return R"({"now":)" + time + R"(,"events":[{"timestamp":)" + time +
           R"(,"type":"JOB_SUBMITTED","data":{"job_id":")" + id + R"(","job":{"id":")" + id + R"(","subtime":)" + time +
           R"(,"res":1,"walltime":9,"profile":"p"},"profile":)" + profile + "}}]}";
}

std::string completion(int now, const std::string& id) {
    const std::string time = std::to_string(now);
    return R"({"now":)" + time + R"(,"events":[{"timestamp":)" + time +
           R"(,"type":"JOB_COMPLETED","data":{"job_id":")" + id +
           R"(","job_state":"COMPLETED_SUCCESSFULLY","return_code":0,"alloc":"0"}}]})";
}

// The ids of the jobs that a frame starts, each followed by a blank.
std::string started_by(std::string_view frame) {
    protocol::ReplyReader reader;
    std::string ids;
    for (const protocol::Message::Event& event : reader.read(frame).events) {
        ids += reader.ids().id(std::get<StartJob>(std::get<Decision>(event.data)).job) + " ";
    }
    return ids;
}

}  // namespace

TEST_CASE("The tables of the protocol name the events that the codec knows, and no others", "[protocol][documents]") {
    const std::set<std::string> from_batsim = first_words(table_below("## From Batsim"));
    const std::set<std::string> from_scheduler = first_words(table_below("## From the scheduler"));
    CHECK(first_words(table_below("### What Batsim says")) == from_batsim);
    CHECK(first_words(table_below("### What a scheduler says")) == from_scheduler);
    std::set<std::string> all = from_batsim;
    all.insert(from_scheduler.begin(), from_scheduler.end());
    for (const std::string& type : all) {
        INFO(type);
        CHECK(is_known(type, [](const std::string& frame) { protocol::make_codec("batsim4")->decode(frame); }) ==
              from_batsim.contains(type));
        CHECK(is_known(type, [](const std::string& frame) { protocol::ReplyReader().read(frame); }) ==
              from_scheduler.contains(type));
    }
}

TEST_CASE("Every test that the tables of the protocol name exists", "[protocol][documents]") {
    const std::set<std::string> tests = names_of_tests();
    for (const char* heading :
         {"### What Batsim says", "### What a scheduler says", "### What workloads and options bring"}) {
        for (const std::vector<std::string>& row : table_below(heading)) {
            INFO(row.at(0));
            std::istringstream names(row.back());
            for (std::string name; std::getline(names, name, ';');) {
                INFO(name);
                CHECK(tests.contains(trimmed(name)));
            }
        }
    }
}

TEST_CASE("A session starts jobs whatever the type of their profiles is", "[session]") {
    const std::vector<std::string> profiles{
        R"({"type":"delay","delay":20.2})",
        R"({"type":"parallel","cpu":[5e6,0,0,0],"com":[5e6,0,0,0,5e6,5e6,0,0,5e6,5e6,0,0,5e6,5e6,5e6,0]})",
        R"({"type":"parallel_homogeneous","cpu":1e7,"com":1e6})",
        R"({"type":"parallel_homogeneous_total","cpu":1e7,"com":1e6})",
        R"({"type":"parallel_homogeneous_pfs","bytes_to_read":1e5,"bytes_to_write":5e5,"storage":"nfs"})",
        R"({"type":"data_staging","nb_bytes":1e6,"from":"pfs","to":"nfs"})",
        R"({"type":"composed","repeat":4,"seq":["p","q"]})",
        R"({"type":"smpi","trace":"traces/compute_only.txt"})",
        R"({"type":"send","msg":{"value":[1,2,"x"]},"sleeptime":3})",
        R"({"type":"recv","regex":"^stop$","success":"p","failure":"q","timeout":"q"})",
        R"({"type":"of_another_version","anything":[null,{"deep":[true]}]})",
    };
    const tests::QuietLog quiet;
    Session session({"easy", {}}, protocol::make_codec("batsim4"));
    std::string all;
    for (const std::string& profile : profiles) {
        all += (all.empty() ? "\"p" : ",\"p") + std::to_string(all.size()) + "\":" + profile;
    }
    CHECK(started_by(session.answer(beginning(R"({"w0":{)" + all + "}}"))).empty());
    int now = 0;
    for (const std::string& profile : profiles) {
        INFO(profile);
        const std::string id = "w0!" + std::to_string(++now);
        CHECK(started_by(session.answer(submission(now, id, profile))) == id + " ");
        CHECK(started_by(session.answer(completion(now, id))).empty());
    }
}

TEST_CASE("A session tells jobs of several workloads apart by the workloads' names", "[session]") {
    const tests::QuietLog quiet;
    Session session({"sequencer", {}}, protocol::make_codec("batsim4"));
    const std::string delay = R"({"type":"delay","delay":1})";
    session.answer(beginning(R"({"w0":{"p":)" + delay + R"(},"w1":{"p":)" + delay + "}}"));
    CHECK(started_by(session.answer(submission(1, "w0!1", delay))) == "w0!1 ");
    CHECK(started_by(session.answer(submission(2, "w1!1", delay))).empty());
    CHECK(started_by(session.answer(completion(3, "w0!1"))) == "w1!1 ");
}

}  // namespace batfill::tests::protocol_table_test
