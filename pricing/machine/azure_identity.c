#include "pricing/machine/azure_identity.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "pricing/machine/metadata.h"

#include <ctype.h>
#include <strings.h>

/* NULL if it is not a string. */
static const char *identity_member(const json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
}

static void read_word(char *ret_word, size_t size, const char *value)
{
    if (value)
        metadata_word(ret_word, size, value);
}

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
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, length, 0, &why);

    if (!json_is_object(json))
        return error_set(err, ERROR_UPSTREAM, NULL, "the answer is not a JSON object");
    read_word(identity->instance_type, sizeof identity->instance_type,
              identity_member(json, "vmSize"));
    read_word(identity->region, sizeof identity->region, identity_member(json, "location"));
    read_word(identity->zone, sizeof identity->zone, identity_member(json, "zone"));
    read_word(identity->instance_id, sizeof identity->instance_id, identity_member(json, "vmId"));
    read_priority(identity_member(json, "priority"), identity);
    terms_of_azure(json, identity->terms);
    return true;
}
