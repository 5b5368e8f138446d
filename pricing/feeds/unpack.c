#include "pricing/feeds/unpack.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <assert.h>
#include <zlib.h>

#define PIECE 32768

enum phase {
    PHASE_FIRST,  /* no byte was seen */
    PHASE_SECOND, /* one was, and it may begin gzip */
    PHASE_PLAIN,
    PHASE_PACKED,
    PHASE_OVER, /* a member of gzip has ended */
};

struct unpack {
    unpack_fn *take;
    void *user;
    enum phase phase;
    bool ready; /* zlib has memory to give back */
    z_stream zlib;
    char piece[PIECE];
};

struct unpack *unpack_new(unpack_fn *taker, void *user)
{
    struct unpack *unpack = xmalloc(sizeof *unpack);

    memset(unpack, 0, offsetof(struct unpack, piece));
    unpack->take = taker;
    unpack->user = user;
    return unpack;
}

void unpack_freep(struct unpack **unpack)
{
    if (*unpack && (*unpack)->ready)
        inflateEnd(&(*unpack)->zlib);
    freep(unpack);
}

static bool inflate_some(struct unpack *unpack, const char *data, size_t length,
                         struct error *err)
{
    z_stream *zlib = &unpack->zlib;
    unsigned char *copy = NULL; /* zlib promises not to write through next_in */

    memcpy(&copy, &data, sizeof copy);
    assert(unpack->phase == PHASE_PACKED && unpack->ready);
    zlib->next_in = copy;
    zlib->avail_in = (unsigned)length;
    do {
        int rc;

        zlib->next_out = (unsigned char *)unpack->piece;
        zlib->avail_out = PIECE;
        rc = inflate(zlib, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return error_set(err, ERROR_UPSTREAM, NULL, "the gzip data are broken");
        if (zlib->avail_out < PIECE &&
            !unpack->take(unpack->user, unpack->piece, PIECE - zlib->avail_out, err))
            return false;
        if (rc == Z_STREAM_END) {
            unpack->phase = PHASE_OVER;
            return zlib->avail_in == 0 ||
                   error_set(err, ERROR_UPSTREAM, NULL, "there is more behind the gzip data");
        }
    } while (zlib->avail_in > 0 || zlib->avail_out == 0);
    return true;
}

static bool begin_packed(struct unpack *unpack, struct error *err)
{
    static const char first = 0x1f;

    assert(unpack->phase == PHASE_SECOND && !unpack->ready);
    if (inflateInit2(&unpack->zlib, 15 + 16) != Z_OK) /* the arguments are right */
        memory_is_out(sizeof unpack->zlib);
    unpack->ready = true;
    unpack->phase = PHASE_PACKED;
    return inflate_some(unpack, &first, 1, err);
}

bool unpack_feed(struct unpack *unpack, const char *data, size_t length, struct error *err)
{
    if (length > 0 && unpack->phase == PHASE_FIRST) {
        unpack->phase = *data == 0x1f ? PHASE_SECOND : PHASE_PLAIN;
        if (unpack->phase == PHASE_SECOND)
            data++, length--;
    }
    if (length > 0 && unpack->phase == PHASE_SECOND) {
        if ((unsigned char)*data == 0x8b) {
            if (!begin_packed(unpack, err))
                return false;
        } else {
            unpack->phase = PHASE_PLAIN;
            if (!unpack->take(unpack->user, "\x1f", 1, err))
                return false;
        }
    }
    if (length == 0)
        return true;
    if (unpack->phase == PHASE_OVER)
        return error_set(err, ERROR_UPSTREAM, NULL, "there is more behind the gzip data");
    return unpack->phase == PHASE_PACKED ? inflate_some(unpack, data, length, err)
                                         : unpack->take(unpack->user, data, length, err);
}

bool unpack_end(struct unpack *unpack, struct error *err)
{
    if (unpack->phase == PHASE_PACKED)
        return error_set(err, ERROR_UPSTREAM, NULL, "the gzip data end in the middle");
    return unpack->phase != PHASE_SECOND || unpack->take(unpack->user, "\x1f", 1, err);
}
