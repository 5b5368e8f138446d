/* Gzip is undone where there is gzip, and the rest is left as it is. */
#include "pricing/feeds/unpack.h"

#include "tests/test.h"

#include <zlib.h>

#define ROOM 300000

struct got {
    char *text;
    size_t used, refuse_at;
};

static bool note(void *user, const char *data, size_t length, struct error *err)
{
    struct got *got = user;

    EXPECT(length > 0 && got->used + length <= ROOM);
    if (got->refuse_at && got->used + length >= got->refuse_at)
        return error_set(err, ERROR_UPSTREAM, NULL, "enough");
    memcpy(got->text + got->used, data, length);
    got->used += length;
    return true;
}

static void got_end(struct got *got)
{
    free(got->text);
}

static struct got got_start(void)
{
    return (struct got){.text = malloc(ROOM)};
}

/* Packs with gzip's own wrapping. */
static size_t pack(const char *text, size_t length, char *ret_packed, size_t room)
{
    z_stream zlib = {0};
    unsigned char *in;

    memcpy(&in, &text, sizeof in);
    EXPECT_INT(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_in = in;
    zlib.avail_in = (unsigned)length;
    zlib.next_out = (unsigned char *)ret_packed;
    zlib.avail_out = (unsigned)room;
    EXPECT_INT(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    deflateEnd(&zlib);
    return room - zlib.avail_out;
}

static bool undo(const char *data, size_t length, size_t piece, struct got *got,
                 struct error *err)
{
    AUTO(unpack_freep) struct unpack *unpack = unpack_new(note, got);

    for (size_t at = 0; at < length; at += piece) {
        size_t some = piece < length - at ? piece : length - at;
        AUTO(freep) char *exact = malloc(some);

        memcpy(exact, data + at, some);
        if (!unpack_feed(unpack, exact, some, err))
            return false;
    }
    return unpack_end(unpack, err);
}

static void expect_plain(const char *data, size_t length)
{
    for (size_t piece = 1; piece <= length + 1; piece++) {
        AUTO(got_end) struct got got = got_start();

        EXPECT_OK(undo(data, length, piece, &got, &err));
        EXPECT_INT((long long)got.used, (long long)length);
        EXPECT(memcmp(got.text, data, length) == 0);
    }
}

TEST(data_without_compression_is_passed_unchanged)
{
    expect_plain("", 0);
    expect_plain("{\"a\":1}", 7);
    expect_plain("\x1f", 1);
    expect_plain("\x1f\x1f\x8b", 3);
    expect_plain("\x1fplain", 6);
    expect_plain("\x8b\x1f\0x", 4);
    expect_plain("\x1f\0", 2);
}

TEST(compressed_data_is_unpacked_from_pieces_of_any_size)
{
    static const char text[] = "instance_type,price_per_hour\nc7i.2xlarge,0.357\n";
    char packed[200];
    size_t length = pack(text, strlen(text), packed, sizeof packed);

    for (size_t piece = 1; piece <= length; piece++) {
        AUTO(got_end) struct got got = got_start();

        EXPECT_OK(undo(packed, length, piece, &got, &err));
        EXPECT_INT((long long)got.used, (long long)strlen(text));
        EXPECT(memcmp(got.text, text, strlen(text)) == 0);
    }
}

TEST(little_may_become_much)
{
    AUTO(freep) char *text = calloc(1, ROOM);
    AUTO(got_end) struct got got = got_start();
    char packed[2000];
    size_t length = pack(text, ROOM, packed, sizeof packed);

    EXPECT_OK(undo(packed, length, length, &got, &err));
    EXPECT_INT((long long)got.used, ROOM);
    got.used = 0;
    got.refuse_at = 100000; /* the receiver refuses when it is too much */
    EXPECT_MESSAGE(undo(packed, length, length, &got, &err), "enough");
    EXPECT(got.used < 100000);
}

TEST(packed_nothing_is_nothing)
{
    AUTO(got_end) struct got got = got_start();
    char packed[100];
    size_t length = pack("", 0, packed, sizeof packed);

    EXPECT(undo(packed, length, 3, &got, NULL));
    EXPECT_INT((long long)got.used, 0);
}

TEST(a_truncated_document_is_refused)
{
    char packed[200];
    size_t length = pack("0.357 or 0.35", 13, packed, sizeof packed);

    for (size_t kept = 2; kept < length; kept++) {
        AUTO(got_end) struct got got = got_start();

        EXPECT_ERROR_MESSAGE(undo(packed, kept, kept % 7 + 1, &got, &err), ERROR_UPSTREAM,
                             "the gzip data end in the middle");
    }
}

TEST(broken_data_and_all_data_after_it_are_refused)
{
    char packed[200];
    size_t length = pack("0.357 or 0.35", 13, packed, sizeof packed);

    for (size_t piece = 1; piece <= length + 1; piece++) {
        AUTO(got_end) struct got got = got_start();

        packed[length - 6] ^= 1; /* in the checksum */
        EXPECT_MESSAGE(undo(packed, length, piece, &got, &err), "the gzip data are broken");
        packed[length - 6] ^= 1;
        packed[length] = 'x';
        got.used = 0;
        EXPECT_MESSAGE(undo(packed, length + 1, piece, &got, &err),
                       "there is more behind the gzip data");
    }
}
