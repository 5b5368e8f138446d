#include "db/prices/known_types.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"
#include "engine/machine/machine_facts.h"

/* Machines of one stratum have the same hardware, so the newest machine of a contender's stratum
 * represents them. */
#define KNOWN_TYPES                                                                              \
    "WITH measured AS (SELECT c.provider AS provider, c.instance AS name,"                       \
    " count(DISTINCT c.stratum) AS kinds, max(m.number) AS machine FROM contenders AS c"         \
    " LEFT JOIN machines AS m ON m.stratum = c.stratum"                                          \
    " WHERE c.instance <> '' AND EXISTS"                                                         \
    "  (SELECT 1 FROM runs WHERE contender = c.number) GROUP BY c.provider, c.instance),"        \
    " names AS (SELECT provider, name FROM instance_types"                                       \
    "  UNION SELECT provider, name FROM measured)"                                               \
    "SELECT n.provider, n.name, t.vcpus, t.memory_gib, t.architecture, t.accelerator, t.feed,"   \
    " s.kinds, m.facts"                                                                          \
    " FROM names AS n LEFT JOIN instance_types AS t ON t.provider = n.provider"                  \
    " AND t.name = n.name LEFT JOIN measured AS s ON s.provider = n.provider"                    \
    " AND s.name = n.name LEFT JOIN machines AS m ON m.number = s.machine"                       \
    " WHERE (?1 IS NULL OR n.provider = ?1) AND (?2 IS NULL OR n.name = ?2)"                     \
    " AND (?3 IS NULL OR n.name || ' ' || n.provider > ?3)"                                      \
    " ORDER BY n.name || ' ' || n.provider"

static void known_type_from_row(struct stmt *row, struct known_type *ret_type)
{
    struct machine_facts facts;

    machine_facts_read(stmt_column_text(row, 8), &facts);
    *ret_type = (struct known_type){
        .listed = {.vcpus = stmt_column_real(row, 2), .memory_gib = stmt_column_real(row, 3)},
        .measured = {.kinds = stmt_column_integer(row, 7),
                     .processors = facts.processors,
                     .numa_nodes = facts.numa_nodes,
                     .memory_gib = facts.memory_gib}};
    TEXT_COPY(ret_type->listed.provider, stmt_column_text(row, 0));
    TEXT_COPY(ret_type->listed.name, stmt_column_text(row, 1));
    TEXT_COPY(ret_type->listed.architecture, stmt_column_text(row, 4));
    TEXT_COPY(ret_type->listed.accelerator, stmt_column_text(row, 5));
    TEXT_COPY(ret_type->feed, stmt_column_text(row, 6));
    TEXT_COPY(ret_type->measured.isa, facts.isa);
    TEXT_COPY(ret_type->measured.cpu_model, facts.cpu_model);
    TEXT_COPY(ret_type->measured.architecture, facts.architecture);
}

bool known_types_each(struct db *db, const struct known_type_filter *filter,
                      bool (*tell)(void *user, const struct known_type *type), void *user,
                      struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, KNOWN_TYPES, err);
    enum stmt_step step = STMT_DONE;
    bool more = true;

    stmt_text(query, filter->provider);
    stmt_text(query, filter->name);
    stmt_text(query, filter->after);
    while (more && (step = stmt_step(query, err)) == STMT_ROW) {
        struct known_type type;

        known_type_from_row(query, &type);
        more = tell(user, &type);
    }
    return step != STMT_FAILED;
}
