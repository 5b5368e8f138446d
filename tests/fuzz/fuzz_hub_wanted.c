/* Property: an answer is a list of specs that this version runs, each with clean words, or it is
 * odd and changes nothing. */
#include "common/text.h"
#include "engine/spec/run_spec_text.h"
#include "server/hub/hub_wanted.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

FUZZ(data, size)
{
    const struct hub_answer answer = {"application/json", (const char *)data, size};
    struct hub_wanted wanted = {.count = 77};
    struct error err = {0};

    if (!hub_wanted_read(&answer, &wanted, &err)) {
        ALWAYS(err.kind == ERROR_UPSTREAM && err.message[0] && wanted.count == 77);
        return;
    }
    ALWAYS(wanted.count <= HUB_WANTED_MAX);
    for (size_t i = 0; i < wanted.count; i++) {
        char *text = run_spec_to_text(&wanted.list[i]);
        struct run_spec again;

        ALWAYS(text && run_spec_from_text(text, strlen(text), &again, NULL));
        ALWAYS(wanted.list[i].label_count == 0);
        ALWAYS(text_is_utf8(wanted.words[i], strlen(wanted.words[i])));
        free(text);
    }
}
