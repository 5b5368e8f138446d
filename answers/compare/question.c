#include "answers/compare/question.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hex.h"
#include "common/rows/fields.h"
#include "common/text.h"
#include "db/standings/standings.h"
#include "engine/spec/run_spec.h"

#include <assert.h>

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

#define DEADLINE_HOURS_MAX 1000000

struct words {
    const char *list[QUESTION_LIST_MAX];
    size_t count;
};

/* Cuts a list at its commas, in place. */
static bool question_split(const char *name, const char *text, char storage[LIST_TEXT_MAX],
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

    assert(question->kind_count < COUNT(question->kinds));
    question->kinds[question->kind_count++] = choice;
    if (choice < CHOOSE_COMMITTED)
        return;
    assert(where->committed_count < COUNT(where->committed));
    where->committed[where->committed_count++] =
        (enum price_kind)(PRICE_COMMITTED + (choice - CHOOSE_COMMITTED));
}

static bool read_choices(const struct parameter_row *row, const char *value, void *into,
                         struct error *err)
{
    struct comparison_question *question = into;
    struct words words;

    if (!question_split(row->name, value, question->kinds_text, &words, err))
        return false;
    for (size_t i = 0; i < words.count; i++) {
        int kind = CHOOSE_ON_DEMAND;

        while (price_choice_names[kind] && strcmp(price_choice_names[kind], words.list[i]) != 0)
            kind++;
        if (!price_choice_names[kind])
            return error_not_allowed(err, row->name,
                                     (struct allowed){.choices = price_choice_names},
                                     "'%.40s' is no kind of price", words.list[i]);
        for (size_t k = 0; k < question->kind_count; k++)
            if (question->kinds[k] == (enum price_choice)kind)
                return error_set(err, ERROR_INVALID, row->name, "names %s twice", words.list[i]);
        if (question->kind_count == COUNT(question->kinds))
            return error_set(err, ERROR_INVALID, row->name, "may name at most %zu kinds",
                             COUNT(question->kinds));
        add_choice(question, (enum price_choice)kind);
    }
    return true;
}

static bool read_regions(const struct parameter_row *row, const char *value, void *into,
                         struct error *err)
{
    struct comparison_question *question = into;
    struct words words;

    if (!parameter_check_word(row, value, err) ||
        !question_split(row->name, value, question->regions_text, &words, err))
        return false;
    memcpy(question->where.regions, words.list, words.count * sizeof *words.list);
    return true;
}

/* The same zone has another name in each account; this machine knows its own. */
static void name_zone(struct comparison_question *question, const struct identity *here)
{
    struct offers_question *where = &question->where;

    if (!where->zone || !here->zone_id[0] || !here->zone[0] ||
        strcmp(where->zone, here->zone_id) != 0)
        return;
    snprintf(question->zone_text, sizeof question->zone_text, "%s", here->zone);
    where->zone = question->zone_text;
}

/* Each cloud has its own names of regions, so the default has one for each cloud: the machine's
 * own region, and the oldest region of each cloud. */
static void add_usual_regions(struct comparison_question *question, const struct identity *here)
{
    struct offers_question *where = &question->where;
    size_t count = 0;

    where->at_home = true;
    snprintf(question->regions_text, sizeof question->regions_text, "%s", here->region);
    if (here->region[0])
        where->regions[count++] = question->regions_text;
    for (const char *const *usual = usual_regions; *usual; usual++)
        if (!text_is_listed(where->regions, *usual))
            where->regions[count++] = *usual;
}

/* Converts a time into hours from now. */
static bool count_hours(struct comparison_question *question, long long now_us, struct error *err)
{
    double hours = (double)(question->deadline_us - now_us) / 3600e6;
    char when[RFC3339_SIZE];

    if (question->deadline_us == 0)
        return true;
    clock_rfc3339(question->deadline_us, when);
    if (hours <= 0)
        return error_set(err, ERROR_INVALID, "deadline",
                         "is in the past: %s; it must be later than now", when);
    if (hours > DEADLINE_HOURS_MAX)
        return error_set(err, ERROR_INVALID, "deadline",
                         "is too far ahead: it may be at most %d hours from now",
                         DEADLINE_HOURS_MAX);
    question->deadline_h = hours;
    return true;
}

/* "NAME:NUMBER", or a number alone if allowed. */
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

/* Refuses two numbers for one name: one would be ignored. */
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

static bool add_about(const struct parameter_row *row, const char *value, struct about *list,
                      size_t *count, struct error *err)
{
    const bool name_needed = strcmp(row->name, "price_of") == 0;
    const struct field field = {.name = row->name,
                                .type = FIELD_NUMBER,
                                .offset = offsetof(struct about, number),
                                .max = row->max};

    return read_about(&field, value, name_needed, &list[(*count)++], err) &&
           check_twins(row->name, list, *count, err);
}

static bool read_discount(const struct parameter_row *row, const char *value, void *into,
                          struct error *err)
{
    struct comparison_question *question = into;

    return add_about(row, value, question->discounts, &question->discount_count, err);
}

static bool read_price(const struct parameter_row *row, const char *value, void *into,
                       struct error *err)
{
    struct comparison_question *question = into;

    return add_about(row, value, question->prices, &question->price_count, err);
}

static bool read_instance(const struct parameter_row *row, const char *value, void *into,
                          struct error *err)
{
    struct comparison_question *question = into;

    question->instances[question->instance_count++] = value;
    return parameter_check_word(row, value, err);
}

static bool read_label(const struct parameter_row *row, const char *value, void *into,
                       struct error *err)
{
    struct comparison_question *question = into;
    int at = question->label_count++;

    question->labels[at].key = question->label_keys[at];
    return label_read(row->name, value, question->label_keys[at], &question->labels[at].value,
                      err);
}

static bool read_utility(const struct parameter_row *row, const char *value, void *into,
                         struct error *err)
{
    struct comparison_question *question = into;

    (void)row;
    question->utility_text = value;
    question->has_utility = true;
    return utility_read(value, utility_fields, &question->utility, err);
}

/* "best", "all", or the id of a row, which is a hash. */
static bool read_configuration(const struct parameter_row *row, const char *value, void *into,
                               struct error *err)
{
    struct comparison_question *question = into;

    question->configuration = value;
    return strcmp(value, "best") == 0 || strcmp(value, "all") == 0 ||
           (strlen(value) == CONTENDER_ID_SIZE - 1 &&
            strspn(value, HEX_DIGITS) == CONTENDER_ID_SIZE - 1) ||
           error_set(err, ERROR_INVALID, row->name,
                     "must be best, all, or the id of a row, got '%.40s'", value);
}

static bool choose_order(struct comparison_question *question, struct error *err)
{
    int order = ORDER_SAMPLES_PER_DOLLAR;

    if (!question->sort)
        question->order = question->has_utility        ? ORDER_UTILITY
                          : question->hourly_value > 0 ? ORDER_TOTAL_DOLLARS
                                                       : ORDER_SAMPLES_PER_DOLLAR;
    else {
        while (strcmp(order_names[order], question->sort) != 0)
            order++;
        question->order = (enum order)order;
    }
    return question->order != ORDER_UTILITY || question->has_utility ||
           error_set(err, ERROR_INVALID, "utility", "is needed to sort by it");
}

bool comparison_question_check(const struct query *query, void *into, struct error *err)
{
    struct comparison_question *question = into;
    int jobs = (question->samples > 0) + (question->epochs > 0) + (question->job_seconds > 0);

    if (jobs > 1)
        return error_set(err, ERROR_INVALID, "samples",
                         "only one of samples, epochs and job_seconds may be given");
    if (query_find(query, "deadline") && query_find(query, "deadline_h"))
        return error_set(err, ERROR_INVALID, "deadline",
                         "only one of deadline and deadline_h may be given");
    return choose_order(question, err);
}

/* Regular expressions of the lists, with the words of the price table. */
#define COMMITMENTS                                                                              \
    "(reserved|convertible|instance_savings_plan)_[13]y_(no|partial|all)_upfront|"               \
    "savings_plan_[13]y(_(partial|all)_upfront)?|committed_use_[13]y"
#define KIND "(on_demand|spot|typed|paid|" COMMITMENTS ")"

#define AT(member) .offset = offsetof(struct comparison_question, member)
#define OWN(reader) PARAMETER_OWN, .read = (reader)
static const char *const provenances[] = {"all", "measured", "published", NULL};
const struct parameter_row comparison_rows[] = {
    {"workload", PARAMETER_WORD, AT(workload), .usual = "resnet50",
     .meaning = "The workload; ranks hold for one workload alone."},
    {"engine", PARAMETER_WORD, AT(engine), .meaning = "Only this engine."},
    {"provider", PARAMETER_PROVIDER, AT(provider), .meaning = "Only this provider."},
    {"instance_type", OWN(read_instance), .repeats = QUESTION_LIST_MAX,
     .meaning = "Only this type; may be given several times."},
    {"stratum", PARAMETER_WORD, AT(stratum), .meaning = "Only this hardware."},
    {"precision", PARAMETER_WORD, AT(precision), .meaning = "Only this number format."},
    {"batch_size", PARAMETER_INTEGER, AT(batch_size), .min = 1, .max = BATCH_SIZE_MAX,
     .meaning = "Only this batch."},
    {"label", OWN(read_label), .repeats = RUN_FILTER_LABELS, .schema = LABEL_SCHEMA,
     .meaning = "KEY=VALUE of a label: only runs that have it are put together, so branches can "
                "be told apart. May be given four times, and all must match. The newest 10,000 "
                "such runs are looked at, and no published figure."},
    {"sender", PARAMETER_WORD, AT(sender),
     .meaning = "Only runs of this sender are put together: the name of a token, or `local`, the "
                "runs that were measured here (and runs of a token of this name). The newest "
                "10,000 such runs are looked at, and no published figure."},
    {"provenance", PARAMETER_CHOICE, AT(provenance), .choices = provenances, .usual = "all",
     .meaning = "Measured (here or elsewhere), published, or all."},
    {"configuration", OWN(read_configuration), .usual = "best",
     .schema = "{\"type\": \"string\", \"pattern\": \"^(best|all|[0-9a-f]{16})$\"}",
     .meaning =
         "best: of each machine the configuration that is surely fastest (by the lower end "
         "of its interval); all; or the id of a row."},
    {"price", OWN(read_choices), .usual = "on_demand",
     .schema = "{\"type\": \"string\", \"pattern\": \"^" KIND "(," KIND "){0,3}$\"}",
     .meaning = "Kinds of price in order of preference, separated by commas; ratios between "
                "different kinds say so. typed: entered by a person; paid: the price that the "
                "newest run stored; the others: commitments for one or three years, by what an "
                "hour of the term costs in all."},
    {"region", OWN(read_regions),
     .schema = "{\"type\": \"string\", \"maxLength\": 200,"
               " \"pattern\": \"^(?! )(?!.* $)[^,]+(,[^,]+){0,7}$\"}",
     .meaning = "Regions, separated by commas; the first that has a price counts. The default "
                "prices each row in the region where it was measured, and types without a run in "
                "this machine's region or the oldest region of each cloud."},
    {"zone", PARAMETER_WORD, AT(where.zone), .max = REGION_SIZE - 1,
     .meaning =
         "Only this zone's spot price. The id of this machine's zone (use1-az4) is as good "
         "as its name."},
    {"price_at", PARAMETER_TIME, AT(where.at_us), .meaning = "Use the prices of this time."},
    {"discount", OWN(read_discount), .max = 1, .repeats = QUESTION_LIST_MAX,
     .schema = "{\"type\": \"string\", \"pattern\": "
               "\"^([!-9;-~]{1,63}:)?(0[.]0{0,9}[1-9][0-9]{0,9}|1([.]0{1,9})?)$\"}",
     .meaning = "A factor on list prices: 0.8 for all, or c7i.2xlarge:0.8, c7i.:0.8, aws:0.8 for "
                "a type, a family or a provider. The most special counts; no name may come "
                "twice."},
    {"price_of", OWN(read_price), .max = PRICE_DOLLARS_MAX, .repeats = QUESTION_LIST_MAX,
     .schema = "{\"type\": \"string\", \"pattern\": \"^[!-9;-~]{1,63}:"
               "(0[.]0{0,9}[1-9][0-9]{0,9}|[1-9][0-9]{0,4}([.][0-9]{1,9})?)$\"}",
     .meaning = "Dollars per hour of a type, instead of its known price: c7i.2xlarge:0.30. The "
                "most special counts; no name may come twice."},
    {"samples", PARAMETER_NUMBER, AT(samples), .max = 1000000000000000,
     .meaning = "Number of samples in the job; a million without a job."},
    {"epochs", PARAMETER_NUMBER, AT(epochs), .max = 1000000,
     .meaning = "Number of ImageNet epochs in the job, of 1,281,167 samples each."},
    {"job_seconds", PARAMETER_NUMBER, AT(job_seconds), .max = 10000000000,
     .meaning = "Seconds that the job takes on each machine."},
    {"boot_seconds", PARAMETER_AMOUNT, AT(boot_seconds), .max = PAUSE_SECONDS_MAX, .usual = "0",
     .meaning = "Seconds charged before the job starts."},
    {"deadline", PARAMETER_TIME, AT(deadline_us),
     .meaning = "Find the cheapest row that finishes before a moment, which may not be in the "
                "past; a day alone is when it begins, in UTC."},
    {"deadline_h", PARAMETER_NUMBER, AT(deadline_h), .max = DEADLINE_HOURS_MAX,
     .meaning =
         "The same within so many hours. Only one of deadline and deadline_h may be given."},
    {"budget", PARAMETER_NUMBER, AT(budget), .max = 1000000000,
     .meaning = "Find the fastest row that costs at most so many dollars."},
    {"hourly_value", PARAMETER_AMOUNT, AT(hourly_value), .max = 1000000, .usual = "0",
     .meaning = "Dollars that an hour of waiting is worth."},
    {"interruptions_percent", PARAMETER_NUMBER, AT(interruptions_percent), .max = 99,
     .meaning = "Percent of spot instances interrupted in a month, instead of the provider's "
                "figure."},
    {"checkpoint_seconds", PARAMETER_NUMBER, AT(checkpoint_seconds), .max = PAUSE_SECONDS_MAX,
     .usual = "10", .meaning = "Seconds that a checkpoint takes."},
    {"restart_seconds", PARAMETER_AMOUNT, AT(restart_seconds), .max = PAUSE_SECONDS_MAX,
     .usual = "300", .meaning = "Seconds that a restart takes."},
    {"reference", PARAMETER_WORD, AT(reference),
     .meaning = "An instance type or the id of a row; ratios and break-evens are relative to "
                "it."},
    {"margin", PARAMETER_AMOUNT, AT(margin_percent), .max = PERCENT_MAX, .usual = "3",
     .meaning = "Percent below which a difference does not matter."},
    {"vm_spread", PARAMETER_AMOUNT, AT(vm_spread_percent), .max = PERCENT_MAX, .usual = "3",
     .meaning = "Assumed spread of machines of a type in percent, where fewer than three were "
                "measured."},
    {"utility", OWN(read_utility),
     .schema = "{\"type\": \"string\", \"minLength\": 1, \"maxLength\": " LIMIT_TEXT(
         UTILITY_TEXT_MAX) "}",
     .meaning = "A formula to order by: numbers, + - * / ( ) min max log, and "
                "samples_per_dollar, samples_per_second, price_per_hour, hours, dollars, "
                "total_dollars, vms, runs, age_days, interruption_share."},
    {"sort", PARAMETER_CHOICE, AT(sort), .choices = order_names,
     .meaning = "Field that orders the rows; the default is utility if given, else total_dollars "
                "if waiting has a value, else samples_per_dollar."},
    {"limit", PARAMETER_INTEGER, AT(limit), .min = 1, .max = COMPARISON_LIST_MAX, .usual = "50",
     .meaning = "Maximum number of rows."},
    {"offset", PARAMETER_INTEGER, AT(offset), .max = COMPARISON_OFFSET_MAX, .usual = "0",
     .meaning = "Number of rows to skip."},
    {0},
};
#undef AT
#undef OWN

const struct parameters comparison_parameters = {
    .size = sizeof(struct comparison_question),
    .parts = {{comparison_rows}},
    .check = comparison_question_check,
};

bool comparison_question_complete(struct comparison_question *question,
                                  const struct identity *here, long long now_us,
                                  struct error *err)
{
    name_zone(question, here);
    if (!question->where.regions[0])
        add_usual_regions(question, here);
    question->where.is_now = question->where.at_us == 0;
    if (question->where.is_now)
        question->where.at_us = now_us;
    return count_hours(question, now_us, err);
}

bool comparison_question_read(const struct query *query, const struct identity *here,
                              long long now_us, struct comparison_question *ret_question,
                              struct error *err)
{
    memset(ret_question, 0, sizeof *ret_question);
    return parameters_read(&comparison_parameters, query, ret_question, err) &&
           comparison_question_complete(ret_question, here, now_us, err);
}
