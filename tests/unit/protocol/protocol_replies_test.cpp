#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "protocol/batsim4.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/overloaded.hpp"
#include "tests/support/caught_log.hpp"

namespace batfill::tests::protocol_replies_test {

using namespace batfill::protocol;

namespace {

// What a scheduler writes for decisions on the jobs w0!0, w0!1, ...
std::string encoded(Time now, const std::vector<Decision>& decisions) {
    const auto codec = make_codec("batsim4");
    for (int i = 0; i < 10; ++i) {
        codec->ids().number_of("w0!" + std::to_string(i));
    }
    std::string frame;
    codec->encode(now, decisions, frame);
    return frame;
}

// Draws replies with every kind of decision, awkward texts and nested JSON. The same seed draws the same.
class Generator {
 public:
    explicit Generator(unsigned seed) : random_(seed) {}

    std::vector<Decision> decisions(JobIds& ids) {
        std::vector<Decision> decisions;
        repeat(4, [&] { decisions.push_back(decision(ids)); });
        return decisions;
    }
    // Times that a double carries to the microsecond, as it does all times that Batsim sends.
    Duration duration() { return Duration::microseconds(static_cast<long long>(random_() % 4'000'000'000'000'000)); }
    Time time() { return Time::at(duration()); }

 private:
    unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
    bool coin() { return below(2) == 0; }

    template <class Function>
    void repeat(unsigned most, Function f) {
        for (unsigned left = below(most + 1); left > 0; --left) {
            f();
        }
    }

    std::string text() {
        static const std::vector<std::string> parts{"w0!",  "17",   " ", "\"", "\\", "\n",
                                                    "\t",   "\x01", "/", "é",  "€",  "𝄞",
                                                    "{",    "}",    "[", "]",  ",",  std::string(1, '\0'),
                                                    "\x7f", "a"};
        std::string result;
        repeat(5, [&] { result += parts[below(static_cast<unsigned>(parts.size()))]; });
        return result;
    }

    ResourceSet some_resources() {
        ResourceSet set = ResourceSet::range(0, static_cast<int>(below(3)));
        repeat(4, [&] {
            const int first = static_cast<int>(below(1000));
            set.insert(ResourceSet::range(first, first + static_cast<int>(below(5))));
        });
        return set;
    }

    std::string quoted_text() {
        std::string result;
        append_json_string(text(), result);
        return result;
    }

    Json object(int depth = 0) {
        Json result = "{";
        repeat(3, [&] { result += (result.size() > 1 ? "," : "") + quoted_text() + ":" + json(depth + 1); });
        return result + "}";
    }

    Json json(int depth = 0) {
        switch (below(depth < 4 ? 8 : 6)) {
            case 0:
                return "null";
            case 1:
                return coin() ? "true" : "false";
            case 2:
                return std::to_string(static_cast<long long>(random_()));
            case 3:
                return std::to_string(random_());
            case 4:
                return quoted_text();
            case 5:
                return duration().to_string();
            case 6: {
                Json result = "[";
                repeat(3, [&] { result += (result.size() > 1 ? "," : "") + json(depth + 1); });
                return result + "]";
            }
            default:
                return object(depth);
        }
    }

    JobDescription job() {
        JobDescription job;
        job.id = text();
        job.submit = time();
        job.processors = static_cast<int>(below(1000));
        job.profile = text() + "p";
        if (coin()) {
            job.walltime = duration();
        }
        if (coin()) {
            job.deadline = time();
        }
        job.queue = text();
        job.user = std::to_string(below(100));
        repeat(3, [&] { job.licenses.push_back(text()); });
        return job;
    }

    Decision decision(JobIds& ids) {
        const JobNumber drawn = ids.number_of(text());
        switch (below(9)) {
            case 0:
                return StartJob{drawn, some_resources()};
            case 1:
                return RejectJob{drawn, {}, {}};
            case 2: {
                KillJobs kill{{drawn}};
                repeat(3, [&] { kill.jobs.push_back(ids.number_of(text())); });
                return kill;
            }
            case 3:
                return CallMeLater{time()};
            case 4:
                return SetResourceState{some_resources(), static_cast<int>(below(20))};
            case 5:
                return SetJobMetadata{drawn, text()};
            case 6: {
                JobDescription description = job();
                const JobNumber number = ids.number_of(description.id);
                return RegisterJob{number, std::move(description), {}};
            }
            case 7:
                return RegisterProfile{text(), text(), object()};
            default:
                return Notification{NotificationType::registration_finished, {}, {}};
        }
    }

    std::mt19937_64 random_;
};

// All that a reply says.
std::string text_of(const Message& reply, const JobIds& ids) {
    std::string text = reply.now.to_string();
    for (const Message::Event& event : reply.events) {
        text += '\n' + event.timestamp.to_string() + ' ';
        std::visit(Overloaded{[&](const StartJob& start) { text += ids.id(start.job) + start.allocation.to_string(); },
                              [&](const RejectJob& reject) { text += ids.id(reject.job); },
                              [&](const KillJobs& kill) {
                                  for (const JobNumber job : kill.jobs) {
                                      text += ids.id(job) + ' ';
                                  }
                              },
                              [&](const CallMeLater& call) { text += call.time.to_string(); },
                              [&](const SetResourceState& sets) {
                                  text += sets.processors.to_string() + std::to_string(sets.pstate);
                              },
                              [&](const SetJobMetadata& sets) { text += ids.id(sets.job) + sets.metadata; },
                              [&](const RegisterJob& registers) {
                                  text += ids.id(registers.job);
                                  append_job(registers.description, registers.description.id, text);
                              },
                              [&](const RegisterProfile& registers) {
                                  text += registers.workload + ' ' + registers.name + ' ' + registers.source;
                              },
                              [&](const Notification& notification) { text += to_string(notification.type); }},
                   std::get<Decision>(event.data));
    }
    return text;
}

}  // namespace

TEST_CASE("Decisions that are encoded are read as the same decisions") {
    const tests::CaughtLog log;
    std::string frame;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        Generator generator(seed);
        const auto codec = make_codec("batsim4");
        const std::vector<Decision> decisions = generator.decisions(codec->ids());
        Message reply{generator.time(), {}};
        for (const Decision& decision : decisions) {
            reply.events.push_back({reply.now, decision});
        }
        codec->encode(reply.now, decisions, frame);
        INFO("seed " << seed << ": " << frame);
        ReplyReader reader;
        REQUIRE(text_of(reader.read(frame), reader.ids()) == text_of(reply, codec->ids()));
    }
    CHECK(log.text().empty());
}

TEST_CASE("Replies are printed with six decimals and canonical allocations") {
    CHECK(encoded(Time::seconds(1),
                  {StartJob{JobNumber{1}, *ResourceSet::parse("5 1 2 3")}, RejectJob{JobNumber{2}, {}, {}},
                   KillJobs{{JobNumber{3}, JobNumber{4}}}, CallMeLater{Time::at(*Duration::parse("60.25"))}}) ==
          R"({"now":1.000000,"events":[)"
          R"({"timestamp":1.000000,"type":"EXECUTE_JOB","data":{"job_id":"w0!1","alloc":"1-3 5"}},)"
          R"({"timestamp":1.000000,"type":"REJECT_JOB","data":{"job_id":"w0!2"}},)"
          R"({"timestamp":1.000000,"type":"KILL_JOB","data":{"job_ids":["w0!3","w0!4"]}},)"
          R"({"timestamp":1.000000,"type":"CALL_ME_LATER","data":{"timestamp":60.250000}}]})");
    CHECK(encoded(Time(), {}) == R"({"now":0.000000,"events":[]})");
}

}  // namespace batfill::tests::protocol_replies_test
