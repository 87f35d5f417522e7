# Generates coluber/core/version.hpp and the source behind it: what was built, from which commit,
# by which compiler. The commit is read at configure time; script/* configure on every call.
set(COLUBER_GENERATED ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(COLUBER_VERSION_HEADER ${COLUBER_GENERATED}/include/coluber/core/version.hpp)
set(COLUBER_VERSION_SOURCE ${COLUBER_GENERATED}/version.cpp)

set(COLUBER_REVISION "")
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --tags --dirty
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE COLUBER_REVISION
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(COLUBER_FLAGS "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -ffp-contract=off")
if(COLUBER_SANITIZE)
  string(APPEND COLUBER_FLAGS " -fsanitize=${COLUBER_SANITIZE}")
endif()
string(STRIP "${COLUBER_FLAGS}" COLUBER_FLAGS)
file(TO_CMAKE_PATH "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/coluber" COLUBER_INSTALLED_DATA)

if(BUILD_SHARED_LIBS)
  set(COLUBER_LIBRARY_KIND shared)
else()
  set(COLUBER_LIBRARY_KIND static)
endif()
set(COLUBER_LIBRARIES "")
set(daqp_version "")
if(COLUBER_HAS_DAQP)
  set(daqp_version ${COLUBER_DAQP_VERSION})
endif()
foreach(pair "Eigen=${Eigen3_VERSION}" "fmt=${fmt_VERSION}" "nlohmann-json=${nlohmann_json_VERSION}"
        "toml++=${tomlplusplus_VERSION}" "HDF5=${HDF5_VERSION}" "zlib=${ZLIB_VERSION_STRING}" "CLI11=${CLI11_VERSION}"
        "CVODE=${CVODE_VERSION}" "DAQP=${daqp_version}" "cpp-httplib=${httplib_VERSION}")
  if(pair MATCHES "^(.+)=(.+)$")  # one that was not found has no version
    string(APPEND COLUBER_LIBRARIES "    Library{\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\"},\n")
  endif()
endforeach()

configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in ${COLUBER_VERSION_HEADER} @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.cpp.in ${COLUBER_VERSION_SOURCE} @ONLY)
