/* A feed of letters for tests of the walk itself: each letter of a page is a price, a '+' says
 * that another page follows, and what the far side answers to each request is a script. */
#pragma once

#include "pricing/feeds/refresh.h"
#include "tests/test.h"

#define ANSWERS_MAX 12

/* What the far side does to one request. */
struct answer {
    int status;
    const char *body; /* one type a byte, each a price; '+' at its end: there is another page */
    long long retry_after;
    bool began, broken, refused; /* broken: no complete answer */
    const char *excerpt;
};

struct world {
    struct answer script[ANSWERS_MAX];
    int answered, opened, closed;
    char asked[ANSWERS_MAX][16]; /* url of each request */
    char etags[ANSWERS_MAX][16];
    long long patience[ANSWERS_MAX];
    long long pauses[ANSWERS_MAX];
    int paused, stop_at; /* the number of the pause to interrupt; 0: none */
    bool full_at_open;   /* the basket was not empty when a walk began */
    enum error_kind page_fails;
    const char *feels; /* what the reader says then */
    int page_fails_times;
    bool unchanged;
    struct reading reading;
    struct error err;
    struct refresh_trace trace;
};

/* A reader of pages of letters. */
struct letters {
    struct world *world;
    bool more;
    int page;
};

static struct world *world_here; /* a reader gets only the reading as argument */

static inline void *letters_open(const struct reading *reading, struct error *err)
{
    struct letters *letters = calloc(1, sizeof *letters);

    (void)err;
    letters->world = world_here;
    letters->world->opened++;
    letters->world->full_at_open |= price_batch_places(reading->batch) > 0;
    return letters;
}

static inline bool letters_ask(void *reader, struct fetch_request *request, struct error *err)
{
    struct letters *letters = reader;

    (void)err;
    EXPECT_HAS(*request, (max_bytes, 1000), (url[0], 0));
    snprintf(request->url, sizeof request->url, "page %d", ++letters->page);
    if (letters->page == 1)
        snprintf(request->etag, sizeof request->etag, "%s", letters->world->reading.etag);
    return true;
}

static inline enum fetch_take letters_take(void *reader, const char *data, size_t length,
                                           struct error *err)
{
    struct letters *letters = reader;

    for (size_t i = 0; i < length; i++) {
        struct price price = {.provider = "p", .region = "r", .currency = "USD"};

        letters->more = data[i] == '+';
        if (letters->more)
            continue;
        price.instance_type[0] = data[i];
        EXPECT(price_set(&price, "1.5"));
        if (!price_batch_add(letters->world->reading.batch, &price, TWIN_IS_AMBIGUOUS, err))
            return TAKE_FAILED;
    }
    return TAKE_MORE;
}

static inline enum reading_state letters_page(void *reader, const struct fetch_response *response,
                                              struct error *err)
{
    struct letters *letters = reader;

    EXPECT_INT(response->status, 200);
    if (letters->world->page_fails_times > 0) {
        letters->world->page_fails_times--;
        error_set(err, letters->world->page_fails, NULL, "%s", letters->world->feels);
        return READING_FAILED;
    }
    if (letters->world->unchanged)
        return READING_UNCHANGED;
    return letters->more ? READING_ASKS : READING_DONE;
}

static inline void letters_close(void *reader)
{
    ((struct letters *)reader)->world->closed++;
    free(reader);
}

static const struct reader_ops ops = {letters_open, letters_ask,   letters_take,
                                      letters_page, letters_close, NULL};
static const struct source source = {
    .name = "letters", .provider = "p", .max_bytes = 1000, .read = &ops, .list = &ops};

static inline bool replay(void *user, const struct fetch_request *request,
                          fetch_take_fn *take_bytes, void *taker,
                          struct fetch_response *ret_response, struct error *err)
{
    struct world *world = user;
    const struct answer *answer = &world->script[world->answered];

    EXPECT(world->answered < ANSWERS_MAX);
    snprintf(world->asked[world->answered], 16, "%.15s", request->url);
    snprintf(world->etags[world->answered], 16, "%.15s", request->etag);
    world->patience[world->answered++] = request->patience_seconds;
    *ret_response = (struct fetch_response){.status = answer->status,
                                            .etag = "\"e\"",
                                            .last_modified = "then",
                                            .last_modified_us = 7,
                                            .bytes = 10,
                                            .retry_after_seconds = -1,
                                            .began = answer->began,
                                            .refused = answer->refused};
    if (answer->retry_after)
        ret_response->retry_after_seconds = answer->retry_after;
    if (answer->excerpt)
        snprintf(ret_response->excerpt, sizeof ret_response->excerpt, "%s", answer->excerpt);
    if (answer->body && take_bytes(taker, answer->body, strlen(answer->body), err) == TAKE_FAILED)
        return false;
    return !answer->broken || error_set(err, ERROR_UPSTREAM, NULL, "the line broke");
}

static inline bool note_pause(void *user, long long nanoseconds)
{
    struct world *world = user;

    EXPECT(world->paused < ANSWERS_MAX);
    world->pauses[world->paused++] = nanoseconds;
    return world->paused != world->stop_at;
}

static inline void world_end(struct world *world)
{
    EXPECT_INT(world->closed, world->opened); /* every reader was released */
    price_batch_freep(&world->reading.batch);
}

static inline struct refresh_parts parts_of(struct world *world, unsigned seed)
{
    world_here = world;
    if (!world->reading.batch)
        world->reading.batch = price_batch_new("letters", 1);
    world->reading.source = &source;
    world->reading.etag = world->reading.etag ? world->reading.etag : "";
    return (struct refresh_parts){.fetch = replay,
                                  .fetcher = world,
                                  .wait = note_pause,
                                  .user = world,
                                  .seed = seed,
                                  .patience_seconds = 33};
}

static inline enum refresh_end refresh(struct world *world)
{
    struct refresh_parts parts = parts_of(world, 5);

    return refresh_scope(&parts, &world->reading, &world->trace, &world->err);
}

static inline long long count(const struct world *world)
{
    return (long long)price_batch_count(world->reading.batch);
}
