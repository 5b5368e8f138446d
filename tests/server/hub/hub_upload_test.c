#include "server/hub/hub_upload.h"

#include "common/clock.h"
#include "tests/db/database.h"
#include "tests/db/finished.h"
#include "tests/server/hub/hub.h"

#define NAME "http://hub.test/base"
#define TOKEN "a-token-that-must-stay-secret"

static struct hub_upload upload_of(struct db *db, struct hub *hub)
{
    return (struct hub_upload){.db = db,
                               .hub = NAME,
                               .token = TOKEN,
                               .ca = "",
                               .fetch = hub_fetch,
                               .fetcher = hub,
                               .chance = {1}};
}

/* Runs 1 to `count`, whose ids end in 01, 02 ... */
static void fill(struct db *db, int count)
{
    for (int i = 0; i < count; i++)
        ENDED(db, 100);
    EXPECT(
        db_execute(db, "UPDATE runs SET id = substr(id, 1, 24) || printf('%02d', number)", NULL));
}

static enum hub_upload_result ask(struct hub_upload *upload, struct hub_upload_outcome *outcome)
{
    hub_upload_send(upload, outcome);
    EXPECT(!strstr(outcome->error.message, TOKEN) && !strstr(outcome->refusal, TOKEN));
    return outcome->result;
}

static void expect_counts(struct db *db, long long waiting, long long accepted, long long refused)
{
    struct delivery_counts counts;

    EXPECT(deliveries_count(db, NAME, &counts, NULL));
    EXPECT_HAS(counts, (waiting, waiting), (accepted, accepted), (refused, refused));
}

/* A candidate with a database, and a hub that answers as its script says. */
#define SCENE(...)                                                                               \
    AUTO(folder_remove) struct folder folder = folder_make();                                    \
    AUTO(db_freep) struct db *db = open_database(&folder);                                       \
    HUB(hub, __VA_ARGS__);                                                                       \
    struct hub_upload upload = upload_of(db, &hub);                                              \
    struct hub_upload_outcome outcome

TEST(a_batch_goes_to_the_import_of_the_hub_with_the_token)
{
    SCENE({0});

    fill(db, 3);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_INT(outcome.accepted, 3);
    EXPECT_HAS(hub, (runs[0], "01 02 03"), (url, NAME "/v1/runs/import"));
    EXPECT_PART(hub.headers, "Content-Type: application/x-ndjson\n");
    EXPECT_PART(hub.headers, "Authorization: Bearer " TOKEN "\n");
    expect_counts(db, 0, 3, 0);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
    EXPECT_INT((long long)hub.count, 1);
}

TEST(without_a_token_none_is_sent)
{
    SCENE({.known = true});

    fill(db, 1);
    upload.token = "";
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT(!strstr(hub.headers, "Authorization"));
    expect_counts(db, 0, 1, 0); /* what the hub knew is accepted */
}

TEST(long_queues_go_in_batches_the_oldest_first)
{
    SCENE({0});

    do_not_sync(db);
    fill(db, HUB_LINES_MAX + 2);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_INT(outcome.accepted, HUB_LINES_MAX);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[1], "51 52");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
    expect_counts(db, 0, HUB_LINES_MAX + 2, 0);
}

/* Gives a run a reason so long that its document has about so many bytes. */
static void make_long(struct db *db, int run, int bytes)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "UPDATE runs SET summary = '{\"x\":\"' || hex(zeroblob(%d)) || '\"}'"
             " WHERE number = %d",
             bytes / 2, run);
    execute(db, sql);
}

TEST(a_batch_ends_where_it_would_be_too_long)
{
    SCENE({0});

    fill(db, 5);
    make_long(db, 2, HUB_UPLOAD_BATCH_BYTES - 100000);
    make_long(db, 3, 200000);
    make_long(db, 4, 5 * HUB_UPLOAD_BATCH_BYTES); /* more than a batch: alone */
    for (int i = 0; i < 4; i++)
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
    EXPECT_HAS(hub, (runs[0], "01 02"), (runs[1], "03"), (runs[2], "04"), (runs[3], "05"));
    expect_counts(db, 0, 5, 0);
}

TEST(a_run_that_no_hub_accepts_is_refused_without_a_request)
{
    SCENE({0});
    struct delivery found;

    fill(db, 2);
    make_long(db, 1, BODY_RUNS_MAX);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_INT(outcome.refused, 1);
    EXPECT_INT((long long)hub.count, 0);
    EXPECT(deliveries_find(db, NAME, 1, &found, NULL));
    EXPECT(strncmp(found.reason, "too large", 9) == 0);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[0], "02");
    expect_counts(db, 0, 1, 1);
}

TEST(a_refused_run_keeps_its_reason_and_is_not_sent_again)
{
    SCENE({.refused = 1});
    struct delivery found;

    fill(db, 2);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_HAS(outcome, (refused, 1), (accepted, 1));
    EXPECT_STR(outcome.refusal + 24, "01: steps: are odd");
    EXPECT(deliveries_find(db, NAME, 1, &found, NULL));
    EXPECT_STR(found.reason, "steps: are odd");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
    EXPECT_INT((long long)hub.count, 1);
}

/* One answer, after which nothing may be recorded and the same batch is sent again. */
static void expect_failure(const struct hub_says *says, enum hub_upload_result result,
                           long long wait_seconds, const char *message)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    struct hub hub = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .script = {*says, {0}}, .script_length = 2};
    struct hub_upload upload = upload_of(db, &hub);
    struct hub_upload_outcome outcome;

    fill(db, 2);
    EXPECT_INT(ask(&upload, &outcome), result);
    EXPECT_STR(outcome.error.message, message);
    EXPECT(outcome.wait_ns <= wait_seconds * NS_PER_SECOND);
    EXPECT(outcome.wait_ns >= wait_seconds * NS_PER_SECOND * 3 / 4);
    expect_counts(db, 2, 0, 0);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[1], "01 02");
    expect_counts(db, 0, 2, 0);
}

TEST(after_a_failure_it_is_sent_again_soon_or_when_the_hub_says)
{
    static const struct {
        struct hub_says says;
        long long wait_seconds; /* of a second: the answer may be another one soon */
        const char *message;
    } rows[] = {
        {{.no_answer = "Connection refused"}, 1, "Connection refused"},
        {{.cut = 30}, 1, "the connection broke"},
        {{.status = 500}, 1, "the hub answered 500: not now"},
        {{.status = 503}, 1, "the hub answered 503: not now"},
        {{.status = 507}, 1, "the hub answered 507: its disk is full"},
        {{.status = 503, .retry_after = 7}, 7, "the hub answered 503: not now"},
        {{.status = 429, .retry_after = 86400}, 600, "the hub answered 429: not now"},
        /* What is odd about an answer is in hub_reply_test.c. */
        {{.type = "text/html"},
         1,
         "the answer is no report of an import: it is not application/json"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        expect_failure(&rows[i].says,
                       rows[i].wait_seconds == 1 ? HUB_UPLOAD_FAILED : HUB_UPLOAD_DEFERRED,
                       rows[i].wait_seconds, rows[i].message);
}

TEST(an_error_that_a_person_must_mend_is_retried_after_a_minute)
{
    static const int statuses[] = {301, 302, 307, 400, 404, 405, 415, 422, 204};

    expect_failure(&(struct hub_says){.status = 401}, HUB_UPLOAD_DEFERRED, 60,
                   "the hub answered 401: it does not know this token (--report-token-file)");
    expect_failure(&(struct hub_says){.status = 403}, HUB_UPLOAD_DEFERRED, 60,
                   "the hub answered 403: this token may not import (--report-token-file)");
    for (size_t i = 0; i < COUNT(statuses); i++) {
        char message[100];

        snprintf(message, sizeof message,
                 "the hub answered %d: is this a pennyworth hub? (--report-to)", statuses[i]);
        expect_failure(&(struct hub_says){.status = statuses[i], .retry_after = 5},
                       HUB_UPLOAD_DEFERRED, 60, message);
    }
}

TEST(patience_doubles_up_to_a_minute_and_begins_anew_after_a_success)
{
    static const int seconds[] = {1, 2, 4, 8, 16, 32, 60, 60};
    SCENE({.status = 500});

    fill(db, 1);
    for (size_t i = 0; i < COUNT(seconds); i++) {
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_FAILED);
        EXPECT(outcome.wait_ns <= seconds[i] * NS_PER_SECOND);
        EXPECT(outcome.wait_ns >= seconds[i] * NS_PER_SECOND * 3 / 4);
    }
    hub.script[0] = (struct hub_says){0};
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    hub.script[0].status = 500;
    ENDED(db, 100);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_FAILED);
    EXPECT(outcome.wait_ns <= NS_PER_SECOND);
}

TEST(a_batch_too_large_for_the_hub_is_halved)
{
    SCENE({.status = 413}, {.status = 413}, {0});

    fill(db, 6);
    for (int i = 0; i < 9; i++)
        if (ask(&upload, &outcome) == HUB_UPLOAD_DONE)
            break;
    EXPECT_INT(outcome.result, HUB_UPLOAD_DONE);
    EXPECT_HAS(hub, (runs[0], "01 02 03 04 05 06"), (runs[1], "01 02 03"), (runs[2], "01"),
               (runs[7], "06"));
    expect_counts(db, 0, 6, 0);
}

TEST(a_run_too_large_for_the_hub_lets_others_through_and_waits)
{
    SCENE({.status = 413}, {.status = 413}, {0});

    fill(db, 2);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT); /* halved */
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT); /* left out */
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[2], "02");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DEFERRED);
    EXPECT_STR(outcome.error.message + strlen("run 01234567890123456789012345"),
               ": the hub, or what stands before it, answered 413: too large");
    EXPECT_INT(outcome.wait_ns, 60 * NS_PER_SECOND);
    expect_counts(db, 1, 1, 0);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT); /* another day */
    EXPECT_STR(hub.runs[3], "01");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
}

/* Its limit lets fewer runs be sent in an hour than there are: it says nothing of when. */
TEST(a_batch_that_is_more_than_a_token_may_ever_send_is_halved)
{
    SCENE({.status = 429}, {.status = 429}, {0}, {.status = 429, .retry_after = 7}, {0});

    fill(db, 12);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_HAS(hub, (runs[0], "01 02 03 04 05 06 07 08 09 10 11 12"),
               (runs[1], "01 02 03 04 05 06"), (runs[2], "01 02 03"));
    expect_counts(db, 9, 3, 0);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DEFERRED); /* it has said when */
    EXPECT_INT(outcome.wait_ns, 7 * NS_PER_SECOND);
    EXPECT_STR(hub.runs[3], "04 05 06");
    for (int i = 0; i < 3; i++)
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[4], "04 05 06");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
    expect_counts(db, 0, 12, 0);
}

TEST(a_run_that_is_more_than_a_token_may_ever_send_lets_others_through_and_waits)
{
    SCENE({.status = 429}, {.status = 429}, {0});

    fill(db, 2);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);   /* halved */
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_FAILED); /* left out, without haste */
    EXPECT(outcome.wait_ns <= NS_PER_SECOND && outcome.wait_ns >= NS_PER_SECOND * 3 / 4);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[2], "02");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DEFERRED);
    EXPECT_STR(outcome.error.message + strlen("run 01234567890123456789012345"),
               ": the hub, or what stands before it, answered 429, and does not say when it "
               "would take it");
    EXPECT_INT(outcome.wait_ns, 60 * NS_PER_SECOND);
    expect_counts(db, 1, 1, 0);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[3], "01");
    expect_counts(db, 0, 2, 0);
}

/* Somebody before the hub who counts requests. */
TEST(a_hub_that_always_answers_429_is_not_asked_for_each_run)
{
    SCENE({.status = 429});
    long long waited_ns = 0;

    fill(db, 9);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT); /* halved: 9, 4, 2 */
    for (int i = 0; i < 9; i++) {
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_FAILED);
        waited_ns += outcome.wait_ns;
    }
    EXPECT(waited_ns > 3 * 60 * NS_PER_SECOND * 3 / 4);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_FAILED); /* the end of the pass */
    EXPECT(outcome.wait_ns >= 60 * NS_PER_SECOND * 3 / 4);
    EXPECT_STR(outcome.error.message + strlen("run 01234567890123456789012301"),
               ": the hub, or what stands before it, answered 429, and does not say when it "
               "would take it");
    expect_counts(db, 9, 0, 0);
}

TEST(the_only_run_is_tried_again_soon_where_429_was_for_a_moment)
{
    SCENE({.status = 429}, {0});
    long long waited_ns = 0;

    fill(db, 1);
    while (ask(&upload, &outcome) == HUB_UPLOAD_FAILED)
        waited_ns += outcome.wait_ns;
    EXPECT_HAS(outcome, (result, HUB_UPLOAD_SENT), (accepted, 1));
    EXPECT(waited_ns <= 3 * NS_PER_SECOND);
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DONE);
}

TEST(a_run_that_cannot_be_read_lets_others_through)
{
    SCENE({0});

    fill(db, 3);
    /* The rows of 1 and 3 are asked in vain. */
    execute(db, "DROP TABLE observations; INSERT INTO traces VALUES (2,"
                " '{\"nanoseconds\":[1],\"loss\":[1]}',"
                " '{\"observations\":[],\"canaries\":[]}')");
    for (int i = 0; i < 3; i++)
        EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_STR(hub.runs[0], "02");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DEFERRED);
    EXPECT_PART(outcome.error.message, "database: ");
    expect_counts(db, 2, 1, 0);
}

TEST(a_run_whose_delivery_was_not_recorded_is_sent_again)
{
    SCENE({0}, {.known = true});

    fill(db, 2);
    execute(db, "CREATE TRIGGER broken BEFORE INSERT ON deliveries"
                " BEGIN SELECT RAISE(ABORT, 'no'); END");
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_FAILED);
    EXPECT_INT(outcome.accepted, 0);
    expect_counts(db, 2, 0, 0);
    execute(db, "DROP TRIGGER broken");
    upload = upload_of(db, &hub); /* a new process after a kill -9 */
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT_INT(outcome.accepted, 2);
    EXPECT_STR(hub.runs[1], "01 02");
    expect_counts(db, 0, 2, 0);
}

TEST(a_hub_is_named_without_slashes_at_its_end)
{
    char hub[HUB_UPLOAD_HUB_SIZE];

    hub_upload_hub("https://hub.test//", hub);
    EXPECT_STR(hub, "https://hub.test");
    hub_upload_hub("https://hub.test/base", hub);
    EXPECT_STR(hub, "https://hub.test/base");
    hub_upload_hub("", hub);
    EXPECT_STR(hub, "");
}

/* A key that is not the bound one may become it: the runs wait, and none counts as refused. */
TEST(the_key_is_proven_and_another_one_waits)
{
    SCENE({.status = 409}, {0});
    struct signing_key key = {.pair = {.secret = {1}}};
    char proof[PROOF_SIZE], header[PROOF_SIZE + 32];

    signing_key_complete(&key);
    signing_prove(&key, TOKEN, proof);
    snprintf(header, sizeof header, "\n%s: %s\n", PROOF_HEADER, proof);
    fill(db, 1);
    upload.key = &key;
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_DEFERRED);
    EXPECT_PART(hub.headers, header);
    EXPECT_PART(outcome.error.message, "pennyworth token rebind");
    expect_counts(db, 1, 0, 0);
    upload.token = ""; /* nothing to bind */
    EXPECT_INT(ask(&upload, &outcome), HUB_UPLOAD_SENT);
    EXPECT(!strstr(hub.headers, PROOF_HEADER));
    expect_counts(db, 0, 1, 0);
}
