#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include <batfill/core/error.hpp>

#include "src/campaign/campaign_file.hpp"
#include "src/support/json_writer.hpp"

namespace batfill::campaign {

using options::Setting;
using options::Settings;

// Reads the values and the blocks of options of a YAML file. Every member throws InputError, which names the file and
// the line, for a value that it does not expect.
class YamlBlocks {
 public:
    // One combination of the values of a block and its sweep. Swept settings stand behind the others.
    struct Variant {
        std::optional<Settings> settings;  // none: there is no such block
        Swept swept;
    };

    explicit YamlBlocks(std::string path) : path_(std::move(path)) {}

    // Returns the only document of the text, with merge keys (<<) replaced by what they stand for. Refuses texts that
    // nobody can walk through: an alias inside of what it names, too many values, too deep, a key twice in a map.
    // Requires: not called before.
    YAML::Node document(const std::string& text);

    [[noreturn]] void fail(const YAML::Node& node, const std::string& problem) const;
    void fail_if(bool is_wrong, const YAML::Node& node, const auto&... parts) const {
        if (is_wrong) {
            fail(node, one_text(parts...));
        }
    }
    // Returns what `work` returns. A UsageError of it becomes an InputError at the line of `node`.
    auto at(const YAML::Node& node, auto work) const {
        try {
            return work();
        } catch (const UsageError& problem) {
            fail(node, problem.what());
        }
    }
    void require_known(const YAML::Node& map, const std::vector<std::string>& keys) const;
    std::string text(const YAML::Node& node, const std::string& what) const;
    bool flag(const YAML::Node& map, const char* key) const;
    // A list that is not empty.
    YAML::Node list(const YAML::Node& root, const char* key) const;
    // All combinations of the values of a block, without the keys that are not options.
    std::vector<Variant> variants(const YAML::Node& block, const std::set<std::string>& own_keys);
    // The variants of the block `key` of an entry, which need not have it. Swept options are called KEY.OPTION.
    std::vector<Variant> variants_of_part(const YAML::Node& entry, const std::string& key);
    // Appends the value as JSON: scalars without quotes are null, true, false and whole numbers, if they look so.
    void append_json(const YAML::Node& node, std::string& out) const;
    // A path, relative to the working directory; the file has it relative to its own folder.
    std::string path_of(const YAML::Node& node) const;
    std::string path_of(const std::filesystem::path& path) const;

 private:
    void append_json(const YAML::Node& node, JsonWriter& json) const;
    void require_finite(const YAML::Node& node, std::vector<YAML::Node>& around);
    void merge_maps(YAML::Node node);
    Settings settings_of(const YAML::Node& block, const std::set<std::string>& own_keys) const;
    void add_values(const YAML::Node& node, const std::string& key, std::vector<std::string>& all) const;

    std::string path_;
    std::size_t nodes_ = 0;     // seen by require_finite()
    std::size_t settings_ = 0;  // made by variants()
};

}  // namespace batfill::campaign
