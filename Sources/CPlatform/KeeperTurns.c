// The plugin's low priority: the host, and the user's other programs, come first on the processor. Not every system has
// priorities, and nothing depends on them.
#include "KeeperParts.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#endif
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { plugin_niceness = 5 };
// Length of a plugin's time slice. A process with the usual slice of a few milliseconds, such as the host, need not
// wait for its end. (sched_setattr(2): `sched_runtime` of SCHED_OTHER, from Linux 6.12 on; before that it has no
// effect.)
static const uint64_t plugin_turn_nanoseconds = 20000000;
// The least slice: of the processes that may run, the one with the shortest goes first.
static const uint64_t dying_turn_nanoseconds = 100000;

#if defined(__linux__)
// Sets the niceness and the slice of a process, as a program of the usual policy; 0 is the calling process.
static bool set_turns(pid_t id, int niceness, uint64_t nanoseconds) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } turns = {.size = 48, .nice = niceness, .runtime = nanoseconds};
    return syscall(SYS_sched_setattr, id, &turns, 0) == 0;
}
#endif

void keeper_give_way(void) {
    (void)setpriority(PRIO_PROCESS, 0, plugin_niceness);
#if defined(__linux__)
    // Descendants inherit it.
    (void)set_turns(0, plugin_niceness, plugin_turn_nanoseconds);
    // A session that is scheduled as one group has its own niceness. (sched(7): "The autogroup feature")
    const int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (group < 0) return;
    char text[8];
    const int count = snprintf(text, sizeof text, "%d", plugin_niceness);
    (void)!write(group, text, (size_t)count);
    close(group);
#endif
}

#if defined(__linux__)
// Most systems schedule each process separately, so a thousand of them would leave nothing for the host. All processes
// and threads of a plugin together get the weight of these few.
enum { processes_usual = 8, pause_least = 50, pause_most = 1000 };
// The kernel's weights by niceness, from `plugin_niceness` to the last. (`sched_prio_to_weight`)
static const int weights[] = {335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15};
enum { steps = sizeof weights / sizeof *weights };

static bool is_there(pid_t id, int *niceness) {
    errno = 0;
    *niceness = getpriority(PRIO_PROCESS, (id_t)id);
    return *niceness != -1 || errno == 0;
}

// Only lowers priorities, because an ordinary user cannot raise one, and never below the least of the usual policy:
// under SCHED_IDLE a process that others wait for might not run for minutes.
int keeper_share_turns(int64_t ids) {
    static int pause = pause_least, before = processes_usual;
    int count = 0, step = 0, niceness;
    for (pid_t id = 2; id < ids; id++) count += is_there(id, &niceness);
    while (step < steps - 1 && weights[step] * count > weights[0] * processes_usual) step++;
    for (pid_t id = 2; step > 0 && id < ids; id++) {
        if (!is_there(id, &niceness) || niceness >= plugin_niceness + step) continue;
        (void)setpriority(PRIO_PROCESS, (id_t)id, plugin_niceness + step);
    }
    // While their number does not grow, there is little to do.
    pause = count > before ? pause_least : pause * 2 < pause_most ? pause * 2 : pause_most;
    before = count;
    return pause;
}

void keeper_hasten(pid_t id) {
    int niceness;
    if (!is_there(id, &niceness) || set_turns(id, 0, dying_turn_nanoseconds)) return;
    (void)set_turns(id, niceness, dying_turn_nanoseconds);
}
#else
int keeper_share_turns(int64_t ids) {
    (void)ids;
    return 1000;
}

void keeper_hasten(pid_t id) { (void)id; }
#endif
