#include "src/support/text_files.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"
#include "src/support/interruption.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// Whether a line has the 18 numbers of a log.
bool is_log_line(std::string_view line) {
    std::array<std::string_view, 18> columns;
    return split_at_blanks(line, columns) == columns.size() &&
           std::ranges::all_of(columns, [](std::string_view column) {
               return column.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
           });
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
    const bool has_jobs = has(text, "\"jobs\"") && (has(text, "\"subtime\"") || has(text, "\"profiles\""));
    return has_jobs || has(text, "\"nb_res\"") ? FileKind::workload : FileKind::json;
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
    {"text in UTF-16", "`iconv -f UTF-16 -t UTF-8 PATH` turns it into UTF-8"},
    {"a binary file", ""},
};
static_assert(std::size(found_kinds) == static_cast<std::size_t>(FileKind::binary) + 1);

FileKind kind_of(std::string_view beginning) {
    if (beginning.starts_with("\x1f\x8b")) {
        return FileKind::gzip;
    }
    if (beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF")) {
        return FileKind::utf16;
    }
    constexpr std::size_t size_of_mark = 16;  // larger than the magic number of programs, pictures, archives
    if (beginning.substr(0, size_of_mark).find('\0') != std::string_view::npos) {
        return FileKind::binary;
    }
    const std::string_view text = trimmed(beginning);
    if (text.empty()) {
        return FileKind::empty;
    }
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

constexpr std::size_t size_of_beginning = std::size_t{1} << 16;

// Uses lines one after the other, and puts file and line before errors.
struct Lines {
    const std::string& path;
    std::size_t max_size;
    const UseLine& use;
    std::size_t number = 0;

    void add(std::string_view line) {
        ++number;
        look_for_interruption();
        try {
            refuse_if<InputError>(line.size() > max_size, "expected a line of at most ", max_size >> 10, " KiB");
            use(line, number);
        } catch (const InputError& error) {
            throw InputError(path + ":" + std::to_string(number) + ": " + error.what());
        }
    }

    // Returns the incomplete line at the end.
    std::string_view add_complete(std::string_view text) {
        for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
            add(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
        return text;
    }
};

}  // namespace

FileKind kind_of_file(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return FileKind::unknown;
    }
    std::string beginning(size_of_beginning, '\0');
    beginning.resize(InputFile(path).read(beginning.data(), beginning.size()));
    return kind_of(beginning);
}

bool is_log(const std::string& path) {
    const FileKind kind = kind_of_file(path);
    const bool says_nothing = kind == FileKind::unknown || kind == FileKind::empty;
    return kind == FileKind::log || (says_nothing && (path.ends_with(".swf") || path.ends_with(".swf.gz")));
}

void require_kind(std::string_view beginning, const std::string& path, std::string_view wanted,
                  std::initializer_list<FileKind> accepted) {
    const FileKind kind = kind_of(beginning);
    if (kind == FileKind::unknown || std::ranges::find(accepted, kind) != accepted.end()) {
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
    InputFile file(path);
    std::string text(std::min(size_of_beginning, max_size), '\0');
    text.resize(file.read(text.data(), text.size()));
    require_kind(text, path, wanted, accepted);
    return file.read_all(max_size, std::move(text));
}

bool for_each_line(const std::string& path, std::size_t max_line_size, std::string_view wanted,
                   std::initializer_list<FileKind> accepted, const UseLine& use) {
    InputFile file(path);
    Lines lines{path, max_line_size, use};
    std::string buffer(std::size_t{256} << 10, '\0');
    std::string_view rest;  // of the previous piece
    for (bool at_beginning = true;; at_beginning = false) {
        const std::size_t got = file.read(buffer.data() + rest.size(), buffer.size() - rest.size());
        if (at_beginning) {
            require_kind({buffer.data(), got}, path, wanted, accepted);
        }
        rest = lines.add_complete({buffer.data(), rest.size() + got});
        if ((got == 0 && !rest.empty()) || rest.size() > max_line_size) {
            lines.add(rest);
        }
        if (got == 0) {
            return rest.empty();
        }
        std::memmove(buffer.data(), rest.data(), rest.size());
        if (rest.size() > buffer.size() / 2) {
            buffer.resize(2 * buffer.size());
        }
        rest = {buffer.data(), rest.size()};
    }
}

void for_each_line_in(std::string_view text, const std::string& path, std::size_t max_line_size, const UseLine& use) {
    Lines lines{path, max_line_size, use};
    if (const std::string_view rest = lines.add_complete(text); !rest.empty()) {
        lines.add(rest);
    }
}

}  // namespace batfill
