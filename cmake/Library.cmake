# SPDX-License-Identifier: Apache-2.0
# libdaphne.so: the engine behind the C functions of include/daphne/daphne.h, and its installation with a pkg-config file
# and a CMake package. Nothing but these functions is visible, LLVM and BLAS neither.
include(GNUInstallDirs)
set(DAPHNE_ABI_MAJOR 1)

file(GLOB capi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/capi/*.cpp)
add_library(libdaphne SHARED ${capi_sources})
set(version_script ${PROJECT_SOURCE_DIR}/src/capi/libdaphne.map)
target_include_directories(libdaphne
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(libdaphne PRIVATE $<BUILD_INTERFACE:daphne_engine>)
target_compile_definitions(libdaphne PRIVATE DAPHNE_VERSION="${PROJECT_VERSION}")
target_link_options(libdaphne PRIVATE -Wl,--version-script=${version_script} -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
if(NOT DAPHNE_SANITIZE) # the run time of a sanitizer belongs to the program
  target_link_options(libdaphne PRIVATE -Wl,-z,defs)
endif()
set_target_properties(libdaphne PROPERTIES OUTPUT_NAME daphne VERSION ${PROJECT_VERSION} SOVERSION ${DAPHNE_ABI_MAJOR}
  EXPORT_NAME daphne LIBRARY_OUTPUT_DIRECTORY ${DAPHNE_OUTPUT_DIR}/lib LINK_DEPENDS ${version_script})

# ---- installation
install(TARGETS libdaphne EXPORT daphne-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/daphne/daphne.h ${PROJECT_SOURCE_DIR}/include/daphne/daphne.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/daphne)
install(TARGETS daphne daphne-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(module ${DAPHNE_TRANSPORT_LIBRARIES} daphne_arrow)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
# Beside Arrow C++ that others have, of whatever version.
if(DAPHNE_ARROW_COPIES)
  install(FILES ${DAPHNE_ARROW_COPIES} DESTINATION ${CMAKE_INSTALL_LIBDIR}/daphne)
  install(FILES ${DAPHNE_ARROW_LICENSES} DESTINATION ${CMAKE_INSTALL_DOCDIR}/arrow)
endif()
# The prefix is found from where the file is, so that an installed tree may be moved.
file(RELATIVE_PATH DAPHNE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/daphne.pc.in ${CMAKE_BINARY_DIR}/daphne.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/daphne.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/daphne)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/daphne-config.cmake.in ${CMAKE_BINARY_DIR}/daphne-config.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/daphne-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/daphne-config.cmake ${CMAKE_BINARY_DIR}/daphne-config-version.cmake
  DESTINATION ${package_directory})
install(EXPORT daphne-targets NAMESPACE daphne:: DESTINATION ${package_directory})
