/* What tests of a machine's identity share: questions and answers as metadata services have them,
 * a made-up machine that asks, and the answer that says nothing. */
#pragma once

#include "pricing/machine/identity.h"

#include "tests/engine/tree.h"
#include "tests/pricing/feeds/replies.h"
#include "tests/pricing/feeds/walk.h"

#define TOKEN "AQAEAHEXAMPLETOKEN=="
#define WITH_TOKEN "X-aws-ec2-metadata-token: " TOKEN
/* Rows of a table of replies. */
#define PUT_TOKEN                                                                                \
    "PUT", "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 21600", 200, TOKEN, NULL
#define AWS(path, body) NULL, "/latest/meta-data/" path, WITH_TOKEN, 200, body, NULL
#define GCP(path, body)                                                                          \
    NULL, "/computeMetadata/v1/instance/" path, "Metadata-Flavor: Google", 200, body, "Google"
#define AZURE_PATH "/metadata/instance/compute?api-version=2021-02-01&format=json"
#define AZURE(body) NULL, AZURE_PATH, "Metadata: true", 200, body, NULL

/* Asks on a machine whose firmware names this vendor; NULL for no such file. */
static inline struct identity ask(const char *vendor, struct replies *replies,
                                  struct identity_question question)
{
    AUTO(tree_remove) struct tree tree = tree_make();
    struct identity identity;

    if (vendor)
        tree_put(&tree, "/sys/class/dmi/id/sys_vendor", "%s\n", vendor);
    question.root = tree.root;
    question.fetch = replies_fetch;
    question.fetcher = replies;
    memset(&identity, 'x', sizeof identity);
    identity_ask(&question, &identity);
    EXPECT(strlen(identity.note) < sizeof identity.note - 1); /* not cut off */
    EXPECT(!identity.instance_type[0] || (identity.provider[0] && identity.region[0]));
    EXPECT(replies->asked <= 16);
    return identity;
}

static inline struct identity ask_table(const char *vendor, const struct reply *list)
{
    struct replies replies = {.list = list, .begins = "http://169.254.169.254/"};

    return ask(vendor, &replies, (struct identity_question){.root = NULL});
}

/* All that is known of a machine, in one line. */
static inline const char *known(const struct identity *identity)
{
    static char text[1000];

    snprintf(text, sizeof text, "%s %s %s %s %s %s %s, %s", identity->provider,
             identity->instance_type, identity->region, identity->zone, identity->zone_id,
             identity->life_cycle, identity->partition, identity->source);
    return text;
}

/* Nothing at all is said, but why; and the reason has this in it. */
static inline void expect_unknown(struct identity identity, const char *reason)
{
    EXPECT_STR(known(&identity), "      , unknown");
    EXPECT_PART(identity.note, reason);
}
