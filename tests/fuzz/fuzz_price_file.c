/* Property: walks.h holds for a person's file of prices. An accepted file gives one price a row.
 * A check, which goes on behind a fault, finds no fault in exactly the files that are accepted,
 * and then the same prices. */
#include "pricing/feeds/price_sheet.h"
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static void check_price(const struct price *price)
{
    ALWAYS(price->kind >= PRICE_ON_DEMAND && price->kind <= PRICE_OWN);
}

struct faults {
    size_t count;
    long long line;
};

static void note_fault(void *user, long long line, const struct error *fault)
{
    struct faults *faults = user;
    char text[64];

    ALWAYS(fault->kind != ERROR_NONE && fault->message[0]);
    ALWAYS(line >= 1 && line >= faults->line);
    price_sheet_explain(line, fault, text, sizeof text);
    ALWAYS(memchr(text, '\0', sizeof text));
    faults->line = line;
    faults->count++;
}

static const uint8_t *bytes;
static size_t byte_count;

static void check_like(const struct walk *walk, enum reading_state state)
{
    struct faults faults = {.line = 1};
    struct error err = {0};
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new("price-file", 0);
    AUTO(price_sheet_freep)
    struct price_sheet *sheet =
        price_sheet_new(&(struct price_sheet_rules){batch, note_fault, &faults});
    const uint8_t *end = byte_count > 0 ? memchr(bytes, '\f', byte_count) : NULL;
    size_t size = end ? (size_t)(end - bytes) : byte_count;
    bool ok =
        price_sheet_feed(sheet, (const char *)bytes, size, &err) && price_sheet_end(sheet, &err);

    ALWAYS((ok && faults.count == 0) == (state == READING_DONE));
    ALWAYS(ok == (err.kind == ERROR_NONE));
    if (state == READING_DONE)
        ALWAYS(price_batch_count(batch) == price_batch_count(walk->reading.batch));
}

static void look(const struct walk *walk, enum reading_state state)
{
    const struct price_batch_tally *tally = &price_batch_facts(walk->reading.batch)->tally;

    ALWAYS(state == READING_FAILED || (tally->ambiguous == 0 && tally->malformed == 0));
    ALWAYS(state == READING_FAILED ||
           (long long)price_batch_count(walk->reading.batch) <= tally->seen);
    check_like(walk, state);
}

FUZZ(data, size)
{
    bytes = data;
    byte_count = size;
    walks_try(
        &price_file, "", "",
        (struct walks_input){.data = data, .size = size, .check = check_price, .look = look});
}
