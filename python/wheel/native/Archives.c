// SPDX-License-Identifier: Apache-2.0
/// What archives of others need to be a part of a shared library. Of the Fortran library
/// and of udev there is one function each that they call, and without which everything
/// works: names in messages of LAPACK, and what hwloc would learn about disks. And hwloc
/// finds variables of the C library under names of its own (cmake/Wheel.cmake).
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

/// Of Fortran: a then b in a room of a fixed length, cut off or filled up with blanks.
HIDDEN void _gfortran_concat_string(size_t room, char *to, size_t lengthOfA, const char *a, size_t lengthOfB,
                                    const char *b) {
    size_t fromA = lengthOfA < room ? lengthOfA : room;
    memcpy(to, a, fromA);
    size_t fromB = lengthOfB < room - fromA ? lengthOfB : room - fromA;
    memcpy(to + fromA, b, fromB);
    memset(to + fromA + fromB, ' ', room - fromA - fromB);
}

struct udev;
struct udev_device;
/// There is no udev: hwloc asks for nothing else then.
HIDDEN struct udev *udev_new(void) { return NULL; }
HIDDEN struct udev *udev_unref(struct udev *udev) {
    (void)udev;
    return NULL;
}
HIDDEN struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem,
                                                                  const char *name) {
    (void)udev, (void)subsystem, (void)name;
    return NULL;
}
HIDDEN const char *udev_device_get_property_value(struct udev_device *device, const char *key) {
    (void)device, (void)key;
    return NULL;
}
HIDDEN struct udev_device *udev_device_unref(struct udev_device *device) {
    (void)device;
    return NULL;
}

HIDDEN FILE *daphne_stderr, *daphne_stdout;
HIDDEN char *daphne_program_name;
__attribute__((constructor(101))) static void shareVariables(void) {
    daphne_stderr = stderr;
    daphne_stdout = stdout;
    daphne_program_name = program_invocation_name;
}
