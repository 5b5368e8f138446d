#include "answers/compare/question.h"

#include "answers/query_labels.h"
#include "common/cleanup.h"
#include "common/fields.h"
#include "common/text.h"
#include "db/standings/standings.h"
#include "engine/spec/run_spec.h"
#include "pricing/parse_time.h"

const char *const price_choice_names[] = {"on_demand",           "spot", "typed", "paid",
                                          PRICE_COMMITTED_NAMES, NULL};
const char *const usual_regions[] = {"us-east-1", "us-central1", "eastus", NULL};
const char *const order_names[] = {"samples_per_dollar", "throughput", "total_dollars", "utility",
                                   NULL};
const char *const utility_fields[] = {"samples_per_dollar",
                                      "samples_per_second",
                                      "price_per_hour",
                                      "hours",
                                      "dollars",
                                      "total_dollars",
                                      "vms",
                                      "runs",
                                      "age_days",
                                      "interruption_share",
                                      NULL};

const char *const comparison_parameters[] = {"workload",
                                             "engine",
                                             "provider",
                                             "instance_type*",
                                             "stratum",
                                             "precision",
                                             "batch_size",
                                             "label*",
                                             "sender",
                                             "provenance",
                                             "configuration",
                                             "price",
                                             "region",
                                             "zone",
                                             "price_at",
                                             "discount*",
                                             "price_of*",
                                             "samples",
                                             "epochs",
                                             "job_seconds",
                                             "boot_seconds",
                                             "deadline",
                                             "deadline_h",
                                             "budget",
                                             "hourly_value",
                                             "interruptions_percent",
                                             "checkpoint_seconds",
                                             "restart_seconds",
                                             "reference",
                                             "margin",
                                             "vm_spread",
                                             "utility",
                                             "sort",
                                             "limit",
                                             "offset",
                                             "format",
                                             NULL};

#define DEADLINE_HOURS_MAX 1000000
#define AT(member) .offset = offsetof(struct comparison_question, member)
static const struct field numbers[] = {
    {.name = "batch_size",
     AT(batch_size),
     .type = FIELD_INTEGER,
     .min = 1,
     .max = BATCH_SIZE_MAX},
    {.name = "samples", AT(samples), .type = FIELD_NUMBER, .max = 1000000000000000},
    {.name = "epochs", AT(epochs), .type = FIELD_NUMBER, .max = 1000000},
    {.name = "job_seconds", AT(job_seconds), .type = FIELD_NUMBER, .max = 10000000000},
    {.name = "boot_seconds", AT(boot_seconds), .type = FIELD_AMOUNT, .max = PAUSE_SECONDS_MAX},
    {.name = "deadline_h", AT(deadline_h), .type = FIELD_NUMBER, .max = DEADLINE_HOURS_MAX},
    {.name = "budget", AT(budget), .type = FIELD_NUMBER, .max = 1000000000},
    {.name = "hourly_value", AT(hourly_value), .type = FIELD_AMOUNT, .max = 1000000},
    {.name = "interruptions_percent", AT(interruptions_percent), .type = FIELD_NUMBER, .max = 99},
    {.name = "checkpoint_seconds",
     AT(checkpoint_seconds),
     .type = FIELD_NUMBER,
     .max = PAUSE_SECONDS_MAX},
    {.name = "restart_seconds",
     AT(restart_seconds),
     .type = FIELD_AMOUNT,
     .max = PAUSE_SECONDS_MAX},
    {.name = "margin", AT(margin_percent), .type = FIELD_AMOUNT, .max = PERCENT_MAX},
    {.name = "vm_spread", AT(vm_spread_percent), .type = FIELD_AMOUNT, .max = PERCENT_MAX},
    {.name = "limit", AT(limit), .type = FIELD_INTEGER, .min = 1, .max = COMPARISON_LIST_MAX},
    {.name = "offset", AT(offset), .type = FIELD_INTEGER, .min = 0, .max = COMPARISON_OFFSET_MAX},
};
#undef AT

static bool read_numbers(const struct query *query, struct comparison_question *question,
                         struct error *err)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const char *text = query_find(query, numbers[i].name);

        if (text && !field_read_text(&numbers[i], text, question, err))
            return false;
    }
    return true;
}

struct words {
    const char *list[QUESTION_LIST_MAX];
    size_t count;
};

/* Cuts a list at its commas, in place. */
static bool split(const char *name, const char *text, char storage[LIST_TEXT_MAX],
                  struct words *ret_words, struct error *err)
{
    size_t length = strlen(text);
    char *rest = storage;

    if (length >= LIST_TEXT_MAX)
        return error_set(err, ERROR_INVALID, name, "is too long: %zu bytes", length);
    memcpy(storage, text, length + 1);
    ret_words->count = 0;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (!*word)
            return error_set(err, ERROR_INVALID, name, "holds an empty word");
        if (ret_words->count == QUESTION_LIST_MAX)
            return error_set(err, ERROR_INVALID, name, "may name at most %d", QUESTION_LIST_MAX);
        ret_words->list[ret_words->count++] = word;
    }
    return true;
}

static void add_choice(struct comparison_question *question, enum price_choice choice)
{
    struct offers_question *where = &question->where;

    question->kinds[question->kind_count++] = choice;
    if (choice >= CHOOSE_COMMITTED)
        where->committed[where->committed_count++] =
            (enum price_kind)(PRICE_COMMITTED + (choice - CHOOSE_COMMITTED));
}

static bool read_choices(const struct query *query, struct comparison_question *question,
                         struct error *err)
{
    const char *text = query_find(query, "price");
    struct words words;

    question->kinds[0] = CHOOSE_ON_DEMAND;
    question->kind_count = 1;
    if (!text)
        return true;
    if (!split("price", text, question->kinds_text, &words, err))
        return false;
    question->kind_count = 0;
    for (size_t i = 0; i < words.count; i++) {
        int kind = CHOOSE_ON_DEMAND;

        while (price_choice_names[kind] && strcmp(price_choice_names[kind], words.list[i]) != 0)
            kind++;
        if (!price_choice_names[kind])
            return error_not_allowed(err, "price",
                                     (struct allowed){.choices = price_choice_names},
                                     "'%.40s' is no kind of price", words.list[i]);
        for (size_t k = 0; k < question->kind_count; k++)
            if (question->kinds[k] == (enum price_choice)kind)
                return error_set(err, ERROR_INVALID, "price", "names %s twice", words.list[i]);
        if (question->kind_count == COUNT(question->kinds))
            return error_set(err, ERROR_INVALID, "price", "may name at most %zu kinds",
                             COUNT(question->kinds));
        add_choice(question, (enum price_choice)kind);
    }
    return true;
}

static bool has(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Each cloud names its regions its own way, so a list of them is one for each cloud: the
 * machine's own, and where each cloud began. */
static bool read_regions(const struct query *query, const struct identity *here,
                         struct comparison_question *question, struct error *err)
{
    const char *text = query_find(query, "region");
    struct offers_question *where = &question->where;
    struct words words;
    size_t count = 0;

    /* The same zone has another name in each account; this machine knows its own. */
    if (where->zone && here->zone_id[0] && here->zone[0] &&
        strcmp(where->zone, here->zone_id) == 0) {
        snprintf(question->zone_text, sizeof question->zone_text, "%s", here->zone);
        where->zone = question->zone_text;
    }
    if (text) {
        if (!split("region", text, question->regions_text, &words, err))
            return false;
        memcpy(where->regions, words.list, words.count * sizeof *words.list);
        return true;
    }
    snprintf(question->regions_text, sizeof question->regions_text, "%s", here->region);
    where->at_home = true;
    if (here->region[0])
        where->regions[count++] = question->regions_text;
    for (const char *const *usual = usual_regions; *usual; usual++)
        if (!has(where->regions, *usual))
            where->regions[count++] = *usual;
    return true;
}

static bool read_moment(const struct query *query, long long now_us,
                        struct comparison_question *question, struct error *err)
{
    const char *text = query_find(query, "price_at");

    question->where.is_now = !text;
    question->where.at_us = now_us;
    return !text || parse_time_given(text, &question->where.at_us) ||
           error_set(err, ERROR_INVALID, "price_at", "must be a time like 2024-09-15T00:00:00Z");
}

/* A moment is a deadline of so many hours from now. */
static bool read_deadline(const struct query *query, long long now_us,
                          struct comparison_question *question, struct error *err)
{
    const char *text = query_find(query, "deadline");
    double hours;

    if (!text)
        return true;
    if (query_find(query, "deadline_h"))
        return error_set(err, ERROR_INVALID, "deadline",
                         "only one of deadline and deadline_h may be given");
    if (!parse_time_given(text, &question->deadline_us))
        return error_set(err, ERROR_INVALID, "deadline",
                         "must be a day like 2026-12-01 or a time like 2026-12-01T18:00:00Z");
    hours = (double)(question->deadline_us - now_us) / 3600e6;
    if (hours <= 0)
        return error_set(err, ERROR_INVALID, "deadline",
                         "is in the past: %.40s; it must be later than now", text);
    if (hours > DEADLINE_HOURS_MAX)
        return error_set(err, ERROR_INVALID, "deadline",
                         "is too far ahead: it may be at most %d hours from now",
                         DEADLINE_HOURS_MAX);
    question->deadline_h = hours;
    return true;
}

/* "NAME:NUMBER", or a number alone where that may be. */
static bool read_about(const struct field *field, const char *text, bool name_needed,
                       struct about *ret_about, struct error *err)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;

    if ((!colon && name_needed) || length >= sizeof ret_about->name || (colon && length == 0))
        return error_set(err, ERROR_INVALID, field->name, "must be TYPE:NUMBER%s, got '%.64s'",
                         name_needed ? "" : " or a number", text);
    *ret_about = (struct about){0};
    memcpy(ret_about->name, text, length);
    return field_read_text(field, colon ? colon + 1 : text, ret_about, err);
}

/* Of two numbers for one name, one would be ignored. */
static bool check_twins(const char *name, const struct about *list, size_t count,
                        struct error *err)
{
    const struct about *last = &list[count - 1];

    for (size_t i = 0; i + 1 < count; i++)
        if (strcmp(list[i].name, last->name) == 0)
            return error_set(err, ERROR_INVALID, name, "is given twice for %.64s",
                             *last->name ? last->name : "all types");
    return true;
}

static bool read_lists(const struct query *query, struct comparison_question *question,
                       struct error *err)
{
    const struct field factor = {.name = "discount",
                                 .type = FIELD_NUMBER,
                                 .offset = offsetof(struct about, number),
                                 .max = 1};
    const struct field dollars = {.name = "price_of",
                                  .type = FIELD_NUMBER,
                                  .offset = offsetof(struct about, number),
                                  .max = PRICE_DOLLARS_MAX};

    for (size_t i = 0; i < query->count; i++) {
        const struct parameter *parameter = &query->parameters[i];
        bool discount = strcmp(parameter->name, "discount") == 0;
        struct about *list = discount ? question->discounts : question->prices;
        size_t *count = discount ? &question->discount_count : &question->price_count;

        if (!discount && strcmp(parameter->name, "price_of") != 0)
            continue;
        if (*count == QUESTION_LIST_MAX)
            return error_set(err, ERROR_INVALID, parameter->name, "may be given at most %d times",
                             QUESTION_LIST_MAX);
        if (!read_about(discount ? &factor : &dollars, parameter->value, !discount,
                        &list[(*count)++], err) ||
            !check_twins(parameter->name, list, *count, err))
            return false;
    }
    return true;
}

static bool read_instances(const struct query *query, struct comparison_question *question,
                           struct error *err)
{
    for (size_t i = 0; i < query->count; i++) {
        if (strcmp(query->parameters[i].name, "instance_type") != 0)
            continue;
        if (question->instance_count == QUESTION_LIST_MAX)
            return error_set(err, ERROR_INVALID, "instance_type", "may be given at most %d times",
                             QUESTION_LIST_MAX);
        question->instances[question->instance_count++] = query->parameters[i].value;
    }
    return true;
}

static bool read_order(const struct query *query, struct comparison_question *question,
                       struct error *err)
{
    const char *text = query_find(query, "sort");
    int order = ORDER_SAMPLES_PER_DOLLAR;

    question->utility_text = query_find(query, "utility");
    question->has_utility = question->utility_text != NULL;
    if (question->has_utility &&
        !utility_read(question->utility_text, utility_fields, &question->utility, err))
        return false;
    if (!text) {
        question->order = question->has_utility        ? ORDER_UTILITY
                          : question->hourly_value > 0 ? ORDER_TOTAL_DOLLARS
                                                       : ORDER_SAMPLES_PER_DOLLAR;
        return true;
    }
    while (order_names[order] && strcmp(order_names[order], text) != 0)
        order++;
    if (!order_names[order])
        return error_not_allowed(err, "sort", (struct allowed){.choices = order_names},
                                 "'%.40s' is no order", text);
    if (order == ORDER_UTILITY && !question->has_utility)
        return error_set(err, ERROR_INVALID, "utility", "is needed to sort by it");
    question->order = (enum order)order;
    return true;
}

/* An id is what standings.c makes: a hash. */
static bool is_configuration(const char *text)
{
    return strcmp(text, "best") == 0 || strcmp(text, "all") == 0 ||
           (strlen(text) == CONTENDER_ID_SIZE - 1 &&
            strspn(text, "0123456789abcdef") == CONTENDER_ID_SIZE - 1);
}

static bool check(const struct comparison_question *question, struct error *err)
{
    static const char *const provenances[] = {"all", "measured", "published", NULL};
    int jobs = (question->samples > 0) + (question->epochs > 0) + (question->job_seconds > 0);

    if (!is_configuration(question->configuration))
        return error_set(err, ERROR_INVALID, "configuration",
                         "must be best, all, or the id of a row, got '%.40s'",
                         question->configuration);
    if (question->where.zone && strlen(question->where.zone) >= sizeof((struct price *)0)->zone)
        return error_set(err, ERROR_INVALID, "zone", "is longer than any zone's name");
    if (jobs > 1)
        return error_set(err, ERROR_INVALID, "samples",
                         "only one of samples, epochs and job_seconds may be given");
    if (question->provenance && !has(provenances, question->provenance))
        return error_not_allowed(err, "provenance", (struct allowed){.choices = provenances},
                                 "'%.40s' is not where a number comes from",
                                 question->provenance);
    return true;
}

/* The answer repeats the question, and is JSON. */
static bool check_words(const struct query *query, struct error *err)
{
    for (size_t i = 0; i < query->count; i++) {
        const struct parameter *parameter = &query->parameters[i];

        if (!text_is_utf8(parameter->value, strlen(parameter->value)))
            return error_set(err, ERROR_INVALID, parameter->name, "is not UTF-8");
    }
    return true;
}

bool comparison_question_read(const struct query *query, const struct identity *here,
                              long long now_us, struct comparison_question *ret_question,
                              struct error *err)
{
    static const char *const words[] = {
        "workload",  "engine",        "provider",  "instance_type", "stratum",
        "precision", "configuration", "price",     "region",        "zone",
        "discount",  "price_of",      "reference", "sender",        NULL};
    struct comparison_question *question = ret_question;

    *question = (struct comparison_question){
        .workload = query_find(query, "workload"),
        .engine = query_find(query, "engine"),
        .provider = query_find(query, "provider"),
        .precision = query_find(query, "precision"),
        .provenance = query_find(query, "provenance"),
        .stratum = query_find(query, "stratum"),
        .sender = query_find(query, "sender"),
        .configuration = query_find(query, "configuration"),
        .reference = query_find(query, "reference"),
        .checkpoint_seconds = 10,
        .restart_seconds = 300,
        .margin_percent = 3,
        .vm_spread_percent = 3,
        .limit = 50,
        .where = {.zone = query_find(query, "zone")},
    };
    if (!question->workload)
        question->workload = "resnet50";
    if (!question->configuration)
        question->configuration = "best";
    return check_words(query, err) && query_check_words(query, words, QUERY_WORD_MAX, err) &&
           read_numbers(query, question, err) && read_instances(query, question, err) &&
           query_labels(query, question->label_keys, question->labels, &question->label_count,
                        err) &&
           read_choices(query, question, err) && read_regions(query, here, question, err) &&
           read_moment(query, now_us, question, err) &&
           read_deadline(query, now_us, question, err) && read_lists(query, question, err) &&
           read_order(query, question, err) && check(question, err);
}
