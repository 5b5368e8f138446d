/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/late_rows.h"

#include "common/order.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <assert.h>

#define NEAR 1024 /* numbers that stay in the first cache, with their states and these zeros */

struct late_rows {
    struct layerwise *net;
    int parameter;
    long rows, width;
    struct optimizer_step steps[LATE_STEPS]; /* step s at s % LATE_STEPS */
    uint8_t *next; /* (rows): the step that the row takes next, modulo 256 */
};

static const float zeros[NEAR];

struct late_rows *late_rows_new(struct layerwise *net, int parameter, struct error *err)
{
    const struct graph_parameter *table = &net->graph.parameters[parameter];
    struct late_rows *late = layerwise_take(net, sizeof *late, err);

    assert(net->step == 0 && !net->operands[parameter]);
    if (!late)
        return NULL;
    *late = (struct late_rows){net, parameter, table->rows, table->columns, {{0}}, NULL};
    late->next = layerwise_take(net, (size_t)late->rows, err);
    return late->next ? late : NULL;
}

void late_rows_begin(struct late_rows *late)
{
    late->steps[late->net->step % LATE_STEPS] =
        optimizer_at(&late->net->optimizer, late->net->step, true);
}

/* Steps that the row has not taken, of those before step `end`. */
static int late_by(const struct late_rows *late, long row, long long end)
{
    int steps = (uint8_t)((uint8_t)end - late->next[row]);

    assert(steps <= LATE_STEPS);
    return steps;
}

static void late_learn(const struct late_rows *late, long long step, struct share share,
                       const float *gradient)
{
    const struct parameter *p = &late->net->parameters.list[late->parameter];
    long at = share.begin;

    late->net->elements->learn(&late->steps[step % LATE_STEPS], (size_t)(share.end - at),
                               gradient, p->velocity + at, p->second ? p->second + at : NULL,
                               p->value + at);
}

/* Takes these rows through the last `steps` steps before step `end`. */
static void late_take(const struct late_rows *late, struct share rows, int steps, long long end)
{
    long last = rows.end * late->width;

    for (long at = rows.begin * late->width; at < last; at += NEAR)
        for (long long step = end - steps; step < end; step++)
            late_learn(late, step, (struct share){at, least_of(at + NEAR, last)}, zeros);
}

void late_rows_read(struct late_rows *late, long row)
{
    long long end = late->net->step;

    late_take(late, (struct share){row, row + 1}, late_by(late, row, end), end);
    late->next[row] = (uint8_t)end;
}

void late_rows_learn(struct late_rows *late, long row, const float *gradient)
{
    long long step = late->net->step;

    assert(late_by(late, row, step) == 0);
    late_learn(late, step, (struct share){row * late->width, (row + 1) * late->width}, gradient);
    late->next[row] = (uint8_t)(step + 1);
}

/* Rows that are late by as much go together. */
static void late_catch_up(struct late_rows *late, struct share rows, long long end)
{
    for (long row = rows.begin; row < rows.end;) {
        const int steps = late_by(late, row, end);
        const long begin = row;

        while (row < rows.end && late_by(late, row, end) == steps)
            late->next[row++] = (uint8_t)end;
        late_take(late, (struct share){begin, row}, steps, end);
    }
}

void late_rows_sweep(struct late_rows *late, int thread)
{
    const struct layerwise *net = late->net;
    const struct share now = share_of(late->rows, 1, (int)(net->step % LATE_STEPS), LATE_STEPS);
    const struct share mine = share_of(now.end - now.begin, 1, thread, net->threads);

    late_catch_up(late, (struct share){now.begin + mine.begin, now.begin + mine.end},
                  net->step + 1);
}

void late_rows_finish(struct late_rows *late)
{
    late_catch_up(late, (struct share){0, late->rows}, late->net->step);
}
