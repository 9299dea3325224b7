// The keeper, a plugin's supervisor: reads the plan, starts the plugin in isolation, waits, and ends all its processes.
//
// It forwards no data: descriptors 0 to 2 are the plugin's pipes, which the keeper closes when the plugin runs.
#include "KeeperParts.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

static const char *const part_names[part_count] = {"files", "network", "calls", "processes", "limits"};
enum cplatform_keeper_place keeper_place;
static const char *processes_declared;  // the reason if they are not enforced, else NULL
pid_t keeper_plugin = -1;

// Reports.

// Sends one line to the host; control characters, which a path may have, become question marks.
void keeper_report(const char *format, ...) {
    char line[2048];
    va_list values;
    va_start(values, format);
    int count = vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    if (count < 0) return;
    if (count > (int)sizeof line - 2) count = (int)sizeof line - 2;
    for (int at = 0; at < count; at++) {
        if ((unsigned char)line[at] < 0x20 && line[at] != '\t') line[at] = '?';
    }
    line[count] = '\n';
    (void)cplatform_keeper_send(keeper_control, line, (size_t)count + 1);
}

_Noreturn void keeper_refuse(const char *step, const char *subject, int code) {
    keeper_report("refused\t%s%s%s%s%s", step, subject ? " " : "", subject ? subject : "", code ? ": " : "",
           code ? strerror(code) : "");
    _exit(1);
}

// The plugin's process.

static bool prepare(const struct plan *plan, struct outcome *outcome) {
    if (setsid() < 0) return keeper_failed(outcome, "setsid", NULL);
    umask(077);
    keeper_give_way();
    if (chdir(plan->directory) != 0) return keeper_failed(outcome, "cannot enter", plan->directory);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // The id as the host sees it: the mounted /proc is the host's.
    char number[32] = "";
    if (readlink("/proc/self", number, sizeof number - 1) > 0) outcome->id = atoi(number);
    // If memory runs out, the kernel should end the plugin, not the host. This needs no privilege.
    const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        (void)!write(score, "800", 3);
        close(score);
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return keeper_failed(outcome, "no new privileges", NULL);
#else
    outcome->id = getpid();
#endif
    outcome->declared[part_processes] = processes_declared;
    return keeper_limit(plan, keeper_place, outcome) && keeper_confine_files(plan, outcome)
        && keeper_drop_capabilities(outcome) && keeper_filter_calls(plan, outcome);
}

// After `prepare` this process may do no more than the plugin itself.
_Noreturn static void become_plugin(const struct plan *plan, int news) {
    struct outcome outcome = {.id = 0};
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    close(keeper_control);
    bool is_ready = prepare(plan, &outcome);
    for (int part = 0; is_ready && plan->requires_isolation && part < part_count; part++) {
        if (!outcome.declared[part]) continue;
        outcome.step = part_names[part];
        outcome.subject = outcome.declared[part];
        is_ready = false;
    }
    ssize_t written = write(news, &outcome, sizeof outcome);
    if (is_ready && written == (ssize_t)sizeof outcome) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(plan->program, plan->arguments.words, plan->environment.words);
        keeper_failed(&outcome, "cannot start", plan->program);
        written = write(news, &outcome, sizeof outcome);
    }
    _exit(127);
}

// Starts the plugin; returns when its program runs.
static struct outcome start_plugin(const struct plan *plan) {
    int news[2];
    if (cplatform_keeper_pipe(news) != 0) keeper_refuse("no pipe", NULL, errno);
    keeper_plugin = fork();
    if (keeper_plugin < 0) keeper_refuse("no process", NULL, errno);
    if (keeper_plugin == 0) become_plugin(plan, news[1]);
    close(news[1]);
    struct outcome outcome = {.step = "the process ended before its program ran"}, next;
    for (;;) {
        ssize_t count = read(news[0], &next, sizeof next);
        if (count < 0 && errno == EINTR) continue;
        if (count != (ssize_t)sizeof next) break;
        outcome = next;
    }
    close(news[0]);
    return outcome;
}

// The wait.

static volatile sig_atomic_t is_continued;
static void note_child(int number) { (void)number; }
static void note_signal(int number) { (void)number; is_continued = 1; }

// The parent's id in the mounted /proc, which is the host's; 0 if it cannot be read. In a namespace getppid gives 0.
static pid_t read_parent(void) {
    char text[512] = "";
    int parent = 0;
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    const char *rest = count > 0 ? strrchr(text, ')') : NULL;
    return rest && sscanf(rest + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// - processes: the limit in the plan.
_Noreturn static void keep(int64_t processes) {
    int word = 0;
    const bool has_ids = keeper_place != cplatform_keeper_bare && keeper_counts_processes(processes);
    const int64_t ids = has_ids ? processes : 0;
#if defined(__linux__)
    // From here on the keeper is never held up, and ends its processes faster than the kernel does after SIGKILL.
    prctl(PR_SET_PDEATHSIG, CPLATFORM_KEEPER_SIGNAL, 0, 0, 0);
#endif
    const pid_t parent = read_parent();
    int64_t look = has_ids ? 0 : INT64_MAX;
    sigset_t others;
    sigfillset(&others);
    sigdelset(&others, SIGCHLD);
    sigdelset(&others, CPLATFORM_KEEPER_SIGNAL);
    while (!keeper_reap(false, &word)) {
        const int64_t now = milliseconds_now();
        if (look <= now) look = now + keeper_share_turns(processes);
        const struct timespec pause = {.tv_sec = (look - now) / 1000, .tv_nsec = (look - now) % 1000 * 1000000};
        // Only pselect admits the two signals, so none is missed.
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(keeper_control, &readable);
        if (pselect(keeper_control + 1, &readable, NULL, NULL, has_ids ? &pause : NULL, &others) < 0) FD_ZERO(&readable);
        char asked[16];
        ssize_t count = 1;
        if (FD_ISSET(keeper_control, &readable)) {
            count = cplatform_keeper_receive(keeper_control, asked, sizeof asked);
            if (count > 0 && memchr(asked, 't', (size_t)count)) keeper_signal_all(SIGTERM);
            if (count < 0 && (errno == EAGAIN || errno == EINTR)) count = 1;
        }
        // Any process may send the signal.
        const bool has_lost_parent = is_continued && read_parent() != parent;
        is_continued = 0;
        if (count <= 0 || has_lost_parent) {
            keeper_end_all(ids);
            keeper_report("ended\tsignalled\t%d", SIGKILL);
            _exit(0);
        }
    }
    keeper_end_all(ids);
    if (WIFSIGNALED(word)) keeper_report("ended\tsignalled\t%d", WTERMSIG(word));
    else keeper_report("ended\texited\t%d", WEXITSTATUS(word));
    _exit(0);
}

// For a script in the place of the host: starts a keeper as the host does, which gets the descriptors, and waits for
// it.
_Noreturn static void start_and_wait(int64_t processes) {
    int descriptors[keeper_control + 1];
    for (int number = 0; number <= keeper_control; number++) {
        descriptors[number] = fcntl(number, F_DUPFD_CLOEXEC, keeper_control + 1);
        close(number);
    }
    const int keeper = cplatform_start_keeper("/proc/self/exe", descriptors, processes, &keeper_place);
    for (int number = 0; number <= keeper_control; number++) close(descriptors[number]);
    while (keeper > 0 && waitpid(keeper, NULL, 0) < 0 && errno == EINTR) {}
    _exit(keeper > 0 ? 0 : 1);
}

_Noreturn void cplatform_keep(int count, char **arguments) {
    struct stat facts;
    const bool has_socket = fstat(keeper_control, &facts) == 0 && S_ISSOCK(facts.st_mode);
    if (count == 3 && has_socket) start_and_wait(keeper_number(arguments[2]));
    if (count < 5 || !has_socket) {
        static const char words[] = "moodboard: " CPLATFORM_KEEPER_ARGUMENT " is for the host itself\n";
        ssize_t written = write(2, words, sizeof words - 1);
        _exit(written < 0 ? 65 : 64);
    }
    keeper_place = (enum cplatform_keeper_place)(arguments[2][0] - '0');
    // Outside of a namespace, kill(-1) would hit the user's other processes.
    if (keeper_place != cplatform_keeper_bare && getpid() != 1) _exit(64);
    // Written before the fork, for both copies of the keeper.
    static char reason[160];
    snprintf(reason, sizeof reason, "no process namespace (%s): what it starts is looked for when it has ended",
             strerror(atoi(arguments[3])));
    if (keeper_place == cplatform_keeper_bare) processes_declared = reason;

    // All signals are blocked; pselect admits two of them.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    struct sigaction action = {.sa_handler = note_child};
    sigaction(SIGCHLD, &action, NULL);
    action.sa_handler = note_signal;
    sigaction(CPLATFORM_KEEPER_SIGNAL, &action, NULL);
    // Signals from a terminal or a user to the host's group are for the host, which ends its plugins in good order.
    setsid();
    // The keeper keeps no folder busy.
    if (chdir("/") != 0) _exit(1);
    fcntl(keeper_control, F_SETFD, FD_CLOEXEC);
#if defined(__linux__)
    prctl(PR_SET_NAME, "moodboard-keep", 0, 0, 0);
    if (keeper_place == cplatform_keeper_bare) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    // The parent may have ended before PR_SET_PDEATHSIG; in a namespace the end of the socket tells that.
    if (keeper_place == cplatform_keeper_bare && getppid() != atoi(arguments[4])) _exit(1);
#endif
    const struct plan plan = keeper_read_plan();
    const struct outcome outcome = start_plugin(&plan);
    const int nothing = open("/dev/null", O_RDWR);
    for (int number = 0; number < 3; number++) dup2(nothing, number);
    if (nothing > keeper_control) close(nothing);
    if (outcome.step) {
        keeper_end_all(0);
        keeper_refuse(outcome.step, outcome.subject, outcome.code);
    }
    char parts[1024];
    size_t at = 0;
    for (int part = 0; part < part_count; part++) {
        const char *reason = outcome.declared[part];
        at += (size_t)snprintf(parts + at, sizeof parts - at, "\t%s=%s", part_names[part], reason ? reason : "");
        if (at >= sizeof parts) at = sizeof parts - 1;
    }
    keeper_report("started\t%d%s", outcome.id, parts);
    keep(plan.processes);
}
