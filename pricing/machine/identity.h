/* Which machine am I? Asked of the cloud that the firmware hints at, by its metadata service;
 * off every cloud the answer is "unknown" without asking anybody. */
#pragma once

#include "common/limits.h"
#include "pricing/feeds/fetch.h"
#include "pricing/machine/terms.h"

struct identity {
    char provider[PROVIDER_SIZE];      /* "" where nothing is known */
    char instance_type[INSTANCE_SIZE]; /* the rest may be "" each for itself */
    char region[REGION_SIZE];
    char zone[REGION_SIZE];
    char zone_id[40];       /* "use1-az4": the same zone in every account */
    char life_cycle[24];    /* "on_demand", "spot", or the provider's word for anything else */
    char terms[TERMS_SIZE]; /* what it is billed for beyond plain Linux; terms.h */
    char partition[16];     /* of AWS: "aws", "aws-cn", "aws-us-gov" */
    char instance_id[64];   /* of this very machine, as the cloud that was asked calls it */
    char cloud[8];          /* which one that was; settings do not change these two */
    char source[24];        /* who said so: "metadata", "settings", "unknown" */
    char note[200];         /* why something is not known, for people; "" when all is */
    bool unheard;           /* there should be a service, and it did not say who we are */
};

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
