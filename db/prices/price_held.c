/* Tested by tests/db/prices/offer_store_test.c. */
#include "db/prices/price_held.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/stmt.h"

#include <assert.h>
#include <limits.h>

/* Whole spans are read, so that a moment near by finds its history read. */
#define SPAN_US (8 * US_PER_DAY)
#define SPANS_MAX 4 /* together in one course, or it would grow with every question */
#define HELD_ENTRIES_MAX 400

static bool course_covers(const struct course *course, const struct course *wanted)
{
    return course->entries && course->from_us <= wanted->from_us &&
           wanted->to_us <= course->to_us;
}

static long long span_start(long long at_us)
{
    long long into = at_us % SPAN_US;

    return at_us - (into < 0 ? into + SPAN_US : into);
}

/* What is read where a moment is not covered. Now goes on: its window never reaches further back.
 * About the past whole spans are read, with what is known already where that lies near. */
static struct course course_about(const struct course *known,
                                  const struct offers_question *question, long long window_us)
{
    struct course wanted = {.from_us = question->at_us - window_us, .to_us = LLONG_MAX};
    struct course both;

    if (question->is_now)
        return wanted;
    wanted = (struct course){.from_us = span_start(wanted.from_us),
                             .to_us = span_start(question->at_us) + SPAN_US};
    if (!known->entries)
        return wanted;
    both = (struct course){.from_us =
                               known->from_us < wanted.from_us ? known->from_us : wanted.from_us,
                           .to_us = known->to_us > wanted.to_us ? known->to_us : wanted.to_us};
    return both.to_us - both.from_us > SPANS_MAX * SPAN_US ? wanted : both;
}

/* Reads the changes between two times, and the one before. False with `series->is_long` set, and
 * no error, where they do not fit. */
static bool read_entries(struct stmt *query, struct price_series *series, struct course *course,
                         struct course_entry entries[HELD_ENTRIES_MAX], struct error *err)
{
    enum stmt_step step = STMT_DONE;
    bool enough = false;

    while (!enough && !series->is_long && (step = stmt_step(query, err)) == STMT_ROW) {
        struct course_entry *entry = &entries[course->count];
        const char *text = stmt_column_text(query, 2);

        series->is_long = course->count + 1 == HELD_ENTRIES_MAX ||
                          strlen(text) >= sizeof entry->text ||
                          stmt_column_integer(query, 3) != LLONG_MAX; /* it was withdrawn */
        entry->since_us = stmt_column_integer(query, 0);
        entry->nanos = stmt_column_integer(query, 1);
        TEXT_COPY(entry->text, text);
        course->count++;
        enough = entry->since_us <= course->from_us;
    }
    return step != STMT_FAILED && !series->is_long;
}

static bool read_course(struct db *db, struct price_series *series, struct course *course,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT since_us, nanos, text, withdrawn_us FROM prices"
                                      " WHERE series = ? AND since_us < ?"
                                      " ORDER BY since_us DESC, withdrawn_us DESC",
                                      err);
    struct course_entry entries[HELD_ENTRIES_MAX];

    stmt_integer(query, series->number);
    stmt_integer(query, course->to_us);
    if (!read_entries(query, series, course, entries, err))
        return false;
    course->entries = xmemdup(entries, course->count * sizeof *entries);
    return true;
}

/* Completes the course. False with `series->is_long` set, and no error, where it does not fit. */
static bool course_complete(struct db *db, struct price_book *book, struct price_series *series,
                            const struct offers_question *question, long long window_us,
                            struct error *err)
{
    const int which = question->is_now ? COURSE_NOW : COURSE_PAST;
    struct course *course = &series->courses[which], read;
    const struct course least = {.from_us = question->at_us - window_us,
                                 .to_us = question->at_us + 1};

    if (series->is_long)
        return false;
    if (course_covers(course, &least))
        return true;
    read = course_about(course, question, window_us);
    if (!read_course(db, series, &read, err))
        return false;
    assert(course_covers(&read, &least) && book->entries[which] >= course->count);
    book->entries[which] += read.count;
    book->entries[which] -= course->count;
    free(course->entries);
    *course = read;
    return true;
}

bool price_book_held(struct db *db, struct price_book *book, struct price_series *series,
                     const struct offers_question *question, struct price_at *ret_at,
                     struct error *err)
{
    const struct price_moment asked = {series->number, question->at_us,
                                       series->slot == SLOT_SPOT ? SPREAD_US : 0};

    if (!book->is_kept)
        return price_at(db, &asked, ret_at, err);
    if (course_complete(db, book, series, question, asked.window_us, err)) {
        course_at(&series->courses[question->is_now ? COURSE_NOW : COURSE_PAST], &asked, ret_at);
        return true;
    }
    return series->is_long && price_at(db, &asked, ret_at, err);
}
