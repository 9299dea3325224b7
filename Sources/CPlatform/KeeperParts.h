// Declarations shared by the keeper's files; not visible from Swift.
#ifndef KEEPER_PARTS_H
#define KEEPER_PARTS_H

#include "CPlatform.h"

#include <stdbool.h>
#include <sys/types.h>

// The parts of the isolation, in the order of the report.
enum part { part_files, part_network, part_calls, part_processes, part_limits, part_count };

// A list that ends with NULL.
struct list {
    char **words;
    int count;
};

// The keeper's end of the socket to the host.
enum { keeper_control = 3 };

// The keeper's relation to its processes, and the plugin's process; -1 before its start.
extern enum cplatform_keeper_place keeper_place;
extern pid_t keeper_plugin;

// The kernel's signal when the parent has ended. It also wakes a keeper that another process has stopped.
#define CPLATFORM_KEEPER_SIGNAL SIGCONT

// The program to start, and its permissions.
struct plan {
    const char *program, *directory, *data;  // `data` may be NULL
    struct list arguments, environment, runtimes, readable, writable;
    bool is_data_read_only, has_network, requires_isolation;
    int64_t memory_bytes, cpu_seconds, file_bytes, processes, open_files;
};

// The outcome of the plugin's start. It goes through a pipe from one copy of the keeper to the other; the texts, which
// are the program's own, have one address in both.
struct outcome {
    const char *step;     // the failed step, or NULL
    const char *subject;  // its object, such as a path of the plan, or NULL
    int code;             // errno
    pid_t id;             // the plugin's id in /proc
    const char *declared[part_count];  // the reason if a part is not enforced, else NULL
};

// Records that a step has failed; always returns false.
static inline bool keeper_failed(struct outcome *outcome, const char *step, const char *subject) {
    outcome->step = step;
    outcome->subject = subject;
    outcome->code = errno;
    return false;
}

// Sends one line to the host; control characters, which a path may have, become question marks.
void keeper_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Reports a refusal, and ends the keeper. `subject` may be NULL, and `code`, an errno, 0.
_Noreturn void keeper_refuse(const char *step, const char *subject, int code);

// Waits for the plan.
struct plan keeper_read_plan(void);
// Parses a number of a plan; refuses anything else.
int64_t keeper_number(const char *text);

void keeper_signal_all(int number);
// Reaps ended processes, waiting for one if `waits`; returns whether the plugin has ended, and its status word.
bool keeper_reap(bool waits, int *word);
// Kills until no process is left. The ids of a namespace that has its own are below `ids`; else that is 0.
void keeper_end_all(int64_t ids);

// Whether the namespace has ids of its own, and at most this many; the least limit is 302.
bool keeper_counts_processes(int64_t most);
// Limits the plugin's share of the processor when it starts many processes, whose ids are below `ids`. Returns the
// milliseconds until the next call.
int keeper_share_turns(int64_t ids);
// Has a killed process run before others: it runs once more, to give back its memory, under locks that it shares with
// its relatives. An ordinary user cannot raise its priority, but can shorten its slice.
void keeper_hasten(pid_t id);

// These run in the plugin's process before its program does. False: `outcome` has the failed step. A feature that the
// kernel lacks is no failure: it is recorded as declared.
void keeper_give_way(void);
bool keeper_limit(const struct plan *plan, enum cplatform_keeper_place place, struct outcome *outcome);
bool keeper_drop_capabilities(struct outcome *outcome);
bool keeper_confine_files(const struct plan *plan, struct outcome *outcome);
bool keeper_filter_calls(const struct plan *plan, struct outcome *outcome);

#endif
