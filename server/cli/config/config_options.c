/* Tested by tests/server/cli/config/config_read_test.c. */
#include "server/cli/config/config_options.h"

#include "common/cleanup.h"
#include "common/limits.h"

#define SERVE COMMAND_BIT(COMMAND_SERVE)
#define BENCH COMMAND_BIT(COMMAND_BENCH)
#define MEASURE (SERVE | BENCH)
#define TOKEN COMMAND_BIT(COMMAND_TOKEN)
#define REPORT (BENCH | COMMAND_BIT(COMMAND_PUSH))
#define REACH (SERVE | COMMAND_BIT(COMMAND_HEALTH))
#define STORE                                                                                    \
    (MEASURE | REPORT | COMMAND_BIT(COMMAND_BACKUP) | COMMAND_BIT(COMMAND_RESTORE) |             \
     COMMAND_BIT(COMMAND_CHECK) | COMMAND_BIT(COMMAND_HEALTH) | COMMAND_BIT(COMMAND_KEY) |       \
     TOKEN)

const struct command_words config_commands[COMMANDS] = {
    [COMMAND_SERVE] = {"serve", {NULL}, "Run the HTTP service"},
    [COMMAND_BENCH] = {"bench",
                       {NULL},
                       "Measure this machine, print the result, and report it to a hub"},
    [COMMAND_PUSH] = {"push", {NULL}, "Report to a hub the runs that it has not accepted yet"},
    [COMMAND_BACKUP] = {"backup", {"FILE"}, "Copy the database, even while it is in use"},
    [COMMAND_RESTORE] = {"restore", {"FILE"}, "Replace the database with a backup"},
    [COMMAND_CHECK] =
        {"check",
         {NULL},
         "Read the whole database, and report whether it is sound and which runs were altered"},
    [COMMAND_HEALTH] = {"health",
                        {NULL},
                        "Check whether the server, bench or push on this database is healthy"},
    [COMMAND_TOKEN] =
        {"token",
         {"NAME", "SCOPES"},
         "Make a token (its line for --tokens to stdout, the token to stderr), or \"revoke\" or "
         "\"rebind\" one"},
    [COMMAND_KEY] =
        {"key",
         {"ACTION"},
         "Print the public key that signs the runs of this database (show), or make a "
         "new one (rotate)"},
    [COMMAND_PRICES] = {"prices",
                        {"check", "FILE"},
                        "Check a file of prices, and explain each line that the server would "
                        "refuse"},
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
#define DOLLARS(who, member, most, text)                                                         \
    .field = {AT(member), .type = FIELD_LIMIT, .max = (most), .meaning = text},                  \
    .fallback = "none", .argument = "USD", .commands = who
#define ONE_OF(who, member, words, value, text)                                                  \
    .field = {AT(member), .type = FIELD_CHOICE, .choices = words, .meaning = text},              \
    .fallback = value, .argument = "WORD", .commands = who

const struct option config_options[] = {
    {WORDS(REACH, listen, "ADDRESS", 63, "127.0.0.1",
           "IPv4 or IPv6 address to serve; an address other than loopback requires a token")},
    {NUMBER(REACH, port, 0, 65535, "8080", "TCP port; 0 takes a free one and logs it")},
    {WORDS(SERVE, host, "NAME", 1000, "",
           "Name under which a server without tokens is reached, in addition to its addresses "
           "and localhost"),
     .repeats = true},
    {WORDS(STORE, database, "FILE", PATH_TEXT_MAX, "",
           "SQLite file; empty means pennyworth/pennyworth.db in the XDG state directory")},
    {WORDS(MEASURE, engine, "NAME=COMMAND", 4096, "",
           "Program that runs a spec's \"engine\": NAME (no shell; words split at spaces)"),
     .repeats = true},
    {WORDS(MEASURE, instance_type, "TYPE", 63, "",
           "Instance type of this machine; empty means to ask the metadata service")},
    {WORDS(MEASURE, provider, "NAME", 15, "",
           "Provider of this machine: aws, gcp, azure, or any name; empty means to ask the "
           "metadata service")},
    {WORDS(MEASURE, region, "NAME", 39, "",
           "Region of this machine, as its provider names it; empty means to ask the metadata "
           "service")},
    {WORDS(MEASURE, zone, "NAME", 39, "",
           "Zone of this machine in its region; empty means to ask the metadata service")},
    {ONE_OF(MEASURE, life_cycle, life_cycles, "auto",
            "How this machine is paid for; auto means to ask the metadata service")},
    {WORDS(MEASURE, metadata, "WHERE", 300, "auto",
           "Metadata service of this machine: auto (chosen by the firmware), off, or aws=URL, "
           "gcp=URL, "
           "azure=URL")},
    {WORDS(MEASURE, feed, "NAME=WORDS", 4096, "",
           "Settings of a price feed (or \"all\"): on, off, url=URL or PATH, "
           "regions=A,B, types=A,B, every=N, patience=N"),
     .repeats = true},
    {WORDS(MEASURE, gcp_key, "KEY", 200, "", "API key for Google's billing catalog"),
     .secret = true},
    {WORDS(MEASURE, price_regions, "A,B", 1023, "",
           "Regions of any provider to read and compare prices of: eu-central-1,westeurope")},
    {DOLLARS(MEASURE, price_per_hour, PRICE_DOLLARS_MAX,
             "Price of an hour of this machine in dollars; overrides all price feeds")},
    {ONE_OF(
        MEASURE, confine, switch_words, "on",
        "Whether the native engine runs without network access, root privileges and files that "
        "it does not need")},
    {WORDS(MEASURE, engine_user, "NAME", 63, "",
           "User of engines if root starts this; default: pennyworth-engine, if it exists, for "
           "the native engine")},
    {WORDS(SERVE, read_token_file, "FILE", PATH_TEXT_MAX, "",
           "File whose first line is the token for reading")},
    {WORDS(SERVE, write_token_file, "FILE", PATH_TEXT_MAX, "",
           "File whose first line is the token for reading and writing")},
    {WORDS(SERVE, read_token, "TOKEN", TOKEN_MAX, "", "Token for reading, without a file"),
     .secret = true},
    {WORDS(SERVE, write_token, "TOKEN", TOKEN_MAX, "",
           "Token for reading and writing, without a file"),
     .secret = true},
    {WORDS(
        SERVE | TOKEN, tokens, "FILE", PATH_TEXT_MAX, "",
        "File of tokens, one line each, as \"pennyworth token\" prints it to stdout; read again "
        "on SIGHUP")},
    {WORDS(SERVE, gate_trust, "A,B", 1023, "",
           "Names of tokens whose runs count like those measured here, in the gate and in "
           "comparisons")},
    {WORDS(REACH, tls_certificate, "FILE", PATH_TEXT_MAX, "",
           "Certificate chain (PEM); with it the server accepts only https")},
    {WORDS(SERVE, tls_key, "FILE", PATH_TEXT_MAX, "", "Private key of the certificate (PEM)")},
    {ONE_OF(SERVE, require_signatures, switch_words, "off",
            "Whether to refuse imported runs that are not signed"),
     .bare = "on"},
    {ONE_OF(TOKEN, with_runs, switch_words, "off",
            "With \"revoke\": whether to void all that the token has sent")},
    {WORDS(TOKEN, reason, "TEXT", REASON_MAX, "",
           "With \"revoke\": why, for the voided runs and the audit")},
    {WORDS(SERVE | TOKEN, audit, "FILE", PATH_TEXT_MAX, "",
           "File for one line of JSON per request that writes, reopened on SIGHUP; empty means "
           "the log")},
    {NUMBER(SERVE, http_threads, 1, 64, "2", "Threads that answer requests")},
    {NUMBER(SERVE, max_connections, 8, 60000, "1024", "Open connections in total")},
    {NUMBER(SERVE, max_connections_per_address, 1, 60000, "256",
            "Open connections of one client address; above that the server closes the one idle "
            "longest")},
    {NUMBER(SERVE, header_seconds, 1, 3600, "10", "Time for a client to send its header")},
    {NUMBER(SERVE, body_seconds, 1, 3600, "30", "Time for a client to send its body")},
    {NUMBER(SERVE, send_seconds, 1, 3600, "30",
            "Time for a client to take 16 KiB of its answer, or the rest")},
    {NUMBER(SERVE, idle_seconds, 1, 3600, "60",
            "Time a connection may be idle between requests")},
    {NUMBER(
        SERVE, answer_mib, 8, 1048576, "256",
        "MiB for answers above 64 KiB, from when they are made until they are sent; beyond that "
        "they are refused (503)")},
    {NUMBER(SERVE, queue_limit, 1, 1000000, "100",
            "Runs that may be queued; more are refused with 429")},
    {NUMBER(MEASURE, silence_seconds, 1, 86400, "60", "Kill a worker that is silent for longer")},
    {NUMBER(MEASURE, reserve_mib, 1, 1048576, "64",
            "MiB to keep free on the database's disk: with less, new data is refused (507)")},
    {NUMBER(SERVE, keep_steps_days, 0, 36500, "0",
            "Days until the server deletes most steps of a run and keeps its summary; 0 keeps "
            "all steps")},
    {ONE_OF(SERVE, published, switch_words, "on",
            "Whether a new database starts with the published figures")},
    {WORDS(REPORT, report_to, "URL", 300, "", "Hub to report the runs to")},
    {WORDS(REPORT, report_token_file, "FILE", PATH_TEXT_MAX, "",
           "File whose first line is the hub's token for importing")},
    {WORDS(REPORT, report_token, "TOKEN", TOKEN_MAX, "",
           "The hub's token for importing, without a file"),
     .secret = true},
    {WORDS(REPORT, report_ca, "FILE", PATH_TEXT_MAX, "",
           "Certificate authorities (PEM) to verify the hub with; empty means the system's")},
    {NUMBER(REPORT, report_seconds, 0, 604800, "600",
            "Seconds to keep trying after the last run; runs that the hub has not accepted stay "
            "stored")},
    {ONE_OF(COMMAND_BIT(COMMAND_PUSH), refused, switch_words, "off",
            "Whether to send again the runs that this hub has refused")},
    {ONE_OF(BENCH, set, sets, "standard", "Set of runs to measure")},
    {ONE_OF(BENCH, wanted, switch_words, "off",
            "Measure what the hub (--report-to) wants next of this type, instead of the set"),
     .bare = "on"},
    {NUMBER(BENCH, max_seconds, 10, 604800, "450",
            "Time for all runs together, including repeated ones")},
    {DOLLARS(BENCH, max_dollars, 1000000,
             "Dollars for all runs together, at this machine's price")},
    {.field = {AT(batch_size), .type = FIELD_AUTO, .min = 1, .max = BATCH_SIZE_MAX,
               .meaning =
                   "Samples a step; auto times a few steps and takes the largest batch, 32 "
                   "at most, with which enough steps fit into the time"},
     .fallback = "auto",
     .argument = "N",
     .commands = BENCH},
    {WORDS(BENCH, label, "KEY=VALUE", 4096, "", "Label to give each run"), .repeats = true},
    {ONE_OF(BENCH, format, formats, "table", "Format of the result")},
    {NUMBER(COMMAND_BIT(COMMAND_CHECK), sample, 0, 1000000000, "0",
            "Look at so many runs, chosen at random, in place of all")},
    {NUMBER(COMMAND_BIT(COMMAND_CHECK), seed, 0, 9007199254740991, "0",
            "Seed of --sample, so that the same runs are chosen again; 0 makes one up")},
    {ONE_OF(COMMAND_BIT(COMMAND_RESTORE), replace, switch_words, "off",
            "Whether to rename an existing database; off means to refuse")},
    {.field = {AT(log), .type = FIELD_CHOICE, .choices = log_levels,
               .meaning = "Least important lines to log"},
     .fallback = "info",
     .argument = "LEVEL",
     .commands = MEASURE | REPORT},
};
const size_t config_option_count = COUNT(config_options);
