/* Tested by tests/api/test_history.py. */
#include "server/http/json/present_history.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/present_unmatched.h"

#include <math.h>

#define PRICE_SIZE 32
#define WORDS_SIZE 256

static double percent(double ratio)
{
    return (ratio - 1) * 100;
}

/* In a sentence, for people. */
static void write_words(const struct history_change *change, char ret_words[WORDS_SIZE])
{
    static const struct {
        const char *attribution, *words;
    } through[] = {{"version", "with another version of the engine, its library or its plan"},
                   {"kernel", "with another kernel or microcode of the machine"},
                   {"price", "through the price alone"},
                   {"several", "with several changes at once"},
                   {"unknown", "for an unknown reason"}};
    const char *attribution = history_attribution(change->causes), *because = "";
    const struct ratio *ratio = &change->ratio;
    char interval[80] = "no interval";

    for (size_t i = 0; i < COUNT(through); i++)
        if (strcmp(through[i].attribution, attribution) == 0)
            because = through[i].words;
    if (ratio->known)
        snprintf(interval, sizeof interval, "95 %%: %+.1f to %+.1f %%", percent(ratio->low),
                 percent(ratio->high));
    snprintf(ret_words, WORDS_SIZE, "Samples %s changed by %+.1f %% (%s), %s",
             change->measure == HISTORY_SPEED ? "per second" : "per dollar",
             percent(ratio->value), interval, because);
}

static void write_price(double dollars, char ret_text[PRICE_SIZE])
{
    snprintf(ret_text, PRICE_SIZE, "%.6g", dollars);
}

static void present_cause(struct json_writer *out, enum history_cause cause, const char *from,
                          const char *to)
{
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "what", history_cause_names[cause]);
    jsonw_text(out, "from", from);
    jsonw_text(out, "to", to);
    jsonw_close(out, '}');
}

static void present_causes(struct json_writer *out, const struct history_line *line,
                           const struct history_change *change)
{
    const struct history_run *old = &line->runs[change->before];
    const struct history_run *new = &line->runs[change->end - 1];
    char old_price[PRICE_SIZE], new_price[PRICE_SIZE];
    const struct {
        const char *from, *to;
    } values[CAUSES] = {[CAUSE_VERSION] = {old->version, new->version},
                        [CAUSE_KERNEL] = {old->kernel, new->kernel},
                        [CAUSE_MICROCODE] = {old->microcode, new->microcode},
                        [CAUSE_PRICE] = {old_price, new_price}};

    write_price(change->dollars_before, old_price);
    write_price(change->dollars_after, new_price);
    jsonw_open(out, "causes", '[');
    for (int cause = 0; cause < CAUSES; cause++)
        if (change->causes >> cause & 1)
            present_cause(out, (enum history_cause)cause, values[cause].from, values[cause].to);
    jsonw_close(out, ']');
}

static void present_change(struct json_writer *out, const struct history_line *line,
                           const struct history_change *change)
{
    const struct ratio *ratio = &change->ratio;
    char words[WORDS_SIZE];

    write_words(change, words);
    jsonw_open(out, NULL, '{');
    jsonw_time(out, "at", line->runs[change->first].at_us);
    jsonw_text(out, "run", line->entries[change->first].id);
    jsonw_text(out, "measure", history_measure_names[change->measure]);
    jsonw_open(out, "ratio", '{');
    jsonw_number(out, "value", ratio->value);
    jsonw_number(out, "low", ratio->known ? ratio->low : NAN);
    jsonw_number(out, "high", ratio->known ? ratio->high : NAN);
    jsonw_close(out, '}');
    jsonw_integer(out, "runs_before", (long long)(change->first - change->before));
    jsonw_integer(out, "runs_after", (long long)(change->end - change->first));
    jsonw_text(out, "attributed_to", history_attribution(change->causes));
    present_causes(out, line, change);
    jsonw_text(out, "words", words);
    jsonw_close(out, '}');
}

void present_history(struct json_writer *out, const struct history_line *line,
                     const struct history_changes *changes)
{
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "engine", line->engine);
    jsonw_text(out, "instance_type", text_or_null(line->instance));
    jsonw_raw(out, "configuration", line->configuration);
    jsonw_integer(out, "runs", (long long)line->count);
    jsonw_time(out, "from", line->runs[0].at_us);
    jsonw_time(out, "to", line->runs[line->count - 1].at_us);
    jsonw_text(out, "newest_run", line->entries[line->count - 1].id);
    jsonw_open(out, "changes", '[');
    for (size_t i = 0; i < changes->count; i++)
        present_change(out, line, &changes->list[i]);
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

void present_histories_begin(struct json_writer *out, const char *workload,
                             const struct histories *histories)
{
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "workload", workload);
    jsonw_integer(out, "runs", histories->runs);
    jsonw_bool(out, "more", histories->more);
    jsonw_open(out, "lines", '[');
}

void present_histories_end(struct json_writer *out, const struct unmatched *unmatched,
                           size_t count)
{
    jsonw_close(out, ']');
    present_unmatched(out, unmatched, count);
    jsonw_close(out, '}');
}
