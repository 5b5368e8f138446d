/* Property: whatever Azure answers, each member is a word of allowed letters that fits, or empty;
 * a life cycle is in small letters; and what is no document changes nothing. */
#include "pricing/machine/azure_identity.h"

#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>

static void check_word(const char *word, size_t size)
{
    ALWAYS(memchr(word, '\0', size) != NULL);
    for (; *word; word++)
        ALWAYS(isascii(*word) && (isalnum((unsigned char)*word) || strchr("._-", *word)));
}

FUZZ(data, size)
{
    static const struct identity nothing;
    struct identity identity = {.note = ""};
    struct error err = {0};

    if (!azure_identity_read((const char *)data, size, &identity, &err)) {
        ALWAYS(memcmp(&identity, &nothing, sizeof identity) == 0);
        ALWAYS(strcmp(err.message, "the answer is not a JSON object") == 0);
        return;
    }
    ALWAYS(err.kind == ERROR_NONE);
    check_word(identity.instance_type, sizeof identity.instance_type);
    check_word(identity.region, sizeof identity.region);
    check_word(identity.zone, sizeof identity.zone);
    check_word(identity.life_cycle, sizeof identity.life_cycle);
    for (const char *c = identity.life_cycle; *c; c++)
        ALWAYS(!isupper((unsigned char)*c));
    ALWAYS(memchr(identity.terms, '\0', sizeof identity.terms) != NULL);
    ALWAYS(!identity.zone_id[0] && !identity.partition[0] && !identity.note[0]);
}
