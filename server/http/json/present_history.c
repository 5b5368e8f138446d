/* Tested by tests/api/test_history.py. */
#include "server/http/json/present_history.h"

#include "common/cleanup.h"

#include <math.h>
#include <string.h>

#define PRICE_SIZE 32
#define WORDS_SIZE 256

static double history_percent(double ratio)
{
    return (ratio - 1) * 100;
}

/* In a sentence, for people. */
static void fill_words(const struct history_change *change, char ret_words[WORDS_SIZE])
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
        snprintf(interval, sizeof interval, "95 %%: %+.1f to %+.1f %%",
                 history_percent(ratio->low), history_percent(ratio->high));
    snprintf(ret_words, WORDS_SIZE, "Samples %s changed by %+.1f %% (%s), %s",
             change->measure == HISTORY_SPEED ? "per second" : "per dollar",
             history_percent(ratio->value), interval, because);
}

static void price_text(double dollars, char ret_text[PRICE_SIZE])
{
    snprintf(ret_text, PRICE_SIZE, "%.6g", dollars);
}

/* A cause of a change. */
struct cause {
    enum history_cause what;
    const char *from, *to;
};

static const struct member cause_rows[] = {
    {MEMBER(struct cause, what), .words = history_cause_names},
    {MEMBER(struct cause, from), .nullable = true,
     .meaning =
         "Of a price, the mean of the old level in dollars an hour; null where it is not known."},
    {MEMBER(struct cause, to), .nullable = true, .meaning = "The same of the new level."},
    {0},
};
static const struct members cause_members = {.name = "HistoryCause", .rows = cause_rows};

/* A change and its effect. */
struct shown_change {
    const struct history_line *line;
    struct history_change change;
    long long at_us;
    const char *run, *attributed_to;
    size_t runs_before, runs_after;
    char words[WORDS_SIZE];
};

static void write_causes(struct json_writer *out, const struct member *row, const void *object)
{
    const struct shown_change *shown = object;
    const struct history_change *change = &shown->change;
    const struct history_run *old = &shown->line->runs[change->before];
    const struct history_run *new = &shown->line->runs[change->end - 1];
    char old_price[PRICE_SIZE], new_price[PRICE_SIZE];
    const struct cause causes[CAUSES] = {{CAUSE_VERSION, old->version, new->version},
                                         {CAUSE_KERNEL, old->kernel, new->kernel},
                                         {CAUSE_MICROCODE, old->microcode, new->microcode},
                                         {CAUSE_PRICE, old_price, new_price}};

    price_text(change->dollars_before, old_price);
    price_text(change->dollars_after, new_price);
    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < CAUSES; i++)
        if (change->causes >> causes[i].what & 1)
            members_write(out, NULL, &cause_members, &causes[i]);
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_low, number, struct ratio, ratio, ratio->known ? ratio->low : NAN)
MEMBER_WRITES(write_high, number, struct ratio, ratio, ratio->known ? ratio->high : NAN)

static const struct member change_ratio_rows[] = {
    {MEMBER(struct ratio, value)},
    {MEMBER(struct ratio, low), .nullable = true, .write = write_low},
    {MEMBER(struct ratio, high), .nullable = true, .write = write_high},
    {0},
};
static const struct members change_ratio_members = {.rows = change_ratio_rows};

static const char *const attributions[] = {"version", "kernel",  "price",
                                           "several", "unknown", NULL};

static const struct member change_rows[] = {
    {MEMBER_TIME_AT(struct shown_change, "at", at_us)},
    {MEMBER(struct shown_change, run),
     .meaning = "The first run of the new level, which ended then."},
    {MEMBER_AS(struct shown_change, "measure", change.measure), .words = history_measure_names,
     .meaning =
         "A change of samples per dollar is not listed where it follows from the samples a "
         "second alone."},
    {MEMBER_OBJECT_AT(struct shown_change, "ratio", change.ratio),
     .members = &change_ratio_members,
     .meaning = "The new level divided by the old one, with 95 %."},
    {MEMBER(struct shown_change, runs_before), .schema = "{\"minimum\": 3}"},
    {MEMBER(struct shown_change, runs_after), .schema = "{\"minimum\": 3}"},
    {MEMBER(struct shown_change, attributed_to), .words = attributions,
     .meaning = "`version` of the engine, its library or its plan; `kernel` or microcode of the "
                "machine; `price` alone; `several` of them at once; or `unknown`."},
    {MEMBER_LIST_OF("causes", &cause_members), .write = write_causes,
     .meaning = "What changed at the same time, or one run earlier or later."},
    {MEMBER(struct shown_change, words)},
    {0},
};
static const struct members change_members = {.name = "HistoryChange", .rows = change_rows};

static void write_change(struct json_writer *out, const struct history_line *line,
                         const struct history_change *change)
{
    struct shown_change shown = {.line = line,
                                 .change = *change,
                                 .at_us = line->runs[change->first].at_us,
                                 .run = line->entries[change->first].id,
                                 .attributed_to = history_attribution(change->causes),
                                 .runs_before = change->first - change->before,
                                 .runs_after = change->end - change->first};

    fill_words(change, shown.words);
    members_write(out, NULL, &change_members, &shown);
}

static void write_changes(struct json_writer *out, const struct member *row, const void *object)
{
    const struct history_line *line = object;
    AUTO(history_changes_clear) struct history_changes changes = {0};

    history_changes_find(line->runs, line->count, &changes);
    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < changes.count; i++)
        write_change(out, line, &changes.list[i]);
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_from, time, struct history_line, line, line->runs[0].at_us)
MEMBER_WRITES(write_to, time, struct history_line, line, line->runs[line->count - 1].at_us)
MEMBER_WRITES(write_newest, text, struct history_line, line, line->entries[line->count - 1].id)

static const struct member line_rows[] = {
    {MEMBER(struct history_line, engine)},
    {MEMBER_AS(struct history_line, "instance_type", instance), .nullable = true},
    {MEMBER_JSON_AT(struct history_line, "configuration", configuration),
     .schema = "{\"type\": \"object\"}",
     .meaning = "The fields of a spec that affect an engine's speed."},
    {MEMBER_AS(struct history_line, "runs", count), .range = MEMBER_POSITIVE,
     .schema = "{\"maximum\": " LIMIT_TEXT(HISTORY_LINE_MAX) "}",
     .meaning = "Valid runs in the line."},
    {MEMBER_WRITTEN("from", MEMBER_TIME, write_from)},
    {MEMBER_WRITTEN("to", MEMBER_TIME, write_to)},
    {MEMBER_WRITTEN("newest_run", MEMBER_TEXT, write_newest), .reference = "RunId"},
    {MEMBER_LIST_OF("changes", &change_members), .write = write_changes,
     .meaning = "In the order of time."},
    {0},
};
static const struct members line_members = {.name = "HistoryLine", .rows = line_rows};

MEMBER_LISTS(write_lines, struct history_answer, it, it->histories->lines, it->histories->count)

MEMBER_FINDS(find_histories, struct history_answer, answer, answer->histories)

static const struct member histories_rows[] = {
    {MEMBER(struct histories, runs), .range = MEMBER_NOT_NEGATIVE,
     .schema = "{\"maximum\": " LIMIT_TEXT(HISTORY_RUNS_MAX) "}",
     .meaning = "Finished runs that were looked at."},
    {MEMBER(struct histories, more), .meaning = "Whether older runs were left out."},
    {0},
};
static const struct members histories_members = {.rows = histories_rows};

static const struct member history_rows[] = {
    {MEMBER(struct history_answer, workload)},
    {MEMBER_ROWS(&histories_members), .find = find_histories},
    {MEMBER_LIST_OF("lines", &line_members), .write = write_lines},
    {MEMBER_ROWS(&page_unmatched_members)},
    {0},
};
const struct members history_members = {.name = "History", .rows = history_rows};
