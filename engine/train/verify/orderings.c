#include "engine/train/verify/orderings.h"

#include "common/cleanup.h"
#include "engine/train/networks/recipes.h"
#include "engine/train/threads/host.h"

static const struct ordering depth_first[ORDERINGS_MAX] = {
    {1, NET_FIXED, 0},   {3, NET_FIXED, 300}, {2, NET_AUTO, 0},     {4, NET_FIXED, 3000},
    {2, NET_FIXED, 300}, {3, NET_AUTO, 0},    {1, NET_FIXED, 300},  {4, NET_FIXED, 0},
    {2, NET_FIXED, 0},   {3, NET_FIXED, 0},   {1, NET_FIXED, 3000}, {4, NET_AUTO, 0}};

int orderings_count(const struct verify_options *options)
{
    bool judges_bf16 = options->against && verify_type(options) == DNN_BF16;

    if (options->orderings > 0)
        return (int)options->orderings;
    return judges_bf16 && !recipe_find(options->workload) ? DEFAULT_ORDERINGS : 1;
}

static bool orderings_are_same(const struct ordering *a, const struct ordering *b)
{
    return a->threads == b->threads && a->plan == b->plan &&
           a->chunk_kilobytes == b->chunk_kilobytes;
}

struct ordering orderings_at(const struct verify_options *options, int index)
{
    const struct ordering asked = {.threads = options->threads > 0 ? (int)options->threads
                                                                   : host_threads(),
                                   .plan = net_plan_from_name(options->plan)};

    if (index == 0)
        return asked;
    for (int i = 0, seen = 0; i < ORDERINGS_MAX; i++) {
        const struct ordering other = asked.plan == NET_PLAIN || recipe_find(options->workload)
                                          ? (struct ordering){i + 1, asked.plan, 0}
                                          : depth_first[i];

        if (!orderings_are_same(&other, &asked) && ++seen == index)
            return other;
    }
    return asked; /* not reached: at most one of them is what was asked for */
}

void ordering_name(const struct ordering *ordering, char ret[ORDERING_NAME_MAX])
{
    static const char *const plans[] = {
        [NET_AUTO] = "auto", [NET_FIXED] = "fixed", [NET_PLAIN] = "plain"};
    const char *plural = ordering->threads == 1 ? "" : "s";

    if (ordering->chunk_kilobytes > 0)
        snprintf(ret, ORDERING_NAME_MAX, "%d thread%s, plan %s, %ld KB chunks", ordering->threads,
                 plural, plans[ordering->plan], ordering->chunk_kilobytes);
    else
        snprintf(ret, ORDERING_NAME_MAX, "%d thread%s, plan %s", ordering->threads, plural,
                 plans[ordering->plan]);
}
