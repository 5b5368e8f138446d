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

static void expect_feed(const struct source *of, const struct feed_row *rows, size_t count,
                        const char *text)
{
    const struct feed feed = {.source = of, .on = true, .every_seconds = 60};
    const struct feed_view view = {
        .on = true, .feed = &feed, .idle = "", .rows = rows, .count = count, .now_us = NOW_US};

    EXPECT_MEMBERS(&feed_members, &view, text);
}

TEST(the_state_sums_up_all_scopes)
{
    static const struct {
        bool on;
        const char *idle, *scopes[4], *reasons[3], *says;
    } cases[] = {
        {false, "", {"a"}, {"x"}, "{'state':'off','reason':null}"},
        {true, "", {NULL}, {NULL}, "{'state':'never_asked','reason':null}"},
        {true, "needs a key", {NULL}, {NULL}, "{'state':'idle','reason':'needs a key'}"},
        {true, "", {"a", "b"}, {"", ""}, "{'state':'ok','reason':null}"},
        {true, "", {"a", "b", "c"}, {"", "x", "y"}, "{'state':'partly_failed','reason':'x'}"},
        {true, "needs a key", {"a", "b"}, {"x", "y"}, "{'state':'failed','reason':'x'}"},
        {true, "", {"a", "b", "*"}, {"", "x", "y"}, "{'state':'failed','reason':'y'}"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct feed feed = {.source = &list, .on = cases[i].on};
        struct feed_row rows[3];
        struct feed_view view = {
            .on = feed.on, .feed = &feed, .idle = cases[i].idle, .rows = rows, .now_us = NOW_US};

        for (; cases[i].scopes[view.count]; view.count++)
            rows[view.count] =
                scope_of(cases[i].scopes[view.count], 0, cases[i].reasons[view.count]);
        EXPECT_MEMBERS(&feed_members, &view, cases[i].says);
    }
}

TEST(a_feed_is_as_fresh_as_its_oldest_scope)
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
        struct feed_row rows[] = {scope_of("a", cases[i].hours[0], ""),
                                  scope_of("b", cases[i].hours[1], ""),
                                  scope_of("c", 0, "never")};
        char says[40];

        rows[2].confirmed_us = 0;
        snprintf(says, sizeof says, "{'freshness':'%s'}", cases[i].freshness);
        expect_feed(cases[i].source, rows, 3, says);
    }
}

TEST(a_feed_without_a_good_reading_has_no_freshness)
{
    struct feed_row row = scope_of("a", 0, "refused");

    row.confirmed_us = 0;
    expect_feed(&spot, &row, 1,
                "{'freshness':null,'scopes':[{'age_seconds':null,'reason':'refused'}]}");
}

TEST(a_feed_that_answers_with_an_old_time_of_its_own_is_frozen)
{
    struct feed_row row = scope_of("a", 0, "");

    row.source_us = NOW_US - 25 * HOUR_US;
    expect_feed(&spot, &row, 1, "{'freshness':'frozen'}");
    row.state = "failed";
    expect_feed(&spot, &row, 1, "{'freshness':'expired'}");
}

TEST(the_age_counts_from_the_time_of_the_source_where_it_has_one)
{
    struct feed_row rows[] = {scope_of("a", 1, ""), scope_of("b", 1, "")};

    rows[1].source_us = NOW_US - 2 * HOUR_US;
    expect_feed(&spot, rows, 2,
                "{'scopes':[{'age_seconds':3600},{'age_seconds':7200}],'prices':14,"
                "'every_seconds':60,'provider':'aws','next_at':null}");
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
    EXPECT_JSON(json, "{'now':{'ended_at':null,'scope':null},"
                      "'then':{'ended_at':'1970-01-01T02:00:00.000Z','scopes_done':2}}");
}
