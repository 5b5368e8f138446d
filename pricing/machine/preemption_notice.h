/* Polls the metadata service for a preemption notice while a run or other work could be lost. */
#pragma once

#include "pricing/machine/metadata.h"

enum preemption_notice_result {
    NOTICE_NONE,    /* the machine stays */
    NOTICE_LEAVING, /* *ret_notice has the time and the reason */
    NOTICE_UNKNOWN, /* no answer; err says why */
};

struct notice {
    char why[160];   /* a sentence for people */
    long long at_us; /* calendar; 0 where unknown */
};

/* State of one poller between two requests. */
struct preemption_notice_asker {
    const struct preemption_notice_cloud *cloud;
    struct metadata service; /* may hold a token: preemption_notice_end() forgets it */
    char name[128];          /* Azure's name of this machine; "" unknown */
    bool named;              /* the name was requested */
    bool at_risk;            /* AWS hinted at a coming notice; only a hint */
};

/* False for a provider without notices; sends no request yet. `url` is NULL for each cloud's own
 * service, and must outlive the asker. */
MUST_USE bool preemption_notice_begin(struct preemption_notice_asker *asker, const char *provider,
                                      const char *url, fetch_fn *fetch, void *fetcher);

/* Takes some seconds at most: 1.3 for each of up to four requests. */
MUST_USE enum preemption_notice_result
preemption_notice_ask(struct preemption_notice_asker *asker, struct notice *ret_notice,
                      struct error *err);

void preemption_notice_end(struct preemption_notice_asker *asker);

/* Parse the documents of two clouds. False, with err, for any other text; no message quotes
 * it. */
MUST_USE bool preemption_notice_read_aws(const char *text, size_t length,
                                         struct notice *ret_notice, struct error *err);
MUST_USE bool preemption_notice_read_azure(const char *text, size_t length, const char *name,
                                           struct notice *ret_notice, bool *ret_leaving,
                                           struct error *err);
