#include "server/http/edge/tls_files.h"

#include "tests/engine/tree.h"

#define CERTIFICATE "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
#define KEY "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"

static struct tree tree;
static struct config config;

bool test_begin(void)
{
    tree = tree_make();
    return true;
}

void test_end(void)
{
    tree_remove(&tree);
}

static void write_file(char *path, const char *name, const char *text, size_t length)
{
    snprintf(path, PATH_TEXT_MAX, "%s/%s", tree.root, name);
    FILE *out = fopen(path, "w");
    EXPECT(out && fwrite(text, 1, length, out) == length);
    if (out)
        fclose(out);
}

TEST(both_are_read_whole)
{
    AUTO(tls_files_clear) struct tls_files files = {0};

    write_file(config.tls_certificate, "crt", CERTIFICATE, strlen(CERTIFICATE));
    write_file(config.tls_key, "key", KEY, strlen(KEY));
    EXPECT(tls_files_read(&config, &files, NULL));
    EXPECT_HAS(files, (certificate.data, CERTIFICATE), (key.data, KEY));
}

TEST(without_options_there_is_nothing_to_read)
{
    AUTO(tls_files_clear) struct tls_files files = {0};
    static const struct config none;

    EXPECT(tls_files_read(&none, &files, NULL));
    EXPECT_INT((long long)files.certificate.used, 0);
}

/* One of the two is wrong, the other one is not. */
static void expect_refused(bool is_key, const char *text, size_t length, const char *why)
{
    AUTO(tls_files_clear) struct tls_files files = {0};

    write_file(config.tls_certificate, "crt", is_key ? CERTIFICATE : text,
               is_key ? strlen(CERTIFICATE) : length);
    write_file(config.tls_key, "key", is_key ? text : KEY, is_key ? length : strlen(KEY));
    EXPECT_WRONG_SAYS(tls_files_read(&config, &files, &err),
                      is_key ? "--tls-key" : "--tls-certificate", why);
}

TEST(what_is_no_pem_is_refused_with_its_option)
{
    AUTO(freep) char *huge = calloc(1, TLS_FILE_MAX + 1);

    memset(huge, 'x', TLS_FILE_MAX + 1);
    for (int is_key = 0; is_key < 2; is_key++) {
        expect_refused(is_key, "", 0, "is empty");
        expect_refused(is_key, huge, TLS_FILE_MAX + 1, "has more than 1048576 bytes");
        expect_refused(is_key, huge, TLS_FILE_MAX, is_key ? "there is no key" : "no certificate");
        expect_refused(is_key, "a\0b", 3, "is not a text");
    }
    expect_refused(false, KEY, strlen(KEY), "there is no certificate in");
    expect_refused(true, CERTIFICATE, strlen(CERTIFICATE), "there is no key in");
}

TEST(a_locked_key_is_refused)
{
    static const char *const locked[] = {
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAA\n"
        "-----END RSA PRIVATE KEY-----\n"};

    for (size_t i = 0; i < COUNT(locked); i++)
        expect_refused(true, locked[i], strlen(locked[i]), "is encrypted");
}

TEST(what_cannot_be_read_is_refused)
{
    AUTO(tls_files_clear) struct tls_files files = {0};

    snprintf(config.tls_certificate, sizeof config.tls_certificate, "/nonexistent/crt");
    EXPECT_MESSAGE(tls_files_read(&config, &files, &err),
                   "cannot read /nonexistent/crt: No such file or directory");
    snprintf(config.tls_certificate, sizeof config.tls_certificate, "/");
    EXPECT_SAYS(tls_files_read(&config, &files, &err), "cannot read /: ");
}
