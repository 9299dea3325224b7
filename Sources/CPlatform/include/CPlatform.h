// Shims for calls that Swift cannot make: variadic and macro-only calls, the CRC instruction, the original arguments.
#ifndef CPLATFORM_H
#define CPLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "Keeper.h"
#include "TerminalScreen.h"

// The reason for a failed call, read at once: Swift may clobber errno between two statements.
static inline int cplatform_errno(void) { return errno; }

// The program's arguments, its own name first; the count is -1 if the C library does not pass them.
int cplatform_argument_count(void);
char *cplatform_argument(int index);

// The path to start this program again.
const char *cplatform_own_program(void);

// A descriptor that becomes readable when a child ends (Linux 5.3); -1 if there is none.
int cplatform_process_descriptor(int child);

// Widens a pipe; Linux allows an unprivileged process /proc/sys/fs/pipe-max-size; elsewhere this does nothing.
static inline int cplatform_set_pipe_size(int fd, int bytes) {
#ifdef F_SETPIPE_SZ
    return fcntl(fd, F_SETPIPE_SZ, bytes);
#else
    (void)fd; (void)bytes;
    return -1;
#endif
}

// Lets Linux begin to write a range of a file to the disk. It does not wait, and promises nothing.
static inline void cplatform_start_writing(int fd, int64_t offset, int64_t count) {
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(fd, offset, count, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd; (void)offset; (void)count;
#endif
}

// Writes a whole file system to its disk, on Linux the one of `fd`; elsewhere there is no such call, and fsync replaces
// it.
#if defined(__linux__)
extern int syncfs(int fd);
static inline int cplatform_sync_file_system(int fd) { return syncfs(fd); }
#else
extern int fsync(int fd);
static inline int cplatform_sync_file_system(int fd) { return fsync(fd); }
#endif

// Memory that can grow in place or, if it is large, move without a copy; NULL if there is none.
static inline void *cplatform_reallocate(void *memory, size_t count) { return __builtin_realloc(memory, count); }
static inline void cplatform_free(void *memory) { __builtin_free(memory); }

// memchr, which on every system of note reads 16 to 64 bytes a step; -1 if absent.
static inline ptrdiff_t cplatform_find_byte(const void *bytes, int byte, size_t count) {
    const void *found = count ? memchr(bytes, byte, count) : NULL;
    return found ? (const uint8_t *)found - (const uint8_t *)bytes : -1;
}

// Prefetches a cache line; a wrong address does nothing.
static inline void cplatform_prefetch(const void *address) { __builtin_prefetch(address); }

// The end of the run, from `at` on, of plain ASCII in a JSON string: no quote or backslash, control character or byte
// of 0x80 or more. It may stop early, within 16 bytes of `end` and without vectors.
#if defined(__SSE2__)
#include <emmintrin.h>
static inline size_t cplatform_plain_run(const uint8_t *bytes, size_t at, size_t end) {
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(0x20);
    while (end - at >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(bytes + at));
        // Signed comparison: bytes of 0x80 and more are below a space too.
        __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
                                    _mm_cmplt_epi8(v, space));
        unsigned mask = (unsigned)_mm_movemask_epi8(hits);
        if (mask) return at + (size_t)__builtin_ctz(mask);
        at += 16;
    }
    return at;
}

// The first quote or backslash in a valid string, or `end`.
static inline size_t cplatform_known_run(const uint8_t *bytes, size_t at, size_t end) {
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    while (at < end && end - at >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(bytes + at));
        unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
        if (mask) return at + (size_t)__builtin_ctz(mask);
        at += 16;
    }
    if (end - at >= 8) {
        __m128i v = _mm_loadl_epi64((const __m128i *)(bytes + at));
        unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
        if (mask) return at + (size_t)__builtin_ctz(mask);
        at += 8;
    }
    while (at < end && bytes[at] != '"' && bytes[at] != '\\') at++;
    return at;
}

// Where the needle, which is not empty, first stands in the bytes; -1: nowhere. Its first and last byte are looked for at sixteen
// places a step, and compared is where both fit.
static inline ptrdiff_t cplatform_find(const void *in, size_t count, const void *wanted, size_t length) {
    const uint8_t *bytes = (const uint8_t *)in, *needle = (const uint8_t *)wanted;
    if (length > count) return -1;
    const size_t places = count - length + 1;
    const __m128i first = _mm_set1_epi8((char)needle[0]), last = _mm_set1_epi8((char)needle[length - 1]);
    size_t at = 0;
    for (; places - at >= 16; at += 16) {
        __m128i heads = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(bytes + at)), first);
        __m128i tails = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(bytes + at + length - 1)), last);
        unsigned fits = (unsigned)_mm_movemask_epi8(_mm_and_si128(heads, tails));
        for (; fits; fits &= fits - 1) {
            size_t place = at + (size_t)__builtin_ctz(fits);
            if (memcmp(bytes + place, needle, length) == 0) return (ptrdiff_t)place;
        }
    }
    for (; at < places; at++) {
        if (bytes[at] == needle[0] && memcmp(bytes + at, needle, length) == 0) return (ptrdiff_t)at;
    }
    return -1;
}
#else
static inline ptrdiff_t cplatform_find(const void *in, size_t count, const void *wanted, size_t length) {
    const uint8_t *bytes = (const uint8_t *)in, *needle = (const uint8_t *)wanted;
    if (length > count) return -1;
    for (size_t at = 0; at <= count - length; at++) {
        const uint8_t *found = memchr(bytes + at, needle[0], count - length + 1 - at);
        if (!found) return -1;
        at = (size_t)(found - bytes);
        if (memcmp(found, needle, length) == 0) return (ptrdiff_t)at;
    }
    return -1;
}

static inline size_t cplatform_plain_run(const uint8_t *bytes, size_t at, size_t end) {
    (void)bytes; (void)end;
    return at;
}

static inline size_t cplatform_known_run(const uint8_t *bytes, size_t at, size_t end) {
    while (at < end && bytes[at] != '"' && bytes[at] != '\\') at++;
    return at;
}
#endif

// The length of the JSON object with which `bytes` begin, by its brackets and strings alone; 0 if it does not end. For
// 64 bytes at a time it finds the bytes in strings: those after an odd number of quotes. With backslashes it reads them
// one by one.
static inline size_t cplatform_object_length(const void *object, size_t count) {
    const uint8_t *bytes = (const uint8_t *)object;
    size_t at = 0, depth = 0;
    int is_string = 0;
    while (at < count) {
        size_t end = count;
#if defined(__SSE2__)
        if (count - at >= 64) {
            const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), bit = _mm_set1_epi8(0x20);
            const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
            uint64_t quotes = 0, escapes = 0, opens = 0, closes = 0;
            for (int part = 0; part < 4; part++) {
                __m128i v = _mm_loadu_si128((const __m128i *)(bytes + at + 16 * part));
                // With this bit a square bracket is a curly one.
                __m128i bracket = _mm_or_si128(v, bit);
                quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, quote)) << 16 * part;
                escapes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, backslash)) << 16 * part;
                opens |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bracket, open)) << 16 * part;
                closes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bracket, close)) << 16 * part;
            }
            if (!escapes) {
                uint64_t strings = quotes;
                for (int shift = 1; shift < 64; shift *= 2) strings ^= strings << shift;
                if (is_string) strings = ~strings;
                opens &= ~strings;
                closes &= ~strings;
                is_string = (int)(strings >> 63);
                while (closes) {
                    const uint64_t lowest = closes & (~closes + 1);
                    depth += (size_t)__builtin_popcountll(opens & (lowest - 1)) - 1;
                    if (depth == 0) return at + (size_t)__builtin_ctzll(lowest) + 1;
                    opens &= ~(lowest - 1);
                    closes ^= lowest;
                }
                depth += (size_t)__builtin_popcountll(opens);
                at += 64;
                continue;
            }
            end = at + 64;
        }
#endif
        for (; at < end; at++) {
            const uint8_t byte = bytes[at];
            if (is_string) {
                if (byte == '\\') at++;
                else if (byte == '"') is_string = 0;
            } else if (byte == '"') {
                is_string = 1;
            } else if (byte == '{' || byte == '[') {
                depth++;
            } else if ((byte == '}' || byte == ']') && --depth == 0) {
                return at + 1;
            }
        }
    }
    return 0;
}

// CRC-32C by the processor's instruction. The latency of the instruction limits one lane (8 bytes in 3 cycles), so long
// runs use three parallel lanes. A carry-less multiplication with x^(8n-33) mod P (bits reflected) moves a lane's
// result past `n` bytes; one more step reduces the product.
#if defined(__x86_64__)
static inline int cplatform_has_crc_instruction(void) {
    uint32_t a = 1, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return ((c >> 20) & 1) && ((c >> 1) & 1);  // SSE4.2 and PCLMULQDQ
}

#define CPLATFORM_CRC_TARGET __attribute__((target("sse4.2,pclmul")))

CPLATFORM_CRC_TARGET static inline uint64_t cplatform_crc32c_word(uint64_t crc, const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return __builtin_ia32_crc32di(crc, word);
}

CPLATFORM_CRC_TARGET static inline uint64_t cplatform_crc32c_shift(uint64_t crc, uint32_t power) {
    typedef long long pair __attribute__((vector_size(16)));
    pair left = {(long long)crc, 0}, right = {(long long)power, 0};
    pair product = __builtin_ia32_pclmulqdq128(left, right, 0);
    return __builtin_ia32_crc32di(0, (uint64_t)product[0]);
}

CPLATFORM_CRC_TARGET static inline uint32_t cplatform_crc32c_byte(uint32_t crc, uint8_t byte) {
    return __builtin_ia32_crc32qi(crc, byte);
}
#define CPLATFORM_CRC_LANES 1
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
static inline int cplatform_has_crc_instruction(void) { return (getauxval(AT_HWCAP) >> 7) & 1; }  // HWCAP_CRC32
#else
static inline int cplatform_has_crc_instruction(void) { return 1; }
#endif
#define CPLATFORM_CRC_TARGET __attribute__((target("crc")))

CPLATFORM_CRC_TARGET static inline uint64_t cplatform_crc32c_word(uint64_t crc, const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return __builtin_arm_crc32cd((uint32_t)crc, word);
}

CPLATFORM_CRC_TARGET static inline uint32_t cplatform_crc32c_byte(uint32_t crc, uint8_t byte) {
    return __builtin_arm_crc32cb(crc, byte);
}
#endif

#ifdef CPLATFORM_CRC_TARGET
// `seed` and the result are the bare register: the caller inverts at both ends. Only if the instruction exists.
CPLATFORM_CRC_TARGET static inline uint32_t cplatform_crc32c_instruction(
    uint32_t seed, const void *bytes, size_t count) {
    const uint8_t *p = (const uint8_t *)bytes;
    uint64_t crc = seed;
#ifdef CPLATFORM_CRC_LANES
    while (count >= 192) {
        const size_t lane = count >= 3072 ? 1024 : 64;
        const uint32_t power = lane == 1024 ? 0x170076fau : 0x9e4addf8u;
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i < lane; i += 8) {
            crc = cplatform_crc32c_word(crc, p + i);
            second = cplatform_crc32c_word(second, p + lane + i);
            third = cplatform_crc32c_word(third, p + 2 * lane + i);
        }
        second ^= cplatform_crc32c_shift(crc, power);
        crc = third ^ cplatform_crc32c_shift(second, power);
        p += 3 * lane;
        count -= 3 * lane;
    }
#endif
    while (count >= 8) {
        crc = cplatform_crc32c_word(crc, p);
        p += 8;
        count -= 8;
    }
    uint32_t narrow = (uint32_t)crc;
    while (count--) narrow = cplatform_crc32c_byte(narrow, *p++);
    return narrow;
}
#else
static inline int cplatform_has_crc_instruction(void) { return 0; }
static inline uint32_t cplatform_crc32c_instruction(uint32_t seed, const void *bytes, size_t count) {
    (void)bytes; (void)count;
    return seed;  // never called: cplatform_has_crc_instruction says no
}
#endif

// Handles SIGTERM, SIGINT and SIGHUP: the first one is recorded, writes to the pipe `writer`, and sets a limit: if the
// process still exists after `milliseconds`, it writes its last words to stderr and exits with `code`.
void cplatform_install_interruption(int writer, int milliseconds, const char *last_words, int code);
// Cancels the limit.
void cplatform_end_interruption(void);

// Time of the first of these signals, in milliseconds of the monotonic clock; 0 if none has come. Set by the handler,
// read by all threads.
extern int64_t cplatform_interruption;
static inline int64_t cplatform_interruption_time(void) {
    return __atomic_load_n(&cplatform_interruption, __ATOMIC_RELAXED);
}

// Starting and talking to other programs, and to a user's terminal.
#include <sys/ioctl.h>

extern char **environ;
static inline char **cplatform_environ(void) { return environ; }

// Closes descriptors that were never marked close-on-exec (a parent's leak) in a started program; without the call, the
// mark alone must do. <spawn.h> stays out: under _GNU_SOURCE it defines fd_set differently from Swift's own C library
// module.
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))
extern int cplatform_posix_spawn_close_from(void *actions, int lowest)
    __asm__("posix_spawn_file_actions_addclosefrom_np");
static inline int cplatform_spawn_close_from(void *actions, int lowest) {
    return cplatform_posix_spawn_close_from(actions, lowest);
}
#else
static inline int cplatform_spawn_close_from(void *actions, int lowest) {
    (void)actions; (void)lowest;
    return 0;
}
#endif

// The flag of posix_spawn for a session of the program's own (POSIX_SPAWN_SETSID).
#ifdef __APPLE__
static const short cplatform_spawn_session = 0x400;
#else
static const short cplatform_spawn_session = 0x80;
#endif

// The width of a descriptor's terminal; 0 without a terminal or an answer. ioctl is variadic.
static inline int cplatform_terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// The height of a descriptor's terminal in lines, likewise.
static inline int cplatform_terminal_lines(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

#endif
