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
#include "server/api/prices.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_unmatched.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"

#include <limits.h>
#include <math.h>

/* A list under way, with the prices of a region where the query names one. */
struct catalogue {
    struct json_writer *out;
    struct db *db;
    const char *region;
    const struct discount_list *discounts;
    long long limit, count, now_us;
    const char *architecture;        /* that is asked for, or NULL */
    long long unknown_architectures; /* types that may have it: nothing says which they have */
    char last[96];
    struct error *err;
};

static void write_price(void *user, const struct price_view *view)
{
    struct catalogue *catalogue = user;

    present_price(catalogue->out, NULL, view, catalogue->discounts, catalogue->now_us);
}

static void write_band(void *user, const char *region, const char *band)
{
    struct catalogue *catalogue = user;

    if (catalogue->region && strcmp(catalogue->region, region) != 0)
        return;
    jsonw_open(catalogue->out, NULL, '{');
    jsonw_text(catalogue->out, "region", region);
    jsonw_text(catalogue->out, "interrupted", band);
    jsonw_close(catalogue->out, '}');
}

static void present_prices(struct catalogue *catalogue, const struct instance_type *type)
{
    const struct price_filter filter = {.provider = type->provider,
                                        .region = catalogue->region,
                                        .instance_type = type->name,
                                        .at_us = catalogue->now_us,
                                        .limit = 100};

    if (!catalogue->region) {
        jsonw_null(catalogue->out, "prices");
        return;
    }
    jsonw_open(catalogue->out, "prices", '[');
    (void)!price_list(catalogue->db, &filter, write_price, catalogue, catalogue->err);
    jsonw_close(catalogue->out, ']');
}

static void present_number(struct json_writer *out, const char *key, double number)
{
    jsonw_number(out, key, number > 0 ? number : NAN);
}

/* As the feed says, else by the rules for families, which say it of most. */
static const char *architecture_of(const struct instance_type *type, const char **ret_source)
{
    const struct processor_rule *rule;
    char family[INSTANCE_SIZE];

    if (*type->architecture) {
        *ret_source = fact_source_names[SOURCE_CATALOGUE];
        return type->architecture;
    }
    instance_family(type->name, family);
    rule = processor_rule_of(type->provider, family);
    *ret_source = rule ? fact_source_names[SOURCE_RULE] : NULL;
    return rule ? rule->architecture : NULL;
}

static void write_type(void *user, const struct instance_type *type, const char *feed)
{
    struct catalogue *catalogue = user;
    struct json_writer *out = catalogue->out;
    const char *source, *architecture = architecture_of(type, &source);

    if (catalogue->architecture && !architecture)
        catalogue->unknown_architectures++;
    if (catalogue->architecture &&
        (!architecture || strcmp(architecture, catalogue->architecture) != 0))
        return;
    if (catalogue->count++ >= catalogue->limit)
        return;
    snprintf(catalogue->last, sizeof catalogue->last, "%s %s", type->name, type->provider);
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "provider", type->provider);
    jsonw_text(out, "instance_type", type->name);
    present_number(out, "vcpus", type->vcpus);
    present_number(out, "memory_gib", type->memory_gib);
    jsonw_text(out, "architecture", architecture);
    jsonw_text(out, "architecture_source", source);
    jsonw_text(out, "accelerator", *type->accelerator ? type->accelerator : NULL);
    jsonw_text(out, "feed", feed);
    jsonw_open(out, "interruptions", '[');
    (void)!catalogue_interruptions(catalogue->db, type->provider, type->name, write_band,
                                   catalogue, catalogue->err);
    jsonw_close(out, ']');
    present_prices(catalogue, type);
    jsonw_close(out, '}');
}

/* After the list: of the architecture it is known by then whether any type has it. */
static bool write_unmatched(struct catalogue *catalogue, const struct type_filter *filter,
                            struct error *err)
{
    struct unmatched_list unmatched = {.count = 0};
    char words[120];

    if (!unmatched_types(catalogue->db, filter, catalogue->region, &unmatched, err))
        return false;
    snprintf(
        words, sizeof words,
        "none of these types is known to have it; x86_64 and arm64 are usual, and of %lld it "
        "is not known",
        catalogue->unknown_architectures);
    if (catalogue->architecture && catalogue->count == 0)
        unmatched_add(&unmatched, "architecture", catalogue->architecture, words);
    present_unmatched(catalogue->out, unmatched.list, unmatched.count);
    if (catalogue->architecture)
        jsonw_integer(catalogue->out, "unknown_architectures", catalogue->unknown_architectures);
    else
        jsonw_null(catalogue->out, "unknown_architectures");
    return true;
}

static bool write_types(struct catalogue *catalogue, const struct type_filter *filter,
                        struct error *err)
{
    struct type_filter more = *filter;

    more.limit = catalogue->architecture ? LLONG_MAX : filter->limit + 1;
    jsonw_open(catalogue->out, NULL, '{');
    jsonw_open(catalogue->out, "instances", '[');
    if (!catalogue_types(catalogue->db, &more, write_type, catalogue, err) ||
        err->kind != ERROR_NONE)
        return false;
    jsonw_close(catalogue->out, ']');
    jsonw_text(catalogue->out, "next_cursor",
               catalogue->count > catalogue->limit ? catalogue->last : NULL);
    if (!write_unmatched(catalogue, filter, err))
        return false;
    jsonw_close(catalogue->out, '}');
    return true;
}

void instances_handler(struct exchange *exchange)
{
    const struct instances_question *asked = exchange->request.parameters;
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};
    struct catalogue catalogue = {.out = &out,
                                  .region = asked->region,
                                  .architecture = asked->architecture,
                                  .discounts = discounts,
                                  .now_us = clock_calendar_us(),
                                  .err = &err};

    loan = db_borrow(exchange->server->pool);
    catalogue.db = loan.db;
    catalogue.limit = asked->filter.limit;
    if (!discounts_each(loan.db, catalogue.now_us, discount_list_add, discounts, &err) ||
        !write_types(&catalogue, &asked->filter, &err))
        reply_error(exchange, &err);
    else
        reply_json(exchange, 200, &out);
}
