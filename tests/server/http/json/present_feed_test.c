#include "server/http/json/present_feed.h"

#include "tests/common/rows/written.h"

#include <math.h>

#define HOUR_US (3600 * 1000000LL)
#define NOW_US (1000000 * HOUR_US)

static const struct source spot = {
    .name = "spot-page", .title = "Spot prices", .provider = "aws", .has_spot = true};
static const struct source built = {.name = "built",
                                    .title = "Built once a week",
                                    .has_spot = true,
                                    .pace_seconds = 8 * 24 * 3600};
static const struct source list = {.name = "list", .title = "List prices", .third_party = true};

/* A scope that was confirmed so many hours before now; "failed" if there is a reason. */
static struct feed_row scope_of(const char *name, double hours, const char *reason)
{
    struct feed_row row = {.state = *reason ? "failed" : "ok",
                           .prices = 7,
                           .confirmed_us = NOW_US - (long long)(hours * HOUR_US)};

    snprintf(row.scope, sizeof row.scope, "%s", name);
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    return row;
}

static json_t *presented(const struct feed_view *view)
{
    return read_back(&feed_members, view);
}

/* The text of a member, "null" for null. */
static const char *text_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return json_is_null(value) ? "null" : json_is_string(value) ? json_string_value(value) : "";
}

static double number_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

TEST(the_state_sums_up_all_scopes)
{
    static const struct {
        bool off;
        const char *idle;
        size_t count;
        const char *scopes[3], *reasons[3], *state, *reason;
    } cases[] = {
        {.off = true, .idle = "", .count = 1, .scopes = {"a"}, .reasons = {"x"}, .state = "off"},
        {.idle = "", .state = "never_asked"},
        {.idle = "needs a key", .state = "idle", .reason = "needs a key"},
        {.idle = "", .count = 2, .scopes = {"a", "b"}, .reasons = {"", ""}, .state = "ok"},
        {.idle = "",
         .count = 3,
         .scopes = {"a", "b", "c"},
         .reasons = {"", "first", "second"},
         .state = "partly_failed",
         .reason = "first"},
        {.idle = "needs a key",
         .count = 2,
         .scopes = {"a", "b"},
         .reasons = {"first", "second"},
         .state = "failed",
         .reason = "first"},
        {.idle = "",
         .count = 3,
         .scopes = {"a", "b", "*"},
         .reasons = {"", "first", "whole"},
         .state = "failed",
         .reason = "whole"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct feed feed = {.source = &list, .on = !cases[i].off};
        struct feed_row rows[3];
        const struct feed_view view = {.on = feed.on,
                                       .feed = &feed,
                                       .idle = cases[i].idle,
                                       .rows = rows,
                                       .count = cases[i].count,
                                       .now_us = NOW_US};

        for (size_t k = 0; k < cases[i].count; k++)
            rows[k] = scope_of(cases[i].scopes[k], 0, cases[i].reasons[k]);
        AUTO(json_decrefp) json_t *json = presented(&view);
        EXPECT_STR(text_of(json, "state"), cases[i].state);
        EXPECT_STR(text_of(json, "reason"), cases[i].reason ? cases[i].reason : "null");
    }
}

TEST(the_freshness_is_that_of_the_oldest_scope)
{
    static const struct {
        const struct source *source;
        double hours[2];
        const char *freshness;
    } cases[] = {
        {&spot, {0.5, 0.9}, "fresh"},   {&spot, {0.5, 2}, "stale"},
        {&spot, {25, 2}, "expired"},    {&built, {26, 7 * 24}, "fresh"},
        {&built, {1, 9 * 24}, "stale"}, {&built, {1, 25 * 24}, "expired"},
        {&list, {0.5, 100}, "fresh"},   {&list, {200, 1}, "stale"},
        {&list, {1, 800}, "expired"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct feed feed = {.source = cases[i].source, .on = true};
        struct feed_row rows[] = {scope_of("a", cases[i].hours[0], ""),
                                  scope_of("b", cases[i].hours[1], ""),
                                  scope_of("c", 0, "never")};
        const struct feed_view view = {
            .on = true, .feed = &feed, .idle = "", .rows = rows, .count = 3, .now_us = NOW_US};

        rows[2].confirmed_us = 0;
        AUTO(json_decrefp) json_t *json = presented(&view);
        EXPECT_STR(text_of(json, "freshness"), cases[i].freshness);
    }
}

TEST(a_feed_without_a_good_reading_has_no_freshness)
{
    const struct feed feed = {.source = &spot, .on = true};
    struct feed_row row = scope_of("a", 0, "refused");
    const struct feed_view view = {
        .on = true, .feed = &feed, .idle = "", .rows = &row, .count = 1, .now_us = NOW_US};

    row.confirmed_us = 0;
    AUTO(json_decrefp) json_t *json = presented(&view);
    const json_t *scope = json_array_get(json_object_get(json, "scopes"), 0);
    EXPECT_STR(text_of(json, "freshness"), "null");
    EXPECT_STR(text_of(scope, "age_seconds"), "null");
    EXPECT_STR(text_of(scope, "reason"), "refused");
}

TEST(a_feed_that_answers_with_an_old_time_of_its_own_is_frozen)
{
    const struct feed feed = {.source = &spot, .on = true};
    struct feed_row row = scope_of("a", 0, "");
    const struct feed_view view = {
        .on = true, .feed = &feed, .idle = "", .rows = &row, .count = 1, .now_us = NOW_US};

    row.source_us = NOW_US - 25 * HOUR_US;
    AUTO(json_decrefp) json_t *frozen = presented(&view);
    EXPECT_STR(text_of(frozen, "freshness"), "frozen");
    row.state = "failed";
    AUTO(json_decrefp) json_t *failed = presented(&view);
    EXPECT_STR(text_of(failed, "freshness"), "expired");
}

TEST(the_age_counts_from_the_time_of_the_source_where_it_has_one)
{
    const struct feed feed = {.source = &spot, .on = true, .every_seconds = 60};
    struct feed_row rows[] = {scope_of("a", 1, ""), scope_of("b", 1, "")};
    const struct feed_view view = {
        .on = true, .feed = &feed, .idle = "", .rows = rows, .count = 2, .now_us = NOW_US};

    rows[1].source_us = NOW_US - 2 * HOUR_US;
    AUTO(json_decrefp) json_t *json = presented(&view);
    const json_t *scopes = json_object_get(json, "scopes");
    EXPECT_NEAR(number_of(json_array_get(scopes, 0), "age_seconds"), 3600, 0);
    EXPECT_NEAR(number_of(json_array_get(scopes, 1), "age_seconds"), 7200, 0);
    EXPECT_NEAR(number_of(json, "prices"), 14, 0);
    EXPECT_NEAR(number_of(json, "every_seconds"), 60, 0);
    EXPECT_STR(text_of(json, "provider"), "aws");
    EXPECT_STR(text_of(json, "next_at"), "null");
}

TEST(a_refresh_has_no_end_while_it_runs)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
    struct json_writer out = {.bytes = &bytes};
    struct refresh_progress progress = {.running = true,
                                        .feed = "spot-page",
                                        .scopes_done = 2,
                                        .scopes = 5,
                                        .started_us = HOUR_US,
                                        .ended_us = 7};

    jsonw_open(&out, NULL, '{');
    members_write(&out, "now", &refresh_members, &progress);
    progress.running = false;
    progress.ended_us = 2 * HOUR_US;
    members_write(&out, "then", &refresh_members, &progress);
    jsonw_close(&out, '}');
    AUTO(json_decrefp) json_t *json = json_loadb(bytes.data, bytes.used, 0, NULL);
    EXPECT_STR(text_of(json_object_get(json, "now"), "ended_at"), "null");
    EXPECT_STR(text_of(json_object_get(json, "now"), "scope"), "null");
    EXPECT_STR(text_of(json_object_get(json, "then"), "ended_at"), "1970-01-01T02:00:00.000Z");
    EXPECT_NEAR(number_of(json_object_get(json, "then"), "scopes_done"), 2, 0);
}
