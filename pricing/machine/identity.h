/* Identifies this machine: asks the metadata service of the cloud that the firmware names;
 * without a cloud the answer is "unknown", and nothing is asked. */
#pragma once

#include "pricing/feeds/fetch.h"
#include "pricing/machine/identity_data.h"

struct identity_question {
    const char *root; /* prefix of /sys/class/dmi/id/sys_vendor; "" */
    /* Addresses of the services; NULL is each cloud's own. */
    const char *aws_url, *gcp_url, *azure_url;
    bool ask_anyway; /* ask even if the firmware names no cloud */
    fetch_fn *fetch;
    void *fetcher;
};

/* Never fails: unknown members are "", and `note` says why. Takes some seconds at most. */
void identity_ask(const struct identity_question *question, struct identity *ret_identity);

/* Configured members replace the others; `source` says so. */
void identity_override(struct identity *identity, const struct identity *configured);
