// Sends one request again and again to a program, and measures the times of the answers.
//
//     pump COUNT IN-FLIGHT METHOD PARAMS PRELUDE COMMAND [ARGUMENT…]
//
// PRELUDE is a file of lines that are sent first, each answered before the next; `-`: none. `%d` in PARAMS is the number of
// the request. A tenth as many requests go before, unmeasured. Prints `NANOSECONDS-A-REQUEST MEDIAN P99`, the last two of
// single requests; ends with 1 if an answer is an error.

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int to_program, from_program;
static char answers[1 << 20];
static size_t answers_length;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what, const char *text, size_t length) {
    fprintf(stderr, "pump: %s: %.*s\n", what, (int)(length > 500 ? 500 : length), text);
    exit(1);
}

static void send_all(const char *text, size_t length) {
    while (length > 0) {
        ssize_t count = write(to_program, text, length);
        if (count < 0 && errno != EINTR) fail("the program has ended", "", 0);
        if (count > 0) text += count, length -= (size_t)count;
    }
}

// Reads at least one answer; returns their number.
static long receive(void) {
    long found = 0;
    while (found == 0) {
        if (answers_length == sizeof answers) fail("a long answer", answers, answers_length);
        ssize_t count = read(from_program, answers + answers_length, sizeof answers - answers_length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) fail("the program has ended", answers, answers_length);
        answers_length += (size_t)count;
        char *line = answers, *newline;
        while ((newline = memchr(line, '\n', (size_t)(answers + answers_length - line)))) {
            if (memmem(line, (size_t)(newline - line), "\"error\":{", 9)) fail("an error", line, (size_t)(newline - line));
            found++;
            line = newline + 1;
        }
        answers_length -= (size_t)(line - answers);
        memmove(answers, line, answers_length);
    }
    return found;
}

static int by_value(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// One after the other, or so many at once; each request's time into `times` in the first case.
static void run(long count, long in_flight, const char *method, const char *params, long first, int64_t *times) {
    static char batch[1 << 20];
    long sent = 0, received = 0;
    while (received < count) {
        size_t length = 0;
        while (sent < count && sent - received < in_flight && length < sizeof batch / 2) {
            char written[8192];
            const char *place = strstr(params, "%d");
            int head = place ? (int)(place - params) : (int)strlen(params);
            snprintf(written, sizeof written, place ? "%.*s%ld%s" : "%.*s", head, params, first + sent, place ? place + 2 : "");
            length += (size_t)snprintf(batch + length, sizeof batch - length,
                                       "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"%s\",\"params\":%s}\n", first + sent, method, written);
            sent++;
        }
        int64_t start = now();
        if (length) send_all(batch, length);
        received += receive();
        if (in_flight == 1 && times) times[received - 1] = now() - start;
    }
}

int main(int count, char **arguments) {
    if (count < 7) return fprintf(stderr, "pump COUNT IN-FLIGHT METHOD PARAMS PRELUDE COMMAND [ARGUMENT…]\n"), 64;
    long requests = atol(arguments[1]), in_flight = atol(arguments[2]);
    int64_t *times = calloc((size_t)requests, sizeof *times);
    int in[2], out[2];
    if (requests < 1 || in_flight < 1 || !times || pipe(in) || pipe(out)) return 64;
    pid_t child = fork();
    if (child == 0) {
        dup2(in[0], 0), dup2(out[1], 1);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execvp(arguments[6], arguments + 6);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    to_program = in[1], from_program = out[0];
    if (strcmp(arguments[5], "-") != 0) {
        FILE *prelude = fopen(arguments[5], "r");
        char *line = NULL;
        size_t room = 0;
        ssize_t length;
        if (!prelude) return 64;
        while ((length = getline(&line, &room, prelude)) > 0) send_all(line, (size_t)length), receive();
        fclose(prelude);
    }
    long warm = requests / 10 + 1;
    run(warm, in_flight, arguments[3], arguments[4], 0, NULL);
    int64_t start = now();
    run(requests, in_flight, arguments[3], arguments[4], warm, times);
    double each = (double)(now() - start) / (double)requests;
    qsort(times, (size_t)requests, sizeof *times, by_value);
    printf("%.0f %ld %ld\n", each, (long)times[requests / 2], (long)times[requests * 99 / 100]);
    close(to_program);
    waitpid(child, NULL, 0);
    return 0;
}
