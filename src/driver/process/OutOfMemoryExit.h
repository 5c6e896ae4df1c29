// SPDX-License-Identifier: Apache-2.0
/// In a process that is ours, an allocation of the compiler that fails ends it with
/// status 2 and one readable message: nothing of MLIR and LLVM, which are left
/// inconsistent, is touched any more.
#pragma once

namespace daphne::driver {

/// From now on, for all threads that compile (codegen/CompileMemory.h); others get std::bad_alloc as always.
void exitWhereCompilersLackMemory();

} // namespace daphne::driver
