# Packages the build can do without. Each may be missing, half installed or too old: the build then leaves its feature
# out, and the summary says which (cmake/summary.cmake, `coluber version --json`).
find_package(CVODE 6 QUIET)  # smooth friction of the minimal model

# `coluber view`. cpp-httplib has no CMake configuration of its own; what its pkg-config file names has to be there.
set(COLUBER_HAS_HTTPLIB OFF)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(httplib QUIET IMPORTED_TARGET cpp-httplib>=0.11)
endif()
if(TARGET PkgConfig::httplib)
  find_path(COLUBER_HTTPLIB_HEADER httplib.h HINTS ${httplib_INCLUDE_DIRS})
  if(COLUBER_HTTPLIB_HEADER)
    set(COLUBER_HAS_HTTPLIB ON)
  endif()
  foreach(part ${httplib_INCLUDE_DIRS} ${httplib_LINK_LIBRARIES})
    if(NOT EXISTS ${part})
      set(COLUBER_HAS_HTTPLIB OFF)
    endif()
  endforeach()
endif()

find_program(COLUBER_GNUPLOT gnuplot)  # wanted at run time, by `coluber plot` alone

# GoogleTest and GoogleMock: in Debian two packages, and the first comes without the second.
set(COLUBER_HAS_GTEST OFF)
if(COLUBER_BUILD_TESTS)
  find_package(GTest QUIET)
  if(TARGET GTest::gmock AND TARGET GTest::gtest_main)
    set(COLUBER_HAS_GTEST ON)
  endif()
endif()
if(COLUBER_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
endif()
