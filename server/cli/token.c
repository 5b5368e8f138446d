/* token NAME SCOPES: makes a token. Prints the token to stderr, and its line for --tokens to
 * stdout. */
#include "common/cleanup.h"
#include "server/cli/commands.h"
#include "server/http/tokens/tokens.h"

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

int token_command(const struct config *config)
{
    const char *name = config->operands[0];
    char token[TEXT_SIZE], words[SCOPES_TEXT_MAX];
    uint8_t hash[SHA256_SIZE];
    struct error err = {0};
    unsigned scopes;

    if (!token_name_check(name, &err) || !scopes_read(config->operands[1], &scopes, &err) ||
        !make_token(token, &err))
        return command_failed(&err);
    sha256(token, strlen(token), hash);
    scopes_write(scopes, words);
    /* On stderr, so that ">> FILE" appends only the line for --tokens. */
    fprintf(stderr, "The token, shown once and stored nowhere:\n%s\n", token);
    explicit_bzero(token, sizeof token);
    printf("%s %s sha256:", name, words);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        printf("%02x", hash[i]);
    putchar('\n');
    if (fflush(stdout) != 0) {
        error_set(&err, ERROR_INTERNAL, NULL, "cannot write the line for --tokens to stdout");
        return command_failed(&err);
    }
    return 0;
}
