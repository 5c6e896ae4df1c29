# SPDX-License-Identifier: Apache-2.0
# Serial OpenBLAS and LAPACKE, linked statically: our own workers split the work, no foreign threads.
set(arch_dir /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
find_library(OPENBLAS_LIBRARY libopenblas.a PATHS ${arch_dir}/openblas-serial NO_DEFAULT_PATH REQUIRED)
find_path(OPENBLAS_INCLUDE cblas.h PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH
          REQUIRED)
find_library(LAPACKE_LIBRARY liblapacke.a REQUIRED)
find_package(Threads REQUIRED)
add_library(daphne_blas INTERFACE)
target_include_directories(daphne_blas SYSTEM INTERFACE ${OPENBLAS_INCLUDE})
daphne_static_in_programs(fortran gfortran libgfortran.a libquadmath.a)
target_link_libraries(daphne_blas INTERFACE ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY} ${fortran} Threads::Threads)
# Functions of OpenBLAS, and getenv for it, that the linker replaces by ours, see src/kernels/products/BlasMemory.cpp and BlasProcessor.cpp.
set(DAPHNE_BLAS_REPLACEMENTS
  -Wl,--wrap=blas_memory_alloc,--wrap=blas_memory_free,--wrap=gotoblas_dynamic_init,--wrap=getenv)
