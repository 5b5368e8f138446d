/* Which machine am I? Asked of the cloud that the firmware hints at, by its metadata service;
 * off every cloud the answer is "unknown" without asking anybody. */
#pragma once

#include "pricing/feeds/fetch.h"
#include "pricing/machine/identity_data.h"

struct identity_question {
    const char *root; /* in which /sys/class/dmi/id/sys_vendor is looked at; "" */
    /* Where the services are; NULL is the address that each cloud gives them. */
    const char *aws_url, *gcp_url, *azure_url;
    bool ask_anyway; /* whatever the firmware says: for machines that hide it */
    fetch_fn *fetch;
    void *fetcher;
};

/* Never fails: what cannot be learned is "", and `note` says why. At most some seconds. */
void identity_ask(const struct identity_question *question, struct identity *ret_identity);

/* What a person configured wins, member by member; `source` says so. */
void identity_override(struct identity *identity, const struct identity *configured);
