#include "src/formats/logged_conditions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "src/formats/record_field.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// A kind of condition by its word in the batch system. None: it has no counterpart.
struct KnownKind {
    const char* word;
    std::optional<Dependency::Kind> kind;
};

constexpr auto ok = Dependency::Kind::ok;
constexpr auto any = Dependency::Kind::any;
constexpr auto start = Dependency::Kind::start;

constexpr auto slurm_kinds = std::to_array<KnownKind>({{"afterok", ok},
                                                       {"afterany", any},
                                                       {"after", start},
                                                       {"aftercorr", std::nullopt},
                                                       {"afternotok", std::nullopt},
                                                       {"afterburstbuffer", std::nullopt},
                                                       {"expand", std::nullopt},
                                                       {"singleton", std::nullopt}});

constexpr auto pbs_kinds = std::to_array<KnownKind>({{"afterok", ok},
                                                     {"afterany", any},
                                                     {"after", start},
                                                     {"afterokarray", ok},
                                                     {"afteranyarray", any},
                                                     {"afterstartarray", start},
                                                     {"afternotok", std::nullopt},
                                                     {"afternotokarray", std::nullopt},
                                                     {"before", std::nullopt},
                                                     {"beforeok", std::nullopt},
                                                     {"beforeany", std::nullopt},
                                                     {"beforenotok", std::nullopt},
                                                     {"beforestart", std::nullopt},
                                                     {"on", std::nullopt},
                                                     {"runone", std::nullopt},
                                                     {"synccount", std::nullopt},
                                                     {"syncwith", std::nullopt},
                                                     {"syncto", std::nullopt}});

// Null for an unknown word.
const KnownKind* kind_called(std::string_view word, const auto& kinds) {
    const auto* const found =
        std::ranges::find_if(kinds, [&](const KnownKind& kind) { return equal_in_any_case(word, kind.word); });
    return found == kinds.end() ? nullptr : found;
}

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool has_variable(std::string_view text) {
    return text.find_first_of("$`") != std::string_view::npos;
}

constexpr long long most_components = 128;  // of a heterogeneous job, as Slurm allows

// Reads a job in a list of Slurm: "12", "12_3", "12_*", "12+0" (a component), or for `after` "12+5" (minutes later). A
// component stays in Dependency::job.
std::optional<Dependency> slurm_job(std::string_view text, Dependency::Kind kind) {
    constexpr long long most_minutes = 1'000'000'000'000;
    Dependency dependency{kind, {}, {}};
    if (const std::size_t plus = text.rfind('+'); kind == start && plus != std::string_view::npos) {
        const auto minutes = number_in<long long>(text.substr(plus + 1));
        if (!minutes || *minutes < 0 || *minutes > most_minutes) {
            return std::nullopt;
        }
        dependency.delay = Duration::seconds(*minutes * 60);
        text = text.substr(0, plus);
    }
    const auto [whole, offset] = cut(text, '+');
    const auto component = number_in<long long>(offset);
    if (whole.size() < text.size() && (!component || *component < 0 || *component >= most_components)) {
        return std::nullopt;
    }
    text = whole;
    text.remove_suffix(text.ends_with("_*") ? 2 : 0);
    dependency.job = text;
    dependency.job += component ? '+' + std::to_string(*component) : "";
    const bool is_range = text.find('[') != std::string_view::npos;
    return text.empty() || is_range ? std::nullopt : std::optional(std::move(dependency));
}

// Reads "12.server", "12[3].server", or "12[].server" for a whole array.
std::optional<Dependency> pbs_job(std::string_view text, Dependency::Kind kind) {
    const std::string_view job = cut(text, '.').first;
    const bool counts_tasks = job.find("][") != std::string_view::npos;
    return job.empty() || counts_tasks ? std::nullopt : std::optional(Dependency{kind, std::string(job), {}});
}

// Adds conditions of one kind on the jobs of a list.
void add_jobs(std::string_view jobs, const KnownKind& known, const auto& read, LoggedConditions& conditions) {
    for (const std::string_view job : split(jobs, ':')) {
        if (!known.kind) {
            conditions.left_out.push_back(known.word);
        } else if (has_variable(job)) {
            conditions.left_out.push_back(condition_rules::variable);
        } else if (auto dependency = read(trimmed(job), *known.kind)) {
            conditions.after.push_back(std::move(*dependency));
        } else {
            conditions.left_out.push_back(condition_rules::unreadable);
        }
    }
}

// Lets a task wait for the tasks of its own number. Returns false if it is no task.
bool add_corresponding(std::string_view jobs, std::string_view id, LoggedConditions& conditions) {
    const auto [own_array, task] = cut(id, '_');
    const std::vector<std::string_view> arrays = split(jobs, ':');
    if (!is_digits(own_array) || !is_digits(task) || !std::ranges::all_of(arrays, is_digits)) {
        return false;
    }
    for (const std::string_view array : arrays) {
        conditions.after.push_back({ok, std::string(array).append(1, '_').append(task), {}});
    }
    return true;
}

void add_slurm(std::string_view entry, std::string_view id, LoggedConditions& conditions) {
    const auto [word, jobs] = cut(entry, ':');
    const KnownKind* const known = kind_called(word, slurm_kinds);
    if (has_variable(word)) {
        conditions.left_out.push_back(condition_rules::variable);
    } else if (is_digits(cut(word, '_').first) && jobs.empty()) {
        add_jobs(word, {"", any}, slurm_job, conditions);
    } else if (known == nullptr) {
        conditions.left_out.push_back(condition_rules::unreadable);
    } else if (std::string_view(known->word) != "aftercorr" || !add_corresponding(jobs, id, conditions)) {
        add_jobs(jobs, *known, slurm_job, conditions);
    }
}

// ---- The command that submitted a job

// Words as a shell reads them: quotes join, and do not belong to a word.
std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool is_open = false;
    char quote = '\0';
    for (const char c : line) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\n';
        if (quote == '\0' && is_blank) {
            if (is_open) {
                words.push_back(std::exchange(word, {}));
            }
            is_open = false;
            continue;
        }
        is_open = true;
        if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == quote) {
            quote = '\0';
        } else {
            word += c;
        }
    }
    if (is_open) {
        words.push_back(std::move(word));
    }
    return words;
}

constexpr auto submitters = std::to_array<std::string_view>({"sbatch", "srun", "salloc"});

// Options of these that take no word behind them.
constexpr auto long_flags = std::to_array<std::string_view>({"--contiguous",
                                                             "--disable-status",
                                                             "--exact",
                                                             "--exclusive",
                                                             "--get-user-env",
                                                             "--help",
                                                             "--hold",
                                                             "--ignore-pbs",
                                                             "--interactive",
                                                             "--label",
                                                             "--kill-on-bad-exit",
                                                             "--multi-prog",
                                                             "--nice",
                                                             "--no-allocate",
                                                             "--no-bell",
                                                             "--no-kill",
                                                             "--no-requeue",
                                                             "--no-shell",
                                                             "--overcommit",
                                                             "--overlap",
                                                             "--oversubscribe",
                                                             "--parsable",
                                                             "--preserve-env",
                                                             "--propagate",
                                                             "--pty",
                                                             "--quiet",
                                                             "--reboot",
                                                             "--requeue",
                                                             "--quit-on-interrupt",
                                                             "--resv-ports",
                                                             "--share",
                                                             "--spread-job",
                                                             "--stepmgr",
                                                             "--test-only",
                                                             "--unbuffered",
                                                             "--usage",
                                                             "--use-min-nodes",
                                                             "--verbose",
                                                             "--version",
                                                             "--wait",
                                                             "--whole"});
constexpr std::string_view letters_of_flags = "EHIKOQVWXZhklsuv";

// Options that are read: programs take the beginning of a name for the option, as long as it is of one only.
struct KnownOption {
    SubmitOption option;
    std::string_view name;
    std::string_view shortest;
    char letter;
};
constexpr auto submit_options = std::to_array<KnownOption>({{SubmitOption::dependency, "--dependency", "--dep", 'd'},
                                                            {SubmitOption::begin, "--begin", "--be", 'b'},
                                                            {SubmitOption::array, "--array", "--ar", 'a'}});

// ---- --begin

constexpr std::string_view now = "now";
constexpr auto times_of_day = std::to_array<std::pair<std::string_view, const char*>>(
    {{"midnight", "00:00"}, {"noon", "12:00"}, {"fika", "15:00"}, {"teatime", "16:00"}});

// "+90", "+1hour" or "+2days" after an instant.
std::optional<Duration> later(Duration instant, std::string_view length) {
    constexpr auto units = std::to_array<std::pair<std::string_view, long long>>(
        {{"seconds", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 86400}, {"weeks", 604800}});
    constexpr long long most = 1'000'000'000;
    const std::string_view text = length.substr(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = number_in<long long>(text.substr(0, digits));
    const std::string unit = in_lower_letters(trimmed(text.substr(digits)));
    const auto* const known = std::ranges::find_if(units, [&](const auto& one) { return one.first.starts_with(unit); });
    if (!length.starts_with('+') || !number || *number < 0 || *number > most || known == units.end()) {
        return std::nullopt;
    }
    return instant + Duration::seconds(*number * known->second);
}

// Walks through the words of a command.
class SubmitLine {
 public:
    explicit SubmitLine(std::string_view line) : words_(words_of(line)) {
        // The first word is the program.
        while (next() && (read_behind_wrap() || read_option())) {
        }
    }

    const std::string& value(SubmitOption option) const { return values_[static_cast<std::size_t>(option)]; }
    // Whether it has --exclusive. --exclusive=user lets jobs of one user share hosts.
    bool is_exclusive() const { return is_exclusive_; }

 private:
    bool next() { return ++place_ < words_.size(); }
    std::string next_word() { return next() ? words_[place_] : std::string(); }

    // Slurm joins the words of the line without quotes. So what follows --wrap is mostly the command in it, which may
    // have options of its own.
    bool read_behind_wrap() {
        const std::string& word = words_[place_];
        is_wrapped_ = is_wrapped_ || word.starts_with("--wrap");
        if (!is_wrapped_) {
            return false;
        }
        const auto [name, value] = cut(word, '=');
        const std::string_view program = name == "--wrap" ? value : std::string_view(word);
        if (is_word_of(program.substr(program.rfind('/') + 1), submitters)) {
            place_ = words_.size();
        } else if (const auto option = name == "-d" ? SubmitOption::dependency : option_called(name)) {
            take(*option, value.empty() ? next_word() : std::string(value));
        } else if (is_exclusive(word)) {
            is_exclusive_ = true;
        }
        return true;
    }

    // Returns false at the script, and at whatever else is no option.
    bool read_option() {
        const std::string& word = words_[place_];
        if (word == ":") {  // the next component of a heterogeneous job
            return true;
        }
        if (word.size() < 2 || word.front() != '-' || word == "--") {
            return false;
        }
        word.starts_with("--") ? read_long_option(word) : read_letters(word);
        return true;
    }

    void read_long_option(const std::string& word) {
        const auto [name, text] = cut(word, '=');
        const bool has_value = name.size() < word.size();
        const bool is_flag = std::ranges::find(long_flags, name) != long_flags.end();
        const std::string value = has_value ? std::string(text) : is_flag ? std::string() : next_word();
        if (const auto option = option_called(name)) {
            take(*option, value);
        }
        is_exclusive_ = is_exclusive_ || (is_exclusive(name) && !has_value);
    }

    // "-d", "-dafterok:12" or "-Hd".
    void read_letters(const std::string& word) {
        const std::size_t letter = word.find_first_not_of(letters_of_flags, 1);
        if (letter == std::string::npos) {
            return;
        }
        const auto* const option = std::ranges::find(submit_options, word[letter], &KnownOption::letter);
        const std::string value = letter + 1 < word.size() ? word.substr(letter + 1) : next_word();
        if (option != submit_options.end()) {
            take(option->option, value);
        }
    }

    // Programs take the beginning of an option's name for the option, as long as it is of one only.
    static bool is_exclusive(std::string_view name) {
        return name.starts_with("--exclus") && std::string_view("--exclusive").starts_with(name);
    }
    static std::optional<SubmitOption> option_called(std::string_view name) {
        const auto* const known = std::ranges::find_if(submit_options, [&](const KnownOption& one) {
            return name.starts_with(one.shortest) && one.name.starts_with(name);
        });
        return known == submit_options.end() ? std::nullopt : std::optional(known->option);
    }

    // The last one wins. In a command behind --wrap, only what looks like a value of Slurm is one.
    void take(SubmitOption option, const std::string& value) {
        const bool is_of_slurm = option == SubmitOption::dependency ? value.starts_with("after") || value == "singleton"
                                 : option == SubmitOption::begin    ? value.starts_with("now")
                                                                    : array_limit_in(value) > 0;
        if (!is_wrapped_ || is_of_slurm) {
            values_[static_cast<std::size_t>(option)] = value;
        }
    }

    std::vector<std::string> words_;
    std::size_t place_ = 0;
    bool is_wrapped_ = false;
    bool is_exclusive_ = false;
    std::array<std::string, submit_options.size()> values_;
};

// Whether the line has "--d", "-d" or such as "-Hd", for the letter of an option. Few lines do, and this is faster than
// to read their words.
bool may_name(SubmitOption option, std::string_view line) {
    const char letter_of_it = submit_options[static_cast<std::size_t>(option)].letter;
    for (std::size_t at = line.find('-'); at != std::string_view::npos; at = line.find('-', at + 1)) {
        const std::size_t letter = line.find_first_not_of(letters_of_flags, at + 1);
        if (letter != std::string_view::npos && line[letter] == letter_of_it) {
            return true;
        }
    }
    return false;
}

}  // namespace

LoggedConditions conditions_of_slurm(std::string_view text, std::string_view id) {
    LoggedConditions conditions;
    text = trimmed(text);
    if (text == "0" || RecordField{"", text}.is_missing()) {
        return conditions;
    }
    const bool are_alternatives = text.find('?') != std::string_view::npos;
    for (std::string_view entry : split(text, are_alternatives ? '?' : ',')) {
        entry = trimmed(entry);
        // squeue writes what has become of a condition behind it: "afterok:12(unfulfilled)".
        add_slurm(has_variable(entry) ? entry : cut(entry, '(').first, id, conditions);
    }
    for (std::size_t place = 0; place < conditions.after.size() && !are_alternatives; ++place) {
        std::string& job = conditions.after[place].job;
        if (const std::size_t plus = job.find('+'); plus != std::string::npos) {
            conditions.components.emplace_back(place, job);
            job.resize(plus);
        }
    }
    if (are_alternatives) {
        conditions.left_out.assign(conditions.after.size() + conditions.left_out.size(), condition_rules::alternatives);
        conditions.after.clear();
    }
    return conditions;
}

std::string value_in(std::string_view submit_line, SubmitOption option) {
    return may_name(option, submit_line) ? SubmitLine(submit_line).value(option) : std::string();
}

std::optional<Duration> begin_of_slurm(std::string_view text, Duration submit, TimeZone& zone) {
    text = trimmed(text);
    constexpr Duration day = Duration::days(1);
    if (const std::string_view length = text.substr(std::min(text.size(), now.size())); text.starts_with(now)) {
        return length.empty() ? std::optional(submit) : later(submit, length);
    }
    const Duration local = submit + zone.offset_at(submit);
    const std::string today = date_text(local).substr(0, std::string_view("2024-03-01").size());
    const auto instant = [&](const std::string& date) -> std::optional<Duration> {
        const bool has_slashes = date.find('/') != std::string::npos;
        const auto read = read_date(date, has_slashes ? DateOrder::month_day_year : DateOrder::year_month_day, zone);
        return read ? std::optional(read->first) : std::nullopt;
    };
    if (text == "today" || text == "tomorrow") {
        const auto midnight = instant(today + " 00:00");
        return midnight && text == "tomorrow" ? std::optional(*midnight + day) : midnight;
    }
    const auto* const word = std::ranges::find(times_of_day, text, &std::pair<std::string_view, const char*>::first);
    std::string time(word != times_of_day.end() ? word->second : text);
    constexpr auto halves = std::to_array<std::string_view>({"am", "pm"});
    if (time.size() > 2 && is_word_of(time.substr(time.size() - 2), halves) && time[time.size() - 3] != ' ') {
        time.insert(time.size() - 2, " ");
    }
    if (const auto of_today = instant(today + ' ' + time)) {
        return *of_today < submit ? *of_today + day : *of_today;
    }
    const auto date = instant(time);
    return date ? date : instant(time + " 00:00");
}

long long array_limit_in(std::string_view text) {
    const std::size_t sign = text.rfind('%');
    if (sign == std::string_view::npos) {
        return 0;
    }
    const std::string_view number = text.substr(sign + 1, text.find(']', sign) - sign - 1);
    return is_digits(number) ? number_in<long long>(number).value_or(0) : 0;
}

std::string array_of(std::string_view id) {
    const std::size_t digits = std::min(id.find_first_not_of("0123456789"), id.size());
    std::string_view task = id.substr(digits);
    const bool has_brackets = task.starts_with('[') && task.ends_with(']');
    if (digits == 0 || !(has_brackets || task.starts_with('_'))) {
        return {};
    }
    task = task.substr(1, task.size() - (has_brackets ? 2 : 1));
    return is_digits(task) ? std::string(id.substr(0, digits)) + (has_brackets ? "[]" : "") : std::string();
}

bool asks_for_whole_hosts(std::string_view submit_line) {
    constexpr std::string_view option = "--exclus";  // which few lines have
    return submit_line.find(option) != std::string_view::npos && SubmitLine(submit_line).is_exclusive();
}

LoggedConditions conditions_of_pbs(std::string_view text) {
    LoggedConditions conditions;
    text = trimmed(text);
    if (RecordField{"", text}.is_missing()) {
        return conditions;
    }
    for (const std::string_view entry : split(text, ',')) {
        const auto [word, jobs] = cut(trimmed(entry), ':');
        if (const KnownKind* const known = kind_called(word, pbs_kinds); known != nullptr) {
            add_jobs(jobs, *known, pbs_job, conditions);
        } else {
            conditions.left_out.push_back(condition_rules::unreadable);
        }
    }
    return conditions;
}

}  // namespace batfill
