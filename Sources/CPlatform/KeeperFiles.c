// Landlock rules for the files that a plugin and its descendants can open (Linux 5.13,
// Documentation/userspace-api/landlock.rst).
//
// Rules only add: an access without a rule is refused. Landlock does not cover chmod and the like (see KeeperCalls.c),
// and does not hide that a file exists.
#include "KeeperParts.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>

// Copied from <linux/landlock.h> of 6.12; older ones lack some. The numbers are equal on every processor.
enum {
    call_create_ruleset = 444,
    call_add_rule = 445,
    call_restrict_self = 446,
    rule_path = 1,
    version_flag = 1,
};

#define RIGHT(bit) (UINT64_C(1) << (bit))
static const uint64_t right_execute = RIGHT(0), right_write = RIGHT(1), right_read = RIGHT(2), right_read_directory = RIGHT(3),
    right_make_character_device = RIGHT(6), right_make_block_device = RIGHT(11), right_refer = RIGHT(13),
    right_truncate = RIGHT(14), right_device_control = RIGHT(15);
static const uint64_t network_rights = RIGHT(0) | RIGHT(1), scopes = RIGHT(0) | RIGHT(1);

struct ruleset {
    uint64_t files, network, scopes;
};

struct path_rule {
    uint64_t rights;
    int32_t parent;
} __attribute__((packed));

struct rules {
    int set;
    uint64_t handled;
    struct outcome *outcome;
};

// Adds a rule for a path. A path that does not exist or is unreachable anyway needs none.
static bool allow(const struct rules *rules, const char *path, uint64_t rights, bool must_exist) {
    const int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) {
        const bool is_absent = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP;
        return (is_absent && !must_exist) || keeper_failed(rules->outcome, "cannot open", path);
    }
    struct stat facts;
    bool is_done = fstat(file, &facts) == 0;
    if (is_done) {
        if (!S_ISDIR(facts.st_mode)) rights &= right_execute | right_write | right_read | right_truncate;
        const struct path_rule rule = {.rights = rights & rules->handled, .parent = file};
        is_done = rule.rights == 0 || syscall(call_add_rule, rules->set, rule_path, &rule, 0) == 0;
    }
    if (!is_done) keeper_failed(rules->outcome, "no rule for", path);
    close(file);
    return is_done;
}

static bool allow_all(const struct rules *rules, char *const *paths, uint64_t rights) {
    for (; *paths; paths++) {
        if (!allow(rules, *paths, rights, false)) return false;
    }
    return true;
}

static bool allow_plan(const struct rules *rules, const struct plan *plan) {
    static char *const programs[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", NULL};
    static char *const settings[] = {
        "/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts",
        "/etc/resolv.conf", "/etc/ssl/openssl.cnf", "/etc/ssl/certs", "/etc/fonts", "/etc/gitconfig", NULL};
    // For reading only. /dev/zero is not writable, because no limit counts the memory of a shared mapping of it.
    static char *const sources[] = {"/dev/zero", "/dev/random", "/dev/urandom", NULL};
    const uint64_t reading = right_read | right_read_directory, running = reading | right_execute;
    const uint64_t writing = rules->handled
        & ~(right_execute | right_make_character_device | right_make_block_device | right_device_control);
    return allow(rules, plan->directory, running, true) && allow_all(rules, programs, running)
        && allow_all(rules, plan->runtimes.words, running) && allow_all(rules, settings, reading)
        && allow_all(rules, sources, right_read) && allow(rules, "/dev/null", right_read | right_write, false)
        && allow_all(rules, plan->readable.words, reading) && allow_all(rules, plan->writable.words, writing)
        && (!plan->data || allow(rules, plan->data, plan->is_data_read_only ? reading : writing, true));
}

bool keeper_confine_files(const struct plan *plan, struct outcome *outcome) {
    const long version = syscall(call_create_ruleset, NULL, 0, version_flag);
    if (version < 3) {
        // An older version cannot prevent truncation.
        outcome->declared[part_files] = "no Landlock of version 3 (Linux 6.2)";
        if (version < 1) return true;
    }
    struct ruleset ruleset = {.files = right_refer - 1};
    if (version >= 2) ruleset.files |= right_refer;
    if (version >= 3) ruleset.files |= right_truncate;
    if (version >= 4 && !plan->has_network) ruleset.network = network_rights;
    if (version >= 5) ruleset.files |= right_device_control;
    if (version >= 6) ruleset.scopes = scopes;
    const int set = (int)syscall(call_create_ruleset, &ruleset, sizeof ruleset, 0);
    if (set < 0) return keeper_failed(outcome, "landlock_create_ruleset", NULL);
    const struct rules rules = {.set = set, .handled = ruleset.files, .outcome = outcome};
    bool is_done = allow_plan(&rules, plan);
    if (is_done && syscall(call_restrict_self, set, 0) != 0) is_done = keeper_failed(outcome, "landlock_restrict_self", NULL);
    close(set);
    return is_done;
}

#else
bool keeper_confine_files(const struct plan *plan, struct outcome *outcome) {
    (void)plan;
    outcome->declared[part_files] = "this system is not Linux";
    return true;
}
#endif
