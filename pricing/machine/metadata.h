/* Requests to a cloud's metadata service, which answers only its own machines: short timeouts, no
 * proxy, no redirects. */
#pragma once

#include "pricing/feeds/fetch.h"

#define METADATA_LINK_LOCAL "http://169.254.169.254"
#define METADATA_GCP "/computeMetadata/v1/instance/" /* before the names of Google */
#define METADATA_WORD_MAX 512
#define METADATA_DOCUMENT_MAX 65536

struct metadata {
    fetch_fn *fetch;
    void *fetcher;
    const char *url;  /* base URL of the service */
    char header[320]; /* sent with every request; "" for none. May hold a secret */
    int status;       /* of the last answer; 0 if none */
    char flavor[32];  /* Metadata-Flavor of the last answer */
};

/* Requests an AWS token (IMDSv2; required) for `header`. False with a status of 0 and
 * ERROR_UPSTREAM: no service answered. */
MUST_USE bool metadata_token(struct metadata *service, struct error *err);

enum metadata_result {
    METADATA_TOLD,
    METADATA_ABSENT, /* 404: it does not exist */
    METADATA_FAILED, /* err says why, without quoting the answer */
};

/* GET; appends `path` to the url. Writes the body to `text`, NUL-terminated; a longer body, or
 * one with a NUL, is a failure. */
MUST_USE enum metadata_result metadata_get(struct metadata *service, const char *path, char *text,
                                           size_t size, struct error *err);

/* Removes spaces and newlines at the end, which some mock services send. */
void metadata_trim(char *text);

/* Copies the name of a type or a place: letters, digits, '.', '_', '-'. Copies nothing if it has
 * other characters, is empty, or does not fit. */
bool metadata_word(char *member, size_t size, const char *text);
#define METADATA_WORD(member, text) metadata_word((member), sizeof(member), (text))
