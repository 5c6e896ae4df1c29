# SPDX-License-Identifier: Apache-2.0
# Transports of the distributed engine. Each call of daphne_transport writes a row of dist/transports/TransportTable.h;
# that and the file are all a transport needs. DAPHNE_MPI=ON makes a missing MPI an error.
option(DAPHNE_MPI "Fail if MPI is missing" OFF)

# daphne_transport(File NAME name [ALIAS name] TITLE title DOC text WORKERS Ranks|Listeners|Threads BYTES_PER_NS speed
#                  [ENCRYPTS]
#                  [LIBRARY name PACKAGES text [SHARES_SYMBOLS] [LINK targets... [SOURCES files...] [INCLUDE dirs...]]])
# src/dist/transports/File.cpp, with a LIBRARY as lib/libdaphne_<name>.so if there is something to LINK with; without
# it is the option's value NAME known, but cannot be used. Several transports may share a library. ENCRYPTS: it honours the
# options --tls-*.
function(daphne_transport file)
  cmake_parse_arguments(ARG "SHARES_SYMBOLS;ENCRYPTS" "NAME;ALIAS;TITLE;DOC;WORKERS;BYTES_PER_NS;LIBRARY;PACKAGES"
    "LINK;SOURCES;INCLUDE" ${ARGN})
  set(row "${file}, \"${ARG_NAME}\", \"${ARG_ALIAS}\", \"${ARG_DOC}\", .title = \"${ARG_TITLE}\", "
    ".workers = WorkersAre::${ARG_WORKERS}, .bytesPerNs = ${ARG_BYTES_PER_NS}")
  string(CONCAT row ${row})
  if(ARG_ENCRYPTS)
    string(APPEND row ", .encrypts = true")
  endif()
  if(NOT ARG_LIBRARY)
    set_property(GLOBAL APPEND_STRING PROPERTY DAPHNE_TRANSPORT_ROWS "DAPHNE_TRANSPORT(${row})\n")
    return()
  endif()
  string(APPEND row ", .library = \"libdaphne_${ARG_LIBRARY}.so\", .packages = \"${ARG_PACKAGES}\"")
  if(ARG_SHARES_SYMBOLS)
    string(APPEND row ", .sharesSymbols = true")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY DAPHNE_TRANSPORT_ROWS "DAPHNE_LIBRARY_TRANSPORT(${row})\n")
  set(DAPHNE_LEFT_OUT ${DAPHNE_LEFT_OUT} dist/transports/${file}.cpp PARENT_SCOPE)
  set(target daphne_${ARG_LIBRARY})
  if(NOT ARG_LINK)
    message(STATUS "transports: ${ARG_TITLE} not found, no support for --dist_backend=${ARG_NAME}")
  elseif(NOT TARGET ${target})
    message(STATUS "transports: ${ARG_TITLE} found")
    add_library(${target} MODULE ${PROJECT_SOURCE_DIR}/src/dist/transports/${file}.cpp ${ARG_SOURCES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(${target} SYSTEM PRIVATE ${ARG_INCLUDE})
    target_link_libraries(${target} PRIVATE ${ARG_LINK})
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${DAPHNE_OUTPUT_DIR}/lib"
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
    set_property(GLOBAL APPEND PROPERTY DAPHNE_TRANSPORT_LIBRARIES ${target})
  endif()
endfunction()

# ---- what libraries need
if(DAPHNE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
else()
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  set(mpi_library LINK MPI::MPI_CXX INCLUDE ${MPI_CXX_INCLUDE_DIRS})
endif()

find_package(Protobuf QUIET)
find_package(gRPC CONFIG QUIET)
find_program(DAPHNE_GRPC_PLUGIN grpc_cpp_plugin)
if(Protobuf_FOUND AND gRPC_FOUND AND DAPHNE_GRPC_PLUGIN)
  set(proto ${PROJECT_SOURCE_DIR}/src/dist/transports/exchange.proto)
  set(stubs ${CMAKE_BINARY_DIR}/generated/exchange)
  set(stub_files ${stubs}/exchange.pb.cc ${stubs}/exchange.grpc.pb.cc)
  file(MAKE_DIRECTORY ${stubs})
  add_custom_command(OUTPUT ${stub_files} ${stubs}/exchange.pb.h ${stubs}/exchange.grpc.pb.h
    COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR}/src/dist/transports --cpp_out=${stubs} --grpc_out=${stubs}
            --plugin=protoc-gen-grpc=${DAPHNE_GRPC_PLUGIN} ${proto}
    DEPENDS ${proto})
  set_source_files_properties(${stub_files} PROPERTIES COMPILE_OPTIONS "-w")
  set(grpc_library LINK gRPC::grpc++ protobuf::libprotobuf SOURCES ${stub_files} INCLUDE ${stubs})
endif()
set(grpc_row WORKERS Listeners BYTES_PER_NS 0.5 ENCRYPTS TITLE gRPC LIBRARY grpc
  PACKAGES "libgrpc++-dev, libprotobuf-dev and protobuf-compiler-grpc" ${grpc_library})

# ---- the table
daphne_transport(Mpi NAME MPI TITLE MPI DOC "message passing interface" WORKERS Ranks BYTES_PER_NS 1 LIBRARY mpi
  SHARES_SYMBOLS PACKAGES "libopenmpi-dev and openmpi-bin" ${mpi_library})
daphne_transport(Grpc NAME sync-gRPC ALIAS gRPC DOC "remote procedure calls, one thread per worker" ${grpc_row})
daphne_transport(Grpc NAME async-gRPC DOC "remote procedure calls, asynchronous" ${grpc_row})
daphne_transport(Tcp NAME TCP TITLE TCP WORKERS Listeners BYTES_PER_NS 1
  DOC "plain connections: needs no library, does not encrypt")
daphne_transport(InProcess NAME threads TITLE threads WORKERS Threads BYTES_PER_NS 4
  DOC "threads of this process instead of machines, for tests")

get_property(rows GLOBAL PROPERTY DAPHNE_TRANSPORT_ROWS)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/TransportsList.inc CONTENT "${rows}")
get_property(DAPHNE_TRANSPORT_LIBRARIES GLOBAL PROPERTY DAPHNE_TRANSPORT_LIBRARIES)
