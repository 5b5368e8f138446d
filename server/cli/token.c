/* Tested by tests/api/test_revoking.py and tests/api/test_tokens.py. */
#include "server/cli/token.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hex.h"
#include "db/capacity/capacity.h"
#include "db/db_open.h"
#include "db/restore.h"
#include "db/runs/token_keys.h"
#include "db/runs/voids.h"
#include "server/http/audit.h"
#include "server/http/tokens/tokens.h"
#include "server/http/tokens/tokens_remove.h"

#include <sys/random.h>

#define PREFIX "pw_"
#define RANDOM_BYTES 32
#define TEXT_SIZE (sizeof PREFIX + (RANDOM_BYTES * 4 + 2) / 3)

/* base64url without padding. */
static void write_token(const uint8_t random[RANDOM_BYTES], char ret_text[TEXT_SIZE])
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t used = sizeof PREFIX - 1;

    memcpy(ret_text, PREFIX, sizeof PREFIX);
    for (size_t bit = 0; bit < 8 * RANDOM_BYTES; bit += 6) {
        unsigned pair = (unsigned)random[bit / 8] << 8;

        if (bit / 8 + 1 < RANDOM_BYTES)
            pair |= random[bit / 8 + 1];
        ret_text[used++] = digits[pair >> (10 - bit % 8) & 63];
    }
    ret_text[used] = '\0';
}

static bool make_token(char ret_text[TEXT_SIZE], struct error *err)
{
    uint8_t random[RANDOM_BYTES];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_set(err, ERROR_INTERNAL, NULL, "the system has no random bytes");
    write_token(random, ret_text);
    explicit_bzero(random, sizeof random);
    return true;
}

static void audit_freep(struct audit **audit)
{
    audit_free(*audit);
}

static void tell_audit(struct audit *audit, const char *name, const struct taken_back *voided,
                       long long count)
{
    struct audit_entry entry = {.at_us = voided->at_us,
                                .at_ns = clock_monotonic_ns(),
                                .who = voided->by,
                                .method = "COMMAND",
                                .path = "token revoke",
                                .counts = true,
                                .refused = count,
                                .did = "token revoked"};

    snprintf(entry.object, sizeof entry.object, "%.63s", name);
    snprintf(entry.reason, sizeof entry.reason, "%s", voided->reason);
    audit_write(audit, &entry);
}

/* The runs that a token has sent. */
struct sent {
    long long runs, events;
};

/* Opens the audit before voiding the runs, and writes its line afterwards: without an audit
 * nothing is done. */
static bool take_back(const struct config *config, const char *name,
                      const struct taken_back *voided, struct sent *ret_sent, struct error *err)
{
    AUTO(db_freep) struct db *db = NULL;

    *ret_sent = (struct sent){0};
    if (strcmp(config->with_runs, "on") != 0)
        return true;
    if (restore_is_settled(config->database, err))
        db = db_open_shared(config->database, err);
    return db && voids_put_sender(db, name, voided, &ret_sent->runs, err) &&
           capacity_forget_sender(db, name, &ret_sent->events, err);
}

static bool revoke_token(const struct config *config, const char *name, struct error *err)
{
    AUTO(audit_freep) struct audit *audit = audit_open(config->audit, err);
    struct taken_back voided = {.at_us = clock_calendar_us()};
    bool with_runs = strcmp(config->with_runs, "on") == 0, found;
    struct sent sent;

    snprintf(voided.by, sizeof voided.by, "uid %u", (unsigned)getuid());
    snprintf(voided.reason, sizeof voided.reason, "%s",
             config->reason[0] ? config->reason : "the token was revoked");
    if (!audit || !tokens_remove(config->tokens, name, &found, err))
        return false;
    if (!found && !with_runs)
        return error_set(err, ERROR_NOT_FOUND, "NAME", "%s has no line in %s", name,
                         config->tokens);
    fprintf(
        stderr,
        found ? "%s was removed from %s: send SIGHUP to the server, which accepts it until then\n"
              : "%s has no line in %s\n",
        name, config->tokens);
    if (!take_back(config, name, &voided, &sent, err))
        return false;
    tell_audit(audit, name, &voided, sent.runs);
    if (with_runs)
        fprintf(stderr, "%lld runs of %s were voided, %lld events of capacity removed\n",
                sent.runs, name, sent.events);
    return true;
}

static void tell_audit_of_key(struct audit *audit, const char *name, const char *key,
                              const char *why)
{
    struct audit_entry entry = {.at_us = clock_calendar_us(),
                                .at_ns = clock_monotonic_ns(),
                                .method = "COMMAND",
                                .path = "token rebind",
                                .did = "token rebound"};
    char who[32];

    snprintf(who, sizeof who, "uid %u", (unsigned)getuid());
    entry.who = who;
    snprintf(entry.object, sizeof entry.object, "%.63s", name);
    snprintf(entry.reason, sizeof entry.reason, "the key was %s%s%.400s", key, why[0] ? ": " : "",
             why);
    audit_write(audit, &entry);
}

/* A running server reads the database at each upload, so this takes effect at once. */
static bool rebind_token(const struct config *config, const char *name, struct error *err)
{
    AUTO(audit_freep) struct audit *audit = audit_open(config->audit, err);
    AUTO(db_freep) struct db *db = NULL;
    char key[SIGNATURE_KEY_SIZE];

    if (!audit || !restore_is_settled(config->database, err))
        return false;
    db = db_open_shared(config->database, err);
    if (!db || !token_keys_forget(db, name, key, err))
        return false;
    if (!key[0])
        return error_set(err, ERROR_NOT_FOUND, "NAME", "%s is bound to no key in %s", name,
                         config->database);
    tell_audit_of_key(audit, name, key, config->reason);
    fprintf(stderr, "%s was bound to the key %s; the key of its next upload replaces it\n", name,
            key);
    return true;
}

/* "revoke NAME" and "rebind NAME"; false for the others. */
static bool is_about_a_token(const struct config *config, int *ret_status)
{
    const char *verb = config->operands[0], *name = config->operands[1];
    bool revokes = strcmp(verb, "revoke") == 0;
    struct error why = {0};

    if (!revokes && strcmp(verb, "rebind") != 0)
        return false;
    *ret_status = (revokes ? revoke_token(config, name, &why) : rebind_token(config, name, &why))
                      ? 0
                      : command_failed(&why);
    return true;
}

int token_command(const struct config *config)
{
    int status;

    if (is_about_a_token(config, &status))
        return status;

    const char *name = config->operands[0];
    char token[TEXT_SIZE], words[SCOPES_TEXT_MAX];
    uint8_t hash[SHA256_SIZE];
    char digits[2 * SHA256_SIZE + 1];
    struct error err = {0};
    unsigned scopes;

    if (!scopes_read(config->operands[1], &scopes, &err) || !make_token(token, &err))
        return command_failed(&err);
    sha256(token, strlen(token), hash);
    scopes_write(scopes, words);
    /* On stderr, so that ">> FILE" appends only the line for --tokens. */
    fprintf(stderr, "The token, shown once and stored nowhere:\n%s\n", token);
    explicit_bzero(token, sizeof token);
    hex_write(hash, sizeof hash, digits);
    printf("%s %s sha256:%s\n", name, words, digits);
    if (fflush(stdout) != 0) {
        error_set(&err, ERROR_INTERNAL, NULL, "cannot write the line for --tokens to stdout");
        return command_failed(&err);
    }
    return 0;
}
