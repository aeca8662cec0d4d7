# What is installed, as two components: `program` has what it takes to run batfill and what is built on it,
# `development` what it takes to build on it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The program finds its library beside it wherever the two are installed.
file(RELATIVE_PATH libraries_from_programs /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(batfill PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_programs}")
install(TARGETS batfill RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
if(BATFILL_BATSCHED_LINK)
  file(CREATE_LINK batfill ${PROJECT_BINARY_DIR}/batsched SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/batsched DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
install(TARGETS libbatfill EXPORT batfill
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS libbatfill_edc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
install(DIRECTORY platforms/ DESTINATION ${CMAKE_INSTALL_DATADIR}/batfill/platforms COMPONENT program
        FILES_MATCHING PATTERN "*.xml")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# The program holds D3, whose licence is to be passed on.
install(FILES ${D3_LICENSE} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright-d3 COMPONENT program)
# The pages, and what they link to.
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES experiments/README.md experiments/config.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/experiments
        COMPONENT program)
install(FILES experiments/profiles/slurm/config.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/experiments/profiles/slurm
        COMPONENT program)
file(RELATIVE_PATH platforms_from_pages ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/batfill/platforms)
install(CODE "file(CREATE_LINK \"${platforms_from_pages}\"
              \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/platforms\" SYMBOLIC)" COMPONENT program)

# Both ask the program what it takes: completions when they are used, man pages now. Without help2man there are none.
install(FILES src/commands/completions/batfill.bash RENAME batfill
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES src/commands/completions/_batfill
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES src/commands/completions/batfill.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
find_program(HELP2MAN help2man)
if(HELP2MAN)
  set(man_pages ${PROJECT_BINARY_DIR}/man1)
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/cmake/make-man-pages\" \"$<TARGET_FILE:batfill>\"
                \"${man_pages}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(DIRECTORY ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
endif()

install(DIRECTORY include/batfill ${PROJECT_BINARY_DIR}/include/batfill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development FILES_MATCHING PATTERN "*.hpp")
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/batfill)
install(EXPORT batfill NAMESPACE batfill:: FILE batfillConfig.cmake DESTINATION ${package_folder} COMPONENT development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/batfillConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/batfillConfigVersion.cmake DESTINATION ${package_folder} COMPONENT development)
# Paths in it start from where it lies, so that it is right wherever it is installed.
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/batfill.pc.in ${PROJECT_BINARY_DIR}/batfill.pc @ONLY)
# pkg-config prefers this one, so a plugin can be built beside a build that nobody installs.
configure_file(cmake/batfill-uninstalled.pc.in ${PROJECT_BINARY_DIR}/batfill-uninstalled.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/batfill.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
