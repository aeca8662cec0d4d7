# Two Debian packages, by CPack: batfill, and batfill-dev for those who build on it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME batfill)
set(CPACK_PACKAGE_CONTACT "The batfill developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME batfill)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS librsvg2-bin) # for plots that are PDFs or PNGs
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "The backfilling algorithms of the literature, as a scheduler for
the simulator Batsim and in an embedded simulator with the same
inputs and outputs, and tools to convert logs, draw workloads,
audit and compare schedules.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME batfill-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "batfill (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and build files of the batfill library")
foreach(component program development)
  string(TOUPPER ${component} name)
  set(package ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  install(FILES cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  install(FILES cmake/debian/${package}.overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
          RENAME ${package} COMPONENT ${component})
endforeach()
include(CPack)
