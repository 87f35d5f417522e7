# eiquadprog, another QP solver, beside ours in tests and benchmarks: a wheel that script/bootstrap --dev has unpacked.
set(COLUBER_EIQUADPROG_DIR ${PROJECT_SOURCE_DIR}/build/third_party/eiquadprog-1.3.2/cmeel.prefix CACHE PATH
  "eiquadprog 1.3.2: the folder with include/ and lib/")
set(COLUBER_HAS_EIQUADPROG OFF)
if(EXISTS ${COLUBER_EIQUADPROG_DIR}/include/eiquadprog/eiquadprog.hpp
    AND EXISTS ${COLUBER_EIQUADPROG_DIR}/lib/libeiquadprog.so)
  set(COLUBER_HAS_EIQUADPROG ON)
  add_library(coluber_eiquadprog SHARED IMPORTED)
  set_target_properties(coluber_eiquadprog PROPERTIES
    IMPORTED_LOCATION ${COLUBER_EIQUADPROG_DIR}/lib/libeiquadprog.so
    INTERFACE_INCLUDE_DIRECTORIES ${COLUBER_EIQUADPROG_DIR}/include)
endif()
