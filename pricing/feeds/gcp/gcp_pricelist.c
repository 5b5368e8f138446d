/* Prices of Google's machine types that a third party has computed from Google's list, as YAML:
 *
 *     compute:
 *       instance:
 *         n2-standard-2:
 *           cost:
 *             us-central1:
 *               hour: 0.097118
 *               hour_spot: 0.023548
 *           cpu: 2
 *
 * The same shape, elsewhere in it, tells what licences cost: so whatever is not where it is
 * expected closes what was open, rather than lend its numbers to what came before. */
#include "common/cleanup.h"

#include "common/clock.h"
#include "common/limits.h"
#include "common/memory.h"
#include "pricing/feeds/gcp/gcp_types.h"
#include "pricing/feeds/sources.h"
#include "pricing/feeds/yaml_lines.h"

#define PENDING_MAX 1024
#define PER_VCPU_MAX 5.0         /* USD an hour; there are placeholders of 700 */
#define PER_ACCELERATOR_MAX 50.0 /* and for each of them */

enum level { TOP, SECTION, TYPE, MEMBER, REGION, PRICE };

struct pending {
    char region[REGION_SIZE], text[40];
    enum price_kind kind;
    long long nanos; /* 0: that is no price */
};

/* A type is judged when all of it is there, for its vCPUs come last. */
struct type {
    struct instance_type about;
    bool begun, lost, has_cost;
    double accelerators;
    struct pending *pending;
    size_t count, room;
};

struct list {
    const struct reading *reading;
    struct yaml_lines lines;
    enum level open; /* the deepest level at which a line may stand */
    bool in_about;   /* or else in compute */
    bool found;
    char region[REGION_SIZE];
    struct type type;
};

static const char *const accelerators[] = {
    "a100", "a100-80gb", "b200", "h100-80gb", "h100-80gb-mega", "h200-141gb", "k80", "l4", "p100",
    "p4",   "rtx6000",   "t4",   "v100"};

static struct price_batch_tally *tally_of(const struct list *list)
{
    return &price_batch_facts(list->reading->batch)->tally;
}

static bool is_plausible(const struct type *type, const struct pending *pending)
{
    return (double)pending->nanos <= GCP_NANOS * (PER_VCPU_MAX * type->about.vcpus +
                                                  PER_ACCELERATOR_MAX * type->accelerators);
}

/* A price is not trusted either if the other one next to it is unreadable. */
static bool is_doubtful(const struct type *type, const struct pending *pending)
{
    for (size_t i = 0; i < type->count; i++)
        if (type->pending[i].nanos == 0 && type->pending[i].kind == pending->kind &&
            strcmp(type->pending[i].region, pending->region) == 0)
            return true;
    return false;
}

/* Adds the prices of the type that ends here. */
static bool end_type(struct list *list, struct error *err)
{
    struct price_batch *batch = list->reading->batch;
    struct type *type = &list->type;
    bool added = false;

    for (size_t i = 0; i < type->count; i++) {
        const struct pending *pending = &type->pending[i];
        struct price price = {.provider = "gcp", .currency = "USD", .kind = pending->kind};

        if (pending->nanos == 0)
            continue; /* counted where it was read */
        if (type->lost || !is_plausible(type, pending) || is_doubtful(type, pending) ||
            !PRICE_WORD(price.region, pending->region) ||
            !PRICE_WORD(price.instance_type, type->about.name) ||
            !price_set(&price, pending->text)) {
            tally_of(list)->malformed++;
            continue;
        }
        if (!price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, err))
            return false;
        added = true;
    }
    type->count = 0;
    type->begun = false;
    if (added)
        price_batch_add_type(batch, &type->about);
    return true;
}

static bool begin_type(struct list *list, const char *name)
{
    struct type *type = &list->type;

    *type = (struct type){.begun = true, .pending = type->pending, .room = type->room};
    snprintf(type->about.provider, sizeof type->about.provider, "gcp");
    return PRICE_WORD(type->about.name, name);
}

/* Other facts of a type; a repeated one makes the type invalid. */
static void take_member(struct list *list, const struct yaml_line *line)
{
    struct type *type = &list->type;
    struct instance_type *about = &type->about;
    double count = source_count(line->value);

    if (strcmp(line->key, "cpu") == 0) {
        type->lost = type->lost || about->vcpus > 0 || count == 0;
        about->vcpus = count;
    } else if (strcmp(line->key, "ram") == 0) {
        about->memory_gib = count;
    }
    for (size_t i = 0; i < COUNT(accelerators); i++)
        if (strcmp(line->key, accelerators[i]) == 0) {
            type->lost = type->lost || about->accelerator[0] || count == 0;
            type->accelerators = count;
            snprintf(about->accelerator, sizeof about->accelerator, "%.10s x %s", line->value,
                     line->key);
        }
}

/* "0", "0.0", "-1": that there is none. */
static bool says_none(const char *text)
{
    const char *digits = *text == '-' ? "0123456789." : "0.";

    text += *text == '-';
    return strpbrk(text, "0123456789") && text[strspn(text, digits)] == '\0';
}

static bool take_price(struct list *list, const struct yaml_line *line, enum price_kind kind,
                       struct error *err)
{
    struct price_batch_tally *tally = tally_of(list);
    struct type *type = &list->type;
    struct pending *pending;

    tally->seen++;
    if (type->count == PENDING_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "%s has more than %d prices",
                         type->about.name, PENDING_MAX);
    type->pending = xgrow(type->pending, type->count, &type->room, sizeof *type->pending);
    pending = &type->pending[type->count++];
    *pending = (struct pending){.kind = kind};
    memcpy(pending->region, list->region, sizeof pending->region);
    if (PRICE_WORD(pending->text, line->value) &&
        price_read_nanos(pending->text, &pending->nanos))
        return true;
    pending->nanos = 0;
    if (says_none(line->value))
        tally->unpriced++;
    else
        tally->malformed++;
    return true;
}

static bool take_hour(struct list *list, const struct yaml_line *line, struct error *err)
{
    if (strcmp(line->key, "hour") == 0)
        return take_price(list, line, PRICE_ON_DEMAND, err);
    if (strcmp(line->key, "hour_spot") == 0)
        return take_price(list, line, PRICE_SPOT, err);
    return true;
}

static void take_about(struct list *list, const struct yaml_line *line)
{
    size_t digits = strspn(line->value, "0123456789");

    if (strcmp(line->key, "timestamp") == 0 && digits > 0 && digits < 12 &&
        line->value[digits] == '\0')
        price_batch_facts(list->reading->batch)->source_us =
            strtoll(line->value, NULL, 10) * US_PER_SECOND;
}

/* A line that opens a block, at its level: true if it belongs there, and so may have lines below
 * it. */
static bool pricelist_opens(struct list *list, const struct yaml_line *line)
{
    switch (list->open) {
    case TOP:
        list->in_about = strcmp(line->key, "about") == 0;
        return list->in_about || strcmp(line->key, "compute") == 0;
    case SECTION:
        if (list->in_about || strcmp(line->key, "instance") != 0)
            return false;
        list->found = true;
        return true;
    case TYPE:
        return begin_type(list, line->key);
    case MEMBER:
        if (strcmp(line->key, "cost") == 0 && !list->type.has_cost)
            return (list->type.has_cost = true);
        list->type.lost = true;
        return false;
    case REGION:
        return gcp_is_region(line->key) && PRICE_WORD(list->region, line->key);
    default:
        /* It may be a misspelt region, whose prices follow. */
        list->open = REGION;
        return false;
    }
}

/* A line at a level where none belongs: closes whatever it might have opened. */
static bool take_stray(struct list *list, const struct yaml_line *line, struct error *err)
{
    tally_of(list)->malformed += list->open >= TYPE;
    if (*line->value || (list->open == SECTION && line->indent > 2))
        return true;
    list->type.lost = true;
    if (list->open >= TYPE && line->indent > 4 && !line->tabbed) {
        list->open = TYPE;
        return true;
    }
    list->open = TOP;
    return end_type(list, err);
}

static bool take_line(void *user, const struct yaml_line *line, struct error *err)
{
    struct list *list = user;
    size_t level = line->indent / 2;

    if (line->tabbed || line->indent % 2 != 0 || !*line->key)
        return take_stray(list, line, err);
    if (level > list->open) { /* below something that is not wanted, or has nothing below it */
        tally_of(list)->malformed += list->open >= TYPE;
        return true;
    }
    if (level <= TYPE && !end_type(list, err))
        return false;
    list->open = (enum level)level;
    if (!*line->value) {
        if (pricelist_opens(list, line))
            list->open++;
        else
            tally_of(list)->malformed += level >= TYPE;
        return true;
    }
    if (level == PRICE)
        return take_hour(list, line, err);
    if (level == MEMBER)
        take_member(list, line);
    else if (level == SECTION && list->in_about)
        take_about(list, line);
    else
        tally_of(list)->malformed += level >= TYPE;
    return true;
}

static void list_close(void *reader)
{
    struct list *list = reader;

    if (list)
        free(list->type.pending);
    free(list);
}

static void *list_open(const struct reading *reading, struct error *err)
{
    struct list *list = xcalloc(1, sizeof *list);

    (void)err; /* nothing can be wrong yet */
    list->reading = reading;
    list->lines.line = take_line;
    list->lines.user = list;
    return list;
}

static enum fetch_take list_take(void *user, const char *data, size_t length, struct error *err)
{
    return yaml_lines_feed(&((struct list *)user)->lines, data, length, err) ? TAKE_MORE
                                                                             : TAKE_FAILED;
}

static enum reading_state list_page(void *reader, const struct fetch_response *response,
                                    struct error *err)
{
    struct list *list = reader;

    (void)response;
    if (!yaml_lines_end(&list->lines, err) || !end_type(list, err))
        return READING_FAILED;
    if (!list->found)
        error_set(err, ERROR_UPSTREAM, NULL, "the document has no compute.instance");
    else if (price_batch_count(list->reading->batch) == 0)
        error_set(err, ERROR_UPSTREAM, NULL,
                  "the feed has an unexpected format: there is no price in compute.instance");
    else
        return READING_DONE;
    return READING_FAILED;
}

static const struct reader_ops pricelist_ops = {list_open, source_ask_once, list_take,
                                                list_page, list_close,      NULL};

const struct source gcp_pricelist = {
    .name = "gcp-third-party",
    .title = "region, computed by a third party from Google's list (Cyclenerd)",
    .provider = "gcp",
    .url = "https://raw.githubusercontent.com/Cyclenerd/"
           "google-cloud-pricing-cost-calculator/master/pricing.yml",
    .third_party = true,
    .has_spot = true,
    .stands_in = true,
    .period_seconds = 24 * 3600,
    .pace_seconds = (7 * 24 + 27) * 3600, /* built once a week, and read once a day */
    .max_bytes = 32 * 1024 * 1024,
    .sentinels = gcp_sentinels,
    .min_regions = 20,
    .read = &pricelist_ops,
};
