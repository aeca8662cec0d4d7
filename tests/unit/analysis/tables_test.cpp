#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/analysis/tables.hpp"

namespace batfill::tests::tables_test {

using Catch::Matchers::Contains;

namespace {

using enum analysis::Mark;

std::string written(const analysis::MarkedLines& lines, MetricsFormat format, const std::string& meaning = {}) {
    std::ostringstream out;
    analysis::write_lines(out, lines, format, meaning);
    return out.str();
}

const analysis::MarkedLines plain{{{""}, {"a"}, {"b"}, {"c"}}, {{"wait"}, {"1"}, {"2"}, {"3"}}};
const analysis::MarkedLines marked{{{""}, {"a"}, {"b"}, {"c"}},
                                   {{"wait"}, {"1", best}, {"2", not_told_apart}, {"3", told_apart}}};

}  // namespace

TEST_CASE("All formats mark what is best, and what is not told apart from it") {
    CHECK(written(marked, MetricsFormat::table, "*: best; ~: 5 %.") ==
          "      a    b    c  \n"
          "wait  1 *  2 ~  3  \n"
          "*: best; ~: 5 %.\n");
    CHECK(written(marked, MetricsFormat::markdown, "Bold: best; ~: 5 %.") ==
          "|  | a | b | c |\n"
          "|---|---:|---:|---:|\n"
          "| wait | **1** | 2 \\~ | 3 |\n"
          "\n"
          "Bold: best; \\~: 5 %.\n");
    CHECK(written(marked, MetricsFormat::latex, "Bold: best; ~: 5 %.") ==
          "\\begin{tabular}{lrrr}\n"
          "\\toprule\n"
          " & a & b & c \\\\\n"
          "\\midrule\n"
          "wait & \\textbf{1} & 2 $\\sim$ & 3 \\\\\n"
          "\\bottomrule\n"
          "\\end{tabular}\n"
          "\\par\\smallskip{\\footnotesize Bold: best; \\textasciitilde{}: 5 \\%.}\n");
}

TEST_CASE("A table without marks has no room for them, and nothing in bold") {
    CHECK(written(plain, MetricsFormat::table) ==
          "      a  b  c\n"
          "wait  1  2  3\n");
    CHECK(written(plain, MetricsFormat::table, "No marks.") == written(plain, MetricsFormat::table) + "No marks.\n");
    CHECK(written(plain, MetricsFormat::markdown) ==
          "|  | a | b | c |\n"
          "|---|---:|---:|---:|\n"
          "| wait | 1 | 2 | 3 |\n");
    CHECK(written(plain, MetricsFormat::latex) ==
          "\\begin{tabular}{lrrr}\n"
          "\\toprule\n"
          " & a & b & c \\\\\n"
          "\\midrule\n"
          "wait & 1 & 2 & 3 \\\\\n"
          "\\bottomrule\n"
          "\\end{tabular}\n");
}

TEST_CASE("A line without marks is aligned with those that have some") {
    analysis::MarkedLines both = marked;
    both.push_back({{"jobs"}, {"10"}, {"10"}, {"10"}});
    CHECK(written(both, MetricsFormat::table) ==
          "       a     b     c  \n"
          "wait   1 *   2 ~   3  \n"
          "jobs  10    10    10  \n");
}

TEST_CASE("Marks have names in csv and json") {
    CHECK(to_string(none) == std::string());
    CHECK(to_string(best) == std::string("best"));
    CHECK(to_string(told_apart) == std::string("told_apart"));
    CHECK(to_string(not_told_apart) == std::string("not_told_apart"));
}

TEST_CASE("The best values are the least or the largest, if not all are equal") {
    using analysis::best_of;
    using analysis::Goal;
    using Which = std::vector<bool>;
    CHECK(best_of({2, 1, std::nullopt, 1}, Goal::less) == Which{false, true, false, true});
    CHECK(best_of({2, 1, std::nullopt, 1}, Goal::minimum) == Which{false, true, false, true});
    CHECK(best_of({2, 1, std::nullopt, 1}, Goal::more) == Which{true, false, false, false});
    CHECK(best_of({2, 1}, Goal::none) == Which{false, false});
    CHECK(best_of({1, 1}, Goal::less) == Which{false, false});
    CHECK(best_of({std::nullopt, 1}, Goal::less) == Which{false, false});
    CHECK(best_of({std::nullopt, std::nullopt}, Goal::more) == Which{false, false});
}

TEST_CASE("The table of metrics has no marks: each run is measured once") {
    std::vector<std::optional<double>> values(metric_names().size(), 3);
    std::vector<std::optional<double>> less(metric_names().size(), 1);
    const std::vector<RunMetrics> runs{{"a", Metrics(values)}, {"b", Metrics(less)}};
    for (const auto& [format, sign] : {std::pair(MetricsFormat::table, "*"), std::pair(MetricsFormat::markdown, "**"),
                                       std::pair(MetricsFormat::latex, "textbf")}) {
        std::ostringstream out;
        write_metrics(out, runs, format);
        CHECK_THAT(out.str(), Contains("mean wait") && !Contains(sign) && !Contains("~") && !Contains("sim"));
    }
}

TEST_CASE("A name is a name in Markdown and LaTeX, whatever it is") {
    const analysis::MarkedLines lines{{{"a|b*c_d`e`<f>&g~h~i\\j\nk\x1b[2J\r\tl"}, {"%$#{^}"}}};
    CHECK(
        written(lines, MetricsFormat::markdown) ==
        "| a\\|b\\*c\\_d\\`e\\`&lt;f>&amp;g\\~h\\~i\\\\j\\\\nk\\\\u001B[2J\\\\u000D\\\\u0009l | %$#{^} |\n|---|---:|\n");
    CHECK(
        written(lines, MetricsFormat::latex) ==
        "\\begin{tabular}{lr}\n\\toprule\n"
        "a\\textbar{}b*c\\_d\\textasciigrave{}e\\textasciigrave{}\\textless{}f\\textgreater{}\\&g\\textasciitilde{}h"
        "\\textasciitilde{}i\\textbackslash{}j\\textbackslash{}nk\\textbackslash{}u001B[2J\\textbackslash{}u000D"
        "\\textbackslash{}u0009l & \\%\\$\\#\\{\\textasciicircum{}\\} \\\\\n\\midrule\n\\bottomrule\n\\end{tabular}\n");
}

TEST_CASE("A name that LaTeX would take for an argument of the line before is a name") {
    for (const auto& [name, shown] : {std::pair("[a]", "\n{[}a] & "), std::pair("*b*", "\n{*}b* & ")}) {
        CHECK_THAT(written({{{name}, {"1"}}}, MetricsFormat::latex), Contains(shown));
    }
}

TEST_CASE("csv keeps names as they are") {
    std::ostringstream out;
    analysis::write_rows(out, {{{"run", "run"}}, {{std::string("a\n\x1b,\"")}}}, MetricsFormat::csv);
    CHECK(out.str() == "run\n\"a\n\x1b,\"\"\"\n");
}

TEST_CASE("Metrics are chosen by name, in order, and as those of a paper") {
    using Names = std::vector<std::string>;
    CHECK(chosen_metrics("max_wait,mean_wait") == Names{"max_wait", "mean_wait"});
    CHECK(chosen_metrics("paper,users") ==
          Names{"mean_wait", "wait_percentile_99", "mean_bounded_slowdown", "utilisation", "makespan", "users"});
    CHECK_THROWS_WITH(chosen_metrics("mean_wiat"),
                      Contains("unknown metric 'mean_wiat', did you mean 'mean_wait'? Known: jobs, finished,"));
    for (const char* const wrong : {"", ",", "mean_wait,", "paper,mean_wait", "users,users"}) {
        CHECK_THROWS_AS(chosen_metrics(wrong), UsageError);
    }
}

TEST_CASE("Chosen metrics are shown even without a value, and by name if their title needs the entry above") {
    std::vector<std::optional<double>> values(metric_names().size());
    values[0] = 3;
    const std::vector<RunMetrics> runs{{"run", Metrics(values)}};
    const std::vector<std::string> chosen{"deadline_violations_short", "jobs"};
    std::ostringstream table;
    write_metrics(table, runs, MetricsFormat::table, chosen);
    CHECK(table.str() ==
          "                           run\n"
          "deadline_violations_short    -\n"
          "jobs                         3\n");
    std::ostringstream csv;
    write_metrics(csv, runs, MetricsFormat::csv, chosen);
    CHECK(csv.str() == "run,deadline_violations_short,jobs\n\"run\",,3\n");
}

}  // namespace batfill::tests::tables_test
