// Limits of a plugin's resources, and the removal of all rights beyond its user's.
#include "KeeperParts.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// Sets a limit, but never above the present one: only root may raise limits.
static bool set_limit(int which, int64_t soft, int64_t hard, struct outcome *outcome, const char *name) {
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0) return keeper_failed(outcome, name, NULL);
    if (limit.rlim_max == RLIM_INFINITY || (rlim_t)hard < limit.rlim_max) limit.rlim_max = (rlim_t)hard;
    limit.rlim_cur = (rlim_t)soft < limit.rlim_max ? (rlim_t)soft : limit.rlim_max;
    return setrlimit(which, &limit) == 0 || keeper_failed(outcome, name, NULL);
}

#if defined(__linux__)
// Whether the kernel counts the processes of this namespace separately, with at most this limit. `pid_max` is the
// namespace's own from Linux 6.14 on; an unreadable one counts as not its own.
bool keeper_counts_processes(int64_t most) {
    FILE *file = fopen("/proc/sys/kernel/pid_max", "re");
    long long count;
    bool is_counted = file && fscanf(file, "%lld", &count) == 1 && count <= (most < 302 ? 302 : most);
    if (file) fclose(file);
    return is_counted && most >= 302;
}
#else
bool keeper_counts_processes(int64_t most) {
    (void)most;
    return false;
}
#endif

bool keeper_limit(const struct plan *plan, enum cplatform_keeper_place place, struct outcome *outcome) {
    const int64_t stack = 8 << 20;
    bool is_done = set_limit(RLIMIT_DATA, plan->memory_bytes, plan->memory_bytes, outcome, "RLIMIT_DATA")
        // The kernel does not count a stack as data.
        && set_limit(RLIMIT_STACK, stack, stack, outcome, "RLIMIT_STACK")
        // First SIGXCPU, which can be caught; SIGKILL a second later.
        && set_limit(RLIMIT_CPU, plan->cpu_seconds, plan->cpu_seconds + 1, outcome, "RLIMIT_CPU")
        && set_limit(RLIMIT_FSIZE, plan->file_bytes, plan->file_bytes, outcome, "RLIMIT_FSIZE")
        && set_limit(RLIMIT_NOFILE, plan->open_files, plan->open_files, outcome, "RLIMIT_NOFILE")
        && set_limit(RLIMIT_CORE, 0, 0, outcome, "RLIMIT_CORE");
    if (!is_done) return false;
#if defined(__linux__)
    // RLIMIT_NPROC counts a user's processes within a user namespace, and does not apply to root.
    if (place == cplatform_keeper_user_namespace) {
        is_done = set_limit(RLIMIT_NPROC, plan->processes, plan->processes, outcome, "RLIMIT_NPROC");
    }
    const bool is_counted = place != cplatform_keeper_bare && keeper_counts_processes(plan->processes);
    if (!is_counted && !(place == cplatform_keeper_user_namespace && geteuid() != 0)) {
        outcome->declared[part_limits] = "the number of processes is not limited, and memory in shared mappings is not counted";
    } else if (!plan->requires_isolation) {
        outcome->declared[part_limits] = "memory in shared mappings is not counted";
    }
    return is_done;
#else
    (void)place;
    outcome->declared[part_limits] = "this system counts neither memory nor processes so";
    return true;
#endif
}

#if defined(__linux__)
struct capability_head {
    uint32_t version;
    int32_t id;
};

struct capability_words {
    uint32_t effective, permitted, inheritable;
};

bool keeper_drop_capabilities(struct outcome *outcome) {
    // Prevents programs of root from getting any back. Without CAP_SETPCAP there are none to drop here.
    for (int number = 0; number < 64; number++) (void)prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    // SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, SECBIT_NO_CAP_AMBIENT_RAISE, each locked.
    (void)prctl(PR_SET_SECUREBITS, 0x3 | 0xc | 0xc0, 0, 0, 0);
    struct capability_head head = {.version = 0x20080522};
    struct capability_words none[2] = {{0}};
    if (syscall(SYS_capset, &head, none) != 0) return keeper_failed(outcome, "capset", NULL);
    struct capability_words left[2];
    if (syscall(SYS_capget, &head, left) != 0) return keeper_failed(outcome, "capget", NULL);
    errno = EPERM;
    return !(left[0].permitted | left[1].permitted) || keeper_failed(outcome, "capabilities are left", NULL);
}
#else
bool keeper_drop_capabilities(struct outcome *outcome) {
    (void)outcome;
    return true;
}
#endif
