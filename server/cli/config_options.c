#include "server/cli/config_options.h"

#include "common/cleanup.h"

#define SERVE COMMAND_BIT(COMMAND_SERVE)
#define BENCH COMMAND_BIT(COMMAND_BENCH)
#define MEASURE (SERVE | BENCH)
#define REPORT (BENCH | COMMAND_BIT(COMMAND_PUSH))
#define REACH (SERVE | COMMAND_BIT(COMMAND_HEALTH))
#define STORE                                                                                    \
    (MEASURE | REPORT | COMMAND_BIT(COMMAND_BACKUP) | COMMAND_BIT(COMMAND_RESTORE) |             \
     COMMAND_BIT(COMMAND_CHECK) | COMMAND_BIT(COMMAND_HEALTH))

const struct command_words config_commands[COMMANDS] = {
    [COMMAND_SERVE] = {"serve", {NULL}, "Serves training runs on this machine"},
    [COMMAND_BENCH] = {"bench",
                       {NULL},
                       "Measures this machine, prints what came of it, and reports it to a hub"},
    [COMMAND_PUSH] = {"push", {NULL}, "Reports to a hub what it has not accepted yet"},
    [COMMAND_BACKUP] = {"backup", {"FILE"}, "Copies the database, while it is in use or not"},
    [COMMAND_RESTORE] = {"restore", {"FILE"}, "Makes a backup the database"},
    [COMMAND_CHECK] = {"check", {NULL}, "Reads the whole database, and says whether it is sound"},
    [COMMAND_HEALTH] =
        {"health",
         {NULL},
         "Says whether what runs on this database is well: a server, a bench or a push"},
    [COMMAND_TOKEN] = {"token",
                       {"NAME", "SCOPES"},
                       "Makes a token: its line for --tokens on stdout, itself on stderr"},
};

static const char *const life_cycles[] = {"auto", "on_demand", "spot", NULL};
static const char *const switch_words[] = {"on", "off", NULL};
static const char *const log_levels[] = {"error", "info", "debug", NULL};
static const char *const sets[] = {"standard", "quick", NULL};
static const char *const formats[] = {"table", "json", NULL};

#define AT(member) .name = #member, .offset = offsetof(struct config, member)
#define NUMBER(who, member, low, high, value, text)                                              \
    .field = {AT(member), .type = FIELD_INTEGER, .min = low, .max = high, .meaning = text},      \
    .fallback = value, .argument = "N", .commands = who
#define WORDS(who, member, word, high, value, text)                                              \
    .field = {AT(member), .type = FIELD_TEXT, .min = 0, .max = high, .meaning = text},           \
    .fallback = value, .argument = word, .commands = who
#define DOLLARS(who, member, text)                                                               \
    .field = {AT(member), .type = FIELD_LIMIT, .max = 1000000, .meaning = text},                 \
    .fallback = "none", .argument = "USD", .commands = who
#define ONE_OF(who, member, words, value, text)                                                  \
    .field = {AT(member), .type = FIELD_CHOICE, .choices = words, .meaning = text},              \
    .fallback = value, .argument = "WORD", .commands = who

const struct option config_options[] = {
    {WORDS(REACH, listen, "ADDRESS", 63, "127.0.0.1",
           "IPv4 or IPv6 address to serve; any but loopback wants a token")},
    {NUMBER(REACH, port, 0, 65535, "8080", "TCP port; 0 takes a free one and logs it")},
    {WORDS(STORE, database, "FILE", PATH_TEXT_MAX, "",
           "SQLite file; empty means pennyworth/pennyworth.db in the XDG state directory")},
    {WORDS(MEASURE, engine, "NAME=COMMAND", 4096, "",
           "Program that runs a spec's \"engine\": NAME (no shell; words split at spaces)"),
     .repeats = true},
    {WORDS(MEASURE, instance, "TYPE", 63, "", "Instance type of this machine; empty asks")},
    {WORDS(MEASURE, provider, "NAME", 15, "",
           "Whose machine this is: aws, gcp, azure, or any name; empty asks")},
    {WORDS(MEASURE, region, "NAME", 39, "", "Where it is, as its provider calls it; empty asks")},
    {WORDS(MEASURE, zone, "NAME", 39, "", "In which zone of the region; empty asks")},
    {ONE_OF(MEASURE, life_cycle, life_cycles, "auto", "How it is paid; auto asks")},
    {WORDS(MEASURE, metadata, "WHOM", 300, "auto",
           "Who is asked which machine this is: auto (whom the firmware names), off, or aws=URL, "
           "gcp=URL, azure=URL")},
    {WORDS(MEASURE, feed, "NAME=WORDS", 4096, "",
           "How a price feed (or \"all\") is read: on, off, url=URL or PATH, "
           "regions=A,B, types=A,B, every=N, patience=N"),
     .repeats = true},
    {WORDS(MEASURE, gcp_key, "KEY", 200, "", "API key for Google's billing catalog"),
     .secret = true},
    {DOLLARS(MEASURE, price_per_hour,
             "Dollars that an hour of this machine costs; wins over all feeds")},
    {ONE_OF(MEASURE, confine, switch_words, "on",
            "Whether the native engine is kept from the network and from what only root may do")},
    {WORDS(SERVE, read_token_file, "FILE", PATH_TEXT_MAX, "",
           "File whose first line is the token to read with")},
    {WORDS(SERVE, write_token_file, "FILE", PATH_TEXT_MAX, "",
           "File whose first line is the token to read and write with")},
    {WORDS(SERVE, read_token, "TOKEN", TOKEN_MAX, "", "The same token, directly"),
     .secret = true},
    {WORDS(SERVE, write_token, "TOKEN", TOKEN_MAX, "", "The same token, directly"),
     .secret = true},
    {WORDS(SERVE, tokens, "FILE", PATH_TEXT_MAX, "",
           "File of tokens, a line each as \"pennyworth token\" prints it on stdout; read again "
           "on SIGHUP")},
    {WORDS(REACH, tls_certificate, "FILE", PATH_TEXT_MAX, "",
           "Certificate chain (PEM): serves https and nothing else")},
    {WORDS(SERVE, tls_key, "FILE", PATH_TEXT_MAX, "", "The certificate's key (PEM)")},
    {WORDS(SERVE, audit, "FILE", PATH_TEXT_MAX, "",
           "File that gets a line of JSON for each request that writes, opened anew on SIGHUP; "
           "empty "
           "means the log")},
    {NUMBER(SERVE, http_threads, 1, 64, "2", "Threads that answer requests")},
    {NUMBER(SERVE, max_connections, 8, 60000, "1024", "Open connections, all together")},
    {NUMBER(SERVE, max_connections_per_address, 1, 60000, "256",
            "Open connections of one address; the longest idle ones make room")},
    {NUMBER(SERVE, header_seconds, 1, 3600, "10", "Time for a client to send its header")},
    {NUMBER(SERVE, body_seconds, 1, 3600, "30", "Time for a client to send its body")},
    {NUMBER(SERVE, idle_seconds, 1, 3600, "60", "Time a connection may rest between requests")},
    {NUMBER(SERVE, queue_limit, 1, 1000000, "100",
            "Runs that may wait; more are refused with 429")},
    {NUMBER(MEASURE, silence_seconds, 1, 86400, "60", "A worker silent for longer is killed")},
    {NUMBER(MEASURE, reserve_mib, 1, 1048576, "64",
            "MiB to be left free beside the database: with less, nothing new is taken (507)")},
    {NUMBER(SERVE, keep_steps_days, 0, 36500, "0",
            "Days after which steps of a run are thinned, its summary stays; 0 keeps all")},
    {ONE_OF(SERVE, published, switch_words, "on",
            "Whether a new database begins with what others published")},
    {WORDS(REPORT, report_to, "URL", 300, "", "The hub that gets what was measured")},
    {WORDS(REPORT, report_token_file, "FILE", PATH_TEXT_MAX, "",
           "File whose first line is the hub's token to import with")},
    {WORDS(REPORT, report_token, "TOKEN", TOKEN_MAX, "", "The same token, directly"),
     .secret = true},
    {WORDS(REPORT, report_ca, "FILE", PATH_TEXT_MAX, "",
           "Certificates (PEM) that the hub's is checked with; empty means the system's")},
    {NUMBER(REPORT, report_seconds, 0, 604800, "600",
            "How long to try at the end; what was not accepted stays in the database")},
    {ONE_OF(BENCH, set, sets, "standard", "What is measured")},
    {NUMBER(BENCH, max_seconds, 10, 604800, "450",
            "Time for all runs together, those included that repeat a disturbed one")},
    {DOLLARS(BENCH, max_dollars, "Money for all runs together, by this machine's price")},
    {WORDS(BENCH, label, "KEY=VALUE", 4096, "", "Goes with each run"), .repeats = true},
    {ONE_OF(BENCH, format, formats, "table", "How the answer is printed")},
    {ONE_OF(COMMAND_BIT(COMMAND_RESTORE), replace, switch_words, "off",
            "Whether a database that is there is put aside")},
    {.field = {AT(log), .type = FIELD_CHOICE, .choices = log_levels, .meaning = "What is logged"},
     .fallback = "info",
     .argument = "LEVEL",
     .commands = MEASURE | REPORT},
};
const size_t config_option_count = COUNT(config_options);
