#include "pricing/machine/credentials.h"

#include "common/cleanup.h"
#include "pricing/machine/credentials_file.h"
#include "pricing/machine/credentials_role.h"

#include <errno.h>
#include <fcntl.h>

#define FILE_MAX (1024 * 1024)

/* "" if it is not set, as in AWS's own tools. */
static const char *credentials_variable(const struct credentials_question *question,
                                        const char *name)
{
    size_t length = strlen(name);

    for (char *const *row = question->environment; row && *row; row++)
        if (strncmp(*row, name, length) == 0 && (*row)[length] == '=')
            return *row + length + 1;
    return "";
}

static bool credentials_copy(char *member, size_t size, const char *name, const char *value,
                             struct error *err)
{
    return credentials_word(member, size, value) ||
           error_set(err, ERROR_INVALID, name,
                     "%s has more than %zu bytes, or has in it what no key has", name, size - 1);
}

static enum credentials_result from_environment(const struct credentials_question *question,
                                                struct credentials *found, struct error *err)
{
    static const char *const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                        "AWS_SESSION_TOKEN"};
    const char *id = credentials_variable(question, names[0]),
               *secret = credentials_variable(question, names[1]);
    const char *token = credentials_variable(question, names[2]);

    if (!*id && !*secret)
        return CREDENTIALS_NONE;
    if (!*id || !*secret) {
        error_set(err, ERROR_INVALID, *id ? names[1] : names[0], "%s is set, but not %s",
                  *id ? names[0] : names[1], *id ? names[1] : names[0]);
        return CREDENTIALS_WRONG;
    }
    found->token[0] = '\0';
    if (credentials_copy(found->id, sizeof found->id, names[0], id, err) &&
        credentials_copy(found->secret, sizeof found->secret, names[1], secret, err) &&
        (!*token || credentials_copy(found->token, sizeof found->token, names[2], token, err)))
        return CREDENTIALS_FOUND;
    return CREDENTIALS_WRONG;
}

/* The path of the shared file; false if neither variable gives it. */
static bool find_file(const struct credentials_question *question, char *ret_path, size_t size)
{
    const char *named = credentials_variable(question, "AWS_SHARED_CREDENTIALS_FILE");
    const char *home = question->home ? question->home : "";
    int length;

    if (*named && (strncmp(named, "~/", 2) != 0 || !*home))
        length = snprintf(ret_path, size, "%s", named);
    else if (*home)
        length = snprintf(ret_path, size, "%s%s", home, *named ? named + 1 : "/.aws/credentials");
    else
        return false;
    return length >= 0 && (size_t)length < size;
}

/* Parses the whole file; false, with errno, if it cannot be read. */
static bool read_all(int descriptor, struct credentials_file *file)
{
    char data[1024];
    ssize_t length = 0;

    for (long long total = 0; total <= FILE_MAX; total += length) {
        length = read(descriptor, data, sizeof data);
        if (length <= 0)
            break;
        credentials_file_feed(file, data, (size_t)length);
    }
    explicit_bzero(data, sizeof data);
    if (length > 0)
        errno = EFBIG;
    return length == 0;
}

static enum credentials_result from_file(const struct credentials_question *question,
                                         struct credentials *found, struct error *err)
{
    const char *wanted = credentials_variable(question, "AWS_PROFILE");
    bool named = *credentials_variable(question, "AWS_SHARED_CREDENTIALS_FILE") != '\0';
    AUTO(closep) int descriptor = -1;
    struct credentials_file file;
    enum credentials_result result;
    char path[4096];

    if (!find_file(question, path, sizeof path))
        return CREDENTIALS_NONE;
    /* Do not block on a pipe. */
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && !named && (errno == ENOENT || errno == ENOTDIR))
        return CREDENTIALS_NONE;
    credentials_file_begin(&file, *wanted ? wanted : "default");
    if (descriptor < 0 || !read_all(descriptor, &file)) {
        error_set(err, ERROR_INVALID, NULL, "the shared file %.120s cannot be read: %s", path,
                  strerror(errno));
        explicit_bzero(&file, sizeof file);
        return CREDENTIALS_WRONG;
    }
    result = credentials_file_end(&file, found, err);
    if (result == CREDENTIALS_NONE && *wanted) {
        error_set(err, ERROR_INVALID, "AWS_PROFILE", "the shared file has no %s \"%.100s\"",
                  file.seen ? "keys in the profile" : "profile", wanted);
        return CREDENTIALS_WRONG;
    }
    return result;
}

/* Tries each source in order until one has keys or an error. */
static enum credentials_result credentials_look(const struct credentials_question *question,
                                                struct credentials *found, const char **origin,
                                                long long *until_us, struct error *err)
{
    enum credentials_result result = from_environment(question, found, err);

    *origin = "the environment";
    if (result != CREDENTIALS_NONE)
        return result;
    *origin = "the shared file";
    result = from_file(question, found, err);
    if (result != CREDENTIALS_NONE || !question->metadata_url ||
        strcasecmp(credentials_variable(question, "AWS_EC2_METADATA_DISABLED"), "true") == 0)
        return result;
    *origin = "the role of the instance";
    return credentials_role_find(question, found, until_us, err);
}

enum credentials_result credentials_find(const struct credentials_question *question,
                                         struct credentials *ret_credentials,
                                         const char **ret_origin, long long *ret_until_us,
                                         struct error *err)
{
    struct credentials found = {.id = ""};
    const char *origin;
    long long until_us = 0;
    enum credentials_result result = credentials_look(question, &found, &origin, &until_us, err);

    if (result == CREDENTIALS_FOUND) {
        *ret_credentials = found;
        *ret_origin = origin;
        *ret_until_us = until_us;
    }
    explicit_bzero(&found, sizeof found);
    return result;
}
