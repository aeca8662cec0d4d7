#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

namespace batfill::tests {

// An empty folder that is removed at the end.
class Folder {
 public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "batfill-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("cannot make a temporary folder");
        }
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    // The path of a file in it.
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    // Writes a file in it and returns its path.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name)) << text;
        return file(name);
    }
    // The number of files and folders in it.
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

 private:
    std::filesystem::path path_;
};

}  // namespace batfill::tests
