#include <filesystem>
#include <memory>
#include <optional>
#include <regex>

#include <dlfcn.h>

#include <batfill/error.hpp>
#include <batfill/plugin.hpp>
#include <batfill/version.hpp>

#include "src/core/files.hpp"
#include "src/engine/registry.hpp"

namespace batfill {

namespace {

struct CloseSharedObject {
    void operator()(void* handle) const { dlclose(handle); }
};
using SharedObject = std::unique_ptr<void, CloseSharedObject>;

// "0.2", if `text` names a version of the interface: as the function that registers an algorithm or as the library.
std::optional<std::string> version_in(const std::string& text) {
    static const std::regex version(R"((?:interface_(\d+)_(\d+)|libbatfill\.so\.(\d+)\.(\d+)))");
    std::smatch found;
    if (!std::regex_search(text, found, version)) {
        return std::nullopt;
    }
    const std::size_t first = found[1].matched ? 1 : 3;
    return found[first].str() + '.' + found[first + 1].str();
}

// Why a file could not be loaded, of what the dynamic linker says.
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

}  // namespace

std::vector<std::string> load_plugin(const std::string& path) {
    const auto fail = [&](const std::string& why) { throw InputError("plugin " + path + ": " + why); };
    const InputFile must_be_there(path);
    // With a slash, or it would be looked for among the system's libraries.
    const std::string absolute = std::filesystem::absolute(path);
    if (SharedObject(dlopen(absolute.c_str(), RTLD_NOW | RTLD_NOLOAD))) {
        fail("it is loaded already");
    }
    LoadedAlgorithms loaded;
    record_registrations(&loaded);
    SharedObject object(dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL));
    record_registrations(nullptr);
    if (!object) {
        fail(explanation(dlerror(), absolute));
    }
    if (!loaded.taken.empty()) {
        for (const std::string& name : loaded.names) {
            unregister_algorithm(name);
        }
        fail("there is an algorithm of the name " + loaded.taken.front() + " already");
    }
    if (loaded.names.empty()) {
        fail("it registers no algorithm");
    }
    (void)object.release();  // its code is needed from now on
    return loaded.names;
}

}  // namespace batfill
