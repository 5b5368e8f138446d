/* Who a row of a comparison is of: the runs of a contender by who sent them, and which of them
 * count. A source is this server, the operator (runs that came in without the name of a token),
 * or a sender. Pure.
 *
 * Nothing that one sender says moves a row far that others have measured:
 * - Trusted sources (this server, the operator, the senders of --gate-trust) count with each of
 *   their machines.
 * - A sender counts as one vote, its median run, until another source confirms it: until a vote
 *   of theirs is within SOURCES_CONFIRM of its own. From then on each of its machines counts, but
 *   never more machines, nor more runs, than all other sources have together.
 * - A sender whose vote differs by more than SOURCES_CONTRADICT from the others stands aside. The
 *   others are the trusted sources where there are any; else the largest set of senders that do
 * not contradict one of them; of equal sets the one whose middle came first. So a sender that
 * comes later needs another sender that agrees before it takes a row over.
 * - A row of one sender alone is all its own, and speaks of one machine, however many it names:
 *   no one else has seen those. */
#pragma once

#include "common/limits.h"
#include "engine/stats/standing.h"

#define SOURCES_CONFIRM 1.1    /* machines of a type rarely differ by more */
#define SOURCES_CONTRADICT 1.5 /* valid runs of a type rarely differ by more */

enum source_weight {
    SOURCE_MACHINES, /* each of its machines counts */
    SOURCE_VOTE,     /* all its runs are one vote */
    SOURCE_ASIDE,    /* it contradicts the others */
};
extern const char *const source_weight_names[]; /* "machines", "vote", "aside" */

struct run_source {
    char name[TOKEN_NAME_SIZE]; /* of the sender; "" for this server and the operator */
    enum provenance provenance;
    bool is_trusted;
    long long first; /* number of its first run here, for the order of arrival */
    /* Set by sources_pool(). */
    enum source_weight weight;
    size_t runs, machines;           /* received */
    size_t kept_runs, kept_machines; /* counted */
    double share;                    /* of the row's result: 0 to 1 */
};

/* Removes the runs that do not count from `results`: valid runs, newest first, with the index of
 * their source. All runs of a lone sender become runs of one machine. */
void sources_pool(struct run_result *results, size_t *count, struct run_source *sources,
                  size_t source_count);

/* The run that describes the row, its price and region included: the latest of the trusted
 * sources if any, else of the sender who came first among those that count. `results` are the
 * runs kept by sources_pool(); SIZE_MAX if there are none. */
size_t sources_describing(const struct run_result *results, size_t count,
                          const struct run_source *sources);

/* Computes the shares from the data of a standing. */
void sources_share(const struct standing *standing, struct run_source *sources,
                   size_t source_count);
