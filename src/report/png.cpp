#include "src/report/png.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

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
    throw InputError("no PNG can be drawn: " + why);
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

}  // namespace

std::string png_of(const std::string& svg, int dpi) {
    assert(1 <= dpi && dpi <= 2400);
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
    std::string program = "rsvg-convert";
    std::string format = "--format=png";
    std::string ground = "--background-color=white";
    std::string zoom = "--zoom=" + std::to_string(dpi / 96.0);
    const std::array<char*, 5> arguments{program.data(), format.data(), ground.data(), zoom.data(), nullptr};
    pid_t process = 0;
    const int error = posix_spawnp(&process, program.c_str(), actions.get(), nullptr, arguments.data(), environ);
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

}  // namespace batfill::report
