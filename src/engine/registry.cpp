#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <dlfcn.h>
#include <link.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/version.hpp>

#include "src/support/files.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// Sorted by name: lists of algorithms do not depend on the order of registration.
std::map<std::string, AlgorithmDescription>& registry() {
    static std::map<std::string, AlgorithmDescription> algorithms;
    return algorithms;
}

// The algorithms of the plugin that is being loaded; null if none is. They are registered once the plugin is accepted.
std::vector<AlgorithmDescription>* of_plugin = nullptr;

std::vector<std::string> names_of_algorithms() {
    return mapped(registry(), [](const auto& entry) { return entry.first; });
}

}  // namespace

std::string text_of(const std::vector<Statistic>& statistics) {
    return list_of(mapped(statistics, [](const Statistic& one) { return one.name + ' ' + std::to_string(one.value); }));
}

AlgorithmDescription with_common_parameters(AlgorithmDescription description) {
    std::vector<std::string> placements;
    for (const Placement placement : description.placements) {
        placements.emplace_back(to_string(placement));
    }
    description.parameters.push_back(
        Parameter::seconds("default-walltime", "", "walltime of jobs that have none; without it they are rejected"));
    if (description.has_walltime_margin) {
        description.parameters.push_back(Parameter::seconds(
            "walltime-margin", "", "added to the walltimes in plans; jobs still stop at their walltimes"));
    }
    description.parameters.push_back(
        Parameter::choice("placement", placements, placements.at(0), "which of the idle processors a job gets"));
    description.parameters.push_back(Parameter::choice(
        "on-failure", {"continue", "requeue", "kill"}, "continue",
        "running jobs that lose a processor continue, are killed and submitted again, or are killed"));
    description.parameters.push_back(
        Parameter::choice("when-too-small", {"wait", "reject"}, "wait",
                          "jobs that need more processors than are available at present wait or are rejected"));
    return description;
}

CommonParameters::CommonParameters(const Parameters& parameters)
    : default_walltime(parameters.seconds("default-walltime")),
      walltime_margin(parameters.knows("walltime-margin") ? parameters.seconds("walltime-margin").value_or(Duration())
                                                          : Duration()),
      placement(*placement_named(parameters.choice("placement"))),
      on_failure(parameters.choice<OnFailure>("on-failure")),
      rejects_too_small(parameters.choice("when-too-small") == "reject") {
    refuse_if(default_walltime == Duration(), "parameter default-walltime must be more than 0 seconds");
}

void registration::BATFILL_INTERFACE(AlgorithmDescription description) {
    description = with_common_parameters(std::move(description));
    const std::string name = description.name;
    if (of_plugin != nullptr) {  // no exception may leave the initialisation of a shared object
        of_plugin->push_back(std::move(description));
    } else if (!registry().emplace(name, std::move(description)).second) {
        throw std::logic_error("two algorithms have the name " + name);
    }
}

std::vector<const AlgorithmDescription*> registered_algorithms() {
    return mapped(registry(), [](const auto& entry) -> const AlgorithmDescription* { return &entry.second; });
}

std::string known_algorithms() {
    return list_of(names_of_algorithms());
}

const AlgorithmDescription& find_algorithm(const std::string& name) {
    const auto found = registry().find(name);
    refuse_if(found == registry().end(), [&] { return unknown_name("algorithm", name, names_of_algorithms()); });
    return found->second;
}

namespace {

struct CloseSharedObject {
    void operator()(void* handle) const { dlclose(handle); }
};
using SharedObject = std::unique_ptr<void, CloseSharedObject>;

// The interface version, such as "0.2", that a symbol or library name in `text` contains.
std::optional<std::string> version_in(const std::string& text) {
    for (const std::string_view mark : {"interface_", "libbatfill.so."}) {
        const std::size_t at = text.find(mark);
        std::string found = at == std::string::npos ? "" : text.substr(at + mark.size());
        found.resize(std::min(found.find_first_not_of("0123456789._"), found.size()));
        std::ranges::replace(found, '_', '.');
        if (found.find('.') != std::string::npos) {
            return found;
        }
    }
    return std::nullopt;
}

// Why a file could not be loaded, from the message of the dynamic linker.
std::string explanation(const std::string& problem, const std::string& path) {
    if (const std::optional<std::string> built_for = version_in(problem)) {
        return "it was built for version " + *built_for + " of batfill's interface, and this is version " +
               interface_version;
    }
    for (const char* const other_format : {"invalid ELF header", "file too short", "cannot read file data"}) {
        if (problem.find(other_format) != std::string::npos) {
            return "it is not a shared object";
        }
    }
    return problem.starts_with(path + ": ") ? problem.substr(path.size() + 2) : problem;
}

// Whether the file has all parts of a shared object that its header announces. The dynamic linker does not check this;
// if a part is missing, a signal ends the process.
bool is_whole_shared_object(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header;
    const auto read = [&](void* to, std::size_t size, std::uint64_t from) {
        file.seekg(static_cast<std::streamoff>(from));
        return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(size)));
    };
    if (!read(&header, sizeof(header), 0)) {
        return false;
    }
    const std::uint64_t size = std::filesystem::file_size(path);
    const auto within = [&](std::uint64_t from, std::uint64_t length) { return from <= size && length <= size - from; };
    if (!within(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) part;
        if (!read(&part, sizeof(part), header.e_phoff + i * sizeof(part)) ||
            (part.p_type == PT_LOAD && !within(part.p_offset, part.p_filesz))) {
            return false;
        }
    }
    return true;
}

// Whether a regular file begins like a program or shared object of this machine.
bool is_elf(const std::string& path) {
    std::string mark(SELFMAG, '\0');
    std::ifstream(path, std::ios::binary).read(mark.data(), SELFMAG);
    return mark == ELFMAG;
}

}  // namespace

std::vector<std::string> load_plugin(const std::string& path) {
    const std::string plugin = "plugin " + path + ": ";
    std::error_code ignored;
    refuse_if<InputError>(  // opening a pipe could wait for ever
        std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored), plugin,
        "it is not a shared object");
    const InputFile must_be_there(path);
    refuse_if<InputError>(is_elf(path) && !is_whole_shared_object(path), plugin,
                          "it is a shared object of which a part is missing");
    // Without a slash, the dynamic linker would search the system's libraries.
    const std::string absolute = std::filesystem::absolute(path);
    refuse_if<InputError>(SharedObject(dlopen(absolute.c_str(), RTLD_NOW | RTLD_NOLOAD)) != nullptr, plugin,
                          "it is loaded already");
    SharedObject object;
    std::vector<AlgorithmDescription> loaded;  // destroyed before the code of its functions
    of_plugin = &loaded;
    object.reset(dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL));
    of_plugin = nullptr;
    refuse_if<InputError>(!object, plugin, [&] { return explanation(dlerror(), absolute); });
    refuse_if<InputError>(loaded.empty(), plugin, "it registers no algorithm");
    std::vector<std::string> names;
    for (const AlgorithmDescription& algorithm : loaded) {
        refuse_if<InputError>(
            registry().contains(algorithm.name) || std::ranges::find(names, algorithm.name) != names.end(), plugin,
            "there is an algorithm of the name ", algorithm.name, " already");
        names.push_back(algorithm.name);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        registry().emplace(names[i], std::move(loaded[i]));
    }
    (void)object.release();  // its code must stay loaded
    return names;
}

}  // namespace batfill
