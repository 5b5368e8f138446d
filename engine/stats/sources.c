#include "engine/stats/sources.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/order.h"
#include "engine/machine/vm.h"

#include <math.h>

const char *const source_weight_names[] = {"machines", "vote", "aside", NULL};

/* What is looked at while runs are pooled. */
struct source_pool {
    struct run_result *results;
    size_t count;
    struct run_source *sources;
    size_t source_count;
    size_t *order;   /* room for the indices of runs */
    double *values;  /* room */
    size_t *medians; /* of each source, the index of its median run; SIZE_MAX without any */
};

static void source_pool_clear(struct source_pool *pool)
{
    freep(&pool->order);
    freep(&pool->values);
    freep(&pool->medians);
}

static bool run_is_sure(const struct run_result *run)
{
    return run->low > 0;
}

/* Sorts indices of runs by their values: few, and nearly never many of one sender. */
static void sources_sort(const struct source_pool *pool, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && pool->results[pool->order[j]].value <
                                        pool->results[pool->order[j - 1]].value;
             j--) {
            size_t swapped = pool->order[j];

            pool->order[j] = pool->order[j - 1];
            pool->order[j - 1] = swapped;
        }
}

/* The median run of a source: of those with an interval, where there are any. */
static size_t median_run(const struct source_pool *pool, size_t source)
{
    for (int sure = 1; sure >= 0; sure--) {
        size_t count = 0;

        for (size_t i = 0; i < pool->count; i++)
            if (pool->results[i].source == source && run_is_sure(&pool->results[i]) >= sure)
                pool->order[count++] = i;
        sources_sort(pool, count);
        if (count > 0)
            return pool->order[(count - 1) / 2];
    }
    return SIZE_MAX;
}

/* Whether a run is the first one of its source with the name of its machine. */
static bool is_first_of_machine(const struct source_pool *pool, size_t run)
{
    const struct run_result *results = pool->results;

    for (size_t i = 0; i < run; i++)
        if (results[i].source == results[run].source &&
            strcmp(results[i].vm, results[run].vm) == 0)
            return false;
    return true;
}

static void count_runs(const struct source_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        struct run_source *source = &pool->sources[pool->results[i].source];

        source->runs++;
        source->machines += is_first_of_machine(pool, i);
    }
}

static double vote_of(const struct source_pool *pool, size_t source)
{
    return pool->results[pool->medians[source]].value;
}

static bool is_within(double left, double right, double factor)
{
    return fabs(log(left / right)) <= log(factor);
}

/* The median of all that the trusted sources have; 0 without any. */
static double trusted_value(const struct source_pool *pool)
{
    size_t count = 0;

    for (size_t i = 0; i < pool->count; i++)
        if (pool->sources[pool->results[i].source].is_trusted)
            pool->values[count++] = pool->results[i].value;
    qsort(pool->values, count, sizeof *pool->values, order_ascending);
    return count > 0 ? pool->values[(count - 1) / 2] : 0;
}

/* What most senders say: the vote that most of them do not contradict. */
static double senders_value(const struct source_pool *pool)
{
    size_t best = SIZE_MAX, most = 0;

    for (size_t i = 0; i < pool->source_count; i++) {
        size_t agreeing = 0;

        if (pool->medians[i] == SIZE_MAX)
            continue;
        for (size_t j = 0; j < pool->source_count; j++)
            agreeing += pool->medians[j] != SIZE_MAX &&
                        is_within(vote_of(pool, i), vote_of(pool, j), SOURCES_CONTRADICT);
        if (agreeing > most || (agreeing == most && best != SIZE_MAX &&
                                pool->sources[i].first < pool->sources[best].first)) {
            best = i;
            most = agreeing;
        }
    }
    return best == SIZE_MAX ? 0 : vote_of(pool, best);
}

static bool is_confirmed(const struct source_pool *pool, size_t source)
{
    for (size_t i = 0; i < pool->source_count; i++)
        if (i != source && pool->medians[i] != SIZE_MAX &&
            pool->sources[i].weight != SOURCE_ASIDE &&
            is_within(vote_of(pool, i), vote_of(pool, source), SOURCES_CONFIRM))
            return true;
    return false;
}

static void sources_weigh(const struct source_pool *pool)
{
    double middle = trusted_value(pool);

    if (!(middle > 0))
        middle = senders_value(pool);
    for (size_t i = 0; i < pool->source_count; i++) {
        struct run_source *source = &pool->sources[i];

        source->weight = source->is_trusted || pool->medians[i] == SIZE_MAX ||
                                 is_within(vote_of(pool, i), middle, SOURCES_CONTRADICT)
                             ? SOURCE_MACHINES
                             : SOURCE_ASIDE;
    }
    for (size_t i = 0; i < pool->source_count; i++)
        if (!pool->sources[i].is_trusted && pool->sources[i].weight == SOURCE_MACHINES &&
            pool->medians[i] != SIZE_MAX && !is_confirmed(pool, i))
            pool->sources[i].weight = SOURCE_VOTE;
}

/* How many runs, or machines, of the others count at most. */
static size_t sources_others(const struct source_pool *pool, size_t source, bool machines)
{
    size_t sum = 0;

    for (size_t i = 0; i < pool->source_count; i++) {
        const struct run_source *other = &pool->sources[i];

        if (i == source || other->weight == SOURCE_ASIDE || pool->medians[i] == SIZE_MAX)
            continue;
        sum += other->weight == SOURCE_VOTE ? 1 : machines ? other->machines : other->runs;
    }
    return sum;
}

/* A sender whom no other confirms or contradicts: its machines are known by its word alone. */
static void make_one_machine(struct source_pool *pool, size_t source)
{
    const char *name = "";

    for (size_t i = 0; i < pool->count; i++) {
        struct run_result *run = &pool->results[i];

        if (run->source != source || !run->vm[0])
            continue;
        if (!name[0])
            name = run->vm;
        else
            memcpy(run->vm, name, sizeof run->vm);
    }
}

/* Whether a run counts, of a source that counts by machines. */
static bool sources_fits(const struct source_pool *pool, size_t run, size_t kept)
{
    struct run_source *source = &pool->sources[pool->results[run].source];
    size_t number = pool->results[run].source;
    bool is_new = true;

    for (size_t i = 0; i < kept; i++)
        is_new = is_new && (pool->results[i].source != number ||
                            strcmp(pool->results[i].vm, pool->results[run].vm) != 0);
    if (!source->is_trusted &&
        (source->kept_runs >= sources_others(pool, number, false) ||
         source->kept_machines + is_new > sources_others(pool, number, true)))
        return false;
    source->kept_machines += is_new;
    return true;
}

static bool sources_counts(const struct source_pool *pool, size_t run, size_t kept)
{
    const struct run_source *source = &pool->sources[pool->results[run].source];

    if (source->weight == SOURCE_ASIDE)
        return false;
    if (source->weight == SOURCE_MACHINES)
        return sources_fits(pool, run, kept);
    return pool->medians[pool->results[run].source] == run;
}

static void sources_keep(struct source_pool *pool, size_t *ret_count)
{
    size_t kept = 0;

    for (size_t i = 0; i < pool->count; i++) {
        struct run_source *source = &pool->sources[pool->results[i].source];

        if (!sources_counts(pool, i, kept))
            continue;
        source->kept_runs++;
        if (source->weight == SOURCE_VOTE)
            source->kept_machines = 1;
        pool->results[kept++] = pool->results[i];
    }
    *ret_count = kept;
}

/* The only sender of a row, where no trusted source has runs of it: all its runs count. */
static size_t lone_sender(const struct source_pool *pool)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < pool->source_count; i++) {
        if (pool->medians[i] == SIZE_MAX || pool->sources[i].weight == SOURCE_ASIDE)
            continue;
        if (found != SIZE_MAX || pool->sources[i].is_trusted)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

static void keep_of(struct source_pool *pool, size_t source, size_t *ret_count)
{
    size_t kept = 0;

    make_one_machine(pool, source);
    for (size_t i = 0; i < pool->count; i++)
        if (pool->results[i].source == source)
            pool->results[kept++] = pool->results[i];
    pool->sources[source].kept_runs = kept;
    pool->sources[source].kept_machines = 1;
    *ret_count = kept;
}

static void clear_results(struct run_source *source)
{
    source->weight = SOURCE_MACHINES;
    source->runs = source->machines = source->kept_runs = source->kept_machines = 0;
    source->share = 0;
}

void sources_pool(struct run_result *results, size_t *count, struct run_source *sources,
                  size_t source_count)
{
    AUTO(source_pool_clear)
    struct source_pool pool = {.results = results,
                               .count = *count,
                               .sources = sources,
                               .source_count = source_count,
                               .order = xcalloc(*count, sizeof *pool.order),
                               .values = xcalloc(*count, sizeof *pool.values),
                               .medians = xcalloc(source_count, sizeof *pool.medians)};
    size_t lone;

    for (size_t i = 0; i < source_count; i++) {
        clear_results(&sources[i]);
        pool.medians[i] = median_run(&pool, i);
    }
    count_runs(&pool);
    sources_weigh(&pool);
    lone = lone_sender(&pool);
    if (lone == SIZE_MAX)
        sources_keep(&pool, count);
    else
        keep_of(&pool, lone, count);
}

/* Whether the first of two runs rather describes the row: what came in later may have been
 * measured before. */
static bool describes_better(const struct run_result *run, const struct run_result *other,
                             const struct run_source *sources)
{
    const struct run_source *source = &sources[run->source], *chosen = &sources[other->source];

    if (source->is_trusted != chosen->is_trusted)
        return source->is_trusted;
    if (!source->is_trusted && source->first != chosen->first)
        return source->first < chosen->first;
    return run->at_us > other->at_us;
}

size_t sources_describing(const struct run_result *results, size_t count,
                          const struct run_source *sources)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        if (best == SIZE_MAX || describes_better(&results[i], &results[best], sources))
            best = i;
    return best;
}

void sources_share(const struct standing *standing, struct run_source *sources,
                   size_t source_count)
{
    bool by_machine = standing->level == STANDING_VMS;
    size_t sum = 0;

    for (size_t i = 0; i < source_count; i++)
        sum += by_machine ? sources[i].kept_machines : sources[i].kept_runs;
    for (size_t i = 0; i < source_count && sum > 0; i++)
        sources[i].share =
            (double)(by_machine ? sources[i].kept_machines : sources[i].kept_runs) / (double)sum;
}
