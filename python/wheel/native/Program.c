// SPDX-License-Identifier: Apache-2.0
/// A program of the wheel: a command of the library beside it, DAPHNE_COMMAND.
#include <stddef.h>
#include <unistd.h>

int DAPHNE_COMMAND(int argc, char **argv);

int main(int argc, char **argv) {
    // As in tools/daphne.cpp: the system takes everything back at once.
    _exit(DAPHNE_COMMAND(argc, argv));
}

/// The start of a program with glibc before 2.34. This one has no constructors of its own, so there is nothing that
/// `init` would have to do.
typedef int Main(int, char **, char **);
int startedSince25(Main *, int, char **, void (*init)(void), void (*fini)(void), void (*finish)(void), void *stack);
__asm__(".symver startedSince25, __libc_start_main@GLIBC_2.2.5");
__attribute__((visibility("hidden"))) int __libc_start_main(Main *program, int argc, char **argv, void (*init)(void),
                                                            void (*fini)(void), void (*finish)(void), void *stack) {
    (void)init, (void)fini;
    return startedSince25(program, argc, argv, NULL, NULL, finish, stack);
}
