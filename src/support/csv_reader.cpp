#include "src/support/csv_reader.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <utility>

#include <csv.h>

#include <batfill/core/error.hpp>

#include "src/support/files.hpp"
#include "src/support/surplus_fields.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

// A byte that no text has. Other bytes may be letters in some encoding.
constexpr unsigned char no_quote = 0;

// Real lines are far smaller: an allocation of 100,000 single hosts in a jobs.csv has 700 kB.
constexpr std::size_t max_row_size = 16 << 20;

// Lines at the beginning of a large file may be far shorter than the others.
constexpr std::uintmax_t max_estimated_lines = 10'000'000;

}  // namespace

std::string CsvRow::job(std::size_t workload, std::size_t id) const {
    for (const std::size_t column : {workload, id}) {
        if (absent_[position_[column]]) {
            fail(column, "a name");
        }
    }
    std::string job;
    job.reserve(text(workload).size() + 1 + text(id).size());
    return job.append(text(workload)).append("!").append(text(id));
}

std::optional<Duration> CsvRow::seconds(std::size_t column, std::optional<Duration> (*parse)(std::string_view)) const {
    const std::string_view field = text(column);
    if (field.empty() || field == "nan" || field == "-nan") {
        return std::nullopt;
    }
    const std::optional<Duration> value = parse(field);
    if (!value) {
        fail(column, "a number of seconds");
    }
    return value;
}

std::vector<std::string_view> CsvRow::all() const {
    std::vector<std::string_view> fields;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        fields.push_back(field(i));
    }
    return fields;
}

void CsvRow::fail(const std::string& problem) const {
    throw InputError(path_ + ":" + std::to_string(line_) + ": " + problem);
}

void CsvRow::fail(std::size_t column, const std::string& expected) const {
    fail(std::string(format_.columns[column]) + " is " + excerpt(text(column)) + ", expected " + expected);
}

class CsvParser {
 public:
    CsvParser(const std::string& path, const CsvFormat& format, const std::function<void(const CsvRow&)>& handle)
        : row_(path, format), handle_(handle) {
        init();
    }
    CsvParser(const CsvParser&) = delete;
    CsvParser& operator=(const CsvParser&) = delete;
    ~CsvParser() { csv_free(&parser_); }

    // Parses the next piece of the text, which may be cut anywhere.
    void add(std::string_view text) {
        if (row_.format_.resumes_after_bad_rows) {
            add_lines(text);
        } else if (!parse(text)) {
            refuse_row(problem());
        }
    }
    // Takes comments off the beginning of the first piece of a table whose columns the user names. Stops at a comment
    // that has these names: what follows its sign is the header.
    std::string_view without_comments(std::string_view text) {
        const CsvFormat& format = row_.format_;
        while (format.is_mapped && (text.starts_with('#') || text.starts_with(';'))) {
            const std::string_view line = text.substr(0, text.find('\n'));
            const std::string_view names = line.substr(std::min(line.find_first_not_of("#; "), line.size()));
            const auto has = [&](std::string_view column) {
                const auto is_column = [&](std::string_view name) { return trimmed(name) == column; };
                return std::ranges::any_of(split(names, format.separator), is_column);
            };
            if (std::ranges::all_of(format.columns, has)) {
                text.remove_prefix(static_cast<std::size_t>(names.data() - text.data()));
                break;
            }
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            ++row_.line_;
        }
        return text;
    }
    // Requires: called once, after the last piece.
    void finish() {
        if (row_.format_.resumes_after_bad_rows) {
            finish_lines();
        }
        if (csv_fini(&parser_, on_field, on_row_end, this) != 0) {
            refuse_row(problem());
        }
        rethrow();
        use_waiting();
        refuse_if<InputError>(!have_header_, row_.path_, ": empty, expected a ", row_.format_.name,
                              " with a line of column names");
    }

 private:
    // libcsv is written in C: exceptions wait in problem_ until it returns.
    void guard(auto work) noexcept {
        try {
            if (!problem_) {
                work();
            }
        } catch (...) {
            problem_ = std::current_exception();
        }
    }

    static void on_field(void* text, std::size_t length, void* parser) noexcept {
        auto& self = *static_cast<CsvParser*>(parser);
        self.guard([&] { self.add_field(static_cast<const char*>(text), length); });
    }

    static void on_row_end(int terminator, void* parser) noexcept {
        auto& self = *static_cast<CsvParser*>(parser);
        self.guard([&] {
            self.end_row();
            self.row_.line_ += self.lines_in_fields_ + (terminator == '\n' ? 1 : 0);
            self.lines_in_fields_ = 0;
            self.row_ended_ = true;
        });
    }

    void init() {
        if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL | CSV_EMPTY_IS_NULL) != 0) {
            throw std::bad_alloc();
        }
        csv_set_delim(&parser_, static_cast<unsigned char>(row_.format_.separator));
        if (!row_.format_.has_quotes) {
            csv_set_quote(&parser_, no_quote);
        }
    }

    void rethrow() const {
        if (problem_) {
            std::rethrow_exception(problem_);
        }
    }

    // Returns whether the text is CSV so far.
    bool parse(std::string_view text) {
        const std::size_t parsed = csv_parse(&parser_, text.data(), text.size(), on_field, on_row_end, this);
        rethrow();
        return parsed == text.size() && csv_get_buffer_size(&parser_) <= max_row_size;
    }

    // Why parse() or csv_fini() failed.
    std::string problem() {
        return csv_get_buffer_size(&parser_) > max_row_size ? "line too long, or a quote is missing"
               : csv_error(&parser_) != CSV_EPARSE          ? "out of memory"
               : row_.format_.has_quotes                    ? "misplaced or missing quote"
                                                            : "expected no zero byte";
    }

    // Throws, unless there is a function for bad rows that does not. The names of columns must be read.
    void refuse_row(const std::string& problem) {
        if (row_.format_.on_bad_row != nullptr && have_header_) {
            (*row_.format_.on_bad_row)(row_, problem);
        } else {
            row_.fail(problem);
        }
    }

    // Parses line by line, and goes on after the first line of a row that is not CSV. Keeps the lines of an incomplete
    // row in unparsed_, as a missing quote shows only in a later line.
    void add_lines(std::string_view text) {
        unparsed_ += text;
        std::size_t row = 0;  // where the row begins
        std::size_t line = parsed_;
        for (std::size_t end = unparsed_.find('\n', line); end != std::string::npos; end = unparsed_.find('\n', line)) {
            row_ended_ = false;
            if (parse(std::string_view(unparsed_).substr(line, end + 1 - line))) {
                line = end + 1;
                row = row_ended_ ? line : row;
            } else {
                refuse_row(problem());
                resume();
                row = line = unparsed_.find('\n', row) + 1;
            }
        }
        unparsed_.erase(0, row);
        parsed_ = line - row;
        if (unparsed_.size() - parsed_ > max_row_size) {
            row_.fail("line too long");
        }
    }

    void finish_lines() {
        if (!unparsed_.empty() && !unparsed_.ends_with('\n')) {
            add_lines("\n");
        }
        while (!unparsed_.empty()) {  // a row whose closing quote is missing
            refuse_row("misplaced or missing quote");
            resume();
            unparsed_.erase(0, unparsed_.find('\n') + 1);
            parsed_ = 0;
            add_lines("");
        }
    }

    // Begins with the next line after a bad one.
    void resume() {
        csv_free(&parser_);
        init();
        clear_row();
        ++row_.line_;
        lines_in_fields_ = 0;
    }

    void clear_row() {
        row_.fields_.clear();
        row_.ends_.clear();
        row_.absent_.clear();
        row_.has_unclear_texts_ = false;
    }

    void add_field(const char* text, std::size_t length) {
        const std::string_view field(text, length);
        row_.absent_.push_back(text == nullptr);
        row_.fields_.append(field);
        row_.ends_.push_back(row_.fields_.size());
        lines_in_fields_ += static_cast<std::size_t>(std::ranges::count(field, '\n'));
        if (row_.fields_.size() + row_.ends_.size() > max_row_size) {
            row_.fail("line too long");
        }
    }

    // ---- Texts without quotes may have line ends: a line may be the rest of the row before it, which waits for it.

    // The fields of a row, without the names of its columns.
    struct Line {
        std::string fields;
        std::vector<std::size_t> ends;
        std::vector<bool> absent;
        std::size_t number = 0;
    };

    void exchange_with(Line& line) {
        std::swap(row_.fields_, line.fields);
        std::swap(row_.ends_, line.ends);
        std::swap(row_.absent_, line.absent);
    }

    bool goes_on_with_row() const {
        if (waiting_.ends.empty() || row_.ends_.size() >= header_size_) {
            return false;
        }
        if (waiting_.ends.size() < header_size_) {
            return waiting_.ends.size() > row_.certain_;
        }
        const auto may = row_.format_.may_stand_in;
        return is_free_.back() && may != nullptr && !may(names_.front(), row_.field(0));
    }

    void append_to_waiting() {
        waiting_.fields += '\n';
        const std::size_t before = waiting_.fields.size();
        waiting_.fields += row_.fields_;
        waiting_.ends.pop_back();
        for (const std::size_t end : row_.ends_) {
            waiting_.ends.push_back(before + end);
        }
        waiting_.absent.resize(waiting_.ends.size());
        if (waiting_.fields.size() + waiting_.ends.size() > max_row_size) {
            row_.fail("line too long");
        }
    }

    void use_waiting() {
        if (!waiting_.ends.empty()) {
            exchange_with(waiting_);
            const std::size_t line = std::exchange(row_.line_, waiting_.number);
            use_row();
            clear_row();
            row_.line_ = line;
            exchange_with(waiting_);
        }
    }

    void end_row() {
        if (row_.ends_.empty()) {
            return;
        }
        if (!have_header_ || row_.format_.has_quotes || row_.format_.free_texts.empty()) {
            use_row();
        } else if (goes_on_with_row()) {
            append_to_waiting();
        } else {
            use_waiting();
            exchange_with(waiting_);
            waiting_.number = row_.line_;
        }
        clear_row();
    }

    void use_row() {
        const std::size_t size = row_.ends_.size();
        if (!have_header_ && read_header()) {
            keep_names();
        } else if (size == header_size_) {
            if (row_.format_.on_names_again != nullptr && has_names_again()) {
                (*row_.format_.on_names_again)();
            } else {
                handle_(row_);
            }
        } else if (size > header_size_ && join_surplus()) {
            handle_(row_);
        } else {
            refuse_row(std::to_string(size) + " fields, expected " + std::to_string(header_size_) +
                       " as in the first line");
        }
    }

    void keep_names() {
        for (std::size_t i = 0; i < header_size_; ++i) {
            const std::string_view name = trimmed(row_.field(i));
            names_.emplace_back(name);
            is_free_.push_back(is_word_of(name, row_.format_.free_texts));
        }
        row_.certain_ = static_cast<std::size_t>(std::ranges::find(is_free_, true) - is_free_.begin());
    }

    bool has_names_again() const {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            std::string_view field = row_.field(i);
            if (i == 0) {  // of a comment
                field.remove_prefix(std::min(field.find_first_not_of("#; "), field.size()));
            }
            if (trimmed(field) != names_[i]) {
                return false;
            }
        }
        return !names_.empty();
    }

    // Gives each column its fields. Returns false if this is not possible, or not certain for a column that is read and
    // does not hold any text.
    bool join_surplus() {
        if (std::ranges::find(is_free_, true) == is_free_.end()) {
            return false;
        }
        const auto may = row_.format_.may_stand_in;
        const auto may_stand_in = [&](std::size_t column, std::string_view text) {
            const std::string& name = names_[column];  // without one, it is the end of each line
            return name.empty() ? text.empty() : may == nullptr || may(name, text);
        };
        const auto usually = row_.format_.usually_begins;
        const auto usually_begins = [&](std::size_t column, std::string_view text) {
            return may_stand_in(column, text) && (usually == nullptr || usually(names_[column], text));
        };
        std::vector<FieldsOfColumn> columns = spread_fields(row_.all(), is_free_, usually_begins);
        if (columns.empty() && usually != nullptr) {
            columns = spread_fields(row_.all(), is_free_, may_stand_in);
        }
        const auto is_unclear = [&](std::size_t column) {
            return column != CsvRow::missing && !columns[column].are_certain && !is_free_[column];
        };
        if (columns.empty() || std::ranges::any_of(row_.position_, is_unclear)) {
            return false;
        }
        std::string text;
        std::vector<std::size_t> ends;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            const auto [first, number, are_certain] = columns[column];
            row_.has_unclear_texts_ = row_.has_unclear_texts_ || (!are_certain && is_free_[column]);
            for (std::size_t field = first; are_certain && field < first + number; ++field) {
                text.append(field == first ? 0 : 1, row_.format_.separator).append(row_.field(field));
            }
            ends.push_back(text.size());
        }
        row_.fields_ = std::move(text);
        row_.ends_ = std::move(ends);
        row_.absent_.resize(columns.size());
        return true;
    }

    // Returns whether the line is a header. If not, it is a row of a table without one.
    bool read_header() {
        const CsvFormat& format = row_.format_;
        header_size_ = row_.ends_.size();
        have_header_ = true;
        if (format.has_any_columns || (format.is_mapped && count_columns())) {
            return false;
        }
        for (const std::string_view column : format.columns) {
            std::size_t found = place_of(column);
            for (const ColumnAlias& other : format.aliases) {
                found = found == CsvRow::missing && other.column == column ? place_of(other.alias) : found;
            }
            if (found == CsvRow::missing && row_.position_.size() < format.columns.size() - format.optional) {
                row_.fail(
                    "no column " + std::string(column) + ", expected " +
                    (format.is_mapped
                         ? "one of " + names_in_line() + "; numbers count the columns of a table without names"
                         : "a " + std::string(format.name) + " as " + std::string(format.written_by) + " writes it"));
            }
            row_.position_.push_back(found);
        }
        return true;
    }

    // The place of the column with this name in the line; missing if there is none.
    std::size_t place_of(std::string_view column) const {
        std::size_t found = CsvRow::missing;
        for (std::size_t i = 0; i < row_.ends_.size(); ++i) {
            const std::string_view name = trimmed(row_.field(i));
            if ((name == column || (row_.format_.ignores_case && equal_in_any_case(name, column))) &&
                std::exchange(found, i) != CsvRow::missing) {
                row_.fail("column " + std::string(column) + " twice");
            }
        }
        return found;
    }

    // Takes the names of the columns for their numbers, if they are numbers and the line does not have all such names.
    bool count_columns() {
        std::vector<std::size_t> numbers;
        bool has_names = true;
        for (const std::string_view column : row_.format_.columns) {
            const auto number = number_in<std::size_t>(column);
            if (!number || *number == 0) {
                return false;
            }
            has_names = has_names && has_name(column);
            numbers.push_back(*number - 1);
        }
        if (has_names || numbers.empty()) {
            return false;
        }
        if (const std::size_t last = std::ranges::max(numbers); last >= header_size_) {
            row_.fail("no column " + std::to_string(last + 1) + ", expected a number up to " +
                      std::to_string(header_size_) + ", or a name in the first line");
        }
        row_.position_ = std::move(numbers);
        return true;
    }

    bool has_name(std::string_view column) const {
        for (std::size_t i = 0; i < row_.ends_.size(); ++i) {
            if (trimmed(row_.field(i)) == column) {
                return true;
            }
        }
        return false;
    }

    std::string names_in_line() const {
        constexpr std::size_t most = 24;
        std::string names;
        for (std::size_t i = 0; i < std::min(row_.ends_.size(), most); ++i) {
            names += (i == 0 ? "" : ", ") + one_line(trimmed(row_.field(i)).substr(0, 60));
        }
        return names + (row_.ends_.size() > most ? ", ..." : "");
    }

    CsvRow row_;
    const std::function<void(const CsvRow&)>& handle_;
    csv_parser parser_{};
    std::exception_ptr problem_;
    Line waiting_;                     // for its next line; no fields: none
    std::size_t lines_in_fields_ = 0;  // line ends inside quoted fields of the row
    bool have_header_ = false;
    std::size_t header_size_ = 0;
    std::vector<std::string> names_;  // of the columns, in the order of the file
    std::vector<bool> is_free_;       // whether each holds any text
    bool row_ended_ = false;          // since it was last set to false
    std::string unparsed_;            // the row that is not complete yet, and what follows
    std::size_t parsed_ = 0;          // how much of this was parsed
};

std::size_t estimated_lines(const std::string& path) {
    constexpr std::size_t size_of_beginning = std::size_t{1} << 18;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return 0;
    }
    std::ifstream file(path, std::ios::binary);
    std::string beginning(size_of_beginning, '\0');
    file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(file.gcount()));
    const auto lines = static_cast<std::size_t>(std::count(beginning.begin(), beginning.end(), '\n'));
    if (lines == 0 || beginning.starts_with("\x1f\x8b")) {
        return 0;
    }
    const std::uintmax_t estimate = std::filesystem::file_size(path, ignored) / (beginning.size() / lines);
    // Adds two per cent, because lines at the beginning may be longer than average.
    return std::min(estimate, max_estimated_lines) * 51 / 50;
}

void read_csv(const std::string& path, const CsvFormat& format, const std::function<void(const CsvRow&)>& handle,
              std::optional<std::string_view> text) {
    CsvParser parser(path, format, handle);
    if (text) {
        parser.add(*text);
        parser.finish();
        return;
    }
    InputFile file(path);
    std::array<char, 1 << 16> buffer;
    bool at_beginning = true;
    while (const std::size_t size = file.read(buffer.data(), buffer.size())) {
        std::string_view piece(buffer.data(), size);
        if (std::exchange(at_beginning, false)) {
            if (format.read_other_kind != nullptr && (*format.read_other_kind)(file, piece)) {
                return;
            }
            const std::string wanted = "a " + std::string(format.name);
            // Numbers alone, and comments, look like a log.
            const FileKind of_mapped = format.is_mapped ? FileKind::log : FileKind::table;
            require_kind(piece, path, wanted, {FileKind::jobs_csv, FileKind::table, of_mapped, FileKind::empty});
            piece = parser.without_comments(piece);
        }
        parser.add(piece);
    }
    parser.finish();
}

}  // namespace batfill
