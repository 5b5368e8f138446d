/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/learn.h"

#include "engine/train/layerwise/memory.h"

#define NEAR 2048 /* numbers of a parameter that stay in a cache while they are updated */

void learn_choose(struct layerwise *net)
{
    if (!net->learns || net->keeps_gradients || joiner_joins(net->joiner))
        return;
    for (int i = 0; i < net->graph.count; i++) {
        const struct node *node = &net->graph.nodes[i];

        /* The table that a tied one shares has a second gradient to come. */
        if (node->kind == NODE_DENSE && !node->tied)
            net->learns_at_once[node->parameter] = true;
    }
}

/* All gradients that learn at once, and the largest of them. */
static void sum_gradients(const struct layerwise *net, size_t *ret_sum, size_t *ret_most)
{
    *ret_sum = *ret_most = 0;
    for (int i = 0; i < net->graph.parameter_count; i++) {
        size_t count =
            net->learns_at_once[i] ? graph_parameter_count(&net->graph.parameters[i]) : 0;

        *ret_sum += count;
        *ret_most = count > *ret_most ? count : *ret_most;
    }
}

size_t learn_saves(const struct layerwise *net)
{
    size_t sum, most;

    sum_gradients(net, &sum, &most);
    return sum - most;
}

bool learn_make(struct layerwise *net, struct error *err)
{
    size_t sum, most;
    float *place;

    sum_gradients(net, &sum, &most);
    place = most > 0 ? layerwise_take(net, most * sizeof *place, err) : NULL;
    for (int i = 0; place && i < net->parameters.count; i++)
        if (net->learns_at_once[i])
            net->parameters.list[i].gradient = place;
    return place || most == 0;
}

/* Some numbers at a time, so that rounding finds them in a cache. */
static void learn_numbers(struct layerwise *net, int index, const struct optimizer_step *step,
                          struct share share)
{
    const struct parameter *p = &net->parameters.list[index];

    for (long at = share.begin; at < share.end; at += NEAR) {
        const struct share part = {at, at + NEAR < share.end ? at + NEAR : share.end};

        net->elements->learn(step, (size_t)(part.end - at), p->gradient + at, p->velocity + at,
                             p->second ? p->second + at : NULL, p->value + at);
        if (net->operands[index])
            operand_round(net, p->value, part, net->operands[index]);
    }
}

static struct optimizer_step learn_step(const struct layerwise *net, int index)
{
    return optimizer_at(&net->optimizer, net->step, net->graph.parameters[index].rows > 0);
}

void learn_part(struct layerwise *net, int index, struct share rows, struct share columns)
{
    const struct optimizer_step step = learn_step(net, index);
    long width = (long)net->parameters.list[index].count / net->graph.parameters[index].rows;

    if (columns.end - columns.begin == width) {
        learn_numbers(net, index, &step, (struct share){rows.begin * width, rows.end * width});
        return;
    }
    for (long row = rows.begin; row < rows.end; row++)
        learn_numbers(net, index, &step,
                      (struct share){row * width + columns.begin, row * width + columns.end});
}

void learn_rest(struct layerwise *net, int thread)
{
    for (int i = 0; net->learns && i < net->parameters.count; i++)
        if (!net->learns_at_once[i]) {
            const struct optimizer_step step = learn_step(net, i);

            learn_numbers(net, i, &step,
                          share_elements(net, net->parameters.list[i].count, thread));
        }
}
