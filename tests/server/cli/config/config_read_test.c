#include "server/cli/config/config_read.h"

#include "tests/test.h"

#include <stddef.h>

#define WORDS_MAX 16

/* A NULL-terminated copy that may be passed as argv and environ. */
static void copy_words(char *to[WORDS_MAX + 1], const char *const from[])
{
    size_t count = 0;

    for (; from && from[count] && count < WORDS_MAX; count++)
        to[count] = strdup(from[count]);
    to[count] = NULL;
}

static void free_words(char *words[])
{
    for (; *words; words++)
        free(*words);
}

/* `flags` and `environment` are NULL-terminated, or NULL for none. */
static enum config_result read_config(const char *const flags[], const char *const environment[],
                                      struct config *ret_config, struct error *err)
{
    char *argv[WORDS_MAX + 2] = {strdup("pennyworth")};
    char *variables[WORDS_MAX + 2] = {strdup("HOME=/home/somebody")};
    int argc = 0;

    copy_words(argv + 1, flags);
    copy_words(variables + 1, environment);
    while (argv[argc])
        argc++;
    enum config_result result = config_read(argc, argv, variables, ret_config, err);
    free_words(argv);
    free_words(variables);
    return result;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(without_options_the_defaults_hold)
{
    struct config config;
    struct error err = {0};

    EXPECT_INT(read_config(NULL, NULL, &config, &err), CONFIG_OK);
    EXPECT_STR(err.message, "");
    EXPECT_HAS(config, (listen, "127.0.0.1"), (port, 8080),
               (database, "/home/somebody/.local/state/pennyworth/pennyworth.db"), (engine, ""),
               (instance_type, ""), (read_token_file, ""), (write_token_file, ""),
               (read_token, ""), (write_token, ""), (http_threads, 2), (max_connections, 1024),
               (max_connections_per_address, 256), (header_seconds, 10), (body_seconds, 30),
               (idle_seconds, 60), (queue_limit, 100));
    EXPECT_HAS(config, (answer_mib, 256), (silence_seconds, 60), (published, "on"),
               (log, "info"));
}

static const struct {
    const char *flag, *variable; /* NULL: not given */
    long long port;
} orders[] = {
    {NULL, NULL, 8080},
    {NULL, "PENNYWORTH_PORT=81", 81},
    {"--port=82", NULL, 82},
    {"--port=82", "PENNYWORTH_PORT=81", 82},
    {NULL, "PENNYWORTH_PORTS=81", 8080},
    {NULL, "XPENNYWORTH_PORT=81", 8080},
    {NULL, "pennyworth_port=81", 8080},
};

TEST(a_flag_wins_over_the_environment_and_that_over_the_default)
{
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct config config;
        struct error err = {0};

        EXPECT_INT(read_config(WORDS(orders[i].flag), WORDS(orders[i].variable), &config, &err),
                   CONFIG_OK);
        EXPECT_INT(config.port, orders[i].port);
    }
}

TEST(a_value_follows_its_flag_as_a_word_or_after_an_equals_sign)
{
    struct config config;

    EXPECT_INT(read_config(WORDS("--port", "81", "--instance-type=a=b", "--log", "debug"), NULL,
                           &config, NULL),
               CONFIG_OK);
    EXPECT_HAS(config, (port, 81), (instance_type, "a=b"), (log, "debug"));
}

static const struct {
    const char *flag, *variable;
    size_t offset;
    long long low, high;
} limits[] = {
#define LIMIT(flag, variable, member, low, high)                                                 \
    flag, variable, offsetof(struct config, member), low, high
    {LIMIT("--port", "PENNYWORTH_PORT", port, 0, 65535)},
    {LIMIT("--http-threads", "PENNYWORTH_HTTP_THREADS", http_threads, 1, 64)},
    {LIMIT("--max-connections", "PENNYWORTH_MAX_CONNECTIONS", max_connections, 8, 60000)},
    {LIMIT("--max-connections-per-address", "PENNYWORTH_MAX_CONNECTIONS_PER_ADDRESS",
           max_connections_per_address, 1, 60000)},
    {LIMIT("--header-seconds", "PENNYWORTH_HEADER_SECONDS", header_seconds, 1, 3600)},
    {LIMIT("--body-seconds", "PENNYWORTH_BODY_SECONDS", body_seconds, 1, 3600)},
    {LIMIT("--idle-seconds", "PENNYWORTH_IDLE_SECONDS", idle_seconds, 1, 3600)},
    {LIMIT("--answer-mib", "PENNYWORTH_ANSWER_MIB", answer_mib, 8, 1048576)},
    {LIMIT("--queue-limit", "PENNYWORTH_QUEUE_LIMIT", queue_limit, 1, 1000000)},
    {LIMIT("--silence-seconds", "PENNYWORTH_SILENCE_SECONDS", silence_seconds, 1, 86400)},
};

/* Gives `number` to row `i`, as a flag or as a variable. */
static enum config_result try_number(size_t i, bool as_flag, long long number,
                                     struct config *config, struct error *err)
{
    char word[100];

    snprintf(word, sizeof word, "%s=%lld", as_flag ? limits[i].flag : limits[i].variable, number);
    return as_flag ? read_config(WORDS(word), NULL, config, err)
                   : read_config(NULL, WORDS(word), config, err);
}

static void check_limit(size_t i, bool as_flag)
{
    struct config config = {.port = -7};
    char message[100];
    long long number;

    for (int end = 0; end < 2; end++) {
        long long edge = end == 0 ? limits[i].low : limits[i].high;
        long long beyond = end == 0 ? edge - 1 : edge + 1;
        struct error err = {0};

        EXPECT_INT(try_number(i, as_flag, beyond, &config, &err), CONFIG_WRONG);
        EXPECT_INT(config.port, -7); /* a refusal leaves the caller's config alone */
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, as_flag ? limits[i].flag : limits[i].variable);
        snprintf(message, sizeof message, "must be between %lld and %lld, got %lld",
                 limits[i].low, limits[i].high, beyond);
        EXPECT_STR(err.message, message);
    }
    for (int end = 0; end < 2; end++) {
        long long edge = end == 0 ? limits[i].low : limits[i].high;

        EXPECT_INT(try_number(i, as_flag, edge, &config, NULL), CONFIG_OK);
        memcpy(&number, (char *)&config + limits[i].offset, sizeof number);
        EXPECT_INT(number, edge);
        config.port = -7;
    }
}

TEST(every_limit_holds_at_both_ends_and_names_what_was_typed)
{
    for (size_t i = 0; i < COUNT(limits); i++) {
        check_limit(i, true);
        check_limit(i, false);
    }
}

static const struct {
    const char *words[3], *field, *message; /* or how it begins */
} refusals[] = {
    {{"--prot=1"}, "--prot=1", "is not an option of \"serve\"; the nearest of 38 are --port, "},
    {{"--por=1"}, "--por=1", "is not an option of \"serve\"; the nearest of "},
    {{"--Port=1"}, "--Port=1", "is not an option of \"serve\"; the nearest of "},
    {{"--http_threads=1"}, "--http_threads=1", "is not an option of \"serve\"; the nearest of "},
    {{"-p"}, "-p", "is not an option of \"serve\"; the nearest of "},
    {{"--"}, "--", "is not an option of \"serve\"; the nearest of "},
    {{""}, "", "is not an option of \"serve\"; the nearest of "},
    {{"Serve"}, "Serve", "is not a command; known are serve, bench, push, "},
    {{"benhc", "--port=1"}, "benhc", "is not a command; known are serve, bench, push, "},
    {{"serve", "serve"}, "serve", "is one word too many for \"serve\""},
    {{"backup"}, "FILE", "is missing: pennyworth backup FILE"},
    {{"token", "fleet"}, "SCOPES", "is missing: pennyworth token NAME SCOPES"},
    {{"prices"}, "check", "is missing: pennyworth prices check FILE"},
    {{"prices", "check"}, "FILE", "is missing: pennyworth prices check FILE"},
    {{"prices", "list", "a"}, "list", "is not known; pennyworth prices can only check"},
    {{"backup", "a", "b"}, "b", "is one word too many for \"backup\""},
    {{"backup", "a", "--port=1"}, "--port=1", "is not an option of \"backup\""},
    {{"--replace=on"}, "--replace=on", "is not an option of \"serve\""},
    {{"--port=1", "stray"}, "stray", "is one word too many for \"serve\""},
    /* Every user can read secrets of the command line in ps. */
    {{"--read-token=0123456789abcdef"},
     "--read-token=0123456789abcdef",
     "is not an option of \"serve\"; the nearest of "},
    {{"--port"}, "--port", "requires a value"},
    {{"--log=info", "--port"}, "--port", "requires a value"},
    {{"--port="}, "--port", "must be an integer between 0 and 65535, got ''"},
    {{"--port", "--log"}, "--port", "must be an integer between 0 and 65535, got '--log'"},
    {{"--port=80x"}, "--port", "must be an integer between 0 and 65535, got '80x'"},
    {{"--port=0x50"}, "--port", "must be an integer between 0 and 65535, got '0x50'"},
    {{"--port= 80"}, "--port", "must be an integer between 0 and 65535, got ' 80'"},
    {{"--port=+80"}, "--port", "must be an integer between 0 and 65535, got '+80'"},
    {{"--port=99999999999999999999"},
     "--port",
     "must be an integer between 0 and 65535, got '99999999999999999999'"},
    {{"--log=loud"}, "--log", "'loud' is not supported; known are error, info, debug"},
    {{"--log="}, "--log", "'' is not supported"},
    {{"--instance-type=a\nb"}, "--instance-type", "must not hold control characters"},
    {{"--instance-type=\377"}, "--instance-type", "must be UTF-8"},
    {{"--instance-type=0123456789012345678901234567890123456789012345678901234567890123"},
     "--instance-type",
     "must have between 0 and 63 bytes, got 64"},
};

TEST(a_refused_option_is_named_as_it_was_typed)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct config config;
        struct error err = {0};

        EXPECT_INT(read_config(refusals[i].words, NULL, &config, &err), CONFIG_WRONG);
        EXPECT_STR(err.field, refusals[i].field);
        err.message[strlen(refusals[i].message)] = '\0';
        EXPECT_STR(err.message, refusals[i].message);
    }
}

static const struct {
    const char *variable, *words[4], *engine;
} engines[] = {
    {"PENNYWORTH_ENGINE=", {NULL}, ""},
    {"PENNYWORTH_ENGINE=a=sh;b=cat", {NULL}, "a=sh;b=cat"},
    {NULL, {"--engine=a=sh"}, "a=sh"},
    {NULL, {"--engine=a=sh", "--engine", "b=cat z"}, "a=sh;b=cat z"},
    {"PENNYWORTH_ENGINE=c=ls", {"--engine=a=sh", "--engine=b=cat"}, "a=sh;b=cat"},
};

TEST(engines_may_be_given_again_and_add_up)
{
    for (size_t i = 0; i < COUNT(engines); i++) {
        struct config config;

        EXPECT_INT(read_config(engines[i].words, WORDS(engines[i].variable), &config, NULL),
                   CONFIG_OK);
        EXPECT_STR(config.engine, engines[i].engine);
    }
}

TEST(engines_that_are_too_long_together_are_refused)
{
    char word[3000];
    struct config config;
    struct error err = {0};

    memset(word, 'x', sizeof word);
    memcpy(word, "--engine=a=sh ", strlen("--engine=a=sh "));
    word[sizeof word - 1] = '\0';
    EXPECT_INT(read_config(WORDS(word), NULL, &config, &err), CONFIG_OK);
    EXPECT_INT(read_config(WORDS(word, word), NULL, &config, &err), CONFIG_WRONG);
    EXPECT_HAS(err, (field, "--engine"), (message, "is too long all together"));
}

TEST(any_other_option_given_again_replaces)
{
    struct config config;

    EXPECT_INT(
        read_config(WORDS("--port=1", "--instance-type=a", "--port=2", "--instance-type=b"), NULL,
                    &config, NULL),
        CONFIG_OK);
    EXPECT_HAS(config, (port, 2), (instance_type, "b"));
}

/* --wanted is --wanted=on, and takes no word after it. */
TEST(a_flag_may_need_no_value)
{
    struct config config;
    struct error err = {0};

    EXPECT_INT(
        read_config(WORDS("bench", "--wanted", "--report-to=http://hub"), NULL, &config, &err),
        CONFIG_OK);
    EXPECT_HAS(config, (wanted, "on"), (report_to, "http://hub"));
    EXPECT_INT(read_config(WORDS("bench", "--wanted=off"), NULL, &config, &err), CONFIG_OK);
    EXPECT_STR(config.wanted, "off");
    EXPECT_INT(read_config(WORDS("bench", "--wanted"), NULL, &config, &err), CONFIG_WRONG);
    EXPECT_STR(err.field, "--wanted");
    EXPECT_PART(err.message, "--report-to");
}

static const struct {
    const char *word, *variable;
    enum command command;
} first_words[] = {
    {NULL, NULL, COMMAND_SERVE},
    {"serve", NULL, COMMAND_SERVE},
    {"bench", NULL, COMMAND_BENCH},
    /* The environment of a container. */
    {NULL, "PENNYWORTH_REPORT_TO=https://hub", COMMAND_BENCH},
    {"serve", "PENNYWORTH_REPORT_TO=https://hub", COMMAND_SERVE},
    {"push", "PENNYWORTH_REPORT_TO=https://hub", COMMAND_PUSH},
    {"check", NULL, COMMAND_CHECK},
    {"health", NULL, COMMAND_HEALTH},
};

TEST(the_first_word_is_the_command)
{
    for (size_t i = 0; i < COUNT(first_words); i++) {
        struct config config;
        struct error err = {0};

        EXPECT_INT(read_config(WORDS(first_words[i].word), WORDS(first_words[i].variable),
                               &config, &err),
                   CONFIG_OK);
        EXPECT_STR(err.message, "");
        EXPECT_INT(config.command, first_words[i].command);
    }
}

TEST(operands_may_stand_between_options)
{
    struct config config;

    EXPECT_INT(read_config(WORDS("restore", "--replace=on", "a.db", "--database", "b.db"), NULL,
                           &config, NULL),
               CONFIG_OK);
    EXPECT_HAS(config, (command, COMMAND_RESTORE), (operands[0], "a.db"), (database, "b.db"),
               (replace, "on"));
}

static const struct {
    const char *words[4], *field;
} misfits[] = {
    {{"push"}, "--report-to"},
    {{"bench", "--report-to=hub"}, "--report-to"},
    {{"push", "--report-to=https://user:word@hub"}, "--report-to"},
    {{"push", "--report-to=https://hub/?a"}, "--report-to"},
    {{"push", "--report-to=https://hub", "--report-ca=/nowhere"}, "--report-ca"},
    {{"serve", "--tls-key=k.pem"}, "--tls-certificate"},
    {{"serve", "--tls-certificate=c.pem"}, "--tls-key"},
    {{"bench", "--max-seconds=9"}, "--max-seconds"},
    {{"bench", "--set=all"}, "--set"},
};

TEST(options_that_contradict_each_other_are_refused)
{
    for (size_t i = 0; i < COUNT(misfits); i++) {
        struct config config;
        struct error err = {0};

        EXPECT_INT(read_config(misfits[i].words, NULL, &config, &err), CONFIG_WRONG);
        EXPECT_STR(err.field, misfits[i].field);
    }
}

TEST(help_and_version_win_over_mistakes)
{
    struct config config;
    struct error err = {0};

    EXPECT_INT(read_config(WORDS("--prot=1", "--help"), NULL, &config, &err), CONFIG_HELP);
    EXPECT_INT(read_config(WORDS("-h"), NULL, &config, &err), CONFIG_HELP);
    EXPECT_INT(read_config(WORDS("--port", "--version"), NULL, &config, &err), CONFIG_VERSION);
    EXPECT_INT(err.kind, ERROR_NONE);
}

static const char *const help_lines[] = {
    "  --listen ADDRESS\n",
    "[PENNYWORTH_LISTEN, default 127.0.0.1]\n",
    "  --database FILE\n",
    "[PENNYWORTH_DATABASE]\n",
    "  --engine NAME=COMMAND\n",
    "[PENNYWORTH_ENGINE, may be repeated]\n",
    "  --instance-type TYPE\n",
    "[PENNYWORTH_INSTANCE_TYPE]\n",
    "  --read-token-file FILE\n",
    "[PENNYWORTH_READ_TOKEN_FILE]\n",
    "  --write-token-file FILE\n",
    "[PENNYWORTH_WRITE_TOKEN_FILE]\n",
    "  (no flag)\n",
    "[PENNYWORTH_READ_TOKEN]\n",
    "[PENNYWORTH_WRITE_TOKEN]\n",
    "  --log LEVEL\n",
    "[PENNYWORTH_LOG, default info, one of error info debug]\n",
    "  --published WORD\n",
    "[PENNYWORTH_PUBLISHED, default on, one of on off]\n",
    "[PENNYWORTH_PORT, default 8080, 0 to 65535]\n",
    "  --help\n",
    "  --version\n",
};

TEST(help_lists_every_option_with_its_variable_default_and_limits)
{
    AUTO(freep) char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    config_help(COMMAND_SERVE, out);
    fclose(out);
    for (size_t i = 0; i < COUNT(help_lines); i++)
        if (!strstr(text, help_lines[i]))
            EXPECT_STR(NULL, help_lines[i]);
    for (size_t i = 0; i < COUNT(limits); i++) {
        char line[200];

        snprintf(line, sizeof line, "  %s N\n", limits[i].flag);
        EXPECT_PART(text, line);
        snprintf(line, sizeof line, ", %lld to %lld]\n", limits[i].low, limits[i].high);
        EXPECT_PART(text, line);
        EXPECT_PART(text, limits[i].variable);
    }
    EXPECT(strstr(text, "--read-token ") == NULL);
    EXPECT(strstr(text, "--write-token ") == NULL);
}

/* Whatever --help names can be given. */
TEST(every_flag_of_help_is_understood)
{
    AUTO(freep) char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int flags = 0;

    config_help(COMMAND_SERVE, out);
    fclose(out);
    for (char *at = strstr(text, "\n  --"); at; at = strstr(at + 1, "\n  --"), flags++) {
        struct config config;
        struct error err = {0};
        char word[100];

        snprintf(word, sizeof word, "%.*s", (int)strcspn(at + 3, " \n"), at + 3);
        (void)read_config(WORDS(word, "?"), NULL, &config, &err);
        /* Behind a flag without a value, "?" is a word of its own. */
        EXPECT(!strstr(err.message, "is not an option") || strcmp(err.field, "?") == 0);
    }
    EXPECT_INT(flags, 40); /* with --help and --version */
}
