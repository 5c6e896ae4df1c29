// SPDX-License-Identifier: Apache-2.0
/// transpose of compressed sparse rows, by counting sort.
#include "kernels/csr/CsrParts.h"

namespace daphne {

namespace {

Value transpose(KernelCall &call, const Csr &x) { return transposed(call.context, x); }

} // namespace

void addCsrTranspose(KernelTable &t) { t.addSparse<&transpose>("transpose"); }

} // namespace daphne
