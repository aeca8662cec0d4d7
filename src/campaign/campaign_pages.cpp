#include <filesystem>

#include <batfill/core/machine.hpp>
#include <batfill/engine/engine.hpp>

#include "campaign_results.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/command_line.hpp"
#include "src/support/files.hpp"
#include "src/support/sha256.hpp"

namespace batfill::campaign {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_page_size = std::size_t{1} << 31;

// The last line of a page: a hash of its inputs and of the text above.
std::string last_line_of_page(const std::string& key, const std::string& page) {
    return "<!-- batfill campaign " + sha256(key + sha256(page)) + " -->\n";
}

bool page_is_kept(const std::string& path, const std::string& key) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return false;
    }
    const std::string page = InputFile(path).read_all(max_page_size);
    const std::size_t size = last_line_of_page(key, "").size();
    return page.size() > size && page.ends_with(last_line_of_page(key, page.substr(0, page.size() - size)));
}

// The options of `batfill report` that make the same page without its last line.
std::string report_command(const report::ReportRequest& options) {
    Arguments arguments = options.prefixes;
    for (const std::string& workload : options.workloads) {
        arguments.insert(arguments.end(), {"-w", workload});
    }
    arguments.insert(arguments.end(),
                     {"-p", options.platform, "-o", options.output, "--tau", options.metrics.tau.to_string(),
                      "--short-deadline", options.metrics.short_deadline.to_string(), "--title", *options.title});
    return command_line(arguments);
}

}  // namespace

void write_pages(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results,
                 const std::string& program, const std::string& folder,
                 const std::function<void(const report::ReportRequest&)>& made) {
    const std::size_t schedulers = campaign.schedulers.size();
    for (std::size_t first = 0; first < runs.size(); first += schedulers) {
        const CampaignRun& run = runs[first];
        const fs::path pages = fs::path(folder) / "reports" / run.workload->name;
        std::string made_of = program;
        report::ReportRequest page;
        bool registers_jobs = false;  // no workload describes such jobs
        for (std::size_t i = first; i < first + schedulers; ++i) {
            page.prefixes.push_back(folder + '/' + runs[i].prefix);
            const SchedulerChoice& choice = runs[i].scheduler->scheduler.choice;
            registers_jobs = registers_jobs || Engine(choice).algorithm().registers_jobs();
            made_of += '\n' + runs[i].key;
            for (const auto& [name, hash] : results[i].files) {
                made_of.append("\n").append(name).append(" ").append(hash);
            }
        }
        if (!registers_jobs) {
            page.workloads.push_back(folder + '/' + run.workload->file);
        }
        page.platform = run.platform;
        page.metrics = campaign.metrics;
        page.title = run.workload->name + " on " + run.machine->name;
        page.output = (pages / (run.machine->name + ".html")).string();
        page.command = report_command(page);
        const std::string key = sha256(made_of + '\n' + page.command);
        if (page_is_kept(page.output, key)) {
            continue;
        }
        create_folders(pages.string());
        page.metrics.set_machine(Machine(named_platform(page.platform).hosts));
        const std::string text = report::render_report(page, {});
        OutputFile file(page.output);
        file.write(text);
        file.write(last_line_of_page(key, text));
        file.commit();
        if (made) {
            made(page);
        }
    }
}

}  // namespace batfill::campaign
