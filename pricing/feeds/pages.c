#include "pricing/feeds/pages.h"

#include "common/cleanup.h"
#include "common/hash.h"

bool pages_go_on(struct pages *pages, const char *name, struct error *err)
{
    uint64_t hash = hash_part(HASH_START, name);

    for (size_t i = 0; i < pages->count; i++)
        if (pages->seen[i] == hash)
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "its pages go in circles: page %zu leads back to one that was read",
                             pages->count);
    if (pages->count == PAGES_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "it has more than %d pages", PAGES_MAX);
    pages->seen[pages->count++] = hash;
    return true;
}

bool pages_text(const struct split_element *element, char *ret_text, size_t size,
                struct error *err)
{
    AUTO(json_decrefp) json_t *json = source_json(element->json, element->length, NULL);
    const char *text = json_is_null(json) ? "" : json_string_value(json);

    if (!text)
        return error_set(err, ERROR_UPSTREAM, NULL, "there is no text where one must be");
    if (strlen(text) >= size)
        return error_set(err, ERROR_UPSTREAM, NULL, "a text has more than %zu bytes", size - 1);
    snprintf(ret_text, size, "%s", text);
    return true;
}
