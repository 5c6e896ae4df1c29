// SPDX-License-Identifier: Apache-2.0
#include "base/ActiveRun.h"

#include "base/Error.h"

namespace daphne {

void throwIfCancelled() {
    if (const ActiveRun *run = ActiveRun::current(); run && run->isCancelled())
        throw cancelledError();
}

} // namespace daphne
