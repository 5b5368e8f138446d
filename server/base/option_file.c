#include "server/base/option_file.h"

#include "common/cleanup.h"

#include <errno.h>
#include <fcntl.h>

static bool read_all(int descriptor, struct bytes *text)
{
    char piece[4096];
    ssize_t got;
    bool fits = true;

    while (fits && (got = read(descriptor, piece, sizeof piece)) != 0) {
        if (got < 0)
            return false;
        fits = bytes_add(text, piece, (size_t)got);
    }
    explicit_bzero(piece, sizeof piece); /* it may hold a key */
    errno = fits ? 0 : text->used + sizeof piece > text->limit ? EFBIG : ENOMEM;
    return fits;
}

bool option_file_read(const char *flag, const char *path, struct bytes *text, struct error *err)
{
    AUTO(closep) int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (descriptor >= 0 && read_all(descriptor, text))
        return true;
    if (errno == EFBIG)
        return error_set(err, ERROR_INVALID, flag, "%s has more than %zu bytes", path,
                         text->limit);
    return error_set(err, ERROR_INVALID, flag, "cannot read %s: %s", path, strerror(errno));
}
