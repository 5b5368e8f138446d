/* Property: whatever the kernel's small files hold, readers stay within them: numbers of a list
 * are processors that could be, a number read is one or what was to stand for none. */
#include "common/cleanup.h"
#include "engine/machine/proc.h"
#include "engine/machine/topology.h"
#include "tests/fuzz/fuzz.h"

static void check_number(void *user, int number)
{
    long *count = user;

    ALWAYS(number >= 0 && number < PROCESSORS_MAX);
    ++*count;
}

static void check_lines(char *text, size_t length, const char *name)
{
    if (length == 0)
        return;
    long long number = proc_number_in(fmemopen(text, length, "r"), name, -77);
    long long again = proc_number_in(fmemopen(text, length, "r"), name, -77);

    ALWAYS(number == again);
}

FUZZ(data, size)
{
    AUTO(freep) char *text = fuzz_text(data, size);
    long count = 0;

    if (size > 256) /* a list of 0-1023 a hundred times over says nothing new */
        return;
    topology_list(text, check_number, &count);
    ALWAYS(count <= (long)(size + 1) * PROCESSORS_MAX);
    check_lines(text, strlen(text), NULL);
    check_lines(text, strlen(text), "nr_throttled ");
    check_lines(text, strlen(text), "nonvoluntary_ctxt_switches:");
}
