#include "server/cli/config/config_check.h"

#include "common/cleanup.h"
#include "pricing/given.h"
#include "pricing/price.h"
#include "pricing/region_form.h"
#include "server/http/tokens/tokens.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/stat.h>

static const char *config_variable(char *const environment[], const char *name)
{
    size_t length = strlen(name);

    for (char *const *entry = environment; *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=' &&
            (*entry)[length + 1] != '\0')
            return *entry + length + 1;
    return NULL;
}

/* A path with a mistake in it is refused, not made. */
static bool check_folder(const char *database, struct error *err)
{
    const char *slash = strrchr(database, '/');
    char folder[PATH_TEXT_MAX + 1];
    struct stat status;

    if (!slash || slash == database)
        return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - database), database);
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    return error_set(err, ERROR_INVALID, "--database", "there is no folder %s: make it first",
                     folder);
}

static bool default_database(struct config *config, char *const environment[], struct error *err)
{
    const char *state = config_variable(environment, "XDG_STATE_HOME");
    const char *home = config_variable(environment, "HOME");
    int length;

    if (config->database[0])
        return check_folder(config->database, err);
    /* The specification wants a relative XDG_STATE_HOME ignored. */
    if (state && state[0] == '/')
        length = snprintf(config->database, sizeof config->database,
                          "%s/pennyworth/pennyworth.db", state);
    else if (home)
        length = snprintf(config->database, sizeof config->database,
                          "%s/.local/state/pennyworth/pennyworth.db", home);
    else
        return error_set(err, ERROR_INVALID, "--database",
                         "is needed: neither XDG_STATE_HOME nor HOME is set");
    if ((size_t)length >= sizeof config->database)
        return error_set(err, ERROR_INVALID, "XDG_STATE_HOME", "is too long");
    return true;
}

static bool read_first_line(const char *flag, const char *path, char *token, struct error *err)
{
    AUTO(fclosep) FILE *file = fopen(path, "re");
    char line[TOKEN_MAX + 2] = ""; /* one more than allowed, to detect a long token */
    size_t length;

    if (!file)
        return error_set(err, ERROR_INVALID, flag, "cannot read %s: %s", path, strerror(errno));
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    length = strcspn(line, "\r\n");
    if (length > TOKEN_MAX)
        return error_set(err, ERROR_INVALID, flag, "the token must have at most %d characters",
                         TOKEN_MAX);
    memcpy(token, line, length);
    token[length] = '\0';
    return true;
}

/* A token file wins over the token option. */
static bool read_token(const char *flag, const char *environment_name, const char *path,
                       char *token, struct error *err)
{
    const char *called = path[0] ? flag : environment_name;
    size_t length;

    if (path[0] && !read_first_line(flag, path, token, err))
        return false;
    length = strlen(token);
    if (length == 0 && !path[0])
        return true;
    if (length < TOKEN_MIN)
        return error_set(err, ERROR_INVALID, called,
                         "the token must have at least %d characters, got %zu", TOKEN_MIN,
                         length);
    for (const char *c = token; *c; c++)
        if (*c <= 0x20 || *c > 0x7e)
            return error_set(err, ERROR_INVALID, called,
                             "the token must be printable ASCII without spaces");
    return true;
}

bool config_is_loopback(const char *address)
{
    struct in6_addr six;
    struct in_addr four;

    if (inet_pton(AF_INET, address, &four) == 1)
        return (ntohl(four.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* Whether a port follows an IPv4 address, or [IPv6]. */
static const char *find_port(const char *listen)
{
    const char *colon = strrchr(listen, ':');

    return colon && (strchr(listen, ':') == colon || strchr(listen, ']')) ? colon + 1 : NULL;
}

static bool check_address(const struct config *config, struct error *err)
{
    const char *port = find_port(config->listen);
    struct in6_addr any;

    if (inet_pton(AF_INET, config->listen, &any) != 1 &&
        inet_pton(AF_INET6, config->listen, &any) != 1)
        return error_set(err, ERROR_INVALID, "--listen",
                         "must be an IPv4 or IPv6 address, got '%s'%s%.5s", config->listen,
                         port ? "; a port is said by --port " : "", port ? port : "");
    if (!config_is_loopback(config->listen) && !config->read_token[0] &&
        !config->write_token[0] && !config->tokens[0])
        return error_set(err, ERROR_INVALID, "--listen",
                         "%s can be reached by others, and without a token each of them could "
                         "run programs here: give --tokens, --write-token-file or "
                         "--read-token-file",
                         config->listen);
    return true;
}

static bool check_trust(const char *names, struct error *err)
{
    char word[TOKEN_NAME_SIZE + 1];

    for (; *names; names += strspn(names, ",")) {
        size_t length = strcspn(names, ",");
        struct error why = {0};

        snprintf(word, sizeof word, "%.*s", (int)length, names);
        if (!token_name_check(word, &why))
            return error_set(err, ERROR_INVALID, "--gate-trust",
                             "'%.60s' is no name of a token: "
                             "it %.120s",
                             word, why.message);
        names += length;
    }
    return true;
}

static bool check_serve(struct config *config, struct error *err)
{
    if (!config->tls_certificate[0] != !config->tls_key[0])
        return error_set(err, ERROR_INVALID,
                         config->tls_key[0] ? "--tls-certificate" : "--tls-key",
                         "is needed too: certificate and key belong together");
    if (config->tokens[0] && access(config->tokens, R_OK) != 0)
        return error_set(err, ERROR_INVALID, "--tokens", "cannot read %s: %s", config->tokens,
                         strerror(errno));
    return read_token("--read-token-file", "PENNYWORTH_READ_TOKEN", config->read_token_file,
                      config->read_token, err) &&
           read_token("--write-token-file", "PENNYWORTH_WRITE_TOKEN", config->write_token_file,
                      config->write_token, err) &&
           check_trust(config->gate_trust, err) && check_address(config, err);
}

static bool check_report(struct config *config, struct error *err)
{
    const char *to = config->report_to;

    if (*to && strncmp(to, "http://", 7) != 0 && strncmp(to, "https://", 8) != 0)
        return error_set(err, ERROR_INVALID, "--report-to",
                         "must begin with http:// or https://, got '%s'", to);
    if (strpbrk(to, "@?# "))
        return error_set(err, ERROR_INVALID, "--report-to",
                         "must be a plain URL: a token comes with --report-token-file");
    if (config->report_ca[0] && access(config->report_ca, R_OK) != 0)
        return error_set(err, ERROR_INVALID, "--report-ca", "cannot read %s: %s",
                         config->report_ca, strerror(errno));
    if (!*to && config->command == COMMAND_PUSH)
        return error_set(err, ERROR_INVALID, "--report-to", "is needed: the URL of a hub");
    if (!*to && config->command == COMMAND_BENCH && strcmp(config->wanted, "on") == 0)
        return error_set(err, ERROR_INVALID, "--wanted",
                         "asks a hub: --report-to says which one");
    return read_token("--report-token-file", "PENNYWORTH_REPORT_TOKEN", config->report_token_file,
                      config->report_token, err);
}

/* The form of a region tells its provider. */
static bool check_regions(const char *regions, struct error *err)
{
    char word[40];

    for (; *regions; regions += strspn(regions, ",")) {
        size_t length = strcspn(regions, ",");

        snprintf(word, sizeof word, "%.*s", (int)length, regions);
        if (length >= sizeof word || !provider_of_region(word))
            return error_set(err, ERROR_INVALID, "--price-regions",
                             "'%.*s' is not a region as aws (us-east-1), gcp (us-central1) or "
                             "azure (eastus2) write it",
                             length < 60 ? (int)length : 60, regions);
        regions += length;
    }
    return true;
}

static bool check_metadata(const char *where, struct error *err)
{
    static const char *const clouds[] = {"aws=http", "gcp=http", "azure=http"};
    bool known = !*where || strcmp(where, "auto") == 0 || strcmp(where, "off") == 0;

    for (size_t i = 0; i < COUNT(clouds); i++)
        known = known || strncmp(where, clouds[i], strlen(clouds[i])) == 0;
    return known ||
           error_set(err, ERROR_INVALID, "--metadata",
                     "must be auto, off, aws=URL, gcp=URL or azure=URL, got '%.60s'", where);
}

/* Refuses values that would never match a price or not be one. */
static bool check_machine(const struct config *config, struct error *err)
{
    struct price price = {0};

    return check_metadata(config->metadata, err) &&
           given_provider_check("--provider", config->provider, err) &&
           field_check_ends("--instance-type", config->instance_type, err) &&
           field_check_ends("--region", config->region, err) &&
           field_check_ends("--zone", config->zone, err) &&
           check_regions(config->price_regions, err) &&
           (!(config->price_per_hour > 0) || price_set_number(&price, config->price_per_hour) ||
            error_set(err, ERROR_INVALID, "--price-per-hour",
                      "must be at least 0.000000001 and at most %d, got %g", PRICE_DOLLARS_MAX,
                      config->price_per_hour));
}

static bool check_token(const struct config *config, struct error *err)
{
    bool revokes = strcmp(config->operands[0], "revoke") == 0;
    bool rebinds = strcmp(config->operands[0], "rebind") == 0;
    struct error why = {0};
    unsigned scopes;

    if (!token_name_check(config->operands[revokes || rebinds], err))
        return false;
    if (!revokes && !rebinds && !scopes_read(config->operands[1], &scopes, &why))
        return error_set(err, ERROR_INVALID, "SCOPES",
                         "%.160s, got '%.40s'; \"token revoke NAME\" and \"token rebind NAME\" "
                         "have none",
                         why.message, config->operands[1]);
    if (revokes && !config->tokens[0])
        return error_set(err, ERROR_INVALID, "--tokens", "is needed: the file with the token");
    if (rebinds && !config->database[0])
        return error_set(err, ERROR_INVALID, "--database", "is needed: the hub's database");
    if (strcmp(config->with_runs, "on") == 0 && (!revokes || !config->database[0]))
        return error_set(err, ERROR_INVALID, revokes ? "--database" : "--with-runs", "%s",
                         revokes ? "is needed: the one with the runs" : "is only for \"revoke\"");
    return true;
}

static bool check_key(const struct config *config, struct error *err)
{
    static const char *const actions[] = {"show", "rotate"};

    for (size_t i = 0; i < COUNT(actions); i++)
        if (strcmp(config->operands[0], actions[i]) == 0)
            return true;
    return error_set(err, ERROR_INVALID, "ACTION", "must be show or rotate, got '%.60s'",
                     config->operands[0]);
}

bool config_check(struct config *config, char *const environment[], struct error *err)
{
    switch (config->command) {
    case COMMAND_SERVE:
        return default_database(config, environment, err) && check_machine(config, err) &&
               check_serve(config, err);
    case COMMAND_BENCH:
    case COMMAND_PUSH:
        return default_database(config, environment, err) && check_machine(config, err) &&
               check_report(config, err);
    case COMMAND_KEY:
        return check_key(config, err) && default_database(config, environment, err);
    case COMMAND_TOKEN:
        return check_token(config, err);
    case COMMAND_BACKUP:
    case COMMAND_RESTORE:
    case COMMAND_CHECK:
    case COMMAND_HEALTH:
        return default_database(config, environment, err);
    default:
        return true;
    }
}
