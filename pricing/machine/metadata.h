/* Questions to the metadata service of a cloud, which answers only to its own machines: short
 * times, past every proxy, no redirects. */
#pragma once

#include "pricing/feeds/fetch.h"

#define METADATA_LINK_LOCAL "http://169.254.169.254"
#define METADATA_WORD_MAX 512
#define METADATA_DOCUMENT_MAX 65536

struct metadata {
    fetch_fn *fetch;
    void *fetcher;
    const char *url;  /* where the service is */
    char header[320]; /* goes with every question; "" for none. May hold a secret */
    int status;       /* of the last answer; 0 where there was none */
    char flavor[32];  /* what the last answer said of itself */
};

/* Asks AWS for a token (version 2; never without one), for `header`. With false, a status of 0
 * and ERROR_UPSTREAM no service answered. */
MUST_USE bool metadata_token(struct metadata *service, struct error *err);

enum metadata_result {
    METADATA_TOLD,
    METADATA_ABSENT, /* 404: there is no such thing */
    METADATA_FAILED, /* err says why, without a word of what was answered */
};

/* GET; `path` is added to the url. The body lands in `text`, NUL-terminated; one that is longer,
 * or has a NUL in it, is a failure. */
MUST_USE enum metadata_result metadata_get(struct metadata *service, const char *path, char *text,
                                           size_t size, struct error *err);

/* Takes away spaces and newlines at the end, which some stand-ins for the real services send. */
void metadata_trim(char *text);

/* Copies a name of a type, a place: letters, digits, '.', '_', '-'. Nothing is copied of what has
 * anything else in it, is empty, or does not fit. */
bool metadata_word(char *member, size_t size, const char *text);
#define METADATA_WORD(member, text) metadata_word((member), sizeof(member), (text))
