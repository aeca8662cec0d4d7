#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>

#include <dlfcn.h>
#include <link.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/version.hpp>

#include "src/engine/registry.hpp"
#include "src/support/files.hpp"

namespace batfill {

namespace {

struct CloseSharedObject {
    void operator()(void* handle) const { dlclose(handle); }
};
using SharedObject = std::unique_ptr<void, CloseSharedObject>;

// The interface version, such as "0.2", that a symbol or library name in `text` contains.
std::optional<std::string> version_in(const std::string& text) {
    static const std::regex version(R"((?:interface_(\d+)_(\d+)|libbatfill\.so\.(\d+)\.(\d+)))");
    std::smatch found;
    if (!std::regex_search(text, found, version)) {
        return std::nullopt;
    }
    const std::size_t first = found[1].matched ? 1 : 3;
    return found[first].str() + '.' + found[first + 1].str();
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
    const auto fail = [&](const std::string& why) { throw InputError("plugin " + path + ": " + why); };
    const InputFile must_be_there(path);
    if (is_elf(path) && !is_whole_shared_object(path)) {
        fail("it is a shared object of which a part is missing");
    }
    // Without a slash, the dynamic linker would search the system's libraries.
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
    (void)object.release();  // its code must stay loaded
    return loaded.names;
}

}  // namespace batfill
