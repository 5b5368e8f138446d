/* Prices from a local file, for machines without a network and for providers without a feed. One
 * fault refuses the whole file. */
#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/feeds/price_sheet.h"
#include "pricing/feeds/sources.h"

struct file {
    const struct reading *reading;
    struct price_sheet *sheet;
};

static void file_close(void *reader)
{
    if (reader)
        price_sheet_free(((struct file *)reader)->sheet);
    free(reader);
}

static void *file_open(const struct reading *reading, struct error *err)
{
    const struct price_sheet_rules rules = {.batch = reading->batch};
    struct file *file = xcalloc(1, sizeof *file);

    (void)err; /* nothing can be wrong yet */
    file->reading = reading;
    file->sheet = price_sheet_new(&rules);
    return file;
}

static enum fetch_take file_take(void *user, const char *data, size_t length, struct error *err)
{
    return price_sheet_feed(((struct file *)user)->sheet, data, length, err) ? TAKE_MORE
                                                                             : TAKE_FAILED;
}

static enum reading_state file_page(void *reader, const struct fetch_response *response,
                                    struct error *err)
{
    (void)response;
    return price_sheet_end(((struct file *)reader)->sheet, err) ? READING_DONE : READING_FAILED;
}

static const struct reader_ops read_ops = {file_open, source_ask_once, file_take,
                                           file_page, file_close,      NULL};

const struct source price_file = {
    .name = PRICE_FILE_FEED,
    .title = "a file on this machine",
    .provider = "",
    .url = "",
    .needs = NEEDS_FILE,
    .on = true,
    .period_seconds = 300,
    .max_bytes = 64 * 1024 * 1024,
    .read = &read_ops,
};
