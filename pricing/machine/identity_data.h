/* What is known of the machine that this runs on. */
#pragma once

#include "common/limits.h"
#include "pricing/machine/terms.h"

#include <stdbool.h>

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
