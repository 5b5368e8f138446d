/* Walks a reader over pages that a test brings, as the real walk does, and keeps what was asked:
 *     TEST_WALK(pages_are_read, azure_retail, "eastus")
 *     {
 *         EXPECT_INT(walk_texts(walk, TEXTS(PAGE, PAGE2)), READING_DONE);
 *         EXPECT_INT(walk_count(walk), 2);
 *     }
 * Samples of what feeds send are not in this repository: tests that need them ask
 * walk_has_samples(), which says where they were looked for. */
#pragma once

#include "pricing/feeds/json_page.h"
#include "pricing/feeds/source.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of texts: pages, names of samples, rows. */
#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Members or elements of JSON, one behind another. */
#define TWO(a, b) a "," b
#define THREE(a, b, c) a "," b "," c

#define WALK_NOW_US 1790000000000000LL /* 2026-09-21 */
#define WALK_REQUESTS_MAX 8

struct walk {
    struct reading reading; /* a test may change anything in it before it walks */
    const struct reader_ops *ops;
    size_t chunk;                   /* bytes given to take() at once; 0: all there are */
    struct fetch_response response; /* what every page comes with */
    struct credentials credentials; /* empty; reading.credentials points at it */
    struct scopes scopes;
    /* Filled while walking: */
    int asked;                                        /* pages asked for */
    struct fetch_request requests[WALK_REQUESTS_MAX]; /* the first of them */
    char *bodies[WALK_REQUESTS_MAX];                  /* and what they sent, "" for nothing */
    struct error err;
};

/* The body of page `number`, which lives until the next is asked for. */
typedef const char *walk_page_fn(void *user, size_t number, size_t *ret_length);

static inline void walk_start(struct walk *walk, const struct source *source, const char *scope)
{
    *walk = (struct walk){.ops = source->read, .response = {.status = 200}};
    walk->credentials = (struct credentials){.id = "AKIDEXAMPLE", .secret = "wJalrEXAMPLEKEY"};
    walk->reading = (struct reading){.source = source,
                                     .url = source->url,
                                     .types = "",
                                     .credentials = &walk->credentials,
                                     .key = "key-for-tests",
                                     .etag = "",
                                     .last_modified = "",
                                     .mark = "",
                                     .now_us = WALK_NOW_US,
                                     .scopes = &walk->scopes};
    walk->response.retry_after_seconds = -1;
    snprintf(walk->reading.scope.name, sizeof walk->reading.scope.name, "%s", scope);
    walk->reading.batch = price_batch_new(source->name, WALK_NOW_US);
}

static inline void walk_end(struct walk *walk)
{
    price_batch_freep(&walk->reading.batch);
    for (size_t i = 0; i < WALK_REQUESTS_MAX; i++)
        freep(&walk->bodies[i]);
}

/* A test that is given a walk of this source and scope. */
#define TEST_WALK(name, source, scope)                                                           \
    static void name(struct walk *walk);                                                         \
    TEST_FOUND(name, walk_test(name, &(source), (scope)))                                        \
    static void name(struct walk *walk)

/* How what a test calls ends for its walk: well, with so many prices, or with an error. */
#define EXPECT_READ(call)                                                                        \
    do {                                                                                         \
        EXPECT_INT((call), READING_DONE);                                                        \
        EXPECT_STR(walk->err.message, "");                                                       \
    } while (0)
#define EXPECT_PRICES(call, count)                                                               \
    do {                                                                                         \
        EXPECT_READ(call);                                                                       \
        EXPECT_INT(walk_count(walk), (count));                                                   \
    } while (0)
#define EXPECT_FAILED(call, message_)                                                            \
    do {                                                                                         \
        EXPECT_INT((call), READING_FAILED);                                                      \
        EXPECT_STR(walk->err.message, (message_));                                               \
    } while (0)
#define EXPECT_FAILED_AS(call, kind_)                                                            \
    do {                                                                                         \
        EXPECT_INT((call), READING_FAILED);                                                      \
        EXPECT_INT(walk->err.kind, (kind_));                                                     \
    } while (0)

static inline void walk_test(void (*test)(struct walk *walk), const struct source *source,
                             const char *scope)
{
    AUTO(walk_end) struct walk walk;

    walk_start(&walk, source, scope);
    test(&walk);
}

static inline void walk_note(struct walk *walk, const struct fetch_request *request)
{
    size_t number = (size_t)walk->asked++;

    if (number >= WALK_REQUESTS_MAX)
        return;
    walk->requests[number] = *request;
    walk->requests[number].body = NULL;
    free(walk->bodies[number]);
    walk->bodies[number] = strdup(request->body ? request->body : "");
}

/* False when the reader failed in the middle. */
static inline bool walk_take(struct walk *walk, void *reader, const char *data, size_t length)
{
    size_t chunk = walk->chunk ? walk->chunk : length;
    enum fetch_take taken = TAKE_MORE;

    while (length > 0 && taken == TAKE_MORE) {
        size_t piece = chunk < length ? chunk : length;
        /* In memory of its own size: reading beyond is seen. */
        AUTO(freep) char *exact = malloc(piece);

        if (!exact)
            return error_set(&walk->err, ERROR_INTERNAL, NULL, "out of memory");
        memcpy(exact, data, piece);
        taken = walk->ops->take(reader, exact, piece, &walk->err);
        data += piece;
        length -= piece;
    }
    return taken != TAKE_FAILED;
}

/* Walks to the end. The basket, the requests and err then tell; walking again begins anew. */
static inline enum reading_state walk_all(struct walk *walk, walk_page_fn *page, void *user)
{
    enum reading_state state = READING_ASKS;

    walk->asked = 0;
    error_clear(&walk->err);
    price_batch_empty(walk->reading.batch);
    void *reader = reader_open(walk->ops, &walk->reading, &walk->err);
    if (!reader)
        return READING_FAILED;
    while (state == READING_ASKS) {
        struct fetch_request request = {.max_bytes = walk->reading.source->max_bytes};
        const char *body = NULL;
        size_t length = 0;

        if (walk->ops->ask(reader, &request, &walk->err)) {
            walk_note(walk, &request);
            body = page(user, (size_t)walk->asked - 1, &length);
        }
        if (!body || (walk->response.status == 200 && !walk_take(walk, reader, body, length)))
            state = READING_FAILED;
        else
            state = walk->ops->page(reader, &walk->response, &walk->err);
    }
    walk->ops->close(reader);
    return state;
}

static inline const char *walk_text(void *user, size_t number, size_t *ret_length)
{
    const char *const *texts;

    memcpy(&texts, user, sizeof texts);
    for (size_t i = 0; i < number; i++)
        if (!texts[i])
            return NULL;
    *ret_length = texts[number] ? strlen(texts[number]) : 0;
    return texts[number];
}

/* One text a page; asking for more than there are is a failure without err. */
static inline enum reading_state walk_texts(struct walk *walk, const char *const *texts)
{
    return walk_all(walk, walk_text, &texts);
}

/* Each of these pages alone is a failure of the far side, without a price. */
static inline void walk_failures(struct walk *walk, const char *const *pages)
{
    for (; *pages; pages++) {
        int failures_before = test_failures;

        EXPECT_FAILED_AS(walk_texts(walk, TEXTS(*pages)), ERROR_UPSTREAM);
        EXPECT_INT((long long)price_batch_count(walk->reading.batch), 0);
        if (test_failures > failures_before)
            printf("       %s\n", *pages);
    }
}

static inline const char *walk_sample_folder(void)
{
    const char *folder = getenv("PENNYWORTH_SAMPLES");

    return folder && *folder ? folder : "../shared/samples/pricing";
}

/* A sample as text (NUL-terminated) that the caller frees; NULL where there is none. */
static inline char *walk_sample(const char *name, size_t *ret_length)
{
    char path[4096];
    long size;

    snprintf(path, sizeof path, "%s/%s", walk_sample_folder(), name);
    AUTO(fclosep) FILE *file = fopen(path, "rbe");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
        return NULL;
    rewind(file);
    AUTO(freep) char *text = calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        return NULL;
    if (ret_length)
        *ret_length = (size_t)size;
    return take(&text);
}

/* Whether this sample is there; says so where it is not. */
static inline bool walk_has_samples(const char *name)
{
    AUTO(freep) char *text = walk_sample(name, NULL);

    if (!text)
        printf("skipped: no %s in %s (PENNYWORTH_SAMPLES)\n", name, walk_sample_folder());
    return text != NULL;
}

/* Samples, one a page, at most four. */
static inline enum reading_state walk_samples(struct walk *walk, const char *const *names)
{
    const char *texts[5] = {NULL};
    char *loaded[5] = {NULL};

    for (size_t i = 0; i < 4 && names[i]; i++)
        texts[i] = loaded[i] = walk_sample(names[i], NULL);
    enum reading_state state = walk_texts(walk, texts);
    for (size_t i = 0; i < 4; i++)
        free(loaded[i]);
    return state;
}

/* How many prices it brought. */
static inline long long walk_count(const struct walk *walk)
{
    return (long long)price_batch_count(walk->reading.batch);
}

/* The price of this kind in that zone ("" for the region), or NULL. */
static inline const struct price *walk_price(const struct walk *walk, const char *instance_type,
                                             const char *zone, enum price_kind kind)
{
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(walk->reading.batch, &position)) != NULL)
        if (price->kind == kind && strcmp(price->instance_type, instance_type) == 0 &&
            strcmp(price->zone, zone) == 0)
            return price;
    return NULL;
}

/* The same, but a price of nothing where there is none. */
static inline const struct price *walk_found(const struct walk *walk, const char *instance_type,
                                             const char *zone, enum price_kind kind)
{
    static const struct price nothing;
    const struct price *price = walk_price(walk, instance_type, zone, kind);

    return price ? price : &nothing;
}

/* Its amount as the feed wrote it; "" for no price. */
static inline const char *walk_amount(const struct walk *walk, const char *instance_type,
                                      const char *zone, enum price_kind kind)
{
    return walk_found(walk, instance_type, zone, kind)->text;
}

/* The same in billionths; 0 for no price. */
static inline long long walk_nanos(const struct walk *walk, const char *instance_type,
                                   const char *zone, enum price_kind kind)
{
    return walk_found(walk, instance_type, zone, kind)->nanos;
}
