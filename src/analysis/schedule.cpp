#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include <csv.h>

#include <batfill/error.hpp>
#include <batfill/schedule.hpp>

#include "src/core/files.hpp"

namespace batfill {

namespace {

constexpr std::array<std::pair<std::string_view, FinalState>, 8> states{{
    {"COMPLETED_SUCCESSFULLY", FinalState::successful},
    {"COMPLETED_FAILED", FinalState::failed},
    {"COMPLETED_WALLTIME_REACHED", FinalState::walltime_reached},
    {"COMPLETED_KILLED", FinalState::killed},
    {"REJECTED", FinalState::rejected},
    {"RUNNING", FinalState::unfinished},
    {"SUBMITTED", FinalState::unfinished},
    {"NOT_SUBMITTED", FinalState::unfinished},
}};

enum Column : std::size_t {
    job_id,
    workload_name,
    submission_time,
    requested_number_of_resources,
    requested_time,
    success,
    final_state,
    starting_time,
    execution_time,
    finish_time,
    waiting_time,
    turnaround_time,
    allocated_resources,
    column_count
};

constexpr std::array<std::string_view, column_count> column_names{"job_id",
                                                                  "workload_name",
                                                                  "submission_time",
                                                                  "requested_number_of_resources",
                                                                  "requested_time",
                                                                  "success",
                                                                  "final_state",
                                                                  "starting_time",
                                                                  "execution_time",
                                                                  "finish_time",
                                                                  "waiting_time",
                                                                  "turnaround_time",
                                                                  "allocated_resources"};

// No field of a jobs.csv comes near: an allocation of 100,000 single hosts has 700 kB.
constexpr std::size_t longest_row = 16 << 20;

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// What a message shows of a field: not too much, and in one line.
std::string quoted(std::string_view text) {
    constexpr std::size_t shown = 60;
    std::string result(text.substr(0, shown));
    std::replace_if(result.begin(), result.end(), is_control, '?');
    return "'" + result + (text.size() > shown ? "...'" : "'");
}

// The fields of one line, in one piece of memory that is used again for the next.
class Row {
 public:
    void add(std::string_view field) {
        text_.append(field);
        ends_.push_back(text_.size());
    }
    void clear() {
        text_.clear();
        ends_.clear();
    }
    std::size_t size() const { return ends_.size(); }
    std::string_view operator[](std::size_t field) const {
        const std::size_t begin = field == 0 ? 0 : ends_[field - 1];
        return std::string_view(text_).substr(begin, ends_[field] - begin);
    }
    const std::string& text() const { return text_; }

 private:
    std::string text_;
    std::vector<std::size_t> ends_;
};

class JobsCsvReader {
 public:
    explicit JobsCsvReader(const std::string& path);
    JobsCsvReader(const JobsCsvReader&) = delete;
    JobsCsvReader& operator=(const JobsCsvReader&) = delete;
    ~JobsCsvReader() { csv_free(&parser_); }

    // The text may come in pieces, cut anywhere.
    void add(std::string_view text);
    // After the last piece.
    Schedule finish();

 private:
    // libcsv is C: exceptions wait in problem_ until it has returned.
    static void on_field(void* text, std::size_t length, void* reader) noexcept;
    static void on_row_end(int terminator, void* reader) noexcept;
    void check_parser(bool good);

    void end_row();
    void read_header();
    void read_job();
    std::string_view field(Column column) const { return row_[position_[column]]; }
    std::optional<Duration> optional_duration(Column column) const;
    Duration duration(Column column) const;
    int processors() const;
    FinalState state() const;
    std::optional<ExecutionRecord> execution(FinalState state) const;
    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(path_ + ":" + std::to_string(line_) + ": " + problem);
    }
    [[noreturn]] void fail(Column column, const std::string& expected) const {
        fail(std::string(column_names[column]) + " is " + quoted(field(column)) + ", expected " + expected);
    }

    std::string path_;
    Schedule schedule_;
    csv_parser parser_{};
    std::exception_ptr problem_;
    Row row_;
    std::size_t line_ = 1;             // where the current row begins
    std::size_t lines_in_fields_ = 0;  // line ends inside its quoted fields
    bool have_header_ = false;
    std::size_t header_size_ = 0;
    std::array<std::size_t, column_count> position_{};
};

JobsCsvReader::JobsCsvReader(const std::string& path) : path_(path) {
    schedule_.path = path;
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) {
        throw std::bad_alloc();
    }
}

void JobsCsvReader::add(std::string_view text) {
    const std::size_t parsed = csv_parse(&parser_, text.data(), text.size(), on_field, on_row_end, this);
    check_parser(parsed == text.size());
}

Schedule JobsCsvReader::finish() {
    check_parser(csv_fini(&parser_, on_field, on_row_end, this) == 0);
    if (!have_header_) {
        throw InputError(path_ + ": empty, expected a jobs.csv with a line of column names");
    }
    return std::move(schedule_);
}

void JobsCsvReader::check_parser(bool good) {
    if (problem_) {
        std::rethrow_exception(problem_);
    }
    if (!good) {
        fail(csv_error(&parser_) == CSV_EPARSE ? "misplaced or missing quote" : "out of memory");
    }
    if (csv_get_buffer_size(&parser_) > longest_row) {
        fail("line too long, or a quote is missing");
    }
}

void JobsCsvReader::on_field(void* text, std::size_t length, void* reader) noexcept {
    auto& self = *static_cast<JobsCsvReader*>(reader);
    if (self.problem_) {
        return;
    }
    try {
        const std::string_view field(static_cast<const char*>(text), length);
        self.row_.add(field);
        self.lines_in_fields_ += static_cast<std::size_t>(std::count(field.begin(), field.end(), '\n'));
        if (self.row_.text().size() + self.row_.size() > longest_row) {
            self.fail("line too long");
        }
    } catch (...) {
        self.problem_ = std::current_exception();
    }
}

void JobsCsvReader::on_row_end(int terminator, void* reader) noexcept {
    auto& self = *static_cast<JobsCsvReader*>(reader);
    if (self.problem_) {
        return;
    }
    try {
        self.end_row();
        self.line_ += self.lines_in_fields_ + (terminator == '\n' ? 1 : 0);
        self.lines_in_fields_ = 0;
    } catch (...) {
        self.problem_ = std::current_exception();
    }
}

void JobsCsvReader::end_row() {
    if (row_.size() == 0) {
        return;
    }
    if (have_header_) {
        read_job();
    } else {
        read_header();
    }
    row_.clear();
}

void JobsCsvReader::read_header() {
    for (std::size_t column = 0; column < column_count; ++column) {
        std::size_t found = row_.size();
        for (std::size_t i = 0; i < row_.size(); ++i) {
            if (row_[i] == column_names[column]) {
                if (found != row_.size()) {
                    fail("column " + std::string(column_names[column]) + " twice");
                }
                found = i;
            }
        }
        if (found == row_.size()) {
            fail("no column " + std::string(column_names[column]) + ", expected a jobs.csv as Batsim 4 writes it");
        }
        position_[column] = found;
    }
    header_size_ = row_.size();
    have_header_ = true;
}

void JobsCsvReader::read_job() {
    if (row_.size() != header_size_) {
        fail(std::to_string(row_.size()) + " fields, expected " + std::to_string(header_size_) +
             " as in the first line");
    }
    ScheduledJob& job = schedule_.jobs.emplace_back();
    job.id.reserve(field(workload_name).size() + 1 + field(job_id).size());
    job.id.append(field(workload_name)).append("!").append(field(job_id));
    if (field(job_id).empty() || std::any_of(job.id.begin(), job.id.end(), is_control)) {
        fail(job_id, "a name");
    }
    job.submit = Time::at(duration(submission_time));
    job.processors = processors();
    job.walltime = optional_duration(requested_time);
    if (job.walltime && *job.walltime < Duration()) {
        job.walltime.reset();
    }
    if (field(success) != "0" && field(success) != "1") {
        fail(success, "0 or 1");
    }
    job.success = field(success) == "1";
    job.state = state();
    job.execution = execution(job.state);
    std::optional<ResourceSet> allocation = ResourceSet::parse(field(allocated_resources));
    if (!allocation) {
        fail(allocated_resources, "host numbers like 0-3 7");
    }
    job.allocation = std::move(*allocation);
}

std::optional<Duration> JobsCsvReader::optional_duration(Column column) const {
    const std::string_view text = field(column);
    if (text.empty() || text == "nan" || text == "-nan") {
        return std::nullopt;
    }
    const std::optional<Duration> value = Duration::parse(text);
    if (!value) {
        fail(column, "a number of seconds");
    }
    return value;
}

Duration JobsCsvReader::duration(Column column) const {
    const std::optional<Duration> value = optional_duration(column);
    if (!value) {
        fail(column, "a number of seconds");
    }
    return *value;
}

int JobsCsvReader::processors() const {
    const std::string_view text = field(requested_number_of_resources);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
        fail(requested_number_of_resources, "a number of processors");
    }
    return value;
}

FinalState JobsCsvReader::state() const {
    for (const auto& [name, state] : states) {
        if (field(final_state) == name) {
            return state;
        }
    }
    std::string known;
    for (const auto& [name, state] : states) {
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    fail(final_state, "one of " + known);
}

std::optional<ExecutionRecord> JobsCsvReader::execution(FinalState state) const {
    const std::array<std::optional<Duration>, 5> times{
        optional_duration(starting_time), optional_duration(execution_time), optional_duration(finish_time),
        optional_duration(waiting_time), optional_duration(turnaround_time)};
    const auto present = std::count_if(times.begin(), times.end(), [](const auto& time) { return time.has_value(); });
    if (times.size() == static_cast<std::size_t>(present)) {
        return ExecutionRecord{Time::at(*times[0]), *times[1], Time::at(*times[2]), *times[3], *times[4]};
    }
    const bool may_lack_all = state == FinalState::rejected || state == FinalState::unfinished;
    const bool may_lack_some = state == FinalState::unfinished;
    if (!may_lack_all || (present > 0 && !may_lack_some)) {
        fail(std::string(field(final_state)) + " with " + std::to_string(present) +
             " of the 5 times from starting_time to turnaround_time");
    }
    return std::nullopt;
}

}  // namespace

const char* to_string(FinalState state) {
    const auto* found = std::find_if(states.begin(), states.end(), [&](const auto& s) { return s.second == state; });
    return found->first.data();
}

Schedule parse_schedule(std::string_view text, const std::string& path) {
    JobsCsvReader reader(path);
    reader.add(text);
    return reader.finish();
}

Schedule read_schedule(const std::string& path) {
    InputFile file(path);
    JobsCsvReader reader(path);
    std::array<char, 1 << 16> buffer;
    while (const std::size_t size = file.read(buffer.data(), buffer.size())) {
        reader.add({buffer.data(), size});
    }
    return reader.finish();
}

}  // namespace batfill
