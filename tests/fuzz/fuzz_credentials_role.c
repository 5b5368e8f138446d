/* Property: keys of a role are all there, valid and not yet ended, or none is; and a refusal is
 * one of a few fixed sentences, whatever the answer was. */
#include "pricing/machine/credentials_role.h"

#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

#define NOW 1785888000000000

static void check_key(const char *key)
{
    ALWAYS(*key != '\0');
    for (const char *c = key; *c; c++)
        ALWAYS(*c > 0x20 && *c <= 0x7e && *c != '"' && *c != '\'');
}

static void check_message(const struct error *err)
{
    static const char *const sentences[] = {"the answer is not a JSON object",
                                            "the answer says that there are no credentials now",
                                            "the answer does not say when the credentials expire",
                                            "the credentials in the answer have expired",
                                            "the answer lacks a part of the credentials"};
    bool known = false;

    for (size_t i = 0; i < COUNT(sentences); i++)
        known = known || strcmp(err->message, sentences[i]) == 0;
    ALWAYS(known && err->kind == ERROR_UPSTREAM);
}

FUZZ(data, size)
{
    static struct credentials found, untouched;
    struct error err = {0};
    long long until_us = -7;

    memset(&found, 0, sizeof found);
    if (credentials_role_read((const char *)data, size, NOW, &found, &until_us, &err)) {
        ALWAYS(until_us > NOW && err.kind == ERROR_NONE);
        check_key(found.id);
        check_key(found.secret);
        check_key(found.token);
    } else {
        ALWAYS(memcmp(&found, &untouched, sizeof found) == 0 && until_us == -7);
        check_message(&err);
    }
}
