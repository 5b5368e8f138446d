/* Changes of a database that happen whole or not at all, at whichever call its disk fails. */
#pragma once

#include "tests/faults/accidents.h"
#include "tests/faults/template.h"

#define TEXT_SIZE 20000

struct operation {
    const char *name;
    bool (*run)(struct db *db, struct error *err);
};

/* A database, and all in it that the operations write, as one text. */
struct stored {
    struct template template;
    void (*all_of)(struct db *db, char ret_text[TEXT_SIZE]);
};

/* An operation, and what it does when nothing fails. */
struct learnt {
    const struct stored *stored;
    const struct operation *operation;
    char before[TEXT_SIZE], after[TEXT_SIZE];
};

static inline void learn(struct learnt *learnt)
{
    template_restore(&learnt->stored->template);
    AUTO(db_freep) struct db *db = open_database(&learnt->stored->template.folder);

    learnt->stored->all_of(db, learnt->before);
    EXPECT(learnt->operation->run(db, NULL));
    learnt->stored->all_of(db, learnt->after);
    EXPECT(strcmp(learnt->before, learnt->after) != 0);
}

static inline bool survive_change(const void *subject, struct fault_plan plan)
{
    static char now[TEXT_SIZE];
    const struct learnt *learnt = subject;
    struct error err = {0};

    template_restore(&learnt->stored->template);
    struct db *db = open_database(&learnt->stored->template.folder);
    fault_arm(plan);
    bool ok = learnt->operation->run(db, &err);
    long long failed = end_accident(db, &plan);
    EXPECT(ok || failed > 0);
    EXPECT(ok ? err.kind == ERROR_NONE : failed_by_the_disk(&err));
    AUTO(db_freep) struct db *reopened = open_database(&learnt->stored->template.folder);
    expect_whole(reopened);
    learnt->stored->all_of(reopened, now);
    if (ok || strcmp(now, learnt->before) != 0) /* "no" may be a yes that could not be said */
        EXPECT_STR(now, learnt->after);
    expect_usable(reopened);
    return failed == 0;
}

static inline void survive_changes(const struct stored *stored,
                                   const struct operation *operations, size_t count)
{
    static struct learnt learnt;

    for (size_t i = 0; i < count; i++) {
        learnt = (struct learnt){.stored = stored, .operation = &operations[i]};
        learn(&learnt);
        survive_accidents(operations[i].name, survive_change, &learnt);
    }
}
