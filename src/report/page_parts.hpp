#pragma once

#include <string_view>

// The texts that the build puts into the program (cmake/ReportPage.cmake).
namespace batfill::report {

extern const std::string_view page_html;    // the frame, with {{NAME}} in place of the others
extern const std::string_view page_style;   // CSS
extern const std::string_view page_script;  // draws what is in the data
extern const std::string_view d3_library;   // D3 with its banner
extern const std::string_view d3_license;   // what its licence requires to be passed on

}  // namespace batfill::report
