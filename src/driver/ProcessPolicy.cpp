// SPDX-License-Identifier: Apache-2.0
#include "driver/ProcessPolicy.h"

#include "driver/CrashReport.h"
#include "driver/FileFaults.h"
#include "driver/ForeignCodeTimer.h"

namespace daphne::driver {

void ownProcess() {
    installCrashReport();
    forwardFileFaults(); // after the crash report, which gets the bus errors elsewhere
    guardForeignCode();
}

} // namespace daphne::driver
