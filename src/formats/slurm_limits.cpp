#include "src/formats/slurm_limits.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/formats/tres.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr const char* on_submission = "it limits what is submitted";
constexpr const char* on_minutes = "it limits minutes, not what is used at once";
constexpr const char* on_one_job = "it limits one job";
constexpr const char* on_children = "it binds the accounts below this one together";

// Whom a column limits.
enum class Whom { all, each_user, each_account };

// A column by its names in lower letters: the short one and the long one.
struct LimitColumn {
    std::array<std::string_view, 3> names;
    bool counts_jobs = false;  // else it is a list of TRES
    Whom whom = Whom::all;
    const char* left_out = nullptr;  // why
};

constexpr auto qos_columns = std::to_array<LimitColumn>({
    {{"grptres"}},
    {{"grpjobs"}, true},
    {{"maxtrespu", "maxtresperuser"}, false, Whom::each_user},
    {{"maxjobspu", "maxjobsperuser"}, true, Whom::each_user},
    {{"maxtrespa", "maxtresperaccount"}, false, Whom::each_account},
    {{"maxjobspa", "maxjobsperaccount"}, true, Whom::each_account},
    {{"grpsubmit", "grpsubmitjobs"}, true, Whom::all, on_submission},
    {{"maxsubmitpu", "maxsubmitjobspu", "maxsubmitjobsperuser"}, true, Whom::all, on_submission},
    {{"maxsubmitpa", "maxsubmitjobspa", "maxsubmitjobsperaccount"}, true, Whom::all, on_submission},
    {{"grptresmins"}, false, Whom::all, on_minutes},
    {{"grptresrunmins", "grptresrunmin"}, false, Whom::all, on_minutes},
    {{"grpwall"}, false, Whom::all, on_minutes},
    {{"maxtresmins", "maxtresminspj", "maxtresminsperjob"}, false, Whom::all, on_minutes},
    {{"maxtresrunminspu", "maxtresrunminsperuser"}, false, Whom::all, on_minutes},
    {{"maxtresrunminspa", "maxtresrunminsperaccount"}, false, Whom::all, on_minutes},
    {{"maxtres", "maxtrespj", "maxtresperjob"}, false, Whom::all, on_one_job},
    {{"maxtrespernode", "maxtrespn"}, false, Whom::all, on_one_job},
    {{"maxwall", "maxwalldurationperjob", "maxwallpj"}, false, Whom::all, on_one_job},
    {{"mintres", "mintrespj", "mintresperjob"}, false, Whom::all, on_one_job},
});

constexpr auto assoc_columns = std::to_array<LimitColumn>({
    {{"grptres"}},
    {{"grpjobs"}, true},
    {{"maxjobs"}, true, Whom::each_user},
    {{"grpsubmit", "grpsubmitjobs"}, true, Whom::all, on_submission},
    {{"maxsubmit", "maxsubmitjobs"}, true, Whom::all, on_submission},
    {{"grptresmins"}, false, Whom::all, on_minutes},
    {{"grptresrunmin", "grptresrunmins"}, false, Whom::all, on_minutes},
    {{"grpwall"}, false, Whom::all, on_minutes},
    {{"maxtresmins", "maxtresminspj", "maxtresminsperjob"}, false, Whom::all, on_minutes},
    {{"maxtres", "maxtrespj", "maxtresperjob"}, false, Whom::all, on_one_job},
    {{"maxtrespernode", "maxtrespn"}, false, Whom::all, on_one_job},
    {{"maxwall", "maxwalldurationperjob", "maxwallpj"}, false, Whom::all, on_one_job},
});

// A row by the names of its columns in lower letters without blanks.
struct Row {
    std::map<std::string, std::string, std::less<>> fields;
    std::string place;  // "dump:3"

    std::string_view text(std::string_view name) const {
        const auto found = fields.find(name);
        return found == fields.end() ? std::string_view() : std::string_view(found->second);
    }
};

std::vector<Row> rows_of(const std::string& path, std::string_view needed) {
    CsvFormat format{"dump of sacctmgr", "sacctmgr -P", {}};
    format.separator = '|';
    format.has_quotes = false;
    format.has_any_columns = true;
    std::vector<std::string> names;
    std::vector<Row> rows;
    read_csv(path, format, [&](const CsvRow& row) {
        const std::vector<std::string_view> all = row.all();
        if (names.empty()) {
            for (const std::string_view name : all) {
                std::erase(names.emplace_back(in_lower_letters(name)), ' ');
            }
            if (std::ranges::find(names, needed) == names.end()) {
                row.fail("expected the names of columns with " + std::string(needed) +
                         " among them, as sacctmgr -P show prints them");
            }
            return;
        }
        Row& read = rows.emplace_back();
        read.place = path + ':' + std::to_string(row.line());
        for (std::size_t i = 0; i < all.size() && i < names.size(); ++i) {
            read.fields[names[i]] = all[i];
        }
    });
    return rows;
}

// Makes limits of columns.
class Reader {
 public:
    Reader(const ResourceFields& fields, bool counts_nodes) : fields_(fields), counts_nodes_(counts_nodes) {}

    // `subject`: "qos normal". `of` and `values` say whom the columns limit that limit all; `of_each` is the field of
    // whom others limit.
    struct Subject {
        std::string name;
        std::vector<std::string> of;
        std::vector<std::optional<std::string>> values;
        const char* left_out = nullptr;  // why those that limit all are left out
    };
    void add(const Row& row, const Subject& subject, const auto& columns) {
        for (const LimitColumn& column : columns) {
            const auto* const name = std::ranges::find_if(
                column.names, [&](std::string_view one) { return !one.empty() && !row.text(one).empty(); });
            if (name == column.names.end()) {
                continue;
            }
            const std::string_view text = row.text(*name);
            const char* const why = column.left_out != nullptr ? column.left_out
                                    : column.whom == Whom::all ? subject.left_out
                                                               : nullptr;
            if (why != nullptr) {
                limits_.left_out.push_back({subject.name + ": " + std::string(*name) + '=' + std::string(text), why});
                continue;
            }
            StatedNeeds::Amounts most = column.counts_jobs ? jobs(row, text) : amounts(row, subject.name, *name, text);
            if (!most.empty()) {
                keep(subject, column.whom, std::move(most), row);
            }
        }
    }

    SlurmLimits take() { return std::move(limits_); }

 private:
    void keep(const Subject& subject, Whom whom, StatedNeeds::Amounts most, const Row& row) {
        Limit limit{subject.of, subject.values, {}, 0, row.place};
        const char* const each = whom == Whom::each_user ? "user" : "account";
        if (whom != Whom::all && std::ranges::find(limit.of, each) == limit.of.end()) {
            limit.of.emplace_back(each);
            limit.values.emplace_back();
        }
        // Amounts of the same values share a line. Two of one name do not, such as GrpJobs and MaxJobs of a user: both
        // count.
        const auto is_in = [&](const Limit& other) {
            return std::ranges::any_of(most, [&](const auto& one) {
                return std::ranges::find(other.most, one.first, &StatedNeeds::Amounts::value_type::first) !=
                       other.most.end();
            });
        };
        auto same = std::ranges::find_if(limits_.kept, [&](const Limit& other) {
            return other.of == limit.of && other.values == limit.values && other.place == limit.place && !is_in(other);
        });
        if (same == limits_.kept.end()) {
            limits_.kept.push_back(std::move(limit));
            same = std::prev(limits_.kept.end());
        }
        same->most.insert(same->most.end(), most.begin(), most.end());
    }

    static StatedNeeds::Amounts jobs(const Row& row, std::string_view text) {
        const auto number = number_in<Amount>(text);
        if (!number || *number < -1) {
            throw InputError(row.place + ": expected a number of jobs, found " + in_quotes(text));
        }
        return *number < 0 ? StatedNeeds::Amounts() : StatedNeeds::Amounts{{"jobs", *number}};
    }

    // What jobs take of this resource of Slurm is called so. Empty: jobs do not get it.
    std::string name_of(std::string_view tres) const {
        const bool by_host = fields_.per_host;
        if (tres == "cpu") {
            return by_host ? "cores" : counts_nodes_ ? "" : "processors";
        }
        if (tres == "node") {
            return by_host || counts_nodes_ ? "processors" : "";
        }
        if (tres == "mem") {
            return by_host || fields_.memory_pool ? "memory" : "";
        }
        const auto [kind, name] = cut(tres, '/');
        if (kind == "license") {
            return fields_.licenses ? std::string(name) : "";
        }
        if (kind != "gres" || !by_host) {
            return "";
        }
        const auto [gres, type] = cut(name, ':');
        return (gres == "gpu" ? "gpus" : std::string(gres)) + (type.empty() ? "" : "_" + std::string(type));
    }

    StatedNeeds::Amounts amounts(const Row& row, const std::string& subject, std::string_view column,
                                 std::string_view list) {
        StatedNeeds::Amounts most;
        for (const std::string_view item : split(list, ',')) {
            const auto [tres, value] = cut(item, '=');
            if (value == "-1" || trimmed(item).empty()) {
                continue;
            }
            const bool is_memory = tres == "mem";
            const Amount number = is_memory ? read_bytes(value, mebibyte).value_or(-mebibyte) / mebibyte
                                            : number_in<Amount>(value).value_or(-1);
            if (number < 0) {
                throw InputError(row.place + ": expected amounts such as cpu=64,gres/gpu=4, found " + in_quotes(list));
            }
            const std::string name = name_of(tres);
            if (name.empty()) {
                limits_.left_out.push_back({subject + ": " + std::string(column) + '=' + std::string(item),
                                            "jobs of the workload do not say how much of it they take"});
            } else {
                most.emplace_back(name, number);
            }
        }
        return most;
    }

    ResourceFields fields_;
    bool counts_nodes_;
    SlurmLimits limits_;
};

// The accounts that have accounts below them, as far as the dump says so.
std::set<std::string, std::less<>> parents_in(const std::vector<Row>& rows) {
    std::set<std::string, std::less<>> parents{"root"};
    std::set<std::string, std::less<>> with_users;
    bool says_parents = false;
    for (const Row& row : rows) {
        const std::string_view parent = row.text("parname").empty() ? row.text("parentname") : row.text("parname");
        says_parents = says_parents || !parent.empty();
        if (row.text("user").empty() && !parent.empty()) {
            parents.insert(std::string(parent));
        } else if (!row.text("user").empty()) {
            with_users.insert(std::string(trimmed(row.text("account"))));
        }
    }
    for (const Row& row : rows) {
        const std::string account(trimmed(row.text("account")));
        if (!says_parents && !with_users.contains(account)) {
            parents.insert(account);
        }
    }
    return parents;
}

}  // namespace

SlurmLimits read_slurm_limits(const std::optional<std::string>& qos_dump, const std::optional<std::string>& assoc_dump,
                              const ResourceFields& fields, bool counts_nodes) {
    Reader reader(fields, counts_nodes);
    for (const Row& row : qos_dump ? rows_of(*qos_dump, "name") : std::vector<Row>()) {
        const std::string name(trimmed(row.text("name")));
        reader.add(row, {"qos " + shown(name), {"qos"}, {name}}, qos_columns);
    }
    const std::vector<Row> associations = assoc_dump ? rows_of(*assoc_dump, "account") : std::vector<Row>();
    const auto parents = parents_in(associations);
    for (const Row& row : associations) {
        const std::string account(trimmed(row.text("account")));
        const std::string user(trimmed(row.text("user")));
        const std::string partition(trimmed(row.text("partition")));
        Reader::Subject subject{"account " + shown(account), {"account"}, {account}};
        if (!user.empty()) {
            subject.name += " user " + shown(user);
            subject.of.emplace_back("user");
            subject.values.emplace_back(user);
        } else if (parents.contains(account)) {
            subject.left_out = on_children;
        }
        if (!partition.empty()) {
            subject.name += " partition " + shown(partition);
            subject.of.emplace_back("queue");
            subject.values.emplace_back(partition);
        }
        reader.add(row, subject, assoc_columns);
    }
    return reader.take();
}

}  // namespace batfill
