// SPDX-License-Identifier: Apache-2.0
#include "driver/process/CrashReport.h"

#include <csignal>
#include <cstring>
#include <initializer_list>

#include <unistd.h>

#include "base/Error.h"
#include "base/ForeignCode.h"

namespace daphne::driver {

namespace {

constexpr int kInternalError = 70;

void say(const char *text) { [[maybe_unused]] auto n = write(2, text, std::strlen(text)); }

/// Only async-signal-safe calls.
void crashed(int signal) {
    const char *foreign = InForeignCode::now();
    say("error: ");
    say(foreign ? foreign : "internal error");
    say(": caught signal ");
    switch (signal) {
    case SIGSEGV: say("SIGSEGV (invalid memory access)"); break;
    case SIGBUS: say("SIGBUS (invalid memory access)"); break;
    case SIGFPE: say("SIGFPE (arithmetic fault)"); break;
    case SIGILL: say("SIGILL (invalid instruction)"); break;
    default: say("SIGABRT (abort)"); break;
    }
    if (foreign) {
        say("\n   = hint: the library crashed; the file is probably damaged\n");
        _exit(static_cast<int>(Stage::Execute));
    }
    say("\n   = hint: this is a bug in daphne, not in your script; please report it with the script that shows it\n");
    _exit(kInternalError);
}

/// Only async-signal-safe calls.
void tookTooLong(int) {
    const char *foreign = InForeignCode::now();
    say("error: ");
    if (foreign) {
        say(foreign);
        say(": no end after much more time than such a file takes\n   = hint: the file is probably damaged\n");
    } else {
        say("the limit of CPU time is reached\n   = hint: ulimit -t shows it\n");
    }
    _exit(static_cast<int>(Stage::Execute));
}

} // namespace

void installCrashReport() {
    struct sigaction late{};
    late.sa_handler = tookTooLong;
    sigaction(SIGXCPU, &late, nullptr);
    // A file larger than allowed is an error of the call that writes it.
    std::signal(SIGXFSZ, SIG_IGN);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; // the sanitizers report better
#endif
    static char alternate[64 << 10];
    stack_t stack{};
    stack.ss_sp = alternate;
    stack.ss_size = sizeof alternate;
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_handler = crashed;
    action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(signal, &action, nullptr);
}

} // namespace daphne::driver
