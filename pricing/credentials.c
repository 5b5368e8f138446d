#include "pricing/credentials.h"

#include "common/cleanup.h"
#include "pricing/metadata.h"
#include "pricing/source.h"
#include "pricing/when.h"

#include <errno.h>
#include <strings.h>

#define ROLES "/latest/meta-data/iam/security-credentials/"
#define LINE_MAX_BYTES 4400

static const char *variable(char *const environment[], const char *name)
{
    size_t length = strlen(name);

    for (char *const *entry = environment; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
            (*entry)[length + 1] != '\0')
            return *entry + length + 1;
    return NULL;
}

static bool copy(char *member, size_t size, const char *text, const char *what, struct error *err)
{
    size_t length = text ? strlen(text) : 0;

    if (length >= size)
        return error_set(err, ERROR_INVALID, NULL, "%s is too long", what);
    for (size_t i = 0; i < length; i++)
        if (text[i] <= 0x20 || text[i] > 0x7e)
            return error_set(err, ERROR_INVALID, NULL, "%s has characters that no key has", what);
    memcpy(member, text ? text : "", length + 1);
    return true;
}

static bool fill(struct credentials *credentials, const char *id, const char *secret,
                 const char *token, struct error *err)
{
    return copy(credentials->id, sizeof credentials->id, id, "the key id", err) &&
           copy(credentials->secret, sizeof credentials->secret, secret, "the secret", err) &&
           copy(credentials->token, sizeof credentials->token, token, "the session token", err);
}

static enum credentials_result from_environment(const struct credentials_question *question,
                                                struct credentials *ret_credentials,
                                                struct error *err)
{
    const char *id = variable(question->environment, "AWS_ACCESS_KEY_ID");
    const char *secret = variable(question->environment, "AWS_SECRET_ACCESS_KEY");

    if (!id && !secret)
        return CREDENTIALS_NONE;
    if (!id || !secret) {
        error_set(err, ERROR_INVALID, NULL, "the environment has half a key: %s is missing",
                  id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
        return CREDENTIALS_WRONG;
    }
    return fill(ret_credentials, id, secret, variable(question->environment, "AWS_SESSION_TOKEN"),
                err)
               ? CREDENTIALS_FOUND
               : CREDENTIALS_WRONG;
}

/* The shared file while it is read. */
struct shared_file {
    const char *profile;
    bool inside, seen;
    struct credentials *credentials;
};

static char *trim(char *text)
{
    char *end;

    text += strspn(text, " \t");
    end = text + strlen(text);
    while (end > text && strchr(" \t\r\n", end[-1]))
        *--end = '\0';
    return text;
}

/* "[default]", "[profile]". */
static void begin_section(struct shared_file *file, char *name)
{
    size_t length = strcspn(name, "]");

    name[length] = '\0';
    file->inside = strcmp(trim(name), file->profile) == 0;
    file->seen |= file->inside;
}

static bool take_line(struct shared_file *file, char *line, struct error *err)
{
    struct credentials *credentials = file->credentials;
    char *name = trim(line), *value = strchr(name, '=');

    if (*name == '[') {
        begin_section(file, name + 1);
        return true;
    }
    if (!file->inside || !value || *name == '#' || *name == ';')
        return true;
    *value++ = '\0';
    name = trim(name);
    value = trim(value);
    if (strcasecmp(name, "aws_access_key_id") == 0)
        return copy(credentials->id, sizeof credentials->id, value, "the key id", err);
    if (strcasecmp(name, "aws_secret_access_key") == 0)
        return copy(credentials->secret, sizeof credentials->secret, value, "the secret", err);
    if (strcasecmp(name, "aws_session_token") == 0)
        return copy(credentials->token, sizeof credentials->token, value, "the session token",
                    err);
    return true;
}

enum credentials_result credentials_from_file(FILE *in, const char *profile,
                                              struct credentials *ret_credentials,
                                              struct error *err)
{
    struct credentials credentials = {0};
    struct shared_file file = {.profile = profile, .credentials = &credentials};
    enum credentials_result result = CREDENTIALS_WRONG;
    char line[LINE_MAX_BYTES];
    bool ok = true;

    while (ok && fgets(line, sizeof line, in)) {
        if (!strchr(line, '\n') && !feof(in))
            ok = error_set(err, ERROR_INVALID, NULL, "a line is too long");
        else
            ok = take_line(&file, line, err);
    }
    if (ok && !file.seen) {
        result = CREDENTIALS_NONE;
    } else if (ok && credentials.id[0] && credentials.secret[0]) {
        *ret_credentials = credentials;
        result = CREDENTIALS_FOUND;
    } else if (ok) {
        error_set(err, ERROR_INVALID, NULL, "the profile %.40s has half a key", profile);
    }
    explicit_bzero(line, sizeof line);
    explicit_bzero(&credentials, sizeof credentials);
    return result;
}

static enum credentials_result from_shared_file(const struct credentials_question *question,
                                                struct credentials *ret_credentials,
                                                struct error *err)
{
    const char *path = variable(question->environment, "AWS_SHARED_CREDENTIALS_FILE");
    const char *profile = variable(question->environment, "AWS_PROFILE");
    AUTO(fclosep) FILE *file = NULL;
    char usual[4096];

    if (!path && !question->home)
        return CREDENTIALS_NONE;
    if (!path) {
        snprintf(usual, sizeof usual, "%s/.aws/credentials", question->home);
        path = usual;
    }
    file = fopen(path, "re");
    if (!file && errno == ENOENT && path == usual)
        return CREDENTIALS_NONE;
    if (!file) {
        error_set(err, ERROR_INVALID, NULL, "the shared credentials file cannot be read: %s",
                  strerror(errno));
        return CREDENTIALS_WRONG;
    }
    return credentials_from_file(file, profile ? profile : "default", ret_credentials, err);
}

enum credentials_result credentials_from_role(const char *text, size_t length, long long now_us,
                                              struct credentials *ret_credentials,
                                              long long *ret_until_us, struct error *err)
{
    AUTO(json_decrefp) json_t *json = source_json(text, length, NULL);
    struct credentials credentials = {0};
    long long until_us = 0;

    if (!json_is_object(json) ||
        !fill(&credentials, source_text(json, "AccessKeyId"),
              source_text(json, "SecretAccessKey"), source_text(json, "Token"), err) ||
        !credentials.id[0] || !credentials.secret[0] || !credentials.token[0] ||
        !when_read(source_text(json, "Expiration"), &until_us)) {
        error_set(err, ERROR_UPSTREAM, NULL, "the role of the instance has no usable key");
        return CREDENTIALS_WRONG;
    }
    if (until_us <= now_us) {
        error_set(err, ERROR_UPSTREAM, NULL, "the key of the instance's role has expired");
        return CREDENTIALS_WRONG;
    }
    *ret_credentials = credentials;
    *ret_until_us = until_us;
    explicit_bzero(&credentials, sizeof credentials);
    return CREDENTIALS_FOUND;
}

static enum credentials_result ask_role(struct metadata *metadata, struct metadata_answer *answer,
                                        long long now_us, struct credentials *ret_credentials,
                                        long long *ret_until_us, struct error *err)
{
    char path[300];

    if (!metadata_take_token(metadata, answer))
        return CREDENTIALS_NONE;
    metadata_ask(metadata, NULL, ROLES, answer);
    if (answer->status != 200 || answer->text[0] == '\0')
        return CREDENTIALS_NONE; /* the instance has no role */
    answer->text[strcspn(answer->text, "\r\n")] = '\0';
    if (strlen(answer->text) > 100 || strpbrk(answer->text, "/?# "))
        return CREDENTIALS_NONE;
    snprintf(path, sizeof path, ROLES "%.100s", answer->text);
    metadata_ask(metadata, NULL, path, answer);
    if (answer->status != 200) {
        error_set(err, ERROR_UPSTREAM, NULL, "the role of the instance tells no key: %s",
                  answer->why);
        return CREDENTIALS_WRONG;
    }
    return credentials_from_role(answer->text, answer->length, now_us, ret_credentials,
                                 ret_until_us, err);
}

static enum credentials_result from_instance(const struct credentials_question *question,
                                             struct credentials *ret_credentials,
                                             long long *ret_until_us, struct error *err)
{
    struct metadata metadata = {
        .fetch = question->fetch, .fetcher = question->fetcher, .url = question->metadata_url};
    struct metadata_answer *answer = malloc(sizeof *answer);
    enum credentials_result result;

    if (!answer) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return CREDENTIALS_WRONG;
    }
    result = ask_role(&metadata, answer, question->now_us, ret_credentials, ret_until_us, err);
    explicit_bzero(answer, sizeof *answer);
    free(answer);
    return result;
}

enum credentials_result credentials_find(const struct credentials_question *question,
                                         struct credentials *ret_credentials,
                                         const char **ret_origin, long long *ret_until_us,
                                         struct error *err)
{
    enum credentials_result result = from_environment(question, ret_credentials, err);

    *ret_until_us = 0;
    *ret_origin = "the environment";
    if (result != CREDENTIALS_NONE)
        return result;
    *ret_origin = "the shared file";
    result = from_shared_file(question, ret_credentials, err);
    if (result != CREDENTIALS_NONE || !question->metadata_url)
        return result;
    *ret_origin = "the role of the instance";
    return from_instance(question, ret_credentials, ret_until_us, err);
}
