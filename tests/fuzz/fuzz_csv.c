/* Property: how CSV is cut into pieces changes nothing, not the records nor where and why it
 * ends; and records that are written again, each field in quotes, read as the same. */
#include "common/bytes.h"
#include "common/cleanup.h"
#include "pricing/feeds/csv.h"
#include "tests/fuzz/fuzz.h"

/* What was read, written in the plainest way. */
static bool write_record(void *user, char *const fields[], size_t count, struct error *err)
{
    struct bytes *out = user;

    (void)err;
    ALWAYS(count >= 1 && count <= CSV_FIELDS_MAX);
    for (size_t i = 0; i < count; i++) {
        ALWAYS(bytes_add(out, i ? ",\"" : "\"", i ? 2 : 1));
        for (const char *c = fields[i]; *c; c++)
            ALWAYS(bytes_add(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1));
        ALWAYS(bytes_add(out, "\"", 1));
    }
    ALWAYS(bytes_add(out, "\n", 1));
    return true;
}

static bool read_pieces(const char *data, size_t size, size_t piece, struct bytes *out,
                        struct error *err)
{
    AUTO(csv_freep) struct csv *csv = csv_new(write_record, out, err);

    ALWAYS(csv != NULL);
    for (size_t at = 0; at < size; at += piece)
        if (!csv_feed(csv, data + at, piece < size - at ? piece : size - at, err))
            return false;
    return csv_end(csv, err);
}

static bool is_same(const struct bytes *left, const struct bytes *right)
{
    return left->used == right->used &&
           (left->used == 0 || memcmp(left->data, right->data, left->used) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(bytes_free) struct bytes whole = {.limit = 1 << 24}, again = {.limit = 1 << 24};
    struct error err = {0}, none = {0};
    const char *text = (const char *)data;
    bool ok = read_pieces(text, size, size ? size : 1, &whole, &err);

    ALWAYS(ok == (err.kind == ERROR_NONE));
    for (size_t piece = 1; piece < 40; piece += 13) {
        AUTO(bytes_free) struct bytes pieces = {.limit = 1 << 24};
        struct error why = {0};

        ALWAYS(read_pieces(text, size, piece, &pieces, &why) == ok);
        ALWAYS(is_same(&whole, &pieces) && strcmp(err.message, why.message) == 0);
    }
    ALWAYS(read_pieces(whole.data, whole.used, whole.used ? whole.used : 1, &again, &none));
    ALWAYS(is_same(&whole, &again));
    return 0;
}
