#include "server/prices/published.h"

#include "common/cleanup.h"
#include "common/fields.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/memory.h"
#include "db/prices/feed_rows.h"
#include "db/prices/price_put.h"
#include "pricing/feeds/manual_price.h"
#include "pricing/parse_time.h"
#include "server/base/assets.h"
#include "server/base/log.h"

#define VERSION_SCOPE "version" /* the feed state that holds the stored version */
#define SPEED_MAX 1000000000
#define SECONDS_MAX 1000000000

/* A line as written; one of the two numbers is 0. */
struct figure_line {
    struct figure figure;
    const char *unit;
    double samples_per_second, seconds;
    char measured_at[32];
};

struct price_line {
    char provider[PROVIDER_SIZE], region[REGION_SIZE], instance[INSTANCE_SIZE],
        price_per_hour[40], since[32], reference[96];
    const char *kind;
};

static const char *const units[] = {"sample", "job", NULL};
static const char *const kinds[] = {"on_demand", "spot", NULL};

/* Versions of clang-format differ about braces in a macro. */
/* clang-format off */
#define MEMBER(where, member) .name = #member, .offset = offsetof(struct where, member)
#define TEXT(where, member, called, room)                                                        \
    {.name = called, .type = FIELD_TEXT, .offset = offsetof(struct where, member), .min = 1,     \
     .max = -1 + (room)}
#define WORD(where, member, words)                                                               \
    {MEMBER(where, member), .type = FIELD_CHOICE, .choices = words}
#define NUMBER(where, member, most)                                                              \
    {MEMBER(where, member), .type = FIELD_NUMBER, .max = most}
/* clang-format on */

static const struct field figure_fields[] = {
    TEXT(figure_line, figure.id, "id", 64),
    TEXT(figure_line, figure.workload, "workload", 64),
    TEXT(figure_line, figure.engine, "engine", 64),
    TEXT(figure_line, figure.provider, "provider", 16),
    TEXT(figure_line, figure.instance, "instance_type", 64),
    TEXT(figure_line, figure.source, "source", 160),
    TEXT(figure_line, figure.note, "note", 240),
    TEXT(figure_line, measured_at, "measured_at", 32),
    WORD(figure_line, unit, units),
    NUMBER(figure_line, samples_per_second, SPEED_MAX),
    NUMBER(figure_line, seconds, SECONDS_MAX),
};
/* Members that the table cannot read: an object and a boolean. */
static const char *const figure_extras[] = {"configuration", "derived", NULL};

static const struct field price_fields[] = {
    TEXT(price_line, provider, "provider", 16),
    TEXT(price_line, region, "region", 40),
    TEXT(price_line, instance, "instance_type", 64),
    TEXT(price_line, price_per_hour, "price_per_hour", 40),
    TEXT(price_line, since, "since", 32),
    TEXT(price_line, reference, "reference", 96),
    WORD(price_line, kind, kinds),
};
static const char *const no_extras[] = {NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Reads the members of the table; refuses others, except `extras`. */
static bool read_members(json_t *json, const struct field *fields, size_t count,
                         const char *const *extras, void *object, struct error *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, NULL, "must be an object");
    json_object_foreach(json, name, value)
    {
        const struct field *field = fields_find(fields, count, name);

        if (!field && !is_one_of(name, extras))
            return fields_refuse_name(fields, count, extras, name, err);
        if (field && !field_read(field, value, object, err))
            return false;
    }
    return true;
}

/* The caller names the members that may be missing: a figure has "samples_per_second" or
 * "seconds". */
static bool need_members(const json_t *json, const struct field *fields, size_t count,
                         struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].type != FIELD_NUMBER && !json_object_get(json, fields[i].name))
            return error_set(err, ERROR_INVALID, fields[i].name, "is missing");
    return true;
}

/* A figure of a job has a time, a figure of samples has a rate. */
static bool take_speed(const struct figure_line *line, struct figure *figure, struct error *err)
{
    bool is_job = strcmp(line->unit, "job") == 0;

    if (is_job != (line->seconds > 0) || is_job == (line->samples_per_second > 0))
        return error_set(err, ERROR_INVALID, is_job ? "seconds" : "samples_per_second",
                         "must be above 0, and the field of the other unit absent");
    figure->samples_per_second = is_job ? 1 / line->seconds : line->samples_per_second;
    if (figure->samples_per_second > SPEED_MAX)
        return error_set(err, ERROR_INVALID, "seconds", "is shorter than any job");
    snprintf(figure->unit, sizeof figure->unit, "%s", line->unit);
    return true;
}

bool published_read_figure(json_t *json, struct figure *ret_figure, struct error *err)
{
    struct figure_line line = {0};
    struct figure *figure = &line.figure;
    const json_t *configuration, *derived;

    if (!read_members(json, figure_fields, COUNT(figure_fields), figure_extras, &line, err) ||
        !need_members(json, figure_fields, COUNT(figure_fields), err) ||
        !take_speed(&line, figure, err))
        return false;
    configuration = json_object_get(json, "configuration");
    derived = json_object_get(json, "derived");
    if (!json_is_object(configuration))
        return error_set(err, ERROR_INVALID, "configuration", "must be an object");
    if (!json_is_boolean(derived))
        return error_set(err, ERROR_INVALID, "derived", "must be true or false");
    if (!parse_time_given(line.measured_at, &figure->measured_us))
        return error_set(err, ERROR_INVALID, "measured_at", "must be a day like 2024-09-01");
    figure->derived = json_is_true(derived);
    figure->configuration = json_dumps(configuration, JSON_COMPACT | JSON_SORT_KEYS);
    *ret_figure = *figure;
    return true;
}

/* No feed confirms this price again: its age is that of the publication. */
static bool read_price(json_t *json, struct price *ret_price, struct error *err)
{
    struct price_line line = {0};
    struct price_row row;
    struct price price;

    if (!read_members(json, price_fields, COUNT(price_fields), no_extras, &line, err) ||
        !need_members(json, price_fields, COUNT(price_fields), err))
        return false;
    row = (struct price_row){.provider = line.provider,
                             .region = line.region,
                             .instance_type = line.instance,
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
static void *append(void *list, size_t *count, size_t size)
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
    struct figure *place = append(&data->figures, &data->figure_count, sizeof *data->figures);

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
    struct price *place = append(&data->prices, &data->price_count, sizeof *data->prices);

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
        void *place = append(&data->dropped, &data->dropped_count, sizeof *data->dropped);

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

/* Whether this version is to be stored. */
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
