#include "common/json_text.h"

#include "common/cleanup.h"

/* Fractions as people write them: 0.1, not 0.10000000000000001. */
#define FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(15))

char *json_text(const json_t *json)
{
    /* json_dumps() of jansson 2.14 leaves a key out when its buffer cannot grow for it. */
    size_t size = json ? json_dumpb(json, NULL, 0, FORMAT) : 0;
    AUTO(freep) char *text = size > 0 ? malloc(size + 1) : NULL;

    if (!text || json_dumpb(json, text, size, FORMAT) != size)
        return NULL;
    text[size] = '\0';
    return take(&text);
}
