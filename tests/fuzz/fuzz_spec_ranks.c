/* Property: what is left of a spec is JSON of one line without the member, which reads again to
 * itself where one rank was started; a refusal says why. */
#include "common/cleanup.h"
#include "engine/spec/spec_ranks.h"
#include "tests/fuzz/fuzz.h"

FUZZ(data, size)
{
    for (int started = 1; started <= 2; started++) {
        struct error err = {0};
        AUTO(freep)
        char *rest = spec_without_ranks((const char *)data, size, started, &err), *again = NULL;

        if (!rest) {
            ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
            continue;
        }
        ALWAYS(!strchr(rest, '\n'));
        again = spec_without_ranks(rest, strlen(rest), 1, &err);
        ALWAYS(again && strcmp(again, rest) == 0);
        freep(&again);
    }
}
