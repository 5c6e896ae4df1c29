# SPDX-License-Identifier: Apache-2.0
# Every shared library is a part of the start-up of a program. Programs are linked with the archive of a library where
# there is one; shared libraries of ours are not, since Debian's archives are not position-independent code.

# daphne_static_in_programs(variable shared archives...): what to link with, the archives in programs if all are there.
function(daphne_static_in_programs variable shared)
  set(found "")
  foreach(archive ${ARGN})
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${archive} OUTPUT_VARIABLE path
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${path}") # the compiler knows nothing but its name: there is none
      set(${variable} ${shared} PARENT_SCOPE)
      return()
    endif()
    list(APPEND found ${path})
  endforeach()
  set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
  set(${variable} "$<${is_program}:${found}>" "$<$<NOT:${is_program}>:${shared}>" PARENT_SCOPE)
endfunction()
