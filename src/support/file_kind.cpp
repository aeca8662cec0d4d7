#include "src/support/file_kind.hpp"

#include <algorithm>
#include <iterator>

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"

namespace batfill {

namespace {

constexpr std::string_view blanks = " \t\r\n";

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// Whether a line has the 18 numbers of a log.
bool is_log_line(std::string_view line) {
    int columns = 0;
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos; ++columns) {
        const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
        if (line.substr(at, end - at).find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
            return false;
        }
        at = line.find_first_not_of(blanks, end);
    }
    return columns == 18;
}

bool is_campaign(std::string_view text) {
    return text.starts_with("workloads:") || text.starts_with("schedulers:") || has(text, "\nworkloads:") ||
           has(text, "\nschedulers:");
}

// YAML may be written as JSON.
FileKind kind_of_json(std::string_view text) {
    if (has(text, "workloads") && has(text, "schedulers") && !has(text, "\"nb_res\"")) {
        return FileKind::campaign;
    }
    return has(text, "\"jobs\"") || has(text, "\"nb_res\"") ? FileKind::workload : FileKind::json;
}

// The name of a kind of file, and advice for its user. PATH stands for its path.
struct FoundKind {
    const char* name;
    const char* advice;
};

// In the order of the enumeration.
constexpr FoundKind found_kinds[] = {
    {"nothing", ""},
    {"nothing", ""},
    {"a log", "`batfill swf PATH -o WORKLOAD.json` makes a workload of it, `batfill campaign --init PATH` a campaign"},
    {"a workload in JSON", "`batfill simulate -p PLATFORM -w PATH -a NAME` replays it"},
    {"JSON", ""},
    {"a SimGrid platform", "commands take it with `-p PATH`"},
    {"XML", ""},
    {"a jobs.csv", "`batfill metrics PATH` measures it"},
    {"a table with commas or other separators", ""},
    {"a campaign in YAML", "`batfill campaign PATH -o FOLDER` runs it"},
    {"a gzipped file in a gzipped one", "unpack it once"},
    {"a binary file", ""},
};
static_assert(std::size(found_kinds) == static_cast<std::size_t>(FileKind::binary) + 1);

}  // namespace

FileKind kind_of(std::string_view beginning) {
    if (beginning.starts_with("\x1f\x8b")) {
        return FileKind::gzip;
    }
    constexpr std::size_t size_of_mark = 16;  // larger than the magic number of programs, pictures, archives
    if (beginning.substr(0, size_of_mark).find('\0') != std::string_view::npos) {
        return FileKind::binary;
    }
    const std::size_t first = beginning.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return FileKind::empty;
    }
    const std::string_view text = beginning.substr(first);
    const std::string_view line = text.substr(0, text.find('\n'));
    if (text.front() == '{' || text.front() == '[') {
        return kind_of_json(text);
    }
    if (text.front() == '<') {
        return has(text, "<platform") ? FileKind::platform : FileKind::xml;
    }
    if (text.front() == ';' || is_log_line(line)) {
        return FileKind::log;
    }
    if (is_campaign(text)) {
        return FileKind::campaign;
    }
    if (has(line, "job_id") && has(line, ",")) {
        return FileKind::jobs_csv;
    }
    return line.find_first_of(",|;") != std::string_view::npos ? FileKind::table : FileKind::unknown;
}

void require_kind(std::string_view beginning, const std::string& path, std::string_view wanted,
                  std::initializer_list<FileKind> accepted) {
    const FileKind kind = kind_of(beginning);
    if (kind == FileKind::unknown || std::find(accepted.begin(), accepted.end(), kind) != accepted.end()) {
        return;
    }
    const FoundKind& what = found_kinds[static_cast<std::size_t>(kind)];
    std::string advice = what.advice;
    for (std::size_t at = advice.find("PATH"); at != std::string::npos; at = advice.find("PATH", at + path.size())) {
        advice.replace(at, 4, path);
    }
    throw InputError(path + ": expected " + std::string(wanted) + ", found " + what.name +
                     (advice.empty() ? "" : "; ") + advice);
}

std::string read_file(const std::string& path, std::size_t max_size, std::string_view wanted,
                      std::initializer_list<FileKind> accepted) {
    constexpr std::size_t size_of_beginning = std::size_t{1} << 16;
    InputFile file(path);
    std::string text(std::min(size_of_beginning, max_size), '\0');
    text.resize(file.read(text.data(), text.size()));
    require_kind(text, path, wanted, accepted);
    return file.read_all(max_size, std::move(text));
}

}  // namespace batfill
