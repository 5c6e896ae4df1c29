# SPDX-License-Identifier: Apache-2.0
# What the Python wheel has of the engine: one library with everything in it but the C library, the programs on top of
# it, and the module for Arrow. python/wheel/build.py configures with DAPHNE_WHEEL_RE2 and builds wheel_files.
set(DAPHNE_WHEEL_RE2 "" CACHE PATH "Sources of RE2, whose archive in Debian cannot be a part of a shared library")
if(NOT DAPHNE_WHEEL_RE2)
  return()
endif()
set(native ${PROJECT_SOURCE_DIR}/python/wheel/native)
set(wheel_directory ${CMAKE_BINARY_DIR}/wheel)

# wheel_archive(variable name): the archive of a library that is linked statically.
function(wheel_archive variable name)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE path
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${path}")
    message(FATAL_ERROR "the wheel needs ${name}: cmake/install-packages.sh wheel")
  endif()
  set(${variable} ${${variable}} ${path} PARENT_SCOPE)
endfunction()
wheel_archive(wheel_hwloc libhwloc.a)
foreach(name libre2.a libzstd.a libz.a libstdc++_pic.a)
  wheel_archive(wheel_archives ${name})
endforeach()

# Debian's archives are code for programs. In a shared library two things do not work: variables of a thread and of the C
# library. RE2 has both and is compiled from Debian's sources (its tables, which those lack, are taken from the archive);
# hwloc gets variables of its own (native/Archives.c).
file(GLOB re2_sources ${DAPHNE_WHEEL_RE2}/re2/*.cc ${DAPHNE_WHEEL_RE2}/util/rune.cc ${DAPHNE_WHEEL_RE2}/util/strutil.cc)
add_library(wheel_re2 STATIC EXCLUDE_FROM_ALL ${re2_sources})
target_include_directories(wheel_re2 SYSTEM PRIVATE ${DAPHNE_WHEEL_RE2})
target_compile_options(wheel_re2 PRIVATE -w)
set(wheel_own_hwloc ${wheel_directory}/libhwloc.a)
file(MAKE_DIRECTORY ${wheel_directory})
add_custom_command(OUTPUT ${wheel_own_hwloc} DEPENDS ${wheel_hwloc}
  COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=daphne_stderr --redefine-sym stdout=daphne_stdout
          --redefine-sym program_invocation_name=daphne_program_name ${wheel_hwloc} ${wheel_own_hwloc})
add_custom_target(wheel_hwloc_archive DEPENDS ${wheel_own_hwloc})

# Archives go first: what they define is not looked for in the shared libraries, which are then not needed. The old places
# of threads, timers and dlopen are named for C libraries before 2.34.
set(wheel_link_options -Wl,--as-needed -Wl,-s -Wl,--exclude-libs,ALL -Wl,-z,defs)
set(wheel_old_places -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -l:librt.so.1
  -Wl,--pop-state)

add_library(wheel_library SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:libdaphne> ${native}/OlderSystems.c
  ${native}/Archives.c ${native}/Command.cpp)
target_link_libraries(wheel_library PRIVATE wheel_re2 ${wheel_own_hwloc} ${wheel_archives} ${wheel_old_places} daphne_driver)
target_link_options(wheel_library PRIVATE ${wheel_link_options} -Wl,-Bsymbolic -Wl,--version-script=${version_script})
set_target_properties(wheel_library PROPERTIES OUTPUT_NAME daphne LIBRARY_OUTPUT_DIRECTORY ${wheel_directory}/lib
  LINK_DEPENDS "${version_script};${wheel_own_hwloc}")
add_dependencies(wheel_library wheel_hwloc_archive)

# They get the names daphne and daphne-worker in the wheel: here other programs have them.
foreach(command daphne_command daphne_worker_command)
  add_executable(wheel_${command} EXCLUDE_FROM_ALL ${native}/Program.c)
  target_compile_definitions(wheel_${command} PRIVATE DAPHNE_COMMAND=${command})
  target_link_libraries(wheel_${command} PRIVATE wheel_library)
  target_link_options(wheel_${command} PRIVATE -Wl,--as-needed -Wl,-s)
  set_target_properties(wheel_${command} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${wheel_directory}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
endforeach()

add_custom_target(wheel_files DEPENDS wheel_library wheel_daphne_command wheel_daphne_worker_command)

if(DAPHNE_ARROW_COPIES)
  list(TRANSFORM DAPHNE_ARROW_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE arrow_sources)
  add_library(wheel_arrow MODULE EXCLUDE_FROM_ALL ${arrow_sources} ${native}/OlderSystems.c ${native}/OlderCxx.cpp)
  target_include_directories(wheel_arrow PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(wheel_arrow SYSTEM PRIVATE ${DAPHNE_ARROW_HEADERS})
  target_link_libraries(wheel_arrow PRIVATE ${DAPHNE_ARROW_COPIES})
  target_link_options(wheel_arrow PRIVATE ${wheel_link_options})
  set_target_properties(wheel_arrow PROPERTIES OUTPUT_NAME daphne_arrow LIBRARY_OUTPUT_DIRECTORY ${wheel_directory}/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  add_custom_command(TARGET wheel_arrow POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy ${DAPHNE_ARROW_COPIES} ${wheel_directory}/lib)
  add_dependencies(wheel_files wheel_arrow)
endif()
