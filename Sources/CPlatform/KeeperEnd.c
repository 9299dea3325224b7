// Ending all the plugin's processes.
#include "KeeperParts.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
struct relation {
    pid_t id, parent;
    bool is_ours;
};

// Reads every process in /proc, with its parent; NULL without memory or /proc.
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
        // The process chooses its name, which is in brackets and may contain brackets.
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

static int compare_relations(const void *left, const void *right) {
    const pid_t first = ((const struct relation *)left)->id, second = ((const struct relation *)right)->id;
    return (first > second) - (first < second);
}

// Sends a signal to all present descendants.
static void signal_descendants(int number) {
    size_t count;
    struct relation *relations = read_relations(&count);
    if (!relations) return;
    qsort(relations, count, sizeof *relations, compare_relations);
    const pid_t own = getpid();
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t index = 0; index < count; index++) {
            struct relation *one = &relations[index];
            if (one->is_ours) continue;
            const struct relation key = {.id = one->parent};
            const struct relation *parent = bsearch(&key, relations, count, sizeof *relations, compare_relations);
            if (one->parent == own || (parent && parent->is_ours)) is_changed = one->is_ours = true;
        }
    }
    for (size_t index = 0; index < count; index++) {
        if (!relations[index].is_ours) continue;
        kill(relations[index].id, number);
        if (number == SIGKILL) keeper_hasten(relations[index].id);
    }
    free(relations);
}
#else
// Reaches the plugin's group: a process with a session of its own escapes.
static void signal_descendants(int number) { if (keeper_plugin > 0) kill(-keeper_plugin, number); }
#endif

void keeper_signal_all(int number) {
    if (keeper_place == cplatform_keeper_bare) signal_descendants(number);
    else kill(-1, number);
}

// Reaps ended processes; returns whether the plugin has ended, and its status word.
bool keeper_reap(bool waits, int *word) {
    bool has_ended = false;
    for (;;) {
        int status;
        const pid_t child = waitpid(-1, &status, waits ? 0 : WNOHANG);
        if (child < 0 && errno == EINTR) continue;
        if (child <= 0) return has_ended;
        waits = false;
        if (child == keeper_plugin) {
            *word = status;
            has_ended = true;
        }
    }
}

// Kills until no process is left. A killed process leaves its children to the keeper, so there is always one to wait
// for.
void keeper_end_all(int64_t ids) {
    int word;
    while (errno = 0, waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) {
        keeper_signal_all(SIGKILL);
        for (pid_t id = 2; id < ids; id++) keeper_hasten(id);
        ids = 0;
        keeper_reap(true, &word);
    }
}
