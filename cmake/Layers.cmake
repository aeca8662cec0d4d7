# The layers of docs/architecture.md, each a target of its own that sees and links only what stands under it.
#
#   batfill_layer(NAME [FOLDER folder] [HEADERS header...] [ON layer...] [LIBRARIES library...] [RELEASE_FLAGS flag...]
#                 [SOURCES_ALONE])
#
# makes the layer of all sources in `folder` (by default src/NAME); a new file touches no list. HEADERS are those of
# include/batfill/ that belong to it, without their ending; LIBRARIES are those of others that its headers or sources
# need. It may include its own headers and those of the layers that it is ON, and of those that these are on.
# RELEASE_FLAGS come last in a Release build. SOURCES_ALONE compiles each source for itself, where they define the same
# names.
# Its targets: batfill_NAME_headers, what it takes to compile against the layer, and batfill_NAME, its archive.
function(batfill_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "SOURCES_ALONE" "FOLDER" "HEADERS;ON;LIBRARIES;RELEASE_FLAGS")
  if(NOT layer_FOLDER)
    set(layer_FOLDER src/${name})
  endif()

  # The include directory holds nothing but links to the layer's own headers, so that the names in `#include` stay what
  # they are and yet no other header can be found.
  set(directory ${PROJECT_BINARY_DIR}/layers/${name})
  file(REMOVE_RECURSE ${directory})
  file(MAKE_DIRECTORY ${directory}/batfill)
  foreach(header ${layer_HEADERS})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/batfill/${header}.hpp ${directory}/batfill/${header}.hpp SYMBOLIC)
  endforeach()
  get_filename_component(parent ${directory}/${layer_FOLDER} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${layer_FOLDER} ${directory}/${layer_FOLDER} SYMBOLIC)

  set(below ${layer_ON})
  foreach(layer ${layer_ON})
    get_property(further GLOBAL PROPERTY batfill_below_${layer})
    list(APPEND below ${further})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_property(GLOBAL PROPERTY batfill_below_${name} ${below})
  set_property(GLOBAL APPEND PROPERTY batfill_layers ${name})
  set_property(GLOBAL APPEND PROPERTY batfill_headers ${layer_HEADERS})

  add_library(batfill_${name}_headers INTERFACE)
  target_include_directories(batfill_${name}_headers INTERFACE ${directory})
  list(TRANSFORM layer_ON REPLACE "(.+)" "batfill_\\1_headers")
  target_link_libraries(batfill_${name}_headers INTERFACE ${layer_ON} ${layer_LIBRARIES})

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${layer_FOLDER}/*.cpp)
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

# Every header of include/batfill/ belongs to one layer, or no layer could include it.
function(batfill_check_headers)
  file(GLOB present CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include/batfill
       ${PROJECT_SOURCE_DIR}/include/batfill/*.hpp)
  list(TRANSFORM present REPLACE "\\.hpp$" "")
  get_property(listed GLOBAL PROPERTY batfill_headers)
  foreach(header ${listed})
    if(NOT header IN_LIST present)
      message(FATAL_ERROR "cmake/Layers.cmake gives a layer the header ${header}.hpp, which is not in include/batfill/ "
                          "or belongs to another layer already")
    endif()
    list(REMOVE_ITEM present ${header})
  endforeach()
  if(present)
    message(FATAL_ERROR "cmake/Layers.cmake gives no layer these headers of include/batfill/: ${present}")
  endif()
endfunction()

# Bottom to top. Replays spend their time in the layers with -O3, a tenth less of it than with -O2; commands in what they
# call.
batfill_layer(core
  HEADERS error job job_state machine notification resource_set shared_text time
  RELEASE_FLAGS -O3
  LIBRARIES spdlog::spdlog Threads::Threads ZLIB::ZLIB PkgConfig::Sodium ${CSV_LIBRARY})
batfill_layer(formats ON core SOURCES_ALONE
  HEADERS external_events guarantees platform schedule swf workload
  LIBRARIES pugixml::pugixml)
batfill_layer(workloads ON formats
  HEADERS deadlines failures farm lublin swf_conversion)
batfill_layer(engine ON core
  HEADERS algorithm availability_profile engine events job_order job_tournament parameters plan plan_algorithm plugin
          ranked_jobs reservation run_time_predictor scheduler_choice state weight_tuner
  RELEASE_FLAGS -O3
  LIBRARIES ${CMAKE_DL_LIBS})
batfill_layer(schedulers ON engine
  FOLDER schedulers SOURCES_ALONE RELEASE_FLAGS -O3)
batfill_layer(protocol ON formats
  FOLDER protocol SOURCES_ALONE
  LIBRARIES PkgConfig::ZeroMQ)
batfill_layer(analysis ON formats
  HEADERS check metrics
  RELEASE_FLAGS -O3)
batfill_layer(report ON analysis)
batfill_layer(simulator ON engine protocol
  HEADERS embedded_scheduler simulator simulator_rules
  RELEASE_FLAGS -O3)
batfill_layer(replay ON simulator analysis
  HEADERS replay)
batfill_layer(tuning ON replay
  LIBRARIES Eigen3::Eigen)
batfill_layer(server ON engine protocol)
batfill_layer(commands ON schedulers workloads tuning server report
  LIBRARIES Boost::program_options yaml-cpp
  RELEASE_FLAGS -O1)
batfill_check_headers()
include(cmake/ReportPage.cmake)

# For all: scores of jobs must depend neither on whether a machine can multiply and add in one step, nor on how many
# numbers it adds up at once.
target_compile_options(batfill_core_headers INTERFACE -ffp-contract=off)
target_compile_definitions(batfill_core_headers INTERFACE
  EIGEN_DONT_VECTORIZE RAPIDJSON_HAS_STDSTRING=1 SPDLOG_FMT_EXTERNAL)
# The version is generated.
target_include_directories(batfill_core_headers INTERFACE ${PROJECT_BINARY_DIR}/include)
