#include "pricing/feeds/fetch_file.h"

#include "common/cleanup.h"
#include "common/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static bool hand_over(FILE *file, const struct fetch_request *request, fetch_take_fn *take_bytes,
                      void *taker, struct fetch_response *response, struct error *err)
{
    char piece[16384];
    size_t length;

    while ((length = fread(piece, 1, sizeof piece, file)) > 0) {
        response->bytes += (long long)length;
        if ((size_t)response->bytes > request->max_bytes)
            return error_set(err, ERROR_UPSTREAM, NULL, "the file has more than %zu bytes",
                             request->max_bytes);
        response->began = true;
        switch (take_bytes(taker, piece, length, err)) {
        case TAKE_MORE:
            break;
        case TAKE_ENOUGH:
            return true;
        default:
            return false;
        }
    }
    return !ferror(file) || error_set(err, ERROR_UPSTREAM, NULL, "the file cannot be read");
}

/* Half of a price is another price. */
static bool is_still(FILE *file, const struct stat *before, struct error *err)
{
    struct stat after;

    return (fstat(fileno(file), &after) == 0 && after.st_size == before->st_size &&
            after.st_mtim.tv_sec == before->st_mtim.tv_sec &&
            after.st_mtim.tv_nsec == before->st_mtim.tv_nsec) ||
           error_set(err, ERROR_UPSTREAM, NULL, "the file changed while it was read");
}

/* Never blocks on a pipe. */
static FILE *open_file(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");

    if (descriptor >= 0 && !file)
        close(descriptor);
    return file;
}

bool fetch_file(void *user, const struct fetch_request *request, fetch_take_fn *take_bytes,
                void *taker, struct fetch_response *ret_response, struct error *err)
{
    AUTO(fclosep) FILE *file = open_file(request->url);
    struct stat about;

    (void)user;
    *ret_response = (struct fetch_response){.retry_after_seconds = -1, .refused = true};
    if (!file || fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))
        return error_set(err, ERROR_UPSTREAM, NULL, "the file cannot be read: %s",
                         file ? "it is not a regular file" : strerror(errno));
    snprintf(ret_response->etag, sizeof ret_response->etag, "\"%lld.%09ld-%lld\"",
             (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec, (long long)about.st_size);
    ret_response->status = strcmp(ret_response->etag, request->etag) == 0 ? 304 : 200;
    ret_response->last_modified_us = about.st_mtim.tv_sec * US_PER_SECOND;
    return ret_response->status == 304 ||
           (hand_over(file, request, take_bytes, taker, ret_response, err) &&
            is_still(file, &about, err));
}
