/* Tested by tests/db/standings/standing_sources_test.c. */
#include "db/standings/standing_history.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/runs/trust.h"

#include <limits.h>

void history_start(struct history *history)
{
    struct history empty = {.results = history->results, .sources = history->sources};

    if (!empty.results)
        empty.results = xcalloc(HISTORY_ROOM, sizeof *empty.results);
    if (!empty.sources)
        empty.sources = xcalloc(HISTORY_SOURCES, sizeof *empty.sources);
    *history = empty;
}

void history_free(struct history *history)
{
    freep(&history->results);
    freep(&history->sources);
}

/* SIZE_MAX if there is none yet. Runs without a sender are this server's or the operator's. */
static size_t history_find_source(const struct history *history, const char *sender,
                                  enum provenance provenance)
{
    for (size_t i = 0; i < history->source_count; i++)
        if (strcmp(history->sources[i].name, sender) == 0 &&
            (sender[0] || history->sources[i].provenance == provenance))
            return i;
    return SIZE_MAX;
}

/* The same; adds it if there is room. */
static size_t history_make_source(struct history *history, const char *sender,
                                  enum provenance provenance)
{
    size_t found = history_find_source(history, sender, provenance);
    struct run_source *source;

    if (found != SIZE_MAX || history->source_count == HISTORY_SOURCES)
        return found;
    source = &history->sources[history->source_count];
    *source = (struct run_source){.provenance = provenance, .first = LLONG_MAX};
    TEXT_COPY(source->name, sender);
    return history->source_count++;
}

/* The runs of all senders together, or of all sources without a name. */
static size_t runs_of(const struct history *history, bool named)
{
    size_t sum = 0;

    for (size_t i = 0; i < history->source_count; i++)
        if ((history->sources[i].name[0] != '\0') == named)
            sum += history->sources[i].runs;
    return sum;
}

/* Removes the oldest run of the sender with the most. */
static void history_displace(struct history *history, size_t most)
{
    size_t at = history->count;

    while (at > 1 && history->results[at - 1].source != most)
        at--;
    memmove(&history->results[at - 1], &history->results[at],
            (history->count - at) * sizeof *history->results);
    history->count--;
    history->sources[most].runs--;
}

/* Makes room for a run of a source; false if there is none. */
static bool history_make_place(struct history *history, size_t source)
{
    const struct run_source *sources = history->sources;
    size_t most = source;

    if (runs_of(history, sources[source].name[0] != 0) < STANDING_RUNS_MAX)
        return true;
    if (!sources[source].name[0])
        return false;
    for (size_t i = 0; i < history->source_count; i++)
        if (sources[i].name[0] && sources[i].runs > sources[most].runs)
            most = i;
    if (sources[most].runs <= sources[source].runs + 1)
        return false;
    history_displace(history, most);
    return true;
}

bool history_add(struct history *history, const char *sender, const struct run_result *run_result)
{
    size_t source;

    if (run_result->validity != VALIDITY_OK && run_result->validity != VALIDITY_WARN) {
        history->invalid++;
        return true;
    }
    source = history_make_source(history, sender, run_result->provenance);
    if (source == SIZE_MAX)
        return false;
    history_came(history, sender, run_result->number);
    if (!history_make_place(history, source))
        return false;
    history->results[history->count] = *run_result;
    history->results[history->count++].source = source;
    history->sources[source].runs++;
    return true;
}

void history_came(struct history *history, const char *sender, long long number)
{
    size_t source = history_find_source(history, sender, PROVENANCE_IMPORTED);

    if (source != SIZE_MAX && number < history->sources[source].first)
        history->sources[source].first = number;
}

static int newest_first(const void *left, const void *right)
{
    long long l = ((const struct run_result *)left)->number,
              r = ((const struct run_result *)right)->number;

    return (l < r) - (l > r);
}

static int by_share(const void *left, const void *right)
{
    const struct run_source *l = left, *r = right;

    return l->share < r->share ? 1 : l->share > r->share ? -1 : strcmp(l->name, r->name);
}

static bool know_trust(struct db *db, struct history *history, struct error *err)
{
    for (size_t i = 0; i < history->source_count; i++)
        if (!trust_has(db, history->sources[i].name, &history->sources[i].is_trusted, err))
            return false;
    return true;
}

static void keep_sources(const struct history *history, struct version_runs *version)
{
    if (history->source_count == 0)
        return;
    version->sources =
        xmemdup(history->sources, history->source_count * sizeof *version->sources);
    version->source_count = history->source_count;
    qsort(version->sources, version->source_count, sizeof *version->sources, by_share);
}

bool history_sum_up(struct db *db, struct history *history, struct version_runs *version,
                    struct error *err)
{
    size_t describing;

    if (!know_trust(db, history, err))
        return false;
    if (history->count > 0)
        qsort(history->results, history->count, sizeof *history->results, newest_first);
    sources_pool(history->results, &history->count, history->sources, history->source_count);
    standing_compute(history->results, history->count, &version->standing);
    version->standing.invalid += history->invalid;
    describing = sources_describing(history->results, history->count, history->sources);
    version->newest_run = describing == SIZE_MAX ? 0 : history->results[describing].number;
    sources_share(&version->standing, history->sources, history->source_count);
    keep_sources(history, version);
    return true;
}
