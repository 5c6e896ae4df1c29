// SPDX-License-Identifier: Apache-2.0
/// transpose of compressed sparse rows, by counting sort.
#include "kernels/csr/CsrParts.h"

namespace daphne {

namespace {

Value transpose(KernelCall &, const Csr &x) { return transposed(x); }

} // namespace

void addCsrTranspose(KernelTable &t) { t.addSparse<&transpose>("transpose"); }

} // namespace daphne
