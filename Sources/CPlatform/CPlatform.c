#include "CPlatform.h"

#include <stddef.h>

// Swift's runtime looks for the arguments in /proc, and where that cannot be read it has none: a host that was told which
// store to open would then open another one. glibc and Apple's library hand them to initialisers.
#if defined(__GLIBC__) || defined(__APPLE__)
static int argument_count;
static char **argument_values;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    argument_values = values;
}

int cplatform_argument_count(void) { return argument_count; }
char *cplatform_argument(int index) { return index < argument_count ? argument_values[index] : NULL; }
#else
int cplatform_argument_count(void) { return -1; }
char *cplatform_argument(int index) {
    (void)index;
    return NULL;
}
#endif
