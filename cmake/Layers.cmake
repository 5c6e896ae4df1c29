# SPDX-License-Identifier: Apache-2.0
# One static library per directory of src/. Sources are discovered; leaf files that define
# `void add<File>(<Table> &` are listed in a generated .inc file, so that nobody edits a list by hand.

# Removes the sources whose optional library is missing (DAPHNE_LEFT_OUT, relative to src/) from a list.
function(daphne_leave_out list)
  foreach(source ${DAPHNE_LEFT_OUT})
    list(REMOVE_ITEM ${list} ${PROJECT_SOURCE_DIR}/src/${source})
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# daphne_layer(name [DEPENDS libs...])
function(daphne_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  daphne_leave_out(sources)
  add_library(daphne_${name} STATIC ${sources})
  target_include_directories(daphne_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(daphne_${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# daphne_discover(directory table macro output): writes output with one macro(File) line per registering file.
function(daphne_discover directory table macro output)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${directory}/*.cpp)
  daphne_leave_out(sources)
  set(text "")
  foreach(source ${sources})
    get_filename_component(stem ${source} NAME_WE)
    file(STRINGS ${source} hits REGEX "^void add${stem}\\(${table} &")
    if(hits)
      string(APPEND text "${macro}(${stem})\n")
    endif()
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/${output} CONTENT "${text}")
endfunction()
