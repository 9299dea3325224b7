// A plugin that records events: a line `SEQ ID` for each, in `events` of its data directory, before it acknowledges.

#define _GNU_SOURCE
#include "line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void put(const char *text, size_t length) {
    if (write(1, text, length) != (ssize_t)length) exit(0);
}

int main(void) {
    char path[4096], *line = NULL, text[512];
    size_t room = 0;
    ssize_t length;
    snprintf(path, sizeof path, "%s/events", getenv("MOODBOARD_PLUGIN_DATA"));
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0) return 3;
    while ((length = getline(&line, &room, stdin)) > 0) {
        struct span request = {line, (size_t)length}, id = member(request, "id"), method = member(request, "method");
        if (!id.length) continue;
        int is_hello = is_text(method, "\"plugin.hello\"");
        if (is_text(method, "\"events.deliver\"")) {
            struct span params = member(request, "params"), seq = member(params, "seq"), changes = member(params, "changes");
            struct span first = {changes.start + 1, changes.length ? changes.length - 1 : 0};
            struct span mood = changes.length ? member(first, "id") : member(params, "resync");
            int written = snprintf(text, sizeof text, "%.*s %.*s\n", (int)seq.length, seq.start, (int)mood.length, mood.start);
            if (write(file, text, (size_t)written) != written) return 3;
        }
        int written = snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{%s}}\n", (int)id.length, id.start,
                               is_hello ? "\"protocol\":1" : "");
        put(text, (size_t)written);
    }
}
