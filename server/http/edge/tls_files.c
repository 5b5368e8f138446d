#include "server/http/edge/tls_files.h"

#include "common/cleanup.h"
#include "server/base/log.h"
#include "server/base/option_file.h"

#include <sys/stat.h>

static bool read_pem(const char *flag, const char *path, struct bytes *text, struct error *err)
{
    text->limit = TLS_FILE_MAX;
    if (!option_file_read(flag, path, text, err))
        return false;
    if (text->used == 0)
        return error_set(err, ERROR_INVALID, flag, "%s is empty", path);
    if (memchr(text->data, '\0', text->used))
        return error_set(err, ERROR_INVALID, flag, "%s is not a text; it must be PEM", path);
    return true;
}

static bool check_certificate(const struct config *config, const char *text, struct error *err)
{
    return strstr(text, "-----BEGIN CERTIFICATE-----") ||
           error_set(err, ERROR_INVALID, "--tls-certificate",
                     "there is no certificate in %s (\"-----BEGIN CERTIFICATE-----\")",
                     config->tls_certificate);
}

static bool check_key(const struct config *config, const char *text, struct error *err)
{
    if (!strstr(text, "PRIVATE KEY-----"))
        return error_set(err, ERROR_INVALID, "--tls-key",
                         "there is no key in %s (\"-----BEGIN PRIVATE KEY-----\" or its like)",
                         config->tls_key);
    if (strstr(text, "ENCRYPTED"))
        return error_set(err, ERROR_INVALID, "--tls-key",
                         "the key in %s is encrypted, and the server cannot ask for its password",
                         config->tls_key);
    return true;
}

static void warn_of_readers(const char *path)
{
    struct stat about;

    if (stat(path, &about) == 0 && (about.st_mode & S_IRWXO) != 0)
        log_line(LOG_INFO,
                 "warning: --tls-key %s can be read or changed by everybody here: chmod o= %s",
                 path, path);
}

bool tls_files_read(const struct config *config, struct tls_files *files, struct error *err)
{
    if (!config->tls_certificate[0])
        return true;
    if (!read_pem("--tls-certificate", config->tls_certificate, &files->certificate, err) ||
        !read_pem("--tls-key", config->tls_key, &files->key, err) ||
        !check_certificate(config, files->certificate.data, err) ||
        !check_key(config, files->key.data, err))
        return false;
    warn_of_readers(config->tls_key);
    return true;
}

void tls_files_clear(struct tls_files *files)
{
    if (files->key.data)
        explicit_bzero(files->key.data, files->key.used);
    bytes_free(&files->key);
    bytes_free(&files->certificate);
}
