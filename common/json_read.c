#include "common/json_read.h"

#include <stdlib.h>

/* Whether malloc() has failed for jansson in this thread since json_read() set it to false.
 * Without memory jansson may report no reason, or even succeed with a text or a number that lacks
 * a character: a price that is wrong. */
static _Thread_local bool was_refused;

static void *watched_malloc(size_t size)
{
    void *memory = malloc(size);

    was_refused |= !memory;
    return memory;
}

/* The process decides here, before its first thread, how jansson allocates: another thread may
 * not change it while jansson runs. */
__attribute__((constructor)) static void watch_memory(void)
{
    json_set_alloc_funcs(watched_malloc, free);
}

json_t *json_read(const char *text, size_t length, size_t flags, json_error_t *ret_why,
                  struct error *err)
{
    json_t *json;

    *ret_why = (json_error_t){.line = 0};
    was_refused = false;
    json = json_loadb(text, length, flags | JSON_REJECT_DUPLICATES, ret_why);
    /* Tests set allocators of their own: then only jansson's own report is left. */
    if (!was_refused &&
        (json || (ret_why->text[0] && json_error_code(ret_why) != json_error_out_of_memory)))
        return json;
    json_decref(json);
    ret_why->text[0] = '\0';
    error_no_memory(err);
    return NULL;
}
