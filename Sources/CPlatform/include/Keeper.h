// The process that supervises a plugin, and its start. Part of CPlatform.h.
//
// The host starts the keeper with four descriptors: the plugin's stdin, stdout and stderr, and a socket to the host.
// The plan comes over the socket: the length in four bytes, the lowest first, then pairs of texts, a name and a value,
// each with a NUL after it (KeeperPlan.c has the names). After that the host sends single bytes: 't' is SIGTERM for the
// plugin and its descendants. The end of the stream is SIGKILL for all of them. The keeper answers with lines of
// members separated by tabs: `refused` and a reason; or `started`, a process id and five members `PART=` (followed by
// the reason if the part is not enforced), and later `ended`, `exited` or `signalled`, and a number. After `refused`
// and `ended` the keeper ends.
#ifndef CPLATFORM_KEEPER_H
#define CPLATFORM_KEEPER_H

#include <stdint.h>
#include <stddef.h>

// The hidden first argument of a keeper.
#define CPLATFORM_KEEPER_ARGUMENT "--keep-plugin"

// The keeper's relation to its processes: its second argument, as a digit.
enum cplatform_keeper_place {
    cplatform_keeper_bare,             // they are its descendants, which it finds in /proc; argument 3: why, an errno
    cplatform_keeper_namespaces,       // it is process 1 of its own namespaces: all end with it
    cplatform_keeper_user_namespace,   // it has its own namespaces, including a user namespace
};

// Starts a keeper. `descriptors` are four of 4 or higher, which become its 0 to 3; it gets no other. At most
// `processes` may be in its namespace, if the kernel counts there. Safe with other threads: only the calling one waits,
// until the program runs. The keeper ends with that thread. Returns its id, or -1 with errno.
int cplatform_start_keeper(
    const char *program, const int descriptors[4], int64_t processes, enum cplatform_keeper_place *place);

// Runs the keeper: the whole `main` of a program started as one.
_Noreturn void cplatform_keep(int count, char **arguments);

// Makes a pipe, reading end first, or a stream socket pair with room for 64 KiB without a reader: close-on-exec and of
// 4 or higher. -1 with errno.
int cplatform_keeper_pipe(int ends[2]);
int cplatform_keeper_sockets(int ends[2]);
// Sends or receives without waiting and without SIGPIPE; as send(2) and recv(2).
ptrdiff_t cplatform_keeper_send(int socket, const void *bytes, size_t count);
ptrdiff_t cplatform_keeper_receive(int socket, void *bytes, size_t count);
// Ends the stream to the keeper, which then kills all its processes.
void cplatform_keeper_hang_up(int socket);

#endif
