/* Tested by tests/pricing/machine/credentials_test.c. */
#include "pricing/machine/credentials_role.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "pricing/feeds/source.h"
#include "pricing/machine/credentials_file.h"
#include "pricing/machine/metadata.h"
#include "pricing/parse_time.h"

#define FOLDER "/latest/meta-data/iam/security-credentials/"
#define ANSWER_MAX 8192
#define ROLE_MAX 64 /* AWS gives no longer names */

static bool read_key(char *member, size_t size, const char *value)
{
    return *value && credentials_word(member, size, value);
}

bool credentials_role_read(const char *text, size_t length, long long now_us,
                           struct credentials *ret_credentials, long long *ret_until_us,
                           struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, length, 0, &why);
    struct credentials found;
    const char *code = source_text(json, "Code");
    long long until_us;
    bool ok;

    /* jansson's message quotes it. */
    if (!json_is_object(json))
        return error_set(err, ERROR_UPSTREAM, NULL, "the answer is not a JSON object");
    if (*code && strcmp(code, "Success") != 0)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the answer says that there are no credentials now");
    if (!parse_time(source_text(json, "Expiration"), &until_us))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the answer does not say when the credentials expire");
    if (until_us <= now_us)
        return error_set(err, ERROR_UPSTREAM, NULL, "the credentials in the answer have expired");
    ok = read_key(found.id, sizeof found.id, source_text(json, "AccessKeyId")) &&
         read_key(found.secret, sizeof found.secret, source_text(json, "SecretAccessKey")) &&
         read_key(found.token, sizeof found.token, source_text(json, "Token"));
    if (ok) {
        *ret_credentials = found;
        *ret_until_us = until_us;
    } else {
        error_set(err, ERROR_UPSTREAM, NULL, "the answer lacks a part of the credentials");
    }
    explicit_bzero(&found, sizeof found);
    return ok;
}

/* The first line of the list, which in truth has no other. */
static bool is_role(char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    for (const char *c = text; *c; c++)
        if (*c <= 0x20 || *c > 0x7e)
            return false;
    return *text && strlen(text) <= ROLE_MAX;
}

/* The path of the role's keys, with its name made safe; false when there is no room. */
static bool make_path(const char *role, char *ret_path, size_t size)
{
    struct fetch_request request = {.url = FOLDER};

    return fetch_url_value(&request, role) &&
           (size_t)snprintf(ret_path, size, "%s", request.url) < size;
}

static enum credentials_result ask_role(struct metadata *service,
                                        const struct credentials_question *question,
                                        struct credentials *ret_credentials,
                                        long long *ret_until_us, struct error *err)
{
    char role[METADATA_WORD_MAX], path[sizeof FOLDER + 3 * ROLE_MAX], text[ANSWER_MAX];
    enum metadata_result result = metadata_get(service, FOLDER, role, sizeof role, err);
    bool ok;

    if (result == METADATA_ABSENT || (result == METADATA_TOLD && !role[0]))
        return CREDENTIALS_NONE;
    if (result == METADATA_FAILED)
        return CREDENTIALS_WRONG;
    if (!is_role(role) || !make_path(role, path, sizeof path)) {
        error_set(err, ERROR_UPSTREAM, NULL, "the answer is not the name of a role");
        return CREDENTIALS_WRONG;
    }
    result = metadata_get(service, path, text, sizeof text, err);
    if (result == METADATA_ABSENT)
        error_set(err, ERROR_UPSTREAM, NULL,
                  "there are no credentials for the role that it names");
    ok = result == METADATA_TOLD && credentials_role_read(text, strlen(text), question->now_us,
                                                          ret_credentials, ret_until_us, err);
    explicit_bzero(text, sizeof text);
    return ok ? CREDENTIALS_FOUND : CREDENTIALS_WRONG;
}

enum credentials_result credentials_role_find(const struct credentials_question *question,
                                              struct credentials *ret_credentials,
                                              long long *ret_until_us, struct error *err)
{
    struct metadata service = {
        .fetch = question->fetch, .fetcher = question->fetcher, .url = question->metadata_url};
    struct error why = {0};
    enum credentials_result result = CREDENTIALS_WRONG;

    if (metadata_token(&service, &why))
        result = ask_role(&service, question, ret_credentials, ret_until_us, &why);
    explicit_bzero(&service, sizeof service);
    if (result == CREDENTIALS_WRONG)
        error_set(err, why.kind, NULL,
                  "no keys of the instance's role from the metadata service: %.150s",
                  why.message);
    return result;
}
