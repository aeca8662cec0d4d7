# One place for warnings: every target of ours links batfill_warnings, nothing else sets them.
add_library(batfill_warnings INTERFACE)
target_compile_options(batfill_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees null dereferences inside inlined standard containers, and overlapping copies inside the concatenation of
  # strings (GCC bug 105651), that cannot happen.
  target_compile_options(batfill_warnings INTERFACE -Wduplicated-cond -Wlogical-op -Wno-null-dereference -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND BATFILL_SANITIZERS)
  # The checks of the sanitizers hide initialisations from GCC, in std::regex for one.
  target_compile_options(batfill_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Comparing the member iterators of RapidJSON 1.1, which is older than C++20.
  target_compile_options(batfill_warnings INTERFACE -Wno-ambiguous-reversed-operator)
endif()
if(BATFILL_WARNINGS_AS_ERRORS)
  target_compile_options(batfill_warnings INTERFACE -Werror)
endif()
