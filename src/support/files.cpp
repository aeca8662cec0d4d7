#include "src/support/files.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

namespace batfill {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t piece_size = std::size_t{1} << 20;

// The temporary files and folders of this process. Creating, renaming or removing one requires the mutex.
std::mutex unfinished_mutex;
std::set<std::string> unfinished;

// Other programs take "-" for a stream of the process. `direction` is "in" or "out".
void require_file_name(const std::string& path, const std::string& direction) {
    refuse_if<InputError>(path.empty(), "expected the name of a file, found an empty one");
    refuse_if<InputError>(path == "-", "-: expected the name of a file; /dev/std", direction, " is the standard ",
                          direction, "put, and ./- a file of this name");
}

// Whether something follows the gzipped text of a file, which zlib passes over in silence. The last four bytes of a
// whole file are the size of the text, or of its last part; a text in their place reads as more than 150 million.
bool has_more_behind(const std::string& path, std::uintmax_t size_of_text) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return false;
    }
    std::array<char, 4> end{};
    std::ifstream file(path, std::ios::binary);
    if (!file.seekg(-4, std::ios::end) || !file.read(end.data(), end.size())) {
        return false;
    }
    std::uintmax_t size = 0;
    for (std::size_t byte = end.size(); byte-- > 0;) {
        size = size << 8U | static_cast<unsigned char>(end[byte]);
    }
    return size > size_of_text;
}

}  // namespace

TemporaryPath::~TemporaryPath() {
    if (!path_.empty()) {
        const std::lock_guard lock(unfinished_mutex);
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
        unfinished.erase(path_);
    }
}

bool TemporaryPath::create(const std::string& final_path, const std::function<bool(const std::string&)>& make) {
    constexpr int attempts = 1000;
    const std::lock_guard lock(unfinished_mutex);
    errno = EEXIST;
    for (int attempt = 0; attempt < attempts && errno == EEXIST; ++attempt) {
        std::string temporary = final_path + ".tmp" + std::to_string(getpid());
        if (attempt > 0) {
            temporary += '-' + std::to_string(attempt);
        }
        if (make(temporary)) {
            unfinished.insert(temporary);
            path_ = std::move(temporary);
            return true;
        }
    }
    return false;
}

bool TemporaryPath::rename_to(const std::string& final_path) {
    const std::lock_guard lock(unfinished_mutex);
    if (std::rename(path_.c_str(), final_path.c_str()) != 0) {
        return false;
    }
    unfinished.erase(path_);
    path_.clear();
    return true;
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    require_file_name(path_, "in");
    errno = 0;
    file_.reset(gzopen(path_.c_str(), "rb"));
    refuse_if<InputError>(!file_,
                          [&] { return path_ + ": cannot be opened: " + std::strerror(errno != 0 ? errno : ENOMEM); });
}

std::size_t InputFile::read(char* buffer, std::size_t size) {
    const int got = gzread(file_.get(), buffer, static_cast<unsigned>(size));
    int status = Z_OK;
    const char* problem = gzerror(file_.get(), &status);
    if (got < 0 || (status != Z_OK && status != Z_STREAM_END)) {
        throw InputError(path_ + ": cannot be read: " + (status == Z_ERRNO ? std::strerror(errno) : problem));
    }
    std::string_view text(buffer, static_cast<std::size_t>(got));
    size_ += text.size();
    refuse_if<InputError>(text.empty() && gzdirect(file_.get()) == 0 && has_more_behind(path_, size_), path_,
                          ": cannot be read: something follows the gzipped text, expected the end of the file");
    if (std::exchange(at_beginning_, false) && text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
        std::memmove(buffer, text.data(), text.size());
    }
    return text.size();
}

std::string InputFile::read_all(std::size_t max_size, std::string text) {
    std::string piece(piece_size, '\0');
    while (const std::size_t got = read(piece.data(), piece.size())) {
        refuse_if<InputError>(got > max_size - text.size(), path_, ": larger than ", max_size, " bytes");
        text.append(piece, 0, got);
    }
    return text;
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
    require_file_name(path, "out");
    std::error_code error;
    struct stat there {};
    const bool exists = stat(path.c_str(), &there) == 0;
    const char* const mode = path.ends_with(".gz") ? "wb" : "wbT";
    errno = 0;
    if (exists && !S_ISREG(there.st_mode)) {
        file_.reset(gzopen(path.c_str(), mode));
    } else {
        if (exists) {
            path_ = std::filesystem::canonical(path, error).string();  // write through a symbolic link
        }
        int descriptor = -1;
        const bool created = written_.create(path_, [&](const std::string& temporary) {
            constexpr mode_t for_all = 0666;  // before the umask of the user
            descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all);
            return descriptor >= 0;
        });
        require(created);
        if (exists) {
            // This fails, harmlessly, for a file of another user.
            (void)fchmod(descriptor, there.st_mode & 07777U);
        }
        file_.reset(gzdopen(descriptor, mode));
        if (!file_) {
            ::close(descriptor);
            errno = ENOMEM;
        }
    }
    require(file_ != nullptr);
    gzbuffer(file_.get(), piece_size);
}

void OutputFile::write(std::string_view text) {
    require(gzfwrite(text.data(), 1, text.size(), file_.get()) == text.size());
}

void OutputFile::close() {
    require(!file_ || gzclose(file_.release()) == Z_OK);
}

void OutputFile::commit() {
    close();
    require(written_.path().empty() || written_.rename_to(path_));
}

// Throws: InputError if the file could not be written. `errno` says why.
void OutputFile::require(bool is_done) const {
    if (!is_done) {
        throw InputError(path_ + ": cannot be written: " + std::strerror(errno != 0 ? errno : EIO));
    }
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
    if (!written_.create(path_, [](const std::string& temporary) { return mkdir(temporary.c_str(), for_all) == 0; })) {
        throw InputError(path_ + ": cannot be created: " + std::strerror(errno));
    }
}

void OutputFolder::commit() {
    refuse_if<InputError>(!written_.rename_to(path_),
                          [&] { return path_ + ": cannot be created: " + std::strerror(errno); });
}

void create_folders(const std::string& path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    refuse_if<InputError>(static_cast<bool>(problem),
                          [&] { return path + ": cannot be created: " + problem.message(); });
}

std::string canonical_path(const std::string& path) {
    std::error_code problem;
    const std::filesystem::path absolute = std::filesystem::absolute(path, problem);
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, problem);
    return (problem ? absolute.lexically_normal() : canonical).string();  // of a pipe there is no canonical path
}

void discard_unfinished_outputs() {
    unfinished_mutex.lock();  // never unlocked, since the process ends
    for (const std::string& path : unfinished) {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
}

std::string library_file() {
    static const char in_this_library = 0;
    Dl_info found{};
    refuse_if<InputError>(dladdr(&in_this_library, &found) == 0 || found.dli_fname == nullptr,
                          "the file of batfill's library cannot be found");
    return found.dli_fname;
}

namespace {

using Sha256 = std::array<unsigned char, crypto_hash_sha256_BYTES>;

std::string as_text(const Sha256& hash) {
    std::array<char, 2 * crypto_hash_sha256_BYTES + 1> text{};
    return sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
}

}  // namespace

std::string sha256(std::string_view bytes) {
    Sha256 hash{};
    crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return as_text(hash);
}

std::string sha256_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    std::array<char, 1 << 16> piece;
    while (file) {
        file.read(piece.data(), piece.size());
        crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(piece.data()),
                                  static_cast<unsigned long long>(file.gcount()));
    }
    refuse_if<InputError>(!file.eof() || file.bad(), path, ": cannot be read");
    Sha256 hash{};
    crypto_hash_sha256_final(&state, hash.data());
    return as_text(hash);
}

std::string hash_of_program(const std::vector<std::string>& plugins) {
    std::string text = sha256_of_file("/proc/self/exe") + sha256_of_file(library_file());
    for (const std::string& plugin : plugins) {
        text += sha256_of_file(plugin);
    }
    return sha256(text);
}

}  // namespace batfill
