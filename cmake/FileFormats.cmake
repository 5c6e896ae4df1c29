# SPDX-License-Identifier: Apache-2.0
# Libraries of file formats.
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
