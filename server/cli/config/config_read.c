#include "server/cli/config/config_read.h"

#include "common/cleanup.h"
#include "common/known_names.h"
#include "common/memory.h"
#include "server/cli/config/config_check.h"
#include "server/cli/config/config_options.h"

#include <ctype.h>

#define VARIABLE_PREFIX "PENNYWORTH_"
#define OPTIONS_MAX 64

/* "--max-connections" of "max_connections", "PENNYWORTH_MAX_CONNECTIONS" of the same. */
static void flag_name(const char *called, char ret_name[64])
{
    snprintf(ret_name, 64, "--%s", called);
    for (char *c = ret_name + 2; *c; c++)
        if (*c == '_')
            *c = '-';
}

static void variable_name(const char *called, char ret_name[64])
{
    snprintf(ret_name, 64, VARIABLE_PREFIX "%s", called);
    for (char *c = ret_name; *c; c++)
        *c = (char)toupper(*c);
}

/* A word that is none of the option's: the message lists them. */
static bool refuse_word(const struct field *field, const char *text, struct error *err)
{
    struct known_names known = {0};
    char what[80];

    snprintf(what, sizeof what, "'%.40s' is not supported", text);
    known_names_add_all(&known, field->choices);
    return error_unknown_name(err, &(struct unknown_name){field->name, what, text, strlen(text)},
                              &known);
}

static bool is_choice(const struct field *field, const char *text)
{
    for (const char *const *choice = field->choices; *choice; choice++)
        if (strcmp(*choice, text) == 0)
            return true;
    return false;
}

static bool config_set(const struct option *option, const char *called, const char *text,
                       bool again, struct config *config, struct error *err)
{
    char joined[4096 + 1];
    struct field field = option->field;

    field.name = called; /* so that the error names the option as it was given */
    if (field.type == FIELD_CHOICE && !is_choice(&field, text))
        return refuse_word(&field, text, err);
    if (!again || !option->repeats)
        return field_read_text(&field, text, config, err);
    int length = snprintf(joined, sizeof joined, "%s;%s", (char *)config + field.offset, text);
    if (length < 0 || (size_t)length >= sizeof joined)
        return error_set(err, ERROR_INVALID, called, "is too long all together");
    return field_read_text(&field, joined, config, err);
}

static bool read_defaults(struct config *config, struct error *err)
{
    for (size_t i = 0; i < config_option_count; i++)
        if (!config_set(&config_options[i], config_options[i].field.name,
                        config_options[i].fallback, false, config, err))
            return false;
    return true;
}

static bool read_variable(const struct option *option, char *const environment[],
                          struct config *config, struct error *err)
{
    char name[64];
    size_t length;

    variable_name(option->field.name, name);
    length = strlen(name);
    for (char *const *entry = environment; *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
            !config_set(option, name, *entry + length + 1, false, config, err))
            return false;
    return true;
}

static bool read_environment(char *const environment[], struct config *config, struct error *err)
{
    for (size_t i = 0; i < config_option_count; i++)
        if (!read_variable(&config_options[i], environment, config, err))
            return false;
    return true;
}

static bool is_flag(const char *called, const char *word, size_t length)
{
    char name[64];

    flag_name(called, name);
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

/* Finds the option of "--flag" or "--flag=value". */
static const struct option *find_flag(const char *word, size_t length)
{
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *option = &config_options[i];

        if (!option->secret && is_flag(option->field.name, word, length))
            return option;
    }
    return NULL;
}

/* Lists the flags of the command that are nearest to `word`. */
static bool refuse_flag(const struct config *config, const char *word, size_t length,
                        struct error *err)
{
    char names[OPTIONS_MAX][64], what[64];
    struct known_names known = {0};

    for (size_t i = 0; i < config_option_count && i < OPTIONS_MAX; i++) {
        if (config_options[i].secret ||
            !(config_options[i].commands & COMMAND_BIT(config->command)))
            continue;
        flag_name(config_options[i].field.name, names[i]);
        known_names_add(&known, names[i]);
    }
    snprintf(what, sizeof what, "is not an option of \"%s\"",
             config_commands[config->command].name);
    return error_unknown_name(err, &(struct unknown_name){word, what, word, length}, &known);
}

/* The first word is not a command, or there is a word too many. */
static bool refuse_operand(const struct config *config, const char *word, bool is_first,
                           struct error *err)
{
    struct known_names known = {0};

    if (!is_first)
        return error_set(err, ERROR_INVALID, word, "is one word too many for \"%s\"",
                         config_commands[config->command].name);
    for (int command = 0; command < COMMANDS; command++)
        known_names_add(&known, config_commands[command].name);
    return error_unknown_name(
        err, &(struct unknown_name){word, "is not a command", word, strlen(word)}, &known);
}

static bool take_operand(struct config *config, const char *word, bool is_first, int *count,
                         struct error *err)
{
    const struct command_words *words = &config_commands[config->command];

    if (*count == OPERANDS_MAX || !words->operands[*count])
        return refuse_operand(config, word, is_first, err);
    if (strlen(word) > PATH_TEXT_MAX)
        return error_set(err, ERROR_INVALID, words->operands[*count], "is too long");
    if (words->operands[*count][0] >= 'a' && strcmp(words->operands[*count], word) != 0)
        return error_set(err, ERROR_INVALID, word, "is not known; pennyworth %s can only %s",
                         words->name, words->operands[*count]);
    snprintf(config->operands[(*count)++], PATH_TEXT_MAX + 1, "%s", word);
    return true;
}

static bool has_operands(const struct config *config, int count, struct error *err)
{
    const struct command_words *words = &config_commands[config->command];

    if (count == OPERANDS_MAX || !words->operands[count])
        return true;
    return error_set(err, ERROR_INVALID, words->operands[count],
                     "is missing: pennyworth %s %s%s%s", words->name, words->operands[0],
                     words->operands[1] ? " " : "", words->operands[1] ? words->operands[1] : "");
}

/* Reads the words from `first` on. */
static bool read_flags(int argc, char *const argv[], int first, struct config *config,
                       struct error *err)
{
    bool seen[OPTIONS_MAX] = {false};
    int operands = 0;

    for (int i = first; i < argc; i++) {
        size_t length = strcspn(argv[i], "=");
        const struct option *option = find_flag(argv[i], length);
        const char *value = argv[i][length] ? argv[i] + length + 1 : argv[i + 1];
        char name[64];

        if (argv[i][0] && (argv[i][0] != '-' || strcmp(argv[i], "-") == 0)) {
            if (!take_operand(config, argv[i], i == 1, &operands, err))
                return false;
            continue;
        }
        if (!option || !(option->commands & COMMAND_BIT(config->command)))
            return refuse_flag(config, argv[i], length, err);
        flag_name(option->field.name, name);
        if (!argv[i][length] && option->bare)
            value = option->bare;
        else if (!argv[i][length])
            i++;
        if (!value)
            return error_set(err, ERROR_INVALID, name, "requires a value");
        if (!config_set(option, name, value, seen[option - config_options], config, err))
            return false;
        seen[option - config_options] = true;
    }
    return has_operands(config, operands, err);
}

/* The command that the first word names; *ret_first is the word after it. */
static bool find_command(int argc, char *const argv[], struct config *config, int *ret_first)
{
    *ret_first = 1;
    config->command = COMMAND_SERVE;
    if (argc < 2 || argv[1][0] == '-')
        return false;
    for (int command = 0; command < COMMANDS; command++) {
        if (strcmp(argv[1], config_commands[command].name) != 0)
            continue;
        config->command = (enum command)command;
        *ret_first = 2;
        return true;
    }
    return false;
}

enum config_result config_read(int argc, char *const argv[], char *const environment[],
                               struct config *ret_config, struct error *err)
{
    AUTO(freep) struct config *config = xcalloc(1, sizeof *config);
    bool named;
    int first;

    named = find_command(argc, argv, config, &first);
    for (int i = first; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            ret_config->command = config->command;
            return CONFIG_HELP;
        }
        if (strcmp(argv[i], "--version") == 0)
            return CONFIG_VERSION;
    }
    if (!read_defaults(config, err) || !read_environment(environment, config, err))
        return CONFIG_WRONG;
    /* A container may have nothing but its environment: a hub there means bench. */
    if (!named && config->report_to[0])
        config->command = COMMAND_BENCH;
    if (!read_flags(argc, argv, first, config, err) || !config_check(config, environment, err))
        return CONFIG_WRONG;
    *ret_config = *config;
    return CONFIG_OK;
}

static void help_row(FILE *out, const struct option *option)
{
    const struct field *field = &option->field;
    char flag[64], variable[64];

    flag_name(option->field.name, flag);
    variable_name(option->field.name, variable);
    if (option->secret)
        fprintf(out, "  (no flag)\n");
    else
        fprintf(out, "  %s%s%s\n", flag, option->bare ? "" : " ",
                option->bare ? "" : option->argument);
    fprintf(out, "      %s.\n      [%s", field->meaning, variable);
    if (*option->fallback)
        fprintf(out, ", default %s", option->fallback);
    if (field->type == FIELD_INTEGER)
        fprintf(out, ", %lld to %lld", field->min, field->max);
    for (const char *const *choice = field->choices; choice && *choice; choice++)
        fprintf(out, "%s%s", choice == field->choices ? ", one of " : " ", *choice);
    fprintf(out, "%s]\n", option->repeats ? ", may be repeated" : "");
}

static void help_commands(FILE *out)
{
    fputs("\nCommands (\"pennyworth COMMAND --help\" lists the options of one):\n", out);
    for (int command = 0; command < COMMANDS; command++) {
        const struct command_words *words = &config_commands[command];
        char called[64];

        snprintf(called, sizeof called, "%s%s%s%s%s", words->name, words->operands[0] ? " " : "",
                 words->operands[0] ? words->operands[0] : "", words->operands[1] ? " " : "",
                 words->operands[1] ? words->operands[1] : "");
        fprintf(out, "  %-20s %s%s.\n", called, words->meaning,
                command == COMMAND_SERVE ? " (the default command)" : "");
    }
}

void config_help(enum command command, FILE *out)
{
    const struct command_words *words = &config_commands[command];

    if (command == COMMAND_SERVE) {
        fputs("Usage: pennyworth [COMMAND] [OPTION]...\n"
              "Measure how fast this machine trains, and compare what training costs.\n",
              out);
        help_commands(out);
        fputs("\nOptions of \"serve\":\n", out);
    } else {
        fprintf(out, "Usage: pennyworth %s%s%s%s%s [OPTION]...\n%s.\n", words->name,
                words->operands[0] ? " " : "", words->operands[0] ? words->operands[0] : "",
                words->operands[1] ? " " : "", words->operands[1] ? words->operands[1] : "",
                words->meaning);
    }
    fputs("\nEach option is also an environment variable; a flag overrides it.\n\n", out);
    for (size_t i = 0; i < config_option_count; i++)
        if (config_options[i].commands & COMMAND_BIT(command))
            help_row(out, &config_options[i]);
    fputs("  --help\n      Print this and exit.\n"
          "  --version\n      Print the version and exit.\n",
          out);
    if (command == COMMAND_SERVE)
        fputs("\nSIGTERM and SIGINT stop the server. On SIGHUP it reads --tokens again, reopens "
              "--audit,\nand logs the result.\n",
              out);
}
