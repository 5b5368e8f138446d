/* The file of --tokens: scopes and limits by name. One token per line, blanks between words:
 *     NAME SCOPES sha256:HEX [LIMIT=N ...] [keys=many]
 * '#' begins a comment. The file holds hashes, not tokens. */
#pragma once

#include "common/error.h"
#include "common/limits.h"
#include "common/sha256.h"

#include <stddef.h>

enum {
    SCOPE_READ = 1,
    SCOPE_WRITE = 2,
    SCOPE_IMPORT = 4,
};
#define SCOPES_ALL (SCOPE_READ | SCOPE_WRITE | SCOPE_IMPORT)
#define SCOPES_TEXT_MAX 32

#define TOKEN_PRESENTED_MAX 512 /* longer ones are not looked up */
#define TOKENS_MAX 4096
#define TOKENS_FILE_MAX (1024 * 1024)

/* Names of the tokens of --read-token-file and --write-token-file; lines must not use them. */
#define READ_TOKEN_NAME "read-token"
#define WRITE_TOKEN_NAME "write-token"

enum limit_kind {
    LIMIT_REQUESTS, /* per minute */
    LIMIT_RUNS,     /* per hour: documents sent, runs asked for */
    LIMIT_BYTES,    /* of bodies, per hour; the file says MiB */
};
#define LIMITS 3

extern const char *const limit_names[LIMITS]; /* as in the file */

struct limits {
    long long most[LIMITS]; /* per period of each; 0 is no limit. LIMIT_BYTES in bytes */
};

struct token {
    char name[TOKEN_NAME_SIZE];
    unsigned scopes;
    struct limits limits;
    uint8_t hash[SHA256_SIZE];
    bool many_keys; /* "keys=many": may send runs that others signed; bound to no key */
    bool is_option; /* from an option: the name identifies no sender */
};

struct tokens {
    struct token *list;
    size_t count, room;
};

/* Adds the tokens of a text. error.field is "FILE:LINE", cut at its start if too long. Call
 * tokens_clear() afterwards, also on failure. */
MUST_USE bool tokens_parse(const char *file, const char *text, size_t length,
                           struct tokens *tokens, struct error *err);

/* The same for the file of this name. */
MUST_USE bool tokens_read(const char *file, struct tokens *tokens, struct error *err);

/* Adds a token of an option. Call it before the file: a line with the same hash is refused. */
void tokens_add_option(struct tokens *tokens, const char *name, unsigned scopes,
                       const char *token);

/* Finds a presented token, or NULL, in constant time per token. */
const struct token *tokens_find(const struct tokens *tokens, const char *presented);

/* Frees the content; a zeroed struct is fine. */
void tokens_clear(struct tokens *tokens);

/* "[a-z0-9][a-z0-9._-]{0,62}", and not one of ours. */
MUST_USE bool token_name_check(const char *name, struct error *err);

/* Parses "read,import" and the like. */
MUST_USE bool scopes_read(const char *text, unsigned *ret_scopes, struct error *err);
void scopes_write(unsigned scopes, char ret_text[SCOPES_TEXT_MAX]);
