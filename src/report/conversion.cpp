#include "src/report/conversion.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

namespace batfill::report {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
// The file has no name, so nothing remains however the process ends.
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const std::string& why) {
    throw InputError("the chart cannot be converted: " + why);
}

[[noreturn]] void fail(int error) {
    fail(std::generic_category().message(error));
}

TemporaryFile temporary_file() {
    TemporaryFile file(std::tmpfile());
    if (file == nullptr) {
        fail(errno);
    }
    return file;
}

std::string text_of(std::FILE* file) {
    std::rewind(file);
    std::string text;
    std::array<char, 65536> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), file)) {
        text.append(part.data(), size);
    }
    return text;
}

class FileActions {
 public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    void connect(std::FILE* file, int descriptor) {
        posix_spawn_file_actions_adddup2(&actions_, fileno(file), descriptor);
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
    posix_spawn_file_actions_t actions_{};
};

// As C takes texts: null is behind the last one.
std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result(texts.size() + 1, nullptr);
    std::transform(texts.begin(), texts.end(), result.begin(), [](std::string& text) { return text.data(); });
    return result;
}

// The environment of rsvg-convert: ours, and a fixed time of creation for a PDF, unless the user sets one.
std::vector<std::string> environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    if (std::getenv("SOURCE_DATE_EPOCH") == nullptr) {
        variables.emplace_back("SOURCE_DATE_EPOCH=0");
    }
    return variables;
}

// Runs rsvg-convert with these options.
std::string converted(const std::string& svg, std::vector<std::string> options) {
    const TemporaryFile input = temporary_file();
    const TemporaryFile output = temporary_file();
    const TemporaryFile errors = temporary_file();
    if (std::fwrite(svg.data(), 1, svg.size(), input.get()) != svg.size() || std::fflush(input.get()) != 0) {
        fail(errno);
    }
    std::rewind(input.get());
    FileActions actions;
    actions.connect(input.get(), STDIN_FILENO);
    actions.connect(output.get(), STDOUT_FILENO);
    actions.connect(errors.get(), STDERR_FILENO);
    options.insert(options.begin(), "rsvg-convert");
    std::vector<std::string> variables = environment();
    const std::vector<char*> arguments = pointers(options);
    pid_t process = 0;
    const int error =
        posix_spawnp(&process, arguments[0], actions.get(), nullptr, arguments.data(), pointers(variables).data());
    if (error == ENOENT) {
        fail("rsvg-convert is not installed, expected Debian's package librsvg2-bin, or a FILE.svg");
    }
    if (error != 0) {
        fail(error);
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) {
            fail(errno);
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::string line = text_of(errors.get());
        line.resize(std::min(line.find('\n'), line.size()));
        fail("rsvg-convert fails: " + (line.empty() ? "no error message" : line));
    }
    return text_of(output.get());
}

}  // namespace

std::string png_of(const std::string& svg, int dpi) {
    assert(1 <= dpi && dpi <= 2400);
    return converted(svg, {"--format=png", "--background-color=white", "--zoom=" + std::to_string(dpi / 96.0)});
}

std::string pdf_of(const std::string& svg) {
    return converted(svg, {"--format=pdf"});
}

}  // namespace batfill::report
