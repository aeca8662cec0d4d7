# libbatfill: all layers but the commands and the program in one shared library. It takes whole layers, as an algorithm that registers
# itself is called by nobody.
get_property(layers GLOBAL PROPERTY batfill_layers)
list(REMOVE_ITEM layers commands program)
set(objects ${layers})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:batfill_\\1>")
set(headers ${layers})
list(TRANSFORM headers REPLACE "(.+)" "batfill_\\1_headers")

add_library(libbatfill SHARED ${objects})
add_library(batfill::batfill ALIAS libbatfill)
set_target_properties(libbatfill PROPERTIES
  OUTPUT_NAME batfill EXPORT_NAME batfill
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(libbatfill PRIVATE ${headers})
target_compile_features(libbatfill INTERFACE cxx_std_20)
# The library calls its own functions as a program does, not through a table that another library could change.
target_link_options(libbatfill PRIVATE -Wl,-Bsymbolic-functions)
target_include_directories(libbatfill INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
