#include "src/options/file_rules.hpp"

#include <filesystem>

#include "src/support/files.hpp"

namespace batfill::options {

void require_writable_folder(const std::string& prefix) {
    const std::filesystem::path folder = std::filesystem::path(prefix).parent_path();
    refuse_if<InputError>(!folder.empty() && !std::filesystem::is_directory(folder), prefix, ": the folder ",
                          folder.string(), " does not exist");
}

std::string path_ending_in(const std::vector<std::string>& endings, const std::string& path) {
    const std::filesystem::path name = std::filesystem::path(path).filename();
    const bool gzipped = name.extension() == ".gz";
    const std::string ending = (gzipped ? name.stem() : name).extension().string() + (gzipped ? ".gz" : "");
    refuse_if(!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end(),
              "expected a name that ends in " + list_of(endings) + ", found '" + path + "'");
    require_writable_folder(path);
    return path;
}

void require_other_file(const std::string& name, const std::optional<std::string>& path, const std::string& other,
                        const std::optional<std::string>& other_path) {
    refuse_if(path && other_path && canonical_path(*path) == canonical_path(*other_path),
              "--" + name + ": expected another file than --" + other + ", found '" + path.value_or("") + "'");
}

void require_no_input(const std::string& name, const std::optional<std::string>& path,
                      const std::vector<std::string>& inputs) {
    const auto is_written = [&path](const std::string& input) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(input, ignored) && std::filesystem::equivalent(*path, input, ignored);
    };
    if (!path) {
        return;
    }
    if (const auto input = std::ranges::find_if(inputs, is_written); input != inputs.end()) {
        throw UsageError("--" + name + ": would write over the input " + *input + ", expected another name");
    }
}

}  // namespace batfill::options
