#include "db/prices/price_course.h"

#include "common/cleanup.h"
#include "db/stmt.h"
#include "pricing/price.h"

#include <assert.h>

/* A price that held from `since_us` to `end_us`. */
struct stretch {
    long long since_us, end_us, nanos;
};

static void window_add(const struct price_course_question *question,
                       const struct stretch *stretch, struct price_window *window)
{
    long long start_us = question->at_us - window->length_us;
    long long from_us = stretch->since_us > start_us ? stretch->since_us : start_us;
    double dollars = (double)stretch->nanos / 1e9, held_us = (double)(stretch->end_us - from_us);

    if (stretch->nanos <= 0 || held_us <= 0)
        return;
    if (!window->known || dollars < window->low)
        window->low = dollars;
    if (!window->known || dollars > window->high)
        window->high = dollars;
    window->known = true;
    window->mean += dollars * held_us; /* divided at the end */
    window->known_us += held_us;
    if (question->limit_nanos > 0 && stretch->nanos > question->limit_nanos)
        window->above += held_us;
}

static void window_end(struct price_window *window)
{
    if (!window->known)
        return;
    window->mean = price_exact(window->mean / window->known_us);
    window->above /= window->known_us;
    assert(window->known_us <= (double)window->length_us && window->above <= 1);
    /* Sums are rounded: the mean of what never moved is that price. */
    if (window->mean < window->low)
        window->mean = window->low;
    if (window->mean > window->high)
        window->mean = window->high;
}

bool price_course(struct db *db, const struct price_course_question *question, size_t count,
                  struct price_window windows[], struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT since_us, nanos FROM prices WHERE series = ?1 AND since_us <= ?2"
                     " AND withdrawn_us > ?2 ORDER BY since_us DESC, withdrawn_us DESC",
                     err);
    struct stretch stretch = {.end_us = question->at_us};
    long long first_us = question->at_us;
    enum stmt_step step = STMT_DONE;

    if (!query)
        return false;
    for (size_t i = 0; i < count; i++) {
        long long start_us = question->at_us - windows[i].length_us;

        windows[i] = (struct price_window){.length_us = windows[i].length_us};
        first_us = start_us < first_us ? start_us : first_us;
    }
    stmt_integer(query, question->series);
    stmt_integer(query, question->at_us);
    while (stretch.end_us > first_us && (step = stmt_step(query, err)) == STMT_ROW) {
        stretch.since_us = stmt_column_integer(query, 0);
        stretch.nanos = stmt_column_integer(query, 1);
        for (size_t i = 0; i < count; i++)
            window_add(question, &stretch, &windows[i]);
        stretch.end_us = stretch.since_us;
    }
    for (size_t i = 0; i < count; i++)
        window_end(&windows[i]);
    return step != STMT_FAILED;
}
