#include "engine/train/net/joiner.h"

#include "engine/train/networks/parameters.h"

#include <stdio.h>

void joiner_complain(const struct joiner *joiner, const char *program, const char *message)
{
    if (joiner_rank(joiner) > 0)
        fprintf(stderr, "%s: rank %d on %s: %s\n", program, joiner->rank, joiner->host, message);
    else
        fprintf(stderr, "%s: %s\n", program, message);
}

void joiner_gradients(struct joiner *joiner, struct parameters *parameters)
{
    for (int i = 0; i < parameters->count; i++)
        joiner_start(joiner, parameters->list[i].gradient, parameters->list[i].count);
    joiner_finish(joiner);
}
