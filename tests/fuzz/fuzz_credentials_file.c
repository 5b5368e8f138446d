/* Property: however the bytes of a shared file are cut, the same comes out; a pair is whole, of
 * allowed letters, and stood in the file; a message tells nothing but a line and a profile; and
 * no key stays behind. */
#include "pricing/machine/credentials_file.h"

#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

struct outcome {
    enum credentials_result result;
    struct credentials found;
    struct error err;
};

static void read_in_pieces(const uint8_t *data, size_t size, size_t piece,
                           struct outcome *outcome)
{
    static struct credentials_file file;

    *outcome = (struct outcome){.found = {.id = ""}};
    credentials_file_begin(&file, "default");
    for (size_t at = 0; at < size; at += piece)
        credentials_file_feed(&file, (const char *)data + at,
                              piece < size - at ? piece : size - at);
    outcome->result = credentials_file_end(&file, &outcome->found, &outcome->err);
    ALWAYS(!file.found.id[0] && !file.found.secret[0] && !file.found.token[0] && !file.line[0]);
}

static void check_key(const char *key, const uint8_t *data, size_t size)
{
    ALWAYS(memmem(data, size, key, strlen(key)) != NULL);
    for (const char *c = key; *c; c++)
        ALWAYS(*c > 0x20 && *c <= 0x7e && *c != '"' && *c != '\'');
}

/* The message has only our own words. */
static void check_message(const struct error *err)
{
    static const char *const endings[] = {
        " has a key that was there already",
        " has a key that is too long, or has in it what no key has",
        " is neither a profile nor a name with a value",
        " goes on with a key, which must be on one line",
        " is too long",
        " has no aws_access_key_id",
        " has no aws_secret_access_key",
    };
    const char *middle = strstr(err->message, " of the shared file");
    bool known = false;

    ALWAYS(err->kind == ERROR_INVALID && middle != NULL);
    for (size_t i = 0; i < COUNT(endings); i++)
        known = known || strcmp(middle + strlen(" of the shared file"), endings[i]) == 0;
    ALWAYS(known);
    ALWAYS(strncmp(err->message, "line ", 5) == 0 ||
           strncmp(err->message, "the profile \"default\" of", 24) == 0);
}

FUZZ(data, size)
{
    static const size_t pieces[] = {1, 2, 7, 4351};
    static struct outcome whole, cut;

    read_in_pieces(data, size, size ? size : 1, &whole);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        read_in_pieces(data, size, pieces[i], &cut);
        ALWAYS(memcmp(&whole, &cut, sizeof whole) == 0);
    }
    ALWAYS((whole.found.id[0] != '\0') == (whole.result == CREDENTIALS_FOUND));
    ALWAYS((whole.found.secret[0] != '\0') == (whole.result == CREDENTIALS_FOUND));
    if (whole.result == CREDENTIALS_FOUND) {
        check_key(whole.found.id, data, size);
        check_key(whole.found.secret, data, size);
        check_key(whole.found.token, data, size);
    } else if (whole.result == CREDENTIALS_WRONG) {
        check_message(&whole.err);
    }
}
