/* One HTTP request and its answer, with limits on time and size. Only this file knows libcurl;
 * others take a `fetch_fn`, so that tests need no network. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define FETCH_URL_MAX 4096
#define FETCH_HEADERS_MAX 6
#define FETCH_EXCERPT_MAX 1024

/* Keys of AWS; never logged, never stored. */
struct credentials {
    char id[129];
    char secret[129];
    char token[4097]; /* "" for keys that do not expire */
};

struct fetch_request {
    const char *method; /* NULL is GET, or POST where there is a body */
    char url[FETCH_URL_MAX];
    const char *body;    /* lives until the answer; NULL for none */
    size_t body_length;  /* 0: up to its NUL */
    const char *ca_file; /* PEM: the certificates trusted; NULL or "": the system's */
    char headers[FETCH_HEADERS_MAX][320];  /* "Name: value", "" ends the list */
    char etag[128], last_modified[64];     /* validators of the stored copy: make the request
                                            * conditional */
    const struct credentials *credentials; /* signs with SigV4 unless NULL */
    char service[32], region[40];          /* for the signature */
    size_t max_bytes;                      /* of the body, unpacked */
    long long connect_ms, total_ms;        /* 0: 10 s to connect, no total limit while bytes keep
                                            * coming */
    long long patience_seconds;            /* below 1 kB/s; 0: 20 */
    bool any_name; /* accepts a certificate of ca_file for any host name */
    bool direct;   /* no proxy, no redirects; a body is never redirected */
};

enum fetch_take { TAKE_MORE, TAKE_ENOUGH /* the rest is not needed */, TAKE_FAILED };

/* Gets the unpacked body as it arrives, of a 200, or of a 201 after a request with a body. */
typedef enum fetch_take fetch_take_fn(void *user, const char *data, size_t length,
                                      struct error *err);

struct fetch_response {
    int status;
    char etag[128], last_modified[64], flavor[32]; /* flavor: of Metadata-Flavor */
    char content_type[64];                         /* "" if missing */
    long long last_modified_us;                    /* 0 if missing */
    long long retry_after_seconds;                 /* -1 if missing */
    long long bytes;                               /* of the body, unpacked */
    bool began;                                    /* part of the body was taken */
    bool refused;                                  /* we aborted it: a retry would not help */
    char excerpt[FETCH_EXCERPT_MAX];               /* of a body not passed on, printable */
};

/* One attempt, with its redirects. True for any complete answer of the server; otherwise false,
 * with ERROR_UPSTREAM or take()'s error. *ret_response is filled as far as the answer arrived in
 * both cases. */
typedef bool fetch_fn(void *user, const struct fetch_request *request, fetch_take_fn *take,
                      void *taker, struct fetch_response *ret_response, struct error *err);

/* The real implementation; `user` is a struct fetcher. One thread at a time. */
struct fetcher;
MUST_USE struct fetcher *fetcher_new(struct error *err);
void fetcher_free(struct fetcher *fetcher); /* NULL is fine */
fetch_fn fetch_with_curl;

/* From any thread: aborts the current request and all later ones. */
void fetcher_stop(struct fetcher *fetcher);

/* Adds a header; false if it does not fit. */
bool fetch_header(struct fetch_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3), warn_unused_result));

/* Appends to the url; `fetch_url_value` percent-encodes. False if it does not fit. */
MUST_USE bool fetch_url_add(struct fetch_request *request, const char *text);
MUST_USE bool fetch_url_value(struct fetch_request *request, const char *text);
