#include "src/core/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include <batfill/error.hpp>

namespace batfill {

namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;

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

std::string InputFile::read_all(std::size_t max_size) {
    std::string text;
    std::string piece(piece_size, '\0');
    while (const std::size_t got = read(piece.data(), piece.size())) {
        if (got > max_size - text.size()) {
            throw InputError(path_ + ": larger than " + std::to_string(max_size) + " bytes");
        }
        text.append(piece, 0, got);
    }
    return text;
}

OutputFile::OutputFile(const std::string& path) : path_(path), written_path_(path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_regular_file(status)) {
        written_path_ = std::filesystem::canonical(path, error).string();  // a symbolic link stays a link
        path_ = written_path_;
    }
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
        written_path_ += ".tmp" + std::to_string(getpid());
    }
    errno = 0;
    file_.reset(gzopen(written_path_.c_str(), path.ends_with(".gz") ? "wb" : "wbT"));
    if (!file_) {
        fail();
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
    if (std::rename(written_path_.c_str(), path_.c_str()) != 0) {
        fail();
    }
    written_path_.clear();
}

void OutputFile::discard() const {
    if (!written_path_.empty() && written_path_ != path_) {
        unlink(written_path_.c_str());
    }
}

void OutputFile::fail() const {
    throw InputError(path_ + ": cannot be written: " + std::strerror(errno != 0 ? errno : EIO));
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
    const std::string temporary = path_ + ".tmp" + std::to_string(getpid());
    if (!std::filesystem::create_directory(temporary, error)) {
        throw InputError(path_ + ": cannot be created: " + (error ? error.message() : temporary + " is in the way"));
    }
    written_path_ = temporary;
}

OutputFolder::~OutputFolder() {
    if (!written_path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(written_path_, ignored);
    }
}

std::string OutputFolder::file(const std::string& name) const {
    return written_path_ + '/' + name;
}

void OutputFolder::commit() {
    std::error_code error;
    std::filesystem::rename(written_path_, path_, error);
    if (error) {
        throw InputError(path_ + ": cannot be created: " + error.message());
    }
    written_path_.clear();
}

}  // namespace batfill
