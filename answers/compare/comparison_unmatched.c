#include "answers/compare/comparison_unmatched.h"

#include "answers/compare/ranking.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"

#define KNOWN_SHOWN 6
#define VALUE_SIZE sizeof((struct unmatched *)0)->value

/* A known value and its distance from the requested one. */
struct known_value {
    char text[VALUE_SIZE];
    size_t alike;
};

/* The known values of one parameter. */
struct search {
    const struct comparison_parts *parts;
    const char *parameter, *value;
    void (*of_contender)(const struct contender *contender, char ret_text[VALUE_SIZE]);
    const char *(*of_offer)(const struct offer *offer); /* NULL: not a property of prices */
    bool may_be_part; /* the value may also name a family ("c7i.") or a provider */
    bool any_workload;
};

static void unmatched_copy(char ret_text[VALUE_SIZE], const char *text)
{
    snprintf(ret_text, VALUE_SIZE, "%s", text);
}

static void workload_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    unmatched_copy(ret_text, contender->workload);
}

static void engine_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    unmatched_copy(ret_text, contender->engine);
}

static void provider_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    unmatched_copy(ret_text, contender->provider);
}

static void stratum_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    unmatched_copy(ret_text, contender->stratum);
}

static void instance_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    unmatched_copy(ret_text, contender->instance);
}

static void precision_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    const struct configuration *setup = &contender->setup;

    unmatched_copy(ret_text, setup->precision ? setup->precision : setup->foreign_precision);
}

static void batch_size_of(const struct contender *contender, char ret_text[VALUE_SIZE])
{
    snprintf(ret_text, VALUE_SIZE, "%lld", contender->setup.batch_size);
}

static const char *offer_instance(const struct offer *offer)
{
    return offer->instance;
}

static const char *offer_provider(const struct offer *offer)
{
    return offer->provider;
}

static bool is_family(const char *name, const char *instance)
{
    size_t length = strlen(name);

    return length > 0 && name[length - 1] == '.' && strncmp(name, instance, length) == 0;
}

static bool is_searched(const struct search *search, const struct contender *contender)
{
    return search->any_workload ||
           strcmp(contender->workload, search->parts->question->workload) == 0;
}

static bool unmatched_matches(const struct search *search, const char *text, const char *provider)
{
    return strcmp(search->value, text) == 0 ||
           (search->may_be_part &&
            (strcmp(search->value, provider) == 0 || is_family(search->value, text)));
}

static bool matches_any(const struct search *search)
{
    const struct standings *standings = search->parts->standings;
    const struct offers *offers = search->parts->offers;

    for (size_t i = 0; i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];
        char text[VALUE_SIZE];

        if (!is_searched(search, contender))
            continue;
        search->of_contender(contender, text);
        if (unmatched_matches(search, text, contender->provider))
            return true;
    }
    if (search->any_workload && text_is_listed(run_spec_workloads, search->value))
        return true;
    for (size_t i = 0; search->of_offer && i < offers->count; i++)
        if (unmatched_matches(search, search->of_offer(&offers->list[i]),
                              offers->list[i].provider))
            return true;
    return false;
}

static void add_known(const struct search *search, const char *text, struct known_value *known,
                      size_t *count)
{
    struct known_value *value = &known[*count];

    if (!*text || strcmp(text, "0") == 0)
        return;
    unmatched_copy(value->text, text);
    value->alike =
        text_likeness(search->value, strlen(search->value), value->text, strlen(value->text));
    (*count)++;
}

/* The nearest first, then by name. */
static int by_likeness(const void *left, const void *right)
{
    const struct known_value *l = left, *r = right;

    if (l->alike != r->alike)
        return l->alike < r->alike ? 1 : -1;
    return strcmp(l->text, r->text);
}

static size_t drop_twins(struct known_value *known, size_t count)
{
    size_t kept = 0;

    qsort(known, count, sizeof *known, by_likeness);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(known[kept - 1].text, known[i].text) != 0)
            known[kept++] = known[i];
    return kept;
}

/* Lists the known values. */
static struct known_value *list_known(const struct search *search, size_t *ret_count)
{
    const struct standings *standings = search->parts->standings;
    const struct offers *offers = search->parts->offers;
    struct known_value *known =
        xcalloc(standings->count + offers->count + run_spec_workload_count, sizeof *known);
    size_t count = 0;

    for (size_t i = 0; i < standings->count; i++) {
        char text[VALUE_SIZE];

        if (!is_searched(search, &standings->list[i]))
            continue;
        search->of_contender(&standings->list[i], text);
        add_known(search, text, known, &count);
    }
    for (size_t i = 0; search->of_offer && i < offers->count; i++)
        add_known(search, search->of_offer(&offers->list[i]), known, &count);
    for (const char *const *name = run_spec_workloads; search->any_workload && *name; name++)
        add_known(search, *name, known, &count);
    *ret_count = drop_twins(known, count);
    return known;
}

static void say_known(const struct search *search, const struct known_value *known, size_t count,
                      struct unmatched *unmatched)
{
    char *words = unmatched->words;
    const size_t size = sizeof unmatched->words;
    size_t used = strlen(words);

    used += (size_t)snprintf(words + used, size - used,
                             count > 0 ? "; known are" : "; none is known");
    for (size_t i = 0; i < count && i < KNOWN_SHOWN && used < size; i++)
        used +=
            (size_t)snprintf(words + used, size - used, "%s %s", i > 0 ? "," : "", known[i].text);
    if (count > KNOWN_SHOWN && used < size)
        used += (size_t)snprintf(words + used, size - used, " and %zu more", count - KNOWN_SHOWN);
    if (search->may_be_part && used < size && !strchr(search->value, '.'))
        snprintf(words + used, size - used, "; a family ends with a dot: '%s.'", search->value);
}

/* Adds the parameter to the list unless it matches something. */
static void look_for(const struct search *search, struct unmatched *list, size_t *count)
{
    AUTO(freep) struct known_value *known = NULL;
    const struct comparison_question *question = search->parts->question;
    const char *workload = question->workload;
    struct unmatched *unmatched = &list[*count];
    size_t known_count = 0;

    if (!search->value || *count == UNMATCHED_MAX || matches_any(search))
        return;
    known = list_known(search, &known_count);
    *unmatched = (struct unmatched){.parameter = search->parameter};
    unmatched_copy(unmatched->value, search->value);
    if (search->any_workload)
        snprintf(unmatched->words, sizeof unmatched->words, "no run trained '%.64s'", workload);
    else
        snprintf(unmatched->words, sizeof unmatched->words, "no run of %.64s%s%s%s has it",
                 workload, question->label_count > 0 ? " with these labels" : "",
                 question->sender ? " by this sender" : "",
                 search->of_offer ? " and no price" : "");
    say_known(search, known, known_count, unmatched);
    unmatched_mend(unmatched);
    (*count)++;
}

static void look_for_names(const struct comparison_parts *parts, struct unmatched *list,
                           size_t *count)
{
    const struct comparison_question *question = parts->question;
    struct search search = {.parts = parts,
                            .parameter = "instance_type",
                            .of_contender = instance_of,
                            .of_offer = offer_instance};

    for (size_t i = 0; i < question->instance_count; i++) {
        search.value = question->instances[i];
        look_for(&search, list, count);
    }
    search.may_be_part = true;
    search.parameter = "price_of";
    for (size_t i = 0; i < question->price_count; i++) {
        search.value = text_or_null(question->prices[i].name);
        look_for(&search, list, count);
    }
    search.parameter = "discount";
    for (size_t i = 0; i < question->discount_count; i++) {
        search.value = text_or_null(question->discounts[i].name);
        look_for(&search, list, count);
    }
}

/* A row's id is a hash: similar ids are no suggestions. */
static void look_for_row(const struct comparison_parts *parts, struct unmatched *list,
                         size_t *count)
{
    const struct comparison_question *question = parts->question;
    const char *id = question->configuration;

    if (strcmp(id, "best") == 0 || strcmp(id, "all") == 0 || *count == UNMATCHED_MAX)
        return;
    for (size_t i = 0; i < parts->standings->count; i++)
        if (strcmp(parts->standings->list[i].id, id) == 0 &&
            strcmp(parts->standings->list[i].workload, question->workload) == 0)
            return;
    list[*count] = (struct unmatched){.parameter = "configuration"};
    unmatched_copy(list[*count].value, id);
    snprintf(list[*count].words, sizeof list[*count].words,
             "no row of %.64s has it; GET /v1/comparison?configuration=all lists all",
             question->workload);
    (*count)++;
}

void comparison_unmatched(const struct comparison_parts *parts,
                          struct unmatched ret_list[UNMATCHED_MAX], size_t *ret_count)
{
    const struct comparison_question *question = parts->question;
    char batch_size[VALUE_SIZE];
    const struct search filters[] = {
        {parts, "workload", question->workload, workload_of, NULL, false, true},
        {parts, "engine", question->engine, engine_of, NULL, false, false},
        {parts, "provider", question->provider, provider_of, offer_provider, false, false},
        {parts, "stratum", question->stratum, stratum_of, NULL, false, false},
        {parts, "precision", question->precision, precision_of, NULL, false, false},
        {parts, "batch_size", question->batch_size > 0 ? batch_size : NULL, batch_size_of, NULL,
         false, false},
    };

    snprintf(batch_size, sizeof batch_size, "%lld", question->batch_size);
    *ret_count = 0;
    for (size_t i = 0; i < parts->unmatched_subset_count && *ret_count < UNMATCHED_MAX; i++)
        ret_list[(*ret_count)++] = parts->unmatched_subset[i];
    for (size_t i = 0; i < COUNT(filters); i++)
        look_for(&filters[i], ret_list, ret_count);
    look_for_row(parts, ret_list, ret_count);
    look_for_names(parts, ret_list, ret_count);
}
