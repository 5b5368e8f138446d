/* Where keys of AWS are looked for, and what is found. */
#pragma once

#include "pricing/feeds/fetch.h"

struct credentials_question {
    char *const *environment; /* like environ */
    const char *home;         /* for ~/.aws/credentials; NULL for none */
    const char *metadata_url; /* of the instance's role; NULL: its role is not asked for */
    fetch_fn *fetch;
    void *fetcher;
    long long now_us;
};

enum credentials_result {
    CREDENTIALS_FOUND,
    CREDENTIALS_NONE,  /* no place has any: err is not touched */
    CREDENTIALS_WRONG, /* there is a source, but it cannot be read; err says which and why */
};
