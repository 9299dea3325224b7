// The host's side: starts a keeper in its own namespaces, from a host with other threads.
//
// posix_spawn sets no namespaces, and fork copies the host's memory map. So this does what posix_spawn does itself: the
// child shares the memory and has its own stack, while the calling thread waits for its execve. The child calls the
// kernel directly, because the C library's state is the host's.
#include "KeeperParts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

struct start {
    const char *program;
    char *const *arguments;
    const int *descriptors;
    const char *user_map, *group_map, *processes;  // the maps are NULL without a user namespace
    bool has_namespaces;
    bool is_refused;  // the namespaces are not available
    int code;         // errno
};

// Writes a text into a kernel file; false with errno.
static bool write_file(const char *path, const char *text) {
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (file < 0) return false;
    bool is_written = syscall(SYS_write, file, text, strlen(text)) == (long)strlen(text);
    int code = errno;
    syscall(SYS_close, file);
    errno = code;
    return is_written;
}

static int become_keeper(void *argument) {
    struct start *start = argument;
    // Before process 1 of a namespace runs its program, only SIGKILL ends it, and all its processes. Another keeper
    // has to end them itself.
    syscall(SYS_prctl, PR_SET_PDEATHSIG, start->has_namespaces ? SIGKILL : CPLATFORM_KEEPER_SIGNAL, 0, 0, 0);
    if (start->user_map
        && !(write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", start->user_map)
             && write_file("/proc/self/gid_map", start->group_map))) {
        start->is_refused = true;
        start->code = errno;
        syscall(SYS_exit_group, 127);
    }
    // From Linux 6.14 on this belongs to the namespace; before, it is global and only root may lower it, so the write
    // fails.
    if (start->processes) (void)write_file("/proc/sys/kernel/pid_max", start->processes);
    for (int number = 0; number < 4; number++) {
        if (syscall(SYS_dup3, start->descriptors[number], number, 0) < 0) {
            start->code = errno;
            syscall(SYS_exit_group, 127);
        }
    }
    // The host marks its descriptors close-on-exec; this closes those that other libraries forgot to mark.
    syscall(SYS_close_range, 4, ~0U, 0);
    char *const environment[] = {NULL};
    syscall(SYS_execve, start->program, start->arguments, environment);
    start->code = errno;
    syscall(SYS_exit_group, 127);
    return 127;
}

#if defined(__GLIBC__)
// The library's own name of clone: the thread sanitizer's replacement of `clone` takes every child for a fork.
extern int start_sharing(int (*)(void *), void *, int, void *, ...) __asm__("__clone");
#else
#define start_sharing clone
#endif

__attribute__((no_sanitize("address", "thread"), noinline)) static pid_t start_child(struct start *start, int flags) {
    _Alignas(16) char stack[32768];
    return start_sharing(become_keeper, stack + sizeof stack, flags | CLONE_VM | CLONE_VFORK | SIGCHLD, start);
}

// Whether the kernel can count the processes of a namespace separately: pid_max is a namespace's own from 6.14 on.
static bool has_own_process_count(void) {
    char text[64] = "";
    int file = open("/proc/sys/kernel/osrelease", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    int major = 0, minor = 0;
    return count > 0 && sscanf(text, "%d.%d", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 14));
}

int cplatform_start_keeper(
    const char *program, const int descriptors[4], int64_t processes, enum cplatform_keeper_place *place) {
    char user_map[64], group_map[64], count[32];
    snprintf(user_map, sizeof user_map, "%u %u 1", geteuid(), geteuid());
    snprintf(group_map, sizeof group_map, "%u %u 1", getegid(), getegid());
    // The kernel's minimum: it reserves 300.
    snprintf(count, sizeof count, "%lld", (long long)(processes < 302 ? 302 : processes > 4194304 ? 4194304 : processes));
    const bool is_counted = has_own_process_count();

    // No handler of the host may run in the child, which shares the memory.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const enum cplatform_keeper_place places[] = {
        cplatform_keeper_namespaces, cplatform_keeper_user_namespace, cplatform_keeper_bare};
    pid_t child = -1;
    int code = 0, reason = 0;
    for (size_t index = geteuid() == 0 ? 0 : 1; index < 3; index++) {
        *place = places[index];
        const bool is_user = *place == cplatform_keeper_user_namespace, is_bare = *place == cplatform_keeper_bare;
        char place_text[2] = {(char)('0' + *place), 0}, reason_text[16], parent_text[16];
        snprintf(reason_text, sizeof reason_text, "%d", reason);
        snprintf(parent_text, sizeof parent_text, "%d", getpid());
        char *const arguments[] = {
            "moodboard", CPLATFORM_KEEPER_ARGUMENT, place_text, reason_text, parent_text, NULL};
        struct start start = {
            .program = program, .arguments = arguments, .descriptors = descriptors, .user_map = is_user ? user_map : NULL,
            .group_map = group_map, .has_namespaces = !is_bare, .processes = is_counted && !is_bare ? count : NULL};
        const int namespaces = is_bare ? 0 : CLONE_NEWPID | CLONE_NEWIPC | (is_user ? CLONE_NEWUSER : 0);
        child = start_child(&start, namespaces);
        code = child < 0 ? errno : start.code;
        if (child >= 0 && code == 0) break;
        if (child >= 0) while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        const bool is_refused = child >= 0 ? start.is_refused
            : code == EPERM || code == EACCES || code == EINVAL || code == ENOSYS || code == ENOSPC || code == EUSERS;
        child = -1;
        if (!is_refused) break;
        reason = code;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return child;
}

#else
#include <spawn.h>

// Without namespaces, and with nothing enforced.
int cplatform_start_keeper(
    const char *program, const int descriptors[4], int64_t processes, enum cplatform_keeper_place *place) {
    (void)processes;
    *place = cplatform_keeper_bare;
    char parent_text[16];
    snprintf(parent_text, sizeof parent_text, "%d", getpid());
    char *const arguments[] = {"moodboard", CPLATFORM_KEEPER_ARGUMENT, "0", "78", parent_text, NULL};
    char *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int number = 0; number < 4; number++) posix_spawn_file_actions_adddup2(&actions, descriptors[number], number);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_CLOEXEC_DEFAULT);
#endif
    pid_t child = -1;
    const int code = posix_spawn(&child, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = code;
    return code == 0 ? child : -1;
}
#endif

// Makes both ends close-on-exec at once if there is a call for that: another thread may start a program meanwhile.
static int make_ends(int is_pipe, int pair[2]) {
#if defined(__linux__)
    return is_pipe ? pipe2(pair, O_CLOEXEC) : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
#else
    return is_pipe ? pipe(pair) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
#endif
}

// Makes a pair with numbers of 4 or higher.
static int make_high_ends(int is_pipe, int ends[2]) {
    int pair[2];
    if (make_ends(is_pipe, pair) != 0) return -1;
    ends[0] = fcntl(pair[0], F_DUPFD_CLOEXEC, 4);
    ends[1] = ends[0] < 0 ? -1 : fcntl(pair[1], F_DUPFD_CLOEXEC, 4);
    const int code = errno;
    close(pair[0]);
    close(pair[1]);
    if (ends[1] >= 0) return 0;
    if (ends[0] >= 0) close(ends[0]);
    errno = code;
    return -1;
}

int cplatform_keeper_pipe(int ends[2]) { return make_high_ends(1, ends); }

int cplatform_keeper_sockets(int ends[2]) {
    if (make_high_ends(0, ends) != 0) return -1;
    const int size = 1 << 18;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(ends[1], SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
#ifdef SO_NOSIGPIPE
    const int is_on = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &is_on, sizeof is_on);
    setsockopt(ends[1], SOL_SOCKET, SO_NOSIGPIPE, &is_on, sizeof is_on);
#endif
    return 0;
}

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

ptrdiff_t cplatform_keeper_send(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ptrdiff_t cplatform_keeper_receive(int socket, void *bytes, size_t count) {
    return recv(socket, bytes, count, MSG_DONTWAIT);
}

void cplatform_keeper_hang_up(int socket) { shutdown(socket, SHUT_WR); }
