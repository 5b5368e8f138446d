#include "pricing/azure_identity.h"

#include "common/cleanup.h"
#include "pricing/metadata.h"
#include "pricing/source.h"

#include <ctype.h>
#include <strings.h>

static void read_priority(const char *priority, struct identity *identity)
{
    if (!priority)
        return;
    if (!*priority || strcasecmp(priority, "Regular") == 0)
        METADATA_WORD(identity->life_cycle, "on_demand");
    else if (METADATA_WORD(identity->life_cycle, priority))
        for (char *c = identity->life_cycle; *c; c++)
            *c = (char)tolower((unsigned char)*c);
}

bool azure_identity_read(const char *text, size_t length, struct identity *identity,
                         struct error *err)
{
    json_error_t why = {.line = 0};
    AUTO(json_decrefp) json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);

    if (!json && (!why.text[0] || json_error_code(&why) == json_error_out_of_memory))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    if (!json_is_object(json))
        return error_set(err, ERROR_UPSTREAM, NULL, "it answers with what is no JSON object");
    METADATA_WORD(identity->instance_type, source_text(json, "vmSize"));
    METADATA_WORD(identity->region, source_text(json, "location"));
    METADATA_WORD(identity->zone, source_text(json, "zone"));
    read_priority(json_string_value(json_object_get(json, "priority")), identity);
    return true;
}
