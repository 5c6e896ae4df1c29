// SPDX-License-Identifier: Apache-2.0
/// The module for Arrow is linked with the C++ library of the system, which may be that
/// of GCC 8. What is newer than that is here, as in OlderSystems.c.
#include <new>

namespace std {

[[noreturn, gnu::visibility("hidden")]] void __throw_bad_array_new_length() { throw bad_array_new_length(); }

} // namespace std
