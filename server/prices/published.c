#include "server/prices/published.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/memory.h"
#include "db/prices/feed_rows.h"
#include "db/prices/price_put.h"
#include "pricing/feeds/manual_price.h"
#include "pricing/given.h"
#include "server/base/assets.h"
#include "server/base/log.h"

#define VERSION_SCOPE "version" /* the feed state that holds the stored version */
#define SPEED_MAX 1000000000
#define SECONDS_MAX 1000000000

/* The body of a figure; one of the two numbers is 0. */
struct given_figure {
    struct figure figure;
    const json_t *configuration; /* borrowed */
    const char *unit;
    double samples_per_second, seconds;
};

struct price_line {
    char provider[PROVIDER_SIZE], region[REGION_SIZE], instance_type[INSTANCE_SIZE],
        price_per_hour[40], since[32], reference[96];
    const char *kind;
};

static const char *const units[] = {"sample", "job", NULL};
static const char *const kinds[] = {"on_demand", "spot", NULL};

static bool read_configuration(const struct field *field, const json_t *value, void *object,
                               struct error *err)
{
    struct given_figure *given = object;

    given->configuration = value;
    return json_is_object(value) ||
           error_set(err, ERROR_INVALID, field->name, "must be an object");
}

/* A figure of a job has a time, a figure of samples has a rate. */
static bool take_speed(void *object, struct error *err)
{
    struct given_figure *given = object;
    struct figure *figure = &given->figure;
    bool is_job = strcmp(given->unit, "job") == 0;

    if (is_job != (given->seconds > 0) || is_job == (given->samples_per_second > 0))
        return error_set(err, ERROR_INVALID, is_job ? "seconds" : "samples_per_second",
                         "must be above 0, and the field of the other unit absent");
    figure->samples_per_second = is_job ? 1 / given->seconds : given->samples_per_second;
    if (figure->samples_per_second > SPEED_MAX)
        return error_set(err, ERROR_INVALID, "seconds", "is shorter than any job");
    snprintf(figure->unit, sizeof figure->unit, "%s", given->unit);
    return true;
}

#define FIGURE_TEXT(called, member)                                                              \
    BODY_TEXT_AS(struct given_figure, called, figure.member, FIELD_TEXT, 1), .required = true
static const struct field figure_rows[] = {
    {FIGURE_TEXT("id", id)},
    {FIGURE_TEXT("workload", workload)},
    {FIGURE_TEXT("engine", engine)},
    {FIGURE_TEXT("provider", provider)},
    {FIGURE_TEXT("instance_type", instance)},
    {.name = "configuration",
     .type = FIELD_OWN,
     .read = read_configuration,
     .required = true,
     .schema = "{\"type\": \"object\"}"},
    {BODY_AT(struct given_figure, unit), .type = FIELD_CHOICE, .choices = units,
     .required = true},
    {BODY_AT(struct given_figure, samples_per_second), .type = FIELD_NUMBER, .max = SPEED_MAX},
    {BODY_AT(struct given_figure, seconds), .type = FIELD_NUMBER, .max = SECONDS_MAX,
     .schema = "{\"minimum\": 1e-9}"},
    {BODY_AS(struct given_figure, "derived", figure.derived), .type = FIELD_FLAG,
     .required = true},
    {FIGURE_TEXT("source", source)},
    {FIGURE_TEXT("note", note)},
    {GIVEN_TIME(struct given_figure, "measured_at", figure.measured_us), .required = true,
     .meaning = "A day, such as 2024-09-01, or a time."},
};
const struct body figure_body = {
    .name = "NewFigure",
    .meaning = "Give `samples_per_second` or `seconds`, whichever belongs to the unit.",
    BODY_ROWS(figure_rows),
    .schema = "{\"oneOf\": [{\"properties\": {\"unit\": {\"const\": \"sample\"}}, "
              "\"required\": [\"samples_per_second\"], \"not\": {\"required\": [\"seconds\"]}}, "
              "{\"properties\": {\"unit\": {\"const\": \"job\"}}, \"required\": [\"seconds\"], "
              "\"not\": {\"required\": [\"samples_per_second\"]}}]}",
    .no_object = "must be an object",
    .check = take_speed};

bool published_read_figure(const json_t *json, struct figure *ret_figure, struct error *err)
{
    struct given_figure given = {.unit = NULL};

    if (!body_read(&figure_body, json, &given, err))
        return false;
    *ret_figure = given.figure;
    ret_figure->configuration = json_dumps(given.configuration, JSON_COMPACT | JSON_SORT_KEYS);
    return true;
}

#define LINE_TEXT(member) BODY_TEXT(struct price_line, member, 1), .required = true
static const struct field published_price_rows[] = {
    {LINE_TEXT(provider)},
    {LINE_TEXT(region)},
    {LINE_TEXT(instance_type)},
    {LINE_TEXT(price_per_hour)},
    {LINE_TEXT(since)},
    {LINE_TEXT(reference)},
    {BODY_AT(struct price_line, kind), .type = FIELD_CHOICE, .choices = kinds, .required = true},
};
static const struct body price_body = {BODY_ROWS(published_price_rows),
                                       .no_object = "must be an object"};

/* No feed confirms this price again: it is as old as the publication. */
static bool read_price(const json_t *json, struct price *ret_price, struct error *err)
{
    struct price_line line = {0};
    struct price_row row;
    struct price price;

    if (!body_read(&price_body, json, &line, err))
        return false;
    row = (struct price_row){.provider = line.provider,
                             .region = line.region,
                             .instance_type = line.instance_type,
                             .kind = line.kind,
                             .price_per_hour = line.price_per_hour,
                             .valid_from = line.since,
                             .reference = line.reference};
    if (!price_from_row(&row, &price, err))
        return false;
    price.fetched_us = price.source_us;
    snprintf(price.feed, sizeof price.feed, "%s", PUBLISHED_FEED);
    *ret_price = price;
    return true;
}

/* Adds an element to a growing list. `list` points to the list's
 * pointer. */
static void *published_append(void *list, size_t *count, size_t size)
{
    void *old, *grown;

    memcpy(&old, list, sizeof old);
    grown = xreallocarray(old, *count + 1, size);
    memcpy(list, &grown, sizeof grown);
    grown = (char *)grown + *count * size;
    memset(grown, 0, size);
    return grown;
}

static bool add_figure(struct published_data *data, json_t *json, struct error *err)
{
    struct figure *place =
        published_append(&data->figures, &data->figure_count, sizeof *data->figures);

    if (!published_read_figure(json, place, err))
        return false;
    data->figure_count++;
    for (size_t i = 0; i + 1 < data->figure_count; i++)
        if (strcmp(data->figures[i].id, place->id) == 0)
            return error_set(err, ERROR_INVALID, "id", "is the id of an earlier figure, too");
    return true;
}

static bool add_price(struct published_data *data, json_t *json, struct error *err)
{
    struct price *place =
        published_append(&data->prices, &data->price_count, sizeof *data->prices);

    if (!read_price(json, place, err))
        return false;
    data->price_count++;
    return true;
}

static bool read_version(struct published_data *data, const json_t *json, struct error *err)
{
    const json_t *version = json_object_get(json, "published");
    const json_t *dropped = json_object_get(json, "dropped"), *id;
    const struct field field = {.name = "dropped", .type = FIELD_TEXT, .min = 1, .max = 63};
    size_t index;

    data->version = json_integer_value(version);
    if (data->version < 1)
        return error_set(err, ERROR_INVALID, "published", "must be a version, 1 or more");
    if (!json_is_array(dropped) || json_object_size(json) != 2)
        return error_set(err, ERROR_INVALID, "dropped", "must be an array, and all that follows");
    json_array_foreach(dropped, index, id)
    {
        void *place =
            published_append(&data->dropped, &data->dropped_count, sizeof *data->dropped);

        if (!field_read(&field, id, place, err))
            return false;
        data->dropped_count++;
    }
    return true;
}

static bool read_line(struct published_data *data, const char *text, size_t length,
                      struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp)
    json_t *json = json_read(text, length, 0, &why);
    json_t *figure = json_object_get(json, "figure"), *price = json_object_get(json, "price");

    if (!json)
        return error_set(err, ERROR_INVALID, NULL, "is not JSON: %s", why.text);
    if (data->version == 0)
        return read_version(data, json, err);
    if (json_object_size(json) != 1 || (!figure && !price))
        return error_set(err, ERROR_INVALID, NULL, "must be a figure or a price");
    return figure ? add_figure(data, figure, err) : add_price(data, price, err);
}

/* Puts the line's number before the error. */
static bool blame_line(size_t number, const struct error *why, struct error *err)
{
    return error_set(err, why->kind, why->field, "line %zu: %s%s%s", number, why->field,
                     why->field[0] ? " " : "", why->message);
}

bool published_read(const char *text, size_t length, struct published_data *ret_data,
                    struct error *err)
{
    AUTO(published_data_clear) struct published_data data = {0};
    size_t number = 1;

    for (size_t at = 0; at < length; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        struct error why = {0};

        if (!end)
            return error_set(err, ERROR_INVALID, NULL, "line %zu: has no end", number);
        if (!read_line(&data, text + at, (size_t)(end - text) - at, &why))
            return blame_line(number, &why, err);
        at = (size_t)(end - text) + 1;
    }
    if (data.version == 0)
        return error_set(err, ERROR_INVALID, "published", "is missing");
    *ret_data = data;
    data = (struct published_data){0};
    return true;
}

void published_data_clear(struct published_data *data)
{
    for (size_t i = 0; i < data->figure_count; i++)
        figure_clear(&data->figures[i]);
    freep(&data->dropped);
    freep(&data->figures);
    freep(&data->prices);
    *data = (struct published_data){0};
}

/* Whether to store this version. */
static bool is_wanted(struct db *db, const struct published_data *data, bool *ret_wanted,
                      struct error *err)
{
    struct feed_row stored;

    if (!feed_rows_find(db, PUBLISHED_FEED, VERSION_SCOPE, &stored, err))
        return false;
    if (!stored.mark[0]) /* a database in use does not get figures unasked */
        return figures_is_untouched(db, ret_wanted, err);
    *ret_wanted = strtoll(stored.mark, NULL, 10) < data->version;
    return true;
}

static bool remember_version(struct db *db, const struct published_data *data, long long now_us,
                             struct error *err)
{
    struct feed_row row = {.feed = PUBLISHED_FEED,
                           .scope = VERSION_SCOPE,
                           .state = "ok",
                           .checked_us = now_us,
                           .confirmed_us = now_us,
                           .changed_us = now_us,
                           .prices = (long long)data->price_count};

    snprintf(row.mark, sizeof row.mark, "%lld", data->version);
    return feed_rows_put_reading(db, &row, err);
}

static bool put_all(struct db *db, const struct published_data *data, struct error *err)
{
    for (size_t i = 0; i < data->dropped_count; i++)
        if (!figures_forget(db, data->dropped[i], err))
            return false;
    for (size_t i = 0; i < data->figure_count; i++)
        if (!figures_put(db, &data->figures[i], err))
            return false;
    return prices_forget(db, PUBLISHED_FEED, err) &&
           prices_put_within(db, data->prices, data->price_count, err);
}

bool published_store(struct db *db, const struct published_data *data, long long now_us,
                     bool *ret_stored, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    bool wanted;

    if (!transaction_begin(&change, db, DB_RELAXED, err) || !is_wanted(db, data, &wanted, err))
        return false;
    if (wanted && (!put_all(db, data, err) || !remember_version(db, data, now_us, err) ||
                   !transaction_commit(&change, err)))
        return false;
    *ret_stored = wanted;
    return true;
}

bool published_shipped(struct published_data *ret_data, struct error *err)
{
    return published_read(published_source, strlen(published_source), ret_data, err);
}

bool published_has(const struct published_data *data, const char *id)
{
    for (size_t i = 0; i < data->figure_count; i++)
        if (strcmp(data->figures[i].id, id) == 0)
            return true;
    return false;
}

bool published_load(struct db *db, long long now_us, struct error *err)
{
    AUTO(published_data_clear) struct published_data data = {0};
    struct error why = {0};
    bool stored;

    if (!published_shipped(&data, err))
        return false;
    if (!published_store(db, &data, now_us, &stored, &why)) {
        if (why.kind != ERROR_CONFLICT)
            return error_set(err, why.kind, why.field, "%s", why.message);
        log_line(LOG_ERROR, "published figures are left as they are: %s", why.message);
    } else if (stored) {
        log_line(LOG_INFO, "published figures: %zu, with %zu prices", data.figure_count,
                 data.price_count);
    }
    return true;
}
