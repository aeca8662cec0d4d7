#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

#include <unistd.h>

namespace batfill::tests {

// A folder for the files of one test. It is removed at the end.
class TemporaryFolder {
 public:
    TemporaryFolder()
        : path_(std::filesystem::temp_directory_path() / ("batfill_unit_test_" + std::to_string(getpid()))) {
        std::filesystem::create_directory(path_);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

 private:
    std::filesystem::path path_;
};

}  // namespace batfill::tests
