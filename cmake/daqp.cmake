# DAQP, the QP solver of src/qp: its source, as script/bootstrap has unpacked it, is compiled into the library. Nothing
# of it is installed but its licence, and its names have a prefix (src/qp/daqp_names.h).
set(COLUBER_DAQP_VERSION 0.10.3)
set(COLUBER_DAQP_DIR ${PROJECT_SOURCE_DIR}/build/third_party/daqp-${COLUBER_DAQP_VERSION} CACHE PATH
  "Source of DAQP ${COLUBER_DAQP_VERSION}: the folder with csrc/ and LICENSE")
set(COLUBER_DAQP_SOURCES "")
set(COLUBER_HAS_DAQP ON)
foreach(name api auxiliary avi bnb daqp daqp_prox eq_elim factorization hierarchical utils)
  list(APPEND COLUBER_DAQP_SOURCES ${COLUBER_DAQP_DIR}/csrc/src/${name}.c)
endforeach()
foreach(file ${COLUBER_DAQP_SOURCES} ${COLUBER_DAQP_DIR}/csrc/include/api.h ${COLUBER_DAQP_DIR}/LICENSE)
  if(NOT EXISTS ${file})
    set(COLUBER_HAS_DAQP OFF)
  endif()
endforeach()
if(COLUBER_HAS_DAQP AND EXISTS ${COLUBER_DAQP_DIR}/PKG-INFO)  # other versions have other names and fields
  file(STRINGS ${COLUBER_DAQP_DIR}/PKG-INFO found REGEX "^Version: ")
  if(NOT found STREQUAL "Version: ${COLUBER_DAQP_VERSION}")
    set(COLUBER_HAS_DAQP OFF)
  endif()
endif()

# coluber_add_daqp(target): its objects are the target's own, so a static library has them and a shared one hides them.
function(coluber_add_daqp target)
  set(bridge ${PROJECT_SOURCE_DIR}/src/qp/daqp_bridge.c)
  set_source_files_properties(${bridge} ${COLUBER_DAQP_SOURCES} PROPERTIES
    INCLUDE_DIRECTORIES ${COLUBER_DAQP_DIR}/csrc/include
    COMPILE_FLAGS "-include \"${PROJECT_SOURCE_DIR}/src/qp/daqp_names.h\"")
  set_property(SOURCE ${COLUBER_DAQP_SOURCES} APPEND_STRING PROPERTY COMPILE_FLAGS " -w")  # not our warnings
  target_sources(${target} PRIVATE ${bridge} ${COLUBER_DAQP_SOURCES})
  target_compile_definitions(${target} PRIVATE COLUBER_HAS_DAQP)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_VISIBILITY_PRESET hidden)
endfunction()
