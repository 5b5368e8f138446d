/* Keys of AWS, as its own tools find them: the environment, then the shared file, then the role
 * of the instance. They stay in memory: never logged, never stored. */
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

/* *ret_until_us: when they end, 0 for never; ask again some minutes before. *ret_origin: "the
 * environment", "the shared file", "the role of the instance". */
enum credentials_result credentials_find(const struct credentials_question *question,
                                         struct credentials *ret_credentials,
                                         const char **ret_origin, long long *ret_until_us,
                                         struct error *err) __attribute__((warn_unused_result));
