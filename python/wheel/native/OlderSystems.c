// SPDX-License-Identifier: Apache-2.0
/// The library of the wheel is built with glibc 2.36 and runs with 2.28. What is newer
/// than that is here: functions that have been there under an older version are called
/// by it, others are made of what there was. Definitions are hidden: they are those of
/// this object and of nobody else in the process. What the test of the wheel finds
/// (auditwheel) tells whether something is missing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // pthread_setspecific is declared with access(none)
#if !defined(__x86_64__)
#error "the versions of symbols are those of x86-64"
#endif
#define HIDDEN __attribute__((visibility("hidden")))

/// Before 2.34 these were in libpthread, libdl and librt, and some have changed since then in ways that do not matter
/// here.
#define SINCE(version, result, name, parameters, arguments)                                                            \
    extern result old_##name parameters;                                                                               \
    __asm__(".symver old_" #name ", " #name "@GLIBC_" version);                                                        \
    HIDDEN result name parameters { return old_##name arguments; }

SINCE("2.2.5", int, pthread_create,
      (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *argument),
      (thread, how, run, argument))
SINCE("2.2.5", int, pthread_join, (pthread_t thread, void **result), (thread, result))
SINCE("2.2.5", int, pthread_detach, (pthread_t thread), (thread))
SINCE("2.2.5", int, pthread_once, (pthread_once_t * once, void (*run)(void)), (once, run))
SINCE("2.2.5", int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void *)), (key, destroy))
SINCE("2.2.5", int, pthread_key_delete, (pthread_key_t key), (key))
SINCE("2.2.5", void *, pthread_getspecific, (pthread_key_t key), (key))
SINCE("2.2.5", int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))
SINCE("2.2.5", int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
SINCE("2.2.5", int, pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *how), (lock, how))
SINCE("2.2.5", int, pthread_rwlock_destroy, (pthread_rwlock_t * lock), (lock))
SINCE("2.2.5", int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
SINCE("2.2.5", int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
SINCE("2.2.5", int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
SINCE("2.2.5", int, pthread_attr_getstack, (const pthread_attr_t *of, void **address, size_t *size),
      (of, address, size))
SINCE("2.2.5", int, pthread_attr_setstacksize, (pthread_attr_t * of, size_t size), (of, size))
SINCE("2.2.5", int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *how), (thread, how))
SINCE("2.2.5", int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before), (how, set, before))
SINCE("2.12", int, pthread_setname_np, (pthread_t thread, const char *name), (thread, name))
SINCE("2.3.4", int, pthread_getaffinity_np, (pthread_t thread, size_t size, cpu_set_t *set), (thread, size, set))
SINCE("2.3.4", int, pthread_setaffinity_np, (pthread_t thread, size_t size, const cpu_set_t *set), (thread, size, set))
SINCE("2.2.5", void *, dlopen, (const char *file, int how), (file, how))
SINCE("2.2.5", int, dlclose, (void *handle), (handle))
SINCE("2.2.5", char *, dlerror, (void), ())
SINCE("2.2.5", void *, dlsym, (void *handle, const char *name), (handle, name))
SINCE("2.2.5", int, dladdr, (const void *address, Dl_info *found), (address, found))
SINCE("2.3.3", int, timer_create, (clockid_t clock, struct sigevent *how, timer_t *timer), (clock, how, timer))
SINCE("2.3.3", int, timer_delete, (timer_t timer), (timer))
SINCE("2.3.3", int, timer_settime, (timer_t timer, int how, const struct itimerspec *to, struct itimerspec *before),
      (timer, how, to, before))
// Only what they do with errno is new.
SINCE("2.2.5", double, exp, (double x), (x))
SINCE("2.2.5", double, log, (double x), (x))
SINCE("2.2.5", double, log2, (double x), (x))
SINCE("2.2.5", double, pow, (double x, double y), (x, y))
SINCE("2.2.5", double, hypot, (double x, double y), (x, y))

/// Of libstdc++: there may be other threads at any time.
HIDDEN char __libc_single_threaded = 0;

HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

HIDDEN uint32_t arc4random(void) {
    uint32_t value;
    for (size_t n = 0; n < sizeof value;) {
        ssize_t got = getrandom((char *)&value + n, sizeof value - n, 0);
        if (got < 0 && errno != EINTR)
            abort(); // as glibc does
        n += got > 0 ? (size_t)got : 0;
    }
    return value;
}

/// Waits on a clock of its own where glibc can; else until the same moment of the clock of the day, which is right as
/// long as nobody sets it meanwhile. A wait may end early at any time.
HIDDEN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until) {
    typedef int Function(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    Function *own = (Function *)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
    if (own)
        return own(condition, mutex, clock, until);
    struct timespec now, today;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &today);
    today.tv_sec += until->tv_sec - now.tv_sec;
    today.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (today.tv_nsec < 0) {
        today.tv_nsec += 1000000000;
        --today.tv_sec;
    } else if (today.tv_nsec >= 1000000000) {
        today.tv_nsec -= 1000000000;
        ++today.tv_sec;
    }
    return pthread_cond_timedwait(condition, mutex, &today);
}

extern struct mallinfo old_mallinfo(void); // declared anew: the header advises against it
__asm__(".symver old_mallinfo, mallinfo@GLIBC_2.2.5");
HIDDEN struct mallinfo2 mallinfo2(void) {
    typedef struct mallinfo2 Function(void);
    Function *own = (Function *)dlsym(RTLD_DEFAULT, "mallinfo2");
    if (own)
        return own();
    struct mallinfo old = old_mallinfo();
    return (struct mallinfo2){.arena = (size_t)old.arena,
                              .ordblks = (size_t)old.ordblks,
                              .smblks = (size_t)old.smblks,
                              .hblks = (size_t)old.hblks,
                              .hblkhd = (size_t)old.hblkhd,
                              .usmblks = (size_t)old.usmblks,
                              .fsmblks = (size_t)old.fsmblks,
                              .uordblks = (size_t)old.uordblks,
                              .fordblks = (size_t)old.fordblks,
                              .keepcost = (size_t)old.keepcost};
}

// Until 2.33 these were wrappers that became a part of the program. The structure is the kernel's.
struct stat;
struct stat64;
HIDDEN int fstatat(int directory, const char *path, struct stat *out, int how) {
    return (int)syscall(SYS_newfstatat, directory, path, out, how);
}
HIDDEN int stat(const char *path, struct stat *out) { return fstatat(AT_FDCWD, path, out, 0); }
HIDDEN int lstat(const char *path, struct stat *out) { return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
HIDDEN int fstat(int file, struct stat *out) { return (int)syscall(SYS_fstat, file, out); }
HIDDEN int fstatat64(int directory, const char *path, struct stat64 *out, int how) {
    return fstatat(directory, path, (struct stat *)out, how);
}
HIDDEN int stat64(const char *path, struct stat64 *out) { return stat(path, (struct stat *)out); }
HIDDEN int lstat64(const char *path, struct stat64 *out) { return lstat(path, (struct stat *)out); }
HIDDEN int fstat64(int file, struct stat64 *out) { return fstat(file, (struct stat *)out); }
HIDDEN int mknod(const char *path, mode_t mode, dev_t device) {
    return (int)syscall(SYS_mknodat, AT_FDCWD, path, mode, (unsigned)device);
}
