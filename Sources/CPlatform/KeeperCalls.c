// A seccomp filter of the system calls that a plugin and its descendants can make
// (Documentation/userspace-api/seccomp_filter.rst).
//
// The filter is a program for the kernel's small machine (BPF): it reads the number of the call and its arguments, and
// answers. Landlock and the limits enforce what they can; the filter closes the ways around them.
#include "KeeperParts.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OWN_ABI AUDIT_ARCH_X86_64
#else
#define OWN_ABI AUDIT_ARCH_AARCH64
#endif

// From 403 on the numbers are equal on every processor, and older headers lack some.
enum {
    call_pidfd_getfd = 438, call_process_madvise = 440, call_quotactl_fd = 443, call_memfd_secret = 447,
    call_process_mrelease = 448, call_fchmodat2 = 452, call_setxattrat = 463, call_removexattrat = 466,
    call_open_tree_attr = 467, call_file_setattr = 469,
    call_open_tree = 428, call_move_mount = 429, call_fsopen = 430, call_fsconfig = 431, call_fsmount = 432, call_fspick = 433,
    call_mount_setattr = 442, call_clone3 = 435, call_openat2 = 437,
    call_io_uring_setup = 425, call_io_uring_enter = 426, call_io_uring_register = 427,
};

// The first number that was not reviewed: a plugin cannot use features of newer kernels.
enum { call_unknown = 470 };

enum { steps_max = 1024 };

struct filter {
    struct sock_filter steps[steps_max];
    unsigned short count;
    bool is_too_long;
};

static void add(struct filter *filter, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    if (filter->count == steps_max) {
        filter->is_too_long = true;
        return;
    }
    filter->steps[filter->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void answer(struct filter *filter, uint32_t action) { add(filter, BPF_RET | BPF_K, action, 0, 0); }
static void refuse_with(struct filter *filter, int code) { answer(filter, SECCOMP_RET_ERRNO | (uint32_t)code); }
static void allow(struct filter *filter) { answer(filter, SECCOMP_RET_ALLOW); }

// The next step, an answer, applies to this call only.
static void for_call(struct filter *filter, int call) { add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1); }

// For several steps: `begin` and `end` enclose the steps for one call. They must end with an answer.
static unsigned short begin(struct filter *filter, int call) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 0);
    return filter->count;
}

static void end(struct filter *filter, unsigned short first) {
    if (filter->count - first > 255) filter->is_too_long = true;
    else filter->steps[first - 1].jf = (uint8_t)(filter->count - first);
}

// Loads the low half of an argument: the kernel reads no more of an int. (Both processors have the low half first.)
static void load_argument(struct filter *filter, int index) {
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args) + 8 * (uint32_t)index, 0, 0);
}

static void mask(struct filter *filter, uint32_t bits) { add(filter, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0); }
// The next step applies only if the loaded value equals this one, differs, has one of these bits, or none.
static void if_equal(struct filter *filter, uint32_t value) { add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1); }
static void if_not_equal(struct filter *filter, uint32_t value) { add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0); }
static void if_any(struct filter *filter, uint32_t bits) { add(filter, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1); }
static void if_none(struct filter *filter, uint32_t bits) { add(filter, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0); }

// These change a file's owner, mode, times or attributes, which Landlock allows. They report success, because programs
// break on a refusal.
static const int without_effect[] = {
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    SYS_fchmod, SYS_fchmodat, call_fchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, call_setxattrat,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, call_removexattrat, call_file_setattr,
};

static const int refused[] = {
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, call_pidfd_getfd, call_process_madvise, call_process_mrelease,
    SYS_kcmp, SYS_migrate_pages, SYS_move_pages,
    // Keyrings, which are the user's.
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // IPC of System V and POSIX.
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl,
    SYS_mq_open, SYS_mq_unlink, SYS_mq_timedsend, SYS_mq_timedreceive, SYS_mq_notify, SYS_mq_getsetattr,
    // Mounts and namespaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, call_open_tree, call_open_tree_attr, call_move_mount, call_fsopen,
    call_fsconfig, call_fsmount, call_fspick, call_mount_setattr, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
    SYS_quotactl, call_quotactl_fd, SYS_swapon, SYS_swapoff,
    // The kernel itself.
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_fanotify_init, SYS_fanotify_mark, SYS_syslog, SYS_acct, SYS_reboot,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_setdomainname, SYS_vhangup,
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
};

// Reported as unknown: programs take them for calls of a newer kernel and do without. Their arguments are in memory,
// which a filter cannot read.
static const int unknown[] = {
    call_clone3, call_openat2, call_io_uring_setup, call_io_uring_enter, call_io_uring_register,
};

static void filter_sockets(struct filter *filter, const struct plan *plan) {
    unsigned short first = begin(filter, SYS_socket);
    if (plan->has_network) {
        load_argument(filter, 0);
        if_equal(filter, AF_INET);
        allow(filter);
        if_equal(filter, AF_INET6);
        allow(filter);
        if_not_equal(filter, AF_NETLINK);
        refuse_with(filter, EACCES);
        // NETLINK_ROUTE, which tells the C library the addresses.
        load_argument(filter, 2);
        if_equal(filter, 0);
        allow(filter);
    }
    refuse_with(filter, EACCES);
    end(filter, first);

    // A pair of datagram sockets could connect to a socket in the file system; connected pairs cannot.
    first = begin(filter, SYS_socketpair);
    load_argument(filter, 0);
    if_not_equal(filter, AF_UNIX);
    refuse_with(filter, EACCES);
    load_argument(filter, 1);
    mask(filter, 0xf);
    if_equal(filter, SOCK_STREAM);
    allow(filter);
    if_equal(filter, SOCK_SEQPACKET);
    allow(filter);
    refuse_with(filter, EACCES);
    end(filter, first);
}

// Allows only the caller itself, by the number 0: a filter cannot tell whose process another number is.
static void filter_others(struct filter *filter) {
    static const int by_first[] = {
        SYS_prlimit64, SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_setaffinity, SYS_sched_setattr};
    for (size_t index = 0; index < sizeof by_first / sizeof *by_first; index++) {
        const unsigned short first = begin(filter, by_first[index]);
        load_argument(filter, 0);
        if_equal(filter, 0);
        allow(filter);
        refuse_with(filter, EPERM);
        end(filter, first);
    }
    static const struct { int call; uint32_t which; } by_second[] = {{SYS_setpriority, 0}, {SYS_ioprio_set, 1}};
    for (size_t index = 0; index < 2; index++) {
        const unsigned short first = begin(filter, by_second[index].call);
        load_argument(filter, 0);
        if_not_equal(filter, by_second[index].which);
        refuse_with(filter, EPERM);
        load_argument(filter, 1);
        if_equal(filter, 0);
        allow(filter);
        refuse_with(filter, EPERM);
        end(filter, first);
    }
    const unsigned short first = begin(filter, SYS_clone);
    load_argument(filter, 0);
    if_any(filter, CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET);
    refuse_with(filter, EPERM);
    allow(filter);
    end(filter, first);
}

// Refuses to make set-user-id files for any user. `flags` and `mode` are argument numbers; -1 if there are no flags.
static void filter_modes(struct filter *filter, int call, int flags, int mode) {
    const unsigned short first = begin(filter, call);
    if (flags >= 0) {
        // Without these two the mode is an arbitrary register value.
        load_argument(filter, flags);
        if_none(filter, O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
        allow(filter);
    }
    load_argument(filter, mode);
    if_any(filter, 06000);
    refuse_with(filter, EPERM);
    allow(filter);
    end(filter, first);
}

static void filter_files(struct filter *filter) {
    filter_modes(filter, SYS_openat, 2, 3);
    filter_modes(filter, SYS_mknodat, -1, 2);
#ifdef SYS_open
    filter_modes(filter, SYS_open, 1, 2);
    filter_modes(filter, SYS_creat, -1, 1);
    filter_modes(filter, SYS_mknod, -1, 1);
#endif
    // A lease would block other processes for lease-break-time.
    unsigned short first = begin(filter, SYS_fcntl);
    load_argument(filter, 1);
    if_equal(filter, F_SETLEASE);
    refuse_with(filter, EPERM);
    allow(filter);
    end(filter, first);

    // Allows only reviewed requests: others change a file's flags (FS_IOC_SETFLAGS) or seal it forever
    // (FS_IOC_ENABLE_VERITY), for which read permission is enough.
    first = begin(filter, SYS_ioctl);
    load_argument(filter, 1);
    static const uint32_t allowed[] = {
        0x40049409, 0x4020940d,  // FICLONE, FICLONERANGE
        0x80086601, 0xc020660b,  // FS_IOC_GETFLAGS, FS_IOC_FIEMAP
    };
    for (size_t index = 0; index < sizeof allowed / sizeof *allowed; index++) {
        if_equal(filter, allowed[index]);
        allow(filter);
    }
    // TIOCSTI and TIOCLINUX type into a terminal.
    if_equal(filter, 0x5412);
    refuse_with(filter, ENOTTY);
    if_equal(filter, 0x541c);
    refuse_with(filter, ENOTTY);
    mask(filter, 0xff00);
    if_equal(filter, 0x5400);  // terminals, and FIONBIO, FIOCLEX and the like
    allow(filter);
    if_equal(filter, 0x8900);  // sockets
    allow(filter);
    refuse_with(filter, ENOTTY);
    end(filter, first);
}

// RLIMIT_DATA counts private memory. It misses a mapping that grows like a stack, and shared memory, which is allowed
// only if isolation is not required: some programs use it.
static void filter_memory(struct filter *filter, const struct plan *plan) {
    unsigned short first = begin(filter, SYS_mmap);
    load_argument(filter, 3);
    if_any(filter, 0x100);  // MAP_GROWSDOWN
    refuse_with(filter, EPERM);
    if (plan->requires_isolation) {
        mask(filter, 0x20 | 0x1);  // MAP_ANONYMOUS; MAP_SHARED, whose bit MAP_SHARED_VALIDATE has too
        if_equal(filter, 0x20 | 0x1);
        refuse_with(filter, EPERM);
    }
    allow(filter);
    end(filter, first);
    if (!plan->requires_isolation) return;
    for_call(filter, SYS_memfd_create);
    refuse_with(filter, ENOSYS);
    for_call(filter, call_memfd_secret);
    refuse_with(filter, ENOSYS);
}

bool keeper_filter_calls(const struct plan *plan, struct outcome *outcome) {
    static struct filter filter;
    add(&filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    if_not_equal(&filter, OWN_ABI);
    answer(&filter, SECCOMP_RET_KILL_PROCESS);
    add(&filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
#if defined(__x86_64__)
    // The x32 ABI has the same mark, but numbers of its own from here on.
    add(&filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(&filter, SECCOMP_RET_KILL_PROCESS);
#endif
    add(&filter, BPF_JMP | BPF_JGE | BPF_K, call_unknown, 0, 1);
    refuse_with(&filter, ENOSYS);
    for (size_t index = 0; index < sizeof without_effect / sizeof *without_effect; index++) {
        for_call(&filter, without_effect[index]);
        refuse_with(&filter, 0);
    }
    for (size_t index = 0; index < sizeof refused / sizeof *refused; index++) {
        for_call(&filter, refused[index]);
        refuse_with(&filter, EPERM);
    }
    for (size_t index = 0; index < sizeof unknown / sizeof *unknown; index++) {
        for_call(&filter, unknown[index]);
        refuse_with(&filter, ENOSYS);
    }
    filter_sockets(&filter, plan);
    filter_others(&filter);
    filter_files(&filter);
    filter_memory(&filter, plan);
    allow(&filter);
    errno = E2BIG;
    if (filter.is_too_long) return keeper_failed(outcome, "the filter", NULL);

    const struct sock_fprog program = {.len = filter.count, .filter = filter.steps};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return keeper_failed(outcome, "seccomp", NULL);
    outcome->declared[part_calls] = "no seccomp";
    outcome->declared[part_network] = "no seccomp";
    if (!outcome->declared[part_files]) outcome->declared[part_files] = "no seccomp: modes and times can be changed";
    outcome->declared[part_limits] = "no seccomp: memory in shared mappings is not counted";
    return true;
}

#else
bool keeper_filter_calls(const struct plan *plan, struct outcome *outcome) {
    (void)plan;
    outcome->declared[part_calls] = "no filter for this system or processor";
    outcome->declared[part_network] = "no filter for this system or processor";
    return true;
}
#endif
