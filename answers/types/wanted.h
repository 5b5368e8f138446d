/* What a machine of a type should measure next: specs of a bench or of other types that lack
 * evidence on this type. Pure. */
#pragma once

#include "answers/types/support.h"
#include "db/standings/standings.h"

/* Why a spec is wanted, most useful first. */
enum wanted_reason {
    WANTED_NEVER,         /* no valid run of it on this type */
    WANTED_FEW_MACHINES,  /* fewer than an interval over machines needs */
    WANTED_OTHER_VERSION, /* measured with an older version than the newest of its engine */
    WANTED_OLD,           /* measured too long ago */
    WANTED_NOT            /* nothing is missing */
};
extern const char *const wanted_reason_names[];

struct wanted {
    struct run_spec spec;
    char *configuration; /* owned: as it stands in db/contenders/ */
    enum wanted_reason reason;
    char words[120 + RUN_VERSION_SIZE]; /* the reason, for people */
    const struct contender *contender;  /* of this type, with the most evidence; NULL: none */
    long long types;                    /* other types measured with it */
};

struct wanted_list {
    struct wanted *list; /* owned: the most useful first */
    size_t count, room;
    size_t unable; /* specs that such a machine cannot run, or only with emulated bf16 */
};

struct wanted_question {
    const struct standings *standings;
    const struct known_type *type;
    const char *workload, *engine; /* NULL for any */
    long long days;                /* what is older is wanted again */
    long long now_us;
};

struct wanted_list wanted_find(const struct wanted_question *question);
void wanted_list_free(struct wanted_list *list); /* a zeroed one is fine */
