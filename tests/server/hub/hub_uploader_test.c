#include "server/hub/hub_uploader.h"

#include "common/clock.h"
#include "server/base/log.h"
#include "tests/db/database.h"
#include "tests/db/finished.h"
#include "tests/server/hub/hub.h"

/* A database with a run in it, and the parts of an uploader on it. */
struct place {
    struct folder folder;
    struct db *db;
    struct config config;
};

#define TEST_WITH_PLACE(name) TEST_GIVEN(name, struct place *place, with_place)

static void with_place(void (*test)(struct place *place))
{
    struct place place = {.folder = folder_make()};

    log_set_level(LOG_ERROR);
    place.db = open_database(&place.folder);
    snprintf(place.config.database, sizeof place.config.database, "%s", place.folder.file);
    snprintf(place.config.report_to, sizeof place.config.report_to, "http://hub.test/");
    ENDED(place.db, 100);
    test(&place);
    db_free(place.db);
    folder_remove(&place.folder);
}

static struct hub_uploader *start(struct place *place, struct hub *hub, long long pause_ns)
{
    const struct hub_uploader_parts parts = {
        .config = &place->config, .fetch = hub_fetch, .fetcher = hub, .pause_ns = pause_ns};
    struct hub_uploader *uploader;

    EXPECT_OK((uploader = hub_uploader_start(&parts, &err)) != NULL);
    REQUIRE(uploader);
    return uploader;
}

static long long waiting(struct place *place)
{
    struct delivery_counts counts = {.waiting = -1};

    EXPECT(deliveries_count(place->db, "http://hub.test", &counts, NULL));
    return counts.waiting;
}

TEST_WITH_PLACE(what_is_there_at_the_start_is_sent_unasked)
{
    HUB(hub, {0});
    struct hub_uploader_status status;

    struct hub_uploader *uploader = start(place, &hub, 0);
    EXPECT(hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
    hub_uploader_status(uploader, &status);
    EXPECT_HAS(status, (hub, "http://hub.test"), (accepted, 1));
    EXPECT(status.idle);
    EXPECT_STR(status.last_error, "");
    hub_uploader_free(uploader);
    EXPECT_INT(waiting(place), 0);
    EXPECT_INT((long long)hub_count(&hub), 1);
}

TEST_WITH_PLACE(each_end_of_a_run_is_sent_after_a_wake)
{
    HUB(hub, {0});

    struct hub_uploader *uploader = start(place, &hub, 0);
    EXPECT(hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
    for (int i = 2; i <= 4; i++) {
        ENDED(place->db, 100);
        hub_uploader_wake(uploader);
        EXPECT(
            hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
        EXPECT_INT((long long)hub_count(&hub), i);
        EXPECT_INT(waiting(place), 0);
    }
    hub_uploader_free(uploader);
}

TEST_WITH_PLACE(a_hub_that_is_down_is_asked_until_it_is_up)
{
    HUB(hub, {.no_answer = "Connection refused"}, {.status = 503}, {.type = "text/html"},
        {.status = 401}, {0});
    struct hub_uploader_status status;

    struct hub_uploader *uploader = start(place, &hub, NS_PER_MS);
    EXPECT(hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
    hub_uploader_status(uploader, &status);
    EXPECT_HAS(status, (accepted, 1), (last_error, ""));
    EXPECT_INT((long long)hub_count(&hub), 5);
    hub_uploader_free(uploader);
}

/* Until the hub was asked so often, or oftener: there is a thread behind it. */
static void expect_requests(struct hub *hub, size_t count)
{
    const struct timespec moment = {.tv_nsec = NS_PER_MS};
    long long deadline_ns = clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND;

    while (hub_count(hub) < count && clock_monotonic_ns() < deadline_ns)
        nanosleep(&moment, NULL);
    EXPECT(hub_count(hub) >= count);
}

TEST_WITH_PLACE(a_wait_in_vain_ends_with_the_reason)
{
    HUB(hub, {.status = 401});
    struct hub_uploader_status status;

    struct hub_uploader *uploader = start(place, &hub, 0);
    expect_requests(&hub, 1);
    EXPECT(!hub_uploader_wait(uploader, clock_monotonic_ns() + 10 * NS_PER_MS));
    hub_uploader_status(uploader, &status);
    EXPECT(!status.idle);
    EXPECT_PART(status.last_error, "401");
    hub_uploader_free(uploader);
    EXPECT_INT(waiting(place), 1);
}

TEST_WITH_PLACE(at_the_end_a_hub_that_failed_is_asked_at_once)
{
    HUB(hub, {.status = 500}, {.status = 500}, {.status = 500}, {.status = 500}, {.status = 500},
        {.status = 500}, {.status = 500}, {.status = 500}, {.status = 500}, {.status = 500}, {0});

    struct hub_uploader *uploader = start(place, &hub, 0);
    for (size_t i = 1; i < hub.script_length; i++) {
        expect_requests(&hub, i);
        /* Else the next request would be seconds away, and the last one five minutes. It may be
         * too early: again, then. */
        while (hub_count(&hub) == i)
            hub_uploader_hurry(uploader);
    }
    EXPECT(hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
    hub_uploader_free(uploader);
    EXPECT_INT(waiting(place), 0);
}

TEST_WITH_PLACE(a_hub_that_said_when_is_not_hurried)
{
    HUB(hub, {.status = 503, .retry_after = 600});

    struct hub_uploader *uploader = start(place, &hub, 0);
    expect_requests(&hub, 1);
    EXPECT(!hub_uploader_wait(uploader, clock_monotonic_ns() + 50 * NS_PER_MS));
    hub_uploader_hurry(uploader);
    hub_uploader_wake(uploader);
    EXPECT(!hub_uploader_wait(uploader, clock_monotonic_ns() + 50 * NS_PER_MS));
    EXPECT_INT((long long)hub_count(&hub), 1);
    hub_uploader_free(uploader);
}

TEST_WITH_PLACE(a_refused_run_is_settled_and_reported)
{
    HUB(hub, {.refused = 1});
    struct hub_uploader_status status;

    struct hub_uploader *uploader = start(place, &hub, 0);
    EXPECT(hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
    hub_uploader_status(uploader, &status);
    EXPECT_INT(status.refused, 1);
    EXPECT_PART(status.last_refusal, ": steps: are odd");
    hub_uploader_free(uploader);
}

TEST_WITH_PLACE(a_broken_database_is_not_taken_for_an_empty_one)
{
    HUB(hub, {0});

    execute(place->db, "ALTER TABLE deliveries RENAME TO elsewhere");
    struct hub_uploader *uploader = start(place, &hub, NS_PER_MS);
    EXPECT(!hub_uploader_wait(uploader, clock_monotonic_ns() + 50 * NS_PER_MS));
    execute(place->db, "ALTER TABLE elsewhere RENAME TO deliveries");
    EXPECT(hub_uploader_wait(uploader, clock_monotonic_ns() + PATIENCE_SECONDS * NS_PER_SECOND));
    hub_uploader_free(uploader);
    EXPECT_INT(waiting(place), 0);
}

TEST_WITH_PLACE(without_a_database_it_does_not_start)
{
    snprintf(place->config.database, sizeof place->config.database, "/nowhere/at/all.db");
    EXPECT_ERROR(hub_uploader_start(&(struct hub_uploader_parts){.config = &place->config}, &err),
                 ERROR_INTERNAL);
    hub_uploader_free(NULL);
}
