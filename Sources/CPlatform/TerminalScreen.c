#include "TerminalScreen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// The handlers use only functions that POSIX calls async-signal-safe: tcsetattr, write, raise.
static struct termios saved;
static int terminal = -1;
static char farewell[512];
static size_t farewell_length;
static int notice[2] = {-1, -1};

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
enum { endings = sizeof ending / sizeof ending[0] };

static void set_back(void) {
    if (terminal < 0) return;
    tcsetattr(terminal, TCSANOW, &saved);
}

// SA_RESETHAND removes the handler before it runs, so that the signal, raised again, ends the program as usual.
static void end(int number) {
    int code = errno;
    set_back();
    if (terminal >= 0 && write(terminal, farewell, farewell_length) < 0) { /* Nothing more can be done. */ }
    errno = code;
    raise(number);
}

static void tell(int number) {
    (void)number;
    int code = errno;
    if (notice[1] >= 0 && write(notice[1], "!", 1) < 0) { /* The pipe is full: it is readable. */ }
    errno = code;
}

static void hear(int number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

int cplatform_screen_enter(int fd, const char *leave, size_t length) {
    if (length > sizeof farewell) { errno = EINVAL; return -1; }
    if (tcgetattr(fd, &saved) != 0) return -1;
    if (notice[0] < 0) {
        if (pipe(notice) != 0) return -1;
        for (int end = 0; end < 2; end++) {
            fcntl(notice[end], F_SETFD, FD_CLOEXEC);
            fcntl(notice[end], F_SETFL, O_NONBLOCK);
        }
    }
    memcpy(farewell, leave, length);
    farewell_length = length;
    terminal = fd;
    for (int index = 0; index < endings; index++) hear(ending[index], end, SA_RESETHAND);
    hear(SIGWINCH, tell, 0);
    hear(SIGCONT, tell, 0);
    struct termios raw = saved;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cflag |= CS8;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(fd, TCSAFLUSH, &raw) != 0) {
        cplatform_screen_leave();
        return -1;
    }
    return notice[0];
}

void cplatform_screen_leave(void) {
    set_back();
    terminal = -1;
    for (int index = 0; index < endings; index++) hear(ending[index], SIG_DFL, 0);
    hear(SIGWINCH, SIG_DFL, 0);
    hear(SIGCONT, SIG_DFL, 0);
}

void cplatform_screen_stop(void) {
    raise(SIGTSTP);
}
