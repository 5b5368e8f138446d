/* Property: a configuration that is accepted keeps every promise of --help, and each of its
 * engines can be asked for; one that is refused says which option and why. One word a line: lines
 * with PENNYWORTH_ are the environment, the others are the command line. */
#include "common/cleanup.h"
#include "server/cli/config/config_check.h"
#include "server/cli/config/config_read.h"
#include "server/runs/engines.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 40

struct words {
    int argc, variables;
    char *argv[WORDS_MAX + 1], *environment[WORDS_MAX + 1];
};

static void split(char *text, struct words *words)
{
    static char program[] = "pennyworth", home[] = "HOME=/nowhere";
    char *word;

    *words = (struct words){.argc = 1, .argv = {program}, .variables = 1, .environment = {home}};
    while ((word = strsep(&text, "\n")) != NULL) {
        /* No files: a name made up here may be a device that never answers. */
        if (strstr(word, "file") || strstr(word, "FILE"))
            continue;
        if (strncmp(word, "PENNYWORTH_", 11) == 0 || strncmp(word, "XDG_", 4) == 0) {
            if (words->variables < WORDS_MAX)
                words->environment[words->variables++] = word;
        } else if (words->argc < WORDS_MAX) {
            words->argv[words->argc++] = word;
        }
    }
}

static void check_token(const char *token)
{
    size_t length = strlen(token);

    ALWAYS(length == 0 || (length >= TOKEN_MIN && length <= TOKEN_MAX));
    for (size_t i = 0; i < length; i++)
        ALWAYS(token[i] > 0x20 && token[i] <= 0x7e);
}

static void check_config(const struct config *config)
{
    ALWAYS(config->port >= 0 && config->port <= 65535);
    ALWAYS(config->http_threads >= 1 && config->http_threads <= 64);
    ALWAYS(config->max_connections >= 8 && config->max_connections <= 60000);
    ALWAYS(config->max_connections_per_address >= 1);
    ALWAYS(config->max_connections_per_address <= 60000);
    ALWAYS(config->header_seconds >= 1 && config->header_seconds <= 3600);
    ALWAYS(config->body_seconds >= 1 && config->body_seconds <= 3600);
    ALWAYS(config->idle_seconds >= 1 && config->idle_seconds <= 3600);
    ALWAYS(config->queue_limit >= 1 && config->queue_limit <= 1000000);
    ALWAYS(config->silence_seconds >= 1 && config->silence_seconds <= 86400);
    ALWAYS(config->log != NULL);
    if (config->command != COMMAND_SERVE)
        return;
    ALWAYS(config->database[0]);
    check_token(config->read_token);
    check_token(config->write_token);
    ALWAYS(!config->tls_certificate[0] == !config->tls_key[0]);
    ALWAYS(config_is_loopback(config->listen) || config->read_token[0] ||
           config->write_token[0] || config->tokens[0]);
}

static void check_engine(const struct engines *engines, const struct engine *engine)
{
    AUTO(json_decrefp) json_t *json = json_pack("{s:s}", "engine", engine->name);
    struct run_spec spec;
    size_t words = 0;

    ALWAYS(engines_find(engines, engine->name, NULL) == engine); /* so no two are alike */
    ALWAYS(json && run_spec_from_json(json, &spec, NULL));
    for (; engine->command[words]; words++) {
        ALWAYS(words < ENGINE_WORDS_MAX);
        ALWAYS(engine->command[words][0] && !strchr(engine->command[words], ';'));
    }
    ALWAYS(words > 0);
}

static void check_engines(const char *text)
{
    struct engines engines;
    struct error err = {0};

    if (!engines_read(text, "worker", &engines, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && strcmp(err.field, "--engine") == 0);
        ALWAYS(engines.count == 0);
        return;
    }
    ALWAYS(engines.count >= 1 && engines.count <= ENGINES_MAX);
    ALWAYS(engines_find(&engines, "native", &err) != NULL);
    for (size_t i = 0; i < engines.count; i++)
        check_engine(&engines, &engines.list[i]);
    engines_free(&engines);
}

FUZZ_TEXT(text)
{
    static struct config config;
    struct error err = {0};
    struct words words;

    check_engines(text);
    split(text, &words);
    switch (config_read(words.argc, words.argv, words.environment, &config, &err)) {
    case CONFIG_OK:
        check_config(&config);
        check_engines(config.engine);
        break;
    case CONFIG_WRONG:
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        break;
    default:
        ALWAYS(words.argc > 1 && err.kind == ERROR_NONE);
    }
}
