#include "tests/support/process.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace batfill::tests {

namespace {

template <class Condition>
void wait_until(Condition condition, const std::string& what) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > limit) {
            throw std::runtime_error("waited too long for " + what);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

void limit(decltype(RLIMIT_AS) resource, std::size_t most) {
    if (most > 0) {
        const rlimit limit{most, most};
        setrlimit(resource, &limit);
    }
}

// Applies limits to this process and to the program that it executes.
void apply(const Limits& limits, const Folder& folder) {
    if (limits.memory == 0 && limits.file_size == 0 && limits.files == 0) {
        return;
    }
    // With --coverage, both processes add to files of counts when they end. A truncated one would make all later
    // processes report errors. So these processes write counts of their own.
    setenv("GCOV_PREFIX", folder.file("counts").c_str(), 1);
    setenv("GCOV_ERROR_FILE", "/dev/null", 1);
    limit(RLIMIT_AS, limits.memory);
    limit(RLIMIT_FSIZE, limits.file_size);
    limit(RLIMIT_NOFILE, limits.files);
    (void)std::signal(SIGXFSZ, SIG_IGN);  // makes a failing write an error, as on a full disk
}

}  // namespace

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Process::Process(const Folder& folder, const std::vector<std::string>& arguments, const Limits& limits,
                 const std::string& output, const std::string& called) {
    static int runs = 0;
    const std::string name = "run-" + std::to_string(++runs);
    output_ = output.empty() ? folder.file(name + ".out") : output;
    errors_ = folder.file(name + ".err");
    std::vector<std::string> texts{called.empty() ? BATFILL_PROGRAM : called};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ < 0) {
        throw std::runtime_error("cannot start a process");
    }
    if (id_ == 0) {
        const int out = open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int err = open(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        apply(limits, folder);
        execv(BATFILL_PROGRAM, pointers.data());
        _exit(127);
    }
}

Process::~Process() {
    if (!ended_) {
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
}

bool Process::has_ended() {
    int status = 0;
    if (!ended_ && waitpid(id_, &status, WNOHANG) == id_) {
        ended_ = true;
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return ended_;
}

int Process::wait() {
    wait_until([this] { return has_ended(); }, "the end of batfill");
    return status_;
}

void Process::signal(int number) const {
    kill(id_, number);
}

long long Process::peak_memory() const {
    std::ifstream status("/proc/" + std::to_string(id_) + "/status");
    for (std::string word; status >> word;) {
        if (word == "VmHWM:") {
            long long kibibytes = 0;
            status >> kibibytes;
            return kibibytes * 1024;
        }
    }
    throw std::runtime_error("the memory of a process that runs is not known");
}

std::string Process::wait_for_error_text(const std::string& text) {
    std::string errors;
    wait_until(
        [&] {
            const bool ended = has_ended();  // asked before the last output is read
            errors = contents(errors_);
            if (errors.find(text) != std::string::npos) {
                return true;
            }
            if (ended) {
                throw std::runtime_error("batfill ended without \"" + text + "\", saying: " + errors);
            }
            return false;
        },
        "\"" + text + "\"");
    return errors;
}

std::size_t megabytes_to_load(const Folder& folder) {
    constexpr std::size_t in_no_build = 1000;
    std::size_t megabytes = 20;
    while (megabytes < in_no_build && Process(folder, {"--version"}, {.memory = megabytes * 1'000'000}).wait() == 127) {
        megabytes += 10;
    }
    return megabytes;
}

}  // namespace batfill::tests
