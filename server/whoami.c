#include "server/whoami.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/discounts.h"
#include "pricing/choice.h"
#include "pricing/freshness.h"

#include <pthread.h>

#define PRICES_MAX 100000 /* of one instance type, everywhere */

struct whoami {
    const struct config *config;
    struct identity configured;
    pthread_mutex_t lock;
    struct identity identity;
    bool asked;
};

struct whoami *whoami_new(const struct config *config, struct error *err)
{
    struct whoami *whoami = calloc(1, sizeof *whoami);

    if (!whoami) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&whoami->lock, NULL);
    whoami->config = config;
    memcpy(whoami->configured.provider, config->provider, sizeof config->provider);
    memcpy(whoami->configured.instance_type, config->instance, sizeof config->instance);
    memcpy(whoami->configured.region, config->region, sizeof config->region);
    memcpy(whoami->configured.zone, config->zone, sizeof config->zone);
    if (strcmp(config->life_cycle, "auto") != 0)
        snprintf(whoami->configured.life_cycle, sizeof whoami->configured.life_cycle, "%s",
                 config->life_cycle);
    snprintf(whoami->identity.source, sizeof whoami->identity.source, "unknown");
    snprintf(whoami->identity.note, sizeof whoami->identity.note, "nobody was asked yet");
    identity_override(&whoami->identity, &whoami->configured);
    return whoami;
}

void whoami_free(struct whoami *whoami)
{
    if (!whoami)
        return;
    pthread_mutex_destroy(&whoami->lock);
    free(whoami);
}

void whoami_ask(struct whoami *whoami, fetch_fn *fetch, void *fetcher)
{
    const char *metadata = whoami->config->metadata;
    struct identity_question question = {.root = "", .fetch = fetch, .fetcher = fetcher};
    struct identity identity = {.source = "unknown", .note = "metadata is switched off"};

    if (strncmp(metadata, "aws=", 4) == 0)
        question.aws_url = metadata + 4;
    else if (strncmp(metadata, "gcp=", 4) == 0)
        question.gcp_url = metadata + 4;
    else if (strncmp(metadata, "azure=", 6) == 0)
        question.azure_url = metadata + 6;
    if (strcmp(metadata, "off") != 0)
        identity_ask(&question, &identity);
    identity_override(&identity, &whoami->configured);
    pthread_mutex_lock(&whoami->lock);
    whoami->identity = identity;
    whoami->asked = true;
    pthread_mutex_unlock(&whoami->lock);
}

bool whoami_was_asked(struct whoami *whoami)
{
    pthread_mutex_lock(&whoami->lock);
    bool asked = whoami->asked;
    pthread_mutex_unlock(&whoami->lock);
    return asked;
}

void whoami_get(struct whoami *whoami, struct identity *ret_identity)
{
    pthread_mutex_lock(&whoami->lock);
    *ret_identity = whoami->identity;
    pthread_mutex_unlock(&whoami->lock);
}

void whoami_vm(struct whoami *whoami, const char *shown, char ret_vm[VM_SIZE])
{
    struct identity identity;

    whoami_get(whoami, &identity);
    vm_from_instance(identity.cloud, identity.instance_id, ret_vm);
    if (!ret_vm[0])
        snprintf(ret_vm, VM_SIZE, "%s", shown);
}

struct search {
    const struct identity *identity;
    long long at_us;
    int rank;
    bool expired; /* there was one, too old */
    struct price_view best;
};

static void consider(void *user, const struct price_view *view)
{
    struct search *search = user;
    int rank = price_rank(&view->price, search->identity);
    long long said_us =
        view->confirmed_source_us > 0 ? view->confirmed_source_us : view->confirmed_us;

    if (rank == 0)
        return;
    if (freshness_of(view->price.kind, search->at_us - said_us) == PRICE_EXPIRED) {
        search->expired = true;
        return;
    }
    if (rank <= search->rank)
        return;
    search->rank = rank;
    search->best = *view;
}

/* The most special comes first. */
static void take_off(void *user, const struct discount *discount)
{
    struct machine_price *price = user;

    if (price->discount[0] || price->factor < 1 ||
        !discount_applies(discount, &price->view.price))
        return;
    price->factor = discount->factor;
    snprintf(price->discount, sizeof price->discount, "%s", discount->note);
}

/* A price given when the server was started is what a person typed, and wins. */
static void take_option(double dollars, long long at_us, struct machine_price *price)
{
    struct price *typed = &price->view.price;

    price->known = price_set_number(typed, dollars);
    typed->kind = PRICE_TYPED;
    typed->fetched_us = price->view.since_us = at_us;
    snprintf(typed->currency, sizeof typed->currency, "USD");
    snprintf(typed->feed, sizeof typed->feed, "option");
}

static void explain(const struct search *search, struct machine_price *price)
{
    const struct identity *identity = search->identity;

    if (!identity->instance_type[0])
        snprintf(price->why_not, sizeof price->why_not, "the instance type is not known");
    else if (search->expired)
        snprintf(price->why_not, sizeof price->why_not, "what the feeds say is too old");
    else
        snprintf(
            price->why_not, sizeof price->why_not, "no feed has a price (%s) for %.40s in %.40s",
            identity->life_cycle[0] ? identity->life_cycle : "typed", identity->instance_type,
            identity->region[0] ? identity->region : "an unknown region");
}

bool whoami_price(struct whoami *whoami, struct db *db, long long at_us,
                  struct machine_price *ret_price, struct error *err)
{
    struct identity identity;
    struct search search = {.identity = &identity, .at_us = at_us};
    struct machine_price price = {.factor = 1};

    whoami_get(whoami, &identity);
    if (whoami->config->price_per_hour > 0) {
        take_option(whoami->config->price_per_hour, at_us, &price);
    } else if (identity.instance_type[0]) {
        const struct price_filter filter = {
            .instance_type = identity.instance_type, .at_us = at_us, .limit = PRICES_MAX};

        if (!price_list(db, &filter, consider, &search, err))
            return false;
        price.known = search.rank > 0;
        price.view = search.best;
    }
    if (!price.known)
        explain(&search, &price);
    else if (!discounts_each(db, at_us, take_off, &price, err))
        return false;
    if (price.known && strcmp(price.view.price.currency, "USD") == 0)
        price.dollars = (double)price.view.price.nanos / 1e9 * price.factor;
    *ret_price = price;
    return true;
}

double whoami_dollars(struct whoami *whoami, struct db *db)
{
    struct machine_price price;

    return whoami_price(whoami, db, clock_calendar_us(), &price, NULL) && price.known
               ? price.dollars
               : 0;
}
