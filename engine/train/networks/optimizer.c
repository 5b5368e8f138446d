#include "engine/train/networks/optimizer.h"

#include <math.h>

static const struct {
    const char *name;
    int states;
} kinds[] = {
    [OPTIMIZER_SGD] = {"sgd", 1},           [OPTIMIZER_RMSPROP] = {"rmsprop", 1},
    [OPTIMIZER_ADADELTA] = {"adadelta", 2}, [OPTIMIZER_ADAM] = {"adam", 2},
    [OPTIMIZER_ADAMW] = {"adamw", 2},
};

const char *optimizer_name(enum optimizer_kind kind)
{
    return kinds[kind].name;
}

int optimizer_states(enum optimizer_kind kind)
{
    return kinds[kind].states;
}

struct optimizer_step optimizer_at(const struct optimizer *optimizer, long long step, bool matrix)
{
    const struct optimizer *o = optimizer;
    double t = (double)step + 1;
    bool decays = o->kind == OPTIMIZER_SGD || (o->kind == OPTIMIZER_ADAMW && matrix);

    return (struct optimizer_step){.kind = o->kind,
                                   .rate = (float)(o->lr / (1 + o->lr_decay * (double)step)),
                                   .momentum = (float)o->momentum,
                                   .rho = (float)o->rho,
                                   .beta1 = (float)o->beta1,
                                   .beta2 = (float)o->beta2,
                                   .rho_rest = (float)(1 - o->rho),
                                   .beta1_rest = (float)(1 - o->beta1),
                                   .beta2_rest = (float)(1 - o->beta2),
                                   .eps = (float)o->eps,
                                   .weight_decay = decays ? (float)o->weight_decay : 0,
                                   .first_scale = (float)(1 / (1 - pow(o->beta1, t))),
                                   .second_scale = (float)(1 / (1 - pow(o->beta2, t)))};
}
