// A terminal that a program draws on, restored however the program ends.

#ifndef CPLATFORM_TERMINAL_SCREEN_H
#define CPLATFORM_TERMINAL_SCREEN_H

#include <stddef.h>

/// Takes over the terminal of a descriptor: keys come singly and without echo, and the signals that end or break the
/// program first write `leave` and restore the terminal. Returns a descriptor that becomes readable when the size
/// changes or the program goes on after a stop, or -1 with errno.
int cplatform_screen_enter(int fd, const char *leave, size_t length);

/// Restores the terminal without writing `leave`.
void cplatform_screen_leave(void);

/// Stops the program as Ctrl-Z does, and returns when it goes on.
void cplatform_screen_stop(void);

#endif
