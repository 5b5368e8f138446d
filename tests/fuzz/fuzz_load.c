/* Property: whatever stands in /proc/PID/stat, what is read of it has counts that can be added
 * up, and a name of one printable line. */
#include "common/cleanup.h"
#include "common/text.h"
#include "engine/machine/load_reading.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

FUZZ_TEXT(text)
{
    struct load_process process;

    if (!load_read_process(text, &process))
        return;
    ALWAYS(process.pid > 0);
    ALWAYS(process.parent >= 0 && process.started >= 0 && process.processor >= 0);
    ALWAYS(process.ticks >= 0 && process.child_ticks >= 0);
    ALWAYS(strlen(process.name) < LOAD_NAME_SIZE);
    ALWAYS(text_is_utf8(process.name, strlen(process.name)));
    ALWAYS(text_is_clean(process.name, strlen(process.name)));
}
