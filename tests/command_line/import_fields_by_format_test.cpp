#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"
#include "tests/support/process.hpp"

// The table "What each format has" of docs/workloads.md: each cell is a test.
namespace batfill::tests::import_fields_by_format_test {

using Catch::Matchers::Contains;

namespace {

// What a cell of the table names, and a job that has it.
struct Case {
    std::string row;
    std::string format;
    std::string source;
    std::string values;        // columns, members or attributes: "a=1|b=2"
    std::string has;           // what the job in the workload has
    std::string lacks = "\n";  // what it does not have; no job has a line break
    Arguments options = {};    // beside those that the row names
};

// Job 12, submitted at 28,800 s of its day, and started 100 s later.
const std::map<std::string, std::string> usual = {
    {"sacct", "JobID=12|Submit=1709280000|Start=1709280100|End=1709280200|NCPUS=8|NNodes=2|State=COMPLETED"},
    {"sacct --json", R"(job_id=12|time={"submission":1709280000,"start":1709280100,"end":1709280200,"elapsed":100})"
                     R"(|required={"CPUs":8}|allocation_nodes=2|state="COMPLETED")"},
    {"pbs",
     "id=12.server|ctime=1709280000|start=1709280100|Resource_List.ncpus=8|Resource_List.nodect=2|end=1709280200"},
    {"csv", "id=12|submit=1709280000|start=1709280100|end=1709280200|processors=8|nodes=2"},
};

// A format, and rows.
const std::string json = "sacct --json";
const std::string array = "the task of an array, in the id";
const std::string after = "`after` instead (`--fields after`)";
const std::string begin = "`begin` (`--fields begin`)";
const std::string tasks = "`array` (`--fields array`)";
const std::string limit = "`array_limit` (`--fields array`)";
const std::string eligible = "submitted when eligible (`--submit eligible`)";
const std::string hosts = "whole hosts (`--fields per-host`)";
const std::string pools = "`pools` (`--fields licenses`)";

// What the job in the workload has.
const std::string dependency = R"("dependency":"afterok:1")";
const std::string condition = R"("after":["ok:1"])";
const std::string shared = R"("per_host":{"cores":4})";
const std::string two = R"("array":"12",)";
const std::string licence = R"("pools":{"abaqus":2})";

const Arguments partition = {"--fields", "partition"};
const Arguments all = {"--fields", "all"};

const std::vector<Case> cases = {
    {"`user`", "sacct", "User", "User=ann", R"("user":"ann")"},
    {"`user`", json, "user", R"(user="ann"|association={"user":"bob"})", R"("user":"ann")"},
    {"`user`", json, "association", R"(association={"user":"ann"})", R"("user":"ann")"},
    {"`user`", "pbs", "user", "user=ann", R"("user":"ann")"},
    {"`user`", "csv", "user", "user=ann", R"("user":"ann")"},

    {"`queue`", "sacct", "Partition", "Partition=gpu", R"("queue":"gpu")"},
    {"`queue`", json, "partition", R"(partition="gpu")", R"("queue":"gpu")"},
    {"`queue`", "pbs", "queue", "queue=gpu", R"("queue":"gpu")"},
    {"`queue`", "csv", "queue", "queue=gpu", R"("queue":"gpu")"},

    {"`account`", "sacct", "Account", "Account=phys", R"("account":"phys")"},
    {"`account`", json, "account", R"(account="phys")", R"("account":"phys")"},
    {"`account`", "pbs", "account", R"(account="a b")", R"("account":"a b")"},
    {"`account`", "csv", "any name", "account=phys", R"("account":"phys")"},

    {"`project`", "sacct", "no", "Project=fusion", "", "fusion"},
    {"`project`", json, "no", R"(project="fusion")", "", "fusion"},
    {"`project`", "pbs", "project", "project=fusion", R"("project":"fusion")"},
    {"`project`", "pbs", "project", "project=_pbs_project_default", "", "project"},
    {"`project`", "csv", "any name", "project=fusion", R"("project":"fusion")"},

    {"`qos`", "sacct", "QOS", "QOS=high", R"("qos":"high")"},
    {"`qos`", json, "qos", R"(qos="high")", R"("qos":"high")"},
    {"`qos`", "pbs", "qos", "qos=high|Resource_List.qos=low", R"("qos":"high")"},
    {"`qos`", "pbs", "Resource_List.qos", "Resource_List.qos=high", R"("qos":"high")"},
    {"`qos`", "pbs", "Resource_List.qos", "qos=(null)|Resource_List.qos=high", R"("qos":"high")"},
    {"`qos`", "csv", "any name", "qos=high", R"("qos":"high")"},

    {"`name`", "sacct", "JobName", "JobName=a run", R"("name":"a run")"},
    {"`name`", json, "name", R"(name="a run")", R"("name":"a run")"},
    {"`name`", "pbs", "no", "jobname=mine|Job_Name=mine", "", "mine"},
    {"`name`", "csv", "any name", "name=a run", R"("name":"a run")"},

    {"`reservation`", "sacct", "Reservation", "Reservation=class", R"("reservation":"class")"},
    {"`reservation`", json, "reservation.name", R"(reservation={"name":"class"})", R"("reservation":"class")"},
    {"`reservation`", "pbs", "resvname", "resvname=class|resvID=S3.srv", R"("reservation":"class")"},
    {"`reservation`", "pbs", "resvID", "resvname=NULL|resvID=S3.srv", R"("reservation":"S3")"},
    {"`reservation`", "pbs", "resvID", "queue=S3|resvID=S3.srv", R"("queue":"S3")", "partition", partition},
    {"`reservation`", "pbs", "resvID", "queue=S4|resvID=S3.srv", R"("partition":"S4")", "\n", partition},
    {"`reservation`", "csv", "reservation", "reservation=class", R"("reservation":"class")"},

    {array, "sacct", "12_3", "JobID=12_3", R"("id":"12_3")"},
    {array, json, "array", R"(job_id=15|array={"job_id":12,"task_id":3})", R"("id":"12_3")"},
    {array, json, "12_3", R"(job_id=15|array={"job_id":12,"task_id":{"set":true,"number":3}})", R"("id":"12_3")"},
    {array, "pbs", "12[3]", "id=12[3].server", R"("id":"12[3]")"},
    {array, "csv", "any id", "id=12_3", R"("id":"12_3")"},
    {array, "csv", "any id", "id=12.3", R"("id":"12.3")"},

    {"`dependency`", "sacct", "Dependency", "Dependency=afterok:1|SubmitLine=sbatch -d singleton a", dependency},
    {"`dependency`", "sacct", "Dependency", "Dependency=(null)|SubmitLine=sbatch -Hd afterok:1 a", "", "dependency"},
    {"`dependency`", json, "dependency", R"(dependency="afterok:1"|submit_line="sbatch -d 2 a")", dependency},
    {"`dependency`", "pbs", "depend", "depend=afterok:1|Resource_List.depend=on:1", dependency},
    {"`dependency`", "pbs", "Resource_List.depend", "Resource_List.depend=afterok:1", dependency},
    {"`dependency`", "csv", "dependency", "dependency=afterok:1", dependency},

    {after, "sacct", "Dependency", "Dependency=afterok:1|SubmitLine=sbatch -d 1 a", condition, "dependency"},
    {after, "sacct", "SubmitLine", "Dependency=(null)|SubmitLine=sbatch -d afterok:1 a", condition, "dependency"},
    {after, json, "dependency", R"(dependency="afterok:1"|submit_line="sbatch -d 1 a")", condition, "dependency"},
    {after, json, "submit_line", R"(submit_line="sbatch --dependency=afterok:1 a")", condition, "dependency"},
    {after, "pbs", "depend", "depend=afterok:1.srv|Resource_List.depend=afterany:1", condition, "dependency"},
    {after, "pbs", "Resource_List.depend", "Resource_List.depend=afterok:1.srv", condition, "dependency"},
    {after, "csv", "dependency", "dependency=afterok:1", condition, "dependency"},

    {begin, "sacct", "SubmitLine", "SubmitLine=sbatch --begin=now+60 a", R"("begin":28860)"},
    {begin, "sacct", "SubmitLine", "SubmitLine=sbatch --begin=now a", "", "begin"},
    {begin, "sacct", "SubmitLine", "SubmitLine=sbatch --begin=now+200 a", "", "begin"},  // it had started
    {begin, json, "submit_line", R"(submit_line="sbatch -b 08:01 a")", R"("begin":28860)"},
    {begin, "pbs", "no", "Execution_Time=1709280060", "", "begin"},
    {begin, "csv", "begin", "begin=1709280060", R"("begin":28860)"},

    {tasks, "sacct", "12_3", "JobID=12_3|SubmitLine=sbatch -a 1-9 a", R"("array":"12")", "array_limit"},
    {tasks, json, "array", R"(job_id=15|array={"job_id":12,"task_id":3})", R"("array":"12")", "array_limit"},
    {tasks, "pbs", "12[3]", "id=12[3].server", R"("array":"12[]")", "array_limit"},
    {tasks, "csv", "array", "id=5|array=7", R"("array":"7")", "array_limit"},
    {tasks, "csv", "12_3", "id=12_3", R"("array":"12")", "array_limit"},

    {limit, "sacct", "SubmitLine", "JobID=12_3|SubmitLine=sbatch --array=1-9%4 a", two + R"("array_limit":4)"},
    {limit, json, "array.limits",
     R"(job_id=15|array={"job_id":12,"task_id":3,"limits":{"max":{"running":{"tasks":4}}}})",
     two + R"("array_limit":4)"},
    {limit, json, "submit_line", R"(job_id=15|array={"job_id":12,"task_id":3}|submit_line="sbatch -a 1-9%4 a")",
     two + R"("array_limit":4)"},
    {limit, "pbs", "no", "id=12[3].server|max_run_subjobs=4", "", "array_limit"},
    {limit, "csv", "array_limit", "id=12_3|array_limit=4", two + R"("array_limit":4)"},

    {eligible, "sacct", "Eligible", "Eligible=1709280050", R"("subtime":28850,)"},
    {eligible, "sacct", "Eligible", "Eligible=Unknown", R"("subtime":28800,)"},
    {eligible, json, "time.eligible",
     R"(time={"submission":1709280000,"eligible":1709280050,"start":1709280100,"end":1709280200})",
     R"("subtime":28850,)"},
    {eligible, json, "time.eligible",
     R"(time={"submission":1709280000,"eligible":0,"start":1709280100,"end":1709280200})", R"("subtime":28800,)"},
    {eligible, "pbs", "etime", "etime=1709280050", R"("subtime":28850,)"},
    {eligible, "pbs", "etime", "etime=0", R"("subtime":28800,)"},
    {eligible, "csv", "submit", "submit=1709280050", R"("subtime":28850,)"},

    {hosts, "sacct", "SubmitLine", "SubmitLine=sbatch --exclusive a", "", "per_host"},
    {hosts, "sacct", "SubmitLine", "SubmitLine=sbatch a --exclusive", shared},
    {hosts, "sacct", "OverSubscribe", "OverSubscribe=NO", "", "per_host"},
    {hosts, "sacct", "OverSubscribe", "OverSubscribe=EXCLUSIVE", "", "per_host"},
    {hosts, "sacct", "OverSubscribe", "OverSubscribe=OK", shared},
    {hosts, "sacct", "Exclusive", "Exclusive=yes", "", "per_host"},
    {hosts, "sacct", "Exclusive", "Exclusive=no", shared},
    {hosts, json, "submit_line", R"(submit_line="sbatch --exclusive a")", "", "per_host"},
    {hosts, json, "submit_line", R"(submit_line="sbatch a --exclusive")", shared},
    {hosts, "pbs", "Resource_List.place", "Resource_List.place=scatter:excl", "", "per_host"},
    {hosts, "pbs", "Resource_List.place", "Resource_List.place=exclhost", "", "per_host"},
    {hosts, "pbs", "Resource_List.place", "Resource_List.place=free:shared", shared},
    {hosts, "pbs", "Resource_List.naccesspolicy", "Resource_List.naccesspolicy=SINGLEJOB", "", "per_host"},
    {hosts, "pbs", "Resource_List.naccesspolicy", "Resource_List.naccesspolicy=SINGLETASK", "", "per_host"},
    {hosts, "pbs", "Resource_List.naccesspolicy", "Resource_List.naccesspolicy=SHARED", shared},
    {hosts, "pbs", "Resource_List.nodes", "Resource_List.nodes=2:ppn=4", shared},
    {hosts, "pbs", "#excl", "Resource_List.nodes=2:ppn=4#excl", "", "per_host"},
    {hosts, "pbs", "Resource_List.mppwidth", "Resource_List.mppwidth=48|Resource_List.mppnppn=24", "", "per_host"},
    {hosts, "csv", "exclusive", "exclusive=yes", "", "per_host"},
    {hosts, "csv", "exclusive", "exclusive=true", "", "per_host"},
    {hosts, "csv", "exclusive", "exclusive=no", shared},

    {pools, "sacct", "AllocTRES", "AllocTRES=license/abaqus=2|ReqTRES=license/abaqus=1", licence},
    {pools, "sacct", "ReqTRES", "ReqTRES=license/abaqus=2", licence},
    {pools, json, "tres", R"(tres={"allocated":[{"type":"license","name":"abaqus","count":2}]})", licence},
    {pools, json, "tres", R"(tres={"requested":[{"type":"license","name":"abaqus","count":2}]})", licence},
    {pools, "pbs", "no", "Resource_List.abaqus=2", "", "abaqus", all},
    {pools, "csv", "no", "abaqus=2", "", "pools", all},
};

using Values = std::vector<std::pair<std::string, std::string>>;

// The values that a job of this format has: the usual ones, and these in their place or behind them.
Values values_of(const std::string& format, const std::string& given) {
    Values values;
    std::istringstream words(usual.at(format) + '|' + given);
    for (std::string word; std::getline(words, word, '|');) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const auto same = std::ranges::find(values, name, &Values::value_type::first);
        Values::value_type& value = same == values.end() ? values.emplace_back() : *same;
        value = {name, word.substr(equals + 1)};
    }
    return values;
}

// The words that `word` makes of names and values, with a separator between them.
std::string joined(const Values& values, const std::string& separator, const auto& word) {
    std::string text;
    for (const auto& [name, value] : values) {
        text += (text.empty() ? "" : separator) + word(name, value);
    }
    return text;
}

// A file of two jobs: the one with these values, and job 1 before it, without those that are not usual.
std::string file_of(const std::string& format, const std::string& given) {
    const auto name_of = [](const std::string& name, const std::string&) { return name; };
    const auto value_of = [](const std::string&, const std::string& value) { return value; };
    const Values values = values_of(format, given);
    Values before = values_of(format, "");
    before.front().second = "1";
    if (format == "sacct --json") {
        const auto job = [](const Values& members) {
            return joined(members, ",", [](const auto& name, const auto& value) { return '"' + name + "\":" + value; });
        };
        return R"({"jobs":[{)" + job(before) + "},{" + job(values) + "}]}";
    }
    if (format == "pbs") {
        const auto record = [](const Values& attributes) {
            const Values behind_id(attributes.begin() + 1, attributes.end());
            return "03/01/2024 08:03:20;E;" + attributes.front().second + ';' +
                   joined(behind_id, " ", [](const auto& name, const auto& value) { return name + '=' + value; }) +
                   '\n';
        };
        return record(before) + record(values);
    }
    for (std::size_t i = before.size(); i < values.size(); ++i) {
        before.emplace_back(values[i].first, "");
    }
    const std::string separator = format == "csv" ? "," : "|";
    return joined(values, separator, name_of) + '\n' + joined(before, separator, value_of) + '\n' +
           joined(values, separator, value_of) + '\n';
}

// Imports such a file to w.json in the folder.
Outcome import(const Folder& folder, const std::string& format, const std::string& given, const Arguments& options) {
    Arguments arguments = {"import", format.substr(0, format.find(' ')), folder.write("jobs", file_of(format, given)),
                           "-o", folder.file("w.json")};
    if (format == "csv") {
        const auto map = [](const std::string& name, const std::string&) { return name + '=' + name; };
        arguments = with(arguments, {"--map", joined(values_of(format, given), ",", map)});
    }
    return run(folder, with(arguments, options));
}

// The option that a row names, where the format takes it.
Arguments options_of(const Case& tested) {
    static const std::regex option("`(--[a-z]+) ([a-z-]+)`");
    std::smatch found;
    const bool takes_it = tested.source != "no" && (tested.row != eligible || tested.format != "csv");
    return takes_it && std::regex_search(tested.row, found, option) ? Arguments{found[1], found[2]} : Arguments();
}

// What a cell of the page names: its words in `code`, or the whole cell.
std::set<std::string> sources_in(const std::string& cell) {
    static const std::regex code("`([^`]+)`");
    std::set<std::string> sources;
    for (std::sregex_iterator word(cell.begin(), cell.end(), code); word != std::sregex_iterator(); ++word) {
        sources.insert((*word)[1]);
    }
    return sources.empty() ? std::set{cell} : sources;
}

// The cells of a line of a table.
std::vector<std::string> cells_of(const std::string& line) {
    static const std::regex bar(R"( *\| *)");
    return {std::sregex_token_iterator(line.begin() + 2, line.end(), bar, -1), {}};
}

using Table = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

// The table of the page, by row and format.
Table table_of_page() {
    const std::string page = contents(BATFILL_SOURCE_DIR "/docs/workloads.md");
    const std::string mark = "<!-- fields by format -->\n";
    std::istringstream lines(page.substr(page.find(mark) + mark.size()));
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> head = cells_of(line);
    std::getline(lines, line);
    Table table;
    while (std::getline(lines, line) && line.starts_with('|')) {
        const std::vector<std::string> cells = cells_of(line);
        REQUIRE(cells.size() == head.size());
        for (std::size_t i = 1; i < cells.size(); ++i) {
            table[{cells[0], *sources_in(head[i]).begin()}] = sources_in(cells[i]);
        }
    }
    return table;
}

}  // namespace

TEST_CASE("import reads the fields of a job that docs/workloads.md lists for the format, and no others") {
    const Folder folder;
    for (const Case& tested : cases) {
        CAPTURE(tested.row, tested.source, file_of(tested.format, tested.values));
        require_done(import(folder, tested.format, tested.values, with(options_of(tested), tested.options)));
        const std::string workload = contents(folder.file("w.json"));
        const std::string job = workload.substr(workload.rfind(R"({"id":")"));
        CHECK_THAT(job.substr(0, job.find('\n')), Contains(tested.has) && !Contains(tested.lacks));
    }
}

TEST_CASE("The fields by format in docs/workloads.md are those that the tests of them cover") {
    Table covered;
    for (const Case& tested : cases) {
        covered[{tested.row, tested.format}].insert(tested.source);
    }
    const Table page = table_of_page();
    CHECK(page.size() == covered.size());
    for (const auto& [cell, sources] : page) {
        CAPTURE(cell.first, cell.second);
        CHECK(covered[cell] == sources);
    }
}

TEST_CASE("import refuses the fields that a format does not have") {
    const Folder folder;
    for (const std::string format : {"pbs", "csv"}) {
        check_refused(import(folder, format, "", {"--fields", "licenses"}), 2, "--fields licenses is for sacct");
    }
    check_refused(import(folder, "csv", "", {"--submit", "eligible"}), 2, "--submit eligible is for sacct and pbs");
}

}  // namespace batfill::tests::import_fields_by_format_test
