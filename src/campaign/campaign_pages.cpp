#include "src/campaign/campaign_pages.hpp"

#include <filesystem>

#include <batfill/core/error.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/engine/engine.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/command_line.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

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
std::string report_command(const report::ReportRequest& options, const MachineDetails& machine) {
    Arguments arguments = options.prefixes;
    for (const std::string& workload : options.workloads) {
        arguments.insert(arguments.end(), {"-w", workload});
    }
    arguments.insert(arguments.end(), {"-p", options.platform});
    const Arguments details = arguments_of(machine);
    arguments.insert(arguments.end(), details.begin(), details.end());
    if (options.log) {
        arguments.insert(arguments.end(), {"--log", *options.log});
    }
    arguments.insert(arguments.end(),
                     {"-o", options.output, "--tau", options.metrics.tau.to_string(), "--short-deadline",
                      options.metrics.short_deadline.to_string(), "--title", *options.title});
    return command_line(arguments);
}

Duration length_in(Fields& fields, const char* name) {
    const std::optional<Duration> length = Duration::parse(fields.text(name));
    refuse_if<InputError>(!length || *length < Duration(), name, ": expected a number of seconds");
    return *length;
}

std::size_t count_in(Fields& fields, const char* name) {
    const int number = fields.integer(name, -1);
    refuse_if<InputError>(number < 0, name, ": expected a whole number from 0");
    return static_cast<std::size_t>(number);
}

}  // namespace

CampaignPages pages_of(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::string& program) {
    CampaignPages result{{}, program, campaign.metrics};
    if (!campaign.reports) {
        return result;
    }
    const bool registers_jobs = std::ranges::any_of(campaign.schedulers, [](const CampaignScheduler& scheduler) {
        return scheduler.scheduler.choice.submits_jobs();
    });
    std::size_t end = 0;
    for (std::size_t first = 0; first < runs.size(); first = end) {
        const CampaignRun& run = runs[first];
        while (end < runs.size() && is_beside(runs[end], run)) {
            ++end;
        }
        CampaignPage page;
        page.output = "reports/" + run.workload->name + '/' + run.machine->name + ".html";
        page.title = run.workload->name + " on " + run.machine->name;
        page.workload = registers_jobs ? "" : run.workload->file;
        page.platform_is_made = run.machine->word.empty() && !run.workload->platform.empty();
        page.platform = page.platform_is_made ? run.workload->platform : run.platform;
        page.machine = run.machine->details;
        page.windows_are_made = !run.windows.empty();
        if (page.windows_are_made) {
            page.machine.windows = run.windows;
        }
        page.limits_are_made = page.machine.limits_text.has_value();
        page.machine.limits_text.reset();
        page.first = first;
        page.count = end - first;
        page.has_log = runs[end - 1].scheduler == nullptr;
        result.pages.push_back(std::move(page));
    }
    return result;
}

void write_pages(const CampaignPages& pages, JsonWriter& json) {
    json.key("pages").open_object();
    json.key("program").text(pages.program);
    json.key("tau").text(pages.metrics.tau.to_string());
    json.key("short-deadline").text(pages.metrics.short_deadline.to_string());
    json.key("list").objects(pages.pages, [&](const CampaignPage& page) {
        json.key("output").text(page.output);
        json.key("title").text(page.title);
        json.key("workload").text(page.workload);
        json.key("platform").text(page.platform);
        json.key("platform_is_made").boolean(page.platform_is_made);
        if (!page.machine.pools.empty()) {
            json.key("pools").texts(mapped(
                page.machine.pools, [](const auto& pool) { return pool.first + '=' + std::to_string(pool.second); }));
        }
        json.member_if_any("capacity", page.machine.capacity);
        json.member_if_any("windows", page.machine.windows);
        json.member_if_any("windows_are_made", page.windows_are_made);
        json.member_if_any("limits", page.machine.limits);
        json.member_if_any("limits_are_made", page.limits_are_made);
        json.key("first").integer(page.first);
        json.key("count").integer(page.count);
        json.member_if_any("has_log", page.has_log);
    });
    json.close_object();
}

CampaignPages read_pages(Fields& manifest) {
    CampaignPages result;
    if (manifest.find("pages") == nullptr) {
        return result;
    }
    Fields fields(manifest.object("pages"), "pages: ");
    result.program = fields.text("program");
    result.metrics.tau = length_in(fields, "tau");
    result.metrics.short_deadline = length_in(fields, "short-deadline");
    for (const JsonValue& element : fields.array("list").GetArray()) {
        refuse_if<InputError>(!element.IsObject(), "expected objects in 'pages'");
        Fields one(element, "pages: ");
        CampaignPage& page = result.pages.emplace_back();
        page.output = one.text("output");
        page.title = one.text("title");
        page.workload = one.text("workload");
        page.platform = one.text("platform");
        page.platform_is_made = one.boolean("platform_is_made");
        if (one.find("pools") != nullptr) {
            for (const JsonValue& pool : one.array("pools").GetArray()) {
                page.machine.pools.push_back(parse_pool(pool.IsString() ? pool.GetString() : ""));
            }
        }
        if (one.find("capacity") != nullptr) {
            page.machine.capacity = checked_capacity(std::string(one.text("capacity")));
        }
        page.machine.windows = one.text("windows", "");
        page.windows_are_made = one.find("windows_are_made") != nullptr && one.boolean("windows_are_made");
        page.machine.limits = one.text("limits", "");
        page.limits_are_made = one.find("limits_are_made") != nullptr && one.boolean("limits_are_made");
        page.first = count_in(one, "first");
        page.count = count_in(one, "count");
        page.has_log = one.find("has_log") != nullptr && one.boolean("has_log");
    }
    return result;
}

void make_pages(const CampaignPages& pages, const PageSources& sources, const std::string& folder,
                const std::function<void(const report::ReportRequest&)>& made) {
    for (const CampaignPage& of_runs : pages.pages) {
        refuse_if<InputError>(of_runs.count == 0 || of_runs.first + of_runs.count > sources.prefixes.size(),
                              of_runs.output, ": expected a page of runs that the list has");
        std::string made_of = pages.program;
        report::ReportRequest page;
        for (std::size_t i = of_runs.first; i < of_runs.first + of_runs.count; ++i) {
            page.prefixes.push_back(sources.prefixes[i]);
            made_of += '\n' + sources.keys[i];
            for (const auto& [name, hash] : sources.results[i].files) {
                made_of.append("\n").append(name).append(" ").append(hash);
            }
        }
        if (!of_runs.workload.empty()) {
            page.workloads.push_back(sources.made_file(of_runs.workload));
        }
        page.platform = of_runs.platform_is_made ? sources.made_file(of_runs.platform) : of_runs.platform;
        MachineDetails machine = of_runs.machine;
        if (of_runs.windows_are_made) {
            machine.windows = sources.made_file(machine.windows);
        }
        if (of_runs.limits_are_made) {
            machine.limits = sources.made_file(machine.limits);
        }
        if (of_runs.has_log) {
            page.log = page.prefixes.back() + "_jobs.csv";
            page.prefixes.pop_back();
        }
        page.windows = machine.windows;
        page.metrics = pages.metrics;
        page.title = of_runs.title;
        page.output = (fs::path(folder) / of_runs.output).string();
        page.command = report_command(page, machine);
        const std::string key = sha256(made_of + '\n' + page.command);
        if (page_is_kept(page.output, key)) {
            continue;
        }
        create_folders(fs::path(page.output).parent_path().string());
        page.metrics.set_machine(named_platform(page.platform, machine).machine());
        const std::string text = report::render_report(page, [](const std::string&) {});
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
