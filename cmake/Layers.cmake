# The layers of docs/architecture.md, each a target of its own.
#
#   batfill_layer(NAME [FOLDER folder] [ON layer...] [LIBRARIES library...] [RELEASE_FLAGS flag...] [SOURCES_ALONE])
#
# makes the layer of all sources in `folder` (by default src/NAME) and its subfolders, and the public headers in
# include/batfill/NAME; a new file touches no list. It may include and call the layers that it is ON, and those that these are on: tests/layers checks
# it. LIBRARIES are those of others that its headers or sources need. RELEASE_FLAGS come last in a Release build.
# SOURCES_ALONE compiles each source for itself, where they define the same names, or where GCC inlines less in all of
# them together.
# Its targets: batfill_NAME_headers, what it takes to compile against the layer, and batfill_NAME, its archive.
function(batfill_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "SOURCES_ALONE" "FOLDER" "ON;LIBRARIES;RELEASE_FLAGS")
  if(NOT layer_FOLDER)
    set(layer_FOLDER src/${name})
  endif()

  set(below ${layer_ON})
  foreach(layer ${layer_ON})
    get_property(further GLOBAL PROPERTY batfill_below_${layer})
    list(APPEND below ${further})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_property(GLOBAL PROPERTY batfill_below_${name} ${below})
  set_property(GLOBAL APPEND PROPERTY batfill_layers ${name})
  set_property(GLOBAL PROPERTY batfill_folder_${name} ${layer_FOLDER})

  add_library(batfill_${name}_headers INTERFACE)
  target_include_directories(batfill_${name}_headers INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM layer_ON REPLACE "(.+)" "batfill_\\1_headers")
  target_link_libraries(batfill_${name}_headers INTERFACE ${layer_ON} ${layer_LIBRARIES})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${layer_FOLDER}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(batfill_${name} STATIC ${sources})
  target_link_libraries(batfill_${name} PUBLIC batfill_${name}_headers PRIVATE batfill_warnings)
  set_target_properties(batfill_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(layer_SOURCES_ALONE)
    set_target_properties(batfill_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  # Calls within the library are decided when it is compiled, as those within a program are.
  target_compile_options(batfill_${name} PRIVATE -fno-semantic-interposition
                         $<$<CONFIG:Release>:${layer_RELEASE_FLAGS}>)
endfunction()

# batfill_link_layers(TARGET layer...): links these layers and all that are under them. Their archives are linked whole,
# as an algorithm that registers itself is called by nobody.
function(batfill_link_layers target)
  set(layers ${ARGN})
  foreach(layer ${ARGN})
    get_property(below GLOBAL PROPERTY batfill_below_${layer})
    list(APPEND layers ${below})
  endforeach()
  list(REMOVE_DUPLICATES layers)
  list(TRANSFORM layers PREPEND batfill_)
  string(REPLACE ";" "," archives "${layers}")
  target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${archives}>")
endfunction()

# Bottom to top. Replays spend their time in the layers with -O3, a tenth less of it than with -O2. The layers with -O1
# spend theirs in what they call.
batfill_layer(core
  RELEASE_FLAGS -O3
  LIBRARIES spdlog::spdlog Threads::Threads)
batfill_layer(support ON core
  RELEASE_FLAGS -O3
  LIBRARIES ZLIB::ZLIB PkgConfig::Sodium date::date-tz ${CSV_LIBRARY})
batfill_layer(options ON support
  RELEASE_FLAGS -O1)
batfill_layer(formats ON options
  LIBRARIES pugixml::pugixml)
batfill_layer(workloads ON formats)
batfill_layer(engine ON support
  RELEASE_FLAGS -O3
  LIBRARIES ${CMAKE_DL_LIBS})
batfill_layer(choice ON engine
  RELEASE_FLAGS -O1)
batfill_layer(planning ON engine
  RELEASE_FLAGS -O3)
batfill_layer(schedulers ON planning
  FOLDER schedulers SOURCES_ALONE RELEASE_FLAGS -O3)
batfill_layer(protocol ON formats engine
  FOLDER protocol SOURCES_ALONE)
batfill_layer(transport ON support
  LIBRARIES PkgConfig::ZeroMQ)
batfill_layer(analysis ON formats
  RELEASE_FLAGS -O3)
batfill_layer(runs ON analysis workloads)
batfill_layer(simulator ON engine formats
  RELEASE_FLAGS -O3)
batfill_layer(replay ON simulator runs choice
  RELEASE_FLAGS -O3)
batfill_layer(report ON runs replay)
batfill_layer(environments ON replay schedulers
  LIBRARIES Boost::context
  RELEASE_FLAGS -O3)
batfill_layer(tuning ON replay planning
  LIBRARIES Eigen3::Eigen)
batfill_layer(session ON protocol choice)
batfill_layer(server ON session transport)
batfill_layer(remote ON simulator protocol transport)
batfill_layer(campaign ON report
  LIBRARIES yaml-cpp
  RELEASE_FLAGS -O1)
batfill_layer(commands ON schedulers tuning server remote campaign
  LIBRARIES Boost::program_options
  RELEASE_FLAGS -O1)
batfill_layer(program ON commands
  RELEASE_FLAGS -O1)
include(cmake/ReportPage.cmake)

# For all: scores of jobs must depend neither on whether a machine can multiply and add in one step, nor on how many
# numbers it adds up at once.
target_compile_options(batfill_core_headers INTERFACE -ffp-contract=off)
target_compile_definitions(batfill_core_headers INTERFACE
  EIGEN_DONT_VECTORIZE RAPIDJSON_HAS_STDSTRING=1 SPDLOG_FMT_EXTERNAL)
# The version is generated.
target_include_directories(batfill_core_headers INTERFACE ${PROJECT_BINARY_DIR}/include)
