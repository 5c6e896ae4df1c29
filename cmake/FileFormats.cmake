# SPDX-License-Identifier: Apache-2.0
# Libraries of file formats. A format whose library is missing is one source file less; reading such a file says so.
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

set(DAPHNE_MISSING_FORMATS "")
# daphne_format(header source library extensions...): leaves out the source if the header is not found.
function(daphne_format header source library)
  string(MAKE_C_IDENTIFIER "DAPHNE_HEADER_${header}" variable)
  find_path(${variable} ${header} PATH_SUFFIXES hdf5/serial)
  if(${variable})
    message(STATUS "file formats: ${library} found")
    set(DAPHNE_FORMAT_INCLUDES ${DAPHNE_FORMAT_INCLUDES} ${${variable}} PARENT_SCOPE)
    return()
  endif()
  message(STATUS "file formats: ${library} not found, no support for ${ARGN}")
  foreach(extension ${ARGN})
    list(APPEND DAPHNE_MISSING_FORMATS "${extension}:${library}")
  endforeach()
  set(DAPHNE_MISSING_FORMATS "${DAPHNE_MISSING_FORMATS}" PARENT_SCOPE)
  set(DAPHNE_LEFT_OUT ${DAPHNE_LEFT_OUT} ${source} PARENT_SCOPE)
endfunction()

daphne_format(hdf5.h io/formats/Hdf5.cpp HDF5 h5 hdf5)
daphne_format(netcdf.h io/formats/NetCdf.cpp NetCDF nc)
daphne_format(arrow/api.h io/formats/Arrow.cpp "Arrow C++" parquet arrow feather)
