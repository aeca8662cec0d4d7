#include "src/support/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

namespace batfill {

namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;

// The temporary files and folders of this process. Creating, renaming or removing one requires the mutex.
std::mutex unfinished_mutex;
std::set<std::string> unfinished;

// Calls make(path) for temporary paths beside `path` until it creates something new. Records and returns that path;
// returns an empty one and sets errno on failure. Skips what a killed process left: in a container, every process may
// have the same number.
template <class Make>
std::string make_temporary(const std::string& path, Make make) {
    constexpr int attempts = 1000;
    const std::lock_guard lock(unfinished_mutex);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        std::string temporary = path + ".tmp" + std::to_string(getpid());
        if (attempt > 0) {
            temporary += '-' + std::to_string(attempt);
        }
        if (make(temporary)) {
            unfinished.insert(temporary);
            return temporary;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return {};
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    errno = 0;
    file_.reset(gzopen(path_.c_str(), "rb"));
    if (!file_) {
        throw InputError(path_ + ": cannot be opened: " + std::strerror(errno != 0 ? errno : ENOMEM));
    }
}

std::size_t InputFile::read(char* buffer, std::size_t size) {
    const int got = gzread(file_.get(), buffer, static_cast<unsigned>(size));
    int status = Z_OK;
    const char* problem = gzerror(file_.get(), &status);
    if (got < 0 || (status != Z_OK && status != Z_STREAM_END)) {
        throw InputError(path_ + ": cannot be read: " + (status == Z_ERRNO ? std::strerror(errno) : problem));
    }
    return static_cast<std::size_t>(got);
}

std::string InputFile::read_all(std::size_t max_size, std::string text) {
    std::string piece(piece_size, '\0');
    while (const std::size_t got = read(piece.data(), piece.size())) {
        if (got > max_size - text.size()) {
            throw InputError(path_ + ": larger than " + std::to_string(max_size) + " bytes");
        }
        text.append(piece, 0, got);
    }
    return text;
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
    std::error_code error;
    struct stat there {};
    const bool exists = stat(path.c_str(), &there) == 0;
    const char* const mode = path.ends_with(".gz") ? "wb" : "wbT";
    errno = 0;
    if (exists && !S_ISREG(there.st_mode)) {
        file_.reset(gzopen(path.c_str(), mode));
        if (!file_) {
            fail();
        }
    } else {
        if (exists) {
            path_ = std::filesystem::canonical(path, error).string();  // write through a symbolic link
        }
        int descriptor = -1;
        written_path_ = make_temporary(path_, [&](const std::string& temporary) {
            constexpr mode_t for_all = 0666;  // before the umask of the user
            descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all);
            return descriptor >= 0;
        });
        if (written_path_.empty()) {
            fail();
        }
        if (exists) {
            // This fails, harmlessly, for a file of another user.
            (void)fchmod(descriptor, there.st_mode & 07777U);
        }
        file_.reset(gzdopen(descriptor, mode));
        if (!file_) {
            ::close(descriptor);
            discard();
            errno = ENOMEM;
            fail();
        }
    }
    gzbuffer(file_.get(), piece_size);
}

OutputFile::~OutputFile() {
    file_.reset();
    discard();
}

void OutputFile::write(std::string_view text) {
    if (gzfwrite(text.data(), 1, text.size(), file_.get()) != text.size()) {
        fail();
    }
}

void OutputFile::close() {
    if (file_ && gzclose(file_.release()) != Z_OK) {
        fail();
    }
}

void OutputFile::commit() {
    close();
    if (written_path_.empty()) {
        return;
    }
    const std::lock_guard lock(unfinished_mutex);
    if (std::rename(written_path_.c_str(), path_.c_str()) != 0) {
        fail();
    }
    unfinished.erase(written_path_);
    written_path_.clear();
}

void OutputFile::discard() {
    if (!written_path_.empty()) {
        const std::lock_guard lock(unfinished_mutex);
        unlink(written_path_.c_str());
        unfinished.erase(written_path_);
        written_path_.clear();
    }
}

void OutputFile::fail() const {
    throw InputError(path_ + ": cannot be written: " + std::strerror(errno != 0 ? errno : EIO));
}

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

OutputFile& OutputFiles::add(const std::string& path) {
    paths_.push_back(path);
    return *files_.emplace_back(std::make_unique<OutputFile>(path));
}

std::vector<std::string> OutputFiles::commit() {
    for (const auto& file : files_) {
        file->close();
    }
    for (const auto& file : files_) {
        file->commit();
    }
    for (const std::string& path : left_out_) {
        std::error_code not_there;
        std::filesystem::remove(path, not_there);
    }
    return paths_;
}

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
    while (path_.size() > 1 && path_.ends_with('/')) {
        path_.pop_back();
    }
    std::error_code error;
    const bool is_new = !std::filesystem::exists(std::filesystem::symlink_status(path_, error));
    if (!is_new && !(std::filesystem::is_directory(path_, error) && std::filesystem::is_empty(path_, error))) {
        throw InputError(path_ + ": exists already, expected the name of a new folder");
    }
    constexpr mode_t for_all = 0777;
    written_path_ =
        make_temporary(path_, [](const std::string& temporary) { return mkdir(temporary.c_str(), for_all) == 0; });
    if (written_path_.empty()) {
        throw InputError(path_ + ": cannot be created: " + std::strerror(errno));
    }
}

OutputFolder::~OutputFolder() {
    if (!written_path_.empty()) {
        const std::lock_guard lock(unfinished_mutex);
        std::error_code ignored;
        std::filesystem::remove_all(written_path_, ignored);
        unfinished.erase(written_path_);
    }
}

std::string OutputFolder::file(const std::string& name) const {
    return written_path_ + '/' + name;
}

void OutputFolder::commit() {
    const std::lock_guard lock(unfinished_mutex);
    std::error_code error;
    std::filesystem::rename(written_path_, path_, error);
    if (error) {
        throw InputError(path_ + ": cannot be created: " + error.message());
    }
    unfinished.erase(written_path_);
    written_path_.clear();
}

void create_folders(const std::string& path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) {
        throw InputError(path + ": cannot be created: " + problem.message());
    }
}

void discard_unfinished_outputs() {
    unfinished_mutex.lock();  // never unlocked, since the process ends
    for (const std::string& path : unfinished) {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
}

}  // namespace batfill
