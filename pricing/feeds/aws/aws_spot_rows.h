/* Reads the XML answer to DescribeSpotPriceHistory as it arrives. Keeps the newest row of each
 * zone and instance type, in whatever order they come. */
#pragma once

#include "pricing/feeds/price_batch.h"

#define SPOT_TOKEN_SIZE 4096

/* A change of a price in a zone; the price holds until the next. */
struct spot_row {
    struct price price; /* nanos 0: the number could not be read */
    bool contradicted;  /* another row of the same moment differs */
};

/* The rows of all pages of a walk. */
struct spot_rows {
    const char *region;
    struct price_batch_tally *tally;
    struct spot_row *list;
    size_t count, room;
};

void spot_rows_free(struct spot_rows *rows);

/* At the end of the walk: adds the valid rows to the batch. */
MUST_USE bool spot_rows_finish(const struct spot_rows *rows, struct price_batch *batch,
                               struct error *err);

/* One page. The rows must live longer. */
struct spot_xml;
struct spot_xml *spot_xml_new(struct spot_rows *rows);
void spot_xml_free(struct spot_xml *xml); /* NULL is fine */

/* Fails with ERROR_UPSTREAM if the text is another kind of answer, has a DOCTYPE, or exceeds a
 * limit on texts, depth or zones. */
MUST_USE bool spot_xml_feed(struct spot_xml *xml, const char *data, size_t length,
                            struct error *err);

/* At the end of the bytes. *ret_token lives as long as the page; "" on the last page. */
MUST_USE bool spot_xml_end(struct spot_xml *xml, const char **ret_token, struct error *err);
