# libbatfill-edc: what Batsim 5 loads to be scheduled without a socket. It holds all that it takes, and shows nothing but
# the functions that Batsim calls, so that it depends neither on where it lies nor on what Batsim is linked with.
add_library(libbatfill_edc MODULE src/edc/edc.cpp)
set_target_properties(libbatfill_edc PROPERTIES
  OUTPUT_NAME batfill-edc LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/edc/exports.map)
target_link_libraries(libbatfill_edc PRIVATE batfill_warnings)
batfill_link_layers(libbatfill_edc schedulers tuning session)
target_link_options(libbatfill_edc PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/edc/exports.map -Wl,-Bsymbolic-functions)
