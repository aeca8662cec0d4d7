#include "campaign_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/file_kind.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"
#include "src/support/sha256.hpp"

namespace batfill::campaign {

namespace {

constexpr std::size_t max_campaign_size = std::size_t{1} << 20;
constexpr std::size_t max_values = 100'000;       // of a list
constexpr std::size_t max_nodes = 1'000'000;      // of a file, with what its aliases stand for
constexpr std::size_t max_settings = 10'000'000;  // of all combinations
constexpr std::size_t max_depth = 100;

// A number for people: 100,000.
std::string count_text(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(at - 3, ",");
    }
    return text;
}

std::string too_deep() {
    return "expected at most " + std::to_string(max_depth) + " lists and maps inside each other";
}

// An option and its value, as a file or a sweep says it. A flag has no value.
struct Setting {
    std::string key;
    std::optional<std::string> value;
};
using Settings = std::vector<Setting>;

// Reads a file while it knows where in it the words are.
class Reader {
 public:
    explicit Reader(Campaign& campaign) : campaign_(campaign) {}

    void read(const std::vector<YAML::Node>& documents);

 private:
    // One combination of the values of a block and its sweep. What is swept stands behind what is not.
    struct Variant {
        Settings settings;
        Swept swept;
    };

    [[noreturn]] void fail(const YAML::Node& node, const std::string& problem) const;
    void require_known(const YAML::Node& map, const std::vector<std::string>& keys) const;
    std::string text(const YAML::Node& node, const std::string& what) const;
    bool flag(const YAML::Node& map, const char* key) const;
    Duration seconds(const YAML::Node& map, const char* key, Duration otherwise, Duration min = {}) const;
    YAML::Node list(const YAML::Node& root, const char* key) const;
    void require_finite(const YAML::Node& node, std::vector<YAML::Node>& around);
    void add_values(const YAML::Node& node, const std::string& key, std::vector<std::string>& all) const;
    std::vector<Swept> combinations(const YAML::Node& block) const;
    std::vector<Variant> variants(const YAML::Node& block, const std::set<std::string>& own_keys);
    std::vector<std::optional<Variant>> optional_variants(const YAML::Node& entry, const char* key);
    std::string path_of(const YAML::Node& node) const;
    std::string path_of(const std::filesystem::path& path) const;

    std::string source_of(const YAML::Node& entry) const;
    CampaignWorkload workload_from(const std::string& source, const YAML::Node& entry) const;
    void read_workload(const YAML::Node& entry);
    void add_workload(const YAML::Node& entry, CampaignWorkload workload);
    void read_machine(const YAML::Node& entry);
    void read_scheduler(const YAML::Node& entry);
    void add_scheduler(const YAML::Node& entry, NamedScheduler scheduler, Swept swept);
    void require_few_settings(const YAML::Node& block, std::size_t number) const;
    void require_few_runs(const YAML::Node& entry) const;
    void read_measures(const YAML::Node& measure);

    Campaign& campaign_;
    std::set<std::string> names_;  // of files of the present list, each once
    std::size_t nodes_ = 0;        // seen by require_finite()
    std::size_t settings_ = 0;     // made by variants()
};

void Reader::fail(const YAML::Node& node, const std::string& problem) const {
    const YAML::Mark mark = node.Mark();
    throw InputError(campaign_.path + (mark.is_null() ? "" : ":" + std::to_string(mark.line + 1)) + ": " + problem);
}

void Reader::require_known(const YAML::Node& map, const std::vector<std::string>& keys) const {
    for (const auto& member : map) {
        const std::string key = text(member.first, "a key");
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            fail(member.first, unknown_name("key", key, keys));
        }
    }
}

std::string Reader::text(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar() || node.Scalar().empty()) {
        fail(node, "expected " + what + ", found " +
                       (node.IsMap()        ? "a map"
                        : node.IsSequence() ? "a list"
                                            : "nothing"));
    }
    return node.Scalar();
}

bool Reader::flag(const YAML::Node& map, const char* key) const {
    const YAML::Node node = map[key];
    bool value = false;
    if (node.IsDefined() && !YAML::convert<bool>::decode(node, value)) {
        fail(node, std::string(key) + ": expected true or false");
    }
    return value;
}

Duration Reader::seconds(const YAML::Node& map, const char* key, Duration otherwise, Duration min) const {
    const YAML::Node node = map[key];
    if (!node.IsDefined()) {
        return otherwise;
    }
    try {
        return seconds_of(key, text(node, "a number of seconds"), min);
    } catch (const UsageError& problem) {
        fail(node, problem.what());
    }
}

YAML::Node Reader::list(const YAML::Node& root, const char* key) const {
    const YAML::Node node = root[key];
    if (!node.IsDefined() || !node.IsSequence() || node.size() == 0) {
        fail(node.IsDefined() ? node : root, std::string(key) + ": expected a list with an entry or more");
    }
    return node;
}

std::string Reader::path_of(const YAML::Node& node) const {
    return path_of(text(node, "the path of a file"));
}

std::string Reader::path_of(const std::filesystem::path& path) const {
    const std::filesystem::path folder = std::filesystem::path(campaign_.path).parent_path();
    return path.is_absolute() || folder.empty() ? path.string() : (folder / path).string();
}

// Aliases may stand inside of what they name, or for more than anybody can read: refuses these before anything walks
// through them, and keys that are there twice, of which YAML's reader takes one. `around` are the lists and maps around
// the node.
void Reader::require_finite(const YAML::Node& node, std::vector<YAML::Node>& around) {
    if (++nodes_ > max_nodes) {
        fail(node, "expected at most a million values in all, and found more with what aliases stand for");
    }
    if (!node.IsSequence() && !node.IsMap()) {
        return;
    }
    if (std::any_of(around.begin(), around.end(), [&](const YAML::Node& outer) { return outer.is(node); })) {
        fail(node, "expected no alias inside of what it names");
    }
    if (around.size() >= max_depth) {
        fail(node, too_deep());
    }
    around.push_back(node);
    std::set<std::string> keys;
    for (const auto& member : node) {
        if (node.IsSequence()) {
            require_finite(member, around);
            continue;
        }
        const std::string key = text(member.first, "a key");
        if (!keys.insert(key).second) {
            fail(member.first, "there is a key " + shown(key) + " already in this map: expected each once");
        }
        require_finite(member.second, around);
    }
    around.pop_back();
}

// Adds the values of a list; FIRST..LAST stands for the whole numbers from one to the other.
void Reader::add_values(const YAML::Node& node, const std::string& key, std::vector<std::string>& all) const {
    const std::string too_many = key + ": expected at most " + count_text(max_values) + " values";
    if (node.IsSequence()) {
        for (const auto& element : node) {
            add_values(element, key, all);
        }
        return;
    }
    const std::string word = text(node, "values of " + key);
    const std::size_t dots = word.find("..");
    std::optional<std::size_t> first;
    std::optional<std::size_t> last;
    if (dots != std::string::npos) {
        first = number_in<std::size_t>(word.substr(0, dots));
        last = number_in<std::size_t>(word.substr(dots + 2));
    }
    if (!first || !last) {
        if (all.size() == max_values) {
            fail(node, too_many);
        }
        all.push_back(word);
        return;
    }
    if (*last < *first) {
        fail(node, key + ": expected FIRST..LAST with FIRST at most LAST, found " + shown(word));
    }
    if (*last - *first >= max_values - all.size()) {
        fail(node, too_many + ", found " + shown(word));
    }
    for (std::size_t i = 0; i <= *last - *first; ++i) {
        all.push_back(std::to_string(*first + i));
    }
}

void Reader::require_few_settings(const YAML::Node& block, std::size_t number) const {
    if (number > max_settings) {
        fail(block, "expected fewer options: there are more than " + count_text(max_settings) +
                        " in all combinations of values");
    }
}

std::vector<Swept> Reader::combinations(const YAML::Node& block) const {
    std::vector<Swept> all(1);
    const YAML::Node sweep = block["sweep"];
    if (!sweep.IsDefined()) {
        return all;
    }
    if (!sweep.IsMap()) {
        fail(sweep, "sweep: expected options, each with a list of values");
    }
    for (const auto& member : sweep) {
        const std::string key = text(member.first, "an option");
        if (block[key].IsDefined()) {
            fail(member.first, "sweep: " + shown(key) + " has a value already");
        }
        std::vector<std::string> choices;
        add_values(member.second, key, choices);
        if (choices.empty() || all.size() * choices.size() > max_campaign_runs) {
            fail(member.first, "sweep: expected one to " + count_text(max_campaign_runs) + " combinations of values");
        }
        require_few_settings(block, all.size() * choices.size() * (all.front().size() + 1));
        std::vector<Swept> more;
        more.reserve(all.size() * choices.size());
        for (const Swept& begun : all) {
            for (const std::string& choice : choices) {
                more.push_back(begun);
                more.back().emplace_back(key, choice);
            }
        }
        all = std::move(more);
    }
    return all;
}

std::vector<Reader::Variant> Reader::variants(const YAML::Node& block, const std::set<std::string>& own_keys) {
    if (!block.IsMap()) {
        fail(block, "expected options and their values");
    }
    Settings settings;
    for (const auto& member : block) {
        const std::string key = text(member.first, "an option");
        const YAML::Node& value = member.second;
        if (key == "sweep" || own_keys.contains(key)) {
            continue;
        }
        bool on = true;
        if (value.IsNull() ||
            (value.IsScalar() && value.Tag() == "?" && (value.Scalar() == "true" || value.Scalar() == "false") &&
             YAML::convert<bool>::decode(value, on))) {
            if (on) {
                settings.push_back({key, std::nullopt});
            }
        } else if (value.IsSequence()) {
            for (const auto& element : value) {
                settings.push_back({key, text(element, "values of " + key)});
            }
        } else {
            settings.push_back({key, text(value, "the value of " + key)});
        }
    }
    std::vector<Variant> result;
    for (Swept& swept : combinations(block)) {
        settings_ += settings.size() + swept.size();
        require_few_settings(block, settings_);
        Settings all = settings;
        for (const auto& [key, value] : swept) {
            all.push_back({key, value});
        }
        result.push_back({std::move(all), std::move(swept)});
    }
    return result;
}

// The variants of the block `key`; one that is none if there is no such block.
std::vector<std::optional<Reader::Variant>> Reader::optional_variants(const YAML::Node& entry, const char* key) {
    if (!entry[key].IsDefined()) {
        return {std::nullopt};
    }
    const std::vector<Variant> all = variants(entry[key], {});
    return {all.begin(), all.end()};
}

Arguments arguments_of(const Settings& settings) {
    Arguments arguments;
    for (const Setting& setting : settings) {
        // One word, so that a value that begins with a dash is a value.
        arguments.push_back("--" + setting.key + (setting.value ? "=" + *setting.value : ""));
    }
    return arguments;
}

std::string suffix_of(const Swept& swept) {
    std::string suffix;
    for (const auto& [key, value] : swept) {
        suffix.append(",").append(key).append("=").append(value);
    }
    return suffix;
}

// Which of the keys that say where a workload comes from it has.
std::string Reader::source_of(const YAML::Node& entry) const {
    std::string source;
    for (const char* key : {"log", "workload", "generate"}) {
        if (!entry[key].IsDefined()) {
            continue;
        }
        if (!source.empty()) {
            fail(entry[key], "expected one of log, workload and generate, found " + source + " and " + key);
        }
        source = key;
    }
    if (source.empty()) {
        fail(entry, "expected one of log, workload and generate, found none of them");
    }
    return source;
}

// A workload without its options.
CampaignWorkload Reader::workload_from(const std::string& source, const YAML::Node& entry) const {
    using Source = CampaignWorkload::Source;
    CampaignWorkload workload;
    if (source == "generate") {
        workload.source = Source::model;
        workload.name = text(entry[source], "a model");
        if (workload.name != "lublin" && workload.name != farm_model) {
            fail(entry[source], unknown_name("model", workload.name, {farm_model, "lublin"}));
        }
        workload.options.push_back(workload.name);
    } else {
        workload.source = source == "log" ? Source::log : Source::workload;
        workload.path = path_of(entry[source]);
        workload.name = workload_name(workload.path);
    }
    if (workload.source == Source::workload) {
        require_known(entry, {"workload", "name", "deadlines", "failures"});
    }
    if (entry["name"].IsDefined()) {
        workload.name = text(entry["name"], "a name");
    }
    return workload;
}

void Reader::read_workload(const YAML::Node& entry) {
    if (!entry.IsMap()) {
        fail(entry, "expected a workload: log, workload or generate, and options");
    }
    const std::string source = source_of(entry);
    const CampaignWorkload workload = workload_from(source, entry);
    // Puts the options of a block into `arguments`, and notes which of them are swept.
    const auto take_over = [](const std::optional<Variant>& block, const std::string& name,
                              std::optional<Arguments>& arguments, Swept& swept) {
        if (!block) {
            return;
        }
        arguments = arguments_of(block->settings);
        for (const auto& [key, value] : block->swept) {
            swept.emplace_back(name + key, value);
        }
    };
    for (Variant& own : variants(entry, {source, "name", "deadlines", "failures"})) {
        for (Setting& setting : own.settings) {
            const bool is_path = source == "log" && (setting.key == "header" || setting.key == "schedule");
            if (is_path && setting.value) {
                setting.value = path_of(std::filesystem::path(*setting.value));
            }
        }
        const Arguments options = arguments_of(own.settings);
        for (const std::optional<Variant>& deadlines : optional_variants(entry, "deadlines")) {
            for (const std::optional<Variant>& failures : optional_variants(entry, "failures")) {
                CampaignWorkload one = workload;
                one.options.insert(one.options.end(), options.begin(), options.end());
                one.swept = own.swept;
                take_over(deadlines, "deadlines.", one.deadlines, one.swept);
                take_over(failures, "failures.", one.failures, one.swept);
                add_workload(entry, std::move(one));
            }
        }
    }
}

void Reader::add_workload(const YAML::Node& entry, CampaignWorkload workload) {
    workload.name = file_name_of(workload.name + suffix_of(workload.swept));
    workload.subject =
        campaign_.path + ':' + std::to_string(entry.Mark().line + 1) + ": workload " + shown(workload.name);
    if (!names_.insert(workload.name).second) {
        fail(entry, "there is a workload " + shown(workload.name) + " already: expected another name");
    }
    campaign_.workloads.push_back(std::move(workload));
    require_few_runs(entry);
}

void Reader::read_machine(const YAML::Node& entry) {
    std::string word = text(entry, "a machine");
    CampaignMachine machine;
    if (word == "own") {
        machine.name = word;
    } else {
        try {
            const bool is_number = number_of_hosts(word).has_value();
            const bool is_path = !is_number && word.find_first_of("./") != std::string::npos;
            machine.word = is_path ? path_of(entry) : word;
            machine.name = file_name_of(is_path ? workload_name(word) : word);
            if (!is_number && !is_path) {
                platform_file(word);
            }
        } catch (const UsageError& problem) {
            fail(entry, problem.what());
        }
    }
    if (!names_.insert(machine.name).second) {
        fail(entry, "there is a machine " + shown(machine.name) + " already");
    }
    campaign_.machines.push_back(std::move(machine));
    require_few_runs(entry);
}

void Reader::read_scheduler(const YAML::Node& entry) {
    if (entry.IsScalar()) {
        const std::string word = text(entry, "a scheduler");
        try {
            add_scheduler(entry, batfill::read_scheduler(word.ends_with(".json") ? path_of(entry) : word), {});
        } catch (const UsageError& problem) {
            fail(entry, problem.what());
        }
        return;
    }
    if (!entry.IsMap() || !entry["algorithm"].IsDefined()) {
        fail(entry, "expected a scheduler: NAME[,KEY=VALUE]..., or a map with algorithm and parameters");
    }
    const std::string algorithm = text(entry["algorithm"], "an algorithm");
    for (const Variant& variant : variants(entry, {"algorithm", "name"})) {
        NamedScheduler scheduler{
            entry["name"].IsDefined() ? text(entry["name"], "a name") + suffix_of(variant.swept) : "", {algorithm, {}}};
        for (const Setting& setting : variant.settings) {
            Parameters::Given& given = scheduler.choice.parameters;
            const std::string value = setting.value.value_or("true");
            if (!given.empty() && given.back().first == setting.key) {
                given.back().second += ',' + value;  // a list
            } else {
                given.emplace_back(setting.key, value);
            }
        }
        if (scheduler.name.empty()) {
            scheduler.name = algorithm + suffix_of(scheduler.choice.parameters);
        }
        try {
            require_usable(scheduler.choice);
        } catch (const UsageError& problem) {
            fail(entry, problem.what());
        }
        add_scheduler(entry, std::move(scheduler), variant.swept);
    }
}

void Reader::add_scheduler(const YAML::Node& entry, NamedScheduler scheduler, Swept swept) {
    const std::string file = file_name_of(scheduler.name);
    if (!names_.insert(file).second) {
        fail(entry, "there is a scheduler " + shown(scheduler.name) + " already: expected another name");
    }
    // The broken guarantees of "a" would be in the file of the guarantees of "a_broken".
    const std::string broken = "_broken";
    const bool is_broken = file.ends_with(broken) && names_.contains(file.substr(0, file.size() - broken.size()));
    if (is_broken || names_.contains(file + broken)) {
        const std::string first = is_broken ? file.substr(0, file.size() - broken.size()) : file;
        fail(entry, "the schedulers " + first + " and " + first + broken + " would share the file " + first + broken +
                        "_guarantees.csv: expected another name");
    }
    campaign_.schedulers.push_back({std::move(scheduler), std::move(swept)});
    require_few_runs(entry);
}

// As far as they are known.
void Reader::require_few_runs(const YAML::Node& entry) const {
    const std::size_t machines = std::max<std::size_t>(campaign_.machines.size(), 1);
    const std::size_t schedulers = std::max<std::size_t>(campaign_.schedulers.size(), 1);
    if (campaign_.workloads.size() * machines * schedulers > max_campaign_runs) {
        fail(entry, "expected at most " + count_text(max_campaign_runs) + " runs");
    }
}

void Reader::read_measures(const YAML::Node& measure) {
    if (!measure.IsDefined()) {
        return;
    }
    if (!measure.IsMap()) {
        fail(measure, "measure: expected options and their values");
    }
    require_known(measure, {"tau", "short-deadline", "warm-up", "cool-down"});
    campaign_.metrics.tau = seconds(measure, "tau", campaign_.metrics.tau, Duration::microseconds(1));
    campaign_.metrics.short_deadline = seconds(measure, "short-deadline", campaign_.metrics.short_deadline);
    campaign_.warm_up = seconds(measure, "warm-up", {});
    campaign_.cool_down = seconds(measure, "cool-down", {});
}

void Reader::read(const std::vector<YAML::Node>& documents) {
    if (documents.size() > 1) {
        fail(documents[1], "expected one document, found another (\"---\" begins it)");
    }
    const YAML::Node root = documents.empty() ? YAML::Node() : documents.front();
    std::vector<YAML::Node> around;
    require_finite(root, around);
    if (!root.IsMap()) {
        fail(root, "expected a map with workloads and schedulers");
    }
    require_known(root, {"workloads", "machines", "schedulers", "measure", "schedules", "reports"});
    for (const auto& entry : list(root, "workloads")) {
        read_workload(entry);
    }
    names_.clear();
    if (root["machines"].IsDefined()) {
        for (const auto& entry : list(root, "machines")) {
            read_machine(entry);
        }
    } else {
        campaign_.machines.push_back({"own", ""});
    }
    names_.clear();
    for (const auto& entry : list(root, "schedulers")) {
        read_scheduler(entry);
    }
    read_measures(root["measure"]);
    campaign_.reports = flag(root, "reports");
    campaign_.schedules = flag(root, "schedules") || campaign_.reports;
}

}  // namespace

Campaign read_campaign(const std::string& path) {
    Campaign campaign;
    campaign.path = path;
    campaign.text = read_file(path, max_campaign_size, "a campaign (YAML)", {FileKind::campaign, FileKind::json});
    try {
        Reader(campaign).read(YAML::LoadAll(campaign.text));
    } catch (const YAML::DeepRecursion& problem) {
        throw InputError(path + ':' + std::to_string(problem.mark.line + 1) + ": " + too_deep());
    } catch (const YAML::Exception& problem) {
        throw InputError(path + ':' + std::to_string(problem.mark.line + 1) + ": " + one_line(problem.msg));
    }
    return campaign;
}

std::string file_name_of(const std::string& name) {
    constexpr std::size_t longest = 120;  // file systems take 255 bytes, of which endings need some
    std::string result = name;
    for (char& c : result) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("._=,+-").find(c) != std::string_view::npos;
        c = plain ? c : '_';
    }
    // Names that differ must not become the same, be hidden, or be "..".
    const bool changed = result != name || result.size() > longest || result.front() == '.';
    return changed ? "_" + result.substr(0, longest) + '-' + sha256(name).substr(0, 8) : result;
}

}  // namespace batfill::campaign
