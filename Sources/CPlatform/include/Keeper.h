// The process that keeps a plugin, and how it is started. Part of CPlatform.h.
//
// The host starts the keeper with four descriptors: the plugin's stdin, stdout and stderr, and a socket to the host.
// What to start comes over the socket: the length in four bytes, the lowest first, and then pairs of texts, a name and a value,
// each with a NUL after it (Keeper.c lists the names). After that the host sends single bytes: 't' is SIGTERM for the plugin and
// for all that it started. The end of the stream is SIGKILL for all of them. The keeper answers with lines, members with a tab
// between them: `refused` and a reason; or `started`, a process id and five members `PART=` (enforced; what is declared has the
// reason there), and later `ended`, `exited` or `signalled`, and a number. After `refused` and `ended` the keeper ends.
#ifndef CPLATFORM_KEEPER_H
#define CPLATFORM_KEEPER_H

#include <stdint.h>
#include <stddef.h>

// The hidden first argument of a program that is to keep.
#define CPLATFORM_KEEPER_ARGUMENT "--keep-plugin"

// How the keeper stands to the processes that it keeps: its second argument, as a digit.
enum cplatform_keeper_place {
    cplatform_keeper_bare,             // they are its descendants, and it has to look for them; the third argument, an errno, says why
    cplatform_keeper_namespaces,       // it is process 1 of namespaces of its own: none is left when it has ended
    cplatform_keeper_user_namespace,   // the same, and it is in a user namespace of its own
};

// Starts a keeper. `descriptors` are four of 4 or higher, which become its 0 to 3; it gets no other. At most `processes` may be
// in its namespace, where the kernel counts there. Safe beside other threads: only the calling one waits, until the program runs.
// The keeper ends when that thread does. Its id; -1 and errno: it could not be started.
int cplatform_start_keeper(
    const char *program, const int descriptors[4], int64_t processes, enum cplatform_keeper_place *place);

// Keeps: what `main` does in a program that was started so.
_Noreturn void cplatform_keep(int count, char **arguments);

// A pipe, reading end first, and a stream socket pair, in which 64 KiB have room before anybody reads: close-on-exec and of 4 or
// higher. -1 and errno.
int cplatform_keeper_pipe(int ends[2]);
int cplatform_keeper_sockets(int ends[2]);
// Sends or receives without waiting and without SIGPIPE; as send(2) and recv(2).
ptrdiff_t cplatform_keeper_send(int socket, const void *bytes, size_t count);
ptrdiff_t cplatform_keeper_receive(int socket, void *bytes, size_t count);
// Nothing more is sent: the keeper kills all.
void cplatform_keeper_hang_up(int socket);

#endif
