/* The identity of this machine. */
#pragma once

#include "common/limits.h"
#include "pricing/machine/terms.h"

#include <stdbool.h>

struct identity {
    char provider[PROVIDER_SIZE];      /* "" if unknown */
    char instance_type[INSTANCE_SIZE]; /* each of the rest may be "" */
    char region[REGION_SIZE];
    char zone[REGION_SIZE];
    char zone_id[40];       /* "use1-az4": the same zone in every account */
    char life_cycle[24];    /* "on_demand", "spot", or the provider's word for anything else */
    char terms[TERMS_SIZE]; /* billed in addition to plain Linux; terms.h */
    char partition[16];     /* AWS: "aws", "aws-cn", "aws-us-gov" */
    char instance_id[64];   /* id of this instance at the cloud that was asked */
    char cloud[8];          /* the cloud that was asked; settings change neither of these */
    char source[24];        /* origin: "metadata", "settings", "unknown" */
    char note[200];         /* why something is unknown, for people; else "" */
    bool unheard;           /* a metadata service was expected, but gave no identity */
};
