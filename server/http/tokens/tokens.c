#include "server/http/tokens/tokens.h"

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/memory.h"
#include "common/units.h"
#include "server/base/option_file.h"

#include <stdarg.h>

#define HASH_WORD "sha256:"
#define KEYS_WORD "keys="
#define MANY_WORD "many"
#define BLANKS " \t"

const char *const limit_names[LIMITS] = {"requests_per_minute", "runs_per_hour", "mib_per_hour"};

static const struct {
    long long high, unit;
} limit_ranges[LIMITS] = {{1000000, 1}, {1000000000, 1}, {1048576, MIB}};

static const char *const scope_names[] = {"read", "write", "import"}; /* by bit */

/* Position in the text, for error messages. */
struct place {
    const char *file;
    long long line;
};

/* Messages never quote the line: a misplaced token would reach the log. */
static bool tokens_refuse(const struct place *place, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool tokens_refuse(const struct place *place, struct error *err, const char *format, ...)
{
    char where[sizeof err->field], number[24], message[sizeof err->message];
    size_t room = sizeof where - 1, length = strlen(place->file);
    va_list arguments;

    /* Cut a long file name at its start: the end and the line number must stay. */
    snprintf(number, sizeof number, ":%lld", place->line);
    room -= strlen(number);
    snprintf(where, sizeof where, "%s%s", place->file + (length > room ? length - room : 0),
             number);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(err, ERROR_INVALID, where, "%s", message);
}

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool token_name_check(const char *name, struct error *err)
{
    bool ok = is_name_letter(name[0]) && strlen(name) < TOKEN_NAME_SIZE;

    for (const char *c = name; *c; c++)
        ok = ok && (is_name_letter(*c) || strchr("._-", *c));
    if (!ok)
        return error_set(err, ERROR_INVALID, "name",
                         "must have 1 to %d of a-z, 0-9, '.', '_' and '-', and begin with one of "
                         "the first two kinds",
                         TOKEN_NAME_SIZE - 1);
    if (strcmp(name, READ_TOKEN_NAME) == 0 || strcmp(name, WRITE_TOKEN_NAME) == 0)
        return error_set(err, ERROR_INVALID, "name",
                         "'%s' is what the token of the option of this name is called", name);
    return true;
}

static bool take_scope(const char *word, size_t length, unsigned *scopes)
{
    for (size_t i = 0; i < COUNT(scope_names); i++)
        if (strlen(scope_names[i]) == length && strncmp(scope_names[i], word, length) == 0) {
            unsigned bit = 1u << i;

            if (*scopes & bit)
                return false;
            *scopes |= bit;
            return true;
        }
    return false;
}

bool scopes_read(const char *text, unsigned *ret_scopes, struct error *err)
{
    const char *word = text;
    unsigned scopes = 0;

    for (;;) {
        size_t length = strcspn(word, ",");

        if (!take_scope(word, length, &scopes))
            return error_set(err, ERROR_INVALID, "scopes",
                             "must be some of read, write and import, each once, with commas "
                             "between");
        if (!word[length])
            break;
        word += length + 1;
    }
    *ret_scopes = scopes;
    return true;
}

void scopes_write(unsigned scopes, char ret_text[SCOPES_TEXT_MAX])
{
    size_t used = 0;

    ret_text[0] = '\0';
    for (size_t i = 0; i < COUNT(scope_names); i++)
        if (scopes & 1u << i)
            used += (size_t)snprintf(ret_text + used, SCOPES_TEXT_MAX - used, "%s%s",
                                     used > 0 ? "," : "", scope_names[i]);
}

static bool read_hash(const char *word, uint8_t ret_hash[SHA256_SIZE])
{
    const char *digits = word + strlen(HASH_WORD);

    return strncmp(word, HASH_WORD, strlen(HASH_WORD)) == 0 &&
           strlen(digits) == 2 * SHA256_SIZE && hex_read(digits, SHA256_SIZE, ret_hash);
}

/* Digits only, up to ten of them. */
static bool read_whole(const char *text, long long *ret_number)
{
    size_t length = strspn(text, "0123456789");

    if (length == 0 || length > 10 || text[length])
        return false;
    *ret_number = strtoll(text, NULL, 10);
    return true;
}

static bool read_limit(const struct place *place, const char *word, struct limits *limits,
                       struct error *err)
{
    size_t length = strcspn(word, "=");
    long long number;

    for (size_t i = 0; i < LIMITS; i++) {
        if (strlen(limit_names[i]) != length || strncmp(limit_names[i], word, length) != 0)
            continue;
        if (limits->most[i] != 0)
            return tokens_refuse(place, err, "the limit %s is given twice", limit_names[i]);
        if (!word[length] || !read_whole(word + length + 1, &number) || number < 1 ||
            number > limit_ranges[i].high)
            return tokens_refuse(place, err, "the limit %s must be a whole number from 1 to %lld",
                                 limit_names[i], limit_ranges[i].high);
        limits->most[i] = number * limit_ranges[i].unit;
        return true;
    }
    return tokens_refuse(place, err, "a limit must be one of %s, %s and %s, and =N",
                         limit_names[0], limit_names[1], limit_names[2]);
}

static bool read_keys(const struct place *place, const char *word, struct token *token,
                      struct error *err)
{
    if (token->many_keys)
        return tokens_refuse(place, err, "%s is given twice", KEYS_WORD);
    token->many_keys = strcmp(word, KEYS_WORD MANY_WORD) == 0;
    return token->many_keys ||
           tokens_refuse(place, err, "%s must be followed by \"%s\"", KEYS_WORD, MANY_WORD);
}

/* Cuts the next word off, or returns NULL. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, BLANKS);

    *rest = word + strcspn(word, BLANKS);
    if (**rest)
        *(*rest)++ = '\0';
    return *word ? word : NULL;
}

static bool read_parts(const struct place *place, char *line, struct token *token,
                       struct error *err)
{
    static const char *const parts[] = {"NAME", "SCOPES", "hash"};
    char *words[3], *word;
    struct error why = {0};

    for (size_t i = 0; i < COUNT(words); i++) {
        words[i] = next_word(&line);
        if (!words[i])
            return tokens_refuse(place, err,
                                 "there is no %s: a line is NAME SCOPES %sHEX [LIMIT=N ...]",
                                 parts[i], HASH_WORD);
    }
    if (!token_name_check(words[0], &why) || !scopes_read(words[1], &token->scopes, &why))
        return tokens_refuse(place, err, "the %s %s", why.field, why.message);
    snprintf(token->name, sizeof token->name, "%s", words[0]);
    if (!read_hash(words[2], token->hash))
        return tokens_refuse(place, err, "the hash must be \"%s\" and %d hexadecimal digits",
                             HASH_WORD, 2 * SHA256_SIZE);
    while ((word = next_word(&line)) != NULL)
        if (!(strncmp(word, KEYS_WORD, strlen(KEYS_WORD)) == 0
                  ? read_keys(place, word, token, err)
                  : read_limit(place, word, &token->limits, err)))
            return false;
    return true;
}

static void tokens_add(struct tokens *tokens, const struct token *token)
{
    tokens->list = xgrow(tokens->list, tokens->count, &tokens->room, sizeof *tokens->list);
    tokens->list[tokens->count++] = *token;
}

static bool add_line(const struct place *place, char *line, struct tokens *tokens,
                     struct error *err)
{
    struct token token = {0};

    line[strcspn(line, "#\r")] = '\0';
    if (!line[strspn(line, BLANKS)])
        return true;
    if (!read_parts(place, line, &token, err))
        return false;
    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *other = &tokens->list[i];

        if (strcmp(other->name, token.name) == 0)
            return tokens_refuse(place, err, "'%s' is also the name of another line", token.name);
        if (memcmp(other->hash, token.hash, SHA256_SIZE) == 0)
            return tokens_refuse(place, err,
                                 "the hash is also the hash of '%s': a token has one name",
                                 other->name);
    }
    if (tokens->count >= TOKENS_MAX)
        return tokens_refuse(place, err, "there may be at most %d tokens", TOKENS_MAX);
    tokens_add(tokens, &token);
    return true;
}

bool tokens_parse(const char *file, const char *text, size_t length, struct tokens *tokens,
                  struct error *err)
{
    AUTO(freep) char *copy = xmalloc(length + 1);
    struct place place = {.file = file, .line = 1};
    char *line = copy, *next;

    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    for (; line; line = next, place.line++) {
        size_t left = (size_t)(copy + length - line);

        next = memchr(line, '\n', left);
        if (next)
            *next++ = '\0';
        if (strlen(line) != (next ? (size_t)(next - line - 1) : left))
            return tokens_refuse(&place, err, "there is a NUL in the line: this is not a text");
        if (!add_line(&place, line, tokens, err))
            return false;
    }
    return true;
}

bool tokens_read(const char *file, struct tokens *tokens, struct error *err)
{
    AUTO(bytes_free) struct bytes text = {.limit = TOKENS_FILE_MAX};

    return option_file_read("--tokens", file, &text, err) &&
           tokens_parse(file, text.data ? text.data : "", text.used, tokens, err);
}

void tokens_add_option(struct tokens *tokens, const char *name, unsigned scopes,
                       const char *token)
{
    struct token added = {.scopes = scopes, .is_option = true};

    snprintf(added.name, sizeof added.name, "%s", name);
    sha256(token, strlen(token), added.hash);
    tokens_add(tokens, &added);
}

const struct token *tokens_find(const struct tokens *tokens, const char *presented)
{
    uint8_t hash[SHA256_SIZE];
    const struct token *found = NULL;

    sha256(presented, strlen(presented), hash);
    for (size_t i = 0; i < tokens->count; i++) {
        volatile uint8_t difference = 0;

        for (size_t k = 0; k < SHA256_SIZE; k++)
            difference = (uint8_t)(difference | (hash[k] ^ tokens->list[i].hash[k]));
        if (difference == 0)
            found = &tokens->list[i];
    }
    return found;
}

void tokens_clear(struct tokens *tokens)
{
    freep(&tokens->list);
    *tokens = (struct tokens){0};
}
