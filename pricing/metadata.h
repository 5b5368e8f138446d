/* Small questions to the metadata service of a cloud: never through a proxy, never redirected,
 * never longer than a second. */
#pragma once

#include "pricing/fetch.h"

#define METADATA_MAX 65536

struct metadata {
    fetch_fn *fetch;
    void *fetcher;
    const char *url;  /* without a '/' at its end */
    char header[320]; /* sent with every question */
};

/* What came. */
struct metadata_answer {
    int status;      /* 0: none in time */
    char flavor[32]; /* of Google's services */
    char why[160];   /* of none */
    size_t length;
    char text[METADATA_MAX + 1]; /* of a 200 */
};

/* GET, or `method`. */
void metadata_ask(const struct metadata *metadata, const char *method, const char *path,
                  struct metadata_answer *ret_answer);

/* Makes the header for all further questions of a token of IMDSv2. False: *answer says why there
 * is none. There is no other version for us. */
bool metadata_take_token(struct metadata *metadata, struct metadata_answer *answer);
