#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "markup.hpp"
#include "page_parts.hpp"
#include "report.hpp"

namespace batfill::report {

std::string report_page(const Report& report) {
    const std::array<std::pair<std::string_view, std::string>, 8> parts{
        {{"{{title}}", markup_text(report.title)},
         {"{{style}}", std::string(page_style)},
         {"{{license}}", markup_text(d3_license)},
         {"{{library}}", std::string(d3_library)},
         {"{{data}}", report_data(report)},
         {"{{data_script}}", std::string(page_data_script)},
         {"{{charts_script}}", std::string(page_charts_script)},
         {"{{script}}", std::string(page_script)}}};
    std::string page;
    std::string_view rest = page_html;
    for (const auto& [mark, text] : parts) {
        const std::size_t at = rest.find(mark);
        if (at == std::string_view::npos) {
            throw std::logic_error("src/report/page.html has no " + std::string(mark) + " where it is expected");
        }
        page += rest.substr(0, at);
        page += text;
        rest.remove_prefix(at + mark.size());
    }
    page += rest;
    return page;
}

}  // namespace batfill::report
