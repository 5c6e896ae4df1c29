# SPDX-License-Identifier: Apache-2.0
# Topology of the machine.
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
