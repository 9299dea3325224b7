// Shared code of this folder's plugins: a line of the host, and the members of its outermost object.

#ifndef LINE_H
#define LINE_H

#include <stddef.h>
#include <string.h>

struct span { const char *start; size_t length; };

// The first byte after the string whose quote is at `at`.
static inline const char *after_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}

// The value of a member of the object that begins the text, without spaces around it; length 0 if there is none.
static inline struct span member(struct span object, const char *name) {
    const char *at = object.start, *end = object.start + object.length, *value = NULL;
    size_t length = strlen(name);
    int depth = 0, is_name = 1, is_found = 0;
    for (; at < end; at++) {
        if (*at == '"') {
            const char *next = after_string(at, end);
            if (depth == 1 && is_name) is_found = (size_t)(next - at) == length + 2 && memcmp(at + 1, name, length) == 0;
            at = next - 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (depth == 1 && *at == ':') {
            is_name = 0;
            value = at + 1;
        } else if (*at == ',' || *at == '}' || *at == ']') {
            if (depth == 1 && is_found && value) {
                while (value < at && (*value == ' ' || *value == '\t')) value++;
                while (at > value && (at[-1] == ' ' || at[-1] == '\t')) at--;
                return (struct span){value, (size_t)(at - value)};
            }
            if (depth == 1) is_name = 1;
            if (*at != ',') depth--;
        }
    }
    return (struct span){end, 0};
}

static inline int is_text(struct span text, const char *word) {
    return text.length == strlen(word) && memcmp(text.start, word, text.length) == 0;
}

#endif
