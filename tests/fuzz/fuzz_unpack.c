/* Property: how bytes are cut into pieces changes nothing of what is unpacked; what is not gzip
 * is left as it is; and what gzip packed comes out again. */
#include "common/bytes.h"
#include "common/cleanup.h"
#include "pricing/feeds/unpack.h"
#include "tests/fuzz/fuzz.h"

#include <zlib.h>

#define ROOM (8u << 20)

static bool note(void *user, const char *data, size_t length, struct error *err)
{
    ALWAYS(length > 0);
    return bytes_add(user, data, length) || error_set(err, ERROR_UPSTREAM, NULL, "too much");
}

static bool undo(const void *data, size_t size, size_t piece, struct bytes *out,
                 struct error *err)
{
    AUTO(unpack_freep) struct unpack *unpack = unpack_new(note, out);
    const char *bytes = data;

    for (size_t at = 0; at < size; at += piece)
        if (!unpack_feed(unpack, bytes + at, piece < size - at ? piece : size - at, err))
            return false;
    return unpack_end(unpack, err);
}

static bool is_same(const struct bytes *left, const void *data, size_t size)
{
    return left->used == size && (size == 0 || memcmp(left->data, data, size) == 0);
}

static void check_packed(const uint8_t *data, size_t size)
{
    AUTO(bytes_free) struct bytes out = {.limit = ROOM};
    size_t room = size + size / 100 + 100;
    AUTO(freep) unsigned char *packed = malloc(room);
    z_stream zlib = {0};
    unsigned char *in;

    memcpy(&in, &data, sizeof in);
    ALWAYS(packed && deflateInit2(&zlib, 1, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
    zlib.next_in = in;
    zlib.avail_in = (unsigned)size;
    zlib.next_out = packed;
    zlib.avail_out = (unsigned)room;
    ALWAYS(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&zlib);
    ALWAYS(undo(packed, room - zlib.avail_out, 5, &out, NULL) && is_same(&out, data, size));
}

FUZZ(data, size)
{
    AUTO(bytes_free) struct bytes whole = {.limit = ROOM};
    struct error err = {0};
    bool ok = undo(data, size, size ? size : 1, &whole, &err);

    ALWAYS(ok == (err.kind == ERROR_NONE));
    if (size < 2 || data[0] != 0x1f || data[1] != 0x8b)
        ALWAYS(ok && is_same(&whole, data, size));
    for (size_t piece = 1; piece < 40; piece += 13) {
        AUTO(bytes_free) struct bytes pieces = {.limit = ROOM};
        struct error why = {0};

        ALWAYS(undo(data, size, piece, &pieces, &why) == ok);
        ALWAYS(strcmp(err.message, why.message) == 0);
        ALWAYS(!ok || is_same(&whole, pieces.data, pieces.used));
    }
    check_packed(data, size);
}
