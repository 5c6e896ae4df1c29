# SPDX-License-Identifier: Apache-2.0
# Transports of the distributed engine: a shared object per library that was found, loaded on request. DAPHNE_MPI=ON
# makes a missing MPI an error.
option(DAPHNE_MPI "Fail if MPI is missing" OFF)

# daphne_transport(name sources...): lib/libdaphne_<name>.so
function(daphne_transport name)
  add_library(daphne_${name} MODULE ${ARGN})
  target_include_directories(daphne_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(daphne_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${DAPHNE_OUTPUT_DIR}/lib"
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
endfunction()

if(DAPHNE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
else()
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  message(STATUS "transports: MPI found")
  daphne_transport(mpi ${PROJECT_SOURCE_DIR}/src/dist/transports/Mpi.cpp)
  target_include_directories(daphne_mpi SYSTEM PRIVATE ${MPI_CXX_INCLUDE_DIRS})
  target_link_libraries(daphne_mpi PRIVATE MPI::MPI_CXX)
else()
  message(STATUS "transports: MPI not found, no support for --dist_backend=MPI")
endif()

find_package(Protobuf QUIET)
find_package(gRPC CONFIG QUIET)
find_program(DAPHNE_GRPC_PLUGIN grpc_cpp_plugin)
if(Protobuf_FOUND AND gRPC_FOUND AND DAPHNE_GRPC_PLUGIN)
  message(STATUS "transports: gRPC found")
  set(proto ${PROJECT_SOURCE_DIR}/src/dist/transports/exchange.proto)
  set(stubs ${CMAKE_BINARY_DIR}/generated/exchange)
  set(stub_files ${stubs}/exchange.pb.cc ${stubs}/exchange.grpc.pb.cc)
  file(MAKE_DIRECTORY ${stubs})
  add_custom_command(OUTPUT ${stub_files} ${stubs}/exchange.pb.h ${stubs}/exchange.grpc.pb.h
    COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR}/src/dist/transports --cpp_out=${stubs} --grpc_out=${stubs}
            --plugin=protoc-gen-grpc=${DAPHNE_GRPC_PLUGIN} ${proto}
    DEPENDS ${proto})
  set_source_files_properties(${stub_files} PROPERTIES COMPILE_OPTIONS "-w")
  daphne_transport(grpc ${PROJECT_SOURCE_DIR}/src/dist/transports/Grpc.cpp ${stub_files})
  target_include_directories(daphne_grpc SYSTEM PRIVATE ${stubs})
  target_link_libraries(daphne_grpc PRIVATE gRPC::grpc++ protobuf::libprotobuf)
else()
  message(STATUS "transports: gRPC not found, no support for --dist_backend=gRPC")
endif()
