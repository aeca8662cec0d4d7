#pragma once

#include <string_view>

// The texts that the build embeds into the program (cmake/ReportPage.cmake).
namespace batfill::report {

extern const std::string_view page_html;              // the frame, with {{NAME}} for each of the others
extern const std::string_view page_style;             // CSS
extern const std::string_view page_data_script;       // reads the data
extern const std::string_view page_charts_script;     // draws charts over time
extern const std::string_view page_script;            // makes the page
extern const std::string_view page_resources_script;  // goes behind it where the machine has pools or shared hosts
extern const std::string_view page_windows_script;    // goes behind these where the machine has windows
extern const std::string_view d3_library;             // D3 with its banner
extern const std::string_view d3_license;             // the text that its licence requires

}  // namespace batfill::report
