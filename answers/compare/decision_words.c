#include "answers/compare/decision_words.h"

#include "common/clock.h"

/* "6 h (by 2026-12-01T00:00:00.000Z) and $3.00" */
static void say_asked(const struct comparison_question *question, char *text, size_t size)
{
    char deadline[80] = "", budget[40] = "", when[RFC3339_SIZE];

    if (question->deadline_us > 0) {
        clock_rfc3339(question->deadline_us, when);
        snprintf(deadline, sizeof deadline, "%.3g h (by %s)", question->deadline_h, when);
    } else if (question->deadline_h > 0) {
        snprintf(deadline, sizeof deadline, "%.3g h", question->deadline_h);
    }
    if (question->budget > 0)
        snprintf(budget, sizeof budget, "$%.2f", question->budget);
    snprintf(text, size, "%s%s%s", deadline, *deadline && *budget ? " and " : "", budget);
}

/* "c7i.large (on_demand): 5 h, $2.00" */
static void say_row(const struct comparison_row *row, char *text, size_t size)
{
    snprintf(text, size, "%.60s (%s): %.3g h, $%.2f",
             row->contender->instance[0] ? row->contender->instance : "this machine",
             row->price.kind, row->job.hours, row->job.total_dollars);
}

/* The number of instances of the nearest row that would suffice; nothing if one does. */
static void say_parallel(const struct comparison_row *nearest, char *text, size_t size)
{
    if (nearest->job.instances > 1)
        snprintf(text, size,
                 "; %lld of it in parallel would keep the deadline if scaling were "
                 "ideal",
                 nearest->job.instances);
}

void comparison_explain(const struct comparison_question *question, struct ranking *ranking)
{
    char asked[140], row[160] = "", parallel[100] = "", published[200] = "", *text;
    const size_t size = sizeof ranking->decision;

    say_asked(question, asked, sizeof asked);
    text = ranking->decision;
    if (ranking->published) {
        say_row(ranking->published, row, sizeof row);
        snprintf(published, sizeof published, "; published, not measured: %s", row);
    }
    if (ranking->answer) {
        say_row(ranking->answer, row, sizeof row);
        snprintf(text, size, "%s: %s, within %s with a probability of %.3f%s",
                 question->deadline_h > 0 ? "cheapest" : "fastest", row, asked,
                 ranking->answer->job.probability, published);
    } else if (ranking->nearest) {
        say_row(ranking->nearest, row, sizeof row);
        say_parallel(ranking->nearest, parallel, sizeof parallel);
        snprintf(text, size,
                 "none keeps %s with a probability of %.2f; the nearest is %s, probability "
                 "%.3f%s%s",
                 asked, DECISION_SURE, row, ranking->nearest->job.probability, parallel,
                 published);
    } else {
        snprintf(text, size, "no row has both a measurement with an interval and a price%s",
                 published);
    }
}
