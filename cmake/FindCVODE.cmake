# CVODE of SUNDIALS with its serial vectors and dense matrices: target CVODE::CVODE, CVODE_VERSION.
# SUNDIALS' own configuration demands OpenMP, which none of these libraries needs.
find_path(CVODE_INCLUDE_DIR cvode/cvode.h)
set(CVODE_LIBRARIES "")
set(cvode_variables "")
foreach(part cvode nvecserial sunmatrixdense)
  find_library(CVODE_${part}_LIBRARY sundials_${part})
  list(APPEND CVODE_LIBRARIES ${CVODE_${part}_LIBRARY})
  list(APPEND cvode_variables CVODE_${part}_LIBRARY)
endforeach()
mark_as_advanced(CVODE_INCLUDE_DIR ${cvode_variables})

set(CVODE_VERSION "")
if(CVODE_INCLUDE_DIR AND EXISTS ${CVODE_INCLUDE_DIR}/sundials/sundials_config.h)
  file(STRINGS ${CVODE_INCLUDE_DIR}/sundials/sundials_config.h line REGEX "define SUNDIALS_VERSION ")
  if(line MATCHES "\"([0-9.]+)")
    set(CVODE_VERSION ${CMAKE_MATCH_1})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CVODE REQUIRED_VARS CVODE_INCLUDE_DIR ${cvode_variables}
  VERSION_VAR CVODE_VERSION)
if(CVODE_FOUND AND NOT TARGET CVODE::CVODE)
  add_library(CVODE::CVODE INTERFACE IMPORTED)
  set_target_properties(CVODE::CVODE PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${CVODE_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CVODE_LIBRARIES}")
endif()
