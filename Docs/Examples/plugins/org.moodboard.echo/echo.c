// A MoodBoard plugin in C: answers a call with its params, and lets every change pass. It shows what a call costs.
//
// No JSON library: a line is looked through once for the members of its outermost object. The host writes strict JSON.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct span { const char *start; size_t length; };

// What was answered and is not written yet: one write for all that one read brought.
static char *output;
static size_t output_length, output_room;

static void *grown(void *memory, size_t bytes) {
    void *larger = realloc(memory, bytes);
    if (!larger) exit(1);
    return larger;
}

static void put(const char *text, size_t length) {
    if (output_length + length > output_room)
        output = grown(output, output_room = 2 * (output_length + length));
    memcpy(output + output_length, text, length);
    output_length += length;
}

static void put_text(const char *text) { put(text, strlen(text)); }
static void write_output(void) {
    size_t written = 0;
    while (written < output_length) {
        ssize_t count = write(1, output + written, output_length - written);
        if (count < 0 && errno != EINTR) exit(0);  // the host has gone
        if (count > 0) written += (size_t)count;
    }
    output_length = 0;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
// The first byte after a string, whose quote is at `at`.
static const char *after_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}

// The first byte after a value.
static const char *after_value(const char *at, const char *end) {
    int depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = after_string(at, end);
            if (depth == 0) return at;
            continue;
        }
        int opens = *at == '{' || *at == '[', closes = *at == '}' || *at == ']';
        if (depth == 0 && (closes || *at == ',' || is_space(*at))) return at;
        at++;
        depth += opens - closes;
        if (closes && depth == 0) return at;
    }
    return end;
}

static const char *skip_spaces(const char *at, const char *end) {
    while (at < end && is_space(*at)) at++;
    return at;
}

static int is(struct span text, const char *word) {
    return text.length == strlen(word) && memcmp(text.start, word, text.length) == 0;
}

static void answer(const char *at, const char *end) {
    struct span id = {0}, method = {0}, params = {"{}", 2};
    at = skip_spaces(at, end) + 1;  // after the brace
    while ((at = skip_spaces(at, end)) < end && *at == '"') {
        struct span name = {at, (size_t)(after_string(at, end) - at)};
        at = skip_spaces(skip_spaces(name.start + name.length, end) + 1, end);  // after the colon
        struct span value = {at, (size_t)(after_value(at, end) - at)};
        if (is(name, "\"id\"")) id = value;
        if (is(name, "\"method\"")) method = value;
        if (is(name, "\"params\"")) params = value;
        at = skip_spaces(value.start + value.length, end) + 1;  // after the comma
    }
    if (!id.length) return;  // a notification
    put_text("{\"jsonrpc\":\"2.0\",\"id\":");
    put(id.start, id.length);
    if (is(method, "\"echo\"")) {
        put_text(",\"result\":");
        put(params.start, params.length);
    } else if (is(method, "\"hook.change\"")) {
        put_text(",\"result\":{}");
    } else if (is(method, "\"plugin.hello\"")) {
        put_text(",\"result\":{\"protocol\":1,\"name\":\"Echo\",\"version\":\"1.0.0\"}");
    } else {
        put_text(",\"error\":{\"code\":-32601,\"message\":\"There is no such method.\"}");
    }
    put_text("}\n");
}

int main(void) {
    size_t room = 1 << 16, length = 0;
    char *input = grown(NULL, room);
    for (;;) {
        if (length == room) input = grown(input, room *= 2);
        ssize_t count = read(0, input + length, room - length);
        if (count <= 0) return 0;  // the end, or the host has gone
        char *line = input, *searched = input + length, *newline;
        length += (size_t)count;
        while ((newline = memchr(searched, '\n', (size_t)(input + length - searched)))) {
            answer(line, newline);
            searched = line = newline + 1;
        }
        length -= (size_t)(line - input);
        memmove(input, line, length);
        write_output();
    }
}
