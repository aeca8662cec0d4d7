# What the page of `batfill report` is made of, put into the program when it is built: the files of src/report/ and D3,
# the library that draws, as Debian's node-d3 has it, with its licence.
find_file(D3_LIBRARY d3.min.js REQUIRED PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3
          DOC "D3 version 5 in one file")
find_file(D3_LICENSE copyright REQUIRED PATHS /usr/share/doc/node-d3 NO_DEFAULT_PATH DOC "The licence of D3")
set(page_parts
  page_html=${PROJECT_SOURCE_DIR}/src/report/page.html
  page_style=${PROJECT_SOURCE_DIR}/src/report/page.css
  page_data_script=${PROJECT_SOURCE_DIR}/src/report/page_data.js
  page_charts_script=${PROJECT_SOURCE_DIR}/src/report/page_charts.js
  page_script=${PROJECT_SOURCE_DIR}/src/report/page.js
  page_resources_script=${PROJECT_SOURCE_DIR}/src/report/page_resources.js
  page_windows_script=${PROJECT_SOURCE_DIR}/src/report/page_windows.js
  d3_library=${D3_LIBRARY}
  d3_license=${D3_LICENSE})
list(TRANSFORM page_parts REPLACE "^[^=]*=" "" OUTPUT_VARIABLE page_files)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/report/page_parts.cpp
  COMMAND ${CMAKE_COMMAND} "-DPARTS=${page_parts}" -DOUTPUT=${PROJECT_BINARY_DIR}/report/page_parts.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
  DEPENDS ${page_files} ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
  VERBATIM)
target_sources(batfill_report PRIVATE ${PROJECT_BINARY_DIR}/report/page_parts.cpp)
# GCC takes literals of any length; the standard only promises less.
set_source_files_properties(${PROJECT_BINARY_DIR}/report/page_parts.cpp PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
