#include "server/config.h"

#include "common/cleanup.h"
#include "common/fields.h"
#include "server/config_check.h"

#include <ctype.h>

#define VARIABLE_PREFIX "PENNYWORTH_"

struct option {
    struct field field; /* its name with '_' is the row's; flag and variable follow from it */
    const char *fallback;
    const char *argument; /* how --help calls the value */
    bool repeats;         /* given again, it adds (with ';') instead of replacing */
    bool secret;          /* from the environment only: flags can be seen in ps */
};

static const char *const life_cycles[] = {"auto", "on_demand", "spot", NULL};
static const char *const switch_words[] = {"on", "off", NULL};
static const char *const log_levels[] = {"error", "info", "debug", NULL};

#define AT(member) .name = #member, .offset = offsetof(struct config, member)
#define NUMBER(member, low, high, value, text)                                                   \
    .field = {AT(member), .type = FIELD_INTEGER, .min = low, .max = high, .meaning = text},      \
    .fallback = value, .argument = "N"
#define WORDS(member, word, high, value, text)                                                   \
    .field = {AT(member), .type = FIELD_TEXT, .min = 0, .max = high, .meaning = text},           \
    .fallback = value, .argument = word

static const struct option options[] = {
    {WORDS(listen, "ADDRESS", 63, "127.0.0.1",
           "IPv4 or IPv6 address to serve; any but loopback wants a token")},
    {NUMBER(port, 0, 65535, "8080", "TCP port; 0 takes a free one and logs it")},
    {WORDS(database, "FILE", 4096, "",
           "SQLite file; empty means pennyworth/pennyworth.db in the XDG state directory")},
    {WORDS(engine, "NAME=COMMAND", 4096, "",
           "Program that runs a spec's \"engine\": NAME (no shell; words split at spaces)"),
     .repeats = true},
    {WORDS(instance, "TYPE", 63, "", "Instance type of this machine; empty asks")},
    {WORDS(provider, "NAME", 15, "",
           "Whose machine this is: aws, gcp, azure, or any name; empty asks")},
    {WORDS(region, "NAME", 39, "", "Where it is, as its provider calls it; empty asks")},
    {WORDS(zone, "NAME", 39, "", "In which zone of the region; empty asks")},
    {.field = {AT(life_cycle), .type = FIELD_CHOICE, .choices = life_cycles,
               .meaning = "How it is paid; auto asks"},
     .fallback = "auto",
     .argument = "WORD"},
    {WORDS(metadata, "WHOM", 300, "auto",
           "Who is asked which machine this is: auto (whom the firmware names), off, or aws=URL, "
           "gcp=URL, azure=URL")},
    {WORDS(feed, "NAME=WORDS", 4096, "",
           "How a price feed (or \"all\") is read: on, off, url=URL or PATH, "
           "regions=A,B, types=A,B, every=N, patience=N"),
     .repeats = true},
    {WORDS(gcp_key, "KEY", 200, "", "API key for Google's billing catalog"), .secret = true},
    {.field = {AT(price_per_hour), .type = FIELD_LIMIT, .max = 1000000,
               .meaning = "Dollars that an hour of this machine costs; wins over all feeds"},
     .fallback = "none",
     .argument = "USD"},
    {WORDS(read_token_file, "FILE", 4096, "", "File whose first line is the token to read with")},
    {WORDS(write_token_file, "FILE", 4096, "",
           "File whose first line is the token to read and write with")},
    {WORDS(read_token, "TOKEN", TOKEN_MAX, "", "The same token, directly"), .secret = true},
    {WORDS(write_token, "TOKEN", TOKEN_MAX, "", "The same token, directly"), .secret = true},
    {NUMBER(http_threads, 1, 64, "2", "Threads that answer requests")},
    {NUMBER(max_connections, 8, 60000, "1024", "Open connections, all together")},
    {NUMBER(max_connections_per_address, 1, 60000, "256",
            "Open connections of one address; the longest idle ones make room")},
    {NUMBER(header_seconds, 1, 3600, "10", "Time for a client to send its header")},
    {NUMBER(body_seconds, 1, 3600, "30", "Time for a client to send its body")},
    {NUMBER(idle_seconds, 1, 3600, "60", "Time a connection may rest between requests")},
    {NUMBER(queue_limit, 1, 1000000, "100", "Runs that may wait; more are refused with 429")},
    {NUMBER(silence_seconds, 1, 86400, "60", "A worker silent for longer is killed")},
    {.field = {AT(published), .type = FIELD_CHOICE, .choices = switch_words,
               .meaning = "Whether a new database begins with what others published"},
     .fallback = "on",
     .argument = "WORD"},
    {.field = {AT(log), .type = FIELD_CHOICE, .choices = log_levels, .meaning = "What is logged"},
     .fallback = "info",
     .argument = "LEVEL"},
};
#undef AT

/* "--max-connections" of "max_connections", "PENNYWORTH_MAX_CONNECTIONS" of the same. */
static void flag_name(const struct option *option, char ret_name[64])
{
    snprintf(ret_name, 64, "--%s", option->field.name);
    for (char *c = ret_name + 2; *c; c++)
        if (*c == '_')
            *c = '-';
}

static void variable_name(const struct option *option, char ret_name[64])
{
    snprintf(ret_name, 64, VARIABLE_PREFIX "%s", option->field.name);
    for (char *c = ret_name; *c; c++)
        *c = (char)toupper(*c);
}

static bool set(const struct option *option, const char *called, const char *text, bool again,
                struct config *config, struct error *err)
{
    char joined[4096 + 1];
    struct field field = option->field;

    field.name = called; /* so that the error names what the person typed */
    if (!again || !option->repeats)
        return field_read_text(&field, text, config, err);
    int length = snprintf(joined, sizeof joined, "%s;%s", (char *)config + field.offset, text);
    if (length < 0 || (size_t)length >= sizeof joined)
        return error_set(err, ERROR_INVALID, called, "is too long all together");
    return field_read_text(&field, joined, config, err);
}

static bool read_defaults(struct config *config, struct error *err)
{
    for (size_t i = 0; i < COUNT(options); i++)
        if (!set(&options[i], options[i].field.name, options[i].fallback, false, config, err))
            return false;
    return true;
}

static bool read_environment(char *const environment[], struct config *config, struct error *err)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        char name[64];

        variable_name(&options[i], name);
        for (char *const *entry = environment; *entry; entry++) {
            size_t length = strlen(name);

            if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
                !set(&options[i], name, *entry + length + 1, false, config, err))
                return false;
        }
    }
    return true;
}

/* Finds the option of "--flag" or "--flag=value". */
static const struct option *find_flag(const char *word, size_t length)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        char name[64];

        flag_name(&options[i], name);
        if (!options[i].secret && strlen(name) == length && strncmp(name, word, length) == 0)
            return &options[i];
    }
    return NULL;
}

static bool read_flags(int argc, char *const argv[], struct config *config, struct error *err)
{
    bool seen[COUNT(options)] = {false};

    for (int i = 1; i < argc; i++) {
        size_t length = strcspn(argv[i], "=");
        const struct option *option = find_flag(argv[i], length);
        const char *value = argv[i][length] ? argv[i] + length + 1 : argv[i + 1];
        char name[64];

        if (!option)
            return error_set(err, ERROR_INVALID, argv[i], "is not an option; --help lists them");
        flag_name(option, name);
        if (!argv[i][length])
            i++;
        if (!value)
            return error_set(err, ERROR_INVALID, name, "wants a value");
        if (!set(option, name, value, seen[option - options], config, err))
            return false;
        seen[option - options] = true;
    }
    return true;
}

enum config_result config_read(int argc, char *const argv[], char *const environment[],
                               struct config *ret_config, struct error *err)
{
    AUTO(freep) struct config *config = calloc(1, sizeof *config);

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return CONFIG_HELP;
        if (strcmp(argv[i], "--version") == 0)
            return CONFIG_VERSION;
    }
    if (!config) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return CONFIG_WRONG;
    }
    if (!read_defaults(config, err) || !read_environment(environment, config, err) ||
        !read_flags(argc, argv, config, err) || !config_check(config, environment, err))
        return CONFIG_WRONG;
    *ret_config = *config;
    return CONFIG_OK;
}

static void help_row(FILE *out, const struct option *option)
{
    const struct field *field = &option->field;
    char flag[64], variable[64];

    flag_name(option, flag);
    variable_name(option, variable);
    if (option->secret)
        fprintf(out, "  (no flag)\n");
    else
        fprintf(out, "  %s %s\n", flag, option->argument);
    fprintf(out, "      %s.\n      [%s", field->meaning, variable);
    if (*option->fallback)
        fprintf(out, ", default %s", option->fallback);
    if (field->type == FIELD_INTEGER)
        fprintf(out, ", %lld to %lld", field->min, field->max);
    for (const char *const *choice = field->choices; choice && *choice; choice++)
        fprintf(out, "%s%s", choice == field->choices ? ", one of " : " ", *choice);
    fprintf(out, "%s]\n", option->repeats ? ", may be repeated" : "");
}

void config_help(FILE *out)
{
    fputs("Usage: pennyworth [OPTION]...\n"
          "Serves training runs on this machine, and what a dollar of it trains.\n\n"
          "Each option is also an environment variable; a flag wins.\n\n",
          out);
    for (size_t i = 0; i < COUNT(options); i++)
        help_row(out, &options[i]);
    fputs("  --help\n      Print this and exit.\n"
          "  --version\n      Print the version and exit.\n",
          out);
}
