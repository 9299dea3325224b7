// A plugin that behaves badly, in the way of its first argument. `Tests/Scripts/lives.py` runs it thousands of times.
//
// Each way begins like a good plugin, unless it says otherwise: it answers plugin.hello, then it waits for a call.

#define _GNU_SOURCE
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char input[1 << 20];
static size_t input_length;

static void put(const char *text, size_t length) {
    while (length > 0) {
        ssize_t count = write(1, text, length);
        if (count < 0 && errno != EINTR) _exit(0);
        if (count > 0) text += count, length -= (size_t)count;
    }
}

static void put_text(const char *text) { put(text, strlen(text)); }

static void sleep_for_ever(void) {
    for (;;) poll(NULL, 0, -1);
}

// The next request of the host, without notifications. Ends the process at the end of the input.
static struct span next_request(void) {
    static char line[sizeof input];
    for (;;) {
        char *newline = memchr(input, '\n', input_length);
        if (newline) {
            size_t length = (size_t)(newline - input);
            memcpy(line, input, length);
            input_length -= length + 1;
            memmove(input, newline + 1, input_length);
            struct span request = {line, length};
            if (member(request, "id").length) return request;
            continue;
        }
        ssize_t count = read(0, input + input_length, sizeof input - input_length);
        if (count <= 0) _exit(0);
        input_length += (size_t)count;
    }
}

static void begin_answer(struct span request) {
    struct span id = member(request, "id");
    put_text("{\"jsonrpc\":\"2.0\",\"id\":");
    put(id.start, id.length);
}

static void answer(struct span request) {
    begin_answer(request);
    put_text(is_text(member(request, "method"), "\"plugin.hello\"") ? ",\"result\":{\"protocol\":1}}\n" : ",\"result\":{}}\n");
}

static void say_hello(void) { answer(next_request()); }

// --- The ways. A return ends the plugin.

static void good(void) { for (;;) answer(next_request()); }
static void ends(void) {}
static void ends_later(void) { say_hello(); next_request(); }
static void fails(void) { _exit(3); }
static void dies(void) { say_hello(); next_request(); raise(SIGKILL); }
static void hangs(void) { sleep_for_ever(); }
static void hangs_later(void) { say_hello(); sleep_for_ever(); }
static void closes_output(void) { say_hello(); close(1); sleep_for_ever(); }
static void closes_all(void) { close(0); close(1); close(2); sleep_for_ever(); }

static void floods_output(void) { for (;;) put_text("This is no JSON, and there is no end of it. ................................\n"); }
static void floods_messages(void) {
    say_hello();
    for (;;) put_text("{\"jsonrpc\":\"2.0\",\"method\":\"plugin.log\",\"params\":{\"level\":\"info\",\"message\":\"flood\"}}\n");
}
static void floods_requests(void) {
    say_hello();
    for (;;) put_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"host.info\"}\n");
}
static void floods_errors(void) {
    say_hello();
    if (fork() == 0) for (;;) if (write(2, input, 4096) < 0 && errno != EINTR) _exit(0);
    good();
}
static void endless_line(void) { say_hello(); next_request(); for (;;) put(input, 4096); }
static void half_line(void) { say_hello(); begin_answer(next_request()); sleep_for_ever(); }
static void half_line_ends(void) { say_hello(); begin_answer(next_request()); }
static void no_json(void) { say_hello(); next_request(); for (int n = 0; n < 12; n++) put_text("{]\n"); sleep_for_ever(); }

static void wrong_ids(void) {
    say_hello();
    for (;;) {
        next_request();
        put_text("{\"jsonrpc\":\"2.0\",\"id\":987654321,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n"
                 "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n");
    }
}
static void repeats_ids(void) { say_hello(); for (;;) { struct span request = next_request(); answer(request); answer(request); } }
static void both_ways(void) {
    say_hello();
    for (;;) { begin_answer(next_request()); put_text(",\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}\n"); }
}
static void huge_answer(void) {
    say_hello();
    for (;;) {
        begin_answer(next_request());
        put_text(",\"result\":{\"text\":\"");
        for (int n = 0; n < 6 << 10; n++) put(memset(input + sizeof input - 1024, 'x', 1024), 1024);
        put_text("\"}}\n");
    }
}
static void deep_answer(void) {
    say_hello();
    for (;;) {
        begin_answer(next_request());
        put_text(",\"result\":");
        for (int n = 0; n < 100000; n++) put_text("[");
        put_text("\n");
    }
}
static void ignores_signals(void) {
    for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
    say_hello();
    sleep_for_ever();
}

static void grandchild(void) {
    say_hello();
    if (fork() == 0) sleep_for_ever();  // with the pipes
}
static void escapes(void) {
    say_hello();
    for (int n = 0; n < 200; n++)
        if (fork() == 0) {
            setsid();
            signal(SIGTERM, SIG_IGN);
            if (fork() != 0) _exit(0);
            sleep_for_ever();
        }
    while (wait(NULL) > 0) {}
    good();
}
static void forks(void) {
    say_hello();
    for (int n = 0; n < 1000; n++)
        if (fork() == 0) sleep_for_ever();
    good();
}
static void forks_without_end(void) {
    say_hello();
    for (;;)
        if (fork() < 0) poll(NULL, 0, 1);
}
static void spins(void) { say_hello(); for (;;) {} }

static void fills_disk(void) {
    const char *folder = getenv("MOODBOARD_PLUGIN_DATA");
    if (folder && chdir(folder) != 0) _exit(3);
    say_hello();
    for (int n = 0;; n++) {
        char name[32];
        snprintf(name, sizeof name, "filled-%d", n);
        int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        for (int block = 0; file >= 0 && block < 1024; block++)
            if (write(file, input, 4096) < 0) sleep_for_ever();
        if (file < 0) sleep_for_ever();
        close(file);
    }
}
static void fills_memory(void) {
    say_hello();
    for (;;) {
        char *block = malloc(1 << 20);
        if (!block) sleep_for_ever();
        memset(block, 1, 1 << 20);
    }
}

static const struct { const char *name; void (*run)(void); } ways[] = {
    {"good", good}, {"ends", ends}, {"ends-later", ends_later}, {"fails", fails}, {"dies", dies}, {"hangs", hangs},
    {"hangs-later", hangs_later}, {"closes-output", closes_output}, {"closes-all", closes_all},
    {"floods-output", floods_output}, {"floods-messages", floods_messages}, {"floods-requests", floods_requests},
    {"floods-errors", floods_errors}, {"endless-line", endless_line}, {"half-line", half_line},
    {"half-line-ends", half_line_ends}, {"no-json", no_json}, {"wrong-ids", wrong_ids}, {"repeats-ids", repeats_ids},
    {"both-ways", both_ways}, {"huge-answer", huge_answer}, {"deep-answer", deep_answer},
    {"ignores-signals", ignores_signals}, {"grandchild", grandchild}, {"escapes", escapes}, {"forks", forks},
    {"forks-without-end", forks_without_end}, {"spins", spins}, {"fills-disk", fills_disk}, {"fills-memory", fills_memory},
};

int main(int count, char **arguments) {
    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        if (count < 2) puts(ways[n].name);
        else if (strcmp(arguments[1], ways[n].name) == 0) return ways[n].run(), 0;
    }
    return count < 2 ? 0 : 64;
}
