// The keeper: reads what to start, starts it in isolation, waits, and leaves nothing behind.
//
// It forwards no data: descriptors 0 to 2 are the plugin's pipes, and the keeper lets go of them when the plugin runs.
#include "KeeperParts.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum { control = 3, plan_bytes_max = 1 << 20 };

static const char *const part_names[part_count] = {"files", "network", "calls", "processes", "limits"};
static enum cplatform_keeper_place place;
static const char *processes_declared;  // why they are not enforced; NULL: they are
static pid_t plugin = -1;

// Reports.

// One line to the host; control characters, which a path may have, become question marks.
static void report(const char *format, ...) {
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
    (void)cplatform_keeper_send(control, line, (size_t)count + 1);
}

_Noreturn static void refuse(const char *step, const char *subject, int code) {
    report("refused\t%s%s%s%s%s", step, subject ? " " : "", subject ? subject : "", code ? ": " : "",
           code ? strerror(code) : "");
    _exit(1);
}

// The plan.

static bool read_exactly(void *bytes, size_t count) {
    size_t at = 0;
    while (at < count) {
        ssize_t result = read(control, (char *)bytes + at, count - at);
        if (result < 0 && errno == EINTR) continue;
        if (result <= 0) return false;
        at += (size_t)result;
    }
    return true;
}

static void append(struct list *list, char *word) {
    // Doubled at each power of two; the last place is for NULL.
    if ((list->count & (list->count + 1)) == 0) {
        list->words = realloc(list->words, sizeof(char *) * (size_t)(2 * list->count + 2));
        if (!list->words) refuse("no memory for the plan", NULL, 0);
    }
    list->words[list->count++] = word;
    list->words[list->count] = NULL;
}

static int64_t number_of(const char *text) {
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno || *end || end == text || number < 0 || number > INT64_MAX / 2) refuse("the plan has a wrong number:", text, 0);
    return number;
}

static struct plan read_plan(void) {
    unsigned char head[4];
    if (!read_exactly(head, 4)) _exit(1);
    const size_t count = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    char *text = count > 0 && count <= plan_bytes_max ? malloc(count) : NULL;
    if (!text) refuse("the plan has a wrong length", NULL, 0);
    if (!read_exactly(text, count)) _exit(1);
    if (text[count - 1] != 0) refuse("the plan has no end", NULL, 0);

    struct plan plan = {.memory_bytes = -1, .cpu_seconds = -1, .file_bytes = -1, .processes = -1, .open_files = -1};
    struct list *lists[] = {&plan.arguments, &plan.environment, &plan.runtimes, &plan.readable, &plan.writable};
    const char *const list_names[] = {"argument", "environment", "runtime", "readable", "writable"};
    const char **words[] = {&plan.program, &plan.directory, &plan.data};
    const char *const word_names[] = {"program", "directory", "data"};
    int64_t *numbers[] = {&plan.memory_bytes, &plan.cpu_seconds, &plan.file_bytes, &plan.processes, &plan.open_files};
    const char *const number_names[] = {"memoryBytes", "cpuSeconds", "fileBytes", "processes", "openFiles"};
    bool *answers[] = {&plan.is_data_read_only, &plan.has_network, &plan.requires_isolation};
    const char *const answer_names[] = {"dataReadOnly", "network", "requiresIsolation"};
    for (size_t index = 0; index < 5; index++) {
        lists[index]->words = calloc(1, sizeof(char *));
        if (!lists[index]->words) refuse("no memory for the plan", NULL, 0);
    }
    for (char *name = text; name < text + count;) {
        char *value = name + strlen(name) + 1;
        if (value >= text + count) refuse("the plan has a name without a value:", name, 0);
        bool is_known = false;
        for (size_t index = 0; index < 5; index++) {
            if (!strcmp(name, list_names[index])) append(lists[index], value), is_known = true;
            if (!strcmp(name, number_names[index])) *numbers[index] = number_of(value), is_known = true;
        }
        for (size_t index = 0; index < 3; index++) {
            if (!strcmp(name, word_names[index])) *words[index] = value, is_known = true;
            if (!strcmp(name, answer_names[index])) *answers[index] = !strcmp(value, "true"), is_known = true;
        }
        if (!is_known) refuse("the plan has an unknown name:", name, 0);
        name = value + strlen(value) + 1;
    }
    if (!plan.program || plan.program[0] != '/' || !plan.directory || plan.arguments.count == 0) {
        refuse("the plan lacks a program, its arguments or a directory", NULL, 0);
    }
    for (size_t index = 0; index < 5; index++) {
        if (*numbers[index] < 0) refuse("the plan lacks", number_names[index], 0);
    }
    return plan;
}

// The plugin's process.

static bool prepare(const struct plan *plan, struct outcome *outcome) {
    if (setsid() < 0) return keeper_failed(outcome, "setsid", NULL);
    umask(077);
    if (chdir(plan->directory) != 0) return keeper_failed(outcome, "cannot enter", plan->directory);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // How the host sees it: what is mounted is the host's /proc.
    char number[32] = "";
    if (readlink("/proc/self", number, sizeof number - 1) > 0) outcome->id = atoi(number);
    // If memory runs out, this is what the kernel should end, and not the host. Nobody needs a right for that.
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
    return keeper_limit(plan, place, outcome) && keeper_confine_files(plan, outcome)
        && keeper_drop_capabilities(outcome) && keeper_filter_calls(plan, outcome);
}

// After `prepare` this process may do no more than the plugin itself.
_Noreturn static void become_plugin(const struct plan *plan, int news) {
    struct outcome outcome = {.id = 0};
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    close(control);
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
    if (cplatform_keeper_pipe(news) != 0) refuse("no pipe", NULL, errno);
    plugin = fork();
    if (plugin < 0) refuse("no process", NULL, errno);
    if (plugin == 0) become_plugin(plan, news[1]);
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

// All that the plugin started.

#if defined(__linux__)
struct relation {
    pid_t id, parent;
    bool is_ours;
};

// Every process that /proc lists, with its parent; NULL: there is no memory or no /proc.
static struct relation *read_relations(size_t *count) {
    struct relation *relations = NULL;
    size_t room = *count = 0;
    DIR *directory = opendir("/proc");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[64], text[512];
        const int id = atoi(entry->d_name);
        if (id <= 0) continue;
        snprintf(path, sizeof path, "/proc/%d/stat", id);
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        const ssize_t length = read(file, text, sizeof text - 1);
        close(file);
        if (length <= 0) continue;
        text[length] = 0;
        // The name, which the process chooses, is in brackets and may hold some.
        const char *rest = strrchr(text, ')');
        int parent;
        if (!rest || sscanf(rest + 1, " %*c %d", &parent) != 1) continue;
        if (*count == room) {
            struct relation *more = realloc(relations, sizeof *relations * (room = room * 2 + 256));
            if (!more) break;
            relations = more;
        }
        relations[(*count)++] = (struct relation){.id = id, .parent = parent};
    }
    if (directory) closedir(directory);
    return relations;
}

// A signal for all the descendants, as they are at this moment.
static void signal_descendants(int number) {
    size_t count;
    struct relation *relations = read_relations(&count);
    const pid_t own = getpid();
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (size_t index = 0; index < count; index++) {
            struct relation *one = &relations[index];
            if (one->is_ours) continue;
            bool is_child = one->parent == own;
            for (size_t other = 0; !is_child && other < count; other++) {
                is_child = relations[other].is_ours && relations[other].id == one->parent;
            }
            if (is_child) is_changed = one->is_ours = true;
        }
    }
    for (size_t index = 0; index < count; index++) {
        if (relations[index].is_ours) kill(relations[index].id, number);
    }
    free(relations);
}
#else
// Its group: what has made a session of its own escapes.
static void signal_descendants(int number) { if (plugin > 0) kill(-plugin, number); }
#endif

static void signal_all(int number) {
    if (place == cplatform_keeper_bare) signal_descendants(number);
    else kill(-1, number);
}

// Takes what has ended; whether the plugin has, and how.
static bool reap(bool waits, int *word) {
    bool has_ended = false;
    for (;;) {
        int status;
        const pid_t child = waitpid(-1, &status, waits ? 0 : WNOHANG);
        if (child < 0 && errno == EINTR) continue;
        if (child <= 0) return has_ended;
        waits = false;
        if (child == plugin) {
            *word = status;
            has_ended = true;
        }
    }
}

// Kills until nobody is left. What is killed leaves its children to the keeper, so there is always one to wait for.
static void end_all(void) {
    int word;
    while (errno = 0, waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) {
        signal_all(SIGKILL);
        reap(true, &word);
    }
}

// The wait.

static volatile sig_atomic_t is_told_to_end;
static void note_child(int number) { (void)number; }
static void note_end(int number) { (void)number; is_told_to_end = 1; }

_Noreturn static void keep(void) {
    int word = 0;
    sigset_t none;
    sigemptyset(&none);
    while (!reap(false, &word)) {
        // Signals come in here alone, so none is missed.
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(control, &readable);
        if (pselect(control + 1, &readable, NULL, NULL, NULL, &none) < 0) FD_ZERO(&readable);
        char asked[16];
        ssize_t count = 1;
        if (FD_ISSET(control, &readable)) {
            count = cplatform_keeper_receive(control, asked, sizeof asked);
            if (count > 0 && memchr(asked, 't', (size_t)count)) signal_all(SIGTERM);
            if (count < 0 && (errno == EAGAIN || errno == EINTR)) count = 1;
        }
        if (count <= 0 || is_told_to_end) {
            end_all();
            report("ended\tsignalled\t%d", SIGKILL);
            _exit(0);
        }
    }
    end_all();
    if (WIFSIGNALED(word)) report("ended\tsignalled\t%d", WTERMSIG(word));
    else report("ended\texited\t%d", WEXITSTATUS(word));
    _exit(0);
}

// For a script that has the place of the host: starts a keeper as the host does, which gets the descriptors, and waits for it.
_Noreturn static void start_and_wait(int64_t processes) {
    int descriptors[control + 1];
    for (int number = 0; number <= control; number++) {
        descriptors[number] = fcntl(number, F_DUPFD_CLOEXEC, control + 1);
        close(number);
    }
    const int keeper = cplatform_start_keeper("/proc/self/exe", descriptors, processes, &place);
    for (int number = 0; number <= control; number++) close(descriptors[number]);
    while (keeper > 0 && waitpid(keeper, NULL, 0) < 0 && errno == EINTR) {}
    _exit(keeper > 0 ? 0 : 1);
}

_Noreturn void cplatform_keep(int count, char **arguments) {
    struct stat facts;
    if (count == 3 && fstat(control, &facts) == 0 && S_ISSOCK(facts.st_mode)) start_and_wait(number_of(arguments[2]));
    if (count < 5 || fstat(control, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        static const char words[] = "moodboard: " CPLATFORM_KEEPER_ARGUMENT " is for the host itself\n";
        ssize_t written = write(2, words, sizeof words - 1);
        _exit(written < 0 ? 65 : 64);
    }
    place = (enum cplatform_keeper_place)(arguments[2][0] - '0');
    // Outside of a namespace, kill(-1) would take the user's other processes.
    if (place != cplatform_keeper_bare && getpid() != 1) _exit(64);
    // Written before the fork, for both copies of the keeper.
    static char reason[160];
    snprintf(reason, sizeof reason, "no process namespace (%s): what it starts is looked for when it has ended",
             strerror(atoi(arguments[3])));
    if (place == cplatform_keeper_bare) processes_declared = reason;

    // Everything is held back but in the wait.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    struct sigaction action = {.sa_handler = note_child};
    sigaction(SIGCHLD, &action, NULL);
    action.sa_handler = note_end;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    fcntl(control, F_SETFD, FD_CLOEXEC);
#if defined(__linux__)
    prctl(PR_SET_NAME, "moodboard-keep", 0, 0, 0);
    if (place == cplatform_keeper_bare) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    // The parent may have ended before it was to be told of; in a namespace the end of the socket says so.
    if (place == cplatform_keeper_bare && getppid() != atoi(arguments[4])) _exit(1);
#endif
    const struct plan plan = read_plan();
    const struct outcome outcome = start_plugin(&plan);
    const int nothing = open("/dev/null", O_RDWR);
    for (int number = 0; number < 3; number++) dup2(nothing, number);
    if (nothing > control) close(nothing);
    if (outcome.step) {
        end_all();
        refuse(outcome.step, outcome.subject, outcome.code);
    }
    char parts[1024];
    size_t at = 0;
    for (int part = 0; part < part_count; part++) {
        const char *reason = outcome.declared[part];
        at += (size_t)snprintf(parts + at, sizeof parts - at, "\t%s=%s", part_names[part], reason ? reason : "");
        if (at >= sizeof parts) at = sizeof parts - 1;
    }
    report("started\t%d%s", outcome.id, parts);
    keep();
}
