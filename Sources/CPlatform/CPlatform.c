#include "CPlatform.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// At its start Swift's runtime looks for the program that prints backtraces in its own folder. In a static executable
// it asks /proc for that, and aborts without an answer. With SWIFT_ROOT it does not ask. This constructor runs before
// the runtime's initialisers; the variable is removed again, so that no other code and no started program sees it.
#if defined(__linux__)
static bool is_root_ours;

__attribute__((constructor(101))) static void give_root(void) {
    char byte;
    if (getenv("SWIFT_ROOT") || readlink("/proc/self/exe", &byte, 1) >= 0) return;
    is_root_ours = setenv("SWIFT_ROOT", "/", 1) == 0;
}

static void take_root_back(void) {
    if (is_root_ours) unsetenv("SWIFT_ROOT");
    is_root_ours = false;
}
#else
static void take_root_back(void) {}
#endif

// Swift's runtime looks for the arguments in /proc, and finds none if that cannot be read: a host would then open
// another store than its arguments say. glibc and Apple's library pass them to initialisers.
#if defined(__GLIBC__) || defined(__APPLE__)
static int argument_count;
static char **argument_values;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    argument_values = values;
}

// The program calls this when it begins: the runtime no longer needs the variable then.
int cplatform_argument_count(void) {
    take_root_back();
    return argument_count;
}
char *cplatform_argument(int index) { return index < argument_count ? argument_values[index] : NULL; }
#else
int cplatform_argument_count(void) {
    take_root_back();
    return -1;
}
char *cplatform_argument(int index) {
    (void)index;
    return NULL;
}
#endif

const char *cplatform_own_program(void) {
#if defined(__linux__)
    char byte;
    if (readlink("/proc/self/exe", &byte, 1) < 0) {
        // The path by which it was started, even though another program may have that by now.
        const char *name = (const char *)getauxval(AT_EXECFN);
        if (name) return name;
    }
#endif
    return "/proc/self/exe";
}

int cplatform_process_descriptor(int child) {
#if defined(__linux__) && defined(SYS_pidfd_open)
    return (int)syscall(SYS_pidfd_open, child, 0);
#else
    (void)child;
    return -1;
#endif
}

// Written once, before the handlers are installed; they only read it.
static int interruption_writer = -1, interruption_milliseconds, interruption_code;
static const char *last_words;

int64_t cplatform_interruption;

// Calls only functions that are allowed in a handler. (setitimer is a bare system call on every system of note.)
static void interrupted(int number) {
    (void)number;
    const int code = errno;
    if (cplatform_interruption_time() == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        __atomic_store_n(
            &cplatform_interruption, (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, __ATOMIC_RELAXED);
        const struct itimerval limit = {
            .it_value = {interruption_milliseconds / 1000, interruption_milliseconds % 1000 * 1000}};
        setitimer(ITIMER_REAL, &limit, NULL);
    }
    ssize_t written = write(interruption_writer, "!", 1);
    (void)written;
    errno = code;
}

static void time_is_over(int number) {
    (void)number;
    ssize_t written = write(2, last_words, strlen(last_words));
    (void)written;
    _exit(interruption_code);
}

void cplatform_install_interruption(int writer, int milliseconds, const char *words, int code) {
    interruption_writer = writer;
    interruption_milliseconds = milliseconds;
    last_words = words;
    interruption_code = code;
    signal(SIGALRM, time_is_over);
    signal(SIGTERM, interrupted);
    signal(SIGINT, interrupted);
    signal(SIGHUP, interrupted);
    // A parent that blocked these signals did not mean that nothing may end this program.
    sigset_t signals;
    sigemptyset(&signals);
    const int numbers[] = {SIGALRM, SIGTERM, SIGINT, SIGHUP};
    for (int place = 0; place < 4; place++) sigaddset(&signals, numbers[place]);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

void cplatform_end_interruption(void) {
    const struct itimerval none = {0};
    setitimer(ITIMER_REAL, &none, NULL);
}
