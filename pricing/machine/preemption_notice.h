/* Whether the cloud takes this machine back, as its metadata service says: asked again and again
 * while there is something to lose. */
#pragma once

#include "pricing/machine/metadata.h"

enum preemption_notice_result {
    NOTICE_NONE,    /* it says that the machine stays */
    NOTICE_LEAVING, /* *ret_notice says when, and in which words */
    NOTICE_UNKNOWN, /* it did not say; err says why */
};

struct notice {
    char why[160];   /* a sentence for people */
    long long at_us; /* calendar; 0 where unknown */
};

/* One who asks one service, and what it has to remember between two questions. */
struct preemption_notice_asker {
    const struct preemption_notice_cloud *cloud;
    struct metadata service; /* may hold a token: preemption_notice_end() forgets it */
    char name[128];          /* of this machine, as Azure has it; "" unknown */
    bool named;              /* the name was asked for */
    bool at_risk;            /* AWS hinted that a notice may come; only a hint */
};

/* False for a provider that gives no notice; no request is sent yet. `url` is NULL for where each
 * cloud has its service, and lives as long as the asker. */
MUST_USE bool preemption_notice_begin(struct preemption_notice_asker *asker, const char *provider,
                                      const char *url, fetch_fn *fetch, void *fetcher);

/* At most some seconds: 1.3 for each of at most four questions. */
MUST_USE enum preemption_notice_result
preemption_notice_ask(struct preemption_notice_asker *asker, struct notice *ret_notice,
                      struct error *err);

void preemption_notice_end(struct preemption_notice_asker *asker);

/* The documents of two of the clouds. False, with err, for what is none; no message quotes it.
 */
MUST_USE bool preemption_notice_read_aws(const char *text, size_t length,
                                         struct notice *ret_notice, struct error *err);
MUST_USE bool preemption_notice_read_azure(const char *text, size_t length, const char *name,
                                           struct notice *ret_notice, bool *ret_leaving,
                                           struct error *err);
