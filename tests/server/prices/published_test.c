/* The published figures that come with the program: the file is read strictly, and stored once,
 * whole, and only into a new database. */
#include "server/prices/published.h"

#include "common/bytes.h"
#include "db/contenders/contenders.h"
#include "db/prices/price_list.h"
#include "pricing/parse_time.h"
#include "server/base/assets.h"
#include "server/base/log.h"
#include "tests/db/database.h"

#define VERSION "{\"published\":1,\"dropped\":[]}\n"
#define FIGURE(id, speed)                                                                        \
    "{\"figure\":{\"id\":\"" id                                                                  \
    "\",\"workload\":\"w\",\"engine\":\"e\",\"provider\":\"aws\",\"instance_type\":"             \
    "\"i\",\"configuration\":{\"of\":\"" id "\"}," speed                                         \
    ",\"derived\":false,\"source\":\"s\",\"note\":\"n\",\"measured_at\":\"2024-09-01\"}}\n"
#define SAMPLES "\"unit\":\"sample\",\"samples_per_second\":40.73"
#define JOB "\"unit\":\"job\",\"seconds\":4"
#define PRICE(amount, since)                                                                     \
    "{\"price\":{\"provider\":\"aws\",\"region\":\"r\",\"instance_type\":\"i\",\"kind\":"        \
    "\"on_demand\",\"price_per_hour\":\"" amount "\",\"since\":\"" since                         \
    "\",\"reference\":\"x\"}}\n"

static struct published_data read_text(const char *text)
{
    struct published_data data = {0};

    EXPECT_OK(published_read(text, strlen(text), &data, &err));
    return data;
}

TEST(every_line_that_is_shipped_is_valid)
{
    AUTO(published_data_clear) struct published_data data = read_text(published_source);

    EXPECT(data.version >= 1);
    EXPECT_HAS(data, (figure_count, 135), (price_count, 9));
    for (size_t i = 0; i < data.figure_count; i++) {
        EXPECT(data.figures[i].samples_per_second > 0);
        EXPECT(data.figures[i].source[0] && data.figures[i].note[0]);
    }
}

/* What the articles got wrong, or what can be taken wrongly, is nowhere in it. */
TEST(no_wrong_number_is_shipped)
{
    static const char *const wrong[] = {"86 %",    "415",   "446 %",   "1135.76",    "90 %",
                                        "64 vCPU", "51 %",  "86%",     "446%",       "90%",
                                        "51%",     "30-40", "24 h",    "cost lower", "+86",
                                        "1135,76", "13.09", "prorated"};

    for (size_t i = 0; i < COUNT(wrong); i++)
        if (strstr(published_source, wrong[i]))
            EXPECT_STR(wrong[i], NULL);
}

TEST(a_figure_is_read_as_it_is_written)
{
    AUTO(published_data_clear)
    struct published_data data =
        read_text("{\"published\":7,\"dropped\":[\"old\",\"older\"]}\n" FIGURE("a", SAMPLES)
                      FIGURE("b", JOB) PRICE("0.357", "2024-09-01"));
    long long then;

    EXPECT_HAS(data, (version, 7), (dropped_count, 2), (dropped[1], "older"), (figure_count, 2),
               (figures[0].id, "a"), (figures[0].configuration, "{\"of\":\"a\"}"));
    EXPECT(data.figures[0].samples_per_second == 40.73);
    EXPECT_STR(data.figures[0].unit, "sample");
    EXPECT(data.figures[1].samples_per_second == 0.25);
    EXPECT_STR(data.figures[1].unit, "job");
    EXPECT(parse_time("2024-09-01", &then));
    EXPECT_HAS(data, (figures[1].measured_us, then), (price_count, 1), (prices[0].text, "0.357"),
               (prices[0].feed, "published"), (prices[0].currency, "USD"),
               (prices[0].kind, PRICE_ON_DEMAND), (prices[0].source_us, then));
    EXPECT_INT(data.prices[0].fetched_us, then); /* it is as old as its article */
}

static const struct {
    const char *text, *field, *message;
} refusals[] = {
    {"", "published", "is missing"},
    {VERSION "x\n", "", "line 2: is not JSON"},
    {VERSION "{}", "", "line 2: has no end"},
    {VERSION "{}\n", "", "line 2: must be a figure or a price"},
    {VERSION "[]\n", "", "line 2: must be a figure or a price"},
    {VERSION "\n", "", "line 2: is not JSON"},
    {FIGURE("a", SAMPLES), "published", "line 1: published must be a version"},
    {"{\"published\":0,\"dropped\":[]}\n", "published", "line 1: published must be a version"},
    {"{\"published\":\"1\",\"dropped\":[]}\n", "published", "must be a version"},
    {"{\"published\":1}\n", "dropped", "must be an array"},
    {"{\"published\":1,\"dropped\":[],\"x\":1}\n", "dropped", "must be an array"},
    {"{\"published\":1,\"dropped\":[\"\"]}\n", "dropped", "between 1 and 63 bytes"},
    {"{\"published\":1,\"dropped\":[1]}\n", "dropped", "must be a string"},
    {VERSION VERSION, "", "line 2: must be a figure or a price"},
    {VERSION FIGURE("", SAMPLES), "id", "line 2: id must have between 1 and 63 bytes"},
    {VERSION FIGURE("a", SAMPLES) FIGURE("a", SAMPLES), "id",
     "line 3: id is the id of an earlier"},
    {VERSION FIGURE("a", "\"x\":1," SAMPLES), "x", "line 2: x is not a known field"},
    {VERSION FIGURE("a", "\"unit\":\"sample\"," SAMPLES), "", "line 2: is not JSON: duplicate"},
    {VERSION FIGURE("a", "\"unit\":\"sample\""), "samples_per_second",
     "and the field of the other unit absent"},
    {VERSION FIGURE("a", "\"unit\":\"job\""), "seconds",
     "and the field of the other unit absent"},
    {VERSION FIGURE("a", "\"seconds\":4," SAMPLES), "samples_per_second",
     "and the field of the other unit absent"},
    {VERSION FIGURE("a", "\"samples_per_second\":4," JOB), "seconds",
     "and the field of the other unit absent"},
    {VERSION FIGURE("a", "\"unit\":\"hour\",\"seconds\":4"), "unit", "is not supported"},
    {VERSION FIGURE("a", "\"seconds\":4"), "unit", "line 2: unit is missing"},
    {VERSION FIGURE("a", "\"unit\":\"job\",\"seconds\":0"), "seconds", "line 2: seconds must be"},
    {VERSION FIGURE("a", "\"unit\":\"job\",\"seconds\":-1"), "seconds", "line 2: seconds must"},
    {VERSION FIGURE("a", "\"unit\":\"job\",\"seconds\":null"), "seconds", "must be a number"},
    {VERSION FIGURE("a", "\"unit\":\"job\",\"seconds\":1e-320"), "seconds", "shorter than any"},
    {VERSION "{\"figure\":[]}\n", "", "line 2: must be an object"},
    {VERSION "{\"figure\":{}}\n", "id", "line 2: id is missing"},
    {VERSION "{\"price\":{}}\n", "provider", "line 2: provider is missing"},
    {VERSION "{\"price\":{},\"figure\":{}}\n", "", "must be a figure or a price"},
    {VERSION PRICE("0", "2024-09-01"), "price_per_hour", "must be a decimal number above 0"},
    {VERSION PRICE("-1", "2024-09-01"), "price_per_hour", "must be a decimal number above 0"},
    {VERSION PRICE("free", "2024-09-01"), "price_per_hour", "must be a decimal number above 0"},
    {VERSION PRICE("1", "2024-9-1"), "valid_from", "must be a time"},
};

TEST(an_invalid_line_is_refused_with_its_number)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct published_data data = {.version = 12345};

        EXPECT_WRONG_SAYS(published_read(refusals[i].text, strlen(refusals[i].text), &data, &err),
                          refusals[i].field, refusals[i].message);
        EXPECT_INT(data.version, 12345); /* nothing was returned */
    }
}

/* A good line, with one member replaced by what it must not be. */
TEST(every_member_must_be_there_and_of_its_kind)
{
    static const char *const members[] = {
        "\"workload\"", "\"engine\"",  "\"provider\"",    "\"instance_type\"", "\"source\"",
        "\"note\"",     "\"derived\"", "\"measured_at\"", "\"configuration\""};
    static const char good[] = VERSION FIGURE("a", SAMPLES);

    for (size_t i = 0; i < COUNT(members); i++) {
        AUTO(bytes_free) struct bytes text = {.limit = 4096};
        const char *at = strstr(good, members[i]);
        struct published_data data = {0};
        size_t length = strlen(members[i]);

        EXPECT(bytes_printf(&text, "%.*s:7,\"x\"%s", (int)(at - good) + (int)length, good,
                            at + length));
        EXPECT_ERROR_SAYS(published_read(text.data, text.used, &data, &err), ERROR_INVALID,
                          "line 2: ");
    }
}

static bool store(struct db *db, const char *text, struct error *err)
{
    AUTO(published_data_clear) struct published_data data = read_text(text);
    bool stored = false;

    return published_store(db, &data, NOON_US, &stored, err) && stored;
}

static long long figures_in(struct db *db)
{
    return rows_in(db, "figures");
}

static long long prices_in(struct db *db)
{
    return rows_in(db, "price_series AS s JOIN prices AS p ON"
                       " p.series = s.number WHERE s.feed = 'published'");
}

#define FIRST VERSION FIGURE("a", SAMPLES) FIGURE("b", JOB) PRICE("1", "2024-09-01")
#define SECOND                                                                                   \
    "{\"published\":2,\"dropped\":[\"b\"]}\n" FIGURE("a", JOB) FIGURE("c", JOB)                  \
        PRICE("2", "2024-09-01") PRICE("3", "2024-10-01")

TEST_WITH_DATABASE(a_new_database_gets_all_of_it_once)
{
    struct error err = {0};
    long long before, after;

    EXPECT(store(db, FIRST, &err));
    EXPECT_STR(err.message, "");
    EXPECT_INT(figures_in(db), 2);
    EXPECT_INT(prices_in(db), 1);
    EXPECT(revision_read(db, &before, NULL));
    EXPECT(!store(db, FIRST, &err)); /* as at the next start */
    EXPECT_STR(err.message, "");
    EXPECT_INT(figures_in(db), 2);
    EXPECT(revision_read(db, &after, NULL));
    EXPECT_INT(after, before);
}

TEST_WITH_DATABASE(a_newer_version_takes_the_place_of_an_older_one)
{
    char ids[100];

    EXPECT(store(db, FIRST, NULL));
    EXPECT(store(db, SECOND, NULL));
    text_of(db, "SELECT group_concat(id) FROM (SELECT id FROM figures ORDER BY id)", sizeof ids,
            ids);
    EXPECT_STR(ids, "a,c");
    EXPECT_INT(number_of(db, "SELECT unit = 'job' FROM figures WHERE id = 'a'"), 1);
    EXPECT_INT(prices_in(db), 2);
    EXPECT_INT(number_of(db, "SELECT nanos FROM price_series"), 3000000000);
    EXPECT(!store(db, FIRST, NULL)); /* an older program comes again */
    EXPECT(!store(db, SECOND, NULL));
    EXPECT_INT(figures_in(db), 2);
}

TEST_WITH_DATABASE(figures_that_a_user_stored_stay)
{
    AUTO(published_data_clear) struct published_data own = read_text(VERSION FIGURE("own", JOB));

    EXPECT(store(db, FIRST, NULL));
    EXPECT(figures_put(db, own.figures, NULL));
    EXPECT(store(db, SECOND, NULL));
    EXPECT_INT(figures_in(db), 3);
    EXPECT_ROWS(db, 1, "figures WHERE id = 'own'");
}

TEST(a_database_started_without_the_figures_stays_without)
{
    AUTO(folder_remove) struct folder folder = folder_make(), other = folder_make();
    AUTO(db_freep) struct db *with_run = open_database(&folder);
    AUTO(db_freep) struct db *with_figure = open_database(&other);
    AUTO(published_data_clear) struct published_data own = read_text(VERSION FIGURE("own", JOB));
    const struct run_spec spec = run_spec_default();
    const struct run_order order = order_of(&spec);
    struct error err = {0};

    create_one(with_run, &order);
    EXPECT(!store(with_run, FIRST, &err));
    EXPECT(figures_put(with_figure, own.figures, NULL));
    EXPECT(!store(with_figure, FIRST, &err));
    EXPECT_STR(err.message, "");
    EXPECT_INT(figures_in(with_run), 0);
    EXPECT_INT(figures_in(with_figure), 1);
    EXPECT_INT(prices_in(with_run) + prices_in(with_figure), 0);
}

TEST_WITH_DATABASE(it_is_stored_whole_or_not_at_all)
{
    /* The same price twice: found last, when all else is written. */
    EXPECT_ERROR(store(db, FIRST PRICE("2", "2024-09-01"), &err), ERROR_CONFLICT);
    EXPECT_INT(figures_in(db), 0);
    EXPECT_INT(prices_in(db), 0);
    EXPECT_ROWS(db, 0, "contenders");
    EXPECT_ROWS(db, 0, "feed_states");
    EXPECT(store(db, FIRST, NULL));
}

/* At a start. */
TEST_WITH_DATABASE(the_embedded_figures_are_loaded_and_a_conflict_does_not_stop_the_start)
{
    AUTO(published_data_clear) struct published_data data = read_text(published_source);

    log_set_level(LOG_ERROR);
    EXPECT_OK(published_load(db, NOON_US, &err));
    EXPECT_INT(figures_in(db), (long long)data.figure_count);
    EXPECT_OK(published_load(db, NOON_US + 1, &err));
    EXPECT_INT(figures_in(db), (long long)data.figure_count);
    /* An older version is there, and somebody has a figure of one of its things. */
    execute(db, "UPDATE feed_states SET mark = '0'");
    execute(db, "UPDATE figures SET id = 'mine' WHERE id = 'rand-2024-r8'");
    EXPECT_OK(published_load(db, NOON_US + 2, &err));
    EXPECT_ROWS(db, 1, "figures WHERE id = 'mine'");
    EXPECT_INT(figures_in(db), (long long)data.figure_count);
}

static void count_prices(void *user, const struct listed_price *listed)
{
    long long *expired = user;

    /* No reading confirms it, so it is as old as its publication. */
    EXPECT_INT(listed->at.said_us, 0);
    EXPECT_INT(listed->at.price.fetched_us, listed->at.since_us);
    (*expired)++;
}

TEST_WITH_DATABASE(its_prices_are_valid_from_their_day_and_never_confirmed)
{
    struct price_filter filter = {.instance_type = "i", .limit = 10};
    long long count = 0;

    EXPECT(store(db, FIRST, NULL));
    EXPECT(parse_time("2024-08-31T23:59:59Z", &filter.at_us));
    EXPECT(price_list(db, &filter, count_prices, &count, NULL));
    EXPECT_INT(count, 0);
    EXPECT(parse_time("2026-01-01", &filter.at_us));
    EXPECT(price_list(db, &filter, count_prices, &count, NULL));
    EXPECT_INT(count, 1);
}
