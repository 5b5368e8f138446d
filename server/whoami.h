/* Which instance of which cloud this machine is: asked once, beside everything else, and known to
 * whoever wants it from then on. Threads may share it. */
#pragma once

#include "common/error.h"
#include "db/price_list.h"
#include "engine/vm.h"
#include "pricing/identity.h"
#include "server/config.h"

struct whoami;

struct whoami *whoami_new(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));
void whoami_free(struct whoami *whoami); /* NULL is fine */

/* Asks the cloud, unless settings forbid it; takes seconds at worst. */
void whoami_ask(struct whoami *whoami, fetch_fn *fetch, void *fetcher);

/* Whether that was done. */
bool whoami_was_asked(struct whoami *whoami);

/* What is known by now; what settings say, from the start. */
void whoami_get(struct whoami *whoami, struct identity *ret_identity);

/* Which machine this is among those of its type: by its instance id once a cloud has told that,
 * until then by what the machine shows itself (`shown`, of struct here). */
void whoami_vm(struct whoami *whoami, const char *shown, char ret_vm[VM_SIZE]);

/* What an hour of this machine costs at a moment. */
struct machine_price {
    bool known;
    struct price_view view;
    double factor;      /* of the discount on it; 1 for none */
    char discount[128]; /* its note */
    double dollars;     /* an hour, discount taken off; 0 where the currency is another */
    char why_not[160];  /* of an unknown price */
};

/* The dollars of it; 0 where they are not known. */
double whoami_dollars(struct whoami *whoami, struct db *db);

bool whoami_price(struct whoami *whoami, struct db *db, long long at_us,
                  struct machine_price *ret_price, struct error *err)
    __attribute__((warn_unused_result));
