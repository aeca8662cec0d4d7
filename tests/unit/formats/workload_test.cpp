#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <zlib.h>

#include <batfill/core/error.hpp>
#include <batfill/formats/workload.hpp>

#include "src/formats/job_json.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::workload_test {

namespace {

Workload parse(std::string_view text, bool keep_source = false) {
    return parse_workload(std::string(text), "file.json", "w0", keep_source);
}

std::string error_of(std::string_view text) {
    try {
        parse(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "read";
}

// A workload with these jobs and two profiles.
std::string with_jobs(const std::string& jobs) {
    return R"({"nb_res":4,"jobs":[)" + jobs + R"(],"profiles":{"p":{"type":"delay","delay":5},)" +
           R"("q":{"type":"delay","delay":0.25,"ret":3}}})";
}

std::string with_profile(const std::string& profile) {
    return R"({"nb_res":4,"jobs":[],"profiles":{"p":)" + profile + "}}";
}

std::string content(const std::string& path) {
    return InputFile(path).read_all(std::size_t{1} << 30);
}

Workload random_workload(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto duration = [&] {
        const auto whole = static_cast<long long>(random() % 100'000);
        return random() % 2 == 0 ? Duration::seconds(whole) : Duration::microseconds(whole);
    };
    Workload workload;
    workload.name = "w1";
    workload.processors = 1 + static_cast<int>(random() % 1000);
    for (int i = 0; i < 5; ++i) {
        JobProfile profile;
        profile.type = JobProfile::Type::delay;
        profile.type_name = "delay";
        profile.delay = duration() + Duration::microseconds(1);
        profile.return_code = static_cast<int>(random() % 3);
        workload.profiles["p \"" + std::to_string(i)] = profile;
    }
    const auto jobs = random() % 20;
    for (unsigned i = 0; i < jobs; ++i) {
        JobDescription job;
        job.id = "w1!" + std::to_string(i);
        job.submit = Time::at(duration());
        job.processors = static_cast<int>(random() % 100);
        if (random() % 2 == 0) {
            job.walltime = duration() + Duration::microseconds(1);
        }
        if (random() % 2 == 0) {
            job.deadline = Time::at(duration());
        }
        job.queue = random() % 2 == 0 ? "" : "long \\ night";
        job.user = random() % 2 == 0 ? "" : "12";
        job.licenses.resize(random() % 3, "licence");
        job.profile = "p \"" + std::to_string(random() % 5);
        workload.jobs.push_back({job, ""});
    }
    return workload;
}

void check_same_jobs(const Workload& a, const Workload& b) {
    REQUIRE(a.jobs.size() == b.jobs.size());
    for (std::size_t i = 0; i < a.jobs.size(); ++i) {
        CHECK(a.jobs[i].description == b.jobs[i].description);
    }
}

bool same_profile(const JobProfile& a, const JobProfile& b) {
    return a.type == b.type && a.type_name == b.type_name && a.delay == b.delay && a.cpu == b.cpu && a.com == b.com &&
           a.return_code == b.return_code && a.source == b.source;
}

}  // namespace

TEST_CASE("A workload is read with its machine size, jobs and profiles") {
    const Workload workload = parse(R"({
        "description": {"made": ["by", "hand"]},
        "jobs": [
            {"id": "late", "subtime": 10.5, "res": 2, "walltime": 60, "profile": "p", "deadline": 100, "queue": 1},
            {"id": 7, "subtime": 0, "res": 1, "profile": "q", "user": "ada", "licenses": ["x"], "walltime": -1}],
        "nb_res": 4,
        "profiles": {"p": {"type": "delay", "delay": 20.25, "ret": 1},
                     "q": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0},
                     "r": {"type": "composed", "seq": ["p", "p"]}}})");
    CHECK(workload.name == "w0");
    CHECK(workload.path == "file.json");
    CHECK(workload.processors == 4);
    REQUIRE(workload.jobs.size() == 2);
    JobDescription late;
    late.id = "w0!late";
    late.submit = Time::at(*Duration::parse("10.5"));
    late.processors = 2;
    late.walltime = Duration::seconds(60);
    late.deadline = Time::seconds(100);
    late.queue = "1";
    late.profile = "p";
    CHECK(workload.jobs[0].description == late);
    CHECK(workload.jobs[0].source.empty());
    JobDescription early;
    early.id = "w0!7";
    early.processors = 1;
    early.user = "ada";
    early.licenses = {"x"};
    early.profile = "q";
    CHECK(workload.jobs[1].description == early);
    REQUIRE(workload.profiles.size() == 3);
    CHECK(same_profile(workload.profiles.at("p"),
                       {JobProfile::Type::delay, "delay", *Duration::parse("20.25"), 0, 0, 1, ""}));
    CHECK(same_profile(workload.profiles.at("q"),
                       {JobProfile::Type::parallel_homogeneous, "parallel_homogeneous", Duration(), 1e9, 0, 0, ""}));
    CHECK(same_profile(workload.profiles.at("r"), {JobProfile::Type::other, "composed", Duration(), 0, 0, 0, ""}));
}

TEST_CASE("On request, jobs and profiles carry all their fields as Batsim would pass them on") {
    const Workload workload =
        parse(R"({"nb_res":1,"jobs":[{"subtime":1.5,"id":3,"res":1,"profile":"p","colour":[1.0, 2]}],)"
              R"("profiles":{"p":{"type":"delay","delay":1.5,"note":"x"}}})",
              true);
    CHECK(workload.jobs[0].source == R"({"subtime":1.500000,"id":"w0!3","res":1,"profile":"p","colour":[1.000000,2]})");
    CHECK(workload.profiles.at("p").source == R"({"type":"delay","delay":1.500000,"note":"x"})");
}

TEST_CASE("Job ids get the workload's name unless they have it already") {
    const Workload workload = parse(with_jobs(R"({"id":"1","subtime":0,"res":1,"profile":"p"},)"
                                              R"({"id":"w0!2","subtime":0,"res":1,"profile":"p"})"));
    CHECK(workload.jobs[0].description.id == "w0!1");
    CHECK(workload.jobs[1].description.id == "w0!2");
}

TEST_CASE("What Batsim would refuse in a workload is refused, with the place and what was expected") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "expected a JSON object with nb_res, jobs and profiles"},
        {"[]", "expected a JSON object with nb_res, jobs and profiles"},
        {"{", "JSON at byte 1: expected a name in quotes"},
        {"{}", "field \"nb_res\": expected, found none"},
        {R"({"nb_res":4})", "field \"jobs\": expected, found none"},
        {R"({"nb_res":4,"jobs":[]})", "field \"profiles\": expected, found none"},
        {R"({"nb_res":4,"jobs":[],"profiles":{}} x)", "JSON at byte 37: expected the end"},
        {R"({"nb_res":4,"jobs":[],"profiles":{},})", "JSON at byte 36: expected a name in quotes"},
        {R"({"nb_res":4 "jobs":[]})", "JSON at byte 12: expected a comma or a closing bracket"},
        {R"({"nb_res"=4})", "JSON at byte 9: expected a colon"},
        {R"({"nb_res":4,"nb_res":4})", "field \"nb_res\": expected once"},
        {R"({"nb_res":4,"jobs":[{"id":"1","subtime":0,"res":1,"profile":"p","res":2}]})",
         "jobs[0] (id \"1\"): field \"res\": expected once"},
        {R"({"nb_res":4,"jobs":[{"id":"1","subtime":0,"res":1,"profile":"p","gpus":1,"gpus":2}]})",
         "jobs[0] (id \"1\"): field \"gpus\": expected once"},
        {R"({"nb_res":0,"jobs":[]})", "field \"nb_res\": expected an integer above 0"},
        {R"({"nb_res":2147483648,"jobs":[]})", "field \"nb_res\": expected an integer above 0, up to 2147483647"},
        {R"({"nb_res":4.0,"jobs":[]})", "field \"nb_res\": expected an integer above 0"},
        {R"({"walltimes":true})", "field \"walltimes\": expected \"enforced\" (omit it for that) or \"believed\""},
        {R"({"walltimes":"kept"})", "field \"walltimes\": expected \"enforced\" (omit it for that) or \"believed\""},
        {R"({"jobs":{}})", "field \"jobs\": expected an array"},
        {R"({"profiles":[]})", "field \"profiles\": expected an object"},
        {with_jobs("7"), "jobs[0]: expected a job object"},
        {with_jobs("{}"), "jobs[0]: field \"id\": expected a text or an integer, found none"},
        {with_jobs(R"({"id":1.5})"), "jobs[0]: field \"id\": expected a text or an integer, found the number 1.5"},
        {with_jobs(R"({"id":"a"})"),
         "jobs[0] (id \"a\"): field \"subtime\": expected a number of seconds, at most 1e18, found none"},
        {with_jobs(R"({"id":"a","subtime":0,"res":1,"profile":"p"},{"id":"b","subtime":0})"),
         "jobs[1] (id \"b\"): field \"res\": expected an integer of 32 bits, found none"},
        {with_jobs(R"({"id":"a","subtime":0,"res":1,"profile":"p","walltime":0})"),
         "jobs[0] (id \"a\"): field \"walltime\": expected a number of seconds above 0, or below 0 for none, found the number 0"},
        {with_jobs(R"({"id":"a","subtime":0,"res":1})"),
         "jobs[0] (id \"a\"): field \"profile\": expected a text, found none"},
        {with_jobs(R"({"id":"a","subtime":0,"res":1,"profile":"z"})"),
         "job \"w0!a\": its profile \"z\" is not among the profiles"},
        {with_jobs(R"({"id":"1","subtime":0,"res":1,"profile":"p"},{"id":1,"subtime":2,"res":1,"profile":"q"})"),
         "job \"w0!1\": another job has this id"},
        {with_jobs(R"({"id":"x!1","subtime":0,"res":1,"profile":"p"})"),
         "jobs[0] (id \"x!1\"): field \"id\": expected no '!', found \"x!1\""},
        {with_jobs(R"({"id":"aw01","subtime":0,"res":1,"profile":"p"})"),
         "jobs[0] (id \"aw01\"): field \"id\": expected it not to contain the workload's name, or to begin with \"w0!\", found \"aw01\""},
        {with_profile("1"), "profile \"p\": expected an object"},
        {with_profile("{}"), "profile \"p\": field \"type\": expected a text, found none"},
        {with_profile(R"({"type":"magic"})"),
         "profile \"p\": field \"type\": expected a profile type of Batsim, found the text \"magic\""},
        {with_profile(R"({"type":"msg_par_hg"})"),
         "profile \"p\": field \"type\": expected \"parallel_homogeneous\", as Batsim calls this type since version 4, found the text \"msg_par_hg\""},
        {with_profile(R"({"type":"seq"})"),
         "profile \"p\": field \"type\": expected \"composed\", as Batsim calls this type since version 4, found the text \"seq\""},
        {with_profile(R"({"type":"delay"})"),
         "profile \"p\": field \"delay\": expected a number of seconds, at most 1e18, found none"},
        {with_profile(R"({"type":"delay","delay":0})"),
         "profile \"p\": field \"delay\": expected a number of seconds above 0, found the number 0"},
        {with_profile(R"({"type":"delay","delay":-1})"),
         "profile \"p\": field \"delay\": expected a number of seconds above 0, found the number -1"},
        {with_profile(R"({"type":"delay","delay":1,"ret":"1"})"),
         "profile \"p\": field \"ret\": expected an integer of 32 bits, found the text \"1\""},
        {with_profile(R"({"type":"parallel_homogeneous","cpu":1})"),
         "profile \"p\": field \"com\": expected a number, found none"},
        {with_profile(R"({"type":"parallel_homogeneous","cpu":-1,"com":0})"),
         "profile \"p\": field \"cpu\": expected a number from 0, found the number -1"},
        {with_profile(R"({"type":"delay","delay":1},"p":{"type":"delay","delay":1})"),
         "profile \"p\": another one has this name"},
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(error_of(text) == "file.json: " + expected);
    }
    for (const char* const origin : {"1709251200", "{}", "null", R"("")", R"("soon")", R"("2024-13-01T00:00:00Z")",
                                     R"("2024-03-01T00:00:00Z[Europe/Berlin")", R"("[Europe/Berlin]")",
                                     R"("2024-03-01T00:00:00Z[Europe/Berlin] ")"}) {
        INFO(origin);
        CHECK(error_of(R"({"origin":)" + std::string(origin) + "}") ==
              R"(file.json: field "origin": expected a date such as "2024-03-01T00:00:00Z" or )"
              R"("2024-03-01T00:00:00+01:00[Europe/Berlin]")");
    }
}

TEST_CASE("Ids may come in any order, but none twice, and every job has a profile") {
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> ids;
        for (int id = 0; id < 30; ++id) {
            ids.push_back(std::to_string(id * 7));
        }
        if (round % 3 != 0) {
            std::shuffle(ids.begin(), ids.end(), random);
        }
        const bool twice = round % 2 == 0;
        const std::string again = ids[random() % ids.size()];
        if (twice) {
            ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(random() % ids.size()), again);
        }
        const bool lost = !twice && round % 5 == 0;
        const std::size_t lost_at = random() % ids.size();
        std::string jobs;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            jobs += (jobs.empty() ? R"({"id":")" : R"(,{"id":")") + ids[i] +
                    R"(","subtime":0,"res":1,"user":"p","profile":")" + (lost && i == lost_at ? "lost" : "p") + "\"}";
        }
        const std::string text = R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{"p":{"type":"delay","delay":1}}})";
        if (twice) {
            REQUIRE_THROWS_WITH(parse_workload(text, "f", "w0"),
                                "f: job \"w0!" + again + "\": another job has this id");
        } else if (lost) {
            REQUIRE_THROWS_WITH(parse_workload(text, "f", "w0"),
                                "f: job \"w0!" + ids[lost_at] + "\": its profile \"lost\" is not among the profiles");
        } else {
            REQUIRE(parse_workload(text, "f", "w0").jobs.size() == ids.size());
        }
    }
}

TEST_CASE("Needs of another form are refused with job and field") {
    const auto refusal = [](const std::string& field) {
        try {
            parse_workload(R"({"nb_res":1,"jobs":[{"id":"a","subtime":0,"res":1,"profile":"p",)" + field +
                               R"(}],"profiles":{"p":{"type":"delay","delay":1}}})",
                           "w.json", "w0");
            return std::string();
        } catch (const InputError& problem) {
            return std::string(problem.what());
        }
    };
    for (const std::string name : {"pools", "per_host"}) {
        for (const std::string value : {"[]", R"(["cores"])", R"("cores:1")", "null", "1", "true"}) {
            INFO(name << " " << value);
            CHECK_THAT(refusal('"' + name + "\":" + value), Catch::Contains("w.json: jobs[0] (id \"a\"): field \"" +
                                                                            name + "\": expected an object, found "));
        }
        for (const std::string value :
             {"-1", "1.5", "1.0", "1e3", R"("1")", "null", "true", "{}", "[1]", "9223372036854775808"}) {
            INFO(name << " " << value);
            CHECK_THAT(
                refusal('"' + name + R"(":{"x":)" + value + "}"),
                Catch::Contains("(id \"a\"): field \"" + name + ".x\": expected a whole number from 0 on, found ") &&
                    !Catch::Contains("found none"));
        }
        CHECK_THAT(refusal('"' + name + R"(":{"x":1,"x":2})"),
                   Catch::Contains("(id \"a\"): field \"" + name + ".x\": expected once"));
        CHECK(refusal('"' + name + R"(":{"x":9223372036854775807,"y":0})").empty());
    }
    for (const std::string value : {"3", "1.5", "true", "{}", R"(["debug"])"}) {
        INFO(value);
        CHECK_THAT(refusal("\"partition\":" + value),
                   Catch::Contains("w.json: jobs[0] (id \"a\"): field \"partition\": expected a text, found "));
    }
    CHECK(refusal(R"("partition":"3")").empty());
}

TEST_CASE("Jobs that were read together share the names of their users, queues and profiles") {
    const Workload workload =
        parse_workload(R"({"nb_res":1,"jobs":[{"id":1,"subtime":0,"res":1,"user":"u","queue":3,"profile":"p"},)"
                       R"({"id":2,"subtime":0,"res":1,"user":"u","queue":"3","profile":"p"}],)"
                       R"("profiles":{"p":{"type":"delay","delay":1}}})",
                       "f", "w0");
    const JobDescription& a = workload.jobs.at(0).description;
    const JobDescription& b = workload.jobs.at(1).description;
    CHECK(&a.user.text() == &b.user.text());
    CHECK(&a.queue.text() == &b.queue.text());
    CHECK(&a.profile.text() == &b.profile.text());
    CHECK(a.queue == "3");
}

TEST_CASE("Jobs with the same other fields share what they ask for, and each has what its own fields say") {
    const std::vector<std::string> others = {R"("pools":{"a":1})",
                                             R"("pools":{"a":1})",
                                             R"("pools":{"a":2})",
                                             R"("pools": { "a" : 1 })",
                                             R"("pools":{"a":1},"after":["ok:1"])",
                                             R"("pools":{"a":1},"extra_data":{"pools":{"a":3}})",
                                             R"("extra_data":{"pools":{"a":1}})",
                                             R"("extra_data":{"pools":{"a":1},"begin":7})",
                                             R"("comment":"pools")",
                                             R"("begin":7)",
                                             R"("begin":7.0)"};
    std::string jobs;
    for (std::size_t i = 0; i < others.size(); ++i) {
        jobs += (i == 0 ? "" : ",") + (R"({"id":)" + std::to_string(i + 1)) + R"(,"subtime":0,"res":1,"profile":"p",)" +
                others[i] + "}";
    }
    const Workload workload = parse_workload(
        R"({"nb_res":1,"jobs":[)" + jobs + R"(],"profiles":{"p":{"type":"delay","delay":1}}})", "f", "w0", true);
    const auto needs = [&](std::size_t job) { return workload.jobs.at(job).description.needs; };
    for (std::size_t i = 0; i < others.size(); ++i) {
        INFO(others[i]);
        JsonReader reader;
        const JobDescription alone = read_job(reader.parse(workload.jobs[i].source));
        CHECK(workload.jobs[i].description == alone);
    }
    CHECK(&*needs(0) == &*needs(1));
    CHECK(&*needs(0) == &*needs(3));
    CHECK(needs(5)->pools == batfill::StatedNeeds::Amounts{{"a", 1}});
    CHECK_FALSE(needs(8));
}

TEST_CASE("A workload that is nested too deeply is refused, also where it would be skipped") {
    const std::string arrays(1'000'000, '[');
    CHECK(error_of(arrays) == "file.json: expected a JSON object with nb_res, jobs and profiles");
    CHECK(error_of(R"({"x":)" + arrays) == "file.json: JSON at byte 134: nested deeper than 128");
    CHECK(error_of(with_jobs(arrays)).ends_with(": nested deeper than 128"));
}

TEST_CASE("A workload that is written reads as the same") {
    const Folder folder;
    for (const char* name : {"workload.json", "workload.json.gz"}) {
        for (unsigned seed = 0; seed < 100; ++seed) {
            INFO(name << ", seed " << seed);
            const Workload written = random_workload(seed);
            write_workload(written, folder.file(name));
            const Workload read = read_workload(folder.file(name), "w1");
            CHECK(read.processors == written.processors);
            check_same_jobs(read, written);
            REQUIRE(read.profiles.size() == written.profiles.size());
            for (const auto& [profile_name, profile] : read.profiles) {
                CHECK(same_profile(profile, written.profiles.at(profile_name)));
            }
        }
    }
    CHECK(folder.files() == 2);
}

TEST_CASE("A workload is written a job a line, whole seconds as integers and only the fields that are set") {
    const Folder folder;
    Workload workload = parse(with_jobs(R"({"id":"1","subtime":0.5,"res":1,"profile":"p"},)"
                                        R"({"id":"2","subtime":100,"res":2,"walltime":10,"profile":"q","user":3})"));
    write_workload(workload, folder.file("workload.json"));
    CHECK(content(folder.file("workload.json")) ==
          "{\"nb_res\":4,\"jobs\":[\n"
          "{\"id\":\"1\",\"subtime\":0.5,\"res\":1,\"profile\":\"p\"},\n"
          "{\"id\":\"2\",\"subtime\":100,\"res\":2,\"walltime\":10,\"profile\":\"q\",\"user\":\"3\"}\n"
          "],\"profiles\":{\n"
          "\"p\":{\"type\":\"delay\",\"delay\":5},\n"
          "\"q\":{\"type\":\"delay\",\"delay\":0.25,\"ret\":3}\n"
          "}}\n");
    write_workload(workload, folder.file("workload.json.gz"));
    CHECK(content(folder.file("workload.json.gz")) == content(folder.file("workload.json")));
    std::ifstream raw(folder.file("workload.json.gz"), std::ios::binary);
    CHECK((raw.get() == 0x1f && raw.get() == 0x8b));
}

TEST_CASE("A workload says whether its walltimes stop jobs") {
    const Folder folder;
    const auto text = [](const std::string& field) {
        return "{\"nb_res\":4," + field + "\"jobs\":[\n],\"profiles\":{\n}}\n";
    };
    CHECK(!parse(text("")).believes_walltimes);
    CHECK(!parse(text("\"walltimes\":\"enforced\",")).believes_walltimes);
    const std::string believed = text("\"walltimes\":\"believed\",");
    write_workload(parse(believed), folder.file("workload.json"));
    CHECK(content(folder.file("workload.json")) == believed);
    CHECK(read_workload(folder.file("workload.json"), "w0").believes_walltimes);
}

TEST_CASE("A workload says when its second 0 was") {
    const Folder folder;
    const auto text = [](const std::string& field) {
        return "{\"nb_res\":4," + field + "\"jobs\":[\n],\"profiles\":{\n}}\n";
    };
    const auto rewritten = [&](const Workload& workload) {
        write_workload(workload, folder.file("workload.json"));
        return content(folder.file("workload.json"));
    };
    CHECK(!parse(text("")).origin);
    const std::string stockholm = text(R"("origin":"2002-03-31T01:00:00.25Z[Europe/Stockholm]",)");
    Workload workload = parse(stockholm);
    CHECK(workload.origin.value().since_1970 == Duration::microseconds(1'017'536'400'250'000));
    CHECK(workload.origin->time_zone == "Europe/Stockholm");
    CHECK(rewritten(workload) == stockholm);
    workload.format = WorkloadFormat::batsim5;
    CHECK(rewritten(workload) == stockholm);
    const std::string utc = text(R"("origin":"2002-03-31T01:00:00Z",)");
    for (const char* const date :
         {"2002-03-31 03:00:00+02:00", "2002-03-31T01:00:00Z", "2002-03-31 01:00:00", "2002-03-30 21:00:00-0400[]"}) {
        CHECK(rewritten(parse(text("\"origin\":\"" + std::string(date) + "\","))) == utc);
    }
    workload.origin->since_1970 = Duration::seconds(300'000'000'000);  // no date of four digits
    CHECK(rewritten(workload) == text(""));
}

TEST_CASE("Profiles that carry their source are written as it says") {
    const Folder folder;
    const std::string profile = R"({"type":"composed","seq":["q"],"repeat":2})";
    write_workload(parse(with_profile(profile), true), folder.file("workload.json"));
    CHECK(read_workload(folder.file("workload.json"), "w0", true).profiles.at("p").source == profile);
}

TEST_CASE("A workload of Batsim 5 reads as that of Batsim 4 does") {
    const Workload workload = parse(
        R"({"nb_res":4,"jobs":[{"id":"1","subtime":0.5,"res":1,"profile":"p"},)"
        R"({"id":"2","subtime":1,"res":2,"walltime":10,"profile":"h","extra_data":{"deadline":90.5,"user":"u","x":1}},)"
        R"({"id":"3","subtime":1,"res":2,"walltime":10,"profile":"t",)"
        R"("extra_data":"{\"licenses\":[\"l\"],\"queue\":7}"}],"profiles":{"p":{"type":"DelayProfile","delay":5,"ret":2},)"
        R"("h":{"type":"ParallelTaskHomogeneousProfile","cpu":1e9,"com":0},)"
        R"("t":{"type":"ParallelTaskHomogeneousProfile","cpu":1e9,"com":0,"generation_strategy":"Other"},)"
        R"("s":{"type":"SequentialCompositionProfile"}}})");
    CHECK(workload.format == WorkloadFormat::batsim5);
    CHECK(parse(with_jobs("")).format == WorkloadFormat::batsim4);
    CHECK_FALSE(workload.jobs.at(0).description.walltime.has_value());
    CHECK(workload.jobs.at(1).description.deadline == Time::at(Duration::microseconds(90'500'000)));
    CHECK(workload.jobs.at(1).description.user == "u");
    CHECK(workload.jobs.at(2).description.licenses == std::vector<std::string>{"l"});
    CHECK(workload.jobs.at(2).description.queue == "7");
    CHECK(workload.profiles.at("p").type == JobProfile::Type::delay);
    CHECK(workload.profiles.at("p").delay == Duration::seconds(5));
    CHECK(workload.profiles.at("p").return_code == 2);
    CHECK(workload.profiles.at("h").type == JobProfile::Type::parallel_homogeneous);
    CHECK(workload.profiles.at("t").type == JobProfile::Type::other);
    CHECK(workload.profiles.at("s").type == JobProfile::Type::other);
    CHECK(error_of(R"({"nb_res":4,"jobs":[],"profiles":{"p":{"type":"NapProfile"}}})") ==
          "file.json: profile \"p\": field \"type\": expected a profile type of Batsim, found the text \"NapProfile\"");
}

TEST_CASE("Fields of a job that are not known are kept, in both formats") {
    const Folder folder;
    Workload workload =
        parse(with_jobs(R"({"id":"1","subtime":0,"gpus":4,"res":1,"profile":"p","account":"a\"b","share":0.123456789},)"
                        R"({"id":"2","subtime":0,"res":1,"profile":"p"},)"
                        R"({"id":"3","subtime":0,"res":1,"profile":"p","extra_data":{"gpus":2}})"));
    CHECK(workload.jobs[0].description.other_fields == R"("gpus":4,"account":"a\"b","share":0.123456789)");
    CHECK(workload.jobs[1].description.other_fields.empty());
    CHECK(workload.jobs[2].description.other_fields == R"("gpus":2)");
    for (const WorkloadFormat format : {WorkloadFormat::batsim4, WorkloadFormat::batsim5}) {
        workload.format = format;
        write_workload(workload, folder.file("workload.json"));
        check_same_jobs(read_workload(folder.file("workload.json"), "w0"), workload);
    }
}

TEST_CASE("A job has a begin, and is a task of an array") {
    const auto needs_of = [](const std::string& fields) {
        return parse(with_jobs(R"({"id":"1","subtime":0,"res":1,"profile":"p",)" + fields + "}"))
            .jobs.at(0)
            .description.needs;
    };
    CHECK(needs_of(R"("begin":3600.25)")->begin == Time::at(Duration::microseconds(3'600'250'000)));
    CHECK(needs_of(R"("begin":0)")->begin == Time());
    const Shared<StatedNeeds> task = needs_of(R"("array":"12","array_limit":4)");
    CHECK(task->array == "12");
    CHECK(task->array_limit == 4);
    CHECK(needs_of(R"("array_limit":18446744073709551615)")->array_limit == 9'223'372'036'854'775'807);
    CHECK_FALSE(needs_of(R"("begin":null,"array":null,"array_limit":null,"partition":null,"reservation":null)"));
    CHECK(needs_of(R"("extra_data":{"begin":5})")->begin == Time::seconds(5));
    const auto refused = [](const std::string& field) {
        return error_of(with_jobs(R"({"id":"1","subtime":0,"res":1,"profile":"p",)" + field + "}"));
    };
    const std::string job = "file.json: jobs[0] (id \"1\"): field ";
    for (const std::string begin : {"-1", "1.1234567", "1e30", "\"5\"", "true"}) {
        CHECK(refused("\"begin\":" + begin)
                  .starts_with(job + "\"begin\": expected a time from 0 on, of at most six decimals, found "));
    }
    for (const std::string limit : {"0", "-1", "1.5", "4.0", "\"4\"", "true"}) {
        CHECK(refused("\"array_limit\":" + limit)
                  .starts_with(job + "\"array_limit\": expected a whole number from 1 on, found "));
    }
    CHECK(refused("\"array\":12") == job + "\"array\": expected a text, found the number 12");
    CHECK(refused("\"partition\":1") == job + "\"partition\": expected a text, found the number 1");
}

TEST_CASE("A workload is written as Batsim 5 reads it, and reads as the same") {
    const Folder folder;
    for (unsigned seed = 0; seed < 50; ++seed) {
        Workload written = random_workload(seed);
        written.format = WorkloadFormat::batsim5;
        write_workload(written, folder.file("workload.json"));
        const Workload read = read_workload(folder.file("workload.json"), "w1");
        check_same_jobs(read, written);
    }
    const std::string jobs = R"({"id":"1","subtime":0.5,"res":1,"walltime":-1,"profile":"p","own":[1],"user":"u"},)"
                             R"({"id":"2","subtime":1,"res":2,"walltime":10,"profile":"q","extra_data":{"x":1}},)"
                             R"({"id":"3","subtime":1,"res":2,"profile":"q","extra_data":"as it is"})";
    Workload workload = parse(with_jobs(jobs), true);
    workload.format = WorkloadFormat::batsim5;
    write_workload(workload, folder.file("workload.json"));
    CHECK(content(folder.file("workload.json")) ==
          "{\"nb_res\":4,\"jobs\":[\n"
          "{\"id\":\"1\",\"subtime\":0.5,\"res\":1,\"profile\":\"p\",\"extra_data\":{\"own\":[1],\"user\":\"u\"}},\n"
          "{\"id\":\"2\",\"subtime\":1,\"res\":2,\"walltime\":10,\"profile\":\"q\",\"extra_data\":{\"x\":1}},\n"
          "{\"id\":\"3\",\"subtime\":1,\"res\":2,\"profile\":\"q\",\"extra_data\":\"as it is\"}\n"
          "],\"profiles\":{\n"
          "\"p\":{\"type\":\"DelayProfile\",\"delay\":5},\n"
          "\"q\":{\"type\":\"DelayProfile\",\"delay\":0.25,\"ret\":3}\n"
          "}}\n");
    workload.jobs[2].description.user = "u";
    CHECK_THROWS_WITH(
        write_workload(workload, folder.file("workload.json")),
        "job \"w0!3\": its extra_data is not an object, expected one: in this format it holds the job's other fields");
    Workload composed = parse(with_profile(R"({"type":"composed","seq":["q"],"repeat":2})"), true);
    composed.format = WorkloadFormat::batsim5;
    CHECK_THROWS_WITH(
        write_workload(composed, folder.file("workload.json")),
        "profile \"p\": a profile of type \"composed\" cannot be written in the other format, expected a delay");
}

TEST_CASE("Files that cannot be read or written give an error that names them") {
    const Folder folder;
    CHECK_THROWS_WITH(read_workload(folder.file("none.json"), "w0"),
                      folder.file("none.json") + ": cannot be opened: No such file or directory");
    CHECK_THROWS_WITH(read_workload(folder.file("."), "w0"), folder.file(".") + ": cannot be read: Is a directory");
    CHECK_THROWS_WITH(write_workload(Workload(), folder.file("none/a.json")),
                      folder.file("none/a.json") + ": cannot be written: No such file or directory");
    write_workload(random_workload(1), folder.file("cut.json.gz"));
    std::filesystem::resize_file(folder.file("cut.json.gz"),
                                 std::filesystem::file_size(folder.file("cut.json.gz")) / 2);
    CHECK_THROWS_AS(read_workload(folder.file("cut.json.gz"), "w0"), InputError);
}

TEST_CASE("Every workload that the real Batsim has run reads", "[outside]") {
    if (!tests::have_test_data("batsim/inputs/workloads")) {
        return;
    }
    std::size_t jobs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::test_data("batsim/inputs/workloads"))) {
        const Workload workload = read_workload(entry.path().string(), "w0", true);
        INFO(entry.path());
        CHECK(!workload.jobs.empty());
        CHECK(!workload.profiles.empty());
        jobs += workload.jobs.size();
    }
    CHECK(jobs > 22'000);
}

TEST_CASE("a negative walltime is none, and a negative submission time is taken as it is") {
    const Workload workload =
        parse_workload(R"({"nb_res":1,"jobs":[{"id":"a","subtime":-2.5,"res":1,"profile":"p","walltime":-7}],)"
                       R"("profiles":{"p":{"type":"delay","delay":1}}})",
                       "file", "w0");
    CHECK(!workload.jobs.at(0).description.walltime);
    CHECK(workload.jobs.at(0).description.submit.to_string() == "-2.500000");
}

}  // namespace batfill::tests::workload_test
