// SPDX-License-Identifier: Apache-2.0
#include "driver/process/ProcessPolicy.h"

#include <cstdlib>

#include "driver/process/CrashReport.h"
#include "driver/process/FileFaults.h"
#include "driver/process/ForeignCodeTimer.h"
#include "driver/process/OutOfMemoryExit.h"

namespace daphne::driver {

void ownProcess() {
    installCrashReport();
    forwardFileFaults(); // after the crash report, which gets the bus errors elsewhere
    guardForeignCode();
    exitWhereCompilersLackMemory();
}

void prepareTransports() {
    // Processes that share cores must not spin inside of the library.
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    // What goes wrong is told by us, once.
    setenv("GRPC_VERBOSITY", "NONE", 0);
}

} // namespace daphne::driver
