/* The machine that this process runs on: its hardware, which instance of which cloud it is, and
 * what an hour of it costs. Threads may share one. */
#pragma once

#include "common/error.h"
#include "db/price_list.h"
#include "engine/machine/machine.h"
#include "engine/machine/vm.h"
#include "engine/run/spec_fits.h"
#include "pricing/machine/identity.h"
#include "server/base/config.h"

#include <pthread.h>
#include <stdbool.h>

struct this_machine {
    /* Constant after this_machine_look() and this_machine_store(). */
    struct topology topology;
    struct machine machine;
    struct place place; /* without its price; this_machine_place() has it */
    long long number;   /* of its row; db/machines.h */
    char shown_vm[VM_SIZE];

    /* Behind the functions below. */
    const struct config *config;
    struct identity configured;
    pthread_mutex_t lock; /* of what follows */
    struct identity identity;
    bool asked;
};

/* Knows what the options say, and nothing of the hardware yet. */
struct this_machine *this_machine_new(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));
void this_machine_free(struct this_machine *here); /* NULL is fine */

/* Reads the hardware. Tries in a child process what the processor promises, so call it before
 * there are threads. */
bool this_machine_look(struct this_machine *here, struct error *err)
    __attribute__((warn_unused_result));

/* Stores the machine, unless the database knows it. */
bool this_machine_store(struct this_machine *here, struct db *db, struct error *err)
    __attribute__((warn_unused_result));

/* Asks the cloud which instance this is, unless the options forbid it; takes seconds at worst. */
void this_machine_ask(struct this_machine *here, fetch_fn *fetch, void *fetcher);

/* Whether that was done. */
bool this_machine_was_asked(struct this_machine *here);

/* What is known by now; what the options say, from the start. */
void this_machine_identity(struct this_machine *here, struct identity *ret_identity);

/* Which machine this is among those of its type: by its instance id once a cloud has given that,
 * until then by what the hardware shows. */
void this_machine_vm(struct this_machine *here, char ret_vm[VM_SIZE]);

/* What an hour of this machine costs at a moment. */
struct machine_price {
    bool known;
    struct price_view view;
    double factor;      /* of the discount on it; 1 for none */
    char discount[128]; /* its note */
    double dollars;     /* an hour, discount taken off; 0 where the currency is another */
    char why_not[160];  /* of an unknown price */
};

bool this_machine_price(struct this_machine *here, struct db *db, long long at_us,
                        struct machine_price *ret_price, struct error *err)
    __attribute__((warn_unused_result));

/* For spec_fits(), with what an hour costs now. */
struct place this_machine_place(struct this_machine *here, struct db *db);
