/* Property: walks.h holds. A price stands in the document in a line of its own kind, for a
 * region. */
#include "pricing/feeds/gcp/gcp_types.h"
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

static const char *document;
static size_t document_size;

static void check_price(const struct price *price)
{
    char line[80];

    ALWAYS(gcp_is_region(price->region));
    snprintf(line, sizeof line, "%s: ", price->kind == PRICE_SPOT ? "hour_spot" : "hour");
    ALWAYS(memmem(document, document_size, line, strlen(line)));
    ALWAYS(memmem(document, document_size, price->text, strlen(price->text)));
    snprintf(line, sizeof line, "    %.64s:", price->instance_type);
    ALWAYS(memmem(document, document_size, line, strlen(line)));
    ALWAYS(memmem(document, document_size, "  instance:", 11));
}

FUZZ(data, size)
{
    document = (const char *)data;
    document_size = size;
    walks_try(&gcp_pricelist, "", "",
              (struct walks_input){.data = data, .size = size, .check = check_price});
}
