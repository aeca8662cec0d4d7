#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/analysis/tables.hpp"

namespace batfill::tests::tables_test {

using Catch::Matchers::Contains;

namespace {

std::string written(const analysis::MarkedLines& lines, MetricsFormat format, bool marks) {
    std::ostringstream out;
    analysis::write_lines(out, lines, format, marks);
    return out.str();
}

const analysis::MarkedLines marked{{{""}, {"a"}, {"b"}, {"c"}}, {{"wait"}, {"1", true}, {"2", false, true}, {"3"}}};

}  // namespace

TEST_CASE("All formats mark what is best, and what may be") {
    CHECK(written(marked, MetricsFormat::table, true) ==
          "      a    b    c  \n"
          "wait  1 *  2 ~  3  \n");
    CHECK(written(marked, MetricsFormat::markdown, true) ==
          "|  | a | b | c |\n"
          "|---|---:|---:|---:|\n"
          "| wait | **1** | 2 \\~ | 3 |\n"
          "\n"
          "**bold**: the best; \\~: not told apart from it\n");
    CHECK(written(marked, MetricsFormat::latex, true) ==
          "\\begin{tabular}{lrrr}\n"
          "\\toprule\n"
          " & a & b & c \\\\\n"
          "\\midrule\n"
          "wait & \\textbf{1} & 2 $\\sim$ & 3 \\\\\n"
          "\\bottomrule\n"
          "\\multicolumn{4}{l}{\\footnotesize \\textbf{bold}: the best; $\\sim$: not told apart from it} \\\\\n"
          "\\end{tabular}\n");
    // Without cells that may be best, there is nothing to explain.
    analysis::MarkedLines plain = marked;
    plain[1][2].may_be_best = false;
    for (const MetricsFormat format : {MetricsFormat::markdown, MetricsFormat::latex}) {
        CHECK_THAT(written(plain, format, true), !Contains("bold") || !Contains("told apart"));
        CHECK(written(plain, format, true) == written(marked, format, false));
    }
}

TEST_CASE("A name is a name in Markdown and LaTeX, whatever it is") {
    const analysis::MarkedLines lines{{{"a|b*c_d`e`<f>&g~h~i\\j\nk\x1b[2J\r\tl"}, {"%$#{^}"}}};
    CHECK(
        written(lines, MetricsFormat::markdown, false) ==
        "| a\\|b\\*c\\_d\\`e\\`&lt;f>&amp;g\\~h\\~i\\\\j\\\\nk\\\\u001B[2J\\\\u000D\\\\u0009l | %$#{^} |\n|---|---:|\n");
    CHECK(
        written(lines, MetricsFormat::latex, false) ==
        "\\begin{tabular}{lr}\n\\toprule\n"
        "a\\textbar{}b*c\\_d\\textasciigrave{}e\\textasciigrave{}\\textless{}f\\textgreater{}\\&g\\textasciitilde{}h"
        "\\textasciitilde{}i\\textbackslash{}j\\textbackslash{}nk\\textbackslash{}u001B[2J\\textbackslash{}u000D"
        "\\textbackslash{}u0009l & \\%\\$\\#\\{\\textasciicircum{}\\} \\\\\n\\midrule\n\\bottomrule\n\\end{tabular}\n");
}

TEST_CASE("A name that LaTeX would take for an argument of the line before is a name") {
    for (const auto& [name, shown] : {std::pair("[a]", "\n{[}a] & "), std::pair("*b*", "\n{*}b* & ")}) {
        CHECK_THAT(written({{{name}, {"1"}}}, MetricsFormat::latex, false), Contains(shown));
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
