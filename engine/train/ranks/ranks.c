/* Tested by tests/engine/train/ranks_test.py. */
#include "engine/train/ranks/ranks.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/memory.h"

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <time.h>

#define PATIENCE_NS (2 * NS_PER_SECOND) /* of a rank that has failed */

struct ranks {
    struct joiner joiner; /* first: a pointer to it is a pointer to the whole */
    MPI_Comm last;        /* for ranks_end() alone, so that nothing else matches its calls */
    MPI_Comm here;        /* the ranks of this machine with the same processors */
    MPI_Request *pending; /* (size), the first `count` in flight */
    int count, size;
};

/* What a rank shows the others. */
struct card {
    char host[sizeof((struct joiner *)0)->host];
    char text[JOINER_TEXT_MAX];
};

static void end_all(const struct ranks *ranks, const char *why, int status)
{
    fprintf(stderr, "pennyworth-worker-mpi: rank %d on %s ends all ranks: %s\n",
            ranks->joiner.rank, ranks->joiner.host, why);
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* Room for one more. */
static MPI_Request *next_request(struct ranks *ranks)
{
    if (ranks->count == ranks->size) {
        ranks->size = ranks->size ? 2 * ranks->size : 64;
        ranks->pending =
            xreallocarray(ranks->pending, (size_t)ranks->size, sizeof *ranks->pending);
    }
    return &ranks->pending[ranks->count++];
}

static void ranks_start(struct joiner *joiner, float *values, size_t count)
{
    struct ranks *ranks = (struct ranks *)joiner;

    while (count > 0) { /* MPI counts in int */
        size_t part = count < INT_MAX ? count : INT_MAX;

        MPI_Iallreduce(MPI_IN_PLACE, values, (int)part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                       next_request(ranks));
        values += part;
        count -= part;
    }
}

static void ranks_advance(struct joiner *joiner)
{
    struct ranks *ranks = (struct ranks *)joiner;
    int done;

    if (ranks->count > 0)
        MPI_Testall(ranks->count, ranks->pending, &done, MPI_STATUSES_IGNORE);
}

static void ranks_finish(struct joiner *joiner)
{
    struct ranks *ranks = (struct ranks *)joiner;

    MPI_Waitall(ranks->count, ranks->pending, MPI_STATUSES_IGNORE);
    ranks->count = 0;
}

static double ranks_sum(struct joiner *joiner, double value)
{
    (void)joiner;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

static void ranks_share(struct joiner *joiner, void *data, size_t size)
{
    (void)joiner;
    assert(size <= INT_MAX);
    MPI_Bcast(data, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static bool ranks_agree(struct joiner *joiner, const char *what, const char *text,
                        struct error *err)
{
    AUTO(freep) struct card *cards = xcalloc((size_t)joiner->ranks, sizeof *cards);
    struct card own = {.host = ""};

    snprintf(own.host, sizeof own.host, "%s", joiner->host);
    snprintf(own.text, sizeof own.text, "%s", text);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, cards, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 1; i < joiner->ranks; i++)
        if (strncmp(cards[i].text, cards[0].text, sizeof cards[0].text) != 0)
            return error_set(err, ERROR_INVALID, NULL,
                             "rank %d on %.40s has another %s than rank 0 on %.40s: "
                             "'%.50s', not '%.50s'",
                             i, cards[i].host, what, cards[0].host, cards[i].text, cards[0].text);
    return true;
}

static const struct joiner_functions functions = {ranks_start, ranks_advance, ranks_finish,
                                                  ranks_sum,   ranks_share,   ranks_agree};

/* Ranks that mpirun has bound have processors of their own. */
static void find_neighbours(struct ranks *ranks)
{
    MPI_Comm machine;
    cpu_set_t allowed;
    uint64_t hash = HASH_START;

    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        hash = hash_step(hash, CPU_ISSET(cpu, &allowed) ? 1 : 0);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_split(machine, (int)(hash & INT_MAX), 0, &ranks->here);
    MPI_Comm_free(&machine);
}

struct joiner *ranks_begin(int *argc, char ***argv, struct error *err)
{
    struct ranks *ranks = xcalloc(1, sizeof *ranks);
    int given;

    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);
    if (given < MPI_THREAD_FUNNELED) {
        error_set(err, ERROR_INTERNAL, NULL, "this MPI library does not support threads");
        free(ranks);
        return NULL;
    }
    ranks->joiner.functions = &functions;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->joiner.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->joiner.ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks->last);
    find_neighbours(ranks);
    (void)!gethostname(ranks->joiner.host, sizeof ranks->joiner.host - 1);
    return &ranks->joiner;
}

void ranks_here(const struct joiner *joiner, int *ret_count, int *ret_index)
{
    const struct ranks *ranks = (const struct ranks *)joiner;

    MPI_Comm_size(ranks->here, ret_count);
    MPI_Comm_rank(ranks->here, ret_index);
}

/* Waits without work for a processor; false where it takes too long for a rank that has failed.
 */
static bool all_came(MPI_Request *request, bool failed)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    long long until = clock_monotonic_ns() + PATIENCE_NS;
    int done = 0;

    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return true;
        if (failed && clock_monotonic_ns() > until)
            return false;
        nanosleep(&nap, NULL);
    }
}

int ranks_end(struct joiner *joiner, int status)
{
    struct ranks *ranks = (struct ranks *)joiner;
    int worst = status;
    MPI_Request request;

    MPI_Iallreduce(&status, &worst, 1, MPI_INT, MPI_MAX, ranks->last, &request);
    if (!all_came(&request, status != 0))
        end_all(ranks, "it has failed, and they wait for it", status);
    MPI_Comm_free(&ranks->here);
    MPI_Comm_free(&ranks->last);
    MPI_Finalize();
    free(ranks->pending);
    free(ranks);
    return worst;
}
