#include "server/cli/config/config_check.h"

#include "tests/test.h"

#define TOKEN "0123456789abcdef"

/* What config_read() would hand over for an empty command line. */
static struct config plain_config(void)
{
    return (struct config){
        .listen = "127.0.0.1", .database = "/tmp/x.db", .wanted = "off", .with_runs = "off"};
}

static bool check(struct config *config, const char *variable, struct error *err)
{
    AUTO(freep) char *copy = variable ? strdup(variable) : NULL;
    char *environment[] = {copy, NULL};

    return config_check(config, environment, err);
}

/* A file in the temporary directory with this content; the caller removes it. */
static void write_file(const char *content, char ret_path[64])
{
    snprintf(ret_path, 64, "/tmp/pennyworth-token-XXXXXX");
    AUTO(closep) int descriptor = mkstemp(ret_path);
    EXPECT(descriptor >= 0);
    EXPECT(write(descriptor, content, strlen(content)) == (ssize_t)strlen(content));
}

static const struct {
    const char *address;
    bool loopback;
} addresses[] = {
    {"127.0.0.1", true},        {"127.0.0.2", true},
    {"127.255.255.255", true},  {"::1", true},
    {"0:0:0:0:0:0:0:1", true},  {"0.0.0.0", false},
    {"128.0.0.1", false},       {"126.0.0.1", false},
    {"192.168.0.1", false},     {"::", false},
    {"fe80::1", false},         {"::2", false},
    {"localhost", false},       {"", false},
    {"127.1", false},           {"127.0.0.1x", false},
    {"::ffff:10.0.0.1", false},
};

TEST(loopback_is_distinguished_from_reachable_addresses)
{
    for (size_t i = 0; i < COUNT(addresses); i++)
        EXPECT_INT(config_is_loopback(addresses[i].address), addresses[i].loopback);
}

TEST(an_address_that_others_can_reach_needs_a_token)
{
    static const char *const reachable[] = {"0.0.0.0", "::", "192.168.0.1", "fe80::1"};

    for (size_t i = 0; i < COUNT(reachable); i++) {
        struct config config = plain_config();
        struct error err = {0};

        snprintf(config.listen, sizeof config.listen, "%s", reachable[i]);
        EXPECT(!check(&config, NULL, &err));
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "--listen"));
        EXPECT_PART(err.message, "without a token");
        EXPECT_PART(err.message, "--write-token-file"); /* and what to do about it */

        snprintf(config.read_token, sizeof config.read_token, TOKEN);
        EXPECT(check(&config, NULL, NULL));
        config.read_token[0] = '\0';
        snprintf(config.write_token, sizeof config.write_token, TOKEN);
        EXPECT(check(&config, NULL, NULL));
    }
}

TEST(a_host_name_is_no_address)
{
    static const char *const names[] = {"localhost",    "",         "127.1",
                                        "127.0.0.1:80", "[::1]:80", "*"};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct config config = plain_config();
        struct error err = {0};

        snprintf(config.listen, sizeof config.listen, "%s", names[i]);
        EXPECT(!check(&config, NULL, &err));
        EXPECT_STR(err.field, "--listen");
        EXPECT_PART(err.message, "must be an IPv4 or IPv6 address");
        EXPECT((strstr(err.message, "a port is said by --port 80") != NULL) ==
               (strchr(names[i], ':') != NULL));
    }
}

static const struct {
    const char *given, *variable, *database; /* NULL: refused */
} databases[] = {
    {"", "HOME=/home/me", "/home/me/.local/state/pennyworth/pennyworth.db"},
    {"", "XDG_STATE_HOME=/state", "/state/pennyworth/pennyworth.db"},
    {"/tmp/x.db", "XDG_STATE_HOME=/state", "/tmp/x.db"},
    {"/no/such/folder/x.db", "XDG_STATE_HOME=/state", NULL}, /* a slip is not made a folder */
    {"x.db", NULL, "x.db"},
    {"", NULL, NULL},
    {"", "HOME=", NULL},
    {"", "XDG_STATE_HOME=relative", NULL}, /* to be ignored, says the specification */
    {"", "XDG_STATE_HOMES=/state", NULL},
};

TEST(the_database_is_in_the_state_directory_by_default)
{
    for (size_t i = 0; i < COUNT(databases); i++) {
        struct config config = plain_config();
        struct error err = {0};

        snprintf(config.database, sizeof config.database, "%s", databases[i].given);
        EXPECT_INT(check(&config, databases[i].variable, &err), databases[i].database != NULL);
        if (databases[i].database)
            EXPECT_STR(config.database, databases[i].database);
        else
            EXPECT_STR(err.field, "--database");
    }
}

TEST(the_state_directory_wins_over_home_unless_it_is_relative)
{
    char home[] = "HOME=/home/me", state[] = "XDG_STATE_HOME=/state", odd[] = "XDG_STATE_HOME=s";
    char *both[] = {home, state, NULL}, *relative[] = {home, odd, NULL};
    struct config config = plain_config();

    config.database[0] = '\0';
    EXPECT(config_check(&config, both, NULL));
    EXPECT_STR(config.database, "/state/pennyworth/pennyworth.db");
    config.database[0] = '\0';
    EXPECT(config_check(&config, relative, NULL));
    EXPECT_STR(config.database, "/home/me/.local/state/pennyworth/pennyworth.db");
}

TEST(a_state_directory_that_is_too_long_is_refused)
{
    static char variable[5000] = "XDG_STATE_HOME=/";
    struct config config = plain_config();

    memset(variable + strlen(variable), 's', sizeof variable - strlen(variable) - 1);
    config.database[0] = '\0';
    EXPECT_INVALID(check(&config, variable, &err), "XDG_STATE_HOME");
}

#define SHORT "the token must have at least 16 characters, got "
#define LETTERS "the token must be printable ASCII without spaces"
#define HUNDRED                                                                                  \
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"   \
    "890123456789"

static const struct {
    const char *content, *token, *message; /* of the file; one of the others is NULL */
} files[] = {
    {TOKEN, TOKEN, NULL},
    {TOKEN "\n", TOKEN, NULL},
    {TOKEN "\r\n", TOKEN, NULL},
    {TOKEN "\nsecond line\n", TOKEN, NULL},
    {"!\"#$%&'()*+,-./~", "!\"#$%&'()*+,-./~", NULL},
    {HUNDRED HUNDRED TOKEN TOKEN TOKEN "12345678\r\n",
     HUNDRED HUNDRED TOKEN TOKEN TOKEN "12345678", NULL},
    {"", NULL, SHORT "0"},
    {"\n" TOKEN, NULL, SHORT "0"},
    {"0123456789abcde\n", NULL, SHORT "15"},
    {"0123456789 abcdef", NULL, LETTERS},
    {" 0123456789abcdef", NULL, LETTERS},
    {"0123456789\tabcdef", NULL, LETTERS},
    {"0123456789abcde\303\274", NULL, LETTERS},
    {HUNDRED HUNDRED TOKEN TOKEN TOKEN "123456789", NULL,
     "the token must have at most 256 characters"},
};

TEST(a_token_is_the_first_line_of_its_file)
{
    for (size_t i = 0; i < COUNT(files); i++) {
        struct config config = plain_config();
        struct error err = {0};
        char path[64];

        write_file(files[i].content, path);
        snprintf(config.read_token_file, sizeof config.read_token_file, "%s", path);
        EXPECT_INT(check(&config, NULL, &err), files[i].token != NULL);
        if (files[i].token)
            EXPECT_STR(config.read_token, files[i].token);
        EXPECT_STR(err.field, files[i].token ? "" : "--read-token-file");
        EXPECT_STR(err.message, files[i].message ? files[i].message : "");
        EXPECT_STR(config.write_token, "");
        unlink(path);
    }
}

TEST(a_file_that_cannot_be_read_is_named)
{
    struct config config = plain_config();
    struct error err = {0};

    snprintf(config.write_token_file, sizeof config.write_token_file, "/nowhere/token");
    EXPECT(!check(&config, NULL, &err));
    EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "--write-token-file"),
               (message, "cannot read /nowhere/token: No such file or directory"));

    error_clear(&err);
    snprintf(config.write_token_file, sizeof config.write_token_file, "/");
    EXPECT(!check(&config, NULL, &err)); /* a directory has no first line */
    EXPECT_STR(err.field, "--write-token-file");
}

TEST(a_token_from_the_environment_keeps_the_same_rules)
{
    struct config config = plain_config();
    struct error err = {0};

    snprintf(config.read_token, sizeof config.read_token, "short");
    EXPECT(!check(&config, NULL, &err));
    EXPECT_HAS(err, (field, "PENNYWORTH_READ_TOKEN"), (message, SHORT "5"));

    error_clear(&err);
    config.read_token[0] = '\0';
    snprintf(config.write_token, sizeof config.write_token, "with spaces in between");
    EXPECT(!check(&config, NULL, &err));
    EXPECT_HAS(err, (field, "PENNYWORTH_WRITE_TOKEN"), (message, LETTERS));
}

TEST(a_token_file_wins_over_a_token)
{
    struct config config = plain_config();
    char path[64];

    write_file(TOKEN "-of-the-file\n", path);
    snprintf(config.write_token_file, sizeof config.write_token_file, "%s", path);
    snprintf(config.write_token, sizeof config.write_token, TOKEN "-of-the-environment");
    EXPECT(check(&config, NULL, NULL));
    EXPECT_STR(config.write_token, TOKEN "-of-the-file");
    unlink(path);
}

/* Where the metadata are, and what a token is made of; "" is right. */
TEST(words_that_mean_nothing_are_refused)
{
    static const struct {
        enum command command;
        const char *metadata, *operands[2], *field, *words;
    } rows[] = {
        {COMMAND_SERVE, "auto", {0}, "", ""},
        {COMMAND_BENCH, "off", {0}, "", ""},
        {COMMAND_SERVE, "azure=http://127.0.0.1:1", {0}, "", ""},
        {COMMAND_SERVE,
         "none",
         {0},
         "--metadata",
         "must be auto, off, aws=URL, gcp=URL or azure=URL, got 'none'"},
        {COMMAND_SERVE,
         "aws=",
         {0},
         "--metadata",
         "must be auto, off, aws=URL, gcp=URL or azure=URL, got 'aws='"},
        {COMMAND_TOKEN, "", {"ci", "read,import"}, "", ""},
        {COMMAND_TOKEN,
         "",
         {"revok", "ci"},
         "SCOPES",
         "must be some of read, write and import, each once, with commas between, got 'ci'; "
         "\"token revoke NAME\" and \"token rebind NAME\" have none"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config config = plain_config();
        struct error err = {0};

        config.command = rows[i].command;
        snprintf(config.metadata, sizeof config.metadata, "%s", rows[i].metadata);
        for (size_t word = 0; word < COUNT(rows[i].operands) && rows[i].operands[word]; word++)
            snprintf(config.operands[word], sizeof config.operands[word], "%s",
                     rows[i].operands[word]);
        EXPECT_INT(check(&config, NULL, &err), !rows[i].field[0]);
        EXPECT_HAS(err, (field, rows[i].field), (message, rows[i].words));
    }
}
