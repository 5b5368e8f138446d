/* Where to look for AWS keys, and the result. */
#pragma once

#include "pricing/feeds/fetch.h"

struct credentials_question {
    char *const *environment; /* like environ */
    const char *home;         /* for ~/.aws/credentials; NULL for none */
    const char *metadata_url; /* of the instance's role; NULL: do not ask */
    fetch_fn *fetch;
    void *fetcher;
    long long now_us;
};

enum credentials_result {
    CREDENTIALS_FOUND,
    CREDENTIALS_NONE,  /* found nowhere: err is unchanged */
    CREDENTIALS_WRONG, /* a source exists, but is unreadable; err says which and why */
};
