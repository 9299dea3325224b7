// The plan of the host: the program to start, and its permissions (Keeper.h).
#include "KeeperParts.h"

#include <stdlib.h>
#include <unistd.h>

enum { plan_bytes_max = 1 << 20 };

static bool read_exactly(void *bytes, size_t count) {
    size_t at = 0;
    while (at < count) {
        ssize_t result = read(keeper_control, (char *)bytes + at, count - at);
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
        if (!list->words) keeper_refuse("no memory for the plan", NULL, 0);
    }
    list->words[list->count++] = word;
    list->words[list->count] = NULL;
}

int64_t keeper_number(const char *text) {
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno || *end || end == text || number < 0 || number > INT64_MAX / 2) keeper_refuse("the plan has a wrong number:", text, 0);
    return number;
}

struct plan keeper_read_plan(void) {
    unsigned char head[4];
    if (!read_exactly(head, 4)) _exit(1);
    const size_t count = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    char *text = count > 0 && count <= plan_bytes_max ? malloc(count) : NULL;
    if (!text) keeper_refuse("the plan has a wrong length", NULL, 0);
    if (!read_exactly(text, count)) _exit(1);
    if (text[count - 1] != 0) keeper_refuse("the plan has no end", NULL, 0);

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
        if (!lists[index]->words) keeper_refuse("no memory for the plan", NULL, 0);
    }
    for (char *name = text; name < text + count;) {
        char *value = name + strlen(name) + 1;
        if (value >= text + count) keeper_refuse("the plan has a name without a value:", name, 0);
        bool is_known = false;
        for (size_t index = 0; index < 5; index++) {
            if (!strcmp(name, list_names[index])) append(lists[index], value), is_known = true;
            if (!strcmp(name, number_names[index])) *numbers[index] = keeper_number(value), is_known = true;
        }
        for (size_t index = 0; index < 3; index++) {
            if (!strcmp(name, word_names[index])) *words[index] = value, is_known = true;
            if (!strcmp(name, answer_names[index])) *answers[index] = !strcmp(value, "true"), is_known = true;
        }
        if (!is_known) keeper_refuse("the plan has an unknown name:", name, 0);
        name = value + strlen(value) + 1;
    }
    if (!plan.program || plan.program[0] != '/' || !plan.directory || plan.arguments.count == 0) {
        keeper_refuse("the plan lacks a program, its arguments or a directory", NULL, 0);
    }
    for (size_t index = 0; index < 5; index++) {
        if (*numbers[index] < 0) keeper_refuse("the plan lacks", number_names[index], 0);
    }
    return plan;
}
