#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "src/edc/batsim_edc.hpp"
#include "tests/support/batsim5_recordings.hpp"

using namespace batfill;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// Loads the library as Batsim does. The sanitizers' own libraries cannot be loaded this way.
#ifdef BATFILL_SANITIZED
constexpr int load_flags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int load_flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

struct Answer {
    int status = 0;
    std::string text;  // without the zero byte
};

class Library {
 public:
    Library() : handle_(dlopen(BATFILL_EDC_LIBRARY, load_flags)) {
        INFO((handle_ == nullptr ? dlerror() : "loaded"));
        REQUIRE(handle_ != nullptr);
        find("batsim_edc_init", init_);
        find("batsim_edc_take_decisions", take_decisions_);
        find("batsim_edc_deinit", deinit_);
    }
    ~Library() {
        deinit_();
        dlclose(handle_);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    bool has(const char* symbol) const { return dlsym(handle_, symbol) != nullptr; }

    Answer init(const std::string& text) {
        // The library may not read beyond the text.
        std::vector<std::uint8_t> bytes(text.begin(), text.end());
        std::uint8_t* reply = nullptr;
        std::uint32_t size = 0;
        Answer answer;
        answer.status = init_(bytes.empty() ? nullptr : bytes.data(), static_cast<std::uint32_t>(bytes.size()), &flags,
                              &reply, &size);
        take(answer, reply, size);
        return answer;
    }
    Answer take_decisions(const std::string& message) {
        // Like Batsim's, the size counts the zero byte.
        std::vector<std::uint8_t> bytes(message.begin(), message.end());
        bytes.push_back(0);
        std::uint8_t* reply = nullptr;
        std::uint32_t size = 0;
        Answer answer;
        answer.status = take_decisions_(bytes.data(), static_cast<std::uint32_t>(bytes.size()), &reply, &size);
        take(answer, reply, size);
        return answer;
    }
    int deinit() { return deinit_(); }
    // The last reply, in the library's memory.
    std::string kept() const { return {reinterpret_cast<const char*>(reply_)}; }

    std::uint32_t flags = 0;

 private:
    template <class Function>
    void find(const char* name, Function*& function) {
        function = reinterpret_cast<Function*>(dlsym(handle_, name));
        REQUIRE(function != nullptr);
    }
    void take(Answer& answer, const std::uint8_t* reply, std::uint32_t size) {
        if (answer.status == 0) {
            reply_ = reply;
            answer.text = kept();
            CHECK(answer.text.size() + 1 == size);
        }
    }

    void* handle_;
    decltype(batsim_edc_init)* init_ = nullptr;
    decltype(batsim_edc_take_decisions)* take_decisions_ = nullptr;
    decltype(batsim_edc_deinit)* deinit_ = nullptr;
    const std::uint8_t* reply_ = nullptr;
};

// The output to the standard error stream during `work`.
std::string errors_of(const std::function<void()>& work) {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    std::fflush(stderr);
    const int before = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    work();
    std::fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    std::rewind(file);
    std::string text;
    std::array<char, 4096> buffer{};
    for (std::size_t read = 0; (read = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) {
        text.append(buffer.data(), read);
    }
    std::fclose(file);
    return text;
}

// Runs `work` on a stack that is as small as that of a Batsim process may be.
void on_small_stack(std::function<void()> work) {
    constexpr std::size_t stack_size = std::size_t{256} << 10;
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, stack_size) == 0);
    pthread_t thread{};
    const auto run = [](void* what) -> void* {
        (*static_cast<std::function<void()>*>(what))();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

std::string frame(const std::string& now, const std::string& events) {
    return R"({"now":)" + now + R"(,"events":[)" + events + "]}";
}

std::string event(const std::string& time, const std::string& type, const std::string& data) {
    return R"({"timestamp":)" + time + R"(,"event_type":")" + type + R"(","event":)" + data + "}";
}

const std::string easy = R"({"algorithm":"easy"})";
const std::string begins = frame("0.0", event("0.0", "SimulationBeginsEvent",
                                              R"({"computation_hosts":[{"id":0,"name":"n0"},{"id":1,"name":"n1"}]})"));
const std::string job_a = R"({"job_id":"w0!a","job":{"resource_request":1,"walltime":10.0,"extra_data":"",)"
                          R"("profile_id":"w0!p"},"submission_time":0.5})";
const std::string submission = frame("0.5", event("0.5", "JobSubmittedEvent", job_a));
const std::string completion = frame(
    "4", event("4", "JobCompletedEvent", R"({"job_id":"w0!a","state":"COMPLETED_SUCCESSFULLY","return_code":0})"));
const std::string ending = frame("4", event("4", "SimulationEndsEvent", "{}"));

std::set<std::string> decisions_in(const std::string& text) {
    const std::regex decision(R"re("job_id": ?"([^"]*)"(\}\}|, ?"allocation": ?\{"host_allocation": ?"([^"]*)"))re");
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), decision); at != std::sregex_iterator(); ++at) {
        found.insert((*at)[1].str() + " on " + (*at)[3].str());
    }
    return found;
}

}  // namespace

TEST_CASE("A simulation by calls") {
    Library library;
    const std::string log = errors_of([&] {
        const Answer hello = library.init(easy);
        CHECK(hello.status == 0);
        CHECK(library.flags == 2);
        CHECK_THAT(hello.text, StartsWith(R"({"now":0,"events":[{"timestamp":0,"event_type":"EDCHelloEvent",)"));
        CHECK(library.take_decisions(begins).text == R"({"now":0,"events":[]})");
        const Answer start = library.take_decisions(submission);
        CHECK(start.text ==
              R"({"now":0.5,"events":[{"timestamp":0.5,"event_type":"ExecuteJobEvent","event":{"job_id":"w0!a",)"
              R"("allocation":{"host_allocation":"0","executor_placement_type":)"
              R"("PredefinedExecutorPlacementStrategyWrapper","executor_placement":{}}}}]})");
        CHECK(library.kept() == start.text);
        CHECK(library.take_decisions(completion).text == R"({"now":4,"events":[]})");
        CHECK(library.take_decisions(ending).text == R"({"now":4,"events":[]})");
        CHECK(library.deinit() == 0);
    });
    CHECK_THAT(log, Contains("batfill: info: simulation begins: 2 processors, algorithm easy\n"));
    CHECK_THAT(log, Contains("batfill: info: 1 jobs (0 rejected)\n"));
}

TEST_CASE("Nothing but the three functions can be seen from outside") {
    const Library library;
    CHECK_FALSE(library.has("_ZN7batfill6quotedB5cxx11ESt17basic_string_viewIcSt11char_traitsIcEE"));
    CHECK_FALSE(library.has("_ZN7batfill8protocol10make_codecERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"));
}

TEST_CASE("What cannot be chosen is an error of the first call, with a line that says why") {
    Library library;
    const auto problem_with = [&](const std::string& text) {
        return errors_of([&] { CHECK(library.init(text).status == 1); });
    };
    CHECK_THAT(
        problem_with(""),
        StartsWith(
            R"(batfill: no algorithm named (Batsim's scheduler configuration: {"algorithm": "NAME"}), known: )"));
    CHECK_THAT(problem_with("hello"), Contains("the scheduler configuration names none: JSON at byte 0"));
    CHECK_THAT(problem_with(std::string("\0\xff", 2)), Contains("the scheduler configuration names none"));
    CHECK_THAT(problem_with(R"({"algorithm":"eazy"})"), Contains("eazy"));
    CHECK_THAT(problem_with(R"({"algorithm":"easy","params":{"speed":"full"}})"), Contains("speed"));
    CHECK(library.init(easy).status == 0);
    CHECK_THAT(problem_with(easy), Contains("expected once in a simulation"));
}

TEST_CASE("A message that cannot be answered is an error, and so is each that follows") {
    const auto problem_with = [](const std::vector<std::string>& messages) {
        Library library;
        return errors_of([&] {
            CHECK(library.init(easy).status == 0);
            for (std::size_t i = 0; i < messages.size(); ++i) {
                CHECK(library.take_decisions(messages[i]).status == (i + 1 == messages.size() ? 1 : 0));
            }
            const std::string second = errors_of([&] { CHECK(library.take_decisions(ending).status == 1); });
            CHECK_THAT(second, Contains("expected after batsim_edc_init, and not after an error"));
            CHECK(library.deinit() == 0);
        });
    };
    CHECK_THAT(problem_with({submission}), Contains("batfill: the first event is not SIMULATION_BEGINS\n"));
    CHECK_THAT(problem_with({begins, completion}), Contains("batfill: JOB_COMPLETED of the unknown job \"w0!a\"\n"));
    CHECK_THAT(problem_with({begins, submission, submission}), Contains("batfill: job \"w0!a\" is submitted twice\n"));
    CHECK_THAT(problem_with({begins, "no JSON"}), Contains("batfill: JSON at byte 1"));
    CHECK_THAT(problem_with({begins, ""}), Contains("batfill: JSON at byte 0"));
    CHECK_THAT(problem_with({begins, std::string(200000, '[')}), Contains("nested deeper than 128"));
}

TEST_CASE("One simulation may follow another") {
    Library library;
    for (int i = 0; i < 2; ++i) {
        errors_of([&] {
            CHECK(library.init(easy).status == 0);
            CHECK(library.take_decisions(begins).status == 0);
            CHECK_THAT(library.take_decisions(submission).text, Contains("ExecuteJobEvent"));
            CHECK(library.deinit() == 0);
        });
    }
    const std::string problem = errors_of([&] { CHECK(library.take_decisions(begins).status == 1); });
    CHECK_THAT(problem, Contains("expected after batsim_edc_init"));
}

TEST_CASE("Recorded conversations go as they went with Batsim's own schedulers", "[outside]") {
    if (!tests::have_batsim5_recordings()) {
        return;
    }
    const auto [recording, configuration] = GENERATE(table<std::string, std::string>({
        {"delays_easy", R"({"algorithm":"easy"})"},
        {"delays_fcfs", R"({"algorithm":"fcfs","params":{"default-walltime":1000}})"},
        {"rejected_all", R"({"algorithm":"rejecter"})"},
        {"rejected_fcfs", R"({"algorithm":"fcfs"})"},
        {"same_instant_fcfs", R"({"algorithm":"fcfs"})"},
        {"walltime_fcfs", R"({"algorithm":"fcfs","params":{"default-walltime":1000}})"},
        {"no_workload", R"({"algorithm":"conservative"})"},
    }));
    const std::string path = tests::test_data("batsim5/recordings/" + recording + ".jsonl");
    const std::vector<tests::RecordedMessage> messages = tests::read_batsim5_recording(path);
    std::vector<std::pair<std::string, std::string>> different;
    std::size_t answered = 0;
    errors_of([&, text = configuration] {
        on_small_stack([&] {
            Library library;
            Answer answer = library.init(text);
            for (const tests::RecordedMessage& message : messages) {
                if (message.from_batsim) {
                    answer = library.take_decisions(message.text);
                } else if (answer.status != 0 || decisions_in(answer.text) != decisions_in(message.text)) {
                    different.emplace_back(message.text, answer.text);
                } else {
                    ++answered;
                }
            }
        });
    });
    INFO(recording << (different.empty() ? "" : ": " + different[0].first + "\nbut now " + different[0].second));
    CHECK(different.empty());
    CHECK(answered * 2 == messages.size() + 1);
}
