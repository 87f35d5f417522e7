# Library, headers, program, data; found again by find_package(coluber) and by pkg-config.
include(CMakePackageConfigHelpers)

install(TARGETS coluber coluber_cli EXPORT coluberTargets FILE_SET HEADERS)
install(TARGETS coluber_app)
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(coluber_app PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  set_target_properties(coluber_cli PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
foreach(folder scenarios sweeps reproduce)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/coluber)
  endif()
endforeach()
if(EXISTS ${PROJECT_SOURCE_DIR}/benchmarks/scenes.toml)  # the scenes of `coluber bench`
  install(DIRECTORY benchmarks/data benchmarks/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/coluber/benchmarks)
  install(FILES benchmarks/scenes.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/coluber/benchmarks)
endif()
# the page that shows replays: built by npm, so it is there only where someone built it
install(FILES viewer/dist/viewer.html DESTINATION ${CMAKE_INSTALL_DATADIR}/coluber/viewer OPTIONAL)
install(FILES completions/coluber.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME coluber)  # the name of the command: bash-completion loads it on the first Tab
install(FILES completions/_coluber DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/coluber.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(COLUBER_HAS_DAQP)
  install(FILES ${COLUBER_DAQP_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.daqp)
endif()

set(COLUBER_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/coluber)
install(EXPORT coluberTargets NAMESPACE coluber:: DESTINATION ${COLUBER_CMAKE_DIR})
configure_package_config_file(cmake/coluberConfig.cmake.in ${COLUBER_GENERATED}/coluberConfig.cmake
  INSTALL_DESTINATION ${COLUBER_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${COLUBER_GENERATED}/coluberConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${COLUBER_GENERATED}/coluberConfig.cmake ${COLUBER_GENERATED}/coluberConfigVersion.cmake
  cmake/FindCVODE.cmake DESTINATION ${COLUBER_CMAKE_DIR})

# A static library leaves its own dependencies to whoever links it.
set(COLUBER_PC_DEPENDENCIES "fmt tomlplusplus hdf5-serial zlib")
set(COLUBER_PC_LIBRARIES "-pthread")  # those without a pkg-config file
if(CVODE_FOUND)
  string(APPEND COLUBER_PC_LIBRARIES
    " -lsundials_cvode -lsundials_nvecserial -lsundials_sunmatrixdense")
endif()
if(BUILD_SHARED_LIBS)
  set(COLUBER_PC_REQUIRES "eigen3")
  set(COLUBER_PC_LIBS "")
  set(COLUBER_PC_LIBS_PRIVATE "${COLUBER_PC_LIBRARIES}")
  set(COLUBER_PC_REQUIRES_PRIVATE "${COLUBER_PC_DEPENDENCIES}")
else()
  set(COLUBER_PC_REQUIRES "eigen3 ${COLUBER_PC_DEPENDENCIES}")
  set(COLUBER_PC_LIBS "${COLUBER_PC_LIBRARIES}")
  set(COLUBER_PC_LIBS_PRIVATE "")
  set(COLUBER_PC_REQUIRES_PRIVATE "")
endif()
# ${pcfiledir} is <prefix>/<libdir>/pkgconfig: the way back to the prefix, however deep libdir is.
file(RELATIVE_PATH COLUBER_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" COLUBER_PC_TO_PREFIX "${COLUBER_PC_TO_PREFIX}")
configure_file(cmake/coluber.pc.in ${COLUBER_GENERATED}/coluber.pc @ONLY)
install(FILES ${COLUBER_GENERATED}/coluber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
