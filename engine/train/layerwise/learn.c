/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/learn.h"

#include "common/order.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/share.h"

#include <assert.h>

#define NEAR 2048 /* numbers of a parameter that stay in a cache while they are updated */

/* Most rows of the table have no gradient in a step. */
static bool is_sparse(const struct layerwise *net, int embedding)
{
    long tokens = net->batch * net->graph.data.length;

    return !graph_is_tied(&net->graph, embedding) &&
           net->graph.parameters[net->graph.nodes[embedding].parameter].rows > 2 * tokens;
}

void learn_choose(struct layerwise *net)
{
    if (!net->learns || net->keeps_gradients || joiner_joins(net->joiner))
        return;
    for (int i = 0; i < net->graph.count; i++) {
        const struct node *node = &net->graph.nodes[i];
        enum learn_when *when = &net->learns_when[graph_weight_of(&net->graph, node)];

        if (node->kind == NODE_DENSE) {
            assert(*when == LEARN_AT_THE_END); /* once */
            *when = LEARN_AT_ONCE;
        } else if (node->kind == NODE_EMBEDDING && is_sparse(net, i)) {
            *when = LEARN_LATE;
        }
    }
}

/* The gradients that learn late, and of those that learn at once all but the largest. */
size_t learn_saves(const struct layerwise *net)
{
    size_t sum = 0, most = 0;

    for (int i = 0; i < net->graph.parameter_count; i++) {
        size_t count = graph_parameter_count(&net->graph.parameters[i]);

        if (net->learns_when[i] != LEARN_AT_THE_END)
            sum += count;
        if (net->learns_when[i] == LEARN_AT_ONCE)
            most = count > most ? count : most;
    }
    return sum - most;
}

void learn_needs(struct layerwise *net, int index, size_t numbers)
{
    (void)index;
    assert(net->learns_when[index] == LEARN_AT_ONCE);
    net->place_numbers = numbers > net->place_numbers ? numbers : net->place_numbers;
}

bool learn_make(struct layerwise *net, struct error *err)
{
    size_t numbers = net->place_numbers;
    float *place = numbers > 0 ? layerwise_take(net, numbers * sizeof *place, err) : NULL;

    for (int i = 0; place && i < net->parameters.count; i++)
        if (net->learns_when[i] == LEARN_AT_ONCE)
            net->parameters.list[i].gradient = place;
    return place || numbers == 0;
}

/* Some numbers at a time, so that rounding finds them in a cache. The gradient begins with the
 * share. */
static void learn_numbers(struct layerwise *net, int index, const struct optimizer_step *step,
                          struct share share, const float *gradient)
{
    const struct parameter *p = &net->parameters.list[index];

    for (long at = share.begin; at < share.end; at += NEAR) {
        const struct share part = {at, least_of(at + NEAR, share.end)};

        net->elements->learn(step, (size_t)(part.end - at), gradient + (at - share.begin),
                             p->velocity + at, p->second ? p->second + at : NULL, p->value + at);
        if (net->operands[index])
            operand_round(net, p->value, part, net->operands[index]);
    }
}

static struct optimizer_step learn_step(const struct layerwise *net, int index)
{
    return optimizer_at(&net->optimizer, net->step, net->graph.parameters[index].rows > 0);
}

void learn_part(struct layerwise *net, int index, const struct product_done *gradient)
{
    const struct optimizer_step step = learn_step(net, index);
    const struct share rows = gradient->rows, columns = gradient->columns;
    long width = net->graph.parameters[index].columns;

    if (columns.end - columns.begin == gradient->stride) {
        assert(gradient->stride == width);
        learn_numbers(net, index, &step, (struct share){rows.begin * width, rows.end * width},
                      gradient->numbers);
        return;
    }
    for (long row = rows.begin; row < rows.end; row++)
        learn_numbers(net, index, &step,
                      (struct share){row * width + columns.begin, row * width + columns.end},
                      gradient->numbers + (row - rows.begin) * gradient->stride);
}

void learn_rest(struct layerwise *net, int thread)
{
    for (int i = 0; net->learns && i < net->parameters.count; i++)
        if (net->learns_when[i] == LEARN_AT_THE_END) {
            const struct parameter *p = &net->parameters.list[i];
            const struct optimizer_step step = learn_step(net, i);
            const struct share share = share_elements(net, p->count, thread);

            learn_numbers(net, i, &step, share, p->gradient + share.begin);
        }
}
