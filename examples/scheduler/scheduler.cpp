// A scheduler for Batsim 4, first come, first served: scheduler [ENDPOINT]
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <rapidjson/document.h>
#include <zmq.hpp>

int main(int argc, char** argv) {
    zmq::context_t context;
    zmq::socket_t socket(context, ZMQ_REP);
    socket.bind(argc > 1 ? argv[1] : "tcp://127.0.0.1:28000");
    std::set<int> idle;
    std::map<std::string, std::set<int>> running;          // each job's processors
    std::deque<std::pair<std::string, unsigned>> waiting;  // jobs and how many processors each requests
    for (bool ended = false; !ended;) {
        zmq::message_t frame;
        (void)socket.recv(frame);
        rapidjson::Document message;
        message.Parse(frame.data<char>(), frame.size());
        for (const auto& event : message["events"].GetArray()) {
            const std::string type = event["type"].GetString();
            const auto& data = event["data"];
            if (type == "SIMULATION_BEGINS") {
                for (int i = 0; i < data["nb_compute_resources"].GetInt(); ++i) {
                    idle.insert(i);
                }
            } else if (type == "JOB_SUBMITTED") {
                waiting.emplace_back(data["job_id"].GetString(), data["job"]["res"].GetUint());
            } else if (type == "JOB_COMPLETED") {
                idle.merge(running[data["job_id"].GetString()]);
            } else if (type == "SIMULATION_ENDS") {
                ended = true;
            }
        }
        const std::string now = std::to_string(message["now"].GetDouble());  // with six decimals
        std::string starts;
        for (; !waiting.empty() && waiting.front().second <= idle.size(); waiting.pop_front()) {
            const auto& [job, count] = waiting.front();
            std::string processors;
            while (running[job].size() < count) {
                processors += (processors.empty() ? "" : " ") + std::to_string(*idle.begin());
                running[job].insert(idle.extract(idle.begin()));
            }
            starts += (starts.empty() ? "" : ",") +
                      (R"({"timestamp":)" + now + R"(,"type":"EXECUTE_JOB","data":{"job_id":")" + job +
                       R"(","alloc":")" + processors + "\"}}");
        }
        const std::string reply = R"({"now":)" + now + R"(,"events":[)" + starts + "]}";
        socket.send(zmq::buffer(reply), zmq::send_flags::none);
    }
}
