#include "src/campaign/yaml_blocks.hpp"

#include <algorithm>

#include <yaml-cpp/depthguard.h>

#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill::campaign {

namespace {

// The messages repeat these numbers.
constexpr std::size_t max_values = 100'000;       // of a list
constexpr std::size_t max_nodes = 1'000'000;      // of a file, with what its aliases stand for
constexpr std::size_t max_settings = 10'000'000;  // of all combinations
constexpr std::size_t max_depth = 100;
constexpr const char* too_many_nodes =
    "expected at most a million values in all, and found more with what aliases stand for";
constexpr const char* too_deep = "expected at most 100 lists and maps inside each other";

}  // namespace

YAML::Node YamlBlocks::document(const std::string& text) {
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() > 1) {
            fail(documents[1], "expected one document, found another (\"---\" begins it)");
        }
        const YAML::Node root = documents.empty() ? YAML::Node() : documents.front();
        std::vector<YAML::Node> around;
        require_finite(root, around);
        merge_maps(root);
        nodes_ = 0;
        require_finite(root, around);
        return root;
    } catch (const YAML::DeepRecursion& problem) {
        throw InputError(path_ + ':' + std::to_string(problem.mark.line + 1) + ": " + too_deep);
    }
}

void YamlBlocks::fail(const YAML::Node& node, const std::string& problem) const {
    const YAML::Mark mark = node.Mark();
    throw InputError(path_ + (mark.is_null() ? "" : ":" + std::to_string(mark.line + 1)) + ": " + problem);
}

void YamlBlocks::require_known(const YAML::Node& map, const std::vector<std::string>& keys) const {
    for (const auto& member : map) {
        const std::string key = text(member.first, "a key");
        fail_if(std::ranges::find(keys, key) == keys.end(), member.first,
                [&] { return unknown_name("key", key, keys); });
    }
}

std::string YamlBlocks::text(const YAML::Node& node, const std::string& what) const {
    fail_if(!node.IsScalar() || node.Scalar().empty(), node, [&] {
        return "expected " + what + ", found " + (node.IsMap() ? "a map" : node.IsSequence() ? "a list" : "nothing");
    });
    return node.Scalar();
}

bool YamlBlocks::flag(const YAML::Node& map, const char* key) const {
    const YAML::Node node = map[key];
    bool value = false;
    fail_if(node.IsDefined() && !YAML::convert<bool>::decode(node, value), node, key, ": expected true or false");
    return value;
}

YAML::Node YamlBlocks::list(const YAML::Node& root, const char* key) const {
    const YAML::Node node = root[key];
    fail_if(!node.IsDefined() || !node.IsSequence() || node.size() == 0, node.IsDefined() ? node : root, key,
            ": expected a list with an entry or more");
    return node;
}

std::string YamlBlocks::path_of(const YAML::Node& node) const {
    return path_of(text(node, "the path of a file"));
}

std::string YamlBlocks::path_of(const std::filesystem::path& path) const {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    return path.is_absolute() || folder.empty() ? path.string() : (folder / path).string();
}

// An alias may stand inside of what it names, or for more than anybody can read. YAML's reader takes one of two equal
// keys. Refuses both before anything walks through the nodes. `around` are the lists and maps around the node.
void YamlBlocks::require_finite(const YAML::Node& node, std::vector<YAML::Node>& around) {
    fail_if(++nodes_ > max_nodes, node, too_many_nodes);
    if (!node.IsSequence() && !node.IsMap()) {
        return;
    }
    if (std::ranges::any_of(around, [&](const YAML::Node& outer) { return outer.is(node); })) {
        fail(node, "expected no alias inside of what it names");
    }
    fail_if(around.size() >= max_depth, node, too_deep);
    around.push_back(node);
    std::set<std::string> keys;
    for (const auto& member : node) {
        if (node.IsSequence()) {
            require_finite(member, around);
            continue;
        }
        const std::string key = text(member.first, "a key");
        fail_if(!keys.insert(key).second, member.first,
                [&] { return "there is a key " + shown(key) + " already in this map: expected each once"; });
        require_finite(member.second, around);
    }
    around.pop_back();
}

// Replaces the key << of YAML 1.1 by the members of the map that it names, or of several maps. A map's own members
// come before these, and those of an earlier map before those of a later one.
// Requires: require_finite() has passed.
void YamlBlocks::merge_maps(YAML::Node node) {
    if (node.IsSequence()) {
        for (const auto& element : node) {
            merge_maps(element);
        }
    }
    if (!node.IsMap()) {
        return;
    }
    for (const auto& member : node) {
        merge_maps(member.second);
    }
    const YAML::Node& read_only = node;  // [] of another node would add a key
    const YAML::Node merged = read_only["<<"];
    if (!merged.IsDefined()) {
        return;
    }
    const std::vector<YAML::Node> maps =
        merged.IsSequence() ? std::vector<YAML::Node>(merged.begin(), merged.end()) : std::vector<YAML::Node>{merged};
    node.remove("<<");
    for (const YAML::Node& map : maps) {
        fail_if(!map.IsMap(), merged, "<<: expected a map or a list of maps, as in <<: *base");
        nodes_ += map.size();
        fail_if(nodes_ > max_nodes, merged, too_many_nodes);
        for (const auto& member : map) {
            if (!read_only[member.first.Scalar()].IsDefined()) {
                node.force_insert(member.first, member.second);
            }
        }
    }
}

// Adds the values of a list; FIRST..LAST stands for the whole numbers from one to the other.
void YamlBlocks::add_values(const YAML::Node& node, const std::string& key, std::vector<std::string>& all) const {
    const std::string too_many = key + ": expected at most 100,000 values";
    if (node.IsSequence()) {
        for (const auto& element : node) {
            add_values(element, key, all);
        }
        return;
    }
    const std::string word = text(node, "values of " + key);
    const std::size_t dots = word.find("..");
    const auto first = number_in<std::size_t>(word.substr(0, dots));
    const auto last = dots == std::string::npos ? std::nullopt : number_in<std::size_t>(word.substr(dots + 2));
    if (!first || !last) {
        fail_if(all.size() == max_values, node, too_many);
        all.push_back(word);
        return;
    }
    fail_if(*last < *first, node,
            [&] { return key + ": expected FIRST..LAST with FIRST at most LAST, found " + shown(word); });
    fail_if(*last - *first >= max_values - all.size(), node, [&] { return too_many + ", found " + shown(word); });
    for (std::size_t i = 0; i <= *last - *first; ++i) {
        all.push_back(std::to_string(*first + i));
    }
}

void YamlBlocks::append_json(const YAML::Node& node, std::string& out) const {
    JsonWriter json(out);
    append_json(node, json);
}

void YamlBlocks::append_json(const YAML::Node& node, JsonWriter& json) const {
    if (node.IsMap()) {
        json.open_object();
        for (const auto& member : node) {
            json.key(text(member.first, "a name"));
            append_json(member.second, json);
        }
        json.close_object();
    } else if (node.IsSequence()) {
        json.open_array();
        for (const YAML::Node& element : node) {
            append_json(element, json);
        }
        json.close_array();
    } else if (node.IsNull()) {
        json.value() += "null";
    } else {
        const std::string& word = node.Scalar();
        const bool is_plain = node.Tag() == "?";  // not in quotes
        if (const auto number = number_in<long long>(word); is_plain && number) {
            json.integer(*number);
        } else if (is_plain && (word == "true" || word == "false")) {
            json.boolean(word == "true");
        } else {
            json.text(word);
        }
    }
}

Settings YamlBlocks::settings_of(const YAML::Node& block, const std::set<std::string>& own_keys) const {
    Settings settings;
    for (const auto& member : block) {
        const std::string key = text(member.first, "an option");
        const YAML::Node& value = member.second;
        if (key == "sweep" || own_keys.contains(key)) {
            continue;
        }
        const bool is_plain = value.IsScalar() && value.Tag() == "?";  // not in quotes
        if (value.IsNull() || (is_plain && value.Scalar() == "true")) {
            settings.push_back({key, std::nullopt});
        } else if (is_plain && value.Scalar() == "false") {
            continue;
        } else if (value.IsSequence()) {
            for (const auto& element : value) {
                settings.push_back({key, text(element, "values of " + key)});
            }
        } else {
            settings.push_back({key, text(value, "the value of " + key)});
        }
    }
    return settings;
}

std::vector<YamlBlocks::Variant> YamlBlocks::variants(const YAML::Node& block, const std::set<std::string>& own_keys) {
    std::vector<Variant> all{{settings_of(block, own_keys), {}}};
    const YAML::Node sweep = block["sweep"];
    fail_if(sweep.IsDefined() && !sweep.IsMap(), sweep, "sweep: expected options, each with a list of values");
    for (const auto& member : sweep) {
        const std::string key = text(member.first, "an option");
        fail_if(block[key].IsDefined(), member.first, [&] { return "sweep: " + shown(key) + " has a value already"; });
        std::vector<std::string> choices;
        add_values(member.second, key, choices);
        const std::size_t count = all.size() * choices.size();
        fail_if(choices.empty() || count > max_campaign_runs, member.first,
                "sweep: expected one to 100,000 combinations of values");
        fail_if(settings_ + count * (all.front().settings->size() + 1) > max_settings, block,
                "expected fewer options: there are more than 10,000,000 in all combinations of values");
        std::vector<Variant> more;
        more.reserve(count);
        for (const Variant& begun : all) {
            for (const std::string& choice : choices) {
                Variant& one = more.emplace_back(begun);
                one.settings->push_back({key, choice});
                one.swept.emplace_back(key, choice);
            }
        }
        all = std::move(more);
    }
    settings_ += all.size() * all.front().settings->size();
    return all;
}

std::vector<YamlBlocks::Variant> YamlBlocks::variants_of_part(const YAML::Node& entry, const std::string& key) {
    const YAML::Node block = entry[key];
    if (!block.IsDefined()) {
        return {{}};
    }
    if (!block.IsMap()) {
        const std::string found = block.IsSequence() ? "a list" : block.IsScalar() ? shown(block.Scalar()) : "nothing";
        fail(block, key + ": expected options and their values, as in " + key + ": {NAME: VALUE}, found " + found);
    }
    std::vector<Variant> all = variants(block, {});
    for (Variant& variant : all) {
        for (auto& [name, value] : variant.swept) {
            name.insert(0, key + '.');
        }
    }
    return all;
}

}  // namespace batfill::campaign
