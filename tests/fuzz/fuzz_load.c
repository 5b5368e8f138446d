/* Property: whatever stands in /proc/PID/stat, what is read of it has counts that can be added
 * up, and a name of one printable line. */
#include "common/cleanup.h"
#include "common/text.h"
#include "engine/machine/load_reading.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = fuzz_text(data, size);
    struct load_process process;

    if (!load_read_process(text, &process))
        return 0;
    ALWAYS(process.pid > 0);
    ALWAYS(process.parent >= 0 && process.started >= 0 && process.processor >= 0);
    ALWAYS(process.ticks >= 0 && process.child_ticks >= 0);
    ALWAYS(strlen(process.name) < LOAD_NAME_SIZE);
    ALWAYS(text_is_utf8(process.name, strlen(process.name)));
    ALWAYS(text_is_clean(process.name, strlen(process.name)));
    return 0;
}
