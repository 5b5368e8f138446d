/* Property: how CSV is cut into pieces changes nothing, not the records nor where and why it
 * ends; and records that are written again, each field in quotes, read as the same. All of it
 * holds for the lenient reader too. */
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

typedef struct csv *make_csv(csv_record_fn *record, void *user);

struct text {
    const char *data;
    size_t size;
    make_csv *make;
};

static bool read_pieces(const struct text *text, size_t piece, struct bytes *out,
                        struct error *err)
{
    AUTO(csv_freep) struct csv *csv = text->make(write_record, out);
    size_t size = text->size;

    for (size_t at = 0; at < size; at += piece)
        if (!csv_feed(csv, text->data + at, piece < size - at ? piece : size - at, err))
            return false;
    return csv_end(csv, err);
}

static bool is_same(const struct bytes *left, const struct bytes *right)
{
    return left->used == right->used &&
           (left->used == 0 || memcmp(left->data, right->data, left->used) == 0);
}

static void try_reader(const uint8_t *data, size_t size, make_csv *make)
{
    AUTO(bytes_free) struct bytes whole = {.limit = 1 << 24}, again = {.limit = 1 << 24};
    const struct text text = {(const char *)data, size, make};
    struct error err = {0}, none = {0};
    bool ok = read_pieces(&text, size ? size : 1, &whole, &err);

    ALWAYS(ok == (err.kind == ERROR_NONE));
    for (size_t piece = 1; piece < 40; piece += 13) {
        AUTO(bytes_free) struct bytes pieces = {.limit = 1 << 24};
        struct error why = {0};

        ALWAYS(read_pieces(&text, piece, &pieces, &why) == ok);
        ALWAYS(is_same(&whole, &pieces) && strcmp(err.message, why.message) == 0);
    }

    const struct text written = {whole.data, whole.used, csv_new};

    ALWAYS(read_pieces(&written, whole.used ? whole.used : 1, &again, &none));
    ALWAYS(is_same(&whole, &again));
}

FUZZ(data, size)
{
    try_reader(data, size, csv_new);
    try_reader(data, size, csv_new_lenient);
}
