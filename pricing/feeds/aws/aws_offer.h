/* AWS's price list of a region as one file, in JSON (450 MB for the largest region) or in CSV.
 * What both shapes share: an index names the newest version, then the file is read, once for each
 * version; and metal that is only sold dedicated.
 *
 * The file in JSON is read while it arrives, and only as far as needed. Nine products in ten are
 * recognised by their bytes alone and never reach jansson. The transfer ends where the section
 * `Reserved` begins, if both other sections have come and no prices of reserved instances are
 * wanted: it is most of the file. */
#pragma once

#include "pricing/feeds/aws/aws_commitment.h"
#include "pricing/feeds/json_page.h"

#define SKU_SIZE 24
#define OFFER_URL "https://pricing.us-east-1.amazonaws.com"
#define OFFER_PERIOD_SECONDS (24 * 3600)
#define OFFER_ELEMENT_MAX 65536                /* bytes of a product, a plan or a rate */
#define OFFER_MAX_BYTES (1536 * 1024 * 1024UL) /* the largest region has 450 MB */

/* A product that has the price we want, if it has one at all. */
struct offer_product {
    char sku[SKU_SIZE];
    bool metal; /* dedicated: used only if the type has no other price */
    struct instance_type type;
    char text[32]; /* its price; "" if none was found */
};

/* What is known of a price of a reserved instance; a SKU has at most one of each kind. */
struct offer_commitment {
    char sku[SKU_SIZE];
    enum price_kind kind;
    struct aws_amounts amounts;
};

struct offer {
    struct document document; /* first the index, then the file if that is JSON */
    bool indexed;             /* the index was read, the file comes next */
    char path[95];            /* of the file; with a prefix, the mark of the version */
    struct offer_product *products;
    size_t count, room;
    struct offer_commitment *commitments;
    size_t commitment_count, commitment_room;
};

/* How far a product is wanted: 0 no, 1 yes, 2 dedicated metal. */
struct aws_row;
int offer_wants(const struct aws_row *row, const char *region);

void offer_add(struct offer *offer, const struct offer_product *product);

void offer_add_commitment(struct offer *offer, const struct offer_commitment *commitment);
/* Adds it to the batch, if its product has a price on demand: for readers that have all its
 * amounts together and know the prices of all products. Others leave that to offer_finish(),
 * which needs memory for all of them at once. */
MUST_USE bool offer_price_commitment(struct offer *offer,
                                     const struct offer_commitment *commitment,
                                     struct error *err);
/* Sorts the products by SKU, for offer_find(); NULL if there is none. */
void offer_sort(struct offer *offer);
struct offer_product *offer_find(const struct offer *offer, const char *sku);

/* Call after the last product: adds all prices to the batch. */
MUST_USE bool offer_finish(struct offer *offer, struct error *err);

/* For struct reader_ops of both shapes. `suffix` replaces ".json" at the end of the file's path.
 */
MUST_USE bool offer_ask(struct offer *offer, const char *suffix, struct fetch_request *request,
                        struct error *err);
/* After the index. */
enum reading_state offer_indexed(struct offer *offer, struct error *err);
void offer_clear(struct offer *offer);
extern const char *const offer_index_paths[];
enum split_verdict offer_take_index(void *user, const struct split_element *element,
                                    struct error *err);

/* Whether the bytes of an element hold the word. */
bool offer_has(const char *json, size_t length, const char *word);
