// A terminal that a program draws on, and that comes back as it was whatever ends the program.

#ifndef CPLATFORM_TERMINAL_SCREEN_H
#define CPLATFORM_TERMINAL_SCREEN_H

#include <stddef.h>

/// Takes the terminal of a descriptor: keys come at once and unseen, and the signals that end or break the program first write
/// `leave` and set the terminal back. Returns a descriptor that becomes readable when the size changes or the program
/// goes on after a stop, or -1 with errno.
int cplatform_screen_enter(int fd, const char *leave, size_t length);

/// Sets the terminal back. What `leave` holds is not written.
void cplatform_screen_leave(void);

/// Stops the program as Ctrl-Z does, and returns when it goes on.
void cplatform_screen_stop(void);

#endif
