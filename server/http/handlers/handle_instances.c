/* /v1/instances: the instance types that feeds list, with prices where a region is asked for.
 * Tested by tests/api/test_instances.py. */
#include "common/cleanup.h"

#include "answers/compare/unmatched_lists.h"
#include "answers/types/processor_rules.h"
#include "answers/types/support.h"
#include "common/clock.h"
#include "common/limits.h"
#include "common/memory.h"
#include "db/prices/catalogue.h"
#include "pricing/instance_family.h"
#include "server/http/api/prices.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/page.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"

#include <limits.h>

/* State of a list, with prices if the query names a region. */
struct catalogue {
    struct page *page; /* first: page_end_members */
    struct db *db;
    const struct type_filter *filter;
    const char *region;
    const struct discount_list *discounts;
    long long now_us;
    const char *architecture;         /* requested, or NULL */
    long long *unknown_architectures; /* types of unknown architecture */
};

/* One type. */
struct listed_type {
    const struct catalogue *catalogue;
    const struct instance_type *type;
    const char *feed, *architecture;
    enum fact_source source; /* of the architecture */
};

struct catalogue_writer {
    struct json_writer *out;
    const struct catalogue *catalogue;
};

static void write_price(void *user, const struct listed_price *listed)
{
    const struct catalogue_writer *writer = user;
    const struct price_shown shown =
        price_show(listed, writer->catalogue->discounts, writer->catalogue->now_us);

    members_write(writer->out, NULL, &listed_price_members, &shown);
}

static void write_type_prices(struct json_writer *out, const struct member *row,
                              const void *object)
{
    const struct listed_type *listed = object;
    const struct catalogue *catalogue = listed->catalogue;
    struct catalogue_writer writer = {out, catalogue};
    const struct price_filter filter = {.provider = listed->type->provider,
                                        .region = catalogue->region,
                                        .instance_type = listed->type->name,
                                        .at_us = catalogue->now_us,
                                        .limit = 100};

    if (!catalogue->region) {
        jsonw_null(out, row->name);
        return;
    }
    jsonw_open(out, row->name, '[');
    (void)!price_list(catalogue->db, &filter, write_price, &writer, &catalogue->page->err);
    jsonw_close(out, ']');
}

/* The interruption rate of spot in a region. */
struct band {
    const char *region, *interrupted;
};

static const struct member band_rows[] = {
    {MEMBER(struct band, region)},
    {MEMBER(struct band, interrupted)},
    {0},
};
static const struct members band_members = {.rows = band_rows};

static void write_band(void *user, const char *region, const char *band)
{
    const struct catalogue_writer *writer = user;
    const char *only = writer->catalogue->region;

    if (!only || strcmp(only, region) == 0)
        members_write(writer->out, NULL, &band_members, &(struct band){region, band});
}

static void write_bands(struct json_writer *out, const struct member *row, const void *object)
{
    const struct listed_type *listed = object;
    const struct catalogue *catalogue = listed->catalogue;
    struct catalogue_writer writer = {out, catalogue};

    jsonw_open(out, row->name, '[');
    (void)!catalogue_interruptions(catalogue->db, listed->type->provider, listed->type->name,
                                   write_band, &writer, &catalogue->page->err);
    jsonw_close(out, ']');
}

MEMBER_FINDS(find_type, struct listed_type, listed, listed->type)

static const struct member size_rows[] = {
    {MEMBER(struct instance_type, provider)},
    {MEMBER_AS(struct instance_type, "instance_type", name)},
    {MEMBER(struct instance_type, vcpus), .nullable = true, .range = MEMBER_POSITIVE},
    {MEMBER(struct instance_type, memory_gib), .nullable = true, .range = MEMBER_POSITIVE},
    {0},
};
static const struct members size_members = {.rows = size_rows};

static const struct member accelerator_rows[] = {
    {MEMBER(struct instance_type, accelerator), .nullable = true},
    {0},
};
static const struct members accelerator_members = {.rows = accelerator_rows};

static const struct member type_rows[] = {
    {MEMBER_ROWS(&size_members), .find = find_type},
    {MEMBER(struct listed_type, architecture), .nullable = true},
    {MEMBER_AS(struct listed_type, "architecture_source", source), .nullable = true,
     .words = fact_source_names + SOURCE_CATALOGUE, .first = SOURCE_CATALOGUE,
     .meaning = "The source: a feed, or a rule for the type's family."},
    {MEMBER_ROWS(&accelerator_members), .find = find_type},
    {MEMBER(struct listed_type, feed)},
    {MEMBER_LIST_OF("interruptions", &band_members), .write = write_bands,
     .meaning = "How often spot instances of it were interrupted in thirty days."},
    {MEMBER_LIST_OF("prices", &listed_price_members), .write = write_type_prices,
     .nullable = true, .meaning = "Prices in the requested region; null without one."},
    {0},
};
static const struct members type_members = {
    .name = "Instance",
    .meaning = "What the feeds say about an instance type; null means that no feed says it.",
    .rows = type_rows};

/* From the feed, else from the rules for families, which cover most. */
static void find_architecture(struct listed_type *listed)
{
    const struct instance_type *type = listed->type;
    const struct processor_rule *rule;
    char family[INSTANCE_SIZE];

    if (*type->architecture) {
        listed->architecture = type->architecture;
        listed->source = SOURCE_CATALOGUE;
        return;
    }
    instance_family(type->name, family);
    rule = processor_rule_of(type->provider, family);
    listed->architecture = rule ? rule->architecture : NULL;
    listed->source = rule ? SOURCE_RULE : SOURCE_NONE;
}

static void write_instance_type(void *user, const struct instance_type *type, const char *feed)
{
    const struct catalogue_writer *writer = user;
    const struct catalogue *catalogue = writer->catalogue;
    struct listed_type listed = {.catalogue = catalogue, .type = type, .feed = feed};
    struct page *page = catalogue->page;

    find_architecture(&listed);
    if (catalogue->architecture && !listed.architecture)
        ++*catalogue->unknown_architectures;
    if (catalogue->architecture &&
        (!listed.architecture || strcmp(listed.architecture, catalogue->architecture) != 0))
        return;
    if (!page_takes(page))
        return;
    snprintf(page->last, sizeof page->last, "%s %s", type->name, type->provider);
    members_write(writer->out, NULL, &type_members, &listed);
}

/* After the list, when it is known whether any type has the architecture. */
static void find_unmatched_types(const struct catalogue *catalogue)
{
    struct page *page = catalogue->page;
    char words[120];

    if (!unmatched_types(catalogue->db, catalogue->filter, catalogue->region, &page->unmatched,
                         &page->err))
        return;
    snprintf(
        words, sizeof words,
        "none of these types is known to have it; x86_64 and arm64 are usual, and of %lld it "
        "is not known",
        *catalogue->unknown_architectures);
    if (catalogue->architecture && page->count == 0)
        unmatched_add(&page->unmatched, "architecture", catalogue->architecture, words);
}

static void write_instance_types(struct json_writer *out, const struct member *row,
                                 const void *object)
{
    const struct catalogue *catalogue = object;
    struct catalogue_writer writer = {out, catalogue};
    struct type_filter more = *catalogue->filter;
    struct page *page = catalogue->page;

    more.limit = catalogue->architecture ? LLONG_MAX : page->limit + 1;
    jsonw_open(out, row->name, '[');
    if (catalogue_types(catalogue->db, &more, write_instance_type, &writer, &page->err))
        find_unmatched_types(catalogue);
    jsonw_close(out, ']');
}

static void write_unknown(struct json_writer *out, const struct member *row, const void *object)
{
    const struct catalogue *catalogue = object;

    if (catalogue->architecture)
        jsonw_integer(out, row->name, *catalogue->unknown_architectures);
    else
        jsonw_null(out, row->name);
}

static const struct member instance_list_rows[] = {
    {MEMBER_LIST_OF("instances", &type_members), .write = write_instance_types},
    {MEMBER_ROWS(&page_end_members)},
    {MEMBER_WRITTEN("unknown_architectures", MEMBER_INTEGER, write_unknown), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Types that pass the other filters and may have the architecture: neither a feed "
                "nor a rule says which they have. null where none was asked for."},
    {0},
};
const struct members instance_list_members = {
    .name = "InstanceList", .meaning = "A page of the catalogue.", .rows = instance_list_rows};

void instances_handler(struct exchange *exchange)
{
    const struct instances_question *asked = exchange->request.parameters;
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct page page = {.limit = asked->filter.limit};
    long long unknown_architectures = 0;
    struct catalogue catalogue = {.page = &page,
                                  .filter = &asked->filter,
                                  .region = asked->region,
                                  .architecture = asked->architecture,
                                  .discounts = discounts,
                                  .unknown_architectures = &unknown_architectures,
                                  .now_us = clock_calendar_us()};

    loan = db_borrow(exchange->server->pool);
    catalogue.db = loan.db;
    if (discounts_each(loan.db, catalogue.now_us, discount_list_add, discounts, &page.err))
        reply_list(exchange, &instance_list_members, &catalogue, &page.err);
    else
        reply_error(exchange, &page.err);
}
