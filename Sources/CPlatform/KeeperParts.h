// What the keeper's files tell each other; not seen from Swift.
#ifndef KEEPER_PARTS_H
#define KEEPER_PARTS_H

#include "CPlatform.h"

#include <stdbool.h>
#include <sys/types.h>

// The parts of the isolation, in the order in which they are reported.
enum part { part_files, part_network, part_calls, part_processes, part_limits, part_count };

// A list that ends with NULL.
struct list {
    char **words;
    int count;
};

// The keeper's end of the socket to the host.
enum { keeper_control = 3 };

// How the keeper stands to what it keeps, and the plugin's process; -1 is none yet.
extern enum cplatform_keeper_place keeper_place;
extern pid_t keeper_plugin;

// Tells a keeper without a namespace that its parent has ended.
#define CPLATFORM_KEEPER_SIGNAL SIGUSR1

// What to start, and what it may do.
struct plan {
    const char *program, *directory, *data;  // `data`: NULL is none
    struct list arguments, environment, runtimes, readable, writable;
    bool is_data_read_only, has_network, requires_isolation;
    int64_t memory_bytes, cpu_seconds, file_bytes, processes, open_files;
};

// How the start of the plugin went. It goes through a pipe from one copy of the keeper to the other one, so that the texts,
// which are the program's own, stand at the same place in both.
struct outcome {
    const char *step;     // what failed, NULL: nothing
    const char *subject;  // on what, such as a path of the plan; NULL: nothing to name
    int code;             // errno
    pid_t id;             // of the plugin, as /proc numbers it
    const char *declared[part_count];  // why a part is not enforced; NULL: it is
};

// Says that a step has failed; the answer is always false.
static inline bool keeper_failed(struct outcome *outcome, const char *step, const char *subject) {
    outcome->step = step;
    outcome->subject = subject;
    outcome->code = errno;
    return false;
}

// One line to the host; control characters, which a path may have, become question marks.
void keeper_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Reports it, and ends the keeper. `subject` may be NULL, and `code`, an errno, 0.
_Noreturn void keeper_refuse(const char *step, const char *subject, int code);

// Waits for the plan.
struct plan keeper_read_plan(void);
// A number of a plan; refuses what is none.
int64_t keeper_number(const char *text);

void keeper_signal_all(int number);
// Takes what has ended, waiting for one if asked to; whether the plugin has, and how.
bool keeper_reap(bool waits, int *word);
// Kills until nobody is left.
void keeper_end_all(void);

// Whether the namespace has ids of its own, and fewer than so many; it takes at least 302.
bool keeper_counts_processes(int64_t most);
// Has the plugin weigh no more when it starts many processes, whose ids are below this one. The milliseconds until it is to be
// called again.
int keeper_share_turns(int64_t ids);

// Each is called in the plugin's process before its program runs. False: `outcome` says what failed. What the kernel cannot
// do is no failure: it is noted as declared.
void keeper_give_way(void);
bool keeper_limit(const struct plan *plan, enum cplatform_keeper_place place, struct outcome *outcome);
bool keeper_drop_capabilities(struct outcome *outcome);
bool keeper_confine_files(const struct plan *plan, struct outcome *outcome);
bool keeper_filter_calls(const struct plan *plan, struct outcome *outcome);

#endif
